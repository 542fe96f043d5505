"""What a live page lets its reader choose, and the leaderboard of each choice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from exam_core.analysis.agreement import Agreement, agreement
from exam_core.analysis.choice import TAUS, Evaluation
from exam_core.analysis.choosing import by_judgments, choose, evaluation_of, grader_id, judgments_of, series_of
from exam_core.analysis.comparison import needs_questions, note_without_questions
from exam_core.analysis.grade_scales import default_tau, scale_of
from exam_core.analysis.leaderboard import Leaderboard, leaderboard, standing
from exam_core.analysis.outliers import Outliers, outliers
from exam_core.analysis.references import (
    JUDGED_BY,
    Paired,
    Reference,
    TruthInterval,
    estimate_truths,
    find_reference,
    pair_with,
)
from exam_core.analysis.references import references as references_of
from exam_core.analysis.unlabelled import measures_of
from exam_core.analysis.values import Values, counted_values
from exam_core.errors import ExamboardError, NothingToChoose
from exam_core.measures import MEASURES, Measure
from exam_core.progress import Progress, no_progress
from exam_core.request import Request
from exam_core.store import Snapshot
from exam_core.store.names import BankRef
from exam_core.store.question_banks import find_bank
from exam_core.store.summary import graded_banks, names_of, qrels_ids, run_ids
from exam_core.tables import OFFICIAL

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
    """

    modes: Sequence[LiveMode]
    measures: Sequence[str]
    taus: Sequence[int] = TAUS
    label_ranks: Sequence[int] = (1, 2, 3)
    references: Sequence[str] = ()

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
    request: Request,
    modes: Sequence[str],
    measures: Sequence[str],
    references: Sequence[str],
    banks: Sequence[str] = (),
) -> Axes:
    """The choices of a live page; what is not named is what the collection has.

    Parameters
    ----------
    banks : also in versions of their own (genq@1); by default the bank that is asked for, or all

    Raises
    ------
    UsageError : the collection has not what is named
    NothingToChoose : it has nothing to compute from grades or judgments
    """
    graded, named = graded_banks(snapshot), _banks(snapshot, banks or filter(None, [request.bank]))
    wanted = [grader_id(snapshot, mode) for mode in modes] or _series(snapshot, named)
    for mode in wanted if modes else ():
        own = [bank for bank in graded.get(mode, ()) if bank]
        bank = next((text for text, name in named.items() if name in own), next(iter([*named, *own]), None))
        choose(snapshot, request.but(bank=bank, grader=mode, measure=OF_LABELS, tau=None))
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
    return Axes(pairs, spelled, TAUS, ranks, others)


def _banks(snapshot: Snapshot, banks: Iterable[str]) -> dict[str, str]:
    """The names of banks by what they are asked for as, each version once."""
    versions = {find_bank(snapshot, text): text for text in banks}
    return {text: name for (name, _), text in versions.items()}


def _series(snapshot: Snapshot, named: Mapping[str, str]) -> list[str]:
    """The grading modes of the banks that are named, or all; else the judgments."""
    each = [series_of(snapshot, name) for name in named.values() or [None]]
    return list(dict.fromkeys(mode for modes in each for mode in modes))


def data_in_words(snapshot: Snapshot) -> str:
    """Which data a page was made from."""
    without = f", without {', '.join(snapshot.left_out_in_words)}" if snapshot.left_out_in_words else ""
    return f"{snapshot.collection}{without}, fingerprint {snapshot.fingerprint}"


def _usual(snapshot: Snapshot, *, judged: bool) -> list[str]:
    """Measures where none is named; beside judgments also those of stored scores."""
    names = measures_of(snapshot)
    if judged:
        return [*JUDGED_BY, *(name for name in names if MEASURES[name].of == "scores")]
    return [name for name in USUAL if Measure.parse(name).name in names]


def _of_some(snapshot: Snapshot, modes: Iterable[LiveMode], measure: str) -> bool:
    """Whether some of the modes has what a measure looks at."""
    return not all(needs_questions(snapshot, mode.grader, measure) for mode in modes)


def _require_some(snapshot: Snapshot, modes: Iterable[LiveMode], measure: str) -> None:
    if not _of_some(snapshot, modes, measure):
        names = names_of(snapshot)
        raise NothingToChoose(note_without_questions([names.get(mode.grader, mode.grader) for mode in modes]))


def _require_grades(measure: str) -> None:
    if not Measure.parse(measure).info.of_grades:
        raise NothingToChoose(f"{measure} does not use grades, so that nothing of it could be chosen on a live page.")


def first_of(snapshot: Snapshot, request: Request, axes: Axes) -> dict[str, Any]:
    """The choice that a live page opens with, as places in its axes."""
    if request.tau is not None and request.tau != int(request.tau):
        raise NothingToChoose(f"A live page has whole taus, and none of {request.tau}. Choose {TAUS[0]} to {TAUS[-1]}.")
    measure = _place(axes.measures, request.measure)
    able = [mode for mode in axes.modes if _of_some(snapshot, [mode], axes.measures[measure])] or axes.modes
    return {
        "modes": list(range(len(axes.modes))),
        "measure": measure,
        "tau": _place(axes.taus, request.tau or max(default_tau(snapshot, mode.grader) for mode in able)),
        "labelRank": _place(axes.label_ranks, request.label_rank),
        "reference": 0,
    }


