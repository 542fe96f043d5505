"""Every tau of a measure, and which tau to use: chosen on some queries and judged on the others, many times."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd

from exam_core.analysis import references
from exam_core.analysis.agreement import OF_KAPPA, kappas_at
from exam_core.analysis.caveats import about_depth
from exam_core.analysis.choice import TAUS, Evaluation
from exam_core.analysis.choosing import no_grades
from exam_core.analysis.grade_scales import scale_of, taus_of
from exam_core.analysis.leaderboard import title
from exam_core.analysis.scope import scope_of
from exam_core.analysis.shared_columns import COMPARED_RUNS, KAPPA, KENDALL, SPEARMAN, TAU
from exam_core.analysis.uncertainty import ALPHA
from exam_core.analysis.values import gaps, values_at_taus
from exam_core.defaults import DRAWS, SEED, SPLITS
from exam_core.errors import UsageError
from exam_core.numbers.arrays import Bools, Floats
from exam_core.numbers.means import mean_and_stderr, rounded_means
from exam_core.numbers.rank_correlations import DIGITS, NAMES, correlations
from exam_core.numbers.resampling import bootstrap_means, defined_mean
from exam_core.numbers.significance_tests import holm, overlap, paired_t, separable_share
from exam_core.numbers.true_means import is_same, true_correlations
from exam_core.progress import Progress, no_progress
from exam_core.request import RELEVANT_FROM, Rounded
from exam_core.results import ResultTable, decimal, flag, interval, number, share, text
from exam_core.store import Snapshot
from exam_core.store.summary import qrels_ids
from exam_core.tables import OFFICIAL
from exam_core.wording import closest, reference_in_words


@dataclass(frozen=True)
class HeldOut:
    """How candidates fare on queries that did not choose them; `of_winner` is the mean Kendall of those chosen.

    Parameters
    ----------
    wins : (T,) share of the splits in which a candidate has the best Kendall on the training queries
    kendall : (T,) mean Kendall on the held-out queries; NaN where fewer than 90% of the splits have one
    best : index of the candidate with the best `kendall`, the first of equal ones; None where all are NaN
    """

    wins: Floats
    kendall: Floats
    best: int | None
    of_winner: float


def halves(n: int, splits: int = SPLITS, seed: int = SEED) -> Bools:
    """Random halves of n queries: (splits, n), true for the n // 2 that are for training, the others being held out.

    The same seed gives the same halves.
    """
    ordered = np.broadcast_to(np.arange(n) < n // 2, (splits, n))
    return np.random.default_rng(seed).permuted(ordered, axis=1)


def cross_validate(values: Floats, reference: Floats, training: Bools) -> HeldOut:
    """Choose the candidate with the best Kendall on the training queries, and see how all do on the others.

    Parameters
    ----------
    values : (T, R, Q) per-query values of T candidates; NaN doesn't count
    reference : (R,) fixed scores, larger is better, or (R, Q) per-query values that are split alike
    training : (splits, Q) which queries choose (`halves`)

    Ties go to the first candidate, after rounding to 1e-9. A split in which no candidate has a Kendall on the
    training queries has no winner and does not count; all is NaN where no split counts.

    Source: cross-validation by repeated random halves (Stone 1974; Picard & Cook 1984).
    """
    train, test = (_kendall(values, reference, side) for side in (training, ~training))
    decided = ~np.isnan(train).all(axis=1)
    if not decided.any():
        unknown = np.full(len(values), np.nan)
        return HeldOut(unknown, unknown, None, np.nan)
    winner = np.nanargmax(train[decided], axis=1)
    wins = np.bincount(winner, minlength=len(values)) / decided.sum()
    kendall = defined_mean(test)
    best = None if np.isnan(kendall).all() else int(np.nanargmax(np.round(kendall, DIGITS)))
    of_winners = test[decided][np.arange(len(winner)), winner]
    return HeldOut(wins, kendall, best, float(defined_mean(of_winners[:, None])[0]))


def _kendall(values: Floats, reference: Floats, queries: Bools) -> Floats:
    """(splits, T) Kendall of the candidates' means over some queries of each split."""
    counts = queries.astype(np.int64)
    truth = reference if reference.ndim == 1 else bootstrap_means(reference, counts)[:, None]
    return np.round(correlations(bootstrap_means(values, counts), truth, ("kendall",)).kendall, DIGITS)


