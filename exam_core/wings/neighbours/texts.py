"""Texts that measures compare: those of runs, and the nuggets of a bank."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb
from typing import Any

import numpy as np
import pandas as pd

from exam_core.analysis.choice import Evaluation
from exam_core.analysis.printed import RULES, Study, StudyFigure
from exam_core.analysis.shared_columns import QUESTION, QUESTION_TEXT
from exam_core.analysis.unlabelled import MeasureSource, Unlabelled
from exam_core.errors import UsageError
from exam_core.numbers.arrays import Bools
from exam_core.printed import table
from exam_core.request import DEPTH, Order
from exam_core.results import ResultTable, decimal, number, text
from exam_core.store import Snapshot
from exam_core.store.cells import FACET, RANKED
from exam_core.store.names import BankRef
from exam_core.store.pairs import texts_of
from exam_core.store.question_texts import IN_ORDER
from exam_core.store.snapshot import cached_by_snapshot
from exam_core.store.summary import banks, run_ids
from exam_core.wings.neighbours.nuggets import is_of_nuggets
from exam_core.wings.neighbours.pourpre import find_nuggets, matches
from exam_core.wings.neighbours.ranking import choose_ranker, ranked_answers, rankers_of
from exam_core.wings.neighbours.sides import Nugget, Sides
from exam_core.wording import counted, texts_come

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


def _column(snapshot: Snapshot, sql: str, values: dict[str, object] | None = None) -> list[Any]:
    with snapshot.cursor() as cursor:
        return cursor.sql(snapshot.with_tables(sql), params=values).to_arrow_table()[0].to_pylist()


KEPT = 4
"""Sides in memory at once: they hold the texts."""


@dataclass(frozen=True, eq=False)
class AboutSides:
    """The sides of R runs and Q queries, and (R, Q) whether the run returned a passage, with or without text."""

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
    # Each text is read once, whichever runs rank its passage.
    listed = _LISTED.format(ranked=RANKED[order])
    values: dict[str, object] = {"depth": depth or 2**31 - 1, "units": query_ids}
    passages = _column(snapshot, listed + _TEXTS, values)
    for run, unit, docs in snapshot.query(listed + _RANKINGS, values).itertuples(index=False):
        key = row[run], column[unit]
        returned[key] = True
        texts = [passages[doc] for doc in docs.tolist()]
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
MATCHES = ResultTable(
    "nuggets: matches",
    "Share of each nugget's terms in one run's answer to a query",
    replace(QUESTION_TEXT, label="Nugget"),
    text("importance", "Importance", "Recall counts vital nuggets; an okay one only makes room for a longer answer."),
    decimal(
        "match",
        "Match",
        "Share of the nugget's terms that the answer string with most of them has; a dash where it has no term.",
        "share of its terms",
        "Lin & Demner-Fushman 2005, section 5",
    ),
    text("terms", "Terms found"),
    number("rank", "String", "Place of that string in the answer.", "place"),
    QUESTION,
)


@dataclass(frozen=True)
class Matched:
    """One run's answer as POURPRE reads it.

    `rows` are `MATCHES`, vital nuggets first, the best matches first among equally important ones; `strings` the answer
    strings, in order; `places`, by row, those of its terms: string from 0, begin and end of the word.
    """

    query_text: str | None
    rows: pd.DataFrame
    strings: tuple[str, ...]
    places: tuple[tuple[tuple[int, int, int], ...], ...]


def matches_of(snapshot: Snapshot, choice: Evaluation, run_id: str, query_id: str) -> Matched:
    """Return how well a run's answer to a query matches each nugget; UsageError without such a run, query or nugget."""
    both = sides_of(snapshot, choice).sides
    if run_id not in both.run_ids or query_id not in both.query_ids:
        raise UsageError(f"There is no answer of {run_id} to a query {query_id} with nuggets.")
    run, query = both.run_ids.index(run_id), both.query_ids.index(query_id)
    matched = find_nuggets(both, run, query, choice.measure.options)
    matched.sort(key=lambda match: (not match.nugget.vital, -np.nan_to_num(match.score, nan=-1.0)))
    rows = [
        (
            match.nugget.text,
            "vital" if match.nugget.vital else "okay",
            match.score,
            ", ".join(match.terms),
            np.nan if match.string is None else match.string + 1,
            match.nugget.nugget_id,
        )
        for match in matched
    ]
    words = texts_of(snapshot, [query_id])[0]
    return Matched(
        words if isinstance(words, str) else None,
        MATCHES.of(rows),
        tuple(both.strings.get((run, query), ())),
        tuple(match.places for match in matched),
    )


def pourpre_figures(snapshot: Snapshot) -> tuple[list[StudyFigure], list[str]]:
    """Return the printed figures that follow from printed numbers, and notes on what the others need."""
    del snapshot
    facts = table("pourpre_facts").set_index("fact")

    def figure(about: str, words: str, fact: str, ours: float, setting: str) -> StudyFigure:
        value, printed_in = facts.loc[fact, ["value", "printed_in"]]
        return StudyFigure(about, words, str(value), str(printed_in), ours, setting)

    strings = ("A", "B C D", "D", "A D")
    example = Sides(["answer"], ["example"], {(0, 0): strings}, [[Nugget("example", "A B C D")]])
    score = float(next(matches(example)).scores[0, 0])
    runs, swaps, small = (int(facts.loc[name, "value"]) for name in ("runs", "rank_swaps", "rank_swaps_below_0.02"))
    printed = f"{small} of {swaps}, as printed"
    figures = [
        figure("definition", "match score of the example", "example_match_score", score, "as defined"),
        figure(
            "rank swaps", "pairs of runs", "pairwise_comparisons", float(comb(runs, 2)), f"of the printed {runs} runs"
        ),
        figure("rank swaps", "percent below 0.02", "rank_swaps_below_0.02_share", 100 * small / swaps, printed),
    ]
    return figures, [
        "The printed numbers of rank swaps and of trials need the definition runs of TREC 2003 and 2004 with the "
        "assessors' nuggets and official scores, which NIST gives to participants. Once these are "
        "imported, the same figures are computed of these runs.",
        "Tables 2 to 4 (Kendall, R2 and stemming) are not in the text at hand: there is no printed value to compare "
        "with.",
    ]


STUDY = (Study("pourpre", "POURPRE", RULES, is_of_nuggets, pourpre_figures),)
