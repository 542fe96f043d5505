"""Why a run is displaced: the queries, questions and passages in which it differs from its neighbours."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from exam_core.analysis.agreement import UNJUDGED, relevances_of_pairs
from exam_core.analysis.choice import Evaluation
from exam_core.analysis.displacements import direction, officially, places
from exam_core.analysis.grade_scales import about_scales
from exam_core.analysis.leaderboard import title
from exam_core.analysis.references import Paired, needed_reference, pair_with
from exam_core.analysis.shared_columns import (
    DIFFERENCE,
    PASSAGE,
    PASSAGE_TEXT,
    QUERY,
    QUERY_TEXT,
    QUESTION,
    QUESTION_TEXT,
)
from exam_core.analysis.uncertainty import values_of_runs
from exam_core.analysis.values import gradebook
from exam_core.charts.chart_layout import (
    DEMOTED,
    PROMOTED,
    QUIET,
    axis,
    beginning,
    name_axis,
    size_layout,
    with_description,
)
from exam_core.charts.leaderboard_lines import BESIDE, escape_name, in_lines, with_room
from exam_core.defaults import TOP_CAUSES
from exam_core.errors import UsageError
from exam_core.measures.gradebook import Gradebook
from exam_core.names import NAMED, enumerated
from exam_core.numbers.arrays import Bools
from exam_core.numbers.displacement import displacements, neighbours_of
from exam_core.numbers.means import mean_and_stderr
from exam_core.request import RELEVANT_FROM
from exam_core.results import ResultTable, decimal, flag, number, rank, signed
from exam_core.store import Snapshot
from exam_core.store.pairs import texts_of
from exam_core.store.summary import qrels_ids
from exam_core.table_text import first_rows, written
from exam_core.tables import UNREADABLE
from exam_core.wings.explanations.query_rankings import Movers, TwoRankings, movers
from exam_core.wording import counted, ordinal, reference_in_words, shortened

SHOWN_TEXT = 240

QUERIES = ResultTable(
    "explanation: queries",
    "A run's value on every query beside that of its neighbours, queries that move the run most first",
    QUERY,
    replace(QUERY_TEXT, width="medium"),
    decimal("value", "Value", unit="score"),
    decimal("neighbours", "Neighbours", "Mean of the two runs above and the two below in the reference.", "score"),
    DIFFERENCE,
    signed(
        "contribution",
        "Adds",
        "Difference from the neighbours' mean, divided by the number of queries; the sum is the difference of means.",
        "score",
        form="%+.4f",
    ),
)
QUESTIONS = ResultTable(
    "explanation: questions",
    "Of the first queries, questions that a run answers and most neighbours don't, or the reverse",
    QUERY,
    QUESTION,
    QUESTION_TEXT,
    flag("answered", "It answers"),
    number("neighbours_answering", "Neighbours that answer", unit="runs"),
)
PASSAGES = ResultTable(
    "explanation: passages",
    "A run's passages for the first queries that answer questions most neighbours don't answer; for measures over "
    "labels, relevant passages that most neighbours don't rank",
    QUERY,
    replace(QUESTION, width="small"),
    PASSAGE,
    number("rank", "Rank", unit="rank"),
    number("grade", "Grade", unit="grade"),
    rank("relevance", "Judged", unit="relevance"),
    flag(
        "judged_not_relevant",
        "Judged not relevant",
        "A passage that the grader takes as an answer, and a human assessor judged not relevant.",
    ),
    number("neighbours_ranking", "Neighbours that rank it", unit="runs"),
    PASSAGE_TEXT,
)


@dataclass(frozen=True)
class Explanation:
    """What tells a run from its neighbours in the reference: the two runs above it and the two below it.

    Parameters
    ----------
    method : the leaderboard that displaces it
    rank_displacement : as in `outliers`
    queries, questions : `QUERIES`, `QUESTIONS`
    passages : `PASSAGES`; question_id is None for labels, relevance NaN without a judgment, text its beginning
    movers : the queries that move it on the leaderboard, and which run and query to look at
    """

    run_id: str
    method: str
    reference: str
    neighbours: list[str]
    rank_displacement: float
    queries: pd.DataFrame
    questions: pd.DataFrame
    passages: pd.DataFrame
    movers: Movers
    notes: list[str] = field(default_factory=list)


def explain(
    snapshot: Snapshot, choice: Evaluation, run_id: str, *, top: int = TOP_CAUSES, judgments: str | None = None
) -> Explanation:
    """Where a run's values differ from those of its neighbours, and which passages make the difference.

    Neighbours are the two runs above and the two below in the reference's order, fewer at its ends; ties go by run_id.
    Queries are ordered by what they add to the displacement: those where a promoted run is ahead of its neighbours come
    first, those where a demoted run is behind, and the largest differences where it is not displaced.

    Raises UsageError where there is no such run, the reference does not rank it, or there is nothing to compare with.
    `top`: of so many queries the questions and passages are listed. `judgments`: whose relevance stands beside the
    passages; None takes `official`, or the first there are.
    """
    other = needed_reference(snapshot, choice.reference, choice)
    values = values_of_runs(snapshot, choice)
    both = pair_with(values, other)
    if run_id not in both.run_ids:
        raise UsageError(_why_not_ranked(run_id, values.run_ids, both))
    runs = [both.run_ids.index(run_id), *neighbours_of(both.ranks, both.run_ids.index(run_id))]
    mean, _, _ = mean_and_stderr(both.values)
    moved = float(displacements(mean, -both.ranks)[runs[0]])
    queries, moving = _queries(snapshot, both, runs, moved), movers(snapshot, choice, run_id)
    names = [both.run_ids[run] for run in runs]
    known = qrels_ids(snapshot)
    if not choice.of_grades:
        notes = [f"{choice.measure} uses no grades, so neither questions nor passages explain a query."]
        empty = QUESTIONS.of(), PASSAGES.of()
        return Explanation(run_id, title(choice), other.name, names[1:], moved, queries, *empty, moving, notes)
    side = _RunSide(snapshot, choice, names, judgments or (known[0] if known else None))
    first = queries["query_id"].head(top).tolist()
    questions, passages, notes = side.questions(first), side.passages(first), about_scales(snapshot, choice)
    if not side.book.has_questions:
        notes.append(f"{choice.grading.grader or choice.grading.judgments} labels whole passages: no questions.")
    if side.relevance is None:
        notes.append(f"{snapshot.collection} has no human judgments.")
    return Explanation(run_id, title(choice), other.name, names[1:], moved, queries, questions, passages, moving, notes)


def _why_not_ranked(run_id: str, run_ids: list[str], both: Paired) -> str:
    if run_id in run_ids and run_id in both.reference.ranks.index:
        return f"{run_id} has no mean: no query counts for it."
    if run_id in run_ids:
        return f"{both.reference.name} does not rank {run_id}, so that it has no neighbours there."
    close = get_close_matches(run_id, both.run_ids, n=5)
    return f"There is no run {run_id}. There are: {', '.join(close or both.run_ids[:5])}{'' if close else ', ...'}."


def _queries(snapshot: Snapshot, both: Paired, runs: list[int], moved: float) -> pd.DataFrame:
    own, (around, _, _) = both.values[runs[0]], mean_and_stderr(both.values[runs[1:]].T)
    difference = own - around
    frame = QUERIES.of(
        {
            "query_id": both.query_ids,
            "query_text": texts_of(snapshot, both.query_ids),
            "value": own,
            "neighbours": around,
            "difference": difference,
            "contribution": difference / max(1, int((~np.isnan(difference)).sum())),
        }
    )
    key = np.abs(difference) if moved == 0 or np.isnan(moved) else np.sign(moved) * difference
    order = np.argsort(-np.round(key, 9), kind="stable")  # NaN comes last
    return frame.iloc[order].reset_index(drop=True)


class _RunSide:
    """The rankings of a run and its neighbours, as the measure reads them."""

    def __init__(self, snapshot: Snapshot, choice: Evaluation, run_ids: list[str], judgments: str | None) -> None:
        self.snapshot, self.choice = snapshot, choice
        read = choice.as_read
        self.places = read.measure.depth
        self.book: Gradebook = gradebook(snapshot, read.labelling)
        self.runs = [self.book.run_ids.index(name) for name in run_ids]
        self.labels = self.book.labels(choice.labelling.label_rank)
        self.relevance = relevances_of_pairs(snapshot, read.labelling, judgments) if judgments else None
        self.relevant_from = choice.grading.relevant_from if choice.grading.judgments else RELEVANT_FROM

    def read(self, query: int) -> npt.NDArray[np.int32]:
        """(K, 1 + neighbours) pairs at the places that count."""
        return self.book.slots[: self.places, self.runs, query]

    def answered(self, query: int) -> Bools:
        """(1 + neighbours, S) which questions each run answers."""
        slots = self.read(query)
        graded = np.where(slots[..., None] >= 0, self.book.grades[slots], np.int8(UNREADABLE))
        return (graded >= self.choice.cut).any(axis=0) & self.book.enabled[query]

    def differing_questions(self, query: int) -> tuple[Bools, Bools]:
        """(S,) questions that the run answers and most neighbours don't, and the reverse."""
        run, around = (answers := self.answered(query))[0], answers[1:]
        most = around.sum(axis=0) * 2 > len(around)
        return run & ~most, ~run & most

    def questions(self, query_ids: list[str]) -> pd.DataFrame:
        """Rows of `Explanation.questions`."""
        rows: list[tuple[str, str, bool, int]] = []
        for name, query in self._query_places(query_ids) if self.book.has_questions else []:
            around = self.answered(query)[1:].sum(axis=0)
            for wanted, answered in zip(self.differing_questions(query), (True, False), strict=True):
                rows += [
                    (name, self.book.question_ids[query][slot], answered, int(around[slot]))
                    for slot in self.book.columns(query)
                    if wanted[slot]
                ]
        frame = pd.DataFrame(rows, columns=["query_id", "question_id", "answered", "neighbours_answering"])
        frame = frame.astype({"answered": bool, "neighbours_answering": int})
        frame["question_text"] = self._question_texts(frame)
        return QUESTIONS.of(frame)

    def passages(self, query_ids: list[str]) -> pd.DataFrame:
        """Rows of `Explanation.passages`."""
        answers = self.choice.measure.info.of == "questions"
        rows = [
            (name, *row)
            for name, query in self._query_places(query_ids)
            for row in (self._telling_passages(query, answers=answers))
        ]
        columns = ["query_id", "question_id", "pair", "rank", "grade", "neighbours_ranking"]
        frame = pd.DataFrame(rows, columns=columns)
        pairs = frame.pop("pair").to_numpy(np.int64)
        frame["doc_id"] = np.asarray(self.book.docs, object)[pairs] if len(pairs) else []
        unjudged = np.full(len(pairs), UNJUDGED)
        relevance = unjudged if self.relevance is None else self.relevance[pairs]
        frame["relevance"] = np.where(relevance == UNJUDGED, np.nan, relevance)
        below = pd.array(relevance < self.relevant_from, "boolean")
        below[relevance == UNJUDGED] = pd.NA
        frame["judged_not_relevant"] = below
        frame["text"] = self._texts(frame["doc_id"].tolist())
        return PASSAGES.of(frame)

    def _telling_passages(self, query: int, *, answers: bool) -> list[tuple[str | None, int, int, int, int]]:
        """Question, pair, rank, grade and how many neighbours rank it, of the run's passages that make a difference."""
        slots = self.read(query)
        own = {int(pair): place for place, pair in reversed(list(enumerate(slots[:, 0]))) if pair >= 0}
        around = {pair: int((slots[:, 1:] == pair).any(axis=0).sum()) for pair in own}
        rows: list[tuple[str | None, int, int, int, int]] = []
        for pair, place in sorted(own.items(), key=lambda pair_and_place: pair_and_place[1]):
            if not answers:
                label = int(self.labels[pair])
                if label >= self.choice.cut and around[pair] * 2 <= len(self.runs) - 1:
                    rows.append((None, pair, place + 1, label, around[pair]))
                continue
            wanted = self.differing_questions(query)[0] & (self.book.grades[pair] >= self.choice.cut)
            for slot in (slot for slot in self.book.columns(query) if wanted[slot]):
                name = self.book.question_ids[query][slot]
                rows.append((name, pair, place + 1, int(self.book.grades[pair, slot]), around[pair]))
        return rows

    def _query_places(self, query_ids: list[str]) -> list[tuple[str, int]]:
        places = {name: place for place, name in enumerate(self.book.query_ids)}
        return [(name, places[name]) for name in query_ids if name in places]

    def _question_texts(self, frame: pd.DataFrame) -> list[object]:
        bank = self.choice.grading.bank
        texts = self.snapshot.query(
            "SELECT question_id, query_id, question_text FROM questions WHERE bank_id = ? AND version = ?",
            [bank and bank.name, bank and bank.version],
        )
        known = dict(
            zip(zip(texts["question_id"], texts["query_id"], strict=True), texts["question_text"], strict=True)
        )
        # a facet's question may be the page's
        return [
            known.get((question, query), known.get((question, query.rpartition("/")[0])))
            for question, query in zip(frame["question_id"], frame["query_id"], strict=True)
        ]

    def _texts(self, docs: list[str]) -> list[object]:
        texts = self.snapshot.query(
            f"SELECT doc_id, left(passage_text, {SHOWN_TEXT}) AS text FROM passages "
            "WHERE doc_id IN (SELECT unnest($docs::VARCHAR[]))",
            {"docs": docs},
        )
        return list(pd.Series(docs, dtype=object).map(dict(zip(texts["doc_id"], texts["text"], strict=True))))


