"""Values of measures as evaluation tools write them, one a line: trec_eval, ir_measures, and tables by topic.

trec_eval writes measure, topic, value, and ir_measures measure, value or topic, measure, value, both of one run. Tables
by topic, such as those of TREC Auto-Judge, have run, measure, topic, value. A header may name the columns in any order.
Without one, the word `all` and the names of measures tell topics from measures. ir_measures writes JSON lines, too.
A wide table has a row for each topic and a column for each measure, as nuggetizer's JSON lines have; pytrec_eval's JSON
has an object of measures for each topic.
"""

from __future__ import annotations

import json
import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from exam_core.errors import BadInput, Problems, Undecided, visible
from exam_core.formats import delimited
from exam_core.formats.format import Format, Opening
from exam_core.formats.leaderboards import LEADERBOARD, chosen_column, measure_said, with_ranks
from exam_core.formats.lines import text_lines
from exam_core.formats.measure_names import ALL, CODE, KNOWN, names_measure
from exam_core.formats.numbers import as_number
from exam_core.formats.reading import Reading, Rows, refuse_several_runs
from exam_core.formats.records import first_records, record_rows, refuse_texts_for_ids
from exam_core.progress import Progress, no_progress
from exam_core.tables import LEADERBOARDS, SCORES, values_of_board
from exam_core.wording import counted

_FORMS = {
    ("user_input", "response"): {"topic": "user_input"},
    ("eval_id", "sample_id", "model", "id", "epoch"): {"run": "model", "topic": "id"},
}
"""The ids of each tool's table, told by columns that only its tables have."""
_WORDS = {"C": "1", "P": "0.5", "I": "0", "N": "0"}
"""Inspect's verdicts (correct, partial, incorrect, no answer) and their values."""
_NOTHING = ("", "nan", "none", "null")


def sample_columns(opening: Opening) -> tuple[dict[str, str], list[str]]:
    """The columns of a table of samples: those of ids by what they hold, and those of scores; empty of another file."""
    header, *rows = first_records(opening, {})
    ids = next((ids for marks, ids in _FORMS.items() if set(marks) <= set(header)), {})
    cells = {name: [row[index] for row in rows if index < len(row)] for index, name in enumerate(header)}
    candidates = [name for name in header if name.startswith("score_")] if "run" in ids else header

    def is_score(cell: str) -> bool:
        return as_number(_WORDS.get(cell, cell)) is not None or cell.lower() in _NOTHING

    numbers = [name for name in candidates if any(cells[name]) and all(map(is_score, cells[name]))]
    scores = [name for name in numbers if name not in ids.values()]
    return (ids, scores) if ids and scores else ({}, [])


def sample_rows(
    path: Path, opening: Opening, problems: Problems, progress: Progress
) -> Iterator[tuple[int, list[str]]]:
    """Line, and as cells the run where the table names one, topic, measure, value: the mean over a sample's epochs."""
    ids, scores = sample_columns(opening)
    names = dict.fromkeys((*ids.values(), *scores, *(["epoch"] if "run" in ids else [])), ())
    by_epoch: dict[tuple[str, ...], tuple[int, dict[str, float]]] = {}
    for row in record_rows(path, names, problems, progress):
        of_sample, epoch = [row.of(name) for name in ids.values()], row.of("epoch")
        for score in scores:
            cell = row.number(score)
            value = as_number(_WORDS.get(cell, cell))
            if "run" not in ids or value is None:
                yield row.line, [*of_sample, score, cell]
                continue
            _, epochs = by_epoch.setdefault((*of_sample, score), (row.line, {}))
            if epochs.setdefault(epoch, value) != value:
                what = f"a second {score} of {' and '.join(of_sample)} in epoch {epoch}"
                problems.add(row.line, what, cell, "Keep one evaluation of each model.", cause="second score")
    for sample, (line, epochs) in by_epoch.items():
        yield line, [*sample, repr(fsum(epochs.values()) / len(epochs))]


