"""Majorities wherever a command takes a grading mode."""

import shlex

import pytest

from tests.analysis.electorate import electorate
from tests.wings import added

GRADERS = {"a": "110011010010", "b": "101101100110", "c": "111000101101"}
JUDGED = "210320012302"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("electorate")
    electorate(path, GRADERS, JUDGED)
    return path


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("leaderboard world --measure P@5 --grader 'majority(a,x)'", "There is no grading mode x"),
        ("leaderboard world --measure P@5 --grader 'most(a,b)'", "There is no grader most(a,b)"),
    ],
)
def test_a_majority_that_can_not_be_made_is_refused_in_a_sentence(examboard, folder, line, why):
    done = examboard(folder, *shlex.split(line))
    assert (done.status, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert why in done.err


@pytest.mark.parametrize(
    "line",
    [
        "leaderboard world --measure P@5 --grader {}",
        "correlate world --measure P@5 --grader a --reference grades:P@5:grader={}",
        "agreement world --grader {}",
        "outliers world --measures P@5 --graders a,{} --reference qrels:P@5 --draws 10",
        "grid world --measures P@5 --graders a,{} --reference qrels:P@5 --taus 1",
        *(line for lines in added("OF_A_MODE") for line in lines),
        "swaps world --measure P@5 --grader {} --reference qrels:P@5",
    ],
)
def test_a_majority_is_taken_wherever_a_grading_mode_is(examboard, folder, line):
    done = examboard(folder, *line.format("majority(a,b,c)").split(), "--format", "json")
    assert (done.status, done.err) == (0, "")
    assert "majority(a,b,c)" in done.out


def test_labels_of_a_majority_are_exported(examboard, folder, tmp_path):
    file = tmp_path / "majority.qrels"
    assert examboard(folder, "export", "qrels", "world", str(file), "--grader", "majority(a,b,c)").status == 0
    labels = [
        line.split()[-1] for line in sorted(file.read_text().splitlines(), key=lambda one: int(one.split()[2][1:]))
    ]
    # more than half of three characters in each column of GRADERS
    assert "".join(labels) == "".join("01"[sum(map(int, column)) > 1] for column in zip(*GRADERS.values(), strict=True))
