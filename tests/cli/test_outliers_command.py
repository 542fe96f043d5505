"""outliers: its options, JSON keys and sentences, on every collection."""

from collections.abc import Callable
from typing import Any

import pytest
from thoroughly import thoroughly

Run = Callable[..., Any]
OPEN = ("demo", "--bank", "open", "--tau", "3")
PUBLISHED = ["car-y3-published", *thoroughly("dl19-published", "dl20-published")]
QUESTION = ("collection", "bank", "grader", "measure", "tau", "depth", "label_rank")


def test_the_answer_is_the_question_its_rows_and_its_notes(told: Run) -> None:
    found = told("outliers", *OPEN, "--grader", "lexical.pourpre-idf")
    assert {*QUESTION, "rows", "notes"} <= set(found)
    assert (found["bank"], found["grader"], found["tau"]) == ("open", "lexical.pourpre-idf", 3)


def test_every_run_has_a_row_for_each_method_the_largest_displacement_first(told):
    found = told("outliers", *OPEN, "--measures", "Cover@20,P@20")
    assert [method["method"] for method in found["methods"]] == ["open Cover@20 tau=3", "open P@20 tau=3"]
    assert len(found["rows"]) == 2 * 15
    row = "run_id rank_displacement score_displacement low high p p_holm flagged"
    assert set(found["rows"][0]) >= set(row.split())
    assert {row["over"] for row in found["combined"]} == {"all"}
    sizes = [abs(row["rank_displacement"]) for row in found["rows"]]
    assert sizes == sorted(sizes, reverse=True)


def test_without_a_bank_every_bank_is_a_method_and_judgments_can_be_one(told):
    assert {method["bank"] for method in told("outliers", "demo")["methods"]} == {"open", "manual"}
    found = told("outliers", "demo", "--judgments", "official", "--measure", "P@20", "--seed", 5, "--draws", 100)
    assert (found["judgments"], found["seed"], found["draws"]) == ("official", 5, 100)


@pytest.mark.parametrize("collection", PUBLISHED)
def test_printed_boards_have_displacements_and_a_note(told, collection):
    found = told("outliers", collection)
    assert {row["p"] for row in found["rows"]} == {row["flagged"] for row in found["rows"]} == {None}
    assert any("Printed figures" in note for note in found["notes"])
