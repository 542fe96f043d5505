"""References: the official leaderboard, judgments or another mode, by run and by query."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from exam_core.analysis.caveats import about_depth
from exam_core.analysis.choice import Evaluation, Grading
from exam_core.analysis.choosing import choose, depth_number, graders_in_order
from exam_core.analysis.grade_scales import about_scales, default_tau
from exam_core.analysis.groups import mean_of_runs, systems_of
from exam_core.analysis.scope import scope_of
from exam_core.analysis.values import Values, counted_values, grouped
from exam_core.defaults import DRAWS, SEED
from exam_core.errors import UsageError
from exam_core.measures import Measure
from exam_core.names import listed
from exam_core.numbers.arrays import Floats
from exam_core.numbers.means import mean_and_stderr, rounded_means
from exam_core.numbers.rank_correlations import NAMES, Correlation, mean_rank, rank_correlation
from exam_core.numbers.true_means import ENDS_IN_WORDS, FEWEST, ORDERED, RBO_QUERIES, true_correlations
from exam_core.request import Request
from exam_core.store import Snapshot
from exam_core.store.snapshot import cached_by_snapshot
from exam_core.store.summary import graded_banks, leaderboard_ids, qrels_ids, run_ids
from exam_core.tables import OFFICIAL, OVERALL, values_of_board
from exam_core.wording import plain_decimal, plain_number, quoted, reference_in_words

KINDS = ("qrels", "grades")
COMPUTED = (
    "a measure over human judgments (qrels:nDCG@10, qrels:AP:judgments=official:relevant_from=2) "
    "or over grades (grades:Cover@20:tau=3, with bank=, grader=, label_rank=, depth=)"
)


@dataclass(frozen=True)
class Reference:
    """A leaderboard to compare with.

    Parameters
    ----------
    name : as requested
    ranks : by run_id, 1 is best, ties share their mean rank
    scores : by run_id, larger is better; NaN where only ranks are known
    values : by run and query, if it is computed here or was imported with them; else None
    grading : of the labels from which it is computed here, by the rules of the choice; else None
    """

    name: str
    ranks: pd.Series
    scores: pd.Series
    values: Values | None = None
    notes: tuple[str, ...] = ()
    grading: Grading | None = None

    @property
    def is_computed(self) -> bool:
        """Whether it is computed here."""
        return self.grading is not None


def find_reference(snapshot: Snapshot, reference: str | None, choice: Evaluation | None = None) -> Reference | None:
    """The reference of that name, or `official`; None if there is no official one.

    Where the choice has groups, it is one of systems (`of_systems`). Raises UsageError where there is no reference of
    that name.

    Parameters
    ----------
    reference : a stored leaderboard, or a measure to compute: `qrels:nDCG@10`, `grades:Cover@20:tau=3`
    choice : the evaluation to compare; a computed reference has its depth and grading unless its name says otherwise,
        by an @k that looks deeper for instance, and its means are rounded as the choice's are
    """
    by_run = _find_by_run(snapshot, reference, choice)
    return of_systems(snapshot, by_run) if by_run and choice and choice.groups else by_run


def of_systems(snapshot: Snapshot, reference: Reference) -> Reference:
    """The reference with a group's runs as one system: the mean of their scores, or of their ranks without scores."""
    run_ids = list(reference.ranks.index)
    systems = systems_of(snapshot, run_ids)
    scores = reference.scores.reindex(run_ids).to_numpy(float)
    has_scores = not np.isnan(scores).any()
    means = mean_of_runs(scores if has_scores else -reference.ranks.to_numpy(float), systems)
    ranks = pd.Series(mean_rank(means), list(systems))
    what = "scores" if has_scores else "ranks"
    notes = [f"A group stands in {reference_in_words(reference.name)} with the mean of the {what} of its runs there."]
    return replace(
        reference,
        ranks=ranks,
        scores=pd.Series(means if has_scores else np.nan, list(systems)),
        values=reference.values and grouped(snapshot, reference.values),
        notes=(*reference.notes, *(notes if len(systems) < len(run_ids) else [])),
    )


