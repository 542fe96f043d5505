"""Texts that measures compare: those of runs, and the nuggets of a bank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from exam_core.analysis.choice import Evaluation
from exam_core.analysis.unlabelled import MeasureSource, Unlabelled
from exam_core.errors import UsageError
from exam_core.numbers.arrays import Bools
from exam_core.printed import table
from exam_core.request import DEPTH, Order
from exam_core.results import ResultTable, number, text
from exam_core.store import Snapshot
from exam_core.store.cells import FACET, RANKED
from exam_core.store.names import BankRef, page_sql
from exam_core.store.question_texts import IN_ORDER
from exam_core.store.snapshot import cached_by_snapshot
from exam_core.store.summary import banks, run_ids
from exam_core.wings.neighbours.ranking import answers_with_texts, choose_ranker, ranked_answers, rankers_of
from exam_core.wings.neighbours.sides import Nugget, Sides
from exam_core.wording import counted, texts_come

_ALL = 2**31 - 1
# A nugget to avoid is no fact that an answer should contain.
_NUGGETS = f"""
WITH facet AS ({FACET}),
asked AS (
    SELECT question_id, coalesce(facet.unit, query_id) AS unit, question_text, coalesce(weight, 1) AS weight,
        coalesce(importance, 'vital') = 'vital' AS vital, of_bank
    FROM ({IN_ORDER}) LEFT JOIN facet
        ON facet.page = query_id AND (facet_id IS NULL OR facet.unit = query_id || '/' || facet_id)
    WHERE enabled AND importance IS DISTINCT FROM 'avoid'
)
SELECT * FROM asked ORDER BY unit, of_bank
"""
_LISTED = """
WITH listed AS (
    SELECT run_id, query_id AS unit, place, doc_id FROM ({ranked}) WHERE query_id IN (SELECT unnest($units))
),
doc AS (
    SELECT doc_id, (row_number() OVER (ORDER BY doc_id) - 1)::INTEGER AS doc_code
    FROM (SELECT DISTINCT doc_id FROM listed)
)
"""
_RANKINGS = "SELECT run_id, unit, list(doc_code ORDER BY place) FROM listed JOIN doc USING (doc_id) GROUP BY ALL"
_TEXTS = "SELECT passage_text FROM doc LEFT JOIN passages USING (doc_id) ORDER BY doc_code"
_DOCUMENTS = "SELECT passage_text FROM passages WHERE passage_text IS NOT NULL"


def read_written(
    snapshot: Snapshot, units: Sequence[str], *, depth: int | None, order: str = "score"
) -> Iterator[tuple[str, str, list[str | None]]]:
    """Yield run, unit and texts of the first passages of each ranking; None where a passage has no text.

    Each text is read once, whichever runs rank its passage; `depth` and `order` are as of `CellSource`.
    """
    listed = _LISTED.format(ranked=RANKED[order])
    values = {"depth": depth or _ALL, "units": list(units)}
    texts = _column(snapshot, listed + _TEXTS, values)
    for run, unit, docs in snapshot.query(listed + _RANKINGS, values).itertuples(index=False):
        yield run, unit, [texts[doc] for doc in docs.tolist()]


def _column(snapshot: Snapshot, sql: str, values: dict[str, object] | None = None) -> list[Any]:
    with snapshot.cursor() as cursor:
        return cursor.sql(snapshot.with_tables(sql), params=values).to_arrow_table()[0].to_pylist()


KEPT = 4
"""Sides in memory at once: they hold the texts."""


@dataclass(frozen=True, eq=False)
class AboutSides:
    """The sides of R runs and Q queries, and (R, Q) whether the run returned a passage, with or without text.

    `notes` are sentences about passages and nuggets of which only the id is known.
    """

    sides: Sides
    returned: Bools
    notes: tuple[str, ...]


@cached_by_snapshot(KEPT)
def about_sides(snapshot: Snapshot, bank: BankRef, depth: int | None = DEPTH, order: Order = "score") -> AboutSides:
    """Return the runs' texts for a bank's queries, and the bank's questions as nuggets; kept for the next caller.

    The queries are those with a question that is on and has a text, sorted; a query is a facet where the rankings are
    by facet. A nugget is vital unless its importance says otherwise, and one to avoid is left out. Strings are the
    texts of a run's first passages, best first. `bank` has a version; `depth` and `order` are as in a `Labelling`.
    """
    questions = snapshot.query(_NUGGETS, {"bank": bank.name, "version": bank.version or 0})
    has_text = np.array([isinstance(text, str) and bool(text.strip()) for text in questions["question_text"]], bool)
    nuggets: dict[str, list[Nugget]] = {}
    for question in questions[has_text].itertuples():
        nugget = Nugget(question.question_id, question.question_text, question.vital, question.weight)
        nuggets.setdefault(question.unit, []).append(nugget)
    collection, unread = snapshot.collection, int((~has_text).sum())
    runs, query_ids = run_ids(snapshot), list(nuggets)
    row = {run: place for place, run in enumerate(runs)}
    column = {query: place for place, query in enumerate(query_ids)}
    returned = np.zeros((len(runs), len(query_ids)), bool)
    strings: dict[tuple[int, int], list[str]] = {}
    places = silent = 0
    for run, unit, texts in read_written(snapshot, query_ids, depth=depth, order=order):
        key = row[run], column[unit]
        returned[key] = True
        known = [text for text in texts if text is not None]
        places, silent = places + len(texts), silent + len(texts) - len(known)
        if known:
            strings[key] = known
    sides = Sides(runs, query_ids, strings, list(nuggets.values()), documents=lambda: _documents(snapshot))
    notes = []
    if silent:
        notes.append(
            f"{silent:,} of {places:,} ranked passages have no text: they count as empty answers. "
            f"{texts_come(collection)}"
        )
    if unread:
        notes.append(f"{counted({'questions': unread})} of bank {bank} without text: left out.")
    return AboutSides(sides, returned, tuple(notes))


@cached_by_snapshot(KEPT)
def _documents(snapshot: Snapshot) -> list[str]:
    """Return the texts of all passages that have one."""
    return _column(snapshot, _DOCUMENTS)


def sides_of(snapshot: Snapshot, choice: Evaluation) -> AboutSides:
    """Return the runs' texts down to the measure's depth, beside the bank's nuggets.

    Raises UsageError where there are no runs, or no nugget with a text.
    """
    labelling = choice.labelling
    assert labelling.grading.bank is not None, "a measure of texts is of a bank"
    result = about_sides(snapshot, labelling.grading.bank, choice.measure.depth or labelling.depth, labelling.order)
    if not result.sides.run_ids or not result.sides.query_ids:
        what = "no runs" if not result.sides.run_ids else f"no nugget with a text in bank {labelling.grading.bank}"
        raise UsageError(f"{snapshot.collection} has {what}: {choice.measure} compares what runs wrote with nuggets.")
    return result


def _of_texts(snapshot: Snapshot, choice: Evaluation) -> Unlabelled:
    about = sides_of(snapshot, choice)
    both = about.sides
    info, options = choice.measure.info, choice.measure.options
    pooled = info.pooled(both, options) if info.pooled else None
    values = info.compute(both, options) if pooled is None else None
    notes = (*about.notes, *(info.notes(both, options) if info.notes else ()))
    return Unlabelled(list(both.run_ids), list(both.query_ids), about.returned, values, pooled, notes)


def _of_scores(snapshot: Snapshot, choice: Evaluation) -> Unlabelled:
    options = choice.measure.options
    answers = ranked_answers(snapshot, choose_ranker(snapshot, options.ranker or None, "NRP(ranker={})"))
    places, shape = (answers.run, answers.query), (len(answers.runs), len(answers.queries))
    values = choice.measure.info.compute(answers.rank, answers.size, places, shape, options)
    stays = [place for place, run in enumerate(answers.run_ids) if run not in snapshot.left_out]
    returned = np.zeros(shape, bool)
    returned[places] = True
    names = [answers.run_ids[place] for place in stays]
    # As everywhere, a query without results counts 0, unless it is asked to be left out; answers that no document was
    # ranked with have no value where documents are counted.
    return Unlabelled(names, list(answers.queries), returned[stays], np.where(returned, values, 0.0)[stays])


SOURCES = (
    MeasureSource("texts", lambda snapshot: bool(run_ids(snapshot)) and bool(banks(snapshot)), _of_texts),
    MeasureSource(
        "scores",
        lambda snapshot: bool(rankers_of(snapshot)),
        _of_scores,
        # No name stands for the only ranker.
        lambda snapshot: {"ranker": ("", *rankers_of(snapshot))},
    ),
)


SIZES = ResultTable(
    "nrp: sizes",
    "Parameters of the models behind generated answers",
    text("system", "System", pinned=True),
    number(
        "parameters", "Parameters", "Parameters of the model; a dash where unknown.", "parameters", form="localized"
    ),
    text("source", "Known from", width="large"),
)
FROM_FILE = "the imported file, column parameters"
UNKNOWN = "not known: add a column parameters to the file"
_STATED = """
SELECT DISTINCT parts->>'$.system' AS system, try_cast(extra->>'$.parameters' AS DOUBLE) AS parameters FROM scores
WHERE extra->>'$.parameters' IS NOT NULL AND parts->>'$.system' IS NOT NULL
"""
_OF_TEXTS = """
SELECT doc_id, try_cast(extra->>'$.parameters' AS DOUBLE) AS parameters FROM passages
WHERE extra->>'$.parameters' IS NOT NULL
"""


def sizes(snapshot: Snapshot, systems: tuple[str, ...]) -> pd.DataFrame:
    """Parameters of each system's model: those of the imported files, else those of the NRP paper's eight models.

    Rows are as `SIZES`, in the order of `systems`; NaN where the number is unknown, or files contradict each other.
    """
    stated = snapshot.query(_STATED)
    if len(texts := snapshot.query(_OF_TEXTS)):
        of_texts = answers_with_texts(snapshot)[["doc_id", "system"]].merge(texts, on="doc_id")
        stated = pd.concat([stated, of_texts[["system", "parameters"]].drop_duplicates()])
    groups: dict[str, set[float]] = {}
    for row in stated.dropna().itertuples():
        groups.setdefault(row.system, set()).add(row.parameters)
    printed = {row["system"]: row for row in table("nrp_models").to_dict("records")}
    rows = []
    for system in systems:
        if len(values := groups.get(system, set())) == 1:
            rows.append((system, next(iter(values)), FROM_FILE))
        elif values:
            rows.append((system, np.nan, "files say " + " and ".join(f"{value:g}" for value in sorted(values))))
        elif system in printed:
            known = printed[system]
            rows.append((system, float(known["parameters"] or "nan"), known["source"]))
        else:
            rows.append((system, np.nan, UNKNOWN))
    return SIZES.of(rows)


# A facet's ranking is graded by the questions of its page, too.
_SAID = f"""
WITH bank AS (
    SELECT question_id, query_id, question_text, importance, enabled, of_bank FROM ({IN_ORDER})
),
said AS (
    SELECT question_id, grades.query_id, doc_id, grade, answer, importance, question_text, enabled,
        lower(trim(answer)) LIKE 'contradict%' AS contradicted
    FROM grades JOIN bank USING (question_id, query_id)
    WHERE grader_id = $grader
),
read AS (SELECT *, {page_sql("query_id")} AS page FROM ({{ranked}}))
"""
_ODD = (
    _SAID
    + """
