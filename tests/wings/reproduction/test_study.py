"""The study of POURPRE on the part Reproduce of Reliability."""

from dashboards import charts, opened, sentences

PAGE, PART = "pages/reliability/reliability.py", {"reliability_part": "Reproduce"}


def test_the_counts_are_told_in_words_and_what_has_no_scores_has_no_chart(demo_store, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, **PART, collection="demo-nuggets", reproduce_part="Why figures differ")
    assert "Compared: 3 printed figures of 2 columns or tables" in sentences(test)
    assert charts(test) == []
