"""Majorities wherever a command takes a grading mode."""

import shlex

import pytest

from tests.analysis.electorate import VOTES
from tests.wings import rows_added


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("leaderboard world --measure P@5 --grader 'majority(a,x)'", "There is no grading mode x"),
        ("leaderboard world --measure P@5 --grader 'most(a,b)'", "There is no grader most(a,b)"),
    ],
)
def test_a_majority_that_can_not_be_made_is_refused_in_a_sentence(examboard, voters, line, why):
    done = examboard(voters, *shlex.split(line))
    assert (done.status, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert why in done.err


@pytest.mark.parametrize(
    "line",
    [
        "leaderboard world --measure P@5 --grader {}",
        "correlate world --measure P@5 --grader a --reference grades:P@5:grader={}",
        "agreement world --grader {}",
        "outliers world --measures P@5 --graders a,{} --reference qrels:P@5 --draws 10",
        *rows_added("OF_A_MODE"),
    ],
)
def test_a_majority_is_taken_wherever_a_grading_mode_is(examboard, voters, line):
    done = examboard(voters, *line.format("majority(a,b,c)").split(), "--format", "json")
    assert (done.status, done.err) == (0, "")
    assert "majority(a,b,c)" in done.out


def test_labels_of_a_majority_are_exported(examboard, voters, tmp_path):
    file = tmp_path / "majority.qrels"
    assert examboard(voters, "export", "qrels", "world", str(file), "--grader", "majority(a,b,c)").status == 0
    labels = {int(line.split()[2][1:]): line.split()[3] for line in file.read_text().splitlines()}
    # more than half of three characters in each column
    expected = ["01"[sum(map(int, column)) > 1] for column in zip(*VOTES.values(), strict=True)]
    assert [labels[place] for place in sorted(labels)] == expected
