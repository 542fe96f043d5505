"""A request, completed by defaults: an evaluation of a grading mode, of judgments, or of a majority vote."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, get_args

from exam_core.aliases import LEXICAL
from exam_core.analysis.choice import TAUS, Evaluation, Grading, LabelRule
from exam_core.analysis.grade_scales import default_tau, largest_label, one_below, reachable_tau, scale_of
from exam_core.errors import UsageError
from exam_core.measures import Measure
from exam_core.request import (
    JUDGED,
    JUDGED_MEASURE,
    LABELLED_MEASURE,
    MEASURE,
    Groups,
    Missing,
    Order,
    Pool,
    Request,
    Rounded,
)
from exam_core.store import Snapshot
from exam_core.store import summary as holdings
from exam_core.store.names import BankRef
from exam_core.store.question_banks import find_bank
from exam_core.store.scales import SPELLED, Ensemble, Rule, decimals, with_ensemble
from exam_core.store.snapshot import cached_by_snapshot
from exam_core.store.summary import graded_banks
from exam_core.tables import LARGEST_GRADE
from exam_core.wording import listed, plain_number, quoted, shortened

DEEPEST = 1_000_000
"""The largest depth as a number; `all` reads deeper."""
MOST_DRAWS = 1_000_000


def choose(snapshot: Snapshot, request: Request) -> Evaluation:
    """The evaluation that a request asks for.

    Raises UsageError where a name is unknown, or left open although there are several, or an option is out of range.
    """
    measure = Measure.parse(request.measure)
    _check_depth(request, measure)
    if measure.rel:
        request = request.but(tau=measure.rel) if request.judgments is None else request.but(relevant_from=measure.rel)
    labelling = (
        choose_labelling(snapshot, request) if measure.info.of_grades else _unlabelled(snapshot, request, measure)
    )
    for option, value, names in (
        ("--missing", request.missing, Missing),
        ("--ncover-pool", request.ncover_pool, Pool),
        ("--rounded", request.rounded, Rounded),
        ("--groups", request.groups, Groups),
    ):
        _check_name(option, value, get_args(names))
    of_labels = measure.info.of == "labels" and measure.info.tau_applies
    return Evaluation(
        labelling,
        measure,
        choose_tau(snapshot, labelling, request.tau, of_labels=of_labels),
        request.missing,
        request.ncover_pool,
        request.rounded,
        reference=request.reference,
        groups=request.groups == "yes",
    )


def usual(snapshot: Snapshot, request: Request, measure: str | None) -> Request:
    """The request with the usual grades and measure where it names none; `measure` is the one that is named.

    A collection without grades is evaluated by its human judgments, the official ones before others; one whose only
    grades are labels of whole passages by a measure of labels.
    """
    of_grades = measure is None or Measure.parse(measure).info.of_grades
    is_open = request.judgments is None and request.grader is None and request.bank is None
    if of_grades and is_open and not holdings.graders(snapshot):
        request = request.but(judgments=next(iter(holdings.qrels_ids(snapshot)), None))
    judged = request.judgments or judgments_of(snapshot, request.grader)
    if judged or measure:
        return request.but(measure=measure or JUDGED_MEASURE)
    graded = holdings.graded_banks(snapshot)
    named = [request.grader] if request.grader else list(graded)
    if request.bank or not named or any(set(graded.get(name, ())) != {None} for name in named):
        return request.but(measure=MEASURE)
    return request.but(measure=LABELLED_MEASURE, grader=named[0] if len(named) == 1 else None)


def graders_in_order(snapshot: Snapshot) -> list[str]:
    """All graders, the lexical one last: any other is looked at first."""
    return sorted(holdings.graders(snapshot), key=lambda name: name == LEXICAL)


def series_of(snapshot: Snapshot, bank: str | None) -> list[str]:
    """The series that can be compared: grading modes of a bank and of whole passages, or else the judgments.

    The bank's name has no version; None takes every bank.
    """
    graded = holdings.graded_banks(snapshot)
    modes = [name for name in graders_in_order(snapshot) if bank is None or {bank, None} & set(graded[name])]
    return modes or [f"{JUDGED}{name}" for name in holdings.qrels_ids(snapshot) if holdings.run_ids(snapshot)]


def judgments_of(snapshot: Snapshot, series: str | None) -> str | None:
    """The judgments that a series names; None where it is a grading mode."""
    named = series is not None and series.startswith(JUDGED) and series not in holdings.graded_banks(snapshot)
    return str(series).removeprefix(JUDGED) if named else None


def grader_id(snapshot: Snapshot, named: str) -> str:
    """The id of a grading mode by its everyday name: `lexical` is the lexical grader, unless one has that id."""
    known = holdings.graded_banks(snapshot)
    return LEXICAL if named == "lexical" and named not in known and LEXICAL in known else named


def own_taus(snapshot: Snapshot, series: Sequence[str]) -> tuple[tuple[str, float], ...]:
    """The default tau of each grading mode whose scale ends below the largest tau, or that gives decimals.

    Every surface begins with these.
    """
    modes = [name for name in series if not judgments_of(snapshot, name)]
    own = [mode for mode in modes if scale_of(snapshot, mode) < TAUS[-1] or mode in decimals(snapshot)]
    return tuple((mode, default_tau(snapshot, mode)) for mode in own)


def by_judgments(snapshot: Snapshot, series: Sequence[str]) -> bool:
    """Whether all of these are human judgments, which have no tau, no label rank and no questions."""
    return bool(series) and all(judgments_of(snapshot, name) for name in series)


def _unlabelled(snapshot: Snapshot, request: Request, measure: Measure) -> LabelRule:
    """The labelling for a measure that looks at no grades: a bank of nuggets, or nothing but stored values.

    Raises UsageError where the request names judgments, or the bank is unknown or left open.
    """
    if request.judgments is not None:
        raise UsageError(f"{measure} uses no judgments. Leave out --judgments.")
    _check_name("--order", request.order, get_args(Order))
    if measure.info.of == "scores":
        return LabelRule(Grading(), request.depth, request.order)
    known = holdings.banks(snapshot)
    if not known:
        raise UsageError(
            f"{snapshot.collection} has no nuggets to look for. Add some with: examboard import bank FILE "
            f"--bank NAME --collection {quoted(snapshot.collection)}"
        )
    name, version = find_bank(snapshot, request.bank or _only("bank", known, "--bank"))
    return LabelRule(Grading(bank=BankRef(name, version)), request.depth, request.order)


def choose_labelling(snapshot: Snapshot, request: Request) -> LabelRule:
    """The labelling that a request asks for; its measure is not read. Raises UsageError as `choose`."""
    _check_depth(request)
    named = request.grader if request.judgments is None else f"{JUDGED}{request.judgments}"
    grading = choose_grading(snapshot, request.bank, named)
    if grading.judgments:
        grading = replace(grading, relevant_from=reachable_cut(snapshot, grading.judgments, request.relevant_from))
    tau, label_map = request.tau, parse_label_map(request.label_map)
    if tau is not None and TAUS[-1] < tau <= (largest := scale_of(snapshot, grading.grader)):
        raise UsageError(
            f"--tau {tau}: choose {TAUS[0]} to {TAUS[-1]}. The scale of {grading.grader} is 0 to {largest}, but taus "
            f"end, as the papers' grades do, at {TAUS[-1]}. For a higher tau, import its labels on a scale of 0 to "
            f"{TAUS[-1]}."
        )
    check_tau(tau)
    if tau and label_map and tau != int(tau):
        raise UsageError(f"--tau {tau}: the labels of a label map are whole numbers. Choose a whole tau.")
    check_range("--relevant-from", request.relevant_from, 1, LARGEST_GRADE)
    check_range("--label-rank", request.label_rank, 1, 100)
    if grading.is_direct and request.label_rank != 1:
        raise UsageError("--label-rank needs questions; this grader labels whole passages, so its label rank is 1.")
    _check_name("--order", request.order, get_args(Order))
    return LabelRule(grading, request.depth, request.order, request.label_rank, label_map).at(tau or 0)


def check_tau(tau: float | None) -> None:
    """Raise UsageError for what is no tau; None is the default. One below the smallest is for decimals."""
    if tau is None or not 0 < tau < TAUS[0]:
        check_range("--tau", tau, TAUS[0], TAUS[-1])


def choose_tau(snapshot: Snapshot, labelling: LabelRule, tau: float | None, *, of_labels: bool = True) -> float:
    """The tau that is asked for; by default one below the scale's end, or the end of a label map that tau cuts."""
    if tau is not None:
        return tau
    if of_labels and labelling.label_map:
        return one_below(largest_label(snapshot, labelling))
    return default_tau(snapshot, labelling.grading.grader)