def mover_sentences(result: Movers, run_id: str, *, stands: str | None = None) -> list[str]:
    """Why a run is where it is: first that its places are within a standard error, where they are.

    `stands`: the sentence that says where it is, empty where that is said already; None has one made.
    """
    span, moved = result.span, abs(result.displacement)
    sentences = []
    if span and moved >= 1 and span.score < span.stderr:
        sentences.append(
            f"Ranks {span.first} to {span.last} lie within one standard error ({span.stderr:.3f}): {places(moved)} "
            f"{'is' if moved == 1 else 'are'} a difference of {span.score:.3f} in {span.measure}."
        )
    stands = _rank_sentence(result, run_id) if stands is None else stands
    return [
        *sentences,
        *filter(None, [stands]),
        *_query_sentences(result, run_id),
        *_other_run_sentences(result, run_id),
    ]


def _rank_sentence(result: Movers, run_id: str) -> str:
    n = (
        f"the {result.n} runs that are also in {reference_in_words(str(result.reference))}"
        if result.left_out
        else result.n
    )
    text = ""
    if result.direction:
        way, than = direction(result.direction), officially(str(result.reference))
        text = f", {places(abs(result.displacement))} {way} than {than}"
    return f"{run_id} ranks {ordinal(result.rank)} of {n} by {result.title}{text}."