_HEADINGS = {"run": delimited.RUN_ID, "measure": ("metric",), "topic": delimited.QUERY_ID, "value": ("score", "mean")}
_WIDTHS = {2: "measure, value", 3: "measure, topic, value", 4: "run, measure, topic, value"}
_OF_OTHERS = {"doc_id": delimited.DOC_ID, **dict.fromkeys(("question_id", "rank", "relevance", "label", "grade"), ())}
_COUNTS = re.compile("num_(q|ret|rel|rel_ret|nonrel_judged_ret|q_rel.*)")
"""What trec_eval counts and prints between its measures."""
_TEXTS = re.compile("runid|relstring.*")
"""What trec_eval prints as if it were a measure, with a text for its value."""
_UNDEFINED = ("", "nan", "none", "null", "na", "n/a")
_MOST = 500
"""Measures of a file that become leaderboards at once: trec_eval has some 200, and what has more are no measures."""
_BLANKS = re.compile(r"[ \t\r\n\v\f]+")


@dataclass
class _Values:
    """The lines of a file: names in columns, a value, and the line's number.

    Parameters
    ----------
    names : by columns, whose equal names are one object
    roles : what the columns of names hold, where a header says it
    runs : the runs that lines `runid` name
    decimals : digits that values have behind the point, at most
    """

    roles: list[str] = field(default_factory=list)
    names: list[list[str]] = field(default_factory=list)
    values: array[float] = field(default_factory=lambda: array("d"))
    lines: array[int] = field(default_factory=lambda: array("q"))
    runs: dict[str, None] = field(default_factory=dict)
    decimals: int = 0

    def of(self, role: str) -> list[str]:
        """The names of a column, line by line; empty texts where the file has none."""
        return self.names[self.roles.index(role)] if role in self.roles else [""] * len(self.lines)

    def name_columns(self) -> None:
        """Say which columns hold topics and measures, where no header says it."""
        if self.roles:
            return
        if len(self.names) == 1:
            self.roles = ["measure"]
            return
        first, second = map(Counter, self.names[-2:])
        swapped = (first[ALL], _measures(second)) > (second[ALL], _measures(first))
        self.roles = ["run"][: len(self.names) - 2] + (["topic", "measure"] if swapped else ["measure", "topic"])


def _measures(names: Counter[str]) -> int:
    """How many lines have the name of a measure."""
    return sum(count for name, count in names.items() if KNOWN.fullmatch(name))


def read_evaluation(
    path: Path,
    *,
    leaderboard_id: str,
    column: str | None = None,
    run: str | None = None,
    progress: Progress = no_progress,
) -> Reading:
    """Read the values of measures that a tool wrote, as a leaderboard for each measure, with its values by topic.

    The score of a run is its line of topic `all`, or the mean of its topics. Its standard error is that of the topics.

    Parameters
    ----------
    leaderboard_id : of the one leaderboard; where there are several, each has the name of its measure behind it
    column : the measure that is read; None takes all of a file of several runs, and the only one of a run's
    run : the run whose values these are, where no column and no line says it

    Raises
    ------
    Undecided : it holds several measures of one run, or no line names the run
    BadInput : a line has other columns, a value is no number, or a measure has two values for a run and a topic
    """
    problems = Problems(path)
    values = _collected(path, problems, progress)
    problems.raise_if_any()
    values.name_columns()
    known = list(dict.fromkeys(values.of("measure")))
    offered = [name for name in known if not _COUNTS.fullmatch(name)]
    of_one = "run" not in values.roles
    nameless = of_one and not values.runs and not run
    if of_one or column is not None:
        measures = [chosen_column(path, column, offered, known, needs_run=nameless)]
    else:
        measures = offered or known
        if len(measures) > _MOST:
            raise Undecided(
                f"{path}: has {len(measures):,} measures, such as {visible(measures[0], line_ends=False)}.\n"
                "Choose one with --column, or name the columns in a first line: run, measure, topic, value. "
                "Nothing was stored.",
                offered,
            )
    if nameless:
        raise Undecided(
            f"{path}: holds the values of one run, and no line names it.\n"
            "Name the run with --run NAME, or each after its file with --name-from file. Nothing was stored.",
            offered,
            needs_run=True,
        )
    runs = list(values.runs if of_one else dict.fromkeys(values.of("run")))
    if run or of_one:
        refuse_several_runs(path, runs, f"the name {run}" if run else "no column")
    boards = {name: board_name(leaderboard_id, name, several=len(measures) > 1) for name in measures}
    return _reading(values, boards, run or (runs[0] if of_one else None), problems, offered)


def board_name(leaderboard_id: str, measure: str, *, several: bool) -> str:
    """What a measure's leaderboard is called: the name that was given, and the measure where there are several."""
    return f"{leaderboard_id} {measure}" if several else leaderboard_id