def _find_by_run(snapshot: Snapshot, reference: str | None, choice: Evaluation | None) -> Reference | None:
    """As `find_reference`, of runs."""
    known = leaderboard_ids(snapshot)
    if reference is None and OFFICIAL not in known:
        return None
    name = reference or OFFICIAL
    if name in known:
        rows = leaderboard_rows(snapshot, name).set_index("run_id")
        rows = rows[rows["rank"].notna()]
        values = values_of_leaderboard(snapshot, name)
        values = values if values is not None and set(rows.index) <= set(values.run_ids) else None
        return Reference(name, rows["rank"].astype(float), rows["score"].astype(float), values)
    if name.split(":")[0] in KINDS and ":" in name:
        return _computed(snapshot, name, choice)
    raise UsageError(
        f"There is no leaderboard {name}. There are: {', '.join(known) if known else 'none'}. "
        f"Add one with: examboard import leaderboard FILE --name {quoted(name)} "
        f"--collection {quoted(snapshot.collection)}\nOr compare with {COMPUTED}."
    )


def needed_reference(snapshot: Snapshot, reference: str | None, choice: Evaluation | None = None) -> Reference:
    """As `find_reference`, for analyses that need a reference.

    Where none is named and there is no `official`, a choice of judgments is compared with another measure of them, any
    other one with the first of `references`, and a note says so. Raises UsageError where there is no reference of that
    name, or none at all.
    """
    other = find_reference(snapshot, reference, choice)
    if other is None and choice is not None and choice.grading.judgments and choice.of_grades:
        other = find_reference(snapshot, other_measure(choice), choice)
    if other is None and choice is not None and (known := references(snapshot)):
        other = find_reference(snapshot, known[0], choice)
        note = f"{snapshot.collection} has no leaderboard {OFFICIAL}: compared with {known[0]}, as no other was named."
        other = other and replace(other, notes=(note, *other.notes))
    if other is None:
        raise UsageError(no_reference(snapshot))
    return other


def no_reference(snapshot: Snapshot) -> str:
    """The message that there is no official leaderboard, with remedies."""
    known = computed_references(snapshot)
    example = f"with --reference {known[0]}, or another of" if known else "with --reference:"
    return f"{snapshot.collection} has no official leaderboard to compare with. Compare {example} {COMPUTED}."


def references(snapshot: Snapshot) -> list[str]:
    """All references of a collection, the usual one first: its leaderboards, then those that can be computed."""
    return leaderboard_ids(snapshot) + computed_references(snapshot)


JUDGED_BY = ("nDCG@10", "AP", "P@10", "RR")
"""Measures over judgments that are offered to compare with."""


def computed_references(snapshot: Snapshot) -> list[str]:
    """References that can be computed: measures over the judgments, then each grading mode where there are several.

    The judgments come first, the official ones before others. The leaderboard that is shown first comes last, since
    it would be compared with itself. A mode is cut at its usual tau, which its reference names.
    """
    if not run_ids(snapshot):
        return []
    judged = [
        f"qrels:{measure}" + ("" if name == OFFICIAL else f":judgments={name}")
        for name in qrels_ids(snapshot)
        if _can_be_spelled(name)
        for measure in JUDGED_BY
    ]
    banks = graded_banks(snapshot)
    modes = [
        f"grades:{f'Cover@20:bank={bank}' if bank else 'P@20'}:grader={grader}:tau={default_tau(snapshot, grader)}"
        for grader in graders_in_order(snapshot)
        for bank in banks[grader]
        if _can_be_spelled(f"{bank or ''}{grader}")
    ]
    if not modes:
        return judged[1:] + judged[:1]
    return judged + (modes[1:] + modes[:1] if len(modes) > 1 else [])


