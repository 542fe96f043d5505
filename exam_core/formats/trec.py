"""TREC files: runs and qrels, also as tables and JSON (`trec_tables`).

A line that starts with `#` is a comment (trec_eval 10); `#` inside a document id is part of the id.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from exam_core.errors import Problems, UsageError, visible
from exam_core.formats import trec_tables
from exam_core.formats.csv_cells import about_left_out, finite_numbers, texts_of, whole_numbers
from exam_core.formats.delimited import CUT_OFF, CUT_OFF_REMEDY, dialect_of
from exam_core.formats.format import Format, Kind, Opening, is_number
from exam_core.formats.label_words import FAILED, about_words
from exam_core.formats.lines import text_blocks, text_lines_of
from exam_core.formats.numbers import as_number, as_whole
from exam_core.formats.plain_tables import PlainTable, words
from exam_core.formats.reading import MakeSpill, RanksAndScores, Reading, Rows
from exam_core.formats.trec_tables import LABEL, Cells, is_iteration
from exam_core.formats.writing import write_lines
from exam_core.progress import Progress, no_progress, part_of
from exam_core.tables import GRADES, JUDGMENTS, LARGEST_GRADE, RANKINGS, SMALLEST_GRADE

_CUT_OFF = f"{CUT_OFF}, in the middle of its last line"
_Q0 = ("Q0", "q0")
_BLANKS = re.compile(r"[ \t\r\n\v\f]+")
_LABELS = replace(
    JUDGMENTS,
    columns=(
        *(replace(column, nullable=column.nullable or column.name == "relevance") for column in JUDGMENTS.columns),
        *(column for column in GRADES.columns if column.name == "decimal"),
    ),
)
"""Judgments as models give them: some may be null, and some have decimals."""
_LABEL_REMEDY = (
    "Write a whole number, such as 0, 1, 2 or 3. A table may have words of a known order: not relevant, partially "
    "relevant, relevant, highly relevant. If a model gave these labels, import them as labels, which keeps decimals, "
    "and words for failed ones as unreadable."
)
_BY_NUMBER = "the sixth column, the run's name, is a number"
_NAME_REMEDY = (
    "It may be a score that a blank inside an id has shifted: write ids without blanks. Judgments of a sample, with "
    "strata or probabilities, are no run. If it is the run's name after all, give it a letter, such as run1."
)


@dataclass(frozen=True, kw_only=True)
class _Lines:
    """Lines whose columns blanks part; a line may go on behind them with a `tail`, if it `goes_on`.

    `what` and `remedy` are said of lines of another width. `regular` makes values of texts, all at once, where they are
    written as most are; `fault` tells what is wrong with a line, and what to do.
    """

    columns: tuple[str, ...]
    what: str
    remedy: str
    regular: Callable[[Mapping[str, pa.Array]], dict[str, pa.Array] | None]
    fault: Callable[[Sequence[str]], tuple[str, str] | None] = lambda _: None
    goes_on: bool = False

    def cells(self, path: Path, table: PlainTable, problems: Problems, progress: Progress) -> Cells:
        """The values of a file's lines, as a table says them; a wrong line goes to the problems."""
        width = len(self.columns)
        for before, block in text_blocks(path, problems, progress):
            table_of_texts = texts_of(block, self.columns)
            arrays = {name: table_of_texts[name].combine_chunks() for name in self.columns} if table_of_texts else {}
            if arrays and (regular := self.regular(arrays)):
                yield np.arange(before + 1, before + 1 + len(regular["query_id"])), regular
                continue
            lines, texts, flat, tails = list[int](), list[str](), list[str](), list[str]()
            for line, text in text_lines_of(before, block, problems):
                fields = [] if text.startswith("#") else _split(text)
                if fields and len(fields) < width and line == problems.unfinished:
                    problems.add(line, _CUT_OFF, text, CUT_OFF_REMEDY)
                elif fields and (len(fields) < width or (len(fields) > width and not self.goes_on)):
                    what = f"{len(fields)} column{'s' * (len(fields) > 1)} where {self.what}"
                    problems.add(line, what, text, self.remedy)
                elif fields and (fault := self.fault(fields)):
                    problems.add(line, fault[0], text, fault[1])
                elif fields:
                    lines.append(line)
                    texts.append(text)
                    flat += fields[:width]
                    tails.append(" ".join(fields[width:]))
            cells = {name: flat[place::width] for place, name in enumerate(self.columns)} | {"tail": tails}
            right, values = table.checked(lines, cells, texts.__getitem__, problems)
            yield [lines[index] for index in right], values