COEFFICIENTS = ("spearman", "kendall", "tau_ap", "tau_ap_b")
Goal = Literal["order", "labels", "differences"]
GOALS: dict[Goal, str] = {"order": "held_out_kendall", "labels": "kappa", "differences": "separable_t"}
"""What a tau is chosen for, and the column of `CUTOFFS` that says how well it serves."""
KAPPAS = ("kappa", "kappa_low", "kappa_high")
HELD_OUT = "Mean Kendall on the halves of the queries that did not choose the tau; the best tau is recommended."
TAU_AP = decimal(
    "tau_ap",
    "tau-AP a",
    "Kendall's with more weight at the top; undefined where runs tie in the reference.",
    source="Yilmaz et al. 2008; Urbano & Marrero 2017",
)
TAU_AP_B = decimal(
    "tau_ap_b", "tau-AP b", "Mean of tau-AP in both directions; ties are allowed.", source="Urbano & Marrero 2017"
)
CUTOFFS = ResultTable(
    "cutoffs: rows",
    "A measure at every tau; undefined values are NaN",
    replace(TAU, pinned=True),
    *(
        column
        for observed in (SPEARMAN, KENDALL, TAU_AP, TAU_AP_B)
        for column in (
            observed,
            decimal(
                f"{observed.name}_low", f"{observed.label}, 95% from", references.MEANING, source=references.SOURCE
            ),
            decimal(
                f"{observed.name}_middle",
                f"{observed.label}, corrected for noise",
                references.MIDDLE,
                source=references.SOURCE,
            ),
            decimal(f"{observed.name}_high", f"{observed.label}, to", references.MEANING, source=references.SOURCE),
        )
    ),
    COMPARED_RUNS,
    decimal(
        "stderr",
        "Standard error",
        "Mean over the runs of the standard error of their mean: sample deviation / root of n queries.",
        "score",
    ),
    share(
        "separable_bars",
        "Separable (error bars)",
        "Share of the pairs of runs whose standard-error bars don't overlap.",
        "share of the pairs",
        source="EXAM++, section 5.4",
    ),
    share(
        "separable_t",
        "Separable (t-test)",
        "Share of the pairs of runs with p < 0.05 in a paired t-test over the queries, after Holm's adjustment for all "
        "pairs.",
        "share of the pairs",
        source="Student 1908; Holm 1979",
    ),
    replace(KAPPA, label="kappa"),
    decimal("kappa_low", "kappa, 95% from", OF_KAPPA),
    decimal("kappa_high", "kappa, to", OF_KAPPA),
    share(
        "ungraded",
        "Ungraded",
        "Share of the filled top-k ranks whose passage has no grade, or that the file left out; the same at every tau.",
        "share of the filled ranks",
    ),
    share(
        "unreadable",
        "Unreadable",
        "Share of the answers on the passages within depth that can't be read; the same at every tau.",
        "share of the answers",
    ),
    share(
        "wins",
        "Wins",
        "Share of random halves of the queries on which this tau has the best Kendall.",
        "share of the halves",
        source="Picard & Cook 1984",
    ),
    decimal("held_out_kendall", "Held-out Kendall", HELD_OUT),
    flag("recommended", "Recommended", HELD_OUT),
)


