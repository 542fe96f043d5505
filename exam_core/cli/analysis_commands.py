"""A command for each analysis of the table of answers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from exam_core import answers
from exam_core.answers.analysis import Subject
from exam_core.cli import common as cli
from exam_core.cli.declared_options import takes_declared
from exam_core.engine import multiply_in_one_thread
from exam_core.progress import no_progress

if TYPE_CHECKING:
    from exam_core.answers.answer import Answer


def command(name: str) -> Callable[..., None]:
    """The command that an analysis is, by its name in a notebook."""
    multiply_in_one_thread()
    analysis = answers.named(name)

    def run(collection: str, options: Any, form: cli.OutputForm = cli.OutputForm.TABLE) -> None:
        with cli.progress_bar(analysis.waiting) if analysis.waiting else nullcontext(no_progress) as progress:
            answer = analysis.answer(subject(collection, progress), options)
        print_answer(collection, answer, form)

    run.__doc__ = analysis.help
    run.__annotations__ = {"collection": cli.Collection, "options": analysis.options, "form": cli.FormatOption}
    return takes_declared()(run)


def subject(collection: str, progress: Any = no_progress) -> Subject:
    """A collection of the store as it is now."""
    store = cli.open_store()
    return Subject(store, store.snapshot(collection), progress)


def print_answer(collection: str, answer: Answer, form: cli.OutputForm) -> None:
    """Print an answer about a collection in a form."""
    rows, notes = answer.rows, list[str]()
    if form is cli.OutputForm.TABLE:
        rows, notes = cli.shown(answer.short, form, long=answer.long)
        rows, about_columns = cli.fitting(rows)
        notes = [*notes, *about_columns]
    elif form.is_latex:
        rows = cli.for_a_paper(collection, answer.paper)
    if form.is_latex and answer.latex:
        cli.say(answer.latex(rows))
        return
    cli.print_object(answer.told, rows, form, footer=[*notes, *answer.footer])