def judged_by(request: Request, judgments: str = OFFICIAL) -> str:
    """The requested measure over judgments, as a reference; nDCG@10 where it is no measure of labels."""
    measure = Measure.parse(request.measure)
    same = str(measure) if measure.info.of == "labels" else "nDCG@10"
    which = "" if judgments == OFFICIAL else f":judgments={judgments}"
    return f"qrels:{same}{which}:relevant_from={request.relevant_from}"


def other_measure(choice: Evaluation) -> str:
    """Another measure over the judgments of a choice, as a reference: AP, or nDCG@10 for a choice of AP."""
    first = next(name for name in ("AP", "nDCG@10") if name != str(choice.measure))
    judgments = choice.grading.judgments or OFFICIAL
    return f"qrels:{first}:judgments={judgments}:relevant_from={choice.grading.relevant_from}"


def reference_by_query(snapshot: Snapshot, request: Request, *, judged: bool) -> str | None:
    """A reference with values by query; None where there is none.

    It is the requested one, else the same measure over judgments (if `judged`), else the official leaderboard.
    """
    if request.reference and has_values(snapshot, request.reference):
        return request.reference
    if judged:
        return judged_by(request)
    return OFFICIAL if has_values(snapshot, OFFICIAL) else None


def usual_reference(snapshot: Snapshot, choice: Evaluation, request: Request) -> str:
    """The default reference of tests: the same measure over judgments if there are some; of judgments, another one."""
    usual = other_measure(choice) if choice.grading.judgments else judged_by(request)
    return usual if qrels_ids(snapshot) else reference_by_query(snapshot, request, judged=False) or usual


def _can_be_spelled(name: str) -> bool:
    """Whether a name can be part of a reference's name, whose parts end with a colon."""
    return not {":", "="} & set(name)


def correlation_with(scores: Floats, reference: Floats, *, of_scores: bool) -> Correlation:
    """`rank_correlation` of two leaderboards; r2 and rmse, which say nothing of ranks, are NaN unless `of_scores`."""
    correlation = rank_correlation(scores, reference)
    return correlation if of_scores else replace(correlation, r2=np.nan, rmse=np.nan)


def about_order(name: str, coefficient: float) -> list[str]:
    """A note where a correlation with the reference of that name is NaN."""
    text = f"The correlation with {reference_in_words(name)} is undefined: there is no order to compare."
    return [text] if np.isnan(coefficient) else []


ITSELF = "is compared with itself: that correlation says nothing."
"""How a note ends on a board whose reference has the same means."""


def about_itself(choice: Evaluation, other: Reference, means: Floats, order: Floats) -> list[str]:
    """A note where a choice is its own reference.

    Parameters
    ----------
    means : (n,) of the runs that both have, or (T, n) at several taus, one of which is enough
    order : (n,) scores of the reference
    """
    if other.grading != choice.grading or not order.size:
        return []
    same = np.isclose(means, order, rtol=0, atol=1e-12).all(axis=-1)
    return [f"{choice.grading.grader or choice.grading.judgments} {ITSELF}"] if same.any() else []


def about_ties(name: str, tau_ap: float | Floats, tau_ap_b: float | Floats) -> list[str]:
    """A note where tau-AP a of one or several boards is undefined only because runs tie in the reference."""
    if not np.any(np.isnan(tau_ap) & ~np.isnan(tau_ap_b)):
        return []
    text = f"Runs tie in {reference_in_words(name)}"
    return [f"{text}: tau-AP a takes its order as true and is undefined. tau-AP b allows ties."]


def about_left_out(n_left: int, n_runs: int, name: str) -> list[str]:
    """A note where some of a choice's runs are not in the reference."""
    has, is_ = ("has", "is") if n_left == 1 else ("have", "are")
    text = f"{n_left} of {n_runs} runs {has} no rank in {reference_in_words(name)} and {is_} left out of correlations."
    return [text] if n_left else []