@dataclass(frozen=True)
class Cutoffs:
    """A measure at every tau: `rows` are `CUTOFFS`; kappa is that of labels and official judgments.

    `recommended` is the tau with the best mean Kendall on held-out queries, the smaller of equal ones; None where
    there is nothing to choose by. `chosen_kendall` is the mean held-out Kendall of choosing by training queries,
    and `n_queries` how many there are to choose by: 0 where taus can't be compared so.
    """

    collection: str
    title: str
    measure: str
    reference: str | None
    rows: pd.DataFrame
    recommended: int | None = None
    chosen_kendall: float = np.nan
    draws: int = DRAWS
    splits: int = SPLITS
    seed: int = SEED
    notes: list[str] = field(default_factory=list)
    n_queries: int = 0

    @property
    def of_itself(self) -> str:
        """The note that one of the taus is the reference, so that none is recommended; empty where none is."""
        return next((note for note in self.notes if note.endswith(references.ITSELF)), "")

    @cached_property
    def best(self) -> dict[Goal, int]:
        """The tau that serves each goal best, the smaller of equal ones.

        Without the goals that no tau has a figure for, and those that several taus serve all alike.
        """
        best: dict[Goal, int] = {}
        for goal, column in GOALS.items():
            known = self.rows.set_index("tau")[column].dropna().round(DIGITS)
            if goal == "order" and self.recommended is not None:
                best[goal] = self.recommended
            elif goal != "order" and len(known) and (len(self.rows) == 1 or known.nunique() > 1):
                best[goal] = int(known.idxmax())
        return best


def cutoffs(
    snapshot: Snapshot,
    choice: Evaluation,
    *,
    relevant_from: int = RELEVANT_FROM,
    draws: int = DRAWS,
    splits: int = SPLITS,
    seed: int = SEED,
    progress: Progress = no_progress,
) -> Cutoffs:
    """Compare the taus that a choice's grader has grades for; the choice's own tau is not read.

    Correlations are NaN without a reference or an order to compare, kappas without official judgments. Raises
    UsageError where human judgments are to be evaluated, there are no runs, or no such reference.

    Source: EXAM++, section 5.4 (what a cutoff trades off); `cross_validate` for the recommendation.
    """
    taus = _taus(snapshot, choice)
    values, boards = values_at_taus(snapshot, choice, len(taus))
    counts = gaps(snapshot, choice.labelling)
    columns: dict[str, object] = {
        "tau": taus,
        **_power(boards),
        "ungraded": counts.share_at_depth,
        "unreadable": counts.unreadable / counts.answers if counts.answers else np.nan,
    }
    columns |= dict.fromkeys(KAPPAS, np.nan)
    if OFFICIAL in qrels_ids(snapshot):
        columns |= dict(zip(KAPPAS, kappas_at(snapshot, choice.labelling, taus, relevant_from), strict=True))
    progress(0.3)
    notes = _about(snapshot, choice)
    other, validated, both = references.find_reference(snapshot, choice.reference, choice), None, None
    if other is None:
        notes.append(references.no_reference(snapshot))
    else:
        both = references.pair_with(values, other)
        shared = boards[:, np.isin(values.run_ids, both.run_ids)]
        columns |= _correlations(shared, both, draws, seed, choice.rounded)
        progress(0.6)
        itself = references.about_itself(choice, other, mean_and_stderr(shared)[0], both.order)
        notes += [*_about_reference(values.averaged, columns, both), *itself]
        if choice.measure.tau_applies and not itself:
            validated = cross_validate(shared, both.drawn_along, halves(len(both.query_ids), splits, seed))
            columns |= {"wins": validated.wins, "held_out_kendall": validated.kendall}
    rows = CUTOFFS.of(columns)
    best = None if validated is None or validated.best is None else taus[validated.best]
    return Cutoffs(
        snapshot.collection,
        re.sub(r" tau=\d", "", title(choice)),
        str(choice.measure),
        other.name if other else None,
        typed_rows(rows, best),
        recommended=best,
        chosen_kendall=validated.of_winner if validated else np.nan,
        draws=draws,
        splits=splits,
        seed=seed,
        notes=notes + references.about_truths(_coefficients(rows)),
        n_queries=len(both.query_ids) if validated and both else 0,
    )


