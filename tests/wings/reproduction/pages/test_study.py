"""The study of POURPRE on the page Reproduce."""

from dashboards import charts, opened, sentences

PAGE = "pages/reproduce/reproduce.py"


def test_the_counts_are_told_in_words_and_what_has_no_scores_has_no_chart(store, monkeypatch):
    test = opened(PAGE, store, monkeypatch, collection="demo-nuggets", reproduce_part="Why figures differ")
    assert "Compared: 3 printed figures of 2 columns or tables" in sentences(test)
    assert charts(test) == []
