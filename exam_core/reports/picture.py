"""The chart of leaderboards, as pages, slides, reports and papers draw it, and which runs are beyond its axis."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from exam_core.analysis.comparisons.comparison import Comparison
from exam_core.analysis.contents.hole_shares import hole_shares
from exam_core.analysis.evaluation.caveats import NAMED, enumerated, listed
from exam_core.analysis.evaluation.standing import own_order
from exam_core.analysis.figures import Figures
from exam_core.asked import Asked
from exam_core.charts.enlarging import Figure
from exam_core.charts.leaderboard_lines import leaderboard_figure
from exam_core.charts.scale import HOLES, Outside, ScoreAxis, View, scale_of
from exam_core.measures import Measure
from exam_core.reports.part import Ask, ask_now
from exam_core.wording import counted

NOTABLE = 0.1
"""Share of a run's places without a grade from which a sentence names it."""


@dataclass(frozen=True)
class BoardView:
    """How somebody wants to see leaderboards.

    Attributes
    ----------
    view : scores re-normalised or as they are, or ranks
    whole : whether the axis holds every run, however far off
    own_order : runs in the order of the first board, not of the reference
    hidden : runs that are not shown
    """

    view: View = "re-normalised"
    whole: bool = False
    own_order: bool = False
    hidden: Collection[str] = ()


@dataclass(frozen=True)
class Picture:
    """Leaderboards as a chart takes them.

    Attributes
    ----------
    boards : rows by series, as the chart names it
    order : the runs from left to right
    reference : whose order it is
    outside : the runs far from the others, also where the axis holds them all
    depth : passages of each ranking that are read; None where that is not known
    lacking : other runs of which more than a quarter of these passages have no grade
    """

    boards: Mapping[str, pd.DataFrame]
    order: list[str]
    reference: str | None
    measured: str
    scale: ScoreAxis
    outside: tuple[Outside, ...] = ()
    depth: int | None = None
    lacking: Sequence[str] = ()

    def figure(self, *, highlighted: str | None = None, ringed: str | None = None) -> Figure:
        """The chart; arguments as `leaderboard_figure`."""
        return leaderboard_figure(
            self.boards,
            self.order,
            scale=self.scale,
            reference=self.reference,
            measured=self.measured,
            highlighted=highlighted,
            ringed=ringed,
        )


def picture_of(
    figures: Figures,
    found: Comparison,
    asked: Asked,
    look: BoardView | None = None,
    ask: Ask = ask_now,
) -> Picture:
    """Leaderboards of a comparison as they are drawn.

    Parameters
    ----------
    figures, asked : what the comparison was made from
    ask : how the analyses are called
    """
    look = look or BoardView()
    order, reference = (own_order(found.boards), None) if look.own_order else (found.order, asked.reference)
    order = [run for run in order if run not in look.hidden]
    boards = {found.names[name]: board.rows for name, board in found.boards.items()}
    view: View = "re-normalised" if look.view == "ranks" and not found.has_queries else look.view
    if view == "re-normalised" and all(rows["normalised"].isna().all() for rows in boards.values()):
        view = "raw"  # All runs have one score, which has no other scale.
    if view == "ranks":
        boards = {found.names[name]: ask(figures.standing, name, asked) for name in found.boards}
    holes = _holes(figures, found, asked, ask)
    scale = scale_of(boards, order, view, holes, [board.bounds for board in found.boards.values()])
    beyond = {one.run_id for one in scale.outside}
    many = {run for of in holes.values() for run in of.index[of > HOLES]} - beyond
    depth = (Measure.parse(asked.measure).depth or asked.depth) if asked.measure else None
    shown = replace(scale, span=None, outside=()) if look.whole else scale
    lacking = [run for run in order if run in many]
    return Picture(boards, order, reference, found.measured, shown, scale.outside, depth, lacking)


def plain_picture(found: Comparison, reference: str | None) -> Picture:
    """Leaderboards re-normalised, where nothing is known but these."""
    boards = {found.names[name]: board.rows for name, board in found.boards.items()}
    scale = scale_of(boards, found.order)
    return Picture(boards, found.order, reference, found.measured, scale, scale.outside)


def _holes(figures: Figures, found: Comparison, asked: Asked, ask: Ask) -> dict[str, pd.Series]:
    """Shares of places without a grade, of the series that are graded here."""
    shares = {}
    for name in found.boards:
        choice = figures.of(asked.but(grader=name))
        if choice is not None and choice.of_grades:
            shares[found.names[name]] = ask(hole_shares, figures.snapshot, choice)
    return shares


def about_outside(picture: Picture) -> list[str]:
    """Which runs are beyond the axis, those below and those above, and which others have many ungraded passages."""
    found = []
    for above in (False, True):
        runs: dict[str, list[Outside]] = {}
        for one in picture.outside:
            if one.above == above:
                runs.setdefault(one.run_id, []).append(one)
        if runs:
            found.append(_sentence(picture, runs, above=above))
    if n := len(picture.lacking):
        who = listed(picture.lacking) if n <= NAMED else f"{n} of {counted({'runs': len(picture.order)})}"
        first = f"first {picture.depth} " if picture.depth else ""
        found.append(f"More than {HOLES:.0%} of the {first}passages of {who} are ungraded.")
    return found


def _sentence(picture: Picture, runs: Mapping[str, Sequence[Outside]], *, above: bool) -> str:
    every = [one for of in runs.values() for one in of]
    far = "far " if all(one.far for one in every) else ""
    series = list(dict.fromkeys(one.series for one in every))
    by = f" by {enumerated(series)}" if len(series) < len(picture.boards) else ""
    said = f"{enumerated(list(runs))} {_is(runs)} {far}{'above' if above else 'below'} all others{by}"
    end = 1.0 if above else 0.0
    ends = list(dict.fromkeys(one.run_id for one in every if one.value == end))
    if picture.scale.view == "re-normalised" and ends:
        which = " and" if len(ends) == len(runs) else f"; {enumerated(ends)}"
        said += f"{which} {'sets' if len(ends) == 1 else 'set'} the {end:.0f} of the scale"
    lacking = [one.holes for one in every if not math.isnan(one.holes) and one.holes >= NOTABLE]
    if lacking:
        shares = " to ".join(dict.fromkeys(f"{share:.0%}" for share in (min(lacking), max(lacking))))
        first = f"first {picture.depth} " if picture.depth else ""
        said += f"; {shares} of {'its' if len(runs) == 1 else 'their'} {first}passages are ungraded"
    return f"{said}."


def _is(runs: Collection[str]) -> str:
    return "is" if len(runs) == 1 else "are"
