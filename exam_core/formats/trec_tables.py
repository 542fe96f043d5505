"""Runs and judgments that are written as tables, and judgments of a sample, which are refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice, pairwise
from pathlib import Path

import pyarrow as pa

from exam_core.errors import Problems
from exam_core.formats import delimited
from exam_core.formats.csv_cells import SIGNS, sign_of
from exam_core.formats.file_names import name_of_file
from exam_core.formats.format import Opening
from exam_core.formats.label_words import as_label
from exam_core.formats.leaderboards import chosen_column
from exam_core.formats.numbers import as_number, as_whole, as_whole_number
from exam_core.formats.plain_tables import PlainTable, number, whole, words
from exam_core.formats.reading import TOGETHER, Rows
from exam_core.formats.records import WHOLES, fields_of, first_records, record_rows, refuse_texts_for_ids
from exam_core.formats.trec_faults import FAILED, is_iteration
from exam_core.progress import Progress, no_progress
from exam_core.tables import LARGEST_GRADE, RANKINGS, SMALLEST_GRADE

Block = tuple[int, pa.Table | None, Iterable[tuple[int, list[str]]]]
"""Lines of a file: the number of the first, and their rows, or else the lines one by one."""
_DOC = (*delimited.DOC_ID, "document", "passage")
_PAIR = {"query_id": delimited.QUERY_ID, "doc_id": _DOC}
_JUDGE = "judge"
_JUDGES = (*delimited.PERSON, "grader", "model", "llm")
_LABELS = frozenset(
    "relevance score label grade rel judgment judgement rating relevant relevancelabel isrelevant labels".split()
)
RUN_COLUMNS = {
    "query": ("query_id",),
    "doc": ("docno",),
    **{name: (name,) for name in ("rank", "score")},
    "run": ("run_id",),
}
JUDGED_COLUMNS = {"query": ("query_id",), "doc": ("doc_id",), "label": ("relevance", *_LABELS), "judge": ("judge",)}
_CHOSEN = "label of the pair"
"""The column of labels, under a name that no file has."""
_LABEL_RANGE = range(-2, 11)
"""What labels are that stand in a column whose name does not say so."""
_OTHERS = dict.fromkeys(("question_id", "measure"), ())
"""Columns of tables that are neither runs nor judgments."""
_NOT_JUDGED = {"run_id": delimited.RUN_ID, "rank": (), **_OTHERS}
_NO_RUN = {**_OTHERS, "reviewer": ("annotator",)}
_RUN = {
    # PyTerrier's docid is a number of its index, and docno the passage.
    "query_id": words(*delimited.QUERY_ID),
    "docno": words(*_DOC),
    "run_id": words(*delimited.RUN_ID),
    "rank": whole("position", remedy="Write the rank as 1, 2, 3, ..."),
    "score": number("similarity", "retrieval_score"),
}
_RUN_NAMES = {name: column.names for name, column in _RUN.items()}
_MARCOS = ("query_id", "docno", "rank")
ABOUT = {
    "score": "It has no column of scores: the score of a passage is minus its rank.",
    "run_id": "No column names the run: it is named after the file, unless you give a name.",
}
"""What is to be known of a table of runs without such a column."""


def is_judged_table(opening: Opening) -> bool:
    """Whether a file begins with a header of judgments, and not with that of a run or of reviews."""
    return bool(label_columns(opening))


def label_columns(opening: Opening, *, with_scores: bool = False) -> list[str]:
    """The columns that may have the labels of a table of judgments, of which one is to be chosen; none of another file.

    Those that are called so count first, of these those with whole numbers alone, and then all with such numbers.

    `with_scores`: whether a column `score` may have them that holds fractions, as it does in a run.
    """
    header, *rows = first_records(opening, _PAIR)
    pair, others = delimited.columns_of(header, _PAIR), delimited.columns_of(header, _NOT_JUDGED).values()
    # A table of reviews has a column of questions that may be empty.
    is_other = any(any(row[index : index + 1]) for row in rows for index in others) if rows else bool(others)
    if len(pair) < len(_PAIR) or is_other:
        return []
    columns = {name: [row[index] for row in rows if index < len(row)] for index, name in enumerate(header)}
    own = {*pair.values(), *delimited.columns_of(header, {_JUDGE: _JUDGES, **SIGNS}).values()}
    rest = {name: cells for index, (name, cells) in enumerate(columns.items()) if index not in own}
    called = {name: cells for name, cells in rest.items() if delimited.folded(name) in _LABELS}
    whole = [name for name, cells in called.items() if _are_labels(cells, range(SMALLEST_GRADE, LARGEST_GRADE + 1))]
    if whole or called:
        return whole or [
            name
            for name, cells in called.items()
            if with_scores
            or delimited.folded(name) != "score"
            or not any(as_number(cell) is not None and as_whole(cell) is None for cell in cells)
        ]
    return [
        name
        for name, cells in rest.items()
        if not delimited.is_heading(name) and _are_labels(cells, _LABEL_RANGE, as_whole)
    ]


def _are_labels(cells: Sequence[str], allowed: range, read: Callable[[str], int | None] = as_label) -> bool:
    """Whether a column has labels, as whole numbers or words, and beside them nothing but words for failed ones."""
    numbers = [read(cell) for cell in cells if cell.lower() not in FAILED]
    return bool(numbers) and all(number in allowed for number in numbers)


def is_run_table(opening: Opening) -> bool:
    """Whether a file begins with a header of a run; query, passage and score alone may be judgments, too."""
    columns, (_, *rows) = _run_columns(opening), first_records(opening, _RUN_NAMES)
    places = [columns[name] for name in ("rank", "score") if name in columns]
    cells = [row[place] for row in rows for place in places] if opening.is_json else []
    if any(cell and as_number(cell) is None for cell in cells):
        return False  # objects within objects, whose names are no ids
    return {"query_id", "docno"} <= {*columns} and bool(places) and not fields_of(opening, _NO_RUN)


def is_named_run(opening: Opening) -> bool:
    """Whether a file begins with a header that only a run has: with ranks, or the names of runs."""
    return is_run_table(opening) and bool({"rank", "run_id"} & {*_run_columns(opening)})


def is_no_judged_table(opening: Opening) -> bool:
    """Whether a header of a run can't be that of judgments: it has a rank or a run, or fractions that are no labels."""
    return is_named_run(opening) or (_has_fractions(opening) and not may_be_labels(opening))


