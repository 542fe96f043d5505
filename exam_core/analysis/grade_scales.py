"""Scales of graders: the grades, labels and taus that there can be, and notes on scales that nobody declared."""

from __future__ import annotations

import math
from collections.abc import Sequence

from exam_core.analysis.choice import TAUS, Evaluation, LabelRule
from exam_core.names import listed
from exam_core.store import Snapshot
from exam_core.store.scales import COMMON, Scale, decimals, given_grades, scale

_WHY = {"judgments": "the scale of the judgments", "labels": "the usual end of a scale of labels"}


def default_tau(snapshot: Snapshot, grader: str | None) -> int:
    """One below the scale's end, 1 to 5: 4 on the scale 0..5 ("strict", EXAM section 4.1), 1 on 0/1 and 0..2."""
    return one_below(scale_of(snapshot, grader))


def one_below(largest: int) -> int:
    return min(max(largest - 1, TAUS[0]), TAUS[-1])


def reachable_tau(snapshot: Snapshot, grader: str | None, tau: float) -> float:
    """The tau of several graders as it applies to one of them: at most the end of its scale."""
    return min(tau, scale_of(snapshot, grader))


def scale_of(snapshot: Snapshot, grader: str | None) -> int:
    """The largest grade of a grader's scale."""
    return scale(snapshot, grader or "").largest


def possible_grades(snapshot: Snapshot, grader: str | None) -> list[int]:
    """The grades that there can be, ascending: those of the scale, and those that the grader gave beyond it."""
    return sorted({*range(scale_of(snapshot, grader) + 1), *given_grades(snapshot).get(grader or "", [])})


def largest_grade(snapshot: Snapshot, grader: str | None) -> int:
    """The last of the grades that there can be."""
    return possible_grades(snapshot, grader)[-1]


def taus_of(snapshot: Snapshot, labelling: LabelRule, *, of_labels: bool = True) -> list[int]:
    """The taus within the scale of a labelling's grader, ascending; 1 where there is none.

    Grades that the grader gave beyond the scale add no tau: they are slips. A label map applies unless `of_labels` is
    false.
    """
    grades = range(scale_of(snapshot, labelling.grading.grader) + 1)
    mapping = labelling.mapping if of_labels else None
    largest = max(grades if mapping is None else (mapping.get(grade, 0) for grade in grades))
    return [tau for tau in TAUS if tau <= largest] or [TAUS[0]]


def possible_labels(snapshot: Snapshot, labelling: LabelRule) -> list[int]:
    """The labels that passages can have, ascending: the possible grades, by the label map."""
    grades, mapping = possible_grades(snapshot, labelling.grading.grader), labelling.mapping
    return grades if mapping is None else sorted({mapping.get(grade, 0) for grade in grades})


def largest_label(snapshot: Snapshot, labelling: LabelRule) -> int:
    """The last of the labels that passages can have."""
    return possible_labels(snapshot, labelling)[-1]


def about_grader(snapshot: Snapshot, choice: Evaluation) -> list[str]:
    """Notes on the grader and its scale."""
    grader = choice.grading.grader
    known = snapshot.graders.get(grader or "", {})
    notes = [f"{grader}: {known['about']}"] if "about" in known else []
    notes += about_scales(snapshot, choice)
    if grader and choice.measure.of_decimals and not (choice.grading.exact and decimals(snapshot).get(grader)):
        notes.append(f"{choice.heading}: {grader} has no labels with decimals; its whole labels are taken.")
    if grader is None or not choice.measure.tau_applies:
        return notes
    notes += about_decimals(snapshot, grader, choice.tau)
    scale = scale_of(snapshot, grader)
    if scale < choice.tau:
        notes.append(f"{grader} gives grades up to {scale}: hardly anything can reach tau {choice.tau}.")
    elif choice.measure.info.of == "labels" and (largest := largest_label(snapshot, choice.labelling)) < choice.tau:
        notes.append(f"Labels {choice.labelling.written_map} end at {largest}: nothing can reach tau {choice.tau}.")
    return notes


def about_decimals(snapshot: Snapshot, grader: str, tau: float) -> list[str]:
    """What a tau that is no whole number cuts; nothing of a whole one."""
    up = math.ceil(tau)
    if up == tau:
        return []
    if not decimals(snapshot).get(grader):
        return [f"{grader} gives whole grades: tau {tau} counts those of {up} and more."]
    return [
        f"Tau {tau} cuts the decimal grades of {grader}. Where labels and grades of passages are shown beside it, {up} "
        f"stands for {tau} and more, {up - 1} for {tau - 1:g} and more, and so on."
    ]


def about_scales(snapshot: Snapshot, *choices: Evaluation) -> list[str]:
    """`about_scale` of the graders that are evaluated."""
    graded = [choice for choice in choices if choice.of_grades and choice.grading.grader]
    cut = any(choice.measure.tau_applies for choice in graded)
    return about_scale(snapshot, [str(choice.grading.grader) for choice in graded], cut=cut)


def about_scale(snapshot: Snapshot, graders: Sequence[str], *, cut: bool = True, outside: bool = True) -> list[str]:
    """Notes on scales that nobody declared, with the tau that follows from each, and on labels that don't fit a scale.

    These are labels outside of it, and those of a scale that is declared, but hardly reached. Of an ensemble, the notes
    are on its members. Notes on tau are left out unless `cut`, and those on labels outside unless `outside`.
    """
    names = dict.fromkeys(name for grader in graders for name in snapshot.graders.get(grader, {}).get("of", [grader]))
    scales = [scale(snapshot, name) for name in names]
    guessed: dict[tuple[int, str], list[str]] = {}
    for known in scales:
        if known.is_guessed and cut:
            guessed.setdefault((known.largest, known.source), []).append(known.grader_id)
    notes = [
        f"No scale is declared for {listed(named)}: 0 to {largest} is assumed, {_WHY[source]}; the default tau is "
        f"{one_below(largest)} (`import labels --scale` declares another)."
        for (largest, source), named in guessed.items()
    ]
    notes += [note for known in scales if cut for note in _about_default_tau(known)]
    for known in scales if outside else ():
        if known.outside:
            verb = "is" if known.outside == 1 else "are"
            notes.append(
                f"{known.outside:,} of the {known.labels:,} labels of {known.grader_id} {verb} outside of its scale, 0 "
                f"to {known.largest}."
            )
    return notes


def _about_default_tau(known: Scale) -> list[str]:
    """Notes where the default tau is not one below the end, and where labels of a declared scale hardly reach it."""
    tau, notes = one_below(known.largest), []
    if tau < known.largest - 1:
        notes.append(
            f"The scale of {known.grader_id} is 0 to {known.largest}, and its default tau {tau}, not "
            f"{known.largest - 1}: taus go from {TAUS[0]} to {TAUS[-1]}."
        )
    reached = sum(count for grade, count in known.counts.items() if grade >= tau)
    if known.labels and not known.is_guessed and reached < COMMON * known.labels:
        notes.append(
            f"{reached:,} of the {known.labels:,} labels of {known.grader_id} reach its default tau {tau}, "
            f"though its scale is declared as 0 to {known.largest}: check the scale (`import labels --scale`)."
        )
    return notes
