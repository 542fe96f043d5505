"""The commands about runs that a grader may prefer: tags, circularity."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from exam_core import actions
from exam_core.asked import HELP
from exam_core.cli import common as cli
from exam_core.cli.evaluation import Typed
from exam_core.cli.options import takes_declared
from exam_core.defaults import DRAWS, SEED
from exam_core.errors import UsageError
from exam_core.wording import quoted


def tags(
    collection: cli.Collection,
    run: Annotated[
        str | None, typer.Argument(help="Run to tag; without one, all tags are listed.", show_default=False)
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Argument(help='All tags of the run from now on; "" takes them away.', show_default=False),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option("--file", help="CSV file with columns run_id and tag: all tags of the collection from now on."),
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Take the last change back; again, it counts again.")] = False,
    form: cli.FormatOption = cli.Form.TABLE,
) -> None:
    """What is known of runs that may make a grader prefer them; with a run and tags, tag it so.

    With --format csv the list is a file that --file takes.

    Example: examboard tags dl19 idst_bert_p1 "uses an LLM" "same family as the grader"

    Example: examboard tags dl19 --file tags.csv
    """
    from exam_core.analysis.holdings.tagged import LISTED, listed_tags

    store = cli.open_store()
    if (run is not None) + (file is not None) + undo > 1:
        raise UsageError("A run, --file and --undo: choose one of them.")
    if run is not None and not tag:
        raise UsageError(
            f'Say what tags {run} has: examboard tags {quoted(collection)} {quoted(run)} "TAG"; "" takes them away.'
        )
    if file is not None:
        cli.say(actions.tag_runs(store, collection, file).sentence)
    elif run is not None:
        cli.say(actions.tag_run(store, collection, run, tag or []).sentence)
    elif undo:
        cli.say(actions.undo_tags(store, collection).sentence)
    else:
        rows = listed_tags(store.snapshot(collection))
        if rows.empty and form is cli.Form.TABLE:
            name = quoted(collection)
            cli.say(f'{collection} has no tags. Give one with: python -m exam_core tags {name} RUN "uses an LLM"')
            return
        cli.print_object({"collection": collection, "rows": LISTED.of(rows), "notes": []}, rows, form)


@dataclass
class Tagging:
    """Which tagged runs are looked at, by which methods, against what."""

    tag: Annotated[list[str] | None, typer.Option("--tag", help=HELP["tag"])] = None
    graders: Annotated[str | None, typer.Option(help=HELP["graders"])] = None
    measures: Annotated[str | None, typer.Option(help=HELP["measures"])] = None
    reference: cli.Reference = None
    draws: Annotated[int, typer.Option(help=HELP["draws"])] = DRAWS
    seed: Annotated[int, typer.Option(help=HELP["seed"])] = SEED


@takes_declared()
def circularity(typed: Typed, options: Tagging, form: cli.FormatOption = cli.Form.TABLE) -> None:
    """Is the grader biased towards some systems? Displacement of tagged against other runs, with 95% intervals.

    By every method and by all together. Runs are tagged with `tags`.

    Example: examboard circularity dl19 --measures P@20 --reference qrels:P@20
    """
    from exam_core.analysis.causes.circularity import ROWS
    from exam_core.analysis.evaluation.choosing import check_draws
    from exam_core.analysis.figures.protocol import Sampling
    from exam_core.reports.circularity import circularity_answer, circularity_lines, circularity_question
    from exam_core.reports.stability import undefined_answer

    check_draws(options.draws, options.seed)
    figures, asked = typed.figures(), typed.asked(reference=options.reference)
    measures = cli.listed(options.measures) or [asked.measure]
    graders = cli.listed(options.graders) or ([typed.grader] if typed.grader else [])
    sampling = Sampling(options.draws, options.seed)
    found = figures.circularity(asked, measures, graders, options.tag or [], sampling)
    question = circularity_question(typed.collection, asked, graders, measures)
    if found is None:
        answer = undefined_answer(question, "leave out", ROWS)
        cli.print_object(answer, answer["rows"], form, footer=answer["notes"])
        return
    answer = circularity_answer(question, found)
    cli.print_object(answer, found.rows, form, footer=circularity_lines(found))
