"""Why a run stands where it stands, in sentences and in lines of the terminal."""

from __future__ import annotations

import math

import pandas as pd

from exam_core.reports.displacements import officially, places, way
from exam_core.reports.tables import first_rows, written
from exam_core.wings.explanations.analysis.explanation import Explanation
from exam_core.wings.explanations.analysis.query_rankings import Movers
from exam_core.wording import ordinal


def mover_sentences(found: Movers, run_id: str, *, stands: bool = True) -> list[str]:
    """Where a run is, if its rank is not told already, and which query moves it most."""
    moved = found.displacement
    displaced = bool(moved) and not math.isnan(moved)
    there = f", {places(abs(moved))} {way(moved)} than {officially(str(found.reference))}" if displaced else ""
    sentences = [f"{run_id} ranks {ordinal(found.rank)} of {found.n} by {found.title}{there}."] if stands else []
    first = found.rows.iloc[0]
    if not first["lifts"] or math.isnan(first["lifts"]):
        return [*sentences, "No single query explains it; shown first is the one on which it differs most."]
    how = "lifts" if first["lifts"] > 0 else "lowers"
    without = ordinal(first["rank_without"])
    return [*sentences, f"Query {first['query_id']} {how} it most: without it, {run_id} would rank {without}."]


def explanation_lines(found: Explanation) -> list[str]:
    """What tells a run from its neighbours, as tables."""
    moved = written(found.rank_displacement, "+g")
    lines = [
        "",
        f"{found.run_id} by {found.method}: displaced by {moved} against {found.reference}.",
        f"Its neighbours there: {', '.join(found.neighbours) or 'none'}.",
        "",
        "Queries that contribute most:",
        *first_rows(_contributing(found)),
    ]
    if len(found.questions):
        lines += [
            "",
            "Questions that it answers and most neighbours don't, or the reverse:",
            *first_rows(found.questions),
        ]
    if len(found.passages):
        lines += [
            "",
            "Passages that explain it:",
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
