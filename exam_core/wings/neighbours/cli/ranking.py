"""`examboard nrp-rank`."""

from __future__ import annotations

from exam_core.cli import common as cli
from exam_core.cli.options import takes_declared
from exam_core.wings.neighbours import actions
from exam_core.wings.neighbours.ranking import RankingOrder


@takes_declared(first=("collection", "by", "judgments", "ranker"))
def nrp_rank(collection: cli.Collection, order: RankingOrder) -> None:
    """Rank every generated answer among the judged documents of its query, one answer at a time; ranks are stored.

    Word statistics are over the documents and that answer. A document with the answer's score ranks before it. Ranks
    of the same name are replaced.

    Example: examboard nrp-rank demo-answers --by dph
    """
    with cli.progress_bar("Ranking answers") as progress:
        done = actions.rank_answers(cli.open_store(), collection, order, progress=progress)
    cli.print_imported(done)