def _query_sentences(result: Movers, run_id: str) -> list[str]:
    """The query that moves a run most, and how much of its displacement that is."""
    first, moved = result.rows.iloc[0], abs(result.displacement)
    alone = first["lifts"] * (result.direction or math.copysign(1, first["lifts"]))
    if not alone > 0:
        return ["No single query explains the run's rank."]
    how = "lifts" if first["lifts"] > 0 else "lowers"
    without = ordinal(first["rank_without"])
    text = f"Query {first['query_id']} {how} the run most: without this query, {run_id} would rank {without}"
    if not result.direction:
        return [f"{text}."]
    if alone >= moved:
        return [f"{text}: that explains the whole displacement."]
    rest = places(moved - alone)
    unexplained = f"No single query explains the other {rest}."
    more = unexplained if moved - alone > alone else f"Other queries explain {rest} more."
    return [f"{text}: that is {alone:g} of the {places(moved)}.", more]


def _other_run_sentences(result: Movers, run_id: str) -> list[str]:
    """Why a run and a query are shown that do not come first."""
    if result.other is None:
        return []
    if result.query_id is None:
        others = "every other run" if len(result.passed) == len(result.others) else result.other
        return [f"For every query, {others} and {run_id} rank the same passages."]
    if result.query_id != result.rows["query_id"].iloc[0]:
        return [
            f"Query {result.query_id} is shown: the first on which {result.other} and {run_id} rank different passages."
        ]
    if not result.passed:
        return []
    less = {1: "no lower", -1: "no higher"}.get(int(result.direction), "the same")
    more = [f"{len(result.passed) - NAMED} more"] if len(result.passed) > NAMED else []
    score = "scores" if len(result.passed) == 1 else "score"
    return [f"{enumerated([*result.passed[:NAMED], *more])} {score} {less} on this query, so {result.other} is shown."]


