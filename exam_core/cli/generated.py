"""The commands about generated answers: nrp, nrp-expert, nrp-rankers, nrp-rank."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from exam_core import actions, asked
from exam_core.cli import common as cli
from exam_core.cli.options import takes_declared
from exam_core.errors import UsageError
from exam_core.grading.ranking import RankingOrder
from exam_core.wording import plain_number

CANNOT_JUDGE = ("credibility=3",)


@dataclass
class Ranked:
    """Whose ranks, and how they are counted."""

    collection: cli.Collection
    ranker: Annotated[str | None, typer.Option(help="Whose ranks; by default the only ones.")] = None
    convention: Annotated[
        asked.Convention,
        typer.Option(help="1 - r/n with r from 0 and n with the answer (released), r from 1, or n of documents alone."),
    ] = "released"
    systems: Annotated[bool, typer.Option("--systems", help="A row for each system, over all its prompts.")] = False
    per_query: Annotated[bool, typer.Option("--per-query", help="Each query's value too (JSON), or alone.")] = False


@takes_declared()
def nrp(options: Ranked, form: cli.FormatOption = cli.Form.TABLE) -> None:
    """Systems and prompts by how high their answers rank among the judged documents (NRP), with 95% intervals.

    The interval takes a query's answers as one observation.

    Example: examboard nrp demo-answers --format json
    """
    from exam_core.analysis.generated.nrp import nrp as board
    from exam_core.reports.generated import nrp_answer

    if options.systems and options.per_query:
        raise UsageError("--systems and --per-query: choose one of them.")
    snapshot = cli.open_store().snapshot(options.collection)
    found = board(snapshot, ranker=options.ranker, convention=options.convention)
    rows = found.systems if options.systems else found.queries if options.per_query else found.rows
    answer = nrp_answer(found, systems=options.systems, per_query=options.per_query)
    cli.print_object(answer, rows, form, footer=found.notes)


@takes_declared()
def nrp_expert(
    collection: cli.Collection,
    orders: Annotated[
        Path | None, typer.Argument(help="File of orders; by default those of the collection.", show_default=False)
    ] = None,
    form: cli.FormatOption = cli.Form.TABLE,
) -> None:
    """How well a ranker orders answers as an expert does: RBO with p = 1 and Kendall's tau, task by task.

    Example: examboard nrp-expert demo-answers
    """
    from exam_core.analysis.generated.experts import Ordered, expert_agreement
    from exam_core.formats.orders import read_orders
    from exam_core.reports.generated import expert_answer

    snapshot = cli.open_store().snapshot(collection)
    given = None
    if orders is not None:
        given = [Ordered(one.task, one.query, one.ranker, one.expert) for one in read_orders(orders)]
    found = expert_agreement(snapshot, given)
    kendall = "†" if found.kendall != found.kendall else f"{found.kendall:.4f}"
    means = f"Means: RBO {found.rbo:.4f}, Kendall {kendall}."
    cli.print_object(expert_answer(found), found.rows, form, footer=[means, *found.notes])


@takes_declared()
def nrp_rankers(
    collection: cli.Collection,
    judgments: Annotated[
        str | None, typer.Option(help="Judgments of quality, with commas between; by default all.")
    ] = None,
    measure: Annotated[str, typer.Option(help="By what rankers are compared.")] = "nDCG@10",
    cannot_judge: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME=LABEL: of these judgments, a label that says nothing and counts as 0; by default credibility=3 "
            "(CLEF eHealth 2021). none: every label counts as it is."
        ),
    ] = None,
    form: cli.FormatOption = cli.Form.TABLE,
) -> None:
    """Rankers (runs of documents) by nDCG@10 over several judgments of quality, the best by their mean first.

    Example: examboard nrp-rankers demo-answers --judgments relevance,readability
    """
    from exam_core.analysis.generated.rankers import rankers
    from exam_core.reports.generated import rankers_answer

    wanted = [name for part in (judgments or "").split(",") if (name := part.strip())]
    snapshot = cli.open_store().snapshot(collection)
    found = rankers(snapshot, qrels=wanted, measure=measure, cannot_judge=_labels(cannot_judge or CANNOT_JUDGE))
    best = [f"The best ranker by the mean is {found.best}."] if found.best else []
    cli.print_object(rankers_answer(found), found.rows, form, footer=[*best, *found.notes])


def _labels(texts: Any) -> dict[str, int]:
    """Labels that say nothing, by their judgments, from NAME=LABEL.

    Raises
    ------
    UsageError : a text is none
    """
    if list(texts) == ["none"]:
        return {}
    found = {}
    for text in texts:
        name, _, label = text.rpartition("=")
        number = plain_number(label)
        if not name or number is None:
            raise UsageError(f"--cannot-judge {text}: write NAME=LABEL, for instance credibility=3, or none.")
        found[name] = number
    return found


@takes_declared(first=("collection", "by", "judgments", "ranker"))
def nrp_rank(collection: cli.Collection, order: RankingOrder) -> None:
    """Rank every generated answer among the judged documents of its query, one answer at a time; ranks are stored.

    Statistics of words are over the documents and that answer; a document with the answer's score stands before it.
    Ranks of the same name are replaced.

    Example: examboard nrp-rank demo-answers --by dph
    """
    with cli.progress_bar("Ranking answers") as progress:
        done = actions.rank_answers(cli.open_store(), collection, order, progress=progress)
    cli.print_imported(done)
