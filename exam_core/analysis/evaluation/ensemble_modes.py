"""Grading modes that are made of others: `majority(a,b,c)`, `median(a,b,c)`, wherever a grading mode can be named."""

from __future__ import annotations

from collections.abc import Iterable

from exam_core.analysis.evaluation.choosing import grader_id
from exam_core.analysis.evaluation.grade_scales import default_tau, scale_of
from exam_core.errors import UsageError
from exam_core.store import Snapshot
from exam_core.store.ensembles import SPELLED, Ensemble, Rule, with_ensemble
from exam_core.store.snapshot_cache import kept
from exam_core.store.summary import graded_banks
from exam_core.wording import listed, plain_number

SPELLING = "Write it as majority(a,b,c), majority(a@3,b,c@1) or median(a,b,c), with the names of grading modes."


def spelled(rule: Rule, members: Iterable[str]) -> str:
    """The name of an ensemble."""
    return f"{rule}({','.join(members)})"


def with_ensembles(snapshot: Snapshot, texts: Iterable[str]) -> Snapshot:
    """The collection with every ensemble that is named anywhere in these texts.

    Raises UsageError where the members of one are unknown, fewer than two, or have nothing that all of them grade.
    """
    for text in texts:
        for match in SPELLED.finditer(text):
            if match[0] not in graded_banks(snapshot):
                snapshot = _with(snapshot, match[0])
    return snapshot


def is_ensemble(snapshot: Snapshot, grader: str) -> bool:
    """Whether a grading mode is made of others."""
    return snapshot.graders.get(grader, {}).get("kind") == "ensemble"


def member(snapshot: Snapshot, text: str) -> tuple[str, int]:
    """A grading mode and the smallest grade that is its vote for relevant: `Thomas`, or `Thomas@2`.

    By default the cut is the mode's default tau: one below the largest grade of its scale, at least 1.

    Raises UsageError where there is no such grading mode, or the cut is beyond its scale.
    """
    known, whole = graded_banks(snapshot), grader_id(snapshot, text)
    if whole in known:
        return whole, default_tau(snapshot, whole)
    named, _, cut = text.rpartition("@")
    grader = grader_id(snapshot, named)
    if grader not in known:
        raise UsageError(f"There is no grading mode {text}. There are: {', '.join(known) or 'none'}.")
    largest = scale_of(snapshot, grader)
    found = plain_number(cut)
    if found is None or not 1 <= found <= largest:
        raise UsageError(f"{text}: write the smallest grade that counts after the @, from 1 to {largest}.")
    return grader, found


@kept(64)
def _with(snapshot: Snapshot, name: str) -> Snapshot:
    return with_ensemble(snapshot, _ensemble(snapshot, name))


def _ensemble(snapshot: Snapshot, name: str) -> Ensemble:
    rule, _, inner = name.removesuffix(")").partition("(")
    texts = listed(inner)
    members = tuple(member(snapshot, text) for text in texts)
    graders = [grader for grader, _ in members]
    if len(set(graders)) < max(2, len(members)):
        raise UsageError(f"{name}: an ensemble needs two grading modes or more, each once. {SPELLING}")
    _check_common(snapshot, name, graders)
    if rule == "majority":
        return Ensemble(name, "majority", members, 1)
    scales = {scale_of(snapshot, grader) for grader in graders}
    if len(scales) > 1 or texts != graders:
        own = ", ".join(f"{grader} 0 to {scale_of(snapshot, grader)}" for grader in graders)
        raise UsageError(
            f"{name}: a median needs grades of one scale, without an @ ({own}). A majority allows any: "
            f"{spelled('majority', graders)}"
        )
    return Ensemble(name, "median", members, scales.pop())


def _check_common(snapshot: Snapshot, name: str, graders: list[str]) -> None:
    """Refuse graders that have nothing that all of them grade."""
    banks = [set(graded_banks(snapshot)[grader]) for grader in graders]
    if not set.intersection(*banks):
        own = "; ".join(
            f"{grader} grades {' and '.join(bank or 'whole passages' for bank in graded_banks(snapshot)[grader])}"
            for grader in graders
        )
        raise UsageError(f"{name}: these modes share no bank ({own}). Choose modes that grade the same bank.")
