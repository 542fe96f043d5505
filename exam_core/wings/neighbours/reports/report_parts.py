"""What the saved report shows of generated answers."""

from __future__ import annotations

from exam_core.reports.part import Asking, PagePart, Part, ReportTable
from exam_core.wings.neighbours.analysis import nrp_scores as of_answers
from exam_core.wings.neighbours.analysis import nuggets as of_nuggets
from exam_core.wings.neighbours.analysis.ranked import rankers_of


def _nuggets(asking: Asking) -> Part | None:
    choice = asking.choice() if asking.of_grades else None
    if choice is None or not asking.ask(of_nuggets.are_nuggets, asking.figures.snapshot, choice.labelling):
        return None
    found = asking.ask(of_nuggets.nuggets, asking.figures.snapshot, choice.labelling)
    return Part("Nuggets", [], {}, [ReportTable(found.rows, of_nuggets.ROWS, "Nugget scores of each run")], found.notes)


def _answers(asking: Asking) -> Part | None:
    snapshot = asking.figures.snapshot
    known = asking.ask(rankers_of, snapshot)
    if not known:
        return None
    found = asking.ask(of_answers.nrp, snapshot, ranker=known[0], convention="released")
    caption = f"NRP of each system, ranked by {found.ranker or 'the only ranker'}"
    return Part("Generated answers", [], {}, [ReportTable(found.systems, of_answers.SYSTEMS, caption)], found.notes)


PARTS = (
    PagePart("Nuggets", _nuggets, 70),
    PagePart("Generated answers", _answers, 80),
)
