"""Ranks of generated answers among documents: CSV, as the NRP paper's data have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from exam_core.errors import BadInput, Problems, visible
from exam_core.formats.delimited import QUERY_ID, Row, has_columns, table_rows
from exam_core.formats.format import Format, Kind, Opening
from exam_core.formats.numbers import as_number, as_whole_number
from exam_core.formats.reading import fault_of_id
from exam_core.formats.records import refuse_texts_for_ids
from exam_core.progress import Progress, no_progress
from exam_core.wings.neighbours.formats.answers import NAMES as ANSWER_NAMES
from exam_core.wings.neighbours.formats.answers import refuse_one_name

NAMES = {
    **{name: ANSWER_NAMES[name] for name in ("system", "prompt", "sample")},
    "query_id": QUERY_ID,
    "parameters": (),
}
"""The columns, each with the names that files have for it."""
BASES: dict[str, int | None] = {"rank_zero_based": 0, "rank_one_based": 1, "rank": None}
"""Where ranks start, by the column's name; `rank` alone does not say it."""
SIZES = {"documents_including_answer": 0, "documents": 1}
"""Columns that say how long a ranking is, and how many answers they leave out."""
_COLUMNS = {**NAMES, **dict.fromkeys((*BASES, *SIZES), ())}
_NEEDED = ("system", "prompt", "query_id", "sample")


class RankedAnswer(NamedTuple):
    """Where an answer stands in a ranking of its own.

    Parameters
    ----------
    rank : from 0
    size : length of the ranking, the answer counted
    score : what the ranker gave it; None if unknown
    parameters : of the system's model; None if the file doesn't say
    """

    system: str
    prompt: str
    query_id: str
    sample: int
    rank: int
    size: int
    score: float | None = None
    parameters: float | None = None


@dataclass(frozen=True)
class Ranks:
    """Ranks of answers by one ranker.

    Parameters
    ----------
    ranker : as the column of its scores names it (`monot5_score`); None if the file doesn't say
    """

    answers: list[RankedAnswer]
    ranker: str | None = None
    notes: list[str] = field(default_factory=list)


def read_ranks(path: Path, *, rank_base: int | None = None, progress: Progress = no_progress) -> Ranks:
    """Read ranks of answers, one a line: system, prompt, query, sample, rank, documents, perhaps a score.

    Raises BadInput where a column is missing, ranks have no known base, a cell is no number or no place of its ranking,
    an answer occurs twice with other values.

    Parameters
    ----------
    rank_base : where ranks of a column `rank` start, 0 or 1; a column that says it needs none
    """
    problems = Problems(path)
    known: dict[tuple[str, str, str, int], tuple[int, RankedAnswer]] = {}
    pairs: dict[str, tuple[str, str]] = {}
    merged, columns = 0, list[str]()
    header: _Header | None = None
    refuse_texts_for_ids(Opening(path), _COLUMNS)
    for row in table_rows(path, _COLUMNS, problems, progress, needed=_NEEDED):
        if header is None:
            columns, header = list(row.cells), _header(path, row.cells, rank_base, problems)
            if header is None:
                break
        try:
            found = _ranked(row, header)
        except ValueError as error:
            problems.add(row.line, str(error), ", ".join(row.cells.values()), "Correct the line, or remove it.")
            continue
        refuse_one_name(row.line, (found.system, found.prompt), pairs, problems)
        line, other = known.setdefault(found[:4], (row.line, found))
        if other != found:
            remedy = "Keep the line that is right and remove the other."
            what = f"second rank of sample {found.sample} of {found.system}, {found.prompt}, for query {found.query_id}"
            problems.add(row.line, f"{what}; another is in line {line}", remedy=remedy)
        elif line != row.line:
            merged += 1
    problems.raise_if_any()
    notes = [f"{merged:,} repeated lines were merged."] if merged else []
    score = header.score if header else "score"
    if others := [name for name in columns if name not in (*_COLUMNS, "score", score)]:
        notes.append(f"Columns that are not kept: {', '.join(others)}.")
    ranker = None if score == "score" else score.removesuffix("_score") or None
    return Ranks([found for _, found in known.values()], ranker, notes)


