"""The document of reviews says what is so, and what it does can be done."""

import csv
import json
import re

import pytest

from benchmarks.tables import reviews_table
from exam_core.wings.reviews.analysis.limits import ONCE
from tests.test_docs import ROOT, commands, examboard
from tests.test_docs import folder as folder

REVIEWS = (ROOT / "docs" / "how-to" / "reviews.md").read_text(encoding="utf-8")


def test_the_table_of_reviews_is_what_the_benchmark_measured():
    answer = json.loads((ROOT / "benchmarks" / "reviews-dl19.json").read_text(encoding="utf-8"))
    assert reviews_table(answer) in REVIEWS
    assert f"commit {answer['made_by']['commit']}" in REVIEWS
    twice, once = ([row for row in answer["rows"] if bool(row["twice"]) == several] for several in (True, False))
    held, together = ([row[key] for row in twice] for key in ("holds", "holds_all"))
    assert (min(held) >= 0.93, max(held) <= 0.97, min(together) >= 0.9) == (True, True, True)
    for name, shares in {
        "Intervals held the truth in": held,
        "those of all runs at once in": together,
        "wrong it was": [row["holds"] for row in once],
    }.items():
        assert f"{name} {min(shares):.1%} to {max(shares):.1%}" in REVIEWS
    shares = [row["holds"] for row in once if row["n"] == 800]
    assert f"{min(shares):.0%} to {max(shares):.0%}" in ONCE


def reviewed(table):
    """What a person does with the table of a queue: fill in the column answer."""
    with table.open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    for row in rows:
        row[head.index("answer")] = "2"
    with table.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *rows])


@pytest.mark.thorough
def test_what_the_document_of_reviews_does_can_be_done_in_its_order(folder):
    for command in commands(REVIEWS):
        if "import demo queue.csv" in command:
            reviewed(folder / "queue.csv")
        done = examboard(command)
        assert (command, done.exit_code, done.stderr) == (command, 0, "")


def test_the_labelling_configuration_names_what_tasks_have(folder):
    examboard("review queue demo tasks.json --bank open --n 2")
    (task, _) = json.loads((folder / "tasks.json").read_text(encoding="utf-8"))
    named = set(re.findall(r'"\$(\w+)"', REVIEWS))
    assert named
    assert named <= set(task["data"])