SELECT run_id, CASE WHEN importance = 'avoid' THEN 'to avoid' WHEN contradicted THEN 'contradicted' ELSE 'unread' END
    AS kind, coalesce(answer, '') AS label, count(*) AS n
FROM read JOIN said ON said.doc_id = read.doc_id AND said.query_id IN (read.query_id, read.page)
WHERE CASE WHEN importance = 'avoid' THEN grade > 0 ELSE enabled AND (grade IS NULL OR contradicted) END
GROUP BY ALL ORDER BY run_id, kind, n DESC, label
"""
)
_FOUND = (
    _SAID
    + """
SELECT bank.question_id, bank.question_text, bank.importance, bank.enabled, best.grade, best.answer AS label,
    best.doc_id, best.rank
FROM bank LEFT JOIN (
    SELECT question_id, said.query_id, grade, answer, said.doc_id, read.rank
    FROM read JOIN said ON said.doc_id = read.doc_id AND said.query_id IN (read.query_id, read.page)
    WHERE run_id = $run AND read.query_id = $query
    QUALIFY row_number() OVER (PARTITION BY question_id, said.query_id ORDER BY grade DESC NULLS LAST, place) = 1
) best USING (question_id, query_id)
WHERE bank.query_id IN ($query, """
    + page_sql("$query")
    + """)
