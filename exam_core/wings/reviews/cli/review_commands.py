"""`examboard review ...`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from exam_core.answers.asking import at_one_tau, figures
from exam_core.asked import Evaluating
from exam_core.cli import common as cli
from exam_core.cli.analysis_commands import command, subject
from exam_core.cli.declared_options import takes_declared
from exam_core.cli.help_text import Commands, Listing
from exam_core.errors import UsageError
from exam_core.wings.reviews.cli import review_queue_commands

if TYPE_CHECKING:
    from exam_core.wings.reviews.analysis.cost import Cost


@takes_declared()
def cost(
    collection: cli.Collection,
    options: Evaluating,
    width: Annotated[float, typer.Option(min=0.0001, max=1, help="Wanted half-width of the 95% intervals.")] = 0.05,
    rounds: Annotated[int, typer.Option(min=5, max=100_000, help="Simulated campaigns of each size.")] = 40,
    form: cli.FormatOption = cli.OutputForm.TABLE,
) -> None:
    """Reviews needed for intervals of a given width, by sampling method: simulated on the grades.

    Judgments stand for reviewers; without judgments, answers are drawn at the rates of the reviews so far.

    Example: examboard review cost dl19 --measure P@20 --width 0.05
    """
    from exam_core.analysis.figures.graded_figures import question_of
    from exam_core.wings.reviews.analysis.cost import cost as simulated
    from exam_core.wings.reviews.store.review_records import reviews_of

    about = subject(collection)
    asked, held = at_one_tau(about, options), figures(about, options)
    choice = held.evaluation(asked)
    if choice is None:
        raise UsageError(f"{collection} has printed figures only: there are no lists to review.")
    reviews = reviews_of(about.store, held.snapshot)
    with cli.progress_bar("Simulating") as progress:
        found = simulated(held.snapshot, choice, reviews, asked.relevant_from, rounds=rounds, progress=progress)
    needed = {str(sampler): found.needed(width, str(sampler)) for sampler in found.rows["sampler"].unique()}
    answer = question_of(held.snapshot, choice) | {
        "half_width": width,
        "needed": needed,
        "passages": found.population,
        "rows": found.rows,
        "notes": [found.source],
    }
    cli.print_object(answer, found.rows, form, footer=_lines(found, width, needed))


def _lines(found: Cost, width: float, needed: dict[str, int | None]) -> list[str]:
    told = "; ".join(f"{sampler} {'more than were tried' if n is None else f'{n:,}'}" for sampler, n in needed.items())
    return [f"Reviews for intervals of +- {width:g}: {told}.", f"{found.source} The lists hold {found.population:,}."]


app = Commands(cls=Listing, help="Reviews: people check the grader's work.", no_args_is_help=True)
app.command("queue")(review_queue_commands.draw_queue)
app.command("list")(review_queue_commands.list_queues)
app.command("import")(review_queue_commands.bring)
app.command("export")(review_queue_commands.export)
app.command("agreement")(command("review_agreement"))
app.command("cost")(cost)