def is_of_one_run(path: Path) -> bool:
    """Whether a file is output of an evaluation tool that no column of runs divides."""
    opening = Opening(path)
    if roles := [*sample_columns(opening)[0]] or _named_roles(opening):
        return "run" not in roles
    if heading := _heading(opening.lines):
        return "run" not in heading.roles
    return bool(opening.lines) and len(_cells(opening.lines[0])) in (2, 3)


def united(read: Mapping[Path, Reading], leaderboard_id: str) -> Reading:
    """Files that hold values of different runs, as leaderboards of all of them.

    Raises BadInput where a run is in two of them, or a file is no output of an evaluation tool.
    """
    frames = [reading.frames["leaderboards"].assign(file=str(path)) for path, reading in read.items()]
    frame = pd.concat(frames, ignore_index=True)
    if frame["extra"].isna().any():
        table = frame.loc[frame["extra"].isna(), "file"].iloc[0]
        raise BadInput(
            f"{table}: is a whole table, which can't be joined with other files. Import it by itself. Nothing "
            "was stored."
        )
    measure = frame["extra"].map(lambda extra: json.loads(extra)["measure"])
    several = measure.nunique() > 1
    twice = frame.assign(measure=measure).duplicated(["measure", "run_id"], keep=False)
    if twice.any():
        run, files = frame.loc[twice, "run_id"].iloc[0], dict.fromkeys(frame.loc[twice, "file"])
        raise BadInput(
            f"{' and '.join(list(files)[:2])}: both have values of {visible(run, line_ends=False)}.\n"
            "If they are of different runs, name each after its file (import leaderboard --name-from file). If not, "
            "import them apart, each as a leaderboard of its own. Nothing was stored."
        )
    named = [board_name(leaderboard_id, item, several=several) for item in measure]
    scores = []
    for path, reading in read.items():
        is_own = frame["file"] == str(path)
        before = reading.frames["leaderboards"]["leaderboard_id"].map(values_of_board)
        now = dict(zip(before, map(values_of_board, pd.Series(named)[is_own]), strict=True))
        part = reading.frames["scores"]
        scores.append(part.assign(method=part["method"].map(now)))
    board = frame.assign(leaderboard_id=named, rank=np.nan)
    whole = with_ranks(LEADERBOARDS.frame({name: board[name] for name in LEADERBOARDS.names}))
    values = pd.concat(scores, ignore_index=True)
    values = SCORES.frame({name: values[name] for name in SCORES.names})
    notes = [f"{path.name}: {note}" for path, reading in read.items() for note in reading.notes]
    counts = {"leaderboards": len(set(named)), "rows": len(whole)}
    counts |= {"values": len(values)} if len(values) else {}
    return Reading({"leaderboards": whole, "scores": values}, counts=counts, notes=notes)


def about_topics(reading: Reading) -> list[str]:
    """What is to be known where runs of a leaderboard have values for different numbers of topics."""
    if "scores" not in reading.frames:
        return []
    notes, values = [], reading.frames["scores"].dropna(subset="value")
    counted = values.groupby(["method", "run_id"])["value"].size()
    for board, rows in reading.frames["leaderboards"].groupby("leaderboard_id", sort=False):
        runs, method = rows["run_id"], values_of_board(str(board))
        n = counted.get(method, counted.iloc[:0].droplevel(0)).reindex(runs).dropna().astype(int)
        named = visible(str(board), line_ends=False)
        if n.nunique() > 1:
            notes.append(
                f"{named}: runs have different numbers of topics, from {n.min():,} ({n.idxmin()}) to {n.max():,} "
                f"({n.idxmax()}); a mean is over a run's own topics."
            )
        if 0 < len(n) < len(runs):
            bare = runs[~runs.isin(n.index)]
            notes.append(
                f"{named}: {len(bare):,} of {len(runs):,} runs have no values by topic ({bare.iloc[0]}): the "
                "leaderboard is compared by its means alone."
            )
    return notes


