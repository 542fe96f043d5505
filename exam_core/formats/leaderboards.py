"""Leaderboards: CSV, TSV, and the files that the authors' workbench prints."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from io import StringIO
from itertools import pairwise
from pathlib import Path

import pandas as pd

from exam_core.errors import BadInput, Problems, Undecided, UsageError, visible
from exam_core.formats import delimited
from exam_core.formats.column_names import named, naming
from exam_core.formats.format import FIRST_LINES, WIDTH, Format, Kind, Opening
from exam_core.formats.lines import first_lines
from exam_core.formats.measure_names import ALL, names_measure
from exam_core.formats.numbers import as_number
from exam_core.formats.reading import Reading, Rows, refuse_several_runs
from exam_core.progress import Progress, no_progress
from exam_core.request import BoardForm
from exam_core.tables import LEADERBOARDS, OVERALL
from exam_core.wording import counted, guarded, quoted, unguarded

NAMES = {
    "run_id": delimited.RUN_ID,
    "rank": ("official_rank",),
    "score": ("mean", "exam", "value"),
    "stderr": ("exam-std", "standard_error", "std_error", "se"),
}
_OF_MANY = {"measure": ("metric",), "query_id": delimited.QUERY_ID}
"""Columns of a table that has several lines for a run."""
_DERIVED = re.compile(r" (\+|-|reject|p-value( corrected)?)$")
FOOTERS = ("spearman", "kendall", "min_rating", "qrel_file")


@dataclass
class _Block:
    """One table of a file: workbench files may hold several, one for each smallest rating.

    `columns` says where the fields of `NAMES` stand, `score` which column was asked for, `rows` are its lines, each
    once, with the number of the first, and `repeated` counts the others.
    """

    header: list[str]
    columns: dict[str, int]
    separator: str
    score: str = ""
    rows: dict[tuple[str, ...], int] = field(default_factory=dict)
    repeated: int = 0
    min_rating: str | None = None


def read_leaderboard(
    path: Path,
    *,
    leaderboard_id: str,
    column: str | None = None,
    run: str | None = None,
    progress: Progress = no_progress,
) -> Reading:
    """Read a leaderboard: a header with a run column and a score or rank column, then a run per line.

    Title lines, footers (spearman, kendall, ...) and the "+/-" columns of workbench files are passed
    over. A file with several tables gives several leaderboards, `NAME tau=3` and so on.

    `column`: the header of the score's column; None takes that of a score or rank, else the only one of numbers. `run`:
    another name for the run of a table of one. Raises Undecided where several columns hold numbers, and none is asked
    for, and BadInput where there is no header, a score or rank is no number, or a run occurs twice.
    """
    problems, rows = Problems(path), Rows(LEADERBOARDS)
    blocks = list(_blocks(path, column, problems, progress))
    if not blocks and not problems.problems:
        if offered := _number_columns(path) or _measure_columns(first_lines(path, FIRST_LINES, WIDTH))[:1]:
            column = chosen_column(path, column, offered)
            return read_leaderboard(path, leaderboard_id=leaderboard_id, column=column, run=run, progress=progress)
        if of_runs := _run_column(path):
            with naming({**named(path), of_runs: LEADERBOARD.columns["run"]}, path):
                return read_leaderboard(path, leaderboard_id=leaderboard_id, column=column, run=run, progress=progress)
        problems.add(
            1,
            f"no header with a run column ({', '.join(delimited.RUN_ID[:5])}) and a column of scores or ranks",
            next(iter(first_lines(path, 1, WIDTH)), ""),
            "In the first line, name the column of runs run_id, and that of values score (or give --column).",
        )
    passed_over, measure_of = 0, {}
    for number, block in enumerate(blocks, 1):
        name = leaderboard_id
        if len(blocks) > 1:
            name = f"{leaderboard_id} tau={block.min_rating}" if block.min_rating else f"{name} {number}"
        passed_over += _add_block(block, name, rows, problems)
        if block.score:
            measure_of[name] = measure_said(block.score)
    frame, merged = rows.frame(problems, "line")
    merged += sum(block.repeated for block in blocks)
    problems.raise_if_any()
    if run:
        refuse_several_runs(path, frame["run_id"][frame["run_id"] != OVERALL], f"the name {run}")
        frame["run_id"] = frame["run_id"].where(frame["run_id"] == OVERALL, run)
    frame = with_ranks(frame.assign(extra=frame["leaderboard_id"].map(measure_of).astype(frame["extra"].dtype)))
    notes = [f"{merged:,} repeated lines were merged."] if merged else []
    if passed_over:
        notes.append(f"{counted({'lines have': passed_over})} neither a rank nor a score and were passed over.")
    counts = {"leaderboards": frame["leaderboard_id"].nunique(), "rows": int((frame["run_id"] != OVERALL).sum())}
    return Reading({"leaderboards": frame}, counts=counts, notes=notes)


def measure_said(measure: str) -> str:
    """What the rows of a leaderboard say in `extra` of the measure that their scores are of."""
    return json.dumps({"measure": measure}, ensure_ascii=False)


def _blocks(path: Path, column: str | None, problems: Problems, progress: Progress) -> Iterator[_Block]:
    block: _Block | None = None
    begins = partial(_is_header, column=column)
    separator = delimited.separator_of(first_lines(path, FIRST_LINES, WIDTH), begins)
    for number, row in delimited.cells_of(path, separator, problems, progress):
        cells = [cell.strip() for cell in row]
        lowered = [cell.lower() for cell in cells]
        if begins(cells):
            if many := delimited.columns_of(cells, _OF_MANY):
                named = cells[min(many.values())]
                what = f"a table with a column {named}, where a leaderboard has one line for each run"
                remedy = "Keep the values of one measure over all topics, one line for each run."
                problems.add(number, what, separator.join(row), remedy)
                return
            if block:
                yield block
            columns = _columns(cells, column)
            choice = "" if column is None else cells[columns.get("score", columns.get("rank", 0))]
            block = _Block(cells, columns, separator, choice)
        # What the workbench prints below a table.
        elif block and (
            lowered[0] in FOOTERS
            or lowered[0].startswith("exam scores produced")
            or "".join(lowered[1:2]).startswith("spearman_correlation")
        ):
            if lowered[0] == "min_rating" and len(cells) > 1:
                block.min_rating = re.sub(r"\.0$", "", cells[1])
        elif block and any(cells):
            block.repeated += block.rows.setdefault(tuple(cells), number) != number
    if block:
        yield block


def _columns(cells: Sequence[str], column: str | None) -> dict[str, int]:
    """Where the fields of `NAMES` stand in a header; with a column that is asked for, this one is the score or rank."""
    places = delimited.columns_of(cells, NAMES)
    if column is None or "run_id" not in places:
        return places
    place = next((index for index, cell in enumerate(cells) if cell.strip().lower() == column.strip().lower()), None)
    if place is None:
        return {}
    field = "rank" if places.get("rank") == place else "score"
    stderr = {"stderr": places["stderr"]} if "stderr" in places and places.get("score") == place else {}
    return {"run_id": places["run_id"], field: place, **stderr}


def _number_columns(path: Path) -> list[str]:
    """Columns of nothing but numbers below the first line that names a column of runs; none of a table of many topics.

    What PyTerrier derives of a column (`map +`, `map -`, `map p-value`) is left out.
    """
    separator = delimited.separator_of(first_lines(path, FIRST_LINES, WIDTH), _names_runs)
    header: list[str] = []
    numbers: dict[int, bool] = {}
    for _, row in delimited.cells_of(path, separator, Problems(path)):
        cells = [delimited.with_point(cell.strip(), separator) for cell in row]
        if header:
            for place, cell in enumerate(cells[: len(header)]):
                if cell:
                    numbers[place] = numbers.get(place, True) and as_number(cell) is not None
        elif _names_runs(row):
            if delimited.columns_of(row, _OF_MANY):
                return []
            header = [cell.strip() for cell in row]
    names = [header[place] for place in sorted(numbers) if numbers[place] and header[place]]
    known = set(filter(None, header))
    return [name for name in names if not ((end := _DERIVED.search(name)) and name[: end.start()] in known)]


def _run_column(path: Path) -> str:
    """The only column that may name the runs of a table, where none is called so; empty where there is none.

    Raises BadInput where several may.
    """
    header, *rows = delimited.first_rows(opening := Opening(path), NAMES)
    if (
        not rows
        or not delimited.is_table(opening)
        or delimited.columns_of(header, {"run_id": delimited.RUN_ID, **_OF_MANY})
    ):
        return ""
    columns = {name: [row[index] for row in rows if index < len(row)] for index, name in enumerate(header)}
    candidates = [
        name
        for name, cells in columns.items()
        if all(as_number(cell.strip()) is None and not delimited.is_text(cell) for cell in cells)
    ]
    if len(candidates) > 1:
        names, first = (visible(name, line_ends=False) for name in (", ".join(candidates), candidates[0]))
        raise BadInput(
            f"{path}: has several columns that may name the runs: {names}.\n"
            f"Choose one with --as, for instance --as {quoted(f'run={first}')}. Nothing was stored."
        )
    return candidates[0] if candidates else ""


def _measure_columns(lines: Sequence[str]) -> list[str]:
    """Columns that a first line names after measures, beside a column of runs."""
    cells = (
        [cell.strip() for cell in delimited.split(lines[0], delimited.separator_of(lines, _names_runs))]
        if lines
        else []
    )
    return (
        [cell for cell in cells if names_measure(cell.removesuffix(" (%)"))]
        if _names_runs(cells) and not delimited.columns_of(cells, _OF_MANY)
        else []
    )


def _names_runs(cells: Sequence[str]) -> bool:
    """Whether cells are those of a header with a column of runs, and of something else."""
    return "run_id" in delimited.columns_of(cells, NAMES) and sum(map(bool, cells)) > 1


def _add_block(block: _Block, leaderboard_id: str, rows: Rows, problems: Problems) -> int:
    """Add the rows of a table; returns how many were passed over because they rank nothing."""
    passed_over = 0
    run, *places = (block.columns[name] for name in NAMES if name in block.columns)
    before: Sequence[str] = block.header
    for cells, line in block.rows.items():
        if line == problems.unfinished and len(cells) < min(len(block.header), len(before)):
            what = f"{delimited.CUT_OFF}: its last line has {len(cells)} of {len(before)} cells, and no line end"
            problems.add(line, what, ", ".join(cells), delimited.CUT_OFF_REMEDY)
            continue
        before = cells
        texts = {place: delimited.with_point(cells[place], block.separator) for place in places if place < len(cells)}
        values = {place: as_number(text) for place, text in texts.items() if text}
        wrong = [f"{block.header[place]} {texts[place]} is not a number" for place in values if values[place] is None]
        rank, score, stderr = (values.get(block.columns.get(name, -1)) for name in ("rank", "score", "stderr"))
        run_id = unguarded(cells[run]) if run < len(cells) else ""
        if wrong:
            remedy = "Write numbers with a decimal point and no sign (0.5, not 50%), or leave the cell empty."
            problems.add(line, wrong[0], ", ".join(cells), remedy)
        elif rank is not None and rank < 1:
            problems.add(line, f"rank {rank:g} is below 1", ", ".join(cells), "Count ranks from 1.")
        elif stderr is not None and stderr < 0:
            remedy = "Correct the standard error, or leave the cell empty."
            problems.add(line, f"standard error {stderr:g} is below 0", ", ".join(cells), remedy)
        elif run_id != OVERALL and rank is None and score is None:
            passed_over += 1
        elif run_id:
            rows.add(line, leaderboard_id, run_id, rank, score, stderr)
        else:
            problems.add(line, "no run", ", ".join(cells), "Name the run, or remove the line.")
    return passed_over


def chosen_column(
    path: Path, column: str | None, offered: Sequence[str], known: Sequence[str] = (), *, needs_run: bool = False
) -> str:
    """The column that is asked for, in whatever case; the only one, where none is.

    Raises Undecided where there are several, and none is asked for, and BadInput where there is no such column.

    Parameters
    ----------
    offered : those that hold scores
    known : all that can be asked for; by default those
    needs_run : whether the run of the file is not named either
    """
    named = visible(", ".join(offered or known), line_ends=False)
    if column is not None:
        names = known or offered
        alike = [name for name in names if name.lower() == column.lower()]
        if column in names or len(alike) == 1:
            return column if column in names else alike[0]
        wanted = visible(column, line_ends=False)
        raise BadInput(f"{path}: has no column {wanted}. It has: {named or 'none of numbers'}. Nothing was stored.")
    if len(offered) == 1:
        return offered[0]
    first = quoted(visible((offered or known)[0], line_ends=False))
    raise Undecided(
        f"{path}: has several columns that may be the score: {named}.\n"
        f"Choose one with --column, for instance --column {first}. Nothing was stored.",
        offered,
        needs_run=needs_run,
    )


def with_ranks(frame: pd.DataFrame) -> pd.DataFrame:
    """Ranks from the scores where the file has none; ties share their mean rank.

    Scores are compared to nine decimals, so that noise in the last digits breaks no tie.
    """
    systems = frame["run_id"] != OVERALL
    rounded = frame.assign(score=frame["score"].round(9))[systems]
    computed = rounded.groupby("leaderboard_id")["score"].rank(ascending=False, method="average")
    computed = computed.reindex(frame.index)
    frame["rank"] = frame["rank"].astype("float64").fillna(computed)
    return frame


def _is_header(cells: Sequence[str], column: str | None = None) -> bool:
    """Whether cells name a run and a score or rank, or the column that is asked for."""
    places = _columns(cells, column)
    return "run_id" in places and bool(places.keys() & {"score", "rank"})


def _fits(opening: Opening) -> bool:
    # A line `runid all NAME` of trec_eval looks like a header.
    if any(row[:2] == ["runid", ALL] and ALL in below[:-1] for row, below in pairwise(opening.rows)):
        return False
    separator = delimited.separator_of(opening.lines, _is_header)
    rows = (delimited.split(line, separator) for line in opening.lines)
    is_board = any(_is_header(cells) and not delimited.columns_of(cells, _OF_MANY) for cells in rows)
    return is_board or bool(_measure_columns(opening.lines))


LEADERBOARD = Kind(
    key="leaderboard",
    noun="Leaderboard",
    order=60,
    main="leaderboards",
    template="""\
