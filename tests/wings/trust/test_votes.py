"""Votes of graders on the command line, in charts and on the page Agreement: the numbers are those of the analysis."""

import html
import json

import pandas as pd
import pytest
from dashboards import opened, sentences, table

from exam_core.request import Request
from exam_core.store import Store
from exam_core.wings.trust.slides import votes_lines
from exam_core.wings.trust.votes import accuracy_figure, votes


def test_the_answer_says_who_voted_on_what_and_what_it_is_worth(examboard, voters):
    found = json.loads(examboard(voters, "votes", "world", "--graders", "b,c@1", "--format", "json").out)
    assert (found["graders"], found["majority"]) == (["b", "c@1"], "majority(b,c@1)")
    assert (found["judged"], found["relevant_from"], found["judgments"]) == (12, 2, "official")
    assert [row["grader"] for row in found["rows"]] == ["b", "c@1", "majority(b,c@1)"]
    assert found["votes"] == pytest.approx(2 / (1 + found["error_correlation"]))


def test_eight_modes_of_dl19_count_as_two(examboard, full_dl19_store):
    said = examboard(full_dl19_store, "votes", "dl19").out
    assert (
        "8 grading modes count as much as 2.1 independent ones (95% interval 1.9 to 2.4): n / (1 + (n - 1) r)" in said
    )
    assert "agrees with the judgments on 74.9% of the passages, the best single one, HELM, on 76.5%" in said


@pytest.mark.parametrize(("line", "why"), [("--judgments mine", "There are no judgments mine")])
def test_what_cannot_vote_is_refused_in_a_sentence(examboard, voters, line, why):
    done = examboard(voters, "votes", "world", *line.split())
    assert (done.status, done.out, len(done.err.splitlines()), why in done.err) == (2, "", 1, True)


def test_the_majority_is_drawn_apart_from_the_graders():
    rows = pd.DataFrame(
        {"grader": ["a", "<b>", "majority(a,<b>)"], "accuracy": 0.5, "accuracy_low": 0.25, "accuracy_high": 0.875}
    )
    figure = accuracy_figure(rows)
    single, majority = figure.data
    assert (list(single.y), list(majority.y)) == ([0, 1], [2])
    assert list(figure.layout.yaxis.ticktext) == ["a", "&lt;b&gt;", "majority"]
    assert (majority.error_x.array[0], majority.error_x.arrayminus[0]) == (0.375, 0.25)


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
