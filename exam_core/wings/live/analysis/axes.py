"""The choices of a live page: what a collection has, or what is named of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from exam_core.analysis.comparisons.comparison import about_unasked, needs_questions
from exam_core.analysis.evaluation.choice import TAUS
from exam_core.analysis.evaluation.choosing import by_judgments, choose, grader_id, leave_out, series_of
from exam_core.analysis.evaluation.grade_scales import default_tau
from exam_core.analysis.evaluation.references import JUDGED_BY
from exam_core.analysis.evaluation.references import references as references_of
from exam_core.analysis.evaluation.unlabelled import measures_of
from exam_core.asked import Asked
from exam_core.errors import NothingToChoose
from exam_core.measures import MEASURES, Measure
from exam_core.store import Snapshot
from exam_core.store.names import BankRef
from exam_core.store.question_banks import find_bank
from exam_core.store.summary import graded_banks, names_of, run_ids

OF_LABELS = "AP"
"""A measure whose choice has the labels that agreement is about; it takes no @k, so any depth will do."""
USUAL = ("Cover@20", "nCover@20", "P@20", "AP", "nDCG@20", "Rprec", "RR")
"""Measures that a live page offers where none is named, as far as the collection has what they take."""
RANKS = (1, 2, 3)
"""Label ranks of graders of questions."""
OFFERED = 2
"""References that a live page offers where none is named."""


@dataclass(frozen=True)
class LiveMode:
    """A grading mode on a bank, or one of whole passages, which has no bank; or the human judgments."""

    grader: str
    bank: str | None = None

    @property
    def has_version(self) -> bool:
        """Whether its bank is one in a version of its own."""
        return BankRef.parse(self.bank or "").version is not None


@dataclass(frozen=True)
class Axes:
    """The choices of a live page; one that is not listed here is not offered.

    Attributes
    ----------
    references : leaderboards, or measures that are computed; may be empty
    left_out : sets of runs; the leaderboards without each of them are offered. The first set is empty
    """

    modes: Sequence[LiveMode]
    measures: Sequence[str]
    taus: Sequence[int] = TAUS
    label_ranks: Sequence[int] = (1, 2, 3)
    references: Sequence[str] = ()
    left_out: tuple[tuple[str, ...], ...] = ((),)

    def with_measure(self, snapshot: Snapshot, measure: str) -> Axes:
        """The same, and one measure more, the first, if it is not among them.

        Raises NothingToChoose where it looks at no grades, or at questions that none of the modes has.
        """
        _require_some(snapshot, self.modes, measure)
        if measure in self.measures:
            return self
        _require_grades(measure)
        return replace(self, measures=(measure, *self.measures))


def axes_of(
    snapshot: Snapshot,
    asked: Asked,
    modes: Sequence[str],
    measures: Sequence[str],
    references: Sequence[str],
    left_out: Sequence[str] = (),
    banks: Sequence[str] = (),
) -> Axes:
    """The choices of a live page; what is not named is what the collection has.

    Parameters
    ----------
    left_out : runs; the leaderboards without them are offered, too
    banks : also in versions of their own (genq@1); by default the bank that is asked for, or all

    Raises
    ------
    UsageError : the collection has not what is named
    NothingToChoose : it has nothing to compute from grades or judgments
    """
    graded, named = graded_banks(snapshot), _banks(snapshot, banks or filter(None, [asked.bank]))
    wanted = [grader_id(snapshot, mode) for mode in modes] or _series(snapshot, named)
    for mode in wanted if modes else ():
        own = [bank for bank in graded.get(mode, ()) if bank]
        bank = next((text for text, name in named.items() if name in own), next(iter([*named, *own]), None))
        choose(snapshot, asked.but(bank=bank, grader=mode, measure=OF_LABELS, tau=None))
    if not wanted or not run_ids(snapshot):
        raise NothingToChoose(
            f"{snapshot.collection} has no grades or judgments of runs to compute leaderboards from, so that nothing "
            "could be chosen on a live page."
        )
    pairs = [
        LiveMode(mode, text)
        for mode in wanted
        for bank in graded.get(mode, [None])
        for text in ([text for text, name in named.items() if name == bank] if bank and named else [bank])
    ]
    judged = by_judgments(snapshot, wanted)
    spelled = [str(Measure.parse(name)) for name in measures] or _usual(snapshot, judged=judged)
    if not measures:
        spelled = [name for name in spelled if _of_some(snapshot, pairs, name)]
    for name in spelled:
        if not judged:
            _require_grades(name)
        _require_some(snapshot, pairs, name)
    if not spelled:
        raise NothingToChoose(f"{snapshot.collection} has no measure of grades, so that nothing could be chosen.")
    others = list(references) or references_of(snapshot)[:OFFERED]
    ranks = RANKS if any(pair.bank for pair in pairs) else (1,)
    leave_out(snapshot, left_out, "--also-without")
    sets = ((), tuple(sorted({*left_out}))) if left_out else ((),)
    return Axes(pairs, spelled, TAUS, ranks, others, sets)


def _banks(snapshot: Snapshot, banks: Iterable[str]) -> dict[str, str]:
    """The names of banks by what they are asked for as, each version once."""
    versions = {find_bank(snapshot, text): text for text in banks}
    return {text: name for (name, _), text in versions.items()}


def _series(snapshot: Snapshot, named: Mapping[str, str]) -> list[str]:
    """The grading modes of the banks that are named, or all; else the judgments."""
    each = [series_of(snapshot, name) for name in named.values() or [None]]
    return list(dict.fromkeys(mode for modes in each for mode in modes))


def worlds(snapshot: Snapshot, axes: Axes) -> list[Snapshot]:
    """The collection without each of the sets of runs."""
    return [snapshot.without(runs) for runs in axes.left_out]


def data_in_words(snapshot: Snapshot) -> str:
    """Which data a page was made from."""
    without = f", without {', '.join(snapshot.left_out_in_words)}" if snapshot.left_out else ""
    return f"{snapshot.collection}{without}, fingerprint {snapshot.fingerprint}"


def _usual(snapshot: Snapshot, *, judged: bool) -> list[str]:
    """Measures where none is named; beside judgments also those of stored scores."""
    held = measures_of(snapshot)
    if judged:
        return [*JUDGED_BY, *(name for name in held if MEASURES[name].of == "scores")]
    return [name for name in USUAL if Measure.parse(name).name in held]


def _of_some(snapshot: Snapshot, modes: Iterable[LiveMode], measure: str) -> bool:
    """Whether some of the modes has what a measure looks at."""
    return not all(needs_questions(snapshot, mode.grader, measure) for mode in modes)


def _require_some(snapshot: Snapshot, modes: Iterable[LiveMode], measure: str) -> None:
    if not _of_some(snapshot, modes, measure):
        names = names_of(snapshot)
        raise NothingToChoose(about_unasked([names.get(mode.grader, mode.grader) for mode in modes]))


def _require_grades(measure: str) -> None:
    if not Measure.parse(measure).info.of_grades:
        raise NothingToChoose(f"{measure} does not use grades, so that nothing of it could be chosen on a live page.")


def first_of(snapshot: Snapshot, asked: Asked, axes: Axes) -> dict[str, Any]:
    """The choice that a live page opens with, as places in its axes."""
    measure = _place(axes.measures, asked.measure)
    first = next((mode for mode in axes.modes if _of_some(snapshot, [mode], axes.measures[measure])), axes.modes[0])
    return {
        "modes": list(range(len(axes.modes))),
        "measure": measure,
        "tau": _place(axes.taus, asked.tau or default_tau(snapshot, first.grader)),
        "labelRank": _place(axes.label_ranks, asked.label_rank),
        "reference": 0,
        "leftOut": 0,
    }


def _place(listed: Sequence[object], wanted: object) -> int:
    return listed.index(wanted) if wanted in listed else 0
