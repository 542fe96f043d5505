"""Values of measures as evaluation tools write them: rows of run, measure, topic and value.

    map  all  0.5    AP  0.5    q1  AP  0.5      lines of trec_eval and ir_measures, of one run
    bm25  map  q1  0.5                           lines of several runs, such as those of TREC Auto-Judge
    run_id,measure,topic_id,value                a table, or JSON, with a header in any order
    qid,AP,nDCG@10                               a wide one, with a column for each measure
    user_input,response,faithfulness             the samples of ragas, and of Inspect with a row for each epoch
    {"q1": {"map": 0.5}}                         pytrec_eval, and what else `records` reads

Without a header, the word `all` and the names of measures tell topics from measures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from math import fsum
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from exam_core.errors import Problems, Undecided, visible
from exam_core.formats import delimited
from exam_core.formats.format import Format, Opening
from exam_core.formats.leaderboards import LEADERBOARD, board_name, boards_of, chosen_column
from exam_core.formats.lines import text_lines
from exam_core.formats.measure_names import ALL, CODE, names_measure
from exam_core.formats.numbers import as_number
from exam_core.formats.reading import TOGETHER, Reading, Rows, refuse_several_runs
from exam_core.formats.records import first_records, record_rows, refuse_texts_for_ids
from exam_core.progress import Progress, no_progress
from exam_core.tables import LEADERBOARDS, SCORES, values_of_board

_HEADINGS = {"run": delimited.RUN_ID, "measure": ("metric",), "topic": delimited.QUERY_ID, "value": ("score", "mean")}
_SAMPLES = {
    ("user_input", "response"): {"topic": "user_input"},
    ("eval_id", "sample_id", "model", "id", "epoch"): {"run": "model", "topic": "id", "epoch": "epoch"},
}
"""Where ragas and Inspect have ids, told by columns that only their tables have."""
_WORDS = {"C": "1", "P": "0.5", "I": "0", "N": "0"}
"""Inspect's verdicts (correct, partial, incorrect, no answer) and their values."""
_WITHOUT_HEADER = {2: ["measure"], 3: ["measure", "topic"], 4: ["run", "measure", "topic"]}
_OF_OTHERS = {"doc_id": delimited.DOC_ID, **dict.fromkeys(("question_id", "rank", "relevance", "label", "grade"), ())}
_COUNTS = re.compile("num_(q|ret|rel|rel_ret|nonrel_judged_ret|q_rel.*)")
"""What trec_eval counts and prints between its measures."""
_TEXTS = "runid|relstring.*"
"""What trec_eval prints as if it were a measure, with a text for its value."""
_UNDEFINED = ("", "nan", "none", "null", "na", "n/a")
_MOST = 500
"""Measures of a file that become leaderboards at once: trec_eval has some 200, and what has more are no measures."""
_BLANKS = re.compile(r"[ \t\r\n\v\f]+")


class _Form(NamedTuple):
    """Where a file has its values.

    Parameters
    ----------
    fields : the field of a row that has the run, measure, topic, value or epoch; those that rows have
    names : what a table or JSON calls these fields; empty of lines, whose fields are places
    measures : the fields of a wide table that are named after measures and have their values
    width, headed : of lines, how many cells they have, and whether the first has their names
    """

    fields: Mapping[str, str]
    names: delimited.Names
    measures: Sequence[str] = ()
    width: int = 0
    headed: bool = True


