"""What to evaluate: a user's choice, completed by the defaults and checked against the collection."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast, get_args

from exam_core.errors import UsageError
from exam_core.measures import Measure
from exam_core.store import Snapshot
from exam_core.store import summary as holdings
from exam_core.store.banks import find_bank
from exam_core.tables import LARGEST_GRADE

TAUS = (1, 2, 3, 4, 5)
DEPTH = 20
DEEPEST = 1_000_000
"""The largest depth with a number; `all` reads what is deeper."""
RELEVANT_FROM = 2
Missing = Literal["zero", "skip"]
Order = Literal["score", "rank"]
Pool = Literal["graded", "ranked"]
Rounded = Literal["none", "trec_eval"]


@dataclass(frozen=True)
class Grading:
    """Whose grades: a grader on a version of a bank, a grader of whole passages, or human judgments."""

    grader: str | None = None
    bank: str | None = None
    version: int = 0
    judgments: str | None = None
    relevant_from: int = RELEVANT_FROM

    @property
    def is_direct(self) -> bool:
        """Whether passages are labelled, so that there are no questions."""
        return self.bank is None


@dataclass(frozen=True)
class Asking:
    """Which of a bank's questions count, and how much: what-if changes to the bank as it is.

    `only` is None where all enabled questions count; `weights` are pairs of question_id and weight.
    """

    drop: frozenset[str] = frozenset()
    only: frozenset[str] | None = None
    weights: tuple[tuple[str, float], ...] = ()


AS_BANKED = Asking()


@dataclass(frozen=True)
class Choice:
    """One evaluation: which grades, which measure, and the rules of the averaging."""

    grading: Grading
    measure: Measure
    tau: int
    depth: int | None = DEPTH
    label_rank: int = 1
    missing: Missing = "zero"
    order: Order = "score"
    ncover_pool: Pool = "graded"
    label_map: tuple[tuple[int, int], ...] | None = None
    asking: Asking = AS_BANKED
    rounded: Rounded = "none"

    @property
    def taus(self) -> tuple[int, ...]:
        """The taus that one pass computes: all of them, or the one cut of human judgments."""
        return (self.grading.relevant_from,) if self.grading.judgments else TAUS

    @property
    def cut(self) -> int:
        """The smallest label that counts: tau, or the judgments' own."""
        return self.grading.relevant_from if self.grading.judgments else self.tau


def choose(
    snapshot: Snapshot,
    *,
    measure: str,
    bank: str | None = None,
    grader: str | None = None,
    tau: int | None = None,
    depth: int | None = DEPTH,
    label_rank: int = 1,
    judgments: str | None = None,
    relevant_from: int = RELEVANT_FROM,
    missing: str = "zero",
    order: str = "score",
    ncover_pool: str = "graded",
    label_map: str | None = None,
    rounded: str = "none",
) -> Choice:
    """Complete and check a choice; None means the default.

    Raises
    ------
    UsageError : a name is unknown or left open where there are several, or an option is out of range
    """
    parsed = Measure.parse(measure)
    if depth is not None and not 1 <= depth <= DEEPEST:
        raise UsageError(f"--depth {depth}: rankings are cut at 1 to {DEEPEST:,} passages, or not at all (all).")
    if depth is not None and (parsed.depth or 0) > depth:
        raise UsageError(f"{measure} looks deeper than --depth {depth}. Raise --depth, or choose a smaller @k.")
    if judgments is not None:
        known = holdings.qrels_ids(snapshot)
        if judgments not in known:
            raise UsageError(no_judgments(snapshot, judgments))
        grading = Grading(judgments=judgments, relevant_from=relevant_from)
    else:
        grading = choose_grading(snapshot, bank, grader)
    check_range("--tau", tau, 1, TAUS[-1])
    check_range("--relevant-from", relevant_from, 1, LARGEST_GRADE)
    check_range("--label-rank", label_rank, 1, 100)
    if grading.is_direct and label_rank != 1:
        raise UsageError("--label-rank asks for questions; this grader labels whole passages, so it is 1.")
    rules = {
        "--missing": (missing, Missing),
        "--order": (order, Order),
        "--ncover-pool": (ncover_pool, Pool),
        "--rounded": (rounded, Rounded),
    }
    for option, (value, names) in rules.items():
        if value not in get_args(names):
            raise UsageError(f"{option} {value}: choose {' or '.join(get_args(names))}.")
    choice = Choice(
        grading,
        parsed,
        tau or default_tau(snapshot, grading.grader),
        depth,
        label_rank,
        cast(Missing, missing),
        cast(Order, order),
        cast(Pool, ncover_pool),
        parse_label_map(label_map),
        rounded=cast(Rounded, rounded),
    )
    if tau is None and choice.label_map and parsed.info.of == "labels" and parsed.info.tau_applies:
        return replace(choice, tau=_one_below(largest_label(snapshot, choice)))
    return choice


def leave_out(snapshot: Snapshot, run_ids: Sequence[str]) -> Snapshot:
    """The collection without some of its runs.

    Raises
    ------
    UsageError : there is no such run, or none would be left
    """
    known = holdings.systems(snapshot)
    if unknown := [run_id for run_id in run_ids if run_id not in known]:
        raise UsageError(f"--without {unknown[0]}: {snapshot.collection} has no such run. It has: {', '.join(known)}.")
    if known and set(known) <= set(run_ids):
        raise UsageError(f"--without: all {len(known)} runs of {snapshot.collection} are left out. Keep some of them.")
    return snapshot.without(run_ids)


