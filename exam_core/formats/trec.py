"""TREC files: runs and qrels.

A line that starts with `#` is a comment (trec_eval 10); `#` inside a document id is part of the id.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from exam_core.errors import Problems, UsageError, visible
from exam_core.formats import trec_tables
from exam_core.formats.csv_cells import LEFT_OUT, about_left_out, finite_numbers, texts_of, whole_numbers
from exam_core.formats.delimited import CUT_OFF, CUT_OFF_REMEDY, is_table
from exam_core.formats.format import Format, Kind, Opening, is_number
from exam_core.formats.label_words import about_words, numbers_of
from exam_core.formats.lines import text_blocks, text_lines_of
from exam_core.formats.numbers import as_number, as_whole, as_whole_number
from exam_core.formats.reading import MakeSpill, RanksAndScores, Reading, Rows
from exam_core.formats.trec_faults import FAILED, Q0, SHIFTED_REMEDY, fault_of_qrels, fault_of_run, is_iteration
from exam_core.formats.writing import write_lines
from exam_core.progress import Progress, no_progress, part_of
from exam_core.tables import GRADES, JUDGMENTS, LARGEST_GRADE, RANKINGS, SMALLEST_GRADE

_LABELS = replace(
    JUDGMENTS,
    columns=(
        *(replace(column, nullable=column.nullable or column.name == "relevance") for column in JUDGMENTS.columns),
        *(column for column in GRADES.columns if column.name == "decimal"),
    ),
)
"""Judgments as models give them: some may be null, and some have decimals."""
_BLANKS = re.compile(r"[ \t\r\n\v\f]+")
_FIRST_LINES, _MOST_LABELS = 20, 1000


def read_run(
    path: Path, *, name: str | None = None, make_spill: MakeSpill | None = None, progress: Progress = no_progress
) -> Reading:
    """Read a run, or several in one file; what stands after the sixth column is ignored and counted.

    A table whose header names query, passage, and rank or score is read too, and JSON (`formats/records.py`).

    `name` is what the run is called, whatever its lines say; `runs` of the result has their names. Raises BadInput
    where a line has fewer than six columns, a rank or score that is no number, or names a passage again with another
    score; or columns are shifted by an id with a blank.
    """
    problems, tails, names, rows = Problems(path), _Tails(), _RunNames(), Rows(RANKINGS, make_spill)
    opening, before, reads = Opening(path), list[str](), part_of(progress, 0, 2)
    trec_tables.refuse_sampled(opening)
    blocks: Iterator[trec_tables.Block] = iter(())
    if not opening.is_trec_run and (trec_tables.is_run_table(opening) or _is_written(opening, _is_run_row)):
        names.runs, names.numeric = trec_tables.add_run_rows(path, rows, problems, reads), False
    else:
        blocks = _blocks(path, problems, reads, partial(_regular_run, names=names))
    for first, regular, lines in blocks:
        if regular is not None:
            rows.add_lines(np.arange(first, first + len(regular)), regular)
            before = [str(regular[name][-1]) for name in _AS_A_RUN]
        for line, fields in lines:
            rank, score = (as_whole(fields[3]), as_number(fields[4])) if len(fields) > 5 else (None, None)
            if line == problems.unfinished and _is_cut_off(fields, before):
                _refuse(problems, line, fields, f"{CUT_OFF}, in the middle of its last line", CUT_OFF_REMEDY)
            elif len(fields) > 6 and tails.add_shifted(fields):
                what = f"{len(fields)} columns, whose sixth, the run's name, is a number"
                _refuse(problems, line, fields, what, SHIFTED_REMEDY)
            elif fault := fault_of_run(fields, rank, score):
                _refuse(problems, line, fields, *fault)
            elif rank is not None and score is not None:
                names.take(line, fields[5], fields[0], score)
                rows.add(line, fields[5], fields[0], fields[2], 0, rank, score, False)
            before = fields
    if names.are_scores():
        what = "the sixth column, the run's name, holds numbers that look like scores"
        problems.add(min(names.first.values()), what, next(iter(names.first)), SHIFTED_REMEDY)
        problems.raise_if_any()
    frames = rows.decide(problems, "line", part_of(progress, 1, 2))
    problems.raise_if_any()
    texts = [] if opening.is_trec_run else trec_tables.lacking(opening)
    if name:
        frames = (frame.assign(run_id=pd.Series(name, frame.index, frame["run_id"].dtype)) for frame in frames)
    notes = [f"{rows.merged:,} repeated lines were merged."] if rows.merged else []
    notes += tails.notes() + [trec_tables.ABOUT[name] for name in texts if name in trec_tables.ABOUT]
    reading = Reading(notes=notes, tails=tails.names(), runs=tuple(names.runs))
    reading.take("rankings", frames, make_spill)
    reading.ranks = (rows.ranks if "rank" not in texts else None) or RanksAndScores()
    if name:
        reading.ranks.first |= {"run_id": name}
    reading.counts = {"runs": len(names.runs), "rankings": reading.rows("rankings")}
    return reading


_AS_A_RUN = ("query_id", "run_id", "doc_id", "source_rank", "score", "run_id")


def _regular_run(block: bytes, names: _RunNames) -> pa.Table | None:
    """Lines of runs, all at once; None where one is wrong or odd, or where names of runs may be scores."""
    texts = texts_of(block, ("query_id", "Q0", "doc_id", "source_rank", "score", "run_id"))
    if texts is None:
        return None
    if len(texts) and texts["doc_id"][0].as_py() in Q0:
        return None
    ranks, scores = whole_numbers(texts["source_rank"]), finite_numbers(texts["score"])
    if ranks is None or scores is None or not names.take_words(texts["run_id"].unique().to_pylist()):
        return None
    places, uncut, extra = np.zeros(len(texts), np.int32), np.zeros(len(texts), bool), pa.nulls(len(texts), pa.string())
    columns = [texts["run_id"], texts["query_id"], texts["doc_id"], places, ranks, scores, uncut, extra]
    return pa.table(columns, RANKINGS.names)


def _refuse(problems: Problems, line: int, fields: Sequence[str], what: str, remedy: str, cause: str = "") -> None:
    problems.add(line, what, " ".join(fields), remedy, cause=cause)


@dataclass
class _Tails:
    """What stands after the sixth column: how many lines go on, and by run the first two texts there."""

    lines: int = 0
    found: dict[str, dict[str, None]] = field(default_factory=dict)

    def add_shifted(self, fields: list[str]) -> bool:
        """Take a line with more columns; whether they look shifted by a blank, so that a score is the run's name."""
        self.lines += 1
        texts = self.found.setdefault(fields[5], {})
        if len(texts) < 2:
            texts[" ".join(fields[6:])] = None
        return as_number(fields[5]) is not None and as_number(fields[-1]) is None

    def notes(self) -> list[str]:
        """What was ignored."""
        if not self.lines:
            return []
        example = visible(next(iter(next(iter(self.found.values()))))[:40], line_ends=False)
        what = f"{self.lines:,} line{'s have' if self.lines > 1 else ' has'} more than 6 columns"
        return [f"{what}; the rest, such as '{example}', was ignored."]

    def names(self) -> dict[str, str]:
        """By run, what may belong to its name: the one text that its lines go on with."""
        return {run_id: next(iter(texts)) for run_id, texts in self.found.items() if len(texts) == 1}


