"""A job that cannot read stops early: grades are held back until the first answers show that they can be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from exam_core.grading.backend import Reading
from exam_core.grading.modes.ratings import Verdict
from exam_core.jobs.task import Task
from exam_core.readings.reasons import HELP, by_count
from exam_core.store.answer_cache import KeptAnswer
from exam_core.wording import cut_at_word

FIRST = 100
"""Answers that are looked at before any grade is stored."""
SHOWN = 5
"""Answers that are shown of those that can't be read, the most frequent."""
LONGEST = 160
"""Characters that are shown of an answer."""
READINGS: tuple[Reading, ...] = ("chat", "flan-t5")
Graded = tuple[int, Verdict, KeptAnswer]
"""The place of what was asked, its grade, and the answer that the grade was read from."""
Keeps = Callable[[Sequence[Graded]], None]


class Holding:
    """Keeps grades once more than half of the first hundred answers could be read; else it keeps none of them.

    An answer to which a rule gives a grade counts as one that can't be read.

    Parameters
    ----------
    keep : is given the grades that are stored
    """

    def __init__(self, task: Task, keep: Keeps) -> None:
        self._task, self._keep = task, keep
        self._open = task.order.go_on
        self._held: list[Graded] = []
        self._missing = 0
        self.why = ""
        """Why the job pauses, in lines; empty where it does not."""
        self.reads = ""
        """The reading that would read more, where there is one."""

    @property
    def room(self) -> int | None:
        """Grades that are wanted before it is decided whether the job pauses; None: as many as come."""
        return None if self._open else FIRST - len(self._held) - self._missing

    def add(self, graded: Sequence[Graded], missing: int = 0) -> None:
        """Keep grades, or hold them back as long as nothing is decided; `missing` ones got no answer."""
        if self._open:
            self._keep(graded)
            return
        self._held += graded
        self._missing += missing
        if len(self._held) + self._missing >= FIRST:
            first = self._held[:FIRST]
            lost = [one for one in first if one[1].reason]
            if (len(lost) + self._missing) * 2 > len(first) + self._missing:
                self.why = "\n".join(self._lines(first, lost))
            else:
                self.end()

    def end(self) -> None:
        """Keep what is held back, unless the job pauses."""
        if not self.why:
            self._open = True
            if self._held:
                self._keep(self._held)
            self._held = []

    def _lines(self, first: Sequence[Graded], lost: Sequence[Graded]) -> Iterator[str]:
        """What a person has to know to decide how to go on."""
        if self._missing:
            asked = len(first) + self._missing
            unread = f", and {len(lost)} answers can't be read" if lost else ""
            head = f"{self._missing} of the first {asked} grades got no answer{unread}"
            yield f"{head}, so the job paused. No grade was stored; answers are kept."
        else:
            yield (
                f"{len(lost)} of the first {len(first)} answers can't be read, so the job paused. No grade was stored; "
                "the answers are kept, and not asked again."
            )
        filled = sum(verdict.grade is not None for _, verdict, _ in lost)
        if filled:
            yield f"{filled} of them would count 0 or 1 by the rule --unreadable {self._task.order.unreadable}."
        counts = Counter((answer.text, verdict.reason) for _, verdict, answer in lost)
        for (text, reason), count in counts.most_common(SHOWN):
            said = " ".join(text.split())
            yield f"  {count} × {cut_at_word(said, LONGEST)!r}: {reason}"
        count = self._look(first, len(first) - len(lost)) if lost else 0
        if self.reads:
            rest = ", without --unreadable" if filled else ""
            yield f"The reading {self.reads} reads {count} of these {len(first)}: --reading {self.reads}{rest}"
        elif lost:
            reason = by_count(Counter(verdict.reason for _, verdict, _ in lost))[0][0]
            yield f"No other reading reads more of them. {HELP[reason]}"
        again = "To ask for the missing answers again, start the job again. " if self._missing else ""
        yield f"{again}To go on anyway: --go-on"

    def _look(self, first: Sequence[Graded], now: int) -> int:
        """Look which reading reads most of some answers, if more than are read now; how many it reads."""
        mode, asked = self._task.mode, self._task.asked(np.array([place for place, _, _ in first]))
        most = now
        for reading in READINGS if mode.verifier != "llm" else ():
            other = replace(mode, reading=reading)
            pairs = zip(asked, first, strict=True)
            count = sum(other.read(answer.text, one).grade is not None for one, (_, _, answer) in pairs)
            if count > most and reading != mode.reading:
                self.reads, most = reading, count
        return most