def _place(listed: Sequence[object], wanted: object) -> int:
    return listed.index(wanted) if wanted in listed else 0


INTERVALS = ("spearman", "kendall", "tau_ap", "tau_ap_b")
"""Coefficients that a live page shows, each with its interval."""
JUDGED_FROM = (1, 2)
"""The smallest judgments that count as relevant: lenient and strict (EXAM, section 4.3)."""


@dataclass(frozen=True)
class CubeBoard:
    """A leaderboard, its values by query, and what it is beside each reference.

    Attributes
    ----------
    standing : what says how much each rank is worth: `standing.SCORES`
    beside : by reference, the board with that one's ranks, correlations and notes
    truths : by reference and coefficient, the interval of the correlation
    outliers : by reference, how far each run is displaced from it
    """

    board: Leaderboard
    values: Values
    standing: pd.DataFrame
    beside: dict[str, Leaderboard]
    truths: dict[str, dict[str, TruthInterval]]
    outliers: dict[str, Outliers]

    @property
    def title(self) -> str:
        """The board's title, with the version of its bank where that is not the newest, and tau where it counts."""
        name = BankRef.parse(self.board.bank or "").name
        title = f"{self.board.bank}{self.board.title.removeprefix(name)}" if name else self.board.title
        before, _, behind = title.rpartition(f" tau={self.board.tau}")
        return title if self.board.tau_applies else f"{before}{behind}"

    @property
    def tau(self) -> float | None:
        """The board's tau; None where it is the same at each."""
        return self.board.tau if self.board.tau_applies else None


Choice = tuple[int, int, int, int]
"""Places of a mode, a measure, a tau and a label rank in the axes."""


@dataclass(frozen=True)
class Cube:
    """What a live page shows.

    Attributes
    ----------
    request : what the axes leave open
    boards : each once, however many choices lead to it
    choices : what is evaluated; boards of choices that differ in nothing that counts are one
    at : by choice, the number of the board; choices without a board are left out
    agreements : by places of a mode, a tau and a label rank, the agreement with the judgments for each of `JUDGED_FROM`
    missing : by choice, why there is no board, as the command line says it
    """

    snapshot: Snapshot
    request: Request
    axes: Axes
    boards: list[CubeBoard] = field(default_factory=list)
    at: dict[Choice, int] = field(default_factory=dict)
    agreements: dict[tuple[int, int, int], list[Agreement]] = field(default_factory=dict)
    choices: dict[Choice, Evaluation] = field(default_factory=dict)
    missing: dict[Choice, str] = field(default_factory=dict)

    @cached_property
    def names(self) -> dict[str, str]:
        """What graders are called, by id."""
        return names_of(self.snapshot)

    @cached_property
    def run_ids(self) -> list[str]:
        """The runs of all boards, sorted."""
        return sorted({run for cube_board in self.boards for run in cube_board.board.rows["run_id"]})

    @cached_property
    def query_ids(self) -> list[str]:
        """The queries of all boards, sorted."""
        return sorted({query for board in self.boards for query in board.values.query_ids})

    def asked_at(self, choice: Choice) -> Request:
        """What is asked for by a choice, beside no reference."""
        axes, (mode, measure, tau, rank) = self.axes, choice
        own = axes.modes[mode], axes.measures[measure], axes.taus[tau], axes.label_ranks[rank]
        return request_of(self.snapshot, self.request, *own)


def cube(snapshot: Snapshot, request: Request, axes: Axes, *, progress: Progress = no_progress) -> Cube:
    """The boards, correlations and agreements of all choices.

    Raises UsageError where there is no such reference, and NothingToChoose where there is no leaderboard at all.

    Parameters
    ----------
    request : what the axes leave open: bank, depth, the rules of the averaging
    """
    result = Cube(snapshot, request, axes)
    world = _World(snapshot, axes.references)
    for number in range(len(axes.modes)):
        for at in range(len(axes.measures)):
            progress((number + at / len(axes.measures)) / len(axes.modes))
            choices = _choices((number, at), result)
            known = world.numbers(set(choices.values()), result.boards)
            result.at.update({of: known[choice] for of, choice in choices.items()})
        if OFFICIAL in qrels_ids(snapshot):
            _agree(snapshot, request, number, result)
    if not result.boards:
        raise _no_boards(result)
    return result


def _no_boards(cube: Cube) -> NothingToChoose:
    named = ", ".join(cube.axes.measures)
    otherwise = (
        f"{cube.snapshot.collection} has no leaderboard by {named}. Name other ones with --measure, such as P@10."
    )
    return NothingToChoose(next(iter(cube.missing.values()), otherwise))