@dataclass
class _RunNames:
    """Names of runs as they are read, what tells that columns have shifted, and the first lines that might."""

    runs: dict[str, None] = field(default_factory=dict)
    first: dict[str, int] = field(default_factory=dict)
    numeric: bool = True
    lines: int = 0
    like_ranks: int = 0
    places: dict[str, int] = field(default_factory=dict)

    def take(self, line: int, run_id: str, query_id: str, score: float) -> None:
        """Take a line."""
        self.lines += 1
        if run_id not in self.first:
            self.runs[run_id] = None
            self.first[run_id] = line
            self.numeric &= as_number(run_id) is not None
        if self.numeric:
            place = self.places[query_id] = self.places.get(query_id, 0) + 1
            self.like_ranks += score in (place, place - 1)

    def take_words(self, run_ids: Sequence[str]) -> bool:
        """Take lines with these names; False, and nothing taken, where all names up to now are numbers."""
        self.numeric &= all(as_number(name) is not None for name in run_ids)
        if not self.numeric:
            self.runs |= dict.fromkeys(run_ids)
        return not self.numeric

    def are_scores(self) -> bool:
        """Whether several names are numbers: fractions of a line each, or behind scores that are ranks."""
        if not self.numeric or len(self.first) < 2:
            return False
        fractions = all(as_whole_number(name) is None for name in self.first)
        return (fractions and self.lines < 2 * len(self.first)) or self.like_ranks >= 0.9 * self.lines


def read_qrels(path: Path, *, qrels_id: str, make_spill: MakeSpill | None = None, **options: Any) -> Reading:
    """Read judgments, with the arguments and errors of `judgments_of`."""
    reading, frames = judgments_of(path, qrels_id=qrels_id, make_spill=make_spill, **options)
    reading.take("judgments", frames, make_spill)
    reading.counts["judgments"] = reading.rows("judgments")
    return reading