def _form(opening: Opening) -> _Form | None:
    """The form of a file that begins so; None if that can't be one of values."""
    header, *rows = first_records(opening, _HEADINGS)
    columns = {name: [row[index] for row in rows if index < len(row)] for index, name in enumerate(header)}
    for marks, fields in _SAMPLES.items():
        names = [name for name in header if any(columns[name]) and name not in fields.values()]
        names = [name for name in names if "epoch" not in fields or name.startswith("score_")]
        scores = [name for name in names if _are_values(columns[name], _WORDS)]
        if {*marks} <= {*header} and scores:
            return _Form(fields, dict.fromkeys((*fields.values(), *scores), ()), scores)
    places = delimited.columns_of(header, _HEADINGS)
    ids: dict[str, str] = {role: role for role in ("run", "topic") if role in places}
    long = {**ids, "measure": "measure", "value": "value"}
    if {"measure", "value"} <= places.keys() and (ids or opening.is_json):
        return _Form(long, {name: _HEADINGS[name] for name in long})
    own = {role: _HEADINGS[role] for role in ids}
    if opening.is_json and header[-2:] == ["doc_id", "score"] and ids and all(map(names_measure, columns["doc_id"])):
        return _Form(long, {**own, "measure": ("doc_id",), "value": ("score",)})
    measures = [name for place, name in enumerate(header) if name and place not in map(places.get, ids)]
    if (
        "topic" in ids
        and not delimited.columns_of(header, _OF_OTHERS)
        and any(names_measure(name) or "score" in name.lower() for name in measures)
        and any(any(columns[name]) for name in measures)
        and all(_are_values(columns[name]) for name in measures)
    ):
        return _Form(ids, {**own, **dict.fromkeys(measures, ())}, measures)
    cells = _cells(opening.lines[0]) if opening.lines else []
    places = delimited.columns_of(cells, _HEADINGS)
    if {"measure", "value"} <= places.keys() and len(places) > 2:
        return _Form({role: str(place) for role, place in places.items()}, {}, width=len(cells))
    if len(cells) not in _WITHOUT_HEADER:
        return None
    roles = [*_WITHOUT_HEADER[len(cells)], "value"]
    if len(roles) > 3 and any(cells[2:] and cells[2].startswith("0.") for cells in map(_cells, opening.lines)):
        return None  # trec_eval's zscores_file: topic, measure, mean, standard deviation
    return _Form({role: str(place) for place, role in enumerate(roles)}, {}, width=len(cells), headed=False)


def _are_values(cells: Sequence[str], words: Mapping[str, str] = {}) -> bool:
    texts = (delimited.with_point(words.get(cell, cell), delimited.TAB) for cell in cells)
    return all(as_number(text) is not None or text.lower() in _UNDEFINED for text in texts)


def _cells(text: str) -> list[str]:
    """The cells of a line: parted at tabs if it has some, else at blanks."""
    if "\t" in text:
        return [cell.strip(" ") for cell in text.split("\t")]
    return [cell for cell in _BLANKS.split(text) if cell]


_COLUMNS = ["line", "run", "measure", "topic", "epoch", "text"]
_Rows = Iterator[tuple[Any, ...]]
"""Rows with these columns; a column that a form does not have is empty."""


def _line_rows(path: Path, form: _Form, problems: Problems, progress: Progress) -> _Rows:
    """Lines whose cells tabs or blanks part; comments and a header are left out."""
    nowhere = str(form.width)
    take = itemgetter(*(int(form.fields.get(role, nowhere)) for role in (*_COLUMNS[1:-1], "value")))
    lines = ((line, _cells(text)) for line, text in text_lines(path, problems, progress) if not text.startswith("#"))
    for line, cells in islice(lines, form.headed, None):
        if len(cells) == form.width:
            yield line, *take([*cells, ""])
        elif line == problems.unfinished and len(cells) < form.width:
            what = f"{delimited.CUT_OFF}, in the middle of its last line"
            problems.add(line, what, " ".join(cells), delimited.CUT_OFF_REMEDY)
        else:
            what = f"{len(cells)} columns where the lines before have {form.width}"
            problems.add(line, what, " ".join(cells), "Give the line the columns of the others, or remove it.")