def _fault_of_run(fields: Sequence[str]) -> tuple[str, str] | None:
    if fields[2] in _Q0 and not is_iteration(fields[1]):
        what = "Q0 is the third column, where a TREC run has the passage"
        return what, "Write the columns in this order: query_id Q0 doc_id rank score run_id."
    if (len(fields) > 6 or fields[1] not in _Q0) and as_number(fields[5]) is not None:
        return _BY_NUMBER, _NAME_REMEDY
    return None


def _regular_run(texts: Mapping[str, pa.Array]) -> dict[str, pa.Array] | None:
    ranks, scores = whole_numbers(texts["rank"]), finite_numbers(texts["score"])
    is_odd = pc.any(pc.is_in(texts["docno"], pa.array(_Q0))).as_py()
    is_odd |= any(as_number(name) is not None for name in texts["run_id"].unique().to_pylist())
    return None if is_odd or ranks is None or scores is None else {**texts, "rank": ranks, "score": scores}


def _regular_qrels(texts: Mapping[str, pa.Array]) -> dict[str, pa.Array] | None:
    labels = whole_numbers(texts[LABEL])
    ends = {} if labels is None else pc.min_max(labels).as_py()
    is_odd = labels is None or ends["min"] < SMALLEST_GRADE or ends["max"] > LARGEST_GRADE
    return None if is_odd else {**texts, LABEL: labels}


_RUN_LINES = _Lines(
    columns=("query_id", "Q0", "docno", "rank", "score", "run_id"),
    what="a TREC run has 6 (query_id Q0 doc_id rank score run_id)",
    remedy="Add the missing columns (the sixth is the run's name), or remove the line. A table has a header, such as "
    "query,doc,rank,score,run.",
    goes_on=True,
    fault=_fault_of_run,
    regular=_regular_run,
)
_QRELS_LINES = _Lines(
    columns=("query_id", "iteration", "doc_id", LABEL),
    what="qrels have 4 (query_id 0 doc_id relevance)",
    remedy="Write these four, or a header, query,doc,relevance. A blank inside an id or a label makes more columns. "
    "Judgments of a sample, with strata or probabilities, are not read as such: keep these four, if all are to count.",
    regular=_regular_qrels,
)


