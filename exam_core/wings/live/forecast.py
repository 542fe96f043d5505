"""How large a live page will be and how long it takes to make, said before anything is computed."""

from __future__ import annotations

from dataclasses import dataclass

from exam_core.wings.live.cube import Axes, Reach
from exam_core.wings.live.live_page import fixed_size
from exam_core.wings.live.passages import Extent
from exam_core.wording import counted, duration

HUGE = 50.0
"""Megabytes above which a page is slow to send and to open."""
TEXTS, VALUE, ROW = 10_000, 0.9, 25.0
"""Bytes in the page of names and notes, of a value by query, and of a run in a leaderboard: by itself, and again beside
each reference."""
START = 2.0
"""Seconds of every live page, whatever it shows."""
BOARD, PAIR, CELL = 0.06, 2.1e-5, 2.5e-6
"""Seconds of a leaderboard, by itself and again beside each reference: at least, and by pairs of runs and by values.
They are those of two cores with nothing else to do, and count where nothing was measured."""
TEXT, MARKS, GRADED, PLACE = 0.42, 30.0, 2.0, 1.1
"""Bytes in the page of a byte of a passage, of its words that a bank's questions mark, of its grades by a mode, and of
a place in a ranking."""
PASSAGE = 6e-4
"""Seconds of a passage under a query."""
OPTIONS = {"grading modes": "--grader", "measures": "--measure", "references": "--reference"}
"""Options that name what a live page offers, by what it is called."""


@dataclass(frozen=True)
class Forecast:
    """What a live page will take, about.

    Attributes
    ----------
    choices : how many of each kind it offers, by what they are called
    fixed : megabytes of every live page, whatever it shows
    each : megabytes and seconds of each choice of a kind, on average
    passages : megabytes of passages; 0 in a page without them
    """

    leaderboards: int
    megabytes: float
    seconds: float
    choices: dict[str, int]
    fixed: float
    each: dict[str, tuple[float, float]]
    passages: float = 0.0

    @property
    def in_words(self) -> str:
        """Size and time, in a sentence."""
        return (
            f"{counted({'leaderboards': self.leaderboards})} of {counted(self.choices)}: about {self.megabytes:.1f} MB "
            f"and {duration(self.seconds)} to compute."
        )

    @property
    def by_choice(self) -> str:
        """What each choice adds, in a sentence."""
        text = ", ".join(
            f"a {kind.removesuffix('s')} {megabytes:.2f} MB and {duration(seconds)}"
            for kind, (megabytes, seconds) in self.each.items()
        )
        texts = f", passages {self.passages:.2f} MB" if self.passages else ""
        return f"The page itself takes {self.fixed:.1f} MB{texts}. Each choice adds: {text}."

    @property
    def advice(self) -> str:
        """Which options make a huge page smaller, in a sentence; empty where it is none."""
        if self.megabytes <= HUGE:
            return ""
        sentences = [
            f"with one {kind.removesuffix('s')} ({OPTIONS[kind]}) it would have about {self.fixed + megabytes:.0f} MB"
            for kind, (megabytes, _) in self.each.items()
            if self.choices[kind] > 1
        ]
        if self.passages:
            sentences.append(f"without --passages it would have about {self.megabytes - self.passages:.0f} MB")
        return (
            f"A page of more than {HUGE:.0f} MB opens slowly: "
            f"{', '.join(sentences) or 'it has too many runs and queries'}."
        )


def forecast(axes: Axes, reach: Reach, extent: Extent | None = None, value: float | None = None) -> Forecast:
    """What a live page will take: its size within a factor of two, its time within 1.5 where it was measured.

    Parameters
    ----------
    extent : of the passages that are in the page
    value : seconds of a leaderboard beside its references here and now: `seconds_of_one`
    """
    boards, runs, queries = reach
    times = 1 + len(axes.references)
    usual = BOARD + PAIR * runs**2 + CELL * runs * queries
    second = value / times if value else usual
    row = runs * ROW / 1e6
    size = TEXTS / 1e6 + boards * (runs * queries * VALUE / 1e6 + row * times)
    seconds = START + boards * second * times
    fixed = fixed_size() / 1e6
    each = {"grading modes": len(axes.modes), "measures": len(axes.measures)}
    costs = {kind: (size / count, seconds / count) for kind, count in each.items()}
    if axes.references:
        costs["references"] = (boards * row, boards * second)
    others = {"taus": len(axes.taus), "label ranks": len(axes.label_ranks), "references": len(axes.references)}
    texts = _texts(axes, extent) if extent else 0.0
    seconds += extent.pairs * PASSAGE * second / usual if extent else 0.0
    return Forecast(boards, fixed + size + texts, seconds, each | others, fixed, costs, texts)


def _texts(axes: Axes, extent: Extent) -> float:
    banks = len({mode.bank for mode in axes.modes if mode.bank})
    by_pair = MARKS * banks + GRADED * len(axes.modes)
    return (extent.bytes * TEXT + extent.pairs * by_pair + extent.places * PLACE) / 1e6