def alike_sentence(both: TwoRankings, runs: tuple[str, str], query_id: str) -> str:
    """That two rankings are made of the same passages."""
    first, second = (ranked["doc_id"].tolist() for ranked in both.passages)
    order = "in the same order" if first == second else "in another order, to the same score"
    passages = counted({"passages": len(first)})
    return f"{enumerated(runs)} rank the same {passages} for query {query_id}, {order}: choose another run or query."


def explanation_lines(explanation: Explanation) -> list[str]:
    """What tells a run from its neighbours, as tables."""
    moved = written(explanation.rank_displacement, "+g")
    share = explanation.queries["contribution"]
    displacement = explanation.rank_displacement
    # Of a run that is not displaced, all queries where it differs.
    adds = share * displacement > 0 if displacement == displacement and displacement else share != 0
    lines = [
        "",
        *mover_sentences(
            explanation.movers,
            explanation.run_id,
            stands=f"{explanation.run_id} by {explanation.method}: displaced by {moved} against "
            f"{explanation.reference}. Its neighbours there: {', '.join(explanation.neighbours) or 'none'}.",
        ),
        "",
        "Queries that contribute most:",
        *first_rows(explanation.queries[adds]),
    ]
    if len(explanation.questions):
        lines += [
            "",
            "Questions that the run answers and most neighbours don't, or the reverse:",
            *first_rows(explanation.questions),
        ]
    if len(explanation.passages):
        lines += [
            "",
            "Passages that explain the run's rank:",
            *first_rows(explanation.passages.assign(text=explanation.passages["text"].map(_beginning))),
        ]
    return lines + explanation.notes


