"""Why a run stands where it stands, in sentences and in lines of the terminal."""

from __future__ import annotations

import math

import pandas as pd

from exam_core.analysis.evaluation.caveats import enumerated
from exam_core.reports.displacements import NAMED, officially, places, way
from exam_core.reports.tables import first_rows, written
from exam_core.wings.explanations.analysis.explanation import Explanation
from exam_core.wings.explanations.analysis.query_rankings import Movers, TwoRankings
from exam_core.wording import counted, ordinal, reference_in_words


def mover_sentences(found: Movers, run_id: str, *, stands: str | None = None) -> list[str]:
    """Why a run is where it is: first that its places are within a standard error, where they are.

    Parameters
    ----------
    stands : the sentence that says where it is, empty where that is said already; None has one made
    """
    span, moved = found.span, abs(found.displacement)
    sentences = []
    if span and moved >= 1 and span.score < span.stderr:
        sentences.append(
            f"Ranks {span.first} to {span.last} lie within one standard error ({span.stderr:.3f}): {places(moved)} "
            f"{'is' if moved == 1 else 'are'} a difference of {span.score:.3f} in {span.measure}."
        )
    stands = _stands(found, run_id) if stands is None else stands
    return [*sentences, *filter(None, [stands]), *_moved(found, run_id), *_beside(found, run_id)]


def _stands(found: Movers, run_id: str) -> str:
    n = f"the {found.n} runs that are also in {reference_in_words(str(found.reference))}" if found.left_out else found.n
    there = ""
    if found.direction:
        there = f", {places(abs(found.displacement))} {way(found.direction)} than {officially(str(found.reference))}"
    return f"{run_id} ranks {ordinal(found.rank)} of {n} by {found.title}{there}."


def _moved(found: Movers, run_id: str) -> list[str]:
    """The query that moves a run most, and how much of its displacement that is."""
    first, moved = found.rows.iloc[0], abs(found.displacement)
    alone = first["lifts"] * (found.direction or math.copysign(1, first["lifts"]))
    if not alone > 0:
        return ["No single query explains the run's rank."]
    how = "lifts" if first["lifts"] > 0 else "lowers"
    without = ordinal(first["rank_without"])
    said = f"Query {first['query_id']} {how} the run most: without this query, {run_id} would rank {without}"
    if not found.direction:
        return [f"{said}."]
    if alone >= moved:
        return [f"{said}: that explains the whole displacement."]
    rest = places(moved - alone)
    unexplained = f"No single query explains the other {rest}."
    more = unexplained if moved - alone > alone else f"Other queries explain {rest} more."
    return [f"{said}: that is {alone:g} of the {places(moved)}.", more]


def _beside(found: Movers, run_id: str) -> list[str]:
    """Why a run and a query are shown that do not come first."""
    if found.other is None:
        return []
    if found.query_id is None:
        others = "every other run" if len(found.passed) == len(found.others) else found.other
        return [f"For every query, {others} and {run_id} rank the same passages."]
    if found.query_id != found.rows["query_id"].iloc[0]:
        return [
            f"Query {found.query_id} is shown: the first on which {found.other} and {run_id} rank different passages."
        ]
    if not found.passed:
        return []
    less = {1: "no lower", -1: "no higher"}.get(int(found.direction), "the same")
    more = [f"{len(found.passed) - NAMED} more"] if len(found.passed) > NAMED else []
    score = "scores" if len(found.passed) == 1 else "score"
    return [f"{enumerated([*found.passed[:NAMED], *more])} {score} {less} on this query, so {found.other} is shown."]


def alike_sentence(both: TwoRankings, runs: tuple[str, str], query_id: str) -> str:
    """That two rankings are made of the same passages."""
    first, second = (ranked["doc_id"].tolist() for ranked in both.passages)
    order = "in the same order" if first == second else "in another order, to the same score"
    passages = counted({"passages": len(first)})
    return f"{enumerated(runs)} rank the same {passages} for query {query_id}, {order}: choose another run or query."


def explanation_lines(found: Explanation) -> list[str]:
    """What tells a run from its neighbours, as tables."""
    moved = written(found.rank_displacement, "+g")
    lines = [
        "",
        *mover_sentences(
            found.movers,
            found.run_id,
            stands=f"{found.run_id} by {found.method}: displaced by {moved} against {found.reference}. "
            f"Its neighbours there: {', '.join(found.neighbours) or 'none'}.",
        ),
        "",
        "Queries that contribute most:",
        *first_rows(_contributing(found)),
    ]
    if len(found.questions):
        lines += [
            "",
            "Questions that the run answers and most neighbours don't, or the reverse:",
            *first_rows(found.questions),
        ]
    if len(found.passages):
        lines += [
            "",
            "Passages that explain the run's rank:",
            *first_rows(found.passages.assign(text=found.passages["text"].map(_short))),
        ]
    return lines + found.notes


def _contributing(found: Explanation) -> pd.DataFrame:
    """The queries that add to the displacement; of a run that is not displaced, all where it differs."""
    share = found.queries["contribution"]
    moved = found.rank_displacement
    return found.queries[share * moved > 0 if moved == moved and moved else share != 0]


def _short(text: object) -> object:
    """The beginning of a text that fits a line of a table."""
    return " ".join(text.split())[:60] if isinstance(text, str) else text