def evaluation_of(
    snapshot: Snapshot, request: Request, grader: str, *, called: str | None = None
) -> tuple[Evaluation, list[str]]:
    """The evaluation that a request asks for, of one grader of several, and notes on how it differs from the request.

    Tau is at most the end of the grader's scale, and a grader of whole passages has label rank 1. Notes name the grader
    as it is `called`, by default by its id. Raises UsageError where the grader can't be evaluated so.
    """
    choice = choose(snapshot, request.of(grader).but(label_rank=1))
    if not choice.of_grades or choice.grading.judgments:
        return choice, []
    notes = []
    # With a label map, tau is compared with the map's labels, not with grades.
    tau = choice.tau if choice.labelling.label_map else reachable_tau(snapshot, grader, choice.tau)
    if tau < choice.tau:
        choice = replace(choice, tau=tau)
        notes.append(f"The scale of {called or grader} ends at {tau}: tau {tau} is used.")
    if not choice.grading.is_direct:
        choice = choice.labelled(label_rank=request.label_rank)
    elif request.label_rank > 1:
        notes.append(f"{called or grader} labels whole passages: its label rank is 1.")
    return choice, notes


def _check_depth(request: Request, measure: Measure | None = None) -> None:
    depth = request.depth
    if depth is not None and not 1 <= depth <= DEEPEST:
        raise UsageError(f"--depth {depth}: rankings are cut at 1 to {DEEPEST:,} passages, or not at all (all).")
    if measure and depth is not None and (measure.depth or 0) > depth:
        raise UsageError(
            f"{request.measure} reads more passages than --depth {depth}. Raise --depth, or choose a smaller @k."
        )