run_id,score,stderr
bm25,0.61,0.04
rag-a,0.55,0.05
report-a,0.48,0.05
""",
    option="name",
    name="Name of the leaderboard",
    needed=True,
    arguments=" --name NAME",
    columned=True,
    columns={
        **{"run": ("run_id", "run"), "score": ("score", "value"), "rank": ("rank",), "stderr": ("stderr",)},
        **{"query": ("query_id", "topic"), "measure": ("measure",)},
    },
)
ROWS = (
    Format(
        kind=LEADERBOARD,
        written="CSV, TSV",
        looks="a leaderboard",
        # Before runs and qrels: a line of a leaderboard may have their numbers in the same places.
        order=50,
        fits=_fits,
        read=read_leaderboard,
        explains=("table",),
    ),
)


@dataclass(frozen=True)
class BoardValues:
    """A measure's leaderboard with its values by topic, to be written.

    `rows`: run_id, rank, score, stderr; NaN where there is none. `values`: by run_id and query_id; NaN where a topic
    does not count; None where only means are known.
    """

    measure: str
    rows: pd.DataFrame
    values: pd.DataFrame | None = None

    @property
    def runs(self) -> list[str]:
        """The runs that have a score, best first."""
        return [str(run) for run in self.rows.loc[self.rows["score"].notna(), "run_id"]]


def board_lines(board: BoardValues, form: BoardForm) -> Iterator[bytes]:
    """A leaderboard in a form that `import leaderboard` and other tools read, with all digits that its numbers have.

    Raises UsageError where the form has no place for it: ranks alone, or names with tabs or line ends.
    """
    topics = [] if board.values is None else list(board.values.columns)
    if ALL in topics:
        raise UsageError(f"A topic is called {ALL}, which in these forms is the mean. Write it as csv.")
    for name in (*board.runs, *topics):
        if name != name.strip() or set("\t\r\n") & set(name) or name.startswith("#"):
            raise UsageError(f"{name!r} can't stand in such a file: tabs separate its columns, and # starts a comment.")
    if form == "csv":
        table, rows = StringIO(), board.rows[["run_id", "rank", "score", "stderr"]]
        rows.assign(run_id=rows["run_id"].map(guarded)).to_csv(table, index=False, lineterminator="\n")
        return iter(table.getvalue().rstrip("\n").encode().split(b"\n"))
    if not board.runs:
        raise UsageError("The leaderboard has ranks and no scores. Write it as csv.")
    return map(str.encode, _lines(board))


def _lines(board: BoardValues) -> Iterator[str]:
    yield "run_id\tmeasure\ttopic_id\tvalue"
    score = dict(zip(board.rows["run_id"], board.rows["score"].tolist(), strict=True))
    for run in board.runs:
        values = {} if board.values is None or run not in board.values.index else board.values.loc[run].to_dict()
        by_topic = {str(topic): value for topic, value in values.items() if value == value}
        for topic, value in {**by_topic, ALL: score[run]}.items():
            yield f"{run}\t{board.measure}\t{topic}\t{float(value)!r}"
