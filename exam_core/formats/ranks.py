"""Ranks of generated answers among documents: CSV, as the NRP paper's data have them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from exam_core.errors import BadInput, Problems, visible
from exam_core.formats.answers import NAMES as ANSWER_NAMES
from exam_core.formats.answers import refuse_one_name
from exam_core.formats.csv_rows import Row, csv_rows, has_columns, refuse_without
from exam_core.formats.format import Format, Kind
from exam_core.formats.numbers import as_number, as_whole_number
from exam_core.formats.reading import fault_of_id
from exam_core.progress import Progress, no_progress

NAMES = {
    **{name: ANSWER_NAMES[name] for name in ("system", "prompt", "sample")},
    "query_id": ("query_id", "qid", "query"),
    "rank": ("rank_zero_based", "rank_one_based", "rank"),
    "size": ("documents_including_answer", "documents"),
}
"""The columns, each with the names that files have for it. `documents` leaves the answer out; `rank` needs a base."""
PARAMETERS = ("parameters",)
BASES = {"rank_zero_based": 0, "rank_one_based": 1}
"""Where ranks start, by the column's name."""


@dataclass(frozen=True)
class RankedAnswer:
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

    @property
    def key(self) -> tuple[str, str, str, int]:
        """Which answer it is."""
        return self.system, self.prompt, self.query_id, self.sample


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

    Parameters
    ----------
    rank_base : where ranks of a column `rank` start, 0 or 1; a column that says it needs none

    Raises
    ------
    BadInput : a column is missing, ranks have no known base, a cell is no number or no place of its ranking, an answer
        occurs twice with other values
    """
    problems = Problems(path)
    known: dict[tuple[str, str, str, int], tuple[int, RankedAnswer]] = {}
    pairs: dict[str, tuple[str, str]] = {}
    merged, header = 0, dict[str, str]()
    for row in csv_rows(path, problems, progress):
        if not header:
            header = row.cells
            if refuse_without(row, NAMES, list(NAMES), problems):
                break
            _refuse_two(row, problems)
            if _base(header, rank_base) is None:
                _refuse_base(path)
        try:
            found = _ranked(row, _base(header, rank_base) or 0)
        except ValueError as error:
            problems.add(row.line, str(error), ", ".join(row.cells.values()), "Correct the line, or remove it.")
            continue
        refuse_one_name(row.line, (found.system, found.prompt), pairs, problems)
        line, other = known.setdefault(found.key, (row.line, found))
        if other != found:
            remedy = "Keep the line that is right and remove the other."
            what = f"second rank of sample {found.sample} of {found.system}, {found.prompt}, for query {found.query_id}"
            problems.add(row.line, f"{what}; another is in line {line}", remedy=remedy)
        elif line != row.line:
            merged += 1
    problems.raise_if_any()
    notes = [f"{merged:,} repeated lines were merged."] if merged else []
    known_names = {name for names in (*NAMES.values(), PARAMETERS, ("score", _score_column(header))) for name in names}
    if others := [name for name in header if name not in known_names]:
        notes.append(f"Columns that are not kept: {', '.join(others)}.")
    return Ranks([found for _, found in known.values()], _score_column(header).removesuffix("_score") or None, notes)


def _refuse_two(row: Row, problems: Problems) -> None:
    """Report a table that says ranks or lengths in two ways: one of them would be read, and nobody would know which."""
    for name in ("rank", "size"):
        if len(said := [column for column in NAMES[name] if column in row.cells]) > 1:
            remedy = "Keep the column that is right, and remove the other."
            problems.add(1, f"{' and '.join(said)} are columns for the same number", remedy=remedy)


def _base(header: dict[str, str], given: int | None) -> int | None:
    return next((base for name, base in BASES.items() if name in header), given)


def _refuse_base(path: Path) -> None:
    raise BadInput(
        f"{path}:1: the column rank does not say whether ranks start at 0 or at 1.\n"
        "Say it with --rank-base 0 or --rank-base 1, or name the column rank_zero_based or rank_one_based. "
        "Nothing was stored."
    )


def _score_column(header: dict[str, str]) -> str:
    return next((name for name in header if name.endswith("_score")), "")


def _ranked(row: Row, base: int) -> RankedAnswer:
    names = []
    for name in ("system", "prompt", "query_id"):
        text = row.of(NAMES[name])
        if fault := fault_of_id(text):
            raise ValueError(f"{name} {fault}: {visible(text, line_ends=False)[:80]}")
        names.append(text)
    numbers = []
    for name in ("sample", "rank", "size"):
        number = as_whole_number(row.of(NAMES[name]))
        if number is None:
            raise ValueError(f"{name} {row.of(NAMES[name])} is no whole number")
        numbers.append(number)
    sample, rank, size = numbers
    with_answer = size if "documents_including_answer" in row.cells else size + 1
    if not base <= rank < with_answer + base:
        raise ValueError(f"rank {rank} is none of {with_answer} places from {base}, the answer's own counted")
    score = _number(row, (_score_column(row.cells), "score"), "score")
    return RankedAnswer(
        names[0], names[1], names[2], sample, rank - base, with_answer, score, _number(row, PARAMETERS, "parameters")
    )


def _number(row: Row, names: tuple[str, ...], what: str) -> float | None:
    """A cell's number; None where it is empty, or there is none.

    Raises
    ------
    ValueError : it is no number
    """
    said = row.of(names)
    value = as_number(said) if said else None
    if said and value is None:
        raise ValueError(f"{what} {said} is no number")
    return value


RANKS = Kind(key="ranks", noun="Ranks of answers", order=84, main="scores", option="ranker", name="Name of the ranker")
ROWS = (
    Format(
        kind=RANKS,
        written="CSV",
        looks="ranks of generated answers",
        # Before leaderboards, which have a system and a rank too.
        order=32,
        fits=lambda opening: has_columns(opening, NAMES["system"], NAMES["prompt"], NAMES["rank"]),
        read=read_ranks,
    ),
)
