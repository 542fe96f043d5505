"""Options that several commands share, and how progress and results are printed.

A command loads what it works with when it runs, so that --help need not wait for it: modules of the command line
import only what options are made of.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from exam_core.errors import UsageError, visible
from exam_core.progress import Progress, no_progress
from exam_core.wording import counted

if TYPE_CHECKING:
    import pandas as pd

    from exam_core.actions.committing import ImportResult
    from exam_core.store import Store

SHOWN, ON_SCREEN = 40, 1_000
"""Pairs and questions in a table, and rows of any table on a terminal; every other form has them all."""


class OutputForm(StrEnum):
    """How a reading command prints its result."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    LATEX = "latex"
    SIUNITX = "siunitx"

    @property
    def is_latex(self) -> bool:
        """Whether it is a table for LaTeX: for booktabs, or for that and siunitx."""
        return self in (OutputForm.LATEX, OutputForm.SIUNITX)


Collection = Annotated[str, typer.Argument(help="Name of the collection.", show_default=False)]
Columns = Annotated[
    str | None,
    typer.Option("--as", help="What the file's columns are, where their names don't say it: query=qidx,doc=docidx."),
]
Into = Annotated[str, typer.Option("--collection", help="Collection to add to; it is made if new.")]
Source = Annotated[
    Path,
    typer.Argument(help="The file; - is standard input. gzip, bzip2, xz, zstd are recognised.", show_default=False),
]
Target = Annotated[
    Path, typer.Argument(help="File to write; .gz and .xz are compressed, - prints it.", show_default=False)
]
FormatOption = Annotated[
    OutputForm,
    typer.Option("--format", help="Output format; latex needs booktabs, siunitx needs booktabs and siunitx."),
]


def open_store() -> Store:
    """The store that --store names, else $EXAMBOARD_STORE, else ./store."""
    from exam_core.store import Store, default_store

    return Store(default_store(), tell=partial(say, err=True))


@contextmanager
def progress_bar(what: str) -> Iterator[Progress]:
    """A bar with the time left on the terminal; silent where the output isn't one."""
    if not sys.stderr.isatty():
        yield no_progress
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with RichProgress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(visible(what, line_ends=False), total=1.0)
        yield lambda share: bar.update(task, completed=share)


def say(text: str, *, err: bool = False) -> None:
    """Print what people read; control characters of ids, texts and file names show as escapes."""
    typer.echo(visible(text), err=err)


def wrote(file: Path, sentence: str, *notes: str) -> None:
    """Say what is in a file, and notes; of one that is printed notes alone, on standard error."""
    from exam_core.formats.writing import prints

    for line in notes if prints(file) else (f"{file}: {sentence}", *notes):
        say(line, err=prints(file))


def give(text: str, *, line_end: bool = True) -> None:
    """Print data: as it is into a file or another program, with escapes for control characters on a terminal."""
    typer.echo(visible(text) if sys.stdout.isatty() else text, nl=line_end)


def print_object(answer: Any, rows: pd.DataFrame, form: OutputForm, *, footer: list[str] | None = None) -> None:
    """Print a result: the whole object as JSON, or its rows; what goes beyond rows ends a table."""
    from exam_core.table_text import as_json, as_text

    if form is OutputForm.JSON:
        give(as_json(answer))
        return
    if form.is_latex:
        about = answer[0] if isinstance(answer, list) and answer else answer
        rows = for_a_paper(about.get("collection") if isinstance(about, dict) else None, rows)
    text = as_text(rows, form.value)  # type: ignore[arg-type]
    if form is OutputForm.CSV:
        give(text)
    elif form is OutputForm.TABLE and footer:
        say("\n".join(footer if rows.empty else [text, "", *footer]))
    else:
        say(text)


def for_a_paper(collection: Any, rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with what the collection's graders are called: a paper has names, CSV and JSON have ids.

    A table of names and ids stays, and so does one of no collection of the store.
    """
    from exam_core.aliases import with_aliases
    from exam_core.store.summary import names_of

    store = open_store()
    if "alias" in rows or not isinstance(collection, str) or collection not in store.collections():
        return rows
    return with_aliases(rows, names_of(store.snapshot(collection)))


def shown(rows: pd.DataFrame, form: OutputForm, *, long: bool = True) -> tuple[pd.DataFrame, list[str]]:
    """The rows that a table shows, and a line about the others; one that is not `long` has all but on a terminal."""
    most = SHOWN if long else ON_SCREEN if sys.stdout.isatty() else len(rows)
    if form is not OutputForm.TABLE or len(rows) <= most:
        return rows, []
    return rows[:most], [f"The first {most:,} of {len(rows):,}; --format csv or json prints all."]


def fitting(rows: pd.DataFrame, width: int | None = None) -> tuple[pd.DataFrame, list[str]]:
    """The columns of a table that have room in `width` characters (None: the terminal's), and a line about the others.

    The first column has room before ranks, and these before the others from left to right.
    """
    from exam_core.table_text import as_text

    if width is None and not sys.stdout.isatty():
        return rows, []
    width = width or get_terminal_size().columns
    room, taken = width + 2, list[str]()
    for name in [*rows.columns[:1], *sorted(rows.columns[1:], key=lambda name: not name.endswith("rank"))]:
        wide = 2 + max(map(len, as_text(rows[[name]], "table").splitlines()))
        if not taken or wide <= room:
            room -= wide
            taken.append(name)
    left_out = [name for name in rows.columns if name not in taken]
    note = f"Columns that have no room here, and that --format csv or json prints: {', '.join(left_out)}."
    return rows.drop(columns=left_out), [note] if left_out else []


def print_imported(done: ImportResult) -> None:
    """Say what an import brought."""
    state = "" if done.changed else " (already there; nothing changed)"
    if done.healed:
        state = f" (already there; {counted({'damaged or missing files': done.healed})} restored)"
    say(f"{done.collection}: {done.counted}{state}" if done.counts else f"{done.collection}{state}")
    for note in done.notes:
        say(f"  {note}")


class Once(TyperCommand):
    """A command whose lists are given once, with commas: of two, the last would count alone without a word.

    Of other options the last counts, as anywhere, so that a line can end with what departs from the usual.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments. Raises UsageError where a list is given several times."""
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        lists = getattr(self.callback, "lists", ())
        for option, times in Counter(parameter for parameter in order if isinstance(parameter, TyperOption)).items():
            if times > 1 and option.name in lists:
                raise UsageError(f"{option.opts[0]} is given {times} times. Give it once, its values comma-separated.")
        return super().parse_args(ctx, args)


class Commands(typer.Typer):
    """Commands, and groups of them; each is a `Once`."""

    def command(self, *named: Any, **options: Any) -> Callable[..., Any]:
        """Add a command."""
        return super().command(*named, **{"cls": Once} | options)


class Listing(TyperGroup):
    """A group of commands, none of whose sentences is cut at the end of a line."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # their types are typer's own
        """Write the list of commands into help, a section for each heading."""
        del ctx
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            heading = getattr(command, "rich_help_panel", "") or "Commands"
            sections.setdefault(str(heading), []).append((name, command.get_short_help_str(sys.maxsize)))
        for heading, rows in sections.items():
            with formatter.section(heading):
                formatter.write_dl(rows)
