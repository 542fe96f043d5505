"""A collection as a folder of Parquet files with a README, with which users of other tools go on."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import exam_core
from exam_core.actions.verbs import verb
from exam_core.analysis.evaluation.choosing import choose
from exam_core.asked import Asked
from exam_core.errors import UsageError
from exam_core.formats.writing import whole_folder
from exam_core.store import Snapshot
from exam_core.store.names import page_sql
from exam_core.store.question_banks import find_bank
from exam_core.wings.parquet.store.parquet_folder import PARTED, write_folder
from exam_core.wings.parquet.store.parquet_readme import CoverBySql, Folder, readme
from exam_core.wording import quoted

README = "README.md"
DEPTH = 20


@verb("read")
def export_parquet(snapshot: Snapshot, path: Path) -> dict[str, int]:
    """Write a collection as Parquet in folders named after graders, runs and judgments, with a README of its columns.

    Returns
    -------
    rows of each table

    Raises
    ------
    BadInput : the folder can't be written, or holds something
    StoreError : a file of the store is damaged
    UsageError : the collection has no rows
    """
    about = {
        "collection": snapshot.collection,
        "fingerprint": snapshot.fingerprint,
        "version": f"Examboard {exam_core.__version__}",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    with whole_folder(path, lambda _: (), README) as aside:
        rows = write_folder(snapshot, aside, about)
        if not rows:
            raise UsageError(f"{snapshot.collection} has no rows to write.")
        example = cover_example(snapshot)
        command = _command(snapshot, example) if example else ""
        folder = Folder(snapshot.collection, about, rows, PARTED, example, command)
        (aside / README).write_text(readme(folder), encoding="utf-8")
    return rows


def cover_example(snapshot: Snapshot) -> CoverBySql | None:
    """Whose Cover the README computes: of the first grader on the first bank; None if there is none, or by facet."""
    rankings = snapshot.query(f"SELECT count(*) AS n, max({page_sql('query_id')}) AS page FROM rankings").iloc[0]
    if not rankings["n"] or rankings["page"]:
        return None
    banks = snapshot.query("SELECT DISTINCT bank_id FROM questions ORDER BY bank_id")["bank_id"]
    for grader, bank in product(snapshot.graders, banks):
        try:
            choice = choose(snapshot, Asked(measure=f"Cover@{DEPTH}", bank=bank, grader=grader, depth=DEPTH))
        except UsageError:  # it has no grades on this bank
            continue
        name, version = find_bank(snapshot, bank)
        return CoverBySql(grader, name, version, choice.tau, DEPTH)
    return None


def _command(snapshot: Snapshot, one: CoverBySql) -> str:
    words = ["examboard", "leaderboard", snapshot.collection, "--measure", f"Cover@{one.depth}"]
    words += ["--bank", f"{one.bank}@{one.version}", "--grader", one.grader, "--tau", str(one.tau)]
    return " ".join(map(quoted, words))
