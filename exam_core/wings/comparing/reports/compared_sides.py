"""The two sides that the page Compare sets beside each other: what each begins with, and what is asked of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from exam_core.analysis.uncertainty.telling_apart import ALPHA
from exam_core.asked import JUDGED, Asked
from exam_core.errors import UsageError
from exam_core.measures import MEASURES, Measure
from exam_core.reports.tables import Frame
from exam_core.wings.comparing.analysis.run_pair import RunPair
from exam_core.wings.comparing.analysis.versus import Versus
from exam_core.wings.comparing.analysis.whatif import WhatIf
from exam_core.wording import number

BOARDS, RUNS, PAIRS, QUESTIONS = "Two leaderboards", "Two runs", "All pairs of runs", "Other questions"
WHAT = (BOARDS, RUNS, PAIRS, QUESTIONS)
"""What can be compared."""
AS_CHOSEN = "as on the left"
"""A side's option that is as in the control bar."""
AS_IS, WITHOUT = "as it is", "without them"
"""What a leaderboard with and without some questions is called."""
SAME_RUN = "A and B are the same run: choose another one."
NOTHING_BY_QUERY = (
    "{} holds printed figures: without values by query to test, and without questions to switch off. Collections with "
    "grades and runs, such as the demo, have both."
)


DIGITS, SMALLEST = 8, 0.0005
"""A number of a side has fewer digits; a difference below this is 0.000."""


def first_sides(series: Sequence[str], measure: str, modes: Sequence[str]) -> tuple[tuple[str, str], tuple[str, str]]:
    """The grading mode and the measure that A and B begin with.

    Where there is one mode, B is P beside a measure of questions: EXAM Qrels beside EXAM Cover, as in the papers. Of
    judgments alone B is another measure of them.

    Parameters
    ----------
    modes : that there are; empty where there are none, and then the mode is empty, too
    """
    first, second = (mode if mode in modes else next(iter(modes), "") for mode in (series[0], series[-1]))
    own = Measure.parse(measure)
    beside = "P" if first == second and own.info.of == "questions" else AS_CHOSEN
    if first == second and first.startswith(JUDGED):
        beside = "AP" if own.name != "AP" else "nDCG"
    return (first, AS_CHOSEN), (second, beside)


def asked_of(asked: Asked, side: Mapping[str, str | None]) -> Asked:
    """What is asked of a side: that of the control bar, but for what the side has otherwise.

    Raises UsageError where there is no such measure, or a number is none.

    Parameters
    ----------
    side : bank, grader, measure, depth, tau and label_rank; None or absent is as in the control bar
    """
    said = {name: value for name, value in side.items() if value and value != AS_CHOSEN}
    numbers = {name: said[name] for name in ("tau", "depth", "label_rank") if name in said}
    for name, value in numbers.items():
        if not (value.isascii() and value.isdecimal() and len(value) < DIGITS):
            raise UsageError(f"{name} of a side: {value[:40]} is not a number from 0 to {10 ** (DIGITS - 1) - 1:,}.")
    named = {name: said[name] for name in ("bank", "grader") if name in said}
    asked = asked.but(**{name: int(value) for name, value in numbers.items()}, **named)
    if not {"measure", "depth"} & set(said):
        return asked
    bar = Measure.parse(asked.measure)
    measure = said.get("measure", bar.name)
    if measure not in MEASURES:
        raise UsageError(f"There is no measure {measure}. There are: {', '.join(MEASURES)}.")
    return asked.but(measure=str(Measure.at(measure, asked.depth, None if "measure" in said else bar.options)))


def before_and_after(found: WhatIf) -> Frame:
    """The runs of a leaderboard as it is, A, and with other questions, B, in the order of A."""
    sides = {"rank_before": "rank_a", "rank_after": "rank_b", "mean_before": "mean_a", "mean_after": "mean_b"}
    rows = found.rows.rename(columns=sides | {"rank_change": "displacement"})
    return rows.sort_values(["rank_a", "run_id"], ignore_index=True)


def agreed(found: Versus, title_a: str, title_b: str) -> str:
    """How well two leaderboards agree, and on how many pairs of runs they don't."""
    if title_a == title_b:
        return f"A and B are the same leaderboard, {title_a}: change one of them on the page Compare."
    counts = found.pairs.set_index("order").loc["flipped"]
    kendall = float(found.correlation.set_index("coefficient")["value"]["kendall"])
    told = "" if pd.isna(counts["both"]) else f", {counts['both'] or 'none'} significantly on both sides"
    a, b = (title.replace(" tau=", ", tau ") for title in (title_a, title_b))
    how = f"correlate with a Kendall's tau of {number(kendall)}"
    if kendall != kendall:
        how = "have no rank correlation, since all runs of one of them have the same score"
    return (
        f"A ({a}) and B ({b}) {how}. They order {counts['total']} of "
        f"{found.pairs['total'].sum():,} pairs of {found.n} runs differently{told}."
    )


def apart(found: RunPair, method: str) -> str:
    """Whether two runs differ, in a sentence; `method` is what was measured, by which grading mode."""
    p = dict(zip(found.tests["test"], found.tests["p"], strict=True))["t"]
    by = f"is {abs(found.difference):.3f} {'above' if found.difference > 0 else 'below'}"
    verdict = "has the same mean as" if abs(found.difference) < SMALLEST else by
    significant = "significant" if p < ALPHA else "not significant"
    return (
        f"By {method}, {found.run_a} {verdict} {found.run_b} (95% interval of the difference "
        f"{number(found.low, '.3f')} to {number(found.high, '.3f')}, paired t-test p = {number(p, '.4f')}: "
        f"{significant}): of {found.n} queries it wins {found.wins}, ties {found.ties} and loses {found.losses}."
    )
