"""Leaderboards: tables with a line for each run, and what is made of the values that `evaluations` reads."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd

from exam_core.errors import BadInput, Problems, Undecided, UsageError, visible
from exam_core.formats import delimited
from exam_core.formats.format import FIRST_LINES, Format, Kind, Opening
from exam_core.formats.measure_names import ALL, names_measure
from exam_core.formats.numbers import as_number
from exam_core.formats.reading import Reading, Rows, refuse_several_runs
from exam_core.progress import Progress, no_progress
from exam_core.request import BoardForm
from exam_core.tables import LEADERBOARDS, OVERALL, SCORES, values_of_board
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
"""What PyTerrier derives of a column: `map +`, `map -`, `map p-value`."""
_FOOTER = re.compile(
    r"(spearman|kendall|min_rating|qrel_file)(\t.*)?|exam scores produced.*|[^\t]*\tspearman_correlation.*", re.DOTALL
)
"""What the workbench prints below a table."""
_KEY = ["leaderboard_id", "run_id"]
_Lines = Sequence[tuple[int, list[str]]]


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
    problems, opening = Problems(path), Opening(path)
    separator = _separator(opening.whole)
    table = delimited.cells_of(path, separator, problems, progress)
    lines = [(line, [cell.strip() for cell in cells]) for line, cells in table]
    heads, column = _headers(opening, lines, column, separator, problems)
    problems.raise_if_any()
    rows, measures, passed_over = Rows(LEADERBOARDS, problems), dict[str, str](), 0
    for count, (start, end) in enumerate(pairwise([*heads, len(lines)]), 1):
        (_, header), *body = lines[start:end]
        footers = [cells for _, cells in body if _FOOTER.fullmatch("\t".join(cells).lower())]
        tau = next((cells[1].removesuffix(".0") for cells in footers if cells[0] == "min_rating" and cells[1:]), "")
        name = f"{leaderboard_id} tau={tau}" if tau else f"{leaderboard_id} {count}"
        name, places = name if len(heads) > 1 else leaderboard_id, _places(header, column)
        own = [(line, cells) for line, cells in body if any(cells) and cells not in footers]
        passed_over += _add_table(name, header, places, own, separator, rows, problems)
        if column is not None:
            measures[name] = header[places.get("score", places.get("rank", 0))]
    reading = boards_of(rows, Rows(SCORES, problems), measures, passed_over=passed_over)
    frame = reading.frames["leaderboards"]
    if run:
        refuse_several_runs(path, frame["run_id"][frame["run_id"] != OVERALL], f"the name {run}")
        frame["run_id"] = frame["run_id"].where(frame["run_id"] == OVERALL, run)
    return reading


def _headers(
    opening: Opening, lines: _Lines, column: str | None, separator: str, problems: Problems
) -> tuple[list[int], str | None]:
    """Which lines are headers of tables, and the column of their scores, where it is not called so."""
    problems.raise_if_any()
    heads = [place for place, (_, cells) in enumerate(lines) if _names_runs(cells)]
    if not heads and delimited.is_table(opening) and (name := _only_name([cells for _, cells in lines][:FIRST_LINES])):
        header = lines[0][1]
        header[header.index(name)], heads = "run_id", [0]
    number, header = lines[heads[0]] if heads else (1, [])
    if many := delimited.columns_of(header, _OF_MANY):
        what = f"a table with a column {header[min(many.values())]}, where a leaderboard has one line for each run"
        remedy = "Keep the values of one measure over all topics, one line for each run."
        problems.add(number, what, separator.join(header), remedy)
    elif heads and not any(_places(lines[place][1], column) for place in heads):
        offered = _number_columns([cells for _, cells in lines[heads[0] :]], separator) or _measure_columns(header)[:1]
        column = chosen_column(opening.path, column, offered) if offered or column else None
    heads = [place for place in heads if _places(lines[place][1], column)]
    if not heads and not many:
        what = f"no header with a run column ({', '.join(delimited.RUN_ID[:5])}) and a column of scores or ranks"
        remedy = (
            "In the first line, name the column of runs run_id, and that of values score; or give --as run=NAME, with "
            "a column of leaderboards --as run=NAME,measure=NAME,score=NAME."
        )
        problems.add(1, what, next(iter(opening.whole), ""), remedy)
    return heads, column


def _separator(lines: Sequence[str]) -> str:
    """What parts the cells of the first line that names runs, below whatever titles; else those of the first line."""
    signs = (sign for line in lines for sign in delimited.SEPARATORS if _names_runs(delimited.split(line, sign)))
    return next(signs, delimited.separator_of(lines))


def _names_runs(cells: Sequence[str]) -> bool:
    """Whether cells are those of a header with a column of runs, and of something else."""
    return "run_id" in delimited.columns_of(cells, NAMES) and sum(map(bool, cells)) > 1


def _places(header: Sequence[str], column: str | None = None) -> dict[str, int]:
    """Where a header has the run, its score or rank, and the standard error; empty where it lacks one of the first two.

    A column that is asked for is the score, or the rank if it is called so.
    """
    places = delimited.columns_of(header, NAMES)
    if column is not None:
        place = next((index for index, name in enumerate(header) if name.lower() == column.strip().lower()), None)
        field = "rank" if places.get("rank") == place else "score"
        with_error = {"run_id", "stderr"} if places.get("score") == place else {"run_id"}
        places = {name: index for name, index in places.items() if name in with_error}
        places |= {field: place} if place is not None else {}
    return places if "run_id" in places and {"score", "rank"} & {*places} else {}


def _only_name(lines: Sequence[Sequence[str]]) -> str:
    """The only column that has names below a header, and no numbers or texts; empty where there are none or several."""
    header, *rows = lines
    names = [
        name
        for index, name in enumerate(header)
        if not any(as_number(cell) is not None or delimited.is_text(cell) for row in rows for cell in row[index:][:1])
    ]
    return names[0] if len(names) == 1 and rows and not delimited.columns_of(header, _OF_MANY) else ""


def _number_columns(lines: Sequence[Sequence[str]], separator: str) -> list[str]:
    """Columns of nothing but numbers below a header, without those that PyTerrier derives of others."""
    header, *rows = lines
    columns = {
        name: [delimited.with_point(row[index], separator) for row in rows if any(row[index:][:1])]
        for index, name in enumerate(header)
    }
    names = [name for name, cells in columns.items() if cells and name and None not in map(as_number, cells)]
    return [name for name in names if not ((end := _DERIVED.search(name)) and name[: end.start()] in header)]


def _measure_columns(header: Sequence[str]) -> list[str]:
    """Columns that a header names after measures, beside a column of runs."""
    if not _names_runs(header) or delimited.columns_of(header, _OF_MANY):
        return []
    return [name for name in map(str.strip, header) if names_measure(name.removesuffix(" (%)"))]


def _add_table(
    leaderboard_id: str,
    header: Sequence[str],
    places: Mapping[str, int],
    lines: _Lines,
    separator: str,
    rows: Rows,
    problems: Problems,
) -> int:
    """Add the rows of a table; returns how many were passed over because they rank nothing."""
    passed_over, before = 0, header
    for line, cells in lines:
        texts = {name: cells[place] for name, place in places.items() if place < len(cells) and cells[place]}
        run_id = unguarded(texts.pop("run_id", ""))
        values = {name: as_number(delimited.with_point(text, separator)) for name, text in texts.items()}
        rank, score, stderr = (values.get(name) for name in ("rank", "score", "stderr"))
        what, remedy = "", "Correct it, or leave the cell empty."
        if line == problems.unfinished and len(cells) < min(len(header), len(before)):
            what = f"{delimited.CUT_OFF}: its last line has {len(cells)} of {len(before)} cells, and no line end"
            remedy = delimited.CUT_OFF_REMEDY
        elif wrong := [name for name, value in values.items() if value is None]:
            what = f"{header[places[wrong[0]]]} {texts[wrong[0]]} is not a number"
            remedy = "Write numbers with a decimal point and no sign (0.5, not 50%), or leave the cell empty."
        elif rank is not None and rank < 1:
            what = f"rank {rank:g} is below 1"
        elif stderr is not None and stderr < 0:
            what = f"standard error {stderr:g} is below 0"
        elif run_id != OVERALL and rank is None and score is None:
            passed_over += 1
        elif run_id:
            rows.add(line, leaderboard_id, run_id, rank, score, stderr)
        else:
            what, remedy = "no run", "Name the run, or remove the line."
        if what:
            problems.add(line, what, ", ".join(cells), remedy)
        before = cells
    return passed_over


def boards_of(
    means: Rows, values: Rows, measures: Mapping[str, str], *, tolerance: float = 0.0, passed_over: int = 0
) -> Reading:
    """Leaderboards of rows of `LEADERBOARDS`, with their values by topic as rows of `SCORES`.

    A run without a score of its own has the mean of its topics, and any with topics their standard error.

    `measures`: of a leaderboard, where the file says it. `tolerance`: how far a score may lie from the mean of the
    topics unsaid, since both are printed with few digits. `passed_over`: rows that rank nothing and are none of these.
    """
    whole, merged = means.frame("line")
    scores, again = values.frame("value")
    means.problems.raise_if_any()
    frame, notes = whole.set_index(_KEY), []
    if len(scores):
        boards = scores["method"].map({values_of_board(board): board for board in measures})
        by_topic = scores.assign(leaderboard_id=boards).groupby(_KEY, sort=False)["value"].agg(["mean", "sem"])
        frame = frame.reindex(by_topic.index.append(frame.index.difference(by_topic.index, sort=False)))
        mean = by_topic["mean"].reindex(frame.index)
        wrong = frame.assign(mean=mean)[(frame["score"] - mean).abs() > tolerance + 1e-9 * mean.abs()].reset_index()
        for board, rows in wrong.groupby("leaderboard_id", sort=False):
            first, runs = rows.iloc[0], frame.loc[[board]]
            notes.append(
                f"{visible(measures[str(board)], line_ends=False)}: the line `all` is not the mean of the topics for "
                f"{len(rows):,} of {len(runs):,} runs ({first['run_id']}: {first['score']:g}, and the mean is "
                f"{first['mean']:g}). The leaderboard takes `all`."
            )
        frame = frame.assign(score=frame["score"].fillna(mean), stderr=by_topic["sem"].reindex(frame.index))
    frame = frame.reset_index()
    is_ranked = frame["score"].notna() | frame["rank"].notna() | (frame["run_id"] == OVERALL)
    frame, passed_over = frame[is_ranked], passed_over + int((~is_ranked).sum())
    extra = {board: json.dumps({"measure": measure}, ensure_ascii=False) for board, measure in measures.items()}
    columns = {name: frame[name] for name in LEADERBOARDS.names} | {"extra": frame["leaderboard_id"].map(extra)}
    if undefined := int(scores["value"].isna().sum()):
        notes.append(f"Not counted, because undefined: {counted({'values': undefined})} by topic.")
    if merged + again:
        notes.append(f"{merged + again:,} repeated lines were merged.")
    if passed_over:
        notes.append(f"Passed over, with neither a rank nor a score: {counted({'rows': passed_over})}.")
    return _reading(LEADERBOARDS.frame(columns), scores, notes)


def _reading(board: pd.DataFrame, scores: pd.DataFrame, notes: list[str]) -> Reading:
    """Leaderboards with ranks, and what is to be known where their runs have values for different topics."""
    counts = {"leaderboards": board["leaderboard_id"].nunique(), "rows": int((board["run_id"] != OVERALL).sum())}
    reading = Reading({"leaderboards": with_ranks(board)}, counts=counts, notes=notes)
    if not len(scores):
        return reading
    reading.frames["scores"], reading.counts["values"] = scores, len(scores)
    topics = scores.dropna(subset="value").groupby(["method", "run_id"])["value"].size()
    methods = [board["leaderboard_id"].map(values_of_board), board["run_id"]]
    board = board.assign(topics=topics.reindex(pd.MultiIndex.from_arrays(methods)).to_numpy())
    for name, rows in board.groupby(
        board["leaderboard_id"].map(lambda text: visible(text, line_ends=False)), sort=False
    ):
        n, bare = rows.set_index("run_id")["topics"].dropna(), rows["run_id"][rows["topics"].isna()]
        if n.nunique() > 1:
            notes.append(
                f"{name}: runs have different numbers of topics, from {n.min():,.0f} ({n.idxmin()}) to {n.max():,.0f} "
                f"({n.idxmax()}); a mean is over a run's own topics."
            )
        if 0 < len(bare) < len(rows):
            notes.append(
                f"{name}: {len(bare):,} of {len(rows):,} runs have no values by topic ({bare.iloc[0]}): the "
                "leaderboard is compared by its means alone."
            )
    return reading


def board_name(leaderboard_id: str, measure: str, *, several: bool) -> str:
    """What a measure's leaderboard is called: the name that was given, and the measure where there are several."""
    return f"{leaderboard_id} {measure}" if several else leaderboard_id


