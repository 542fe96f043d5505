"""Outliers, holes and edits of a bank as the objects of the command line, and the lines below their tables."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from exam_core.analysis.bank.whatif import WhatIf
from exam_core.analysis.beside.correlation import Correlated
from exam_core.analysis.causes.explanation import Explanation
from exam_core.analysis.causes.outliers import ALL, ALPHA, Outliers
from exam_core.analysis.holdings.holes import Holes
from exam_core.numbers.correlation import COEFFICIENTS
from exam_core.reports.answers import interval
from exam_core.reports.tables import UNDEFINED, as_text

SHOWN = 20
"""Rows of a second table; JSON has them all."""
OVER = {"questions": "methods over questions", "labels": "methods over labels", ALL: "all methods"}


def outliers_answer(question: dict[str, Any], found: Outliers, explained: Explanation | None = None) -> dict[str, Any]:
    """Displacements as one JSON object; with an explanation, the run's queries, questions and passages too."""
    answer = {
        **question,
        "reference": found.reference,
        "draws": found.draws,
        "seed": found.seed,
        "alpha": ALPHA,
        "methods": found.methods,
        "rows": found.rows,
        "combined": found.combined,
        "notes": found.notes,
    }
    if explained is None:
        return answer
    about = {
        "run_id": explained.run_id,
        "method": explained.method,
        "rank_displacement": explained.rank_displacement,
        "neighbours": explained.neighbours,
    }
    return answer | {
        "explained": about,
        "queries": explained.queries,
        "questions": explained.questions,
        "passages": explained.passages,
        "notes": [*found.notes, *explained.notes],
    }


def outliers_lines(found: Outliers) -> list[str]:
    """The methods together, and notes."""
    lines = [f"Displacement = rank in {found.reference} - own rank; promoted runs are positive."]
    if found.draws:
        lines.append(
            f"95% intervals over {found.draws:,} bootstrap samples of the queries, seed {found.seed}; flagged: "
            f"Holm p < {ALPHA}."
        )
    for name, rows in found.combined.groupby("over", sort=False):
        lines += ["", f"Mean displacement over {OVER[str(name)]} ({rows['n_methods'].iloc[0]}):"]
        lines += _first(rows.drop(columns=["over", "n_methods"]))
        for word, sign in (("Higher", 1), ("Lower", -1)):
            same = rows[rows["agree"] & (sign * rows["rank_displacement"] > 0)]
            lines.append(f"{word} than {found.reference} by every method: {', '.join(same['run_id']) or 'no run'}.")
    return [*lines, *([""] if found.notes else []), *found.notes]


def explanation_lines(found: Explanation) -> list[str]:
    """What tells a run from its neighbours, as tables."""
    moved = UNDEFINED if math.isnan(found.rank_displacement) else f"{found.rank_displacement:+g}"
    lines = [
        "",
        f"{found.run_id} by {found.method}: displaced by {moved} against {found.reference}.",
        f"Its neighbours there: {', '.join(found.neighbours) or 'none'}.",
        "",
        "Queries that contribute most:",
        *_first(found.queries),
    ]
    if len(found.questions):
        lines += ["", "Questions that it answers and most neighbours don't, or the reverse:", *_first(found.questions)]
    if len(found.passages):
        lines += [
            "",
            "Passages that explain it:",
            *_first(found.passages.assign(text=found.passages["text"].map(_short))),
        ]
    return lines + found.notes


def holes_answer(question: dict[str, Any], found: Holes) -> dict[str, Any]:
    """Holes and bounds as one JSON object."""
    depths = sorted(found.rows["depth"].unique().tolist())
    return {
        **question,
        "depths": depths,
        "judged_by": found.judgments,
        "bound": "exact" if found.exact else "conservative",
        "rows": found.rows,
        "notes": found.notes,
    }


def whatif_answer(question: dict[str, Any], found: WhatIf) -> dict[str, Any]:
    """An edit of a bank as one JSON object."""
    asking = found.asking
    return {
        **question,
        "drop": sorted(asking.drop),
        "only": None if asking.only is None else sorted(asking.only),
        "weights": dict(asking.weights),
        "questions_before": found.enabled_before,
        "questions_after": found.enabled_after,
        "rows": found.rows,
        "reference": found.before and found.before.reference,
        "correlation_before": _coefficients(found.before),
        "correlation_after": _coefficients(found.after),
        "relabelled": found.relabelled,
        "notes": found.notes,
    }


def whatif_summary(found: WhatIf) -> list[str]:
    """How many questions count, the correlations, and how many passages get another label."""
    lines = [f"{found.title}: {found.enabled_before:,} questions counted, {found.enabled_after:,} would count."]
    if found.before and found.after:
        for name in ("spearman", "kendall"):
            before, after = (getattr(one.correlation, name) for one in (found.before, found.after))
            lines.append(f"{name.capitalize()} with {found.before.reference}: {_number(before)} → {_number(after)}")
    crossing = int(found.relabelled["crosses_tau"].sum())
    return [*lines, f"Passages with another label: {len(found.relabelled):,}, of which {crossing:,} cross tau."]


def whatif_lines(found: WhatIf) -> list[str]:
    """The summary, the first passages whose label changes, and notes."""
    return whatif_summary(found) + (_first(found.relabelled) if len(found.relabelled) else []) + found.notes


def undefined_answer(question: dict[str, Any], note: str) -> dict[str, Any]:
    """An answer without rows, and the reason."""
    return {**question, "rows": [], "notes": [note]}


def _coefficients(found: Correlated | None) -> dict[str, Any] | None:
    if found is None:
        return None
    values = {name: getattr(found.correlation, name) for name in COEFFICIENTS}
    intervals = {f"{name}_interval": interval(found.intervals.get(name)) for name in COEFFICIENTS}
    middles = {f"{name}_middle": found.middles.get(name) for name in COEFFICIENTS}
    return {"n": found.correlation.n, **values, **intervals, **middles}


def _first(rows: pd.DataFrame) -> list[str]:
    """The first rows as a table, and how many there are more."""
    more = [f"... and {len(rows) - SHOWN:,} more; --format json has all."] if len(rows) > SHOWN else []
    return [as_text(rows.head(SHOWN), "table"), *more]


def _short(text: object) -> object:
    """The beginning of a text that fits a line of a table."""
    return " ".join(text.split())[:60] if isinstance(text, str) else text


def _number(value: float) -> str:
    return UNDEFINED if math.isnan(value) else f"{value:.3f}"