def leaderboard_rows(snapshot: Snapshot, leaderboard_id: str) -> pd.DataFrame:
    """The systems of a stored leaderboard: run_id, rank, score, stderr."""
    return _kept_rows(snapshot, leaderboard_id).copy()


@cached_by_snapshot(64)
def _kept_rows(snapshot: Snapshot, leaderboard_id: str) -> pd.DataFrame:
    return snapshot.query(
        "SELECT run_id, rank, score, stderr FROM leaderboards WHERE leaderboard_id = ? AND run_id != ?",
        [leaderboard_id, OVERALL],
    )


@cached_by_snapshot(16)
def values_of_leaderboard(snapshot: Snapshot, leaderboard_id: str) -> Values | None:
    """The values by query with which a leaderboard was imported; None where it had none."""
    rows = snapshot.query(
        "SELECT run_id, query_id, value FROM scores WHERE method = ? AND value IS NOT NULL",
        [values_of_board(leaderboard_id)],
    )
    if not len(rows):
        return None
    table = rows.pivot(index="run_id", columns="query_id", values="value").sort_index(axis=1)
    values = table.to_numpy(float)
    values.flags.writeable = False
    return Values(list(table.index), list(table.columns), values)


def has_values(snapshot: Snapshot, reference: str) -> bool:
    """Whether a reference is computed here, or a leaderboard that was imported with values by query."""
    if reference in leaderboard_ids(snapshot):
        stored = find_reference(snapshot, reference)
        return stored is not None and stored.values is not None
    return reference.startswith(tuple(f"{kind}:" for kind in KINDS))


def refuse_without_values(snapshot: Snapshot, reference: str) -> None:
    """Raise UsageError where a reference has no values by query."""
    if needed_reference(snapshot, reference).values is None:
        raise UsageError(no_values(reference))


def no_values(reference: str) -> str:
    """The message that a reference has no values by query, with remedies."""
    return (
        f"{reference} has no values by query, which tests need. Compare with qrels:nDCG@10 or grades:P@20:grader=NAME, "
        "or import the leaderboard with its values by query (as trec_eval -q or ir_measures -q write them)."
    )


def _computed(snapshot: Snapshot, name: str, choice: Evaluation | None) -> Reference:
    own = _reference_choice(snapshot, name, choice)
    values = counted_values(snapshot, own)
    mean, _, _ = mean_and_stderr(values.values)
    mean = rounded_means(mean) if own.rounded == "trec_eval" else mean
    scores = pd.Series(mean, values.run_ids).dropna()
    about = [*scope_of(snapshot, own).about_unreadable(), *about_scales(snapshot, own), *about_depth(snapshot, own)]
    notes = tuple(f"{name}: {note}" for note in about)
    ranks = pd.Series(mean_rank(scores.to_numpy(float)), scores.index)
    return Reference(name, ranks, scores, values, notes, own.grading)


def _reference_choice(snapshot: Snapshot, name: str, choice: Evaluation | None) -> Evaluation:
    kind, measure, *parts = name.split(":")
    allowed = {"judgments", "relevant_from", "depth"} if kind == "qrels" else _GRADES_OPTIONS
    options = dict(part.partition("=")[::2] for part in parts)
    read = {"relevant_from": plain_number, "tau": plain_decimal, "label_rank": plain_number}
    numbers = {option: read[option](value) for option, value in options.items() if option in read}
    for option, value in options.items():
        if option not in allowed or not value or numbers.get(option, 0) is None:
            raise UsageError(f"{name}: {option}={value} is not understood. Compare with {COMPUTED}.")
    settings: dict[str, object] = {}
    if choice:
        depth, deepest = choice.labelling.depth, Measure.parse(measure).depth or 0
        settings["depth"] = depth and max(depth, deepest)
    if kind == "qrels":
        settings |= {"judgments": OFFICIAL}
    elif choice and not {"bank", "grader"} & set(options):
        grading = choice.grading
        bank = str(grading.bank) if grading.bank else None
        settings |= {"bank": bank, "grader": grading.grader, "judgments": grading.judgments}
    settings |= {**options, **numbers}
    if "depth" in options:
        settings["depth"] = depth_number(options["depth"])
    own = choose(snapshot, Request(measure).but(**settings))
    if choice and kind == "grades":
        own = replace(own, missing=choice.missing).labelled(order=choice.labelling.order)
    return replace(own, rounded=choice.rounded) if choice else own


