"""The taus of several grading modes as one table."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from exam_core.analysis.chance.cutoffs import COEFFICIENTS, CUTOFFS, Cutoffs
from exam_core.results import ResultTable, decimal, interval, number, text

_INTERVALS = {
    name: interval(f"{name}_interval", f"{CUTOFFS[name].label}, 95%", CUTOFFS[f"{name}_low"].help)
    for name in (*COEFFICIENTS, "kappa")
}
SERIES_CUTOFFS = ResultTable(
    "cutoffs: series",
    "A measure at every tau of several grading modes, what a tau is chosen by first",
    text("series", "Grading mode", pinned=True),
    *CUTOFFS.ordered("tau", "recommended", "wins", "held_out_kendall").columns,
    *(
        column
        for one in ("kendall", "spearman", "tau_ap")
        for column in (CUTOFFS[one], _INTERVALS[one], CUTOFFS[f"{one}_middle"])
    ),
    *CUTOFFS.ordered("n", "stderr", "separable_bars", "separable_t", "kappa").columns,
    _INTERVALS["kappa"],
    *CUTOFFS.ordered("ungraded", "unreadable").columns,
)

RECOMMENDED = ResultTable(
    "cutoffs: recommended",
    "The recommended tau of each of many grading modes, beside the tau in use",
    SERIES_CUTOFFS["series"],
    number("recommended_tau", "Recommended tau", CUTOFFS["recommended"].help, "grade"),
    CUTOFFS["held_out_kendall"],
    CUTOFFS["wins"],
    CUTOFFS["kendall"],
    _INTERVALS["kendall"],
    decimal("in_use", "Held-out Kendall in use", "Held-out Kendall of the tau that is in use; empty if there is none."),
)


def recommended_table(found: Mapping[str, Cutoffs], tau: int) -> pd.DataFrame:
    """A row for each series: `RECOMMENDED`, with what the recommended tau has; NaN where none is recommended.

    Parameters
    ----------
    tau : the one that is in use
    """
    rows = []
    for name, one in found.items():
        at = _with_intervals(one.rows).set_index("tau")
        best = at.loc[one.recommended] if one.recommended else pd.Series(dtype=object)
        known = {column: best.get(column) for column in ("held_out_kendall", "wins", "kendall", "kendall_interval")}
        in_use = at["held_out_kendall"].get(tau)
        rows.append({"series": name, "recommended_tau": one.recommended, **known, "in_use": in_use})
    return RECOMMENDED.of(pd.DataFrame(rows, columns=RECOMMENDED.names))


def cutoffs_table(found: Mapping[str, Cutoffs]) -> pd.DataFrame:
    """A row for each series and tau: `SERIES_CUTOFFS`; an interval that is not there is None."""
    frames = [_with_intervals(one.rows).assign(series=name) for name, one in found.items()]
    return SERIES_CUTOFFS.of(pd.concat(frames, ignore_index=True) if frames else ())


def _with_intervals(rows: pd.DataFrame) -> pd.DataFrame:
    pairs = {}
    for name in _INTERVALS:
        ends = zip(rows[f"{name}_low"], rows[f"{name}_high"], strict=True)
        pairs[f"{name}_interval"] = [None if pd.isna(low) else (float(low), float(high)) for low, high in ends]
    return rows.assign(**{name: pd.Series(values, rows.index, dtype=object) for name, values in pairs.items()})