def _has_fractions(opening: Opening) -> bool:
    """Whether a file has scores that are fractions, and no column of labels beside them."""
    places, (header, *rows) = _run_columns(opening), first_records(opening, _RUN_NAMES)
    place = places.get("score", -1)
    scores = [row[place] for row in rows if -1 < place < len(row)]
    is_whole = as_whole_number if opening.is_json and "qrel" not in opening.path.name.lower() else as_whole
    fractions = any(as_number(text) is not None and is_whole(text) is None for text in scores)
    return fractions and set(label_columns(opening)) <= {header[place]}


def may_be_labels(opening: Opening) -> bool:
    """Whether the fractions of a table of queries, passages and scores may be a judge's labels as well as of a run.

    So they may where nothing else speaks for a run: neither ranks, names of runs, the file's name and lists below
    queries, nor scores that fall from row to row of a query, or are none of a scale of labels.
    """
    columns, (_, *rows) = _run_columns(opening), first_records(opening, _RUN_NAMES)
    if not is_run_table(opening) or is_named_run(opening) or not _has_fractions(opening):
        return False
    whole = [row for row in rows if len(row) > max(columns.values())]
    cells = [(row[columns["query_id"]], as_number(row[columns["score"]])) for row in whole]
    scores = [(query, score) for query, score in cells if score is not None]
    steps = [b - a for (query, a), (other, b) in pairwise(scores) if query == other]
    falls = any(step < 0 for step in steps) and not any(step > 0 for step in steps)
    is_off = any(not _LABEL_RANGE[0] <= score <= _LABEL_RANGE[-1] for _, score in scores)
    is_listed = any(
        isinstance(part, list) and delimited.folded(name) not in WHOLES for name, part in opening.first_object.items()
    )
    return not (falls or is_off or is_listed or ".run" in opening.path.name.lower())


def lacking(opening: Opening) -> list[str]:
    """Which of rank, score and run_id a table of runs has no column for; none of another file."""
    places = _run_columns(opening)
    return [name for name in ("rank", *ABOUT) if name not in places] if is_run_table(opening) else []


def names_no_run(kind: str, path: Path) -> bool:
    """Whether a file of a kind holds a run that only the file's name would name."""
    return kind == "run" and "run_id" in lacking(Opening(path))


def _run_columns(opening: Opening) -> dict[str, int]:
    if _is_marcos(opening):
        return {name: index for index, name in enumerate((*_MARCOS, "score")[: len(opening.rows[0])])}
    return fields_of(opening, _RUN_NAMES)


def _is_marcos(opening: Opening) -> bool:
    """Whether a file begins as runs of MS MARCO do, without a header: the ranks of a query count up.

    ColBERT's have scores behind the ranks; qrels of passages that count up have iterations in the second column.
    """
    width = len(opening.rows[0]) if opening.rows else 0
    is_scored = width == 4 and not all(is_iteration(row[1]) for row in opening.rows if len(row) > 1)
    wanted = 4 if is_scored and all(as_number(row[-1]) is not None for row in opening.rows) else len(_MARCOS)
    ranks = [as_whole_number(row[2]) if len(row) == wanted else None for row in opening.rows]
    steps = [(a, b) for a, b in pairwise(zip(opening.rows, ranks, strict=True)) if a[0][0] == b[0][0]]
    counted = all(pair[1] is not None and other[1] == pair[1] + 1 for pair, other in steps)
    return bool(steps) and None not in ranks and ranks[0] in (0, 1) and counted