_GRADES_OPTIONS = {"bank", "grader", "tau", "label_rank", "depth"}


@dataclass(frozen=True)
class Paired:
    """A choice's values beside its reference, over the n runs that both have.

    Parameters
    ----------
    values : (n, Q) of the choice; NaN where a query does not count
    ranks, scores : (n,) of the reference, larger scores are better; NaN where only ranks are known
    reference_values : (n, Q) of the reference on the same queries; None where a run has none
    """

    run_ids: list[str]
    query_ids: list[str]
    values: Floats
    reference: Reference
    ranks: Floats
    scores: Floats
    reference_values: Floats | None

    @property
    def has_scores(self) -> bool:
        """Whether the reference has scores for all these runs, and not only ranks."""
        return not np.isnan(self.scores).any()

    @property
    def drawn_along(self) -> Floats:
        """The reference for a bootstrap of queries: (n, Q) values that are drawn along, or (n,) fixed scores."""
        return self.order if self.reference_values is None else self.reference_values

    @property
    def order(self) -> Floats:
        """(n,) the reference as numbers of which larger ones are better: its scores, or its ranks' negatives."""
        return self.scores if self.has_scores else -self.ranks


def pair_with(values: Values, reference: Reference) -> Paired:
    """The runs that a reference ranks and a choice has a mean of, in the order of the values."""
    averaged = np.flatnonzero(~np.isnan(values.values).all(axis=1))
    rows = [row for row in averaged if values.run_ids[row] in reference.ranks.index]
    run_ids = [values.run_ids[row] for row in rows]
    theirs = None
    if reference.values is not None:
        frame = pd.DataFrame(reference.values.values, reference.values.run_ids, reference.values.query_ids)
        theirs = frame.reindex(index=run_ids, columns=values.query_ids).to_numpy(float)
        if not reference.is_computed and np.isnan(theirs).all(axis=1).any():
            theirs = None  # it has other queries, or other names for them
    return Paired(
        run_ids,
        values.query_ids,
        values.values[rows],
        reference,
        reference.ranks.reindex(run_ids).to_numpy(float),
        reference.scores.reindex(run_ids).to_numpy(float),
        theirs,
    )


WHY_LOW = (
    "Few queries make scores noisy, which lowers correlations. The interval estimates the correlation with unlimited "
    "queries, so the observed value may lie near its lower end, or below it. A reference over the same queries shares "
    "their noise, which raises the correlation."
)
WIDE = 0.6
"""Share of a coefficient's range beyond which an interval says next to nothing."""

RANGE = dict.fromkeys(ORDERED, 2.0) | {"rbo": 1.0}

MEANING = (
    "Meant to contain the correlation with unlimited queries in 95 of 100 samples of queries. In simulations "
    "it did in 92 to 96 of 100 with 25 queries or more (80 in the worst setting), in 88 to 92 with 10, and in 76 to 78 "
    f"with 10 and a correlation of 0.99. {ENDS_IN_WORDS} quantiles over true means that are simulated by a model of "
    "the observed means; a computed reference is simulated in the same way. It needs five runs and five queries."
)
NO_INTERVAL = "Always empty: noise shifts R2 and RMSE in ways that no method tried here takes out."
"""Help of the intervals of coefficients that are no rank correlations."""
MIDDLE = (
    "Estimate of the correlation with unlimited queries: the median over simulated true means. With few queries, and a "
    "reference that does not share their noise, it is usually higher than the observed value."
)
SOURCE = "docs/explanation/intervals.md"