def read_run(
    path: Path, *, name: str | None = None, make_spill: MakeSpill | None = None, progress: Progress = no_progress
) -> Reading:
    """Read a run, or several in one file, from TREC's lines, a table or JSON; `runs` of the result has their names.

    `name` is what the run is called, whatever its lines say. Raises BadInput where a line or cell is wrong, a passage
    has two places, or columns are shifted by an id with a blank.
    """
    problems, opening, reads = Problems(path), Opening(path), part_of(progress, 0, 2)
    rows = Rows(RANKINGS, problems, make_spill)
    runs, tails, before, last, end = dict[str, None](), dict[str, Counter[str]](), "", "", 0
    own = {} if opening.is_trec_run else trec_tables.run_columns(opening)
    is_lines = opening.is_trec_run or (not own and (_most(opening, _is_run_row) or dialect_of(opening) == "text"))
    if is_lines:
        table = PlainTable(columns={**trec_tables.RUN, "tail": words(needed=False)})
        blocks = _RUN_LINES.cells(path, table, problems, reads)
    else:
        blocks = trec_tables.run_cells(path, problems, reads)
    for lines, values in blocks:
        columns = {"run_id": values["run_id"], "query_id": values["query_id"], "doc_id": values["docno"]}
        columns |= {"rank": np.zeros(len(lines), np.int32), "source_rank": values["rank"], "score": values["score"]}
        ranked = RANKINGS.packed({**columns, "cut": np.zeros(len(lines), bool)})
        rows.add_lines(lines, ranked)
        runs |= dict.fromkeys(ranked["run_id"].unique().to_pylist())
        for line, run_id in zip(lines[-2:], ranked["run_id"][-2:].to_pylist(), strict=True):
            before, last, end = last, run_id, int(line)
        for run_id, tail in filter(all, zip(values["run_id"], values.get("tail", ()), strict=False)):
            texts = tails.setdefault(run_id, Counter())
            texts[tail if len(texts) < 2 else next(iter(texts))] += 1
    if end == problems.unfinished and last != before and before.startswith(last):
        problems.add(end, _CUT_OFF, last, CUT_OFF_REMEDY)
    if is_lines and len(runs) > 1 and all(as_number(run_id) is not None for run_id in runs):
        problems.add(1, f"{_BY_NUMBER}, and not one alone", ", ".join([*runs][:5]), _NAME_REMEDY)
    frames = rows.decide("line", part_of(progress, 1, 2))
    problems.raise_if_any()
    if name:
        frames = (frame.assign(run_id=pd.Series(name, frame.index, frame["run_id"].dtype)) for frame in frames)
    notes = [f"{rows.merged:,} repeated lines were merged."] if rows.merged else []
    if count := sum(texts.total() for texts in tails.values()):
        example = visible(next(iter(next(iter(tails.values()))))[:40], line_ends=False)
        what = f"{count:,} line{'s have' if count > 1 else ' has'} more than 6 columns"
        notes.append(f"{what}; the rest, such as '{example}', was ignored.")
    notes += [note for field, note in trec_tables.ABOUT.items() if own and field not in own]
    reading = Reading(notes=notes, runs=tuple(runs))
    reading.take("rankings", frames, make_spill)
    reading.ranks = (rows.ranks if not own or "rank" in own else None) or RanksAndScores()
    if name:
        reading.ranks.first |= {"run_id": name}
    reading.counts = {"runs": len(runs), "rankings": reading.rows("rankings")}
    return reading


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
    """Judgments some at a time, and what is to be said of them, from qrels, a table or JSON.

    `column` is that of the labels, whole numbers, where a table has several that may be it. With `failed`, as models
    give them, decimals are kept, and words of `FAILED` are null. In tables, words have the numbers of `label_words`,
    and several judges have judgments of their own, under their names instead of `qrels_id`.

    Raises Undecided where several columns may be the labels, and none is asked for, and BadInput where a line or cell
    is wrong, or a passage is judged again with another label.
    """
    problems, opening, reads = Problems(path), Opening(path), part_of(progress, 0, 2)
    rows = Rows(_LABELS if failed else JUDGMENTS, problems, make_spill)
    queries, odd, left, unread = set[str](), dict[str, None](), Counter[str](), 0
    judges, numbers, failed_words = tuple[str, ...](), dict[str, int](), dict[str, None]()
    is_lines = not trec_tables.label_columns(opening) and (are_qrels(opening) or dialect_of(opening) == "text")
    label = "" if is_lines else trec_tables.chosen_labels(opening, column)
    if not is_lines:
        judges, numbers = trec_tables.judges_and_words(path, label)
    read = partial(_label, numbers=numbers, failed=failed_words if failed else None)
    table = trec_tables.judged_table(label, read, _LABEL_REMEDY, several=bool(judges))
    signed = partial(trec_tables.with_signs, left=left, may_be_empty=column is not None and not failed)
    batches = ((lines, values) for lines, values, _ in table.columns_of_rows(path, problems, reads, change=signed))
    blocks = _QRELS_LINES.cells(path, table, problems, reads) if is_lines else batches
    for lines, values in blocks:
        exact = pa.array(values[LABEL], pa.float64())
        whole = pc.floor(exact)
        columns = {"query_id": values["query_id"], "doc_id": values["doc_id"], "relevance": whole.cast(pa.int32())}
        columns["qrels_id"] = values["judge"] if judges else pa.repeat(pa.scalar(qrels_id, pa.string()), len(lines))
        if failed:
            columns["decimal"] = pc.if_else(pc.equal(whole, exact), None, exact)
        judged = rows.table.packed(columns)
        rows.add_lines(lines, judged)
        unread += exact.null_count
        queries.update(judged["query_id"].unique().to_pylist())
        iterations = pa.array(values["iteration"], pa.string()).unique().to_pylist()
        odd |= dict.fromkeys(cell for cell in iterations if cell is not None and not is_iteration(cell))
    frames = rows.decide("judgment", part_of(progress, 1, 2))
    problems.raise_if_any()
    notes = [f"{rows.merged:,} repeated lines were merged."] if rows.merged else []
    if odd:
        says = f"Its column of iterations says '{visible(next(iter(odd))[:40])}', where judgments have 0"
        notes.append(f"{says}: check that the file holds judgments.")
    notes += _about_failed(unread, failed_words) + about_left_out(left) + about_words(numbers) + _about_judges(judges)
    counts = {"judges": len(judges)} if judges else {}
    return Reading(counts=counts | {"queries": len(queries)}, notes=notes, judges=judges or (qrels_id,)), frames