def with_ranks(frame: pd.DataFrame) -> pd.DataFrame:
    """Ranks from the scores where the file has none; ties share their mean rank.

    Scores are compared to nine decimals, so that noise in the last digits breaks no tie.
    """
    scores = frame["score"].round(9).where(frame["run_id"] != OVERALL)
    computed = scores.groupby(frame["leaderboard_id"]).rank(ascending=False, method="average")
    frame["rank"] = frame["rank"].astype("float64").fillna(computed)
    return frame


def chosen_column(
    path: Path, column: str | None, offered: Sequence[str], known: Sequence[str] = (), *, needs_run: bool = False
) -> str:
    """The column that is asked for, in whatever case; the only one, where none is.

    `offered`: those that hold scores. `known`: all that can be asked for; by default those. `needs_run`: whether the
    run of the file is not named either. Raises Undecided where there are several, and none is asked for, and BadInput
    where there is no such column.
    """
    names = list(known or offered)
    shown = visible(", ".join(offered or known), line_ends=False)
    if column is not None:
        alike = [column] if column in names else [name for name in names if name.lower() == column.lower()]
        if len(alike) == 1:
            return alike[0]
        wanted = visible(column, line_ends=False)
        raise BadInput(f"{path}: has no column {wanted}. It has: {shown or 'none of numbers'}. Nothing was stored.")
    if len(offered) == 1:
        return offered[0]
    first = quoted(visible((*offered, *names)[0], line_ends=False))
    raise Undecided(
        f"{path}: has several columns that may be the score: {shown}.\n"
        f"Choose one with --column, for instance --column {first}. Nothing was stored.",
        offered,
        needs_run=needs_run,
    )


