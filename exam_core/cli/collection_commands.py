"""Small commands: demo, template, list, cite, alias and tags."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from exam_core.answers.asking import at_one_tau, figures
from exam_core.cli import common as cli
from exam_core.cli.analysis_commands import subject
from exam_core.cli.common import open_store, print_imported, progress_bar
from exam_core.cli.declared_options import takes_declared
from exam_core.errors import StoreError, UsageError
from exam_core.request import RankingAsked
from exam_core.wording import quoted


def alias(
    collection: cli.Collection,
    grader: Annotated[
        str | None, typer.Argument(help="ID of the grader; without one, all are listed.", show_default=False)
    ] = None,
    name: Annotated[
        str | None, typer.Argument(help='New name; "" restores the guessed name.', show_default=False)
    ] = None,
    form: cli.FormatOption = cli.OutputForm.TABLE,
) -> None:
    """Names of graders on pages, in charts and in tables for papers; with a name, rename one.

    Ids don't change: links, commands, CSV and JSON use them.

    Example: examboard alias dl19 Sun_few "Sun, four examples"
    """
    from exam_core.actions import tagging
    from exam_core.analysis.contents import display_names

    store = cli.open_store()
    if grader is not None and name is None:
        raise UsageError(
            f"To name {grader}: examboard alias {quoted(collection)} {quoted(grader)} "
            '"NAME"; "" restores the guessed name.'
        )
    if grader is not None and name is not None:
        cli.say(tagging.name_grader(store, collection, grader, name).sentence)
        return
    rows = display_names(store.snapshot(collection))
    if rows.empty and form is cli.OutputForm.TABLE:
        cli.say(f"{collection} has no graders: nobody graded it here.")
        return
    cli.print_object({"collection": collection, "rows": rows, "notes": []}, rows, form)


def tags(
    collection: cli.Collection,
    run: Annotated[
        str | None, typer.Argument(help="Run to tag; without one, all tags are listed.", show_default=False)
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Argument(help='Tags of the run, replacing all it has; "" removes them.', show_default=False),
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Undo the last change; a second undo redoes it.")] = False,
    form: cli.FormatOption = cli.OutputForm.TABLE,
) -> None:
    """Tags of runs that a grader may favour, and of runs of one system; with a run and tags, set its tags.

    Runs with one tag group:NAME are one system where a leaderboard is asked for groups (--groups yes).


    Example: examboard tags dl19 idst_bert_p1 "uses an LLM" "same family as the grader"

    Example: examboard tags dl19 idst_bert_p2 group:idst_bert

    """
    from exam_core.actions import tagging
    from exam_core.analysis.contents import LISTED, listed_tags

    store = cli.open_store()
    if run is not None and undo:
        raise UsageError("A run and --undo: choose one of them.")
    if run is not None and not tag:
        raise UsageError(
            f'To give {run} tags: examboard tags {quoted(collection)} {quoted(run)} "TAG"; "" removes them.'
        )
    if run is not None:
        cli.say(tagging.tag_run(store, collection, run, tag or []).sentence)
    elif undo:
        cli.say(tagging.undo_tags(store, collection).sentence)
    else:
        rows = listed_tags(store.snapshot(collection))
        if rows.empty and form is cli.OutputForm.TABLE:
            name = quoted(collection)
            cli.say(f'{collection} has no tags. Give one with: examboard tags {name} RUN "uses an LLM"')
            return
        cli.print_object({"collection": collection, "rows": LISTED.of(rows), "notes": []}, rows, form)


def list_collections(form: cli.FormatOption = cli.OutputForm.TABLE) -> None:
    """The collections with their counts. A damaged one is named, and the exit status is 1.

    Example: examboard list --format json
    """
    import pandas as pd

    from exam_core.store.summary import OF_GRADERS, counted_beside, of_each, summary

    store = cli.open_store()
    rows, damaged = of_each(store, lambda snapshot: summary(snapshot, **counted_beside(store, snapshot)))
    frame = pd.DataFrame(rows).drop(columns=list(OF_GRADERS), errors="ignore")
    frame = frame.map(lambda value: " ".join(value) if isinstance(value, list) else value)
    if not rows and not damaged and form is cli.OutputForm.TABLE:
        cli.say(f"The store {store.path} is empty. Build the demo with: examboard demo")
        return
    cli.print_object(rows, frame, form)
    if damaged:
        raise StoreError("\n".join(damaged))


def template(
    kind: Annotated[str | None, typer.Argument(help="Kind of file; without it, all are listed.")] = None,
    out: Annotated[Path, typer.Argument(help="File to write; - prints it.")] = Path("-"),
) -> None:
    """A small valid example file (run, qrels, bank, ...) to replace with your own; without a kind, lists all.

    All examples have the same queries, and can be imported together.

    Example: examboard template bank bank.csv
    """
    from exam_core.formats.registry import known_kinds
    from exam_core.formats.writing import write_lines

    kinds = known_kinds()
    if kind is None:
        for name, of_name in kinds.items():
            cli.say(f"{name:12} {of_name.title}")
        return
    if kind not in kinds:
        raise UsageError(f"There is no kind of file {kind}. There are: {', '.join(kinds)}.")
    write_lines(out, (line.encode() for line in kinds[kind].template.splitlines()))
    cli.wrote(out, f"an example of {kinds[kind].noun.lower()}; examboard import {kind} takes such files")


@takes_declared()
def cite(collection: cli.Collection, options: RankingAsked, form: cli.FormatOption = cli.OutputForm.TABLE) -> None:
    """A methods paragraph that states every choice and version, and BibTeX of the papers whose measures are used.

    With --format latex the paragraph cites them by their keys.

    Example: examboard cite dl19 --measure Cover@20 --tau 3 --format latex
    """
    from exam_core.reports.methods_paragraph import methods

    about = subject(collection)
    contents, request = figures(about, options), at_one_tau(about, options)
    paragraph = methods(contents, [request.grader] if request.grader else [], request)
    answer = {"words": paragraph.words, "latex": paragraph.latex, "bibtex": paragraph.bibtex, "papers": paragraph.rows}
    if form in (cli.OutputForm.CSV, cli.OutputForm.JSON):
        cli.print_object(answer, paragraph.rows, form)
        return
    cli.say(f"{paragraph.words if form is cli.OutputForm.TABLE else paragraph.latex}\n\n{paragraph.bibtex}")


def demo() -> None:
    """Build the embedded collections: the demo and the papers' printed figures.

    Example: examboard demo
    """
    from exam_core.actions.demo import build_demo

    with progress_bar("Building the demo") as progress:
        imports = build_demo(open_store(), progress=progress)
    for done in imports:
        print_imported(done)