def _beginning(text: object) -> object:
    """The beginning of a text that fits a line of a table."""
    return " ".join(text.split())[:60] if isinstance(text, str) else text


QUERY_ROW = 22
"""Height of a query in pixels."""
ASKED = 34
"""Letters of a query beside its bar."""


def contributions_figure(queries: pd.DataFrame, run_id: str) -> go.Figure:
    """What each query adds to the difference between a run and its neighbours, in the given order.

    Rows have query_id, query_text, value, neighbours, difference, contribution; the first is shown at the top.
    """
    adds = queries["contribution"]
    figure = go.Figure()
    figure.add_bar(
        x=adds,
        y=list(range(len(queries))),
        orientation="h",
        marker={"color": [PROMOTED if add > 0 else DEMOTED for add in adds]},
        text=[f"{add:+.3f}" for add in adds],
        textposition="outside",
        cliponaxis=False,
        customdata=[
            [escape_name(row.query_id), escape_name(beginning(row.query_text)), row.value, row.neighbours]
            for row in queries.itertuples()
        ],
        hovertemplate=(
            "%{customdata[0]} %{customdata[1]}<br>"
            f"{escape_name(run_id)} %{{customdata[2]:.3f}}, neighbours %{{customdata[3]:.3f}}<br>adds %{{x:+.4f}}"
        ),
    )
    figure.add_vline(x=0, line={"width": 1, "color": QUIET})
    figure.update_layout(
        size_layout(110 + QUERY_ROW * len(queries), top=20, above=None),
        xaxis=axis(in_lines("adds to the difference of the means", BESIDE), **with_room(1.2 * adds.to_numpy(float))),
        yaxis=name_axis(
            [escape_name(shortened(beginning(row.query_text) or row.query_id, ASKED)) for row in queries.itertuples()],
            autorange="reversed",
            zeroline=None,
        ),
    )
    return with_description(figure, contributions_alternative(queries, run_id))


def contributions_alternative(queries: pd.DataFrame, run_id: str) -> str:
    """The chart in words."""
    if queries.empty:
        return "There are no queries."
    ahead, behind = ((sign * queries["difference"] > 0).sum() for sign in (1, -1))
    return (
        f"{run_id} is ahead of its neighbours on {ahead} of {counted({'queries': len(queries)})} and "
        f"behind on {behind}. Query "
        f"{queries['query_id'].iloc[0]} moves it most."
    )