def _coefficients(rows: pd.DataFrame) -> list[references.Named]:
    """The correlations at each tau, with their intervals."""
    coefficients = []
    for row in rows.to_dict("records"):
        for name in COEFFICIENTS:
            truth = references.TruthInterval(*(float(row[f"{name}_{end}"]) for end in ("low", "middle", "high")))
            coefficients.append(references.Named(f"{NAMES[name]} at tau {row['tau']}", name, float(row[name]), truth))
    return coefficients


def _about_reference(n_runs: int, columns: Mapping[str, object], both: references.Paired) -> list[str]:
    """Runs that the reference lacks, its own notes, ties, and too few runs or queries for intervals."""
    left = references.about_left_out(n_runs - len(both.run_ids), n_runs, both.reference.name)
    observed = {name: float(np.max(np.asarray(columns[name]), initial=-1)) for name in COEFFICIENTS}
    known = [name for name in COEFFICIENTS if not np.isnan(np.asarray(columns[f"{name}_low"])).all()]
    same = is_same(both.values, both.drawn_along)
    ties = references.about_ties(both.reference.name, np.asarray(columns["tau_ap"]), np.asarray(columns["tau_ap_b"]))
    few = references.about_missing(
        (len(both.run_ids), len(both.query_ids)), observed, known, fixed=both.reference_values is None, same=same
    )
    return [*left, *both.reference.notes, *ties, *few]


def _taus(snapshot: Snapshot, choice: Evaluation) -> list[int]:
    """The taus that a value of the choice can reach: a grade, or a label as the label map has it.

    Raises UsageError where no tau can be chosen.
    """
    if not choice.of_grades:
        raise UsageError(f"{choice.measure} uses no grades, so it has no tau to choose.")
    if choice.grading.judgments:
        raise UsageError(f"Human judgments have no tau: --relevant-from is their threshold. {no_grades(snapshot)}")
    return taus_of(snapshot, choice.labelling, of_labels=choice.measure.info.of == "labels")


def typed_rows(rows: pd.DataFrame, recommended: int | None) -> pd.DataFrame:
    """Rows with the types of their columns, and whether each is the recommended tau."""
    numbers = [name for name in CUTOFFS.names if name not in ("tau", "n", "recommended")]
    rows = rows.assign(recommended=rows["tau"] == recommended)
    return rows.astype({"tau": int, "n": "Int64"} | dict.fromkeys(numbers, float))


def _correlations(
    boards: Floats, both: references.Paired, draws: int, seed: int, rounded: Rounded
) -> dict[str, object]:
    """Columns of the coefficients of (T, n, Q) values and of their intervals, whose model does not round."""
    mean, _, _ = mean_and_stderr(boards)
    mean = rounded_means(mean) if rounded == "trec_eval" else mean
    result = correlations(mean, both.order, COEFFICIENTS)
    known = true_correlations(boards, both.drawn_along, COEFFICIENTS, draws=draws, seed=seed)
    columns: dict[str, object] = {"n": len(both.run_ids)}
    for name in COEFFICIENTS:
        columns |= {name: getattr(result, name)}
        columns |= {f"{name}_{end}": getattr(getattr(known, end), name) for end in ("low", "middle", "high")}
    return columns


def _power(boards: Floats) -> dict[str, Floats]:
    """Columns on how well (T, R, Q) values tell runs apart."""
    mean, stderr, _ = mean_and_stderr(boards)
    measured = ~np.isnan(stderr)
    sums = np.where(measured, stderr, 0.0).sum(axis=1)
    n = measured.sum(axis=1)
    return {
        "stderr": np.where(n > 0, sums / np.maximum(n, 1), np.nan),
        "separable_bars": np.array(
            [separable_share(~overlap(*pair), pair[0]) for pair in zip(mean, stderr, strict=True)]
        ),
        "separable_t": np.array(
            [separable_share(holm(paired_t(board)) < ALPHA, means) for board, means in zip(boards, mean, strict=True)]
        ),
    }