def _check_name(option: str, value: str, names: tuple[str, ...]) -> None:
    if value not in names:
        raise UsageError(f"{option} {value}: choose {' or '.join(names)}.")


def leave_out(snapshot: Snapshot, run_ids: Sequence[str], option: str = "--without") -> Snapshot:
    """The collection without some of its runs, which an option named.

    Raises UsageError where there is no such run, or none would be left.
    """
    known = holdings.systems(snapshot)
    if unknown := [run_id for run_id in run_ids if run_id not in known]:
        raise UsageError(f"{option} {unknown[0]}: {snapshot.collection} has no such run. It has: {', '.join(known)}.")
    if known and set(known) <= set(run_ids):
        raise UsageError(f"{option}: all {len(known)} runs of {snapshot.collection} are left out. Keep some of them.")
    return snapshot.without(run_ids)


def restrict(snapshot: Snapshot, options: Any) -> Snapshot:
    """The collection without the runs, and without the queries' own documents, that an analysis's options leave out.

    Raises UsageError as `leave_out`.
    """
    snapshot = leave_out(snapshot, options.without or [])
    return snapshot.without_own_documents() if options.own_document == "no" else snapshot


def parse_label_map(text: str | None) -> tuple[tuple[int, int], ...] | None:
    """Other labels for grades, written 5=3,4=1; a grade that is not named becomes 0.

    Raises UsageError where the text is written otherwise, or names a grade twice.
    """
    if text is None:
        return None
    matches = [re.fullmatch(r"\s*(\d{1,3})\s*=\s*(\d{1,3})\s*", part) for part in text.split(",")]
    pairs = tuple(sorted((int(match[1]), int(match[2])) for match in matches if match))
    if len(pairs) < len(matches) or len({label for label, _ in pairs}) < len(pairs):
        message = shortened(text, 80)
        raise UsageError(f"--label-map {message}: write each grade once with its label, for instance 5=3,4=1.")
    for pair in pairs:
        for value in pair:
            check_range("--label-map", value, 0, LARGEST_GRADE)
    return pairs