def _record_rows(path: Path, form: _Form, opening: Opening, problems: Problems, progress: Progress) -> _Rows:
    """Rows of a table or of JSON, one for each measure of a wide one."""
    if opening.is_json or form.measures:
        refuse_texts_for_ids(opening, {"query_id": form.names.get(form.fields.get("topic", ""), ())})
    needed = [name for name in form.names if name not in form.measures]
    words = _WORDS if "epoch" in form.fields else {}
    for row in record_rows(path, form.names, problems, progress, needed=needed):
        own = {role: row.of(field) for role, field in form.fields.items()}
        for measure in form.measures or [own["measure"]]:
            text = row.number(measure if form.measures else form.fields["value"])
            names = own | {"measure": measure}
            yield row.line, *(names.get(role, "") for role in _COLUMNS[1:-1]), words.get(text, text)


def _values(path: Path, problems: Problems, progress: Progress) -> tuple[pd.DataFrame, list[str] | None]:
    """Line, run, measure, topic and value of each row, and which runs these are of, where no column says it."""
    opening = Opening(path)
    form = _form(opening)
    rows: _Rows = iter(())
    if form is not None:
        read = partial(_record_rows, opening=opening) if form.names else _line_rows
        rows = read(path, form, problems=problems, progress=progress)
    packs = [pd.DataFrame(some, columns=_COLUMNS) for some in iter(lambda: list(islice(rows, TOGETHER)), [])]
    problems.raise_if_any()
    frame = pd.concat(packs, ignore_index=True) if packs else pd.DataFrame(columns=_COLUMNS, dtype="str")
    is_text = frame["measure"].str.fullmatch(_TEXTS) | frame["topic"].str.fullmatch(_TEXTS)
    texts, frame = frame[is_text], frame[~is_text]
    if form is None or frame.empty:
        widths = "; ".join(", ".join([*roles, "value"]) for roles in _WITHOUT_HEADER.values())
        remedy = f"Write one of: {widths}; or a header that names the columns."
        problems.add(1, "no values of measures", next(iter(opening.whole), ""), remedy)
        problems.raise_if_any()
    assert form
    runs = list(texts["text"][(texts["measure"] == "runid") | (texts["topic"] == "runid")].unique())
    frame["value"] = frame["text"].map({text: as_number(text) for text in frame["text"].unique()}).astype("float64")
    for row in frame[frame["value"].isna() & ~frame["text"].str.lower().isin(_UNDEFINED)].itertuples():
        remedy = "Write a number with a decimal point; nan says that there is no value."
        shown = " ".join(filter(None, (row.run, row.measure, row.topic, row.text)))
        problems.add(row.line, f"value {row.text} is not a number", shown, remedy, cause="no number")
    names = [role for role in ("run", "measure", "topic") if role in form.fields]
    for row in frame[(frame[names] == "").any(axis=1)].itertuples():
        what = "an empty cell where a run, a measure or a topic belongs"
        problems.add(row.line, what, " ".join((row.run, row.measure, row.topic, row.text)), "Fill it in.")
    if not form.headed and "topic" in form.fields and _has_topics_first(frame):
        frame = frame.rename(columns={"measure": "topic", "topic": "measure"})
    if "epoch" in form.fields:
        frame = _means_of_epochs(frame, problems)
    problems.raise_if_any()
    return frame, None if "run" in form.fields else runs


def _has_topics_first(frame: pd.DataFrame) -> bool:
    """Whether what was taken for measures are topics: more is called `all` among them, or else fewer is a measure."""
    first, second = (frame[column].value_counts() for column in ("measure", "topic"))
    known, others = (sum(n for name, n in names.items() if names_measure(str(name))) for names in (first, second))
    return (first.get(ALL, 0), others) > (second.get(ALL, 0), known)