def _collected(path: Path, problems: Problems, progress: Progress) -> _Values:
    """The lines of a file; what is wrong with them goes to `problems`."""
    values = _Values()
    opening = Opening(path)
    lines = opening.lines
    if ids := sample_columns(opening)[0]:
        separator, places, width = "", list(range(len(ids) + 2)), len(ids) + 2
        values.roles, rows = [*ids, "measure"], sample_rows(path, opening, problems, progress)
    elif roles := _named_roles(opening):
        refuse_texts_for_ids(opening, {"query_id": delimited.QUERY_ID})
        separator, places, width = "", list(range(len(roles))), len(roles)
        values.roles, rows = roles[:-1], _named_rows(path, opening, problems, progress)
    elif heading := _heading(lines):
        values.roles, separator = heading.roles[:-1], heading.separator
        table = (
            delimited.cells_of(path, separator, problems, progress) if separator else _bare(path, problems, progress)
        )
        rows = ((number, cells) for number, cells in table if not cells[0].startswith("#"))
        width, places = len(next(rows, (0, []))[1]), heading.places
        if width <= max(places):  # a cell in quotes goes on in the next line
            problems.add(1, "the header breaks off", lines[0], "Write the names of all columns in the first line.")
            return values
    else:
        rows, separator = _bare(path, problems, progress), ""
        width = len(_cells(lines[0])) if lines else 0
        places = list(range(width))
        if lines and width not in _WIDTHS:
            what = f"{width} columns, where values of measures have 2 to 4"
            remedy = f"Write one of: {'; '.join(_WIDTHS.values())}; or a header that names the columns."
            problems.add(1, what, lines[0], remedy)
            return values
    values.names = [[] for _ in places[1:]]
    shared: dict[str, str] = {}
    for number, cells in rows:
        if number == problems.unfinished and len(cells) < width:
            problems.add(
                number,
                f"{delimited.CUT_OFF}, in the middle of its last line",
                " ".join(cells),
                delimited.CUT_OFF_REMEDY,
            )
        elif len(cells) != width:
            what = f"{len(cells)} columns where the lines before have {width}"
            problems.add(number, what, " ".join(cells), "Give the line the columns of the others, or remove it.")
        else:
            *names, cell = (cells[place].strip() for place in places)
            _take(values, [shared.setdefault(name, name) for name in names], cell, number, separator, problems)
    if not values.lines and not problems.problems:
        problems.add(1, "no value of a measure", remedy="Check that it is the right file.")
    return values


def _take(values: _Values, names: list[str], cell: str, number: int, separator: str, problems: Problems) -> None:
    special = next(filter(_TEXTS.fullmatch, _not_the_run(names, values.roles)), None)
    if special is not None:
        if special == "runid":
            values.runs[cell] = None
        return
    value = as_number(delimited.with_point(cell, separator)) if separator else as_number(cell)
    if value is None and cell.lower() not in _UNDEFINED:
        remedy = "Write a number with a decimal point; nan says that there is no value."
        problems.add(number, f"value {cell} is not a number", " ".join([*names, cell]), remedy, cause="no number")
        return
    if not all(names):
        what = "an empty cell where a run, a measure or a topic belongs"
        problems.add(number, what, " ".join([*names, cell]), "Fill it in.")
        return
    for column, name in zip(values.names, names, strict=True):
        column.append(name)
    values.values.append(float("nan") if value is None else value)
    values.lines.append(number)
    # With an exponent as many as a number has.
    values.decimals = max(values.decimals, 15 if "e" in cell.lower() else len(cell.partition(".")[2]))


def _not_the_run(names: list[str], roles: Sequence[str] = ()) -> list[str]:
    """The names of a line but that of its run: the measure, and the topic."""
    return [name for name, role in zip(names, roles, strict=True) if role != "run"] if roles else names[-2:]


class _Heading(NamedTuple):
    """A header: what parts its cells (nothing: blanks), what its columns hold, the value last, and where they stand."""

    separator: str
    roles: list[str]
    places: list[int]


def _heading(lines: Sequence[str]) -> _Heading | None:
    """The header that a file begins with; None where its first line names no measure, value, and run or topic."""
    for line in lines[:2]:
        for separator in (*delimited.SEPARATORS, ""):
            where = delimited.columns_of(delimited.split(line, separator) if separator else _cells(line), _HEADINGS)
            if {"measure", "value"} <= where.keys() and len(where) > 2:
                roles = [role for role in _HEADINGS if role in where]
                return _Heading(separator, roles, [where[role] for role in roles])
        if not line.startswith("sep="):
            break
    return None


