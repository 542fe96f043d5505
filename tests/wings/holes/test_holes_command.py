"""holes: its options, JSON keys and sentences, on every collection."""

import pytest
from thoroughly import thoroughly

from tests.cli.test_analysis_commands import OUTLIERS as QUESTION

OPEN = ("demo", "--bank", "open", "--tau", "3")
PUBLISHED = ["car-y3-published", *thoroughly("dl19-published", "dl20-published")]


def test_holes_are_shown_at_the_depths_asked_for(told):
    found = told("holes", *OPEN, "--depths", "2,10", "--grader", "lexical.pourpre-idf")
    assert {*QUESTION, "rows", "notes"} <= set(found)
    assert (found["bank"], found["grader"], found["tau"]) == ("open", "lexical.pourpre-idf", 3)
    assert (found["depths"], found["bound"], found["judged_by"]) == ([2, 10], "exact", "official")
    assert {row["depth"] for row in found["rows"]} == {2, 10}


@pytest.mark.parametrize("collection", PUBLISHED)
def test_printed_boards_have_no_holes_and_say_why(told, collection):
    found = told("holes", collection)
    assert found["rows"] == []
    assert "without rankings there are no passages to grade" in found["notes"][0]