def judgments_of(
    path: Path,
    *,
    qrels_id: str,
    column: str | None = None,
    failed: bool = False,
    make_spill: MakeSpill | None = None,
    progress: Progress = no_progress,
) -> tuple[Reading, Iterator[pd.DataFrame]]:
    """Judgments some at a time, and what is to be said of them: `query_id 0 doc_id relevance`, relevance a whole number
    (NIST has some below 0).

    A table whose header names query, passage and relevance is read too (BEIR: `query-id corpus-id score`), and JSON
    (`formats/records.py`). Several judges have judgments of their own, under their names; words have the numbers of
    `label_words`.

    Parameters
    ----------
    qrels_id : of all judgments, where the file does not name several judges
    column : the column of the relevance, where a table has several that may be it
    failed : whether a word of `FAILED` in the place of the relevance is null, as labels of models have it, and a number
        with decimals is kept as `decimal`, beside the largest whole number that is not above it
    make_spill : where very many rows wait

    Raises Undecided where several columns may be the relevance, and none is asked for, and BadInput where a line has
    another number of columns, a relevance that is no whole number in -126..127, or judges a passage again with another.
    """
    problems, rows = Problems(path), Rows(_LABELS if failed else JUDGMENTS, make_spill)
    labels, queries, before = _look_at_labels(path, column), set[str](), 0
    whole = partial(_regular_qrels, qrels_id=qrels_id, decimals=failed)
    for first, regular, lines in _qrels_blocks(path, column, problems, whole, part_of(progress, 0, 2)):
        if regular is not None:
            rows.add_lines(np.arange(first, first + len(regular)), regular)
            queries.update(regular["query_id"].unique().to_pylist())
            before = 4
        for line, fields in lines:
            judge = fields.pop() if not first and len(fields) > 4 else ""
            label = fields[3] if len(fields) == 4 else ""
            relevance, decimal = labels.read(label, decimals=failed)
            is_unread = failed and len(fields) == 4 and relevance is None and label.lower() in FAILED
            if line == problems.unfinished and len(fields) < before:
                _refuse(problems, line, fields, f"{CUT_OFF}, in the middle of its last line", CUT_OFF_REMEDY)
            elif label in LEFT_OUT:
                labels.left[label] += 1
                continue
            elif not is_unread and (fault := fault_of_qrels(fields, relevance)):
                _refuse(problems, line, fields, *fault)
            elif not is_unread and labels.judges and not judge:
                _refuse(problems, line, fields, "no judge, where other lines name one", "Name the judge in each line.")
            else:
                labels.look_at(line, fields, is_unread=is_unread)
                queries.add(fields[0])
                rows.add(line, judge if labels.judges else qrels_id, fields[0], fields[2], relevance, None, decimal)
            before = len(fields)
    frames = rows.decide(problems, "judgment", part_of(progress, 1, 2))
    problems.raise_if_any()
    notes = [f"{rows.merged:,} repeated lines were merged."] * bool(rows.merged) + labels.notes()
    counts = {"judges": len(labels.judges)} if labels.judges else {}
    return Reading(counts=counts | {"queries": len(queries)}, notes=notes, judges=labels.judges or (qrels_id,)), frames


@dataclass(frozen=True)
class _Labels:
    """Judges of a file, where there are several, what the words among its labels stand for, and what is odd.

    Parameters
    ----------
    odd : what the second column of the first odd line says
    unread : labels that a model failed to give
    left : signs of rows that are left out
    """

    judges: tuple[str, ...] = ()
    numbers: Mapping[str, int] = field(default_factory=dict)
    odd: list[str] = field(default_factory=list)
    unread: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)

    def read(self, label: str, *, decimals: bool) -> tuple[int | None, float | None]:
        """The whole number of a label and, where these count, its decimals; None where there is no such."""
        whole = self.numbers.get(label, as_whole(label))
        number = as_number(label) if decimals and whole is None else None
        if number is None or abs(number) > LARGEST_GRADE:
            return whole, None
        return math.floor(number), number

    def look_at(self, line: int, fields: Sequence[str], *, is_unread: bool) -> None:
        """Count what is to be said of a line."""
        if is_unread:
            self.unread[fields[3]] += 1
        elif not self.odd and not is_iteration(fields[1]):
            cell = visible(fields[1][:40])
            self.odd.append(f"Line {line} says '{cell}' in its second column, where judgments have 0: ")

    def notes(self) -> list[str]:
        """What is to be said of the judgments."""
        notes = [f"{odd}check that the file holds judgments." for odd in self.odd]
        if self.unread:
            words = ", ".join(f"{visible(word) or '(empty)'} {count:,}" for word, count in self.unread.most_common(5))
            count = self.unread.total()
            notes.append(f"{count:,} could not be read ({words}): they are kept as unreadable, not as 0.")
        notes += about_left_out(self.left) + about_words(self.numbers)
        more = f" and {len(self.judges) - 10:,} more" if len(self.judges) > 10 else ""
        return notes + [f"Each judge's are kept apart: {', '.join(self.judges[:10])}{more}."] * bool(self.judges)


