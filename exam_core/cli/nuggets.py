"""The commands about generated answers: nuggets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from exam_core.asked import Asked
from exam_core.cli import common as cli
from exam_core.cli.options import takes_declared

if TYPE_CHECKING:
    from exam_core.analysis.evaluation.choice import Labelling
    from exam_core.store import Snapshot


@dataclass
class Answers:
    """Whose grades of which bank, and what is read of the runs."""

    collection: cli.Collection
    bank: cli.Bank = None
    grader: cli.Grader = None
    depth: cli.Depth = "20"
    order: cli.Order = "score"
    without: cli.Without = None

    def chosen(self) -> tuple[Snapshot, Labelling, dict[str, Any]]:
        """The collection, the grades, and the question as it was asked."""
        from exam_core.analysis.evaluation.choosing import choose_labelling, depth_number, leave_out
        from exam_core.analysis.figures.graded import left_out

        snapshot = leave_out(cli.open_store().snapshot(self.collection), self.without or [])
        asked = Asked(bank=self.bank, grader=self.grader, depth=depth_number(self.depth), order=self.order)
        labelling = choose_labelling(snapshot, asked)
        grading = labelling.grading
        question = {
            "collection": snapshot.collection,
            "bank": grading.bank_id,
            "grader": grading.grader,
            "depth": labelling.depth,
            **left_out(snapshot),
        }
        return snapshot, labelling, question


@takes_declared()
def nuggets(
    answers: Answers,
    per_query: Annotated[bool, typer.Option("--per-query", help="Each query's scores too.")] = False,
    form: cli.FormatOption = cli.Form.TABLE,
) -> None:
    """The six nugget scores of each run: vital, weighted and all nuggets, strict and with partial support as half.

    Labels that are none of support, partial_support and not_support count as not found and are listed; contradicted
    nuggets and nuggets to avoid are counted apart and taken from no score.

    Example: examboard nuggets rag24

    Example: examboard nuggets rag24 --bank nuggets --per-query --format csv
    """
    from exam_core.analysis.bank.nuggets import nuggets as nuggets_of
    from exam_core.reports.nuggets import nuggets_answer, nuggets_lines

    snapshot, labelling, question = answers.chosen()
    found = nuggets_of(snapshot, labelling)
    rows = found.queries if per_query else found.rows
    answer = nuggets_answer(question, found, per_query=per_query)
    cli.print_object(answer, rows, form, footer=nuggets_lines(found))