class _Header(NamedTuple):
    """The columns of ranks, lengths and scores, and where ranks start."""

    rank: str
    base: int
    size: str
    score: str


def _header(path: Path, header: Mapping[str, str], given: int | None, problems: Problems) -> _Header | None:
    """What the columns are; None where a column is missing, or one too many, which goes to `problems`."""
    rank, size = (_only(header, what, names, problems) for what, names in (("rank", BASES), ("size", SIZES)))
    if not rank or not size:
        return None
    base = given if BASES[rank] is None else BASES[rank]
    if base is None:
        raise BadInput(
            f"{path}:1: the column rank does not say whether ranks start at 0 or at 1.\n"
            "Say it with --rank-base 0 or --rank-base 1, or name the column rank_zero_based or rank_one_based. "
            "Nothing was stored."
        )
    return _Header(rank, base, size, next((name for name in header if name.endswith("_score")), "score"))


def _only(header: Mapping[str, str], what: str, columns: Iterable[str], problems: Problems) -> str:
    """The column of ranks or of lengths; empty where there is none, or of two, of which nobody knows which counts."""
    said = [column for column in columns if column in header]
    if len(said) > 1:
        remedy = "Keep the column that is right, and remove the other."
        problems.add(1, f"{' and '.join(said)} are columns for the same number", remedy=remedy)
    if not said:
        problems.add(1, f"no column for {what} ({' or '.join(columns)})", ", ".join(header), "Name the columns.")
    return said[0] if len(said) == 1 else ""


def _ranked(row: Row, header: _Header) -> RankedAnswer:
    names = []
    for name in ("system", "prompt", "query_id"):
        text = row.of(name)
        if fault := fault_of_id(text):
            raise ValueError(f"{name} {fault}: {visible(text, line_ends=False)[:80]}")
        names.append(text)
    numbers = []
    for name, column in (("sample", "sample"), ("rank", header.rank), ("size", header.size)):
        number = as_whole_number(row.of(column))
        if number is None:
            raise ValueError(f"{name} {row.of(column)} is not a whole number")
        numbers.append(number)
    sample, rank, size = numbers
    with_answer, place = size + SIZES[header.size], rank - header.base
    if not 0 <= place < with_answer:
        raise ValueError(f"rank {rank} is not one of {with_answer} places from {header.base}, the answer's included")
    score, parameters = _number(row, header.score, "score"), _number(row, "parameters", "parameters")
    system, prompt, query_id = names
    return RankedAnswer(system, prompt, query_id, sample, place, with_answer, score, parameters)


def _number(row: Row, column: str, what: str) -> float | None:
    """A cell's number; None where it is empty, or there is none. Raises ValueError where it is no number."""
    said = row.number(column)
    value = as_number(said) if said else None
    if said and value is None:
        raise ValueError(f"{what} {said} is not a number")
    return value


def _fits(opening: Opening) -> bool:
    return has_columns(opening, NAMES, "system", "prompt") and any(
        has_columns(opening, {one: ()}, one) for one in BASES
    )


RANKS = Kind(
    key="ranks",
    noun="Ranks of answers",
    order=84,
    main="scores",
    template="""\
system,prompt,qid,answer_number,rank_one_based,documents,monot5_score
model-a,short,q1,1,1,2,-0.1
model-a,short,q2,1,2,2,-0.5
model-b,short,q1,1,3,2,-2.5
""",
    option="ranker",
    name="Name of the ranker",
    unnamed="A column such as monot5_score names the ranker.",
    columns={"query": ("query_id",), **{one: (one,) for one in ("system", "prompt", "sample", *BASES, *SIZES)}},
)
ROWS = (
    Format(
        kind=RANKS,
        written="CSV",
        looks="ranks of generated answers",
        # Before leaderboards, which have a system and a rank too.
        order=32,
        fits=_fits,
        read=read_ranks,
        explains=("table", "text"),
    ),
)