def judged_blocks(
    path: Path, column: str | None, problems: Problems, progress: Progress = no_progress
) -> Iterator[Block]:
    """Rows of a table of judgments as the fields of qrels, with the judge behind them where a column names judges.

    A sign of `formats/csv_cells.py` stands in the place of the label.

    Raises Undecided where several columns may be the labels, and none is asked for; BadInput where there is no such.
    """
    opening = Opening(path)
    refuse_texts_for_ids(opening, _PAIR)
    header = first_records(opening, _PAIR)[0]
    pair = delimited.columns_of(header, _PAIR).values()
    others = [name for index, name in enumerate(header) if index not in pair]
    label = chosen_column(path, column, label_columns(opening, with_scores=True) or ["relevance"], others)
    needed = {**_PAIR, _CHOSEN: (label,)}

    def fields(row: delimited.Row) -> list[str]:
        judge = [row.of(_JUDGE)] if _JUDGE in row.cells else []
        return [row.of("query_id"), "0", row.of("doc_id"), sign_of(row.cells) or row.number(_CHOSEN), *judge]

    names = {**needed, _JUDGE: _JUDGES, **SIGNS}
    rows = record_rows(path, names, problems, progress, needed=tuple(needed))
    while some := list(islice(rows, TOGETHER)):
        yield 0, None, ((row.line, fields(row)) for row in some)


def add_run_rows(path: Path, rows: Rows, problems: Problems, progress: Progress = no_progress) -> dict[str, None]:
    """Add the rows of a table of runs; returns the names of the runs.

    Without a column of the run it has the file's name. Without ranks, rows are in the order of their ranks; without
    scores, a score is minus the rank.
    """
    opening, places, runs = Opening(path), Counter[tuple[str, str]](), dict[str, None]()
    fields, is_bare = _run_columns(opening), _is_marcos(opening)
    needed = {*fields, *_MARCOS[:2], *(() if {"rank", "score"} & {*fields} else ("score",))}
    columns = {name: replace(_RUN[name], needed=name in needed) for name in (fields if is_bare else _RUN)}
    for lines, cells, _ in PlainTable(columns=columns, bare=is_bare).columns_of_rows(path, problems, progress):
        run_ids = cells["run_id"] if "run_id" in fields else [name_of_file(path)] * len(lines)
        ranks = cells["rank"] if "rank" in fields else []
        for pair in zip(cells["query_id"], run_ids, strict=True) if "rank" not in fields else ():
            places[pair] += 1
            ranks.append(places[pair])
        values = {"run_id": run_ids, "query_id": cells["query_id"], "doc_id": cells["docno"], "source_rank": ranks}
        values["score"] = cells["score"] if "score" in fields else [-float(rank) for rank in ranks]
        values |= {"rank": [0] * len(lines), "cut": [False] * len(lines)}
        before, last = (run_ids[-2:] or [""])[0], (run_ids or [""])[-1]
        if lines and lines[-1] == problems.unfinished and last != before and before.startswith(last):
            what = f"{delimited.CUT_OFF}, in the middle of its last line"
            problems.add(lines[-1], what, f"{cells['query_id'][-1]} {run_ids[-1]}", delimited.CUT_OFF_REMEDY)
        runs |= dict.fromkeys(run_ids)
        rows.add_lines(lines, RANKINGS.packed(values))
    return runs


_FORMS = {
    "query_id 0 doc_id relevance probability": "$1, 0, $3, $4",
    "query_id 0 doc_id stratum relevance": "$1, 0, $3, $5",
    "query_id doc_id relevance method probability": "$1, 0, $2, $3",
    "query_id 0 doc_id relevance probability stratum": "$1, 0, $3, $4",
}
"""Their columns, and which are those of qrels."""


def sampled_columns(opening: Opening) -> str:
    """The columns of a file that begins like judgments of a sample; empty for every other file."""
    if opening.is_trec_run:
        return ""
    # A fourth column that counts up below each query has ranks.
    places = [(row[0], as_whole_number(row[3]) or 0) for row in opening.rows if len(row) in (5, 6)]
    if places and all(query != other or a < b for (query, a), (other, b) in pairwise(places)):
        return ""

    def fits(form: Sequence[str], row: Sequence[str]) -> bool:
        return len(row) == len(form) and all(map(_is_cell, row, form))

    return next((form for form in _FORMS if opening.most(partial(fits, form.split()))), "")


def _is_cell(cell: str, name: str) -> bool:
    if name == "probability":
        share = as_number(cell)
        return share is not None and 0 < share <= 1 and "." in cell
    if name == "0":
        return cell.isdigit() and is_iteration(cell)
    return name in ("query_id", "doc_id") or as_whole_number(cell) is not None


def refuse_sampled(opening: Opening) -> None:
    """Raise BadInput where a file holds judgments of a sample."""
    if columns := sampled_columns(opening):
        problems = Problems(opening.path)
        what = f"judgments of a sample ({columns}), which are not read: measures would count every judgment as one"
        remedy = f"To read them so nevertheless, keep the columns of qrels: awk '{{print {_FORMS[columns]}}}'"
        problems.add(1, what, opening.lines[0], remedy)
        problems.raise_if_any()
