"""The taus of several grading modes as one table."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from exam_core.analysis.chance.cutoffs import COEFFICIENTS, Cutoffs

_WITH_INTERVAL = (*COEFFICIENTS, "kappa")
COLUMNS = (
    *("series", "tau", "recommended", "wins", "held_out_kendall"),
    *(name for one in ("kendall", "spearman", "tau_ap") for name in (one, f"{one}_interval")),
    *("n", "stderr", "separable_bars", "separable_t", "kappa", "kappa_interval", "ungraded", "unreadable"),
)


def cutoffs_table(found: Mapping[str, Cutoffs]) -> pd.DataFrame:
    """A row for each series and tau, the ends of an interval as one pair; an interval that is not there is None.

    Returns
    -------
    `COLUMNS`: series and the columns of `Cutoffs.rows`, what a tau is chosen by first
    """
    frames = [_with_intervals(one.rows).assign(series=name) for name, one in found.items()]
    return pd.concat(frames, ignore_index=True)[list(COLUMNS)] if frames else pd.DataFrame(columns=list(COLUMNS))


def _with_intervals(rows: pd.DataFrame) -> pd.DataFrame:
    pairs = {}
    for name in _WITH_INTERVAL:
        ends = zip(rows[f"{name}_low"], rows[f"{name}_high"], strict=True)
        pairs[f"{name}_interval"] = [None if pd.isna(low) else (float(low), float(high)) for low, high in ends]
    return rows.assign(**{name: pd.Series(values, rows.index, dtype=object) for name, values in pairs.items()})
