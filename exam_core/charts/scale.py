"""The part of the axis of scores that a leaderboard's chart shows, and the runs that fall outside of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import pandas as pd

View = Literal["re-normalised", "raw", "ranks"]
VALUES: dict[View, tuple[str, str]] = {
    "re-normalised": ("normalised", "normalised_stderr"),
    "raw": ("mean", "stderr"),
    "ranks": ("rank", "stderr"),
}
"""Columns of a board's rows that a view shows: the value and its standard error; ranks have intervals instead."""
UNBOUNDED = (-math.inf, math.inf)
FAR, HOLES, FEW, ROOM = 0.5, 0.25, 0.2, 0.05
"""Gap to the next run as a share of the whole range, and share of ungraded places, that let a run be outside; the
largest share of the runs that a gap sets apart; room at the ends as a share of what is shown."""


@dataclass(frozen=True)
class Outside:
    """A run that the axis leaves out.

    Attributes
    ----------
    value : its score as the chart shows it
    above : whether it is above the axis, not below
    far : whether the gap to the next run is more than half of the whole range
    holes : share of its places without a grade; NaN where that is not known
    """

    series: str
    run_id: str
    value: float
    above: bool
    far: bool
    holes: float = math.nan


@dataclass(frozen=True)
class ScoreAxis:
    """What the axis of scores shows.

    Attributes
    ----------
    view : scores re-normalised or as they are, or ranks with their intervals
    span : both ends of the axis; None where it holds everything
    outside : the runs beyond its ends, which are marked there
    bounds : of what a score can be, which neither the axis nor an error bar leaves
    """

    view: View = "re-normalised"
    span: tuple[float, float] | None = None
    outside: tuple[Outside, ...] = ()
    bounds: tuple[float, float] = UNBOUNDED

    def beyond(self, series: str) -> dict[str, bool]:
        """The runs of a series that are outside, and whether they are above the axis."""
        return {one.run_id: one.above for one in self.outside if one.series == series}

    def labels(self) -> list[tuple[str, bool, str]]:
        """Each run outside, whether it is above the axis, and its number: of several the least and the largest."""
        found: dict[tuple[str, bool], list[float]] = {}
        for one in self.outside:
            found.setdefault((one.run_id, one.above), []).append(one.value)
        numbers = {key: dict.fromkeys(f"{value:.2f}" for value in (min(of), max(of))) for key, of in found.items()}
        return [(run, above, " to ".join(said)) for (run, above), said in numbers.items()]


def scale_of(
    boards: Mapping[str, pd.DataFrame],
    order: Sequence[str],
    view: View = "re-normalised",
    holes: Mapping[str, pd.Series] | None = None,
    bounds: Iterable[tuple[float, float]] = (),
) -> ScoreAxis:
    """The axis that holds the runs that the reference ranks, from the least mean - SE to the largest mean + SE.

    A run may be outside where the gap between it and the next run is more than half of the range of all, or where the
    reference does not rank it and more than a quarter of its places have no grade. A gap sets at most a fifth of the
    runs apart. Other runs that the reference does not rank are on the axis, too. All series share the axis.

    Parameters
    ----------
    boards : by series name, rows with run_id, reference_rank and the columns of `VALUES`; what is unknown is NaN
    order : the runs that are shown
    holes : by series name, share of the places without a grade by run_id, as far as it is known
    bounds : of each series, what a mean can be; re-normalised scores and ranks have none
    """
    if view == "ranks":
        return ScoreAxis(view)
    value, error = VALUES[view]
    of_series = (list(bounds) if view == "raw" else []) or [UNBOUNDED]
    least, most = min(low for low, _ in of_series), max(high for _, high in of_series)
    low, high, apart = math.inf, -math.inf, list[Outside]()
    for name, board in boards.items():
        rows = board[board["run_id"].isin(order) & board[value].notna()].set_index("run_id")
        lacking = (holes or {}).get(name, pd.Series(dtype=float)).reindex(rows.index)
        gaps = _beyond_a_gap(rows[value])
        ranked = rows["reference_rank"].notna()
        maybe = set(gaps) | (set(rows.index[~ranked & (lacking > HOLES)]) if ranked.any() else set())
        kept = rows[~rows.index.isin(maybe)]
        spread = kept[error].fillna(0)
        low, high = min(low, (kept[value] - spread).min()), max(high, (kept[value] + spread).max())
        apart += [
            Outside(name, run, float(rows.loc[run, value]), False, run in gaps, float(lacking[run])) for run in maybe
        ]
    outside = [replace(one, above=bool(one.value > high)) for one in apart if not low <= one.value <= high]
    if not outside or not low < high:
        return ScoreAxis(view, bounds=(least, most))
    room = ROOM * (high - low)
    place = {run: number for number, run in enumerate(order)}
    outside.sort(key=lambda one: (list(boards).index(one.series), place[one.run_id]))
    span = max(float(low - room), least), min(float(high + room), most)
    return ScoreAxis(view, span, tuple(outside), (least, most))


def _beyond_a_gap(values: pd.Series) -> list[str]:
    """Runs on the smaller side of a gap of more than half the range; then those of what remains, and so on."""
    kept, apart, most = values.sort_values(), list[str](), FEW * len(values)
    while len(kept) > 1:
        gaps = kept.diff().to_numpy()[1:]
        at = int(gaps.argmax()) + 1
        side = kept.iloc[:at] if at <= len(kept) - at else kept.iloc[at:]
        if not gaps[at - 1] > FAR * (kept.iloc[-1] - kept.iloc[0]) or len(apart) + len(side) > most:
            break
        apart += list(side.index)
        kept = kept.drop(side.index)
    return apart