@dataclass(frozen=True)
class TruthInterval:
    """The estimate of a coefficient with endless queries: the ends of its 95% interval, and the middle."""

    low: float
    middle: float
    high: float


@dataclass(frozen=True)
class Named:
    """A coefficient (`spearman`), observed and with endless queries; `name` is for sentences: `Kendall at tau 3`."""

    name: str
    coefficient: str
    observed: float
    truth: TruthInterval


def estimate_truths(
    values: Floats, reference: Floats, which: Collection[str] = ORDERED, *, draws: int = DRAWS, seed: int = SEED
) -> list[dict[str, TruthInterval]]:
    """Estimates with endless queries, by coefficient, of each board of (B, R, Q) values; without those that are NaN.

    Parameters and errors are those of `true_correlations`.
    """
    estimates = true_correlations(values, reference, which, draws=draws, seed=seed)
    parts = (estimates.low, estimates.middle, estimates.high)
    wanted = [name for name in ORDERED if name in which]
    boards = []
    for board in range(len(values)):
        ends = {name: TruthInterval(*(float(getattr(part, name)[board]) for part in parts)) for name in wanted}
        boards.append({name: truth for name, truth in ends.items() if not np.isnan(truth.low)})
    return boards


def about_truths(coefficients: Sequence[Named]) -> list[str]:
    """Notes on observed values that lie low in their intervals, and on intervals that say next to nothing."""
    notes = []
    if any(named.observed < named.truth.low + (named.truth.high - named.truth.low) / 4 for named in coefficients):
        notes.append(WHY_LOW)
    wide = [named for named in coefficients if named.truth.high - named.truth.low > WIDE * RANGE[named.coefficient]]
    if wide:
        ends = listed([f"{named.name} [{named.truth.low:.2f}, {named.truth.high:.2f}]" for named in wide])
        notes.append(f"Too few queries to say anything about {ends}.")
    return notes


def about_missing(
    shape: tuple[int, int], observed: Mapping[str, float], known: Collection[str], *, fixed: bool, same: bool = False
) -> list[str]:
    """Notes on the reasons why observed coefficients that are not NaN have no interval, and are not `known`.

    The shape is the number of runs and of queries; a `fixed` reference is stored, and not computed over the same
    queries; `same` is true where the board has the reference's own values.
    """
    runs, queries = shape
    missing = [name for name, value in observed.items() if not np.isnan(value) and name not in known]
    ranks = [name for name in missing if name in ORDERED]
    notes = []
    if ranks and min(shape) < FEWEST:
        notes.append(
            f"No intervals: they need {FEWEST} runs that differ and {FEWEST} queries; here are {runs} and {queries}."
        )
    elif ranks and same:
        notes.append("No intervals: the reference has this leaderboard's own values on every query.")
    else:
        few = "rbo" in ranks and not fixed and queries < RBO_QUERIES
        if unfitted := [NAMES[name] for name in ranks if not few or name != "rbo"]:
            notes.append(
                f"{listed(unfitted)} {'have' if len(unfitted) > 1 else 'has'} no interval: the model does not fit "
                f"these queries. Fewer than {FEWEST} runs differ, or the observed correlation is higher than the model "
                "allows, although noise lowers correlations."
            )
        if few:
            notes.append(
                "RBO has no interval: against a measure over the same queries, the model's intervals for it are "
                f"reliable from {RBO_QUERIES} queries on (here {queries})."
            )
    if scores := [NAMES[name] for name in missing if name not in ORDERED]:
        notes.append(
            f"{' and '.join(scores)} {'have' if len(scores) > 1 else 'has'} no interval: noise of the means changes "
            "them, and no reliable correction is known."
        )
    return notes