def _named_roles(opening: Opening) -> list[str]:
    """What records of JSON, or rows of a wide table, say of values, the value last; empty where they are none."""
    header, *rows = first_records(opening, _HEADINGS)
    columns = delimited.columns_of(header, _HEADINGS)
    ids = [role for role in _HEADINGS if role in ("run", "topic") and role in columns]
    if {"measure", "value"} <= columns.keys():
        return [role for role in _HEADINGS if role in columns] if opening.is_json else []
    if "topic" not in columns or (delimited.columns_of(header, _OF_OTHERS) and not _are_by_topic(opening)):
        return []
    cells = [cell for row in rows for index, cell in enumerate(row) if index not in [columns[role] for role in ids]]
    are_values = all(
        as_number(delimited.with_point(cell, delimited.TAB)) is not None or cell.lower() in _UNDEFINED for cell in cells
    )
    are_measures = any(names_measure(name) or "score" in name.lower() for name in header)
    if _are_by_topic(opening) or (any(cells) and are_values and are_measures):
        return [role for role in _HEADINGS if role in (*ids, "measure", "value")]
    return []


def _are_by_topic(opening: Opening) -> bool:
    """Whether JSON has an object for each topic, whose names are all those of measures."""
    header, *rows = first_records(opening, _HEADINGS)
    return opening.is_json and header[-2:] == ["doc_id", "score"] and all(names_measure(row[-2]) for row in rows)


def _named_rows(
    path: Path, opening: Opening, problems: Problems, progress: Progress
) -> Iterator[tuple[int, list[str]]]:
    """Records, or rows of a wide table, as cells in the order of their roles."""
    header = first_records(opening, _HEADINGS)[0]
    ids = [role for role in _HEADINGS if role in ("run", "topic") and role in delimited.columns_of(header, _HEADINGS)]
    names: dict[str, Sequence[str]] = {role: _HEADINGS[role] for role in ids}
    if _are_by_topic(opening):
        names |= {"measure": ("doc_id",), "value": ("score",)}
    elif {"measure", "value"} <= delimited.columns_of(header, _HEADINGS).keys():
        names |= {role: _HEADINGS[role] for role in ("measure", "value")}
    else:
        names |= {
            name: () for index, name in enumerate(header) if index not in delimited.columns_of(header, names).values()
        }
    measures = [name for name in names if name not in ids]
    for row in record_rows(path, names, problems, progress, needed=list(names) if "value" in names else ids):
        own = {role: row.of(role) for role in ids}
        wide = {row.of("measure"): row.number("value")} if "value" in names else {m: row.number(m) for m in measures}
        for measure, value in wide.items():
            cells = {**own, "measure": measure, "value": value}
            yield row.line, [cells[role] for role in _HEADINGS if role in cells]


def _bare(path: Path, problems: Problems, progress: Progress) -> Iterator[tuple[int, list[str]]]:
    """Lines of a file without a header, as cells; comments are left out."""
    for number, text in text_lines(path, problems, progress):
        if not text.startswith("#"):
            yield number, _cells(text)


def _cells(text: str) -> list[str]:
    """The cells of a line: parted at tabs if it has some, else at blanks."""
    if "\t" in text:
        return [cell.strip(" ") for cell in text.split("\t")]
    return [cell for cell in _BLANKS.split(text) if cell]


def _reading(
    collected: _Values, boards: dict[str, str], run: str | None, problems: Problems, offered: Sequence[str]
) -> Reading:
    """Leaderboards and values by topic.

    `boards`: the leaderboard of each measure that is read. `run`: whose values all are; None: the column says it.
    """
    means, values = Rows(LEADERBOARDS), Rows(SCORES)
    rows = zip(
        collected.of("run"),
        collected.of("measure"),
        collected.of("topic"),
        collected.values,
        collected.lines,
        strict=True,
    )
    for of_run, measure, topic, value, line in rows:
        if board := boards.get(measure):
            known = None if value != value else value
            if topic in (ALL, ""):
                means.add(line, board, run or of_run, None, known)
            else:
                values.add(line, values_of_board(board), run or of_run, topic, known)
    whole, merged = means.frame(problems, "value")
    scores, again = values.frame(problems, "value")
    problems.raise_if_any()
    frame, notes = _united(whole, scores, boards, collected.decimals)
    undefined = int(scores["value"].isna().sum())
    notes += [f"Not counted, because undefined: {counted({'values': undefined})} by topic."] if undefined else []
    notes += [f"{merged + again:,} repeated lines were merged."] if merged + again else []
    counts = {"leaderboards": frame["leaderboard_id"].nunique(), "rows": len(frame)}
    counts |= {"values": len(scores)} if len(scores) else {}
    return Reading({"leaderboards": frame, "scores": scores}, counts=counts, notes=notes, columns=tuple(offered))