def _look_at_labels(path: Path, column: str | None) -> _Labels:
    """All judges and labels of a file; of one whose first lines have neither a judge nor a word these lines alone."""
    labels, judges = dict[str, None](), dict[str, None]()
    blocks = _qrels_blocks(path, column, Problems(path), lambda _: None)
    lines = chain.from_iterable(lines for *_, lines in blocks)
    for place, (_, fields) in enumerate(lines):
        if fields[3:4] and fields[3] in LEFT_OUT:
            continue
        labels |= dict.fromkeys(fields[3:4])
        judges |= dict.fromkeys(fields[4:])
        plain = place >= _FIRST_LINES and not judges and all(as_number(label) is not None for label in labels)
        if plain or len(labels) > _MOST_LABELS:
            return _Labels()
    return _Labels(tuple(judges) if len(judges) > 1 else (), numbers_of(labels))


def _qrels_blocks(
    path: Path,
    column: str | None,
    problems: Problems,
    regular: Callable[[bytes], pa.Table | None],
    progress: Progress = no_progress,
) -> Iterator[trec_tables.Block]:
    opening = Opening(path)
    trec_tables.refuse_sampled(opening)
    if trec_tables.is_judged_table(opening) or _is_written(opening, _is_qrels_row):
        return trec_tables.judged_blocks(path, column, problems, progress)
    return _blocks(path, problems, progress, regular)


def _regular_qrels(block: bytes, qrels_id: str, decimals: bool) -> pa.Table | None:
    """Judgments, all at once; None where one is wrong or odd."""
    texts = texts_of(block, ("query_id", "iteration", "doc_id", "relevance"))
    relevance = None if texts is None else whole_numbers(texts["relevance"])
    if texts is None or relevance is None or not all(map(is_iteration, texts["iteration"].unique().to_pylist())):
        return None
    ends = pc.min_max(relevance).as_py()
    if ends["min"] < SMALLEST_GRADE or ends["max"] > LARGEST_GRADE:
        return None
    named = pa.repeat(pa.scalar(qrels_id, pa.string()), len(texts))
    columns = [named, texts["query_id"], texts["doc_id"], relevance, pa.nulls(len(texts), pa.string())]
    judged = pa.table(columns, JUDGMENTS.names)
    return judged.append_column("decimal", pa.nulls(len(judged), pa.float64())) if decimals else judged


def write_run(rankings: pd.DataFrame, path: Path) -> None:
    """Write rankings as a TREC run, by run, query and rank; scores keep their full precision.

    Raises UsageError where an id would not be read back, such as one with a blank in it.
    """
    _check_ids(rankings, ("query_id", "doc_id", "run_id"))
    ordered = rankings.sort_values(["run_id", "query_id", "rank"], kind="stable")
    columns = (ordered[name].tolist() for name in ("query_id", "doc_id", "rank", "score", "run_id"))
    write_lines(path, (f"{q} Q0 {d} {r} {s!r} {n}".encode() for q, d, r, s, n in zip(*columns, strict=True)))


def qrels_lines(labels: pd.DataFrame) -> Iterator[bytes]:
    """Lines `query_id 0 doc_id relevance`, in the frame's order.

    Raises UsageError where an id would not be read back, such as one with a blank in it.
    """
    _check_ids(labels, ("query_id", "doc_id"))
    columns = (labels[name].tolist() for name in ("query_id", "doc_id", "relevance"))
    return (f"{q} 0 {d} {grade}".encode() for q, d, grade in zip(*columns, strict=True))


def _blocks(
    path: Path, problems: Problems, progress: Progress, regular: Callable[[bytes], pa.Table | None]
) -> Iterator[trec_tables.Block]:
    """A file, some MiB at a time.

    `regular`: makes rows of all lines at once, where it can.
    """
    for before, block in text_blocks(path, problems, progress):
        table = regular(block)
        lines = text_lines_of(before, block, problems) if table is None else ()
        yield before + 1, table, ((number, _split(text)) for number, text in lines if not text.startswith("#"))