def _about_failed(count: int, failed: Iterable[str]) -> list[str]:
    words_shown = ", ".join(visible(word) or "(empty)" for word in [*failed][:5])
    return [f"{count:,} could not be read ({words_shown}): they are kept as unreadable, not as 0."] if count else []


def _about_judges(judges: Sequence[str]) -> list[str]:
    more = f" and {len(judges) - 10:,} more" if len(judges) > 10 else ""
    return [f"Each judge's are kept apart: {', '.join(judges[:10])}{more}."] if judges else []


def _label(cell: str, numbers: Mapping[str, int], failed: dict[str, None] | None) -> float | None:
    """The number of a label, `numbers` being those of words; None, and a word of `failed`, where a model gave none.

    Without `failed`, such labels are refused, and decimals too.
    """
    if cell in numbers:
        return numbers[cell]
    if failed is not None and cell.lower() in FAILED:
        failed[cell] = None
        return None
    value = as_number(cell)
    if value is None or (failed is None and value % 1):
        raise ValueError("is not a whole number")
    if not SMALLEST_GRADE <= value <= LARGEST_GRADE:
        raise ValueError(f"is not in {SMALLEST_GRADE}..{LARGEST_GRADE}")
    return value


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


def _split(text: str) -> list[str]:
    """Columns of a line. Only ASCII blanks part them, as in trec_eval; an id may have other ones."""
    # Python alone also parts columns at control characters such as \x1c, which are not printable.
    if text.isascii() and (text.isprintable() or text.replace("\t", " ").isprintable()):
        return text.split()
    return [field for field in _BLANKS.split(text) if field]


def _check_ids(frame: pd.DataFrame, columns: tuple[str, ...]) -> None:
    for name in columns:
        for value in frame[name].unique():
            if _split(value) != [value] or (name == "query_id" and value.startswith(("#", "\ufeff"))):
                raise UsageError(
                    f"{name} {value!r} can't stand in a TREC file: blanks separate its columns and # starts a\n"
                    "comment. Rename it at its source and import that file again."
                )


def _most(opening: Opening, is_row: Callable[[Sequence[str]], bool]) -> bool:
    """Whether most of a file's first lines are such rows; an id or a comment may begin as JSON or a table does."""
    rows = [_split(line) for line in opening.whole if not line.startswith("#")]
    return sum(map(is_row, rows)) * 2 > len(rows)


def _is_run_row(row: Sequence[str]) -> bool:
    is_named = len(row) > 5 and (row[1] in _Q0 or as_number(row[5]) is None)
    is_whole = is_named or (len(row) == 5 and row[1] in _Q0)
    return is_whole and as_whole(row[3]) is not None and is_number(row[4])


def _is_qrels_row(row: Sequence[str]) -> bool:
    return len(row) == 4 and is_iteration(row[1]) and is_number(row[3])


def kind_of(opening: Opening) -> str:
    """What a file begins like, whether it has TREC's lines or is a table: see `kind_of_table`."""
    kind = "run" if _most(opening, _is_run_row) else trec_tables.kind_of_table(opening)
    return "judgments" if kind not in ("run", "scores") and are_qrels(opening) else kind


def is_run(opening: Opening) -> bool:
    """Whether a file begins like a run, or like a table of one."""
    return kind_of(opening) in ("run", "scores")


def are_qrels(opening: Opening) -> bool:
    """Whether a file begins like qrels, whatever they hold."""
    return _most(opening, _is_qrels_row)


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
    many=True,
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
        fits=lambda opening: kind_of(opening) == "run",
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
        fits=lambda opening: kind_of(opening) == "scores",
        read=read_run,
        alike=("labels", "qrels"),
    ),
    Format(
        kind=QRELS,
        written="TREC qrels, CSV, JSON",
        looks="human judgments (TREC qrels)",
        order=80,
        fits=lambda opening: kind_of(opening) == "judgments",
        read=read_qrels,
        explains=("JSON", "table", "text"),
        endings=("qrel", "qrels"),
        alike=("labels",),
        taken_for=("leaderboard",),
    ),
)
