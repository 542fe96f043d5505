"""`examboard import responses`, `assignments`, `answers`, `ranks` and `orders`."""

from __future__ import annotations

from typing import Annotated

import typer

from exam_core.cli import common as cli
from exam_core.cli.common import Into, Source
from exam_core.cli.declared_options import takes_declared
from exam_core.cli.import_commands import RUN, Replace, import_and_print
from exam_core.request import Parts
from exam_core.wings.neighbours.ranking_order import RankingOrder


def answers(file: Source, collection: Into, replace: Replace = False) -> None:
    """Generated answers (JSON lines or CSV: system, prompt, query_id, sample, answer), a run per system and prompt.

    Example: examboard import answers answers.jsonl --collection clef21
    """
    from exam_core.wings.neighbours import importing

    import_and_print(importing.import_answers, "answers", collection, file, replace=replace)


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
    from exam_core.wings.neighbours import importing

    import_and_print(importing.import_ranks, "ranks", collection, file, ranker=ranker, rank_base=rank_base)


def orders(file: Source, collection: Into) -> None:
    """Orders of answers by a ranker and by an expert (CSV: task_id, query, two orders, best first).

    Example: examboard import orders expert_rankings.csv --collection clef21
    """
    from exam_core.wings.neighbours import importing

    import_and_print(importing.import_orders, "orders", collection, file)


def responses(
    file: Source,
    collection: Into,
    run: Annotated[str | None, typer.Option(help=RUN)] = None,
    parts: Annotated[
        Parts | None,
        typer.Option(
            help="Cut long responses into passages for the grader, into sentences, or keep them whole. By default "
            "passages; texts graded as a whole stay whole."
        ),
    ] = None,
    replace: Replace = False,
) -> None:
    """Generated responses (JSON): plain texts, or with citations as TREC RAG, RAGTIME and NeuCLIR have them.

    Long ones are cut into passages for the grader. Citations are kept, and texts of cited passages in the file
    (Auto-Judge) become passages. Nugget assignments are about whole responses: import the assignments first, or give
    --parts whole.

    Example: examboard import responses answers.jsonl --collection rag24
    """
    from exam_core.wings.neighbours import importing

    import_and_print(importing.import_responses, "responses", collection, file, run=run, parts=parts, replace=replace)


def assignments(
    file: Source,
    collection: Into,
    run: Annotated[str | None, typer.Option(help=RUN)] = None,
    bank: Annotated[str, typer.Option(help="Name of the nuggets' bank.")] = "nuggets",
    grader: Annotated[str, typer.Option(help="Name of the assigner.")] = "nuggetizer",
) -> None:
    """AutoNuggetizer's nugget assignments: the answers become a run, the nuggets a bank, the assignments grades.

    Example: examboard import assignments assignments_gpt-4o.jsonl.gz --collection rag24
    """
    from exam_core.wings.neighbours import importing

    import_and_print(importing.import_assignments, "assignments", collection, file, run=run, bank=bank, grader=grader)


@takes_declared(first=("collection", "by", "judgments", "ranker"))
def nrp_rank(collection: cli.Collection, order: RankingOrder) -> None:
    """Rank every generated answer among the judged documents of its query, one answer at a time; ranks are stored.

    Word statistics are over the documents and that answer. A document with the answer's score ranks before it. Ranks
    of the same name are replaced.

    Example: examboard nrp-rank demo-answers --by dph
    """
    from exam_core.wings.neighbours import ranking

    with cli.progress_bar("Ranking answers") as progress:
        done = ranking.rank_answers(cli.open_store(), collection, order, progress=progress)
    cli.print_imported(done)