def united(read: Mapping[Path, Reading], leaderboard_id: str) -> Reading:
    """Files that hold values of different runs, as leaderboards of all of them.

    Raises BadInput where a run is in two of them, or a file does not say its measure.
    """
    boards, scores = [], [SCORES.of([])]
    several = len({said for reading in read.values() for said in reading.frames["leaderboards"]["extra"]}) > 1
    for path, reading in read.items():
        board, values = reading.frames["leaderboards"], reading.frames.get("scores", SCORES.of([]))
        if board["extra"].isna().any():
            what = "is a whole table, which can't be joined with other files"
            raise BadInput(f"{path}: {what}. Import it by itself. Nothing was stored.")
        measures = [json.loads(said)["measure"] for said in board["extra"]]
        names = [board_name(leaderboard_id, measure, several=several) for measure in measures]
        methods = dict(zip(map(values_of_board, board["leaderboard_id"]), map(values_of_board, names), strict=True))
        boards.append(board.assign(leaderboard_id=names, rank=np.nan, file=str(path)))
        scores.append(values.assign(method=values["method"].map(methods)))
    frame = pd.concat(boards, ignore_index=True)
    twice = frame[frame.duplicated(_KEY, keep=False)]
    if len(twice):
        both = twice[twice["run_id"] == twice["run_id"].iloc[0]]
        raise BadInput(
            f"{' and '.join(both['file'].unique()[:2])}: both have values of "
            f"{visible(both['run_id'].iloc[0], line_ends=False)}.\n"
            "If they are of different runs, name each after its file (import leaderboard --name-from file). If not, "
            "import them apart, each as a leaderboard of its own. Nothing was stored."
        )
    notes = [f"{path.name}: {note}" for path, reading in read.items() for note in reading.notes]
    whole, values = frame.drop(columns="file"), pd.concat(scores, ignore_index=True)
    return _reading(LEADERBOARDS.frame(dict(whole.items())), SCORES.frame(dict(values.items())), notes)