ORDER BY of_bank
"""
)


def odd_labels(
    snapshot: Snapshot, *, bank: tuple[str, int], grader_id: str, depth: int | None, order: str = "score"
) -> pd.DataFrame:
    """Count labels of runs' first passages that are no plain grade: run_id, kind, label, n.

    `kind` is unread (the grade is null), contradicted (by the label), or to avoid (a nugget to avoid that is supported,
    wholly or in part); a missing label is an empty text.
    """
    values = {"bank": bank[0], "version": bank[1], "grader": grader_id, "depth": depth or _ALL}
    return snapshot.query(_ODD.format(ranked=RANKED[order]), values)


def found_nuggets(
    snapshot: Snapshot,
    run_id: str,
    query_id: str,
    *,
    bank: tuple[str, int],
    grader_id: str,
    depth: int | None,
    order: str = "score",
) -> pd.DataFrame:
    """Return a query's nuggets in the bank's order, each with its best grade among a run's first passages.

    Columns are question_id, question_text, importance, enabled, and grade, label, doc_id, rank: null where a nugget was
    never graded, the grade also where it can't be read.
    """
    values = {"bank": bank[0], "version": bank[1], "grader": grader_id, "depth": depth or _ALL}
    values |= {"run": run_id, "query": query_id}
    return snapshot.query(_FOUND.format(ranked=RANKED[order]), values)
