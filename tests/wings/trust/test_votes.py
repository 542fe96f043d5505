"""votes on the command line."""

import json
import shlex

import pytest


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


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("votes world --graders nobody", "There is no grading mode nobody"),
        ("votes world --judgments mine", "There are no judgments mine"),
        ("votes world --pairs --thresholds", "choose one of them"),
    ],
)
def test_what_cannot_vote_is_refused_in_a_sentence(examboard, voters, line, why):
    done = examboard(voters, *shlex.split(line))
    assert (done.status, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert why in done.err