def _fits(opening: Opening) -> bool:
    # A line `runid all NAME` of trec_eval looks like a header.
    if any(row[:2] == ["runid", ALL] and ALL in below[:-1] for row, below in pairwise(opening.rows)):
        return False
    separator = _separator(opening.lines)
    rows = [delimited.split(line, separator) for line in opening.lines]
    is_board = any(_places(cells) and not delimited.columns_of(cells, _OF_MANY) for cells in rows)
    return is_board or any(map(_measure_columns, rows[:1]))


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
    many=True,
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
    values = pd.DataFrame() if board.values is None else board.values
    if ALL in values.columns:
        raise UsageError(f"A topic is called {ALL}, which in these forms is the mean. Write it as csv.")
    for name in (*board.runs, *values.columns):
        if name != name.strip() or set("\t\r\n") & set(name) or name.startswith("#"):
            raise UsageError(f"{name!r} can't stand in such a file: tabs separate its columns, and # starts a comment.")
    table = StringIO()
    if form == "csv":
        rows = board.rows[["run_id", "rank", "score", "stderr"]]
        rows.assign(run_id=rows["run_id"].map(guarded)).to_csv(table, index=False, lineterminator="\n")
    elif not board.runs:
        raise UsageError("The leaderboard has ranks and no scores. Write it as csv.")
    else:
        scores = dict(zip(board.rows["run_id"], board.rows["score"].tolist(), strict=True))
        table.write("run_id\tmeasure\ttopic_id\tvalue\n")
        for run in board.runs:
            by_topic = values.loc[run].dropna().to_dict() if run in values.index else {}
            for topic, value in {**by_topic, ALL: scores[run]}.items():
                table.write(f"{run}\t{board.measure}\t{topic}\t{float(value)!r}\n")
    return iter(table.getvalue().removesuffix("\n").encode().split(b"\n"))