def _united(
    whole: pd.DataFrame, scores: pd.DataFrame, boards: dict[str, str], decimals: int
) -> tuple[pd.DataFrame, list[str]]:
    """The rows of leaderboards, and notes where the lines of `all` and those of topics say different things."""
    key = ["leaderboard_id", "run_id"]
    board_of = {values_of_board(board): board for board in boards.values()}
    by_topic = scores.assign(leaderboard_id=scores["method"].map(board_of).astype("object"))
    made = by_topic.groupby(key, sort=False)["value"].agg(["mean", "sem"])
    printed_means = whole.set_index(key)["score"]
    index = made.index.append(printed_means.index.difference(made.index, sort=False))
    mean, printed = made["mean"].reindex(index), printed_means.reindex(index)
    frame = pd.DataFrame({"score": printed.fillna(mean), "stderr": made["sem"].reindex(index)})
    wrong = (printed - mean).abs() > 10.0**-decimals + 1e-9 * mean.abs()
    frame = frame.assign(printed=printed, mean=mean, wrong=wrong).reset_index()
    notes = [
        note for measure, board in boards.items() for note in _about(measure, frame[frame["leaderboard_id"] == board])
    ]
    measure_of = {board: measure_said(measure) for measure, board in boards.items()}
    frame = frame[frame["score"].notna()].reset_index(drop=True)
    columns = {name: frame[name] for name in (*key, "score", "stderr")}
    columns["extra"] = frame["leaderboard_id"].map(measure_of)
    return with_ranks(LEADERBOARDS.frame(columns)), notes


def _about(measure: str, rows: pd.DataFrame) -> list[str]:
    notes, named = [], visible(measure, line_ends=False)
    if len(wrong := rows[rows["wrong"]]):
        first = wrong.iloc[0]
        notes.append(
            f"{named}: the line `all` is not the mean of the topics for {len(wrong):,} of {len(rows):,} runs "
            f"({first['run_id']}: {first['printed']:g}, and the mean is {first['mean']:g}). The leaderboard takes "
            "`all`."
        )
    if gone := int(rows["score"].isna().sum()):
        notes.append(f"{named}: {counted({'runs have': gone})} no value at all and were passed over.")
    return notes


def _fits(opening: Opening) -> bool:
    """Whether a file begins like values of measures; names that other files have, too, need more than a name."""
    if sample_columns(opening)[0]:
        return True
    if opening.is_json or not opening.lines:
        return bool(_named_roles(opening))
    if _heading(opening.lines) or _named_roles(opening):
        return True
    rows = [cells for cells in map(_cells, opening.lines) if len(cells) in _WIDTHS]
    fitting = [cells for cells in rows if _is_value(cells)]
    if len(fitting) * 2 <= len(opening.lines):
        return False
    certain = any(
        "." in cells[-1] or cells[-1].lower() == "nan" or {ALL, "runid"} & set(cells[:-1]) or "@" in "".join(cells)
        for cells in fitting
    )
    return certain or all(len(cells) == 4 and CODE.fullmatch(cells[1]) for cells in fitting)


def _is_value(cells: list[str]) -> bool:
    """Whether a line ends with a value, behind the name of a measure or the word `all`."""
    *names, cell = cells
    if as_number(cell) is None and cell.lower() != "nan" and not any(map(_TEXTS.fullmatch, _not_the_run(names))):
        return False
    where = names[-2:] if len(names) > 1 else names
    return (
        ALL in where[: len(names) - (len(names) == 1)]
        or any(map(KNOWN.fullmatch, where))
        or (len(names) == 3 and bool(CODE.fullmatch(names[1])))
    )


ROWS = (
    Format(
        kind=LEADERBOARD,
        written="trec_eval, ir_measures",
        looks="values of measures",
        # Before runs and qrels, as other leaderboards.
        order=51,
        fits=_fits,
        read=read_evaluation,
        explains=("text",),
        endings=("eval", "treceval"),
        taken_for=("qrels", "labels", "run", "topics", "passages"),
    ),
)
