"""Graded rubrics and a board in JSON, as participants of TREC RAG 2026 have them: refused, and no wrong turn."""

import pytest


# Issue F reads these forms.
@pytest.mark.parametrize(
    ("command", "says"),
    [
        (
            "leaderboard rubric-results.jsonl --column mean_score --name rub",
            "JSON; a file of the kind leaderboard is written as: CSV, TSV, trec_eval, ir_measures",
        ),
    ],
)
def test_what_is_not_read_is_refused_and_advised_to_no_other_kind(of_report, command, says):
    kind, *given = command.split()
    done = of_report("t4/rubric-graded")(kind, *given)
    assert (done.status, says in done.err, "It looks like" in done.err) == (1, True, False)