def _split(text: str) -> list[str]:
    """Columns of a line. Only ASCII blanks part them, as in trec_eval; an id may have other ones."""
    # Python alone also parts columns at control characters such as \x1c, which are not printable.
    if text.isascii() and (text.isprintable() or text.replace("\t", " ").isprintable()):
        return text.split()
    return [field for field in _BLANKS.split(text) if field]


def _is_cut_off(fields: list[str], before: list[str]) -> bool:
    """Whether a line without a line end breaks off: fewer columns than before, or part of the run's name."""
    if len(fields) != len(before):
        return len(fields) < len(before)
    return len(fields) == 6 and fields[5] != before[5] and before[5].startswith(fields[5])


def _check_ids(frame: pd.DataFrame, columns: tuple[str, ...]) -> None:
    for name in columns:
        for value in frame[name].unique():
            if _split(value) != [value] or (name == "query_id" and value.startswith(("#", "\ufeff"))):
                raise UsageError(
                    f"{name} {value!r} can't stand in a TREC file: blanks separate its columns and # starts a\n"
                    "comment. Rename it at its source and import that file again."
                )


def is_run(opening: Opening) -> bool:
    """Whether a file begins like a run, or like a table of one."""
    return _is_certain_run(opening) or (trec_tables.is_run_table(opening) and trec_tables.is_no_judged_table(opening))


def _is_certain_run(opening: Opening) -> bool:
    """Whether a file begins as only runs do: with TREC's six columns, or a header with ranks or names of runs."""
    return (opening.most(_is_run_row) and not trec_tables.sampled_columns(opening)) or trec_tables.is_named_run(opening)


def _is_run_row(row: Sequence[str]) -> bool:
    whole = len(row) >= 6 or (len(row) == 5 and row[1].lower() == "q0")
    return whole and as_whole(row[3]) is not None and is_number(row[4])


def are_qrels(opening: Opening) -> bool:
    """Whether a file begins like qrels, whatever they hold."""
    return opening.most(_is_qrels_row)


def _is_qrels_row(row: Sequence[str]) -> bool:
    return len(row) == 4 and is_iteration(row[1]) and is_number(row[3])


def _is_written(opening: Opening, is_row: Callable[[Sequence[str]], bool]) -> bool:
    """Whether a file is JSON or a table, and no lines of TREC whose first id or comment begins as these do."""
    if opening.is_json:
        return not is_row(_split(opening.text.partition("\n")[0]))
    return is_table(opening) and not opening.most(is_row)


def are_judged(opening: Opening) -> bool:
    """Whether a file begins like qrels, or like a table of judgments."""
    return are_qrels(opening) or trec_tables.is_judged_table(opening)


RUN = Kind(
    key="run",
    noun="Run",
    order=10,
    main="rankings",
    template="""\
q1 Q0 d1 1 9.5 bm25
q1 Q0 d2 2 7.25 bm25
q2 Q0 d4 1 8.5 bm25
q2 Q0 d3 2 6.0 bm25
""",
    ending="txt",
    option="name",
    name="Name of the run, if not its own",
    unnamed="Many tools write one name into every file of runs. Leave this empty for a file with several runs.",
    replaces=True,
    columns=trec_tables.RUN_COLUMNS,
)
QRELS = Kind(
    key="qrels",
    noun="Human judgments",
    order=20,
    main="judgments",
    template="""\
q1 0 d1 3
q1 0 d2 0
q2 0 d3 2
q2 0 d4 1
""",
    ending="txt",
    option="name",
    name="Name of the judgments",
    needed=True,
    replaces=True,
    columned=True,
    columns=trec_tables.JUDGED_COLUMNS,
)
ROWS = (
    Format(
        kind=RUN,
        written="TREC format",
        looks="a TREC run",
        order=60,
        fits=_is_certain_run,
        read=read_run,
        explains=("JSON", "table", "text"),
        is_certain=attrgetter("is_trec_run"),
        endings=("run", "trec"),
    ),
    Format(
        kind=RUN,
        written="CSV, JSON",
        looks="scores of passages, as a run has them",
        order=60,
        fits=is_run,
        read=read_run,
        alike=("labels", "qrels"),
    ),
    Format(
        kind=QRELS,
        written="TREC qrels, CSV, JSON",
        looks="human judgments (TREC qrels)",
        order=80,
        fits=are_judged,
        read=read_qrels,
        explains=("JSON", "table", "text"),
        endings=("qrel", "qrels"),
        alike=("labels",),
        taken_for=("leaderboard",),
    ),
)