def _about(snapshot: Snapshot, choice: Evaluation) -> list[str]:
    scope = scope_of(snapshot, choice)
    notes = scope.about_unreadable()
    if not choice.measure.tau_applies:
        notes.append(f"Tau does not apply to {choice.heading}: every row has the same values, and none is recommended.")
    grader, largest = choice.grading.grader, _taus(snapshot, choice)[-1]
    if (most := scale_of(snapshot, grader)) < TAUS[-1]:
        notes.append(f"The scale of {grader} ends at {most}: there is no larger tau.")
    elif largest < TAUS[-1]:
        notes.append(f"Labels {choice.labelling.written_map} end at {largest}: there is no larger tau.")
    if OFFICIAL not in qrels_ids(snapshot):
        notes.append(f"{snapshot.collection} has no official judgments, and so no kappa.")
    return notes + about_depth(snapshot, choice) + scope.about_unanswered()


def serves(cutoffs: Cutoffs, goal: Goal, tau: float | None) -> bool:
    """Whether a tau serves a goal as well as the best one does."""
    values = cutoffs.rows.set_index("tau")[GOALS[goal]].round(DIGITS)
    best = cutoffs.best.get(goal)
    return best is not None and bool(tau == best or values.get(tau, np.nan) == values[best])


_INTERVALS = {
    name: interval(f"{name}_interval", f"{CUTOFFS[name].label}, 95%", CUTOFFS[f"{name}_low"].help)
    for name in (*COEFFICIENTS, "kappa")
}
SERIES_CUTOFFS = ResultTable(
    "cutoffs: series",
    "A measure at every tau of several grading modes; the criteria for a tau come first",
    text("series", "Grading mode", pinned=True),
    *CUTOFFS.ordered("tau", "recommended", "wins", "held_out_kendall").columns,
    *(
        column
        for name in ("kendall", "spearman", "tau_ap", "tau_ap_b")
        for column in (CUTOFFS[name], _INTERVALS[name], CUTOFFS[f"{name}_middle"])
    ),
    *CUTOFFS.ordered("n", "stderr", "separable_bars", "separable_t", "kappa").columns,
    _INTERVALS["kappa"],
    *CUTOFFS.ordered("ungraded", "unreadable").columns,
)

WHICH_TAU = ResultTable(
    "cutoffs: goals",
    "The tau that serves each goal best, a row for each grading mode",
    SERIES_CUTOFFS["series"],
    number("order_tau", "Best tau for the order", CUTOFFS["held_out_kendall"].help, "grade"),
    replace(CUTOFFS["held_out_kendall"], label="Held-out Kendall"),
    number("labels_tau", "Best tau for agreement", "Where Cohen's kappa with the judgments is largest.", "grade"),
    CUTOFFS["kappa"],
    number("differences_tau", "tau for discrimination", CUTOFFS["separable_t"].help, "grade"),
    replace(CUTOFFS["separable_t"], label="Pairs that differ"),
)


def which_tau_table(cutoffs: Mapping[str, Cutoffs]) -> pd.DataFrame:
    """A row for each series: `WHICH_TAU`; NaN where a goal has no tau."""
    rows = []
    for name, curve in cutoffs.items():
        by_tau, row = curve.rows.set_index("tau"), dict[str, object](series=name)
        for goal, tau in curve.best.items():
            row |= {f"{goal}_tau": tau, GOALS[goal]: by_tau.loc[tau, GOALS[goal]]}
        rows.append(row)
    return WHICH_TAU.of(pd.DataFrame(rows, columns=WHICH_TAU.names))


