"""What a reader must know of graders' scales: where they are guessed, the tau that follows, and what is outside."""

from __future__ import annotations

from collections.abc import Sequence

from exam_core.analysis.evaluation.caveats import listed
from exam_core.analysis.evaluation.choice import TAUS, Evaluation
from exam_core.analysis.evaluation.choosing import default_tau
from exam_core.store import Snapshot
from exam_core.store.scales import COMMON, Scale, reaching, scale

_WHY = {"judgments": "that of the judgments", "labels": "as far as labels commonly go"}


def about_scales(snapshot: Snapshot, *choices: Evaluation) -> list[str]:
    """`about_scale` of the graders that are evaluated."""
    graded = [choice for choice in choices if choice.of_grades and choice.grading.grader]
    cut = any(choice.measure.tau_applies for choice in graded)
    return about_scale(snapshot, [str(choice.grading.grader) for choice in graded], cut=cut)


def about_scale(snapshot: Snapshot, graders: Sequence[str], *, cut: bool = True, outside: bool = True) -> list[str]:
    """Notes on scales that nobody declared, with the tau that follows from each, and on labels that don't fit a scale.

    These are labels outside of it, and those of a scale that is declared, but hardly reached.

    Parameters
    ----------
    graders : of an ensemble, the notes are on its members
    cut : whether tau plays a part
    outside : whether to say how many labels are outside
    """
    about = [snapshot.graders.get(name, {}) for name in graders]
    names = [name for one, of in zip(graders, about, strict=True) for name in of.get("of", [one])]
    scales = {name: scale(snapshot, name) for name in names}
    guessed: dict[tuple[int, str], list[str]] = {}
    for name, one in scales.items():
        if one.is_guessed and cut:
            guessed.setdefault((one.largest, one.source), []).append(name)
    return [
        *(_guessed(snapshot, named, largest, _WHY[source]) for (largest, source), named in guessed.items()),
        *(note for name, one in scales.items() if cut for note in _of_tau(snapshot, name, one)),
        *(_outside(name, one) for name, one in scales.items() if one.outside and outside),
    ]


def _guessed(snapshot: Snapshot, graders: list[str], largest: int, why: str) -> str:
    return (
        f"No scale is declared for {listed(graders)}: 0 to {largest} is assumed, {why}; the default tau is "
        f"{default_tau(snapshot, graders[0])} (`import labels --scale` declares another)."
    )


def _of_tau(snapshot: Snapshot, grader: str, found: Scale) -> list[str]:
    """Where the default tau is not one below the end, and where the labels of a declared scale hardly reach it."""
    tau, notes = default_tau(snapshot, grader), []
    if tau < found.largest - 1:
        notes.append(
            f"The scale of {grader} is 0 to {found.largest}, and its default tau {tau}, not {found.largest - 1}: taus "
            f"go from {TAUS[0]} to {TAUS[-1]}."
        )
    reached = reaching(snapshot, grader, tau)
    if found.labels and not found.is_guessed and reached < COMMON * found.labels:
        notes.append(
            f"{reached:,} of the {found.labels:,} labels of {grader} reach its default tau {tau}, though its scale is "
            f"declared as 0 to {found.largest}: see whether that is right (`import labels --scale`)."
        )
    return notes


def _outside(grader: str, found: Scale) -> str:
    verb = "is" if found.outside == 1 else "are"
    return (
        f"{found.outside:,} of the {found.labels:,} labels of {grader} {verb} outside of its scale, 0 to "
        f"{found.largest}."
    )
