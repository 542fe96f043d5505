"""Votes on Agreement: the numbers are those of the analysis."""

import html

from dashboards import opened, sentences, table

from exam_core.request import Request
from exam_core.store import Store
from exam_core.wings.trust.slides import votes_lines
from exam_core.wings.trust.votes import votes

PAGE = "pages/agreement/agreement.py"
VOTES = {"agreement_tab": "How independent are the graders?"}
ALL = "majority(a,b,c)"


def test_a_button_makes_the_majority_a_grading_mode(voters, monkeypatch):
    test = opened(PAGE, voters, monkeypatch, collection="world", modes="a", **VOTES)
    found = votes(Store(voters).snapshot("world"), list("abc"), Request())
    assert [line in html.unescape(sentences(test)) for line in votes_lines(found)] == [True, True]
    test.button(key="votes_add").click().run()
    assert test.pills(key="modes").value == ["a", ALL]
    test.selectbox(key="mode").select(ALL).run()
    by_votes = table(test, "relevant").set_index("grader")
    kappa = next(metric.value for metric in test.metric if metric.label == "Cohen's kappa")
    assert kappa == f"{by_votes.loc['Majority of 3', 'kappa']:.3f}"


def test_one_grading_mode_is_asked_for_company(demo_store, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, collection="demo", bank="open", **VOTES)
    assert "Lexical match is the only grading mode that votes" in sentences(test)