def advice(cutoffs: Cutoffs, tau: float | None) -> dict[Goal, str]:
    """By goal, a sentence on which tau to use and what another tau has instead; goals without a tau are left out."""
    by_tau, sentences = cutoffs.rows.set_index("tau"), dict[Goal, str]()
    reference = reference_in_words(str(cutoffs.reference))
    for goal, best in cutoffs.best.items():
        column, form = by_tau[GOALS[goal]], ".1%" if goal == "differences" else ".3f"
        alike = tau not in (None, best) and serves(cutoffs, goal, tau)
        other = (
            "" if alike or tau == best or math.isnan(own := column.get(tau, math.nan)) else f"tau {tau}: {own:{form}}"
        )
        use, beside = f"use tau {best}{f' or tau {tau}' if alike else ''}", f" ({other})" if other else ""
        on_all = {at_tau: f" (on all: {value:{form}})" for at_tau, value in by_tau["kendall"].items()}
        on_halves = f"; {other}{on_all[tau]}" if other else ""
        sentences[goal] = {
            "order": f"For the order of the runs, {use}: best in {by_tau['wins'][best]:.0%} of {cutoffs.splits} "
            f"resamplings of {cutoffs.n_queries} queries; Kendall {column[best]:{form}} with {reference} on held-out "
            f"queries{on_all[best]}{on_halves}.",
            "labels": f"For agreement with the judges, {use}: kappa {column[best]:{form}}{beside}.",
            "differences": f"To discriminate between runs, tau {best} and tau {tau} separate equally many pairs: "
            f"{column[best]:{form}} of the pairs of runs differ significantly."
            if alike
            else f"To discriminate between runs, {use}: {column[best]:{form}} of the pairs of runs differ "
            f"significantly{beside}.",
        }[goal]
    return sentences


def closest_taus(cutoffs: Mapping[str, Cutoffs], called: Mapping[str, str]) -> str:
    """Which of several series, each at its best tau, orders the runs most as the reference does; empty of one."""
    kendall = {
        f"{called.get(name, name)} at tau {curve.recommended}": curve.rows.set_index("tau")[GOALS["order"]][
            curve.recommended
        ]
        for name, curve in cutoffs.items()
        if curve.recommended is not None
    }
    message = closest(kendall, "Kendall") if len(cutoffs) > 1 else ""
    reference = next((str(curve.reference) for curve in cutoffs.values()), "")
    return message and f"Closest to {reference_in_words(reference, called)} on held-out queries: {message}."


def advice_in_full(cutoffs: Cutoffs, tau: float | None) -> list[str]:
    """The advice with how well choosing by other queries does, and where there is nothing to choose by."""
    sentences = list(advice(cutoffs, tau).values())
    if cutoffs.n_queries and cutoffs.recommended is None:
        sentences.append(
            "No tau is recommended for the order of the runs: no half of the queries has a defined correlation."
        )
    if not math.isnan(cutoffs.chosen_kendall):
        kendall = f"a mean Kendall of {cutoffs.chosen_kendall:.3f}"
        sentences.append(f"The tau that is best on one half of the queries has {kendall} on the other half.")
    return sentences


def cutoffs_table(cutoffs: Mapping[str, Cutoffs]) -> pd.DataFrame:
    """A row for each series and tau: `SERIES_CUTOFFS`; an interval that is not there is None."""
    frames = []
    for series, curve in cutoffs.items():
        rows = curve.rows.assign(series=series)
        for name in _INTERVALS:
            ends = zip(rows[f"{name}_low"], rows[f"{name}_high"], strict=True)
            pairs = [None if pd.isna(low) else (float(low), float(high)) for low, high in ends]
            rows[f"{name}_interval"] = pd.Series(pairs, rows.index, dtype=object)
        frames.append(rows)
    return SERIES_CUTOFFS.of(pd.concat(frames, ignore_index=True) if frames else ())
