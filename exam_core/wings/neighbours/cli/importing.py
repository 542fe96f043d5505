"""`examboard import answers`, `ranks` and `orders`."""

from __future__ import annotations

from typing import Annotated

import typer

from exam_core.cli.common import Into, Source, print_imported
from exam_core.cli.import_commands import Replace, brought
from exam_core.wings.neighbours import actions


def answers(file: Source, collection: Into, replace: Replace = False) -> None:
    """Generated answers (JSON lines or CSV: system, prompt, query_id, sample, answer), a run for system and prompt.

    Example: examboard import answers answers.jsonl --collection clef21
    """
    print_imported(brought(actions.import_answers, "answers", collection, file, replace=replace))


def ranks(
    file: Source,
    collection: Into,
    ranker: Annotated[
        str | None, typer.Option(help="Name of the ranker; by default from a column such as monot5_score.")
    ] = None,
    rank_base: Annotated[
        int | None, typer.Option(min=0, max=1, help="First rank, 0 or 1, if the column is just named rank.")
    ] = None,
) -> None:
    """Ranks of generated answers among documents (CSV: system, prompt, qid, answer_number, rank_zero_based, ...).

    Example: examboard import ranks nrp_ranks.csv.gz --collection clef21 --ranker monot5
    """
    print_imported(brought(actions.import_ranks, "ranks", collection, file, ranker=ranker, rank_base=rank_base))


def orders(file: Source, collection: Into) -> None:
    """Orders of answers by a ranker and by an expert (CSV: task_id, query, two orders, best first).

    Example: examboard import orders expert_rankings.csv --collection clef21
    """
    print_imported(brought(actions.import_orders, "orders", collection, file))