def depth_number(depth: str) -> int | None:
    """A depth as a number; None for `all`. Raises UsageError for any other text."""
    if depth == "all":
        return None
    count = plain_number(depth)
    if count is None:
        raise UsageError(f"--depth {depth}: give a number of passages, or all.")
    return count


def choose_grading(snapshot: Snapshot, bank: str | None, grader: str | None) -> Grading:
    """The grader and bank that are meant, or the judgments; a name that is left open is filled in if there is only one.

    Raises UsageError where a name is unknown, or left open with several to choose from.
    """
    graded = holdings.graded_banks(snapshot)
    if judgments := judgments_of(snapshot, grader):
        if judgments not in holdings.qrels_ids(snapshot):
            raise UsageError(no_judgments(snapshot, judgments))
        return Grading(judgments=judgments)
    if not graded:
        raise UsageError(no_grades(snapshot))
    grader = grader and grader_id(snapshot, grader)
    if grader is not None and grader not in graded:
        raise UsageError(f"There is no grader {grader}. There are: {', '.join(graded)}.")
    if grader is not None and graded[grader] == [None]:
        return Grading(grader)
    if bank is None:
        banks = [known for known in (graded[grader] if grader else holdings.banks(snapshot)) if known]
        if not banks:
            return Grading(_only("grader", list(graded), "--grader"))
        bank = _only("bank", banks, "--bank")
    name, version = find_bank(snapshot, bank)
    on_bank = [known for known, banks in graded.items() if name in banks]
    if grader is not None and grader not in on_bank:
        raise UsageError(f"{grader} has no grades on bank {name}; it graded {', '.join(map(str, graded[grader]))}.")
    if not on_bank:
        raise UsageError(f"Nothing is graded on bank {name} yet. Choose with --grader: {', '.join(graded)}")
    return Grading(grader or _only(f"grader on bank {name}", on_bank, "--grader"), BankRef(name, version))


@cached_by_snapshot(64)
def reachable_cut(snapshot: Snapshot, judgments: str, relevant_from: int) -> int:
    """The smallest judgment that counts: at most the largest of them, so that judgments of 0 and 1 are cut at 1."""
    frame = snapshot.query("SELECT max(relevance) AS largest FROM judgments WHERE qrels_id = ?", [judgments])
    largest = frame["largest"].fillna(relevant_from).iloc[0]
    return int(min(relevant_from, max(largest, 1)))


def _only(what: str, names: list[str], option: str) -> str:
    if len(names) == 1:
        return names[0]
    raise UsageError(f"There is more than one {what}; choose with {option}: {', '.join(names)}")


def no_grades(snapshot: Snapshot) -> str:
    """The message that there are no grades, and how to get some; where there are some, to use these."""
    name = snapshot.collection
    if holdings.graders(snapshot):
        return "Leave out --judgments."
    text = (
        f"{name} has no grades. Grade its passages with: examboard grade {quoted(name)} (which needs "
        "passages and a bank), or add graded ones with: examboard import workbench FILE "
        f"--collection {quoted(name)}"
    )
    if holdings.qrels_ids(snapshot):
        return text
    into = f"--collection {quoted(name)}"
    if snapshot.tables.get("reviews"):
        rank = f"examboard review export {quoted(name)} reviews.csv, then: examboard import qrels reviews.csv {into}"
        return f"{text}\nTo rank runs by its reviews: {rank}"
    return f"{text}\nTo rank runs by judgments: examboard import qrels FILE {into}"


def no_judgments(snapshot: Snapshot, name: str) -> str:
    """The message that there are no judgments of that name, and how to add them."""
    known = ", ".join(holdings.qrels_ids(snapshot))
    missing = f"There are no judgments {name} in {snapshot.collection}. There are: {known}."
    if not known:
        missing = f"{snapshot.collection} has no human judgments."
    return (
        f"{missing} Add them with: examboard import qrels FILE --name {quoted(name)} --collection "
        f"{quoted(snapshot.collection)}"
    )


