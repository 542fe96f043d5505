"""The questions that a run asks of each topic, as a bank: five columns without a header, as TREC DRAGUN's task 1 has.

topic <tab> team <tab> run <tab> rank <tab> question
"""

from __future__ import annotations

from pathlib import Path

from exam_core.formats.banks.kind import BANK
from exam_core.formats.banks.rows import BankRows
from exam_core.formats.delimited import table_rows
from exam_core.formats.format import Format, Opening
from exam_core.formats.numbers import as_whole
from exam_core.formats.reading import Reading, refuse_several_runs
from exam_core.progress import Progress, no_progress

COLUMNS = ("query_id", "team", "run_id", "rank", "question_text")


def read_question_runs(path: Path, *, bank_id: str, progress: Progress = no_progress) -> Reading:
    """Read the questions in the file's order. Raises BadInput where it holds several runs, or a row is short."""
    rows, runs = BankRows(path, bank_id), set[str]()
    for row in table_rows(path, dict.fromkeys(COLUMNS, ()), rows.problems, progress, needed=COLUMNS, bare=COLUMNS):
        runs.add(row.of("run_id"))
        rows.query(row.line, row.of("query_id"))
        rows.question(row.line, row.of("query_id"), {"question_text": row.of("question_text")})
    refuse_several_runs(path, runs, f"--bank {bank_id}")
    return rows.reading()


def _fits(opening: Opening) -> bool:
    cells = [line.split("\t") for line in opening.lines]
    is_question = [len(row) == len(COLUMNS) and as_whole(row[3]) is not None and " " in row[4] for row in cells]
    return sum(is_question) * 2 > len(cells)


ROWS = (
    Format(
        kind=BANK,
        written="questions of a run (TREC DRAGUN)",
        looks="the questions of a run",
        order=29,
        fits=_fits,
        read=read_question_runs,
        explains=(),
    ),
)
