"""A command for each analysis of the table of answers."""

from __future__ import annotations

from collections.abc import Callable
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
    found = answers.named(name)

    def run(collection: str, options: Any, form: cli.OutputForm = cli.OutputForm.TABLE) -> None:
        if not found.waiting:
            print_answer(collection, found.answer(subject(collection), options), form)
            return
        with cli.progress_bar(found.waiting) as progress:
            answer = found.answer(subject(collection, progress), options)
        print_answer(collection, answer, form)

    run.__doc__ = found.help
    run.__annotations__ = {"collection": cli.Collection, "options": found.options, "form": cli.FormatOption}
    return takes_declared()(run)


def subject(collection: str, progress: Any = no_progress) -> Subject:
    """A collection of the store as it is now."""
    store = cli.open_store()
    return Subject(store, store.snapshot(collection), progress)


def print_answer(collection: str, answer: Answer, form: cli.OutputForm) -> None:
    """Print an answer about a collection in a form."""
    rows, more = answer.rows, list[str]()
    if form is cli.OutputForm.TABLE:
        rows, more = cli.shown(answer.short, form, long=answer.long)
        rows, beside = cli.fitting(rows)
        more = [*more, *beside]
    elif form.is_latex:
        rows = cli.for_a_paper(collection, answer.paper)
    if form.is_latex and answer.latex:
        cli.say(answer.latex(rows))
        return
    cli.print_object(answer.told, rows, form, footer=[*more, *answer.footer])