def check_range(option: str, value: float | None, low: int, high: int) -> None:
    """Raise UsageError for a number out of range; None is the default."""
    if value is not None and not low <= value <= high:
        raise UsageError(f"{option} {value}: choose {low} to {high}.")


def check_draws(draws: int | None, seed: int) -> None:
    """Raise UsageError for draws or a seed out of range; None is the default."""
    check_range("--draws", draws, 1, MOST_DRAWS)
    check_range("--seed", seed, 0, 2**32)


SPELLING = "Write it as majority(a,b,c), majority(a@3,b,c@1) or median(a,b,c), with the names of grading modes."


def ensemble_name(rule: Rule, members: Iterable[str]) -> str:
    """The name of an ensemble."""
    return f"{rule}({','.join(members)})"


def with_ensembles(snapshot: Snapshot, texts: Iterable[str]) -> Snapshot:
    """The collection with every ensemble that is named anywhere in these texts.

    Raises UsageError where the members of an ensemble are unknown, fewer than two, or grade no bank in common.
    """
    for text in texts:
        for match in SPELLED.finditer(text):
            if match[0] not in graded_banks(snapshot):
                snapshot = _with(snapshot, match[0])
    return snapshot


def is_ensemble(snapshot: Snapshot, grader: str) -> bool:
    """Whether a grading mode is an ensemble of others."""
    return snapshot.graders.get(grader, {}).get("kind") == "ensemble"


def member(snapshot: Snapshot, text: str) -> tuple[str, int]:
    """A grading mode and the smallest grade that is its vote for relevant: `Thomas`, or `Thomas@2`.

    By default the cut is the mode's default tau: one below the largest grade of its scale, at least 1. Raises
    UsageError where there is no such grading mode, or the cut is beyond its scale.
    """
    known, whole = graded_banks(snapshot), grader_id(snapshot, text)
    if whole in known:
        return whole, default_tau(snapshot, whole)
    named, _, cut = text.rpartition("@")
    grader = grader_id(snapshot, named)
    if grader not in known:
        raise UsageError(f"There is no grading mode {text}. There are: {', '.join(known) or 'none'}.")
    largest = scale_of(snapshot, grader)
    count = plain_number(cut)
    if count is None or not 1 <= count <= largest:
        raise UsageError(f"{text}: write the smallest grade that counts after the @, from 1 to {largest}.")
    return grader, count


@cached_by_snapshot(64)
def _with(snapshot: Snapshot, name: str) -> Snapshot:
    """The collection with the ensemble of that name."""
    rule, _, inner = name.removesuffix(")").partition("(")
    texts = listed(inner)
    members = tuple(member(snapshot, text) for text in texts)
    graders = [grader for grader, _ in members]
    if len(set(graders)) < max(2, len(members)):
        raise UsageError(f"{name}: an ensemble needs two grading modes or more, each once. {SPELLING}")
    banks = {grader: graded_banks(snapshot)[grader] for grader in graders}
    if not set.intersection(*map(set, banks.values())):
        own = "; ".join(
            f"{grader} grades {' and '.join(bank or 'whole passages' for bank in graded)}"
            for grader, graded in banks.items()
        )
        raise UsageError(f"{name}: these modes share no bank ({own}). Choose modes that grade the same bank.")
    if rule == "majority":
        return with_ensemble(snapshot, Ensemble(name, "majority", members, 1))
    scales = {scale_of(snapshot, grader) for grader in graders}
    if len(scales) > 1 or texts != graders:
        own = ", ".join(f"{grader} 0 to {scale_of(snapshot, grader)}" for grader in graders)
        raise UsageError(
            f"{name}: a median needs grades of one scale, without an @ ({own}). A majority allows any: "
            f"{ensemble_name('majority', graders)}"
        )
    return with_ensemble(snapshot, Ensemble(name, "median", members, scales.pop()))