def _means_of_epochs(frame: pd.DataFrame, problems: Problems) -> pd.DataFrame:
    """The mean of each sample's epochs; two values of an epoch go to the problems."""
    key = ["run", "measure", "topic"]
    frame = frame.drop_duplicates([*key, "epoch", "value"])
    for row in frame[frame.duplicated([*key, "epoch"])].itertuples():
        what = f"a second {row.measure} of {row.run} and {row.topic} in epoch {row.epoch}"
        problems.add(row.line, what, row.text, "Keep one evaluation of each model.", cause="second score")
    mean = ("value", lambda values: fsum(values) / len(values))
    return frame.groupby(key, sort=False).agg(line=("line", "first"), text=("text", "first"), value=mean).reset_index()


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
    Where there are several leaderboards, each has the name of its measure behind `leaderboard_id`.

    `column`: the measure that is read; None takes all of a file of several runs, and the only one of a run's. `run`:
    whose values these are, where no column and no line says it. Raises Undecided where measure or run have to be
    chosen, and BadInput where a line has other columns, a value is no number, or there are two for a run and a topic.
    """
    problems = Problems(path)
    frame, runs = _values(path, problems, progress)
    known = [str(name) for name in frame["measure"].unique()]
    offered = [name for name in known if not _COUNTS.fullmatch(name)]
    measures, nameless = offered or known, runs == [] and not run
    if runs is not None or column is not None:
        measures = [chosen_column(path, column, offered, known, needs_run=nameless)]
    elif len(measures) > _MOST:
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
    if run or runs is not None:
        refuse_several_runs(path, frame["run"] if runs is None else runs, f"the name {run}" if run else "no column")
        frame = frame.assign(run=run or (runs or [""])[0])
    boards = {board_name(leaderboard_id, name, several=len(measures) > 1): name for name in measures}
    frame["board"] = frame["measure"].map({name: board for board, name in boards.items()})
    is_mean, is_read = frame["topic"].isin((ALL, "")), frame["board"].notna()
    of_means, by_topic = frame[is_read & is_mean], frame[is_read & ~is_mean]
    means, values = Rows(LEADERBOARDS, problems), Rows(SCORES, problems)
    columns = {"leaderboard_id": of_means["board"], "run_id": of_means["run"], "score": of_means["value"]}
    means.add_lines(of_means["line"].to_numpy(), LEADERBOARDS.packed(columns))
    columns = {"method": by_topic["board"].map(values_of_board), "run_id": by_topic["run"], "value": by_topic["value"]}
    values.add_lines(by_topic["line"].to_numpy(), SCORES.packed({**columns, "query_id": by_topic["topic"]}))
    reading = boards_of(means, values, boards, tolerance=10.0 ** -_decimals(frame["text"][frame["value"].notna()]))
    reading.columns = tuple(offered)
    return reading


def _decimals(texts: pd.Series) -> int:
    """How many digits numbers have behind the point at most; those with an exponent have all that there are."""
    return max((15 if "e" in text.lower() else len(text.partition(".")[2]) for text in texts), default=0)


def is_of_one_run(path: Path) -> bool:
    """Whether a file is output of an evaluation tool that no column of runs divides."""
    opening = Opening(path)
    form = _form(opening)
    return form is not None and "run" not in form.fields and _fits(opening)


def _fits(opening: Opening) -> bool:
    """Whether a file begins like values of measures; names that other files have, too, need more than a name."""
    form = _form(opening)
    if form is None or form.headed:
        return form is not None
    fitting = [cells for cells in map(_cells, opening.lines) if len(cells) in _WITHOUT_HEADER and _is_value(cells)]
    certain = any(
        "." in cells[-1] or cells[-1].lower() == "nan" or {ALL, "runid"} & {*cells[:-1]} or "@" in "".join(cells)
        for cells in fitting
    )
    certain = certain or all(len(cells) == 4 and CODE.fullmatch(cells[1]) for cells in fitting)
    return len(fitting) * 2 > len(opening.lines) and certain


def _is_value(cells: Sequence[str]) -> bool:
    """Whether a line ends with a value, behind the name of a measure or the word `all`."""
    *names, cell = cells
    own = names[-2:]
    if as_number(cell) is None and cell.lower() != "nan" and not any(re.fullmatch(_TEXTS, name) for name in own):
        return False
    is_code = len(names) == 3 and CODE.fullmatch(names[1]) is not None
    return is_code or any(map(names_measure, own)) or (ALL in own and len(names) > 1)


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