def parse_label_map(text: str | None) -> tuple[tuple[int, int], ...] | None:
    """Other labels for grades, written 5=3,4=1; a grade that is not named becomes 0.

    Raises
    ------
    UsageError : not written like that, or a grade is named twice
    """
    if text is None:
        return None
    found = [re.fullmatch(r"\s*(\d{1,3})\s*=\s*(\d{1,3})\s*", part) for part in text.split(",")]
    pairs = tuple(sorted((int(match[1]), int(match[2])) for match in found if match))
    if len(pairs) < len(found) or len({label for label, _ in pairs}) < len(pairs):
        raise UsageError(f"--label-map {text}: write each grade once with its label, for instance 5=3,4=1.")
    for pair in pairs:
        for value in pair:
            check_range("--label-map", value, 0, LARGEST_GRADE)
    return pairs


def depth_number(depth: str) -> int | None:
    """A depth as a number; None for `all`.

    Raises
    ------
    UsageError : neither
    """
    if depth == "all":
        return None
    if not (depth.isascii() and depth.isdecimal()):
        raise UsageError(f"--depth {depth}: give a number of passages, or all.")
    return int(depth)


def choose_grading(snapshot: Snapshot, bank: str | None, grader: str | None) -> Grading:
    """The grader and bank that are meant; what is left open is filled in where there is only one.

    Raises
    ------
    UsageError : unknown, or several to choose from
    """
    graded = holdings.graded_banks(snapshot)
    if not graded:
        raise UsageError(
            f"{snapshot.collection} has no grades. Add some with: python -m exam_core import workbench FILE "
            f"--collection {snapshot.collection}, or evaluate human judgments with --judgments NAME."
        )
    if grader is not None and grader not in graded:
        raise UsageError(_none_such("grader", grader, list(graded)))
    if grader is not None and graded[grader] == [None]:
        return Grading(grader)
    name, version = _bank(snapshot, bank, graded, grader)
    if name is None:
        return Grading(_only("grader", list(graded), "--grader"))
    on_bank = [known for known, banks in graded.items() if name in banks]
    if grader is not None and grader not in on_bank:
        raise UsageError(f"{grader} has no grades on bank {name}; it graded {', '.join(map(str, graded[grader]))}.")
    if not on_bank:
        raise UsageError(f"Nothing is graded on bank {name} yet. Choose with --grader: {', '.join(graded)}")
    return Grading(grader or _only(f"grader on bank {name}", on_bank, "--grader"), name, version)


def _bank(
    snapshot: Snapshot, bank: str | None, graded: dict[str, list[str | None]], grader: str | None
) -> tuple[str | None, int]:
    if bank is None:
        mine = [name for name in (graded[grader] if grader else holdings.banks(snapshot)) if name]
        if not mine:
            return None, 0
        bank = _only("bank", mine, "--bank")
    return find_bank(snapshot, bank)


def default_tau(snapshot: Snapshot, grader: str | None) -> int:
    """One below the largest grade, at least 1: 4 on the scale 0..5 ("strict", EXAM section 4.1), 1 on 0/1 and 0..2."""
    return _one_below(scale_of(snapshot, grader))


def _one_below(largest: int) -> int:
    return min(max(largest - 1, TAUS[0]), TAUS[-1])


def reachable_tau(snapshot: Snapshot, grader: str | None, tau: int) -> int:
    """A tau that is asked of several graders, as one of them is cut: its largest label, where tau is above that."""
    return min(tau, scale_of(snapshot, grader))


def scale_of(snapshot: Snapshot, grader: str | None) -> int:
    """The largest grade of a grader's scale; 5 where it doesn't say."""
    scale = holdings.scale(snapshot, grader or "")
    return TAUS[-1] if scale is None else int(scale)


def largest_grade(snapshot: Snapshot, grader: str | None) -> int:
    """The largest grade that there can be: the scale's, or one beyond it that the grader gave all the same."""
    return max(scale_of(snapshot, grader), holdings.largest_grades(snapshot).get(grader or "", 0))


def largest_label(snapshot: Snapshot, choice: Choice) -> int:
    """The largest label that a choice's passages can have: the largest grade, or the largest of the label map."""
    grades = range(largest_grade(snapshot, choice.grading.grader) + 1)
    return max(grades if choice.label_map is None else (dict(choice.label_map).get(grade, 0) for grade in grades))


def _only(what: str, names: list[str], option: str) -> str:
    if len(names) == 1:
        return names[0]
    raise UsageError(f"There is more than one {what}; choose with {option}: {', '.join(names)}")


def _none_such(what: str, name: str, known: list[str]) -> str:
    return f"There is no {what} {name}. There are: {', '.join(known) if known else 'none'}."


def no_judgments(snapshot: Snapshot, name: str) -> str:
    """That there are no judgments of that name, and what to do."""
    return (
        f"There are no judgments {name} in {snapshot.collection}. There are: "
        f"{', '.join(holdings.qrels_ids(snapshot)) or 'none'}. Add them with: python -m exam_core import qrels FILE "
        f"--name {name} --collection {snapshot.collection}"
    )


def check_range(option: str, value: int | None, low: int, high: int) -> None:
    """Raise UsageError for a number out of range; None stands for the default."""
    if value is not None and not low <= value <= high:
        raise UsageError(f"{option} {value}: choose {low} to {high}.")
