"""What the neighbour methods add to the pages."""

from __future__ import annotations

from exam_core.analysis.choice import Evaluation
from exam_core.wings.neighbours.nrp import has_answers
from exam_core.wings.neighbours.nuggets import has_nuggets
from pages.shared import show
from pages.shared.wings import Page

NUGGETS, ANSWERS = ":material/fact_check:", ":material/auto_awesome:"
PAGES = (
    Page(
        "pages/neighbours/nuggets.py",
        "Nuggets",
        NUGGETS,
        "Results",
        has_nuggets,
        of_grades="bank series measure without depth",
        needs_grades="This page counts nuggets by grades.",
    ),
    Page("pages/neighbours/generated.py", "Generated answers", ANSWERS, "Results", has_answers, of_grades="measure"),
)


def draw_unlabelled(choice: Evaluation, run: str, query: str) -> None:
    """Where to see what a measure looks at that looks at no grades."""
    nuggets, answers = PAGES
    if choice.measure.info.of == "texts":
        label = f"Nuggets: what {show.escaped(run)} wrote for {show.escaped(query)}"
        show.link(nuggets.path, label, nuggets.icon, nuggets_run=run, nuggets_query=query)
    else:
        show.link(answers.path, "Generated answers and their ranks", answers.icon)