def _choices(at: tuple[int, int], cube: Cube) -> dict[Choice, Evaluation]:
    """The choices of one mode and measure; those that differ in nothing that counts are one."""
    snapshot, axes = cube.snapshot, cube.axes
    mode, measure = axes.modes[at[0]], axes.measures[at[1]]
    choices: dict[Choice, Evaluation] = {}
    if needs_questions(snapshot, mode.grader, measure):
        return choices
    for tau_at in range(len(axes.taus)):
        for rank_at in range(len(axes.label_ranks)):
            place = (*at, tau_at, rank_at)
            try:
                choice, _ = evaluation_of(snapshot, cube.asked_at(place), mode.grader)
            except ExamboardError as error:
                cube.missing[place] = str(error)
                continue
            cube.choices[place] = choice
            if not choice.measure.tau_applies or choice.grading.judgments:
                choice = replace(choice, tau=TAUS[0])
            if choice.measure.info.of != "labels":
                choice = choice.labelled(label_rank=1)
            choices[place] = choice
    return choices


def request_of(
    snapshot: Snapshot, request: Request, mode: LiveMode, measure: str, tau: float, label_rank: int
) -> Request:
    """What is asked of a mode; a tau beyond its scale stands for its usual one, as on pages."""
    if not judgments_of(snapshot, mode.grader) and tau > scale_of(snapshot, mode.grader):
        tau = default_tau(snapshot, mode.grader)
    return request.but(
        grader=mode.grader, bank=mode.bank, measure=measure, tau=tau, label_rank=label_rank, reference=None
    )


class _World:
    """A collection with its stored references, and the boards that are made of it."""

    def __init__(self, snapshot: Snapshot, names: Sequence[str]) -> None:
        self.snapshot, self.names = snapshot, names
        self.stored = {name: find_reference(snapshot, name) for name in names if ":" not in name}
        self.known: dict[Evaluation, int] = {}

    def numbers(self, choices: set[Evaluation], boards: list[CubeBoard]) -> dict[Evaluation, int]:
        """The numbers of the boards of all choices so far; boards of new ones are made, and added."""
        for choice, board in _boards(self, choices - self.known.keys()).items():
            self.known[choice] = len(boards)
            boards.append(board)
        return self.known


def _boards(world: _World, choices: set[Evaluation]) -> dict[Evaluation, CubeBoard]:
    """The boards of choices of one mode and measure; their intervals are drawn together."""
    snapshot = world.snapshot
    ordered = sorted(choices, key=lambda choice: (choice.labelling.label_rank, choice.tau))
    made: dict[Evaluation, CubeBoard] = {}
    for choice in ordered:
        board, values = leaderboard(snapshot, choice), counted_values(snapshot, choice)
        made[choice] = CubeBoard(board, values, standing(snapshot, choice), {}, {}, {})
    for name in world.names:
        others = {choice: world.stored.get(name) or find_reference(snapshot, name, choice) for choice in ordered}
        for choice, cube_board in made.items():
            beside = replace(choice, reference=name)
            cube_board.beside[name], cube_board.outliers[name] = (
                leaderboard(snapshot, beside),
                outliers(snapshot, [beside]),
            )
        for choice, known in _intervals(made, others).items():
            made[choice].truths[name] = known
    return made


def _intervals(
    made: dict[Evaluation, CubeBoard], others: dict[Evaluation, Reference | None]
) -> dict[Evaluation, dict[str, TruthInterval]]:
    """The intervals of the correlations of several boards, those of equal runs and queries in one call."""
    groups: dict[object, list[tuple[Evaluation, Paired]]] = {}
    for choice, cube_board in made.items():
        other = others[choice]
        if other is None:
            continue
        both = pair_with(cube_board.values, other)
        key = (tuple(both.run_ids), tuple(both.query_ids), np.asarray(both.drawn_along).tobytes())
        groups.setdefault(key, []).append((choice, both))
    tables = {}
    for group in groups.values():
        known = estimate_truths(np.stack([both.values for _, both in group]), group[0][1].drawn_along, INTERVALS)
        tables.update({choice: truth_intervals for (choice, _), truth_intervals in zip(group, known, strict=True)})
    return tables


def _agree(snapshot: Snapshot, request: Request, mode: int, cube: Cube) -> None:
    """The agreement of a mode's labels with the judgments at every tau, label rank and cut."""
    axes, of = cube.axes, cube.axes.modes[mode]
    known: dict[tuple[Evaluation, int], Agreement] = {}
    for tau_at, tau in enumerate(axes.taus):
        for rank_at, label_rank in enumerate(axes.label_ranks):
            try:
                choice, _ = evaluation_of(
                    snapshot, request_of(snapshot, request, of, OF_LABELS, tau, label_rank), of.grader
                )
                for cut in JUDGED_FROM:
                    if (choice, cut) not in known:
                        known[choice, cut] = agreement(
                            snapshot, choice.labelling, tau=choice.tau, relevant_from=cut, judgments=OFFICIAL
                        )
            except ExamboardError:
                continue
            cube.agreements[mode, tau_at, rank_at] = [known[choice, cut] for cut in JUDGED_FROM]
