"""The taus of several grading modes as one table, and which to use for what."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from exam_core.results import ResultTable, interval, number, text
from exam_core.wings.comparing.analysis.tau_comparison import COEFFICIENTS, CUTOFFS, GOALS, Cutoffs, Goal, serves

_INTERVALS = {
    name: interval(f"{name}_interval", f"{CUTOFFS[name].label}, 95%", CUTOFFS[f"{name}_low"].help)
    for name in (*COEFFICIENTS, "kappa")
}
SERIES_CUTOFFS = ResultTable(
    "cutoffs: series",
    "A measure at every tau of several grading modes; the criteria for a tau come first",
    text("series", "Grading mode", pinned=True),
    *CUTOFFS.ordered("tau", "recommended", "wins", "held_out_kendall").columns,
    *(
        column
        for one in ("kendall", "spearman", "tau_ap", "tau_ap_b")
        for column in (CUTOFFS[one], _INTERVALS[one], CUTOFFS[f"{one}_middle"])
    ),
    *CUTOFFS.ordered("n", "stderr", "separable_bars", "separable_t", "kappa").columns,
    _INTERVALS["kappa"],
    *CUTOFFS.ordered("ungraded", "unreadable").columns,
)

WHICH_TAU = ResultTable(
    "cutoffs: goals",
    "The tau that serves each goal best, a row for each grading mode",
    SERIES_CUTOFFS["series"],
    number("order_tau", "Best tau for the order", CUTOFFS["held_out_kendall"].help, "grade"),
    replace(CUTOFFS["held_out_kendall"], label="Held-out Kendall"),
    number("labels_tau", "Best tau for agreement", "Where Cohen's kappa with the judgments is largest.", "grade"),
    CUTOFFS["kappa"],
    number("differences_tau", "tau for discrimination", CUTOFFS["separable_t"].help, "grade"),
    replace(CUTOFFS["separable_t"], label="Pairs that differ"),
)


def which_tau_table(found: Mapping[str, Cutoffs]) -> pd.DataFrame:
    """A row for each series: `WHICH_TAU`; NaN where a goal has no tau."""
    rows = []
    for name, one in found.items():
        at, row = one.rows.set_index("tau"), dict[str, object](series=name)
        for goal, tau in one.best.items():
            row |= {f"{goal}_tau": tau, GOALS[goal]: at.loc[tau, GOALS[goal]]}
        rows.append(row)
    return WHICH_TAU.of(pd.DataFrame(rows, columns=WHICH_TAU.names))


def advice(found: Cutoffs, tau: int | None) -> dict[Goal, str]:
    """By goal, a sentence on which tau to use and what another tau has instead; goals without a tau are left out."""
    at, said = found.rows.set_index("tau"), dict[Goal, str]()
    for goal, best in found.best.items():
        column, form = at[GOALS[goal]], ".1%" if goal == "differences" else ".3f"
        own = column.get(tau, math.nan)
        other = "" if tau == best or math.isnan(own) else f" (tau {tau}: {own:{form}})"
        if other and serves(found, goal, tau):
            other = f" (tau {tau} too)"
        said[goal] = {
            "order": f"For the order of the runs, use tau {best}: Kendall {column[best]:{form}} with {found.reference} "
            f"on queries that were not used to choose it{other}; best in {at['wins'][best]:.0%} of {found.splits} "
            f"random splits of {found.n_queries} queries.",
            "labels": f"For agreement with the judges, use tau {best}: kappa {column[best]:{form}}{other}.",
            "differences": f"To discriminate between runs, use tau {best}: {column[best]:{form}} of the pairs of runs "
            f"differ significantly{other}.",
        }[goal]
    return said


def advice_in_full(found: Cutoffs, tau: int | None) -> list[str]:
    """The advice with how well choosing by other queries does, and where there is nothing to choose by."""
    said = list(advice(found, tau).values())
    if found.n_queries and found.recommended is None:
        said.append(
            "No tau is recommended for the order of the runs: no half of the queries has a defined correlation."
        )
    if not math.isnan(found.chosen_kendall):
        kendall = f"a mean Kendall of {found.chosen_kendall:.3f}"
        said.append(f"The tau that is best on one half of the queries has {kendall} on the other half.")
    return said


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
