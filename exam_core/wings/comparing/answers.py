"""The analyses `cutoffs`, `grid`, `significance`, `stability`, `swaps` and `whatif`: their options, tables and
sentences.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from exam_core import request as fields
from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described, undefined
from exam_core.answers.asking import asked_of, at_one_tau, evaluation, figures, several
from exam_core.declared import ALL, Every, Field
from exam_core.defaults import DEFAULT_MEASURES, DRAWS, SEED, SPLITS, TOP_RUNS
from exam_core.errors import UsageError
from exam_core.request import Comparing, Curve, Drawn, DrawsAndSigns, Evaluating, PairTest, RankingAsked, Seed
from exam_core.results import attributes

if TYPE_CHECKING:
    from exam_core.analysis.comparison import Correlated
    from exam_core.analysis.figures import Figures
    from exam_core.wings.comparing.whatif import WhatIf

MOST = 1_000_000
IN_PRINT = ("collection", "bank", "measure")
"""What of a question there is to say where taus are printed."""
HIDDEN = ("tau_ap", "spearman_", "kappa_", "recommended")
"""How columns begin that a table and LaTeX don't have; every other form has them all."""


@dataclass(frozen=True, kw_only=True)
class CutoffsOptions(RankingAsked):
    """What is evaluated at every tau, and how one is chosen."""

    draws: Annotated[int, Field("Simulations of the true means that give the intervals.")] = DRAWS
    splits: Annotated[int, Field("Number of random halves of the queries on which a tau is chosen.")] = SPLITS
    seed: Annotated[int, Field("Seed of simulations and halves; the same seed gives the same answer.")] = SEED


@analysis("cutoffs", waiting="Comparing")
def answer_cutoffs(subject: Subject, options: CutoffsOptions) -> Answer:
    """Every tau of a measure side by side, and which to use, by cross-validation over the queries.

    Columns: correlation with the reference, standard errors, separable pairs of runs, kappa with official judgments,
    missing grades. With --tau N, that tau is compared with the recommended one.

    Example: examboard cutoffs demo --bank open --measure Cover@20 --reference qrels:nDCG@10 --draws 200
    """
    from exam_core.analysis.choosing import check_range
    from exam_core.defaults import Sampling
    from exam_core.wings.comparing.cutoffs import CUTOFFS, advice_in_full
    from exam_core.wings.comparing.of_figures import cutoffs_of

    check_range("--draws", options.draws, 1, MOST)
    check_range("--splits", options.splits, 1, MOST)
    check_range("--seed", options.seed, 0, 2**32)
    held, (asked, _) = figures(subject, options), several(subject, options)
    found = cutoffs_of(held, asked, Sampling(options.draws, options.seed, options.splits), subject.progress)
    choice, notes = held.evaluation(asked), found.notes
    question: dict[str, Any] = {name: value for name, value in held.question(asked).items() if name in IN_PRINT}
    if choice is not None:
        question = held.question(asked) | {"relevant_from": asked.relevant_from, "rounded": asked.rounded}
        notes = [*notes, *advice_in_full(found, choice.tau)]
    told = {
        **question,
        "reference": found.reference,
        "draws": found.draws,
        "splits": found.splits,
        "seed": found.seed,
        "recommended": found.recommended,
        "chosen_kendall": found.chosen_kendall,
        "rows": found.rows,
        "notes": notes,
    }
    title = f"{found.collection} {found.title} against {found.reference or 'nothing'}"
    return Answer(
        title,
        described(found.rows, CUTOFFS),
        notes,
        told=told,
        short=found.rows[[name for name in CUTOFFS.names if not name.startswith(HIDDEN)]],
        footer=[title, *notes],
    )


@dataclass(frozen=True, kw_only=True)
class GridOptions:
    """Which cells a grid has, and by which rules."""

    measures: Annotated[
        list[str] | None,
        Field(
            f"The columns, comma-separated; by default {','.join(DEFAULT_MEASURES)}.",
            commas=True,
            option="--measures --measure",
        ),
    ] = None
    taus: Annotated[
        list[int] | Every,
        Field("The taus, for instance 1,3,5; or all.", commas=True, least=1, most=5, option="--taus --tau"),
    ] = ALL
    graders: Annotated[
        list[str] | None,
        Field("Grading modes, comma-separated; by default all.", commas=True, option="--graders --grader"),
    ] = None
    bank: Annotated[str | None, Field("Question bank; by default all. genq@2 pins a version.")] = None
    reference: fields.Reference = None
    depth: fields.Depth = fields.DEPTH
    label_rank: fields.LabelRank = 1
    label_map: fields.LabelMap = None
    missing: fields.MissingRule = "zero"
    order: fields.OrderRule = "score"
    ncover_pool: fields.NcoverPool = "graded"
    rounded: fields.RoundedRule = "none"
    without: fields.Without = None


@analysis("grid", waiting="Comparing")
def answer_grid(subject: Subject, options: GridOptions) -> Answer:
    """Spearman and Kendall of every grading mode at every tau, under several measures, as in table 3 of EXAM++.

    A table marks the best of each column and all values within 0.05 of it. LaTeX needs booktabs and xcolor.

    Example: examboard grid demo --measures AP,nDCG@20,Cover@20 --taus 1,3,5
    """
    from exam_core.analysis.choice import TAUS
    from exam_core.analysis.choosing import check_range, leave_out
    from exam_core.analysis.figures import figures_of
    from exam_core.measures import Measure
    from exam_core.wings.comparing.grid import GRID, LEGEND_OF_TABLE, grid_latex, grid_table
    from exam_core.wings.comparing.of_figures import grid_of

    taus = list(TAUS) if isinstance(options.taus, str) else sorted(set(options.taus))
    for tau in taus:
        check_range("--taus", tau, TAUS[0], TAUS[-1])
    measures = [Measure.parse(name) for name in options.measures or ()]
    graders = options.graders or []
    snapshot = leave_out(subject.snapshot, options.without or [])
    held = figures_of(snapshot, *graders, options.reference)
    found = grid_of(held, asked_of(options), measures, graders, taus, subject.progress)
    told = {"collection": snapshot.collection, **found.question}
    told |= attributes(found, "measures", "reference", "rows", "notes")
    return Answer(
        f"{snapshot.collection} against {found.reference}",
        described(found.rows, GRID),
        found.notes,
        told=told,
        draw=lambda: _drawn(found),
        short=grid_table(found),
        paper=found.rows,
        footer=[f"Against {found.reference}. {LEGEND_OF_TABLE}", *found.notes],
        latex=lambda rows: grid_latex(replace(found, rows=rows)),
    )


def _drawn(found: Any) -> Any:
    """Kendall's tau of every mode against tau, a panel for each measure; printed columns without a tau are left out."""
    from exam_core.wings.comparing.cutoff_charts import multiples_figure

    names = found.rows[["bank", "grader"]].fillna("").agg(" ".join, axis=1).str.strip()
    rows = found.rows.assign(series=names)[found.rows["tau"].notna()]
    return multiples_figure(rows, found.measures, coefficient="kendall")


@dataclass(frozen=True, kw_only=True)
class SignificanceOptions(Evaluating):
    """Which pairs are tested, and how."""

    pairs: Annotated[bool, Field("List every pair of runs, with wins, ties and losses.")] = False
    baseline: Annotated[
        str | None,
        Field("Compare every other run with this one; Holm's adjustment is for these comparisons alone."),
    ] = None
    leaderboard: Annotated[
        str | None,
        Field("Test this imported leaderboard (with values by query), not the grader's."),
    ] = None
    test: Annotated[PairTest, Field("Test for the listed p values and the tiers.")] = "t"
    draws: DrawsAndSigns = DRAWS
    seed: Seed = SEED


@analysis("significance", tables="every pair of runs")
def answer_significance(subject: Subject, options: SignificanceOptions) -> Answer:
    """Which runs differ significantly: tiers, intervals of means and ranks, tests of all pairs (Holm).

    Example: examboard significance demo --bank open --measure Cover@20 --tau 3 --pairs --test randomisation

    Example: examboard significance demo --bank open --measure Cover@20 --tau 3 --baseline bm25

    Example: examboard significance mine --leaderboard official
    """
    from exam_core.analysis.choosing import check_draws
    from exam_core.analysis.uncertainty import ALPHA
    from exam_core.wings.comparing.run_pairs import PAIRS, ROWS, of_board, of_values, significance
    from exam_core.wings.comparing.stability import significance_lines

    check_draws(options.draws, options.seed)
    if options.pairs and options.baseline:
        raise UsageError("--pairs and --baseline list different things: choose one of them.")
    held, asked, board = figures(subject, options), at_one_tau(subject, options), options.leaderboard
    collection = subject.snapshot.collection
    question = {"collection": collection, "leaderboard": board} if board else held.question(asked)
    if options.baseline is not None:
        return _beside(held, board or held.evaluation(asked), question, options)
    table = PAIRS if options.pairs else ROWS
    sampling: dict[str, Any] = {"test": options.test, "draws": options.draws, "seed": options.seed}
    if board:
        found = of_values(held.snapshot, board, **sampling)
    elif choice := held.evaluation(asked):
        found = significance(held.snapshot, choice, **sampling)
    elif held.snapshot.frame("leaderboards")["stderr"].isna().all():
        return undefined("significance", question, "test", table)
    else:
        found = of_board(held.boards(asked)[0])
    told = question | {"leaderboard": found.title, "test": found.test, "alpha": ALPHA}
    told |= attributes(found, "draws", "seed", "rows") | {"separable_share": found.shares, "notes": found.notes}
    told |= {"pairs": found.pairs} if options.pairs else {}
    return Answer(
        f"{collection}: significantly different runs",
        described(found.pairs if options.pairs else found.rows, table),
        significance_lines(found),
        tables={"pairs": described(found.pairs, PAIRS)},
        told=told,
        long=options.pairs,
    )


def _beside(held: Figures, choice: Any, question: dict[str, Any], options: SignificanceOptions) -> Answer:
    """Every other run beside one."""
    from exam_core.analysis.uncertainty import ALPHA
    from exam_core.wings.comparing.run_pairs import BASELINE, against
    from exam_core.wings.comparing.stability import against_lines

    if choice is None:
        return undefined("significance", question, "test", BASELINE)
    sampling: dict[str, Any] = {"test": options.test, "draws": options.draws, "seed": options.seed}
    found = against(held.snapshot, choice, str(options.baseline), **sampling)
    title = f"{held.snapshot.collection}: runs beside {options.baseline}"
    told = question | {"leaderboard": found.title, **attributes(found, "baseline", "test"), "alpha": ALPHA}
    told |= attributes(found, "draws", "seed", "rows", "notes")
    return Answer(title, described(found.rows, BASELINE), against_lines(found), told=told)


@dataclass(frozen=True, kw_only=True)
class StabilityOptions(Comparing):
    """What is drawn, or left out, how often, and from which seed."""

    of: Annotated[Drawn | None, Field("Resample queries (default), questions of each query, or both.")] = None
    curve: Annotated[Curve | None, Field("Correlation against the number of questions per query, or of queries.")] = (
        None
    )
    leave_one_out: Annotated[bool, Field("Leave out each question in turn.")] = False
    draws: Annotated[
        int | None,
        Field("By default 2000 resamplings of queries, 200 of questions, 50 subsets of each size of a curve."),
    ] = None
    seed: Seed = SEED
    top: Annotated[int, Field("Count how often a run is among the first K.")] = TOP_RUNS


@analysis("stability", waiting="Drawing")
def answer_stability(subject: Subject, options: StabilityOptions) -> Answer:
    """How the ranks and the correlation change with other queries, other questions, or fewer of them.

    Example: examboard stability demo --bank open --measure Cover@20 --tau 3 --of both

    Example: examboard stability demo --bank open --measure Cover@20 --tau 3 --curve bank-size
    """
    from exam_core.analysis.choosing import MOST_DRAWS, check_draws, check_range
    from exam_core.wings.comparing import stability

    if sum((options.of is not None, options.curve is not None, options.leave_one_out)) > 1:
        raise UsageError("--of, --curve and --leave-one-out ask different things: choose one of them.")
    check_draws(options.draws, options.seed)
    check_range("--top", options.top, 1, MOST_DRAWS)
    held, asked = figures(subject, options), at_one_tau(subject, options)
    question, choice = held.question(asked), held.evaluation(asked)
    if choice is None:
        rows = (
            stability.LEFT_OUT if options.leave_one_out else stability.SIZE_ROWS if options.curve else stability.RANKS
        )
        return undefined("stability", question, "draw", rows)
    snapshot, progress, seed = held.snapshot, subject.progress, options.seed
    title = f"{snapshot.collection}: stability"
    if options.leave_one_out:
        left = stability.leave_one_out(snapshot, choice, progress=progress)
        told = question | {"leaderboard": left.title}
        told |= attributes(left, "reference", "spearman", "kendall", "rows", "notes")
        lines = stability.leave_one_out_lines(left)
        return Answer(title, described(left.rows, stability.LEFT_OUT), lines, told=told, long=True)
    if options.curve:
        subsets = options.draws or stability.SUBSETS
        curve = stability.size_curve(snapshot, choice, of=options.curve, subsets=subsets, seed=seed, progress=progress)
        told = question | {"leaderboard": curve.title, "curve": curve.of}
        told |= attributes(curve, "subsets", "seed", "reference", "rows", "notes")
        return Answer(title, described(curve.rows, stability.SIZE_ROWS), stability.curve_lines(curve), told=told)
    drawn: dict[str, Any] = {"of": options.of or "queries", "draws": options.draws, "seed": seed, "top": options.top}
    found = stability.stability(snapshot, choice, **drawn, progress=progress)
    told = question | {"leaderboard": found.title, **attributes(found, "of", "draws", "seed"), "top_k": found.top}
    told |= attributes(found, "reference", "rows", "correlation", "notes")
    return Answer(title, described(found.rows, stability.RANKS), stability.stability_lines(found), told=told)


@dataclass(frozen=True, kw_only=True)
class SwapsOptions(Comparing):
    """Which leaderboards are compared, and what is listed."""

    bin: Annotated[float | None, Field("Width of the histogram's bins, as a difference in score.")] = None
    pairs: Annotated[bool, Field("List the swapped pairs instead of the histogram.")] = False


@analysis("swaps", tables="the pairs that are swapped")
def answer_swaps(subject: Subject, options: SwapsOptions) -> Answer:
    """Pairs of runs that two leaderboards order differently, by how far their scores are apart.

    A tie on one side only is no swap and is counted separately. Of a published collection, printed columns.

    Example: examboard swaps demo --bank open --measure P@20 --tau 3 --reference qrels:nDCG@10
    """
    from exam_core.wings.comparing.of_figures import swaps_of
    from exam_core.wings.comparing.stability import swaps_lines
    from exam_core.wings.comparing.swaps import ROWS, SWAPPED

    held, asked = figures(subject, options), at_one_tau(subject, options)
    question, found = held.question(asked), swaps_of(held, asked, width=options.bin)
    swapped = described(found.swapped, SWAPPED)
    told = question | {"leaderboard": found.title, **attributes(found, "reference", "n"), "n_pairs": found.pairs}
    told |= attributes(found, "swaps", "tied_once", "differences_of", "largest", "separable_swaps", "rows")
    told |= {"pairs": found.swapped, "notes": found.notes}
    return Answer(
        f"{subject.snapshot.collection}: pairs of runs in another order",
        swapped if options.pairs else described(found.rows, ROWS),
        swaps_lines(found),
        tables={"pairs": swapped},
        told=told,
        long=options.pairs,
    )


@dataclass(frozen=True, kw_only=True)
class WhatifOptions(Comparing):
    """What the bank would be."""

    drop: Annotated[list[str] | None, Field("Question to drop; may be repeated.")] = None
    drop_file: Annotated[Path | None, Field("File of questions to drop, a question_id on each line.")] = None
    only: Annotated[list[str] | None, Field("Question to keep, without all others; may be repeated.")] = None
    weight: Annotated[
        list[str] | None,
        Field("Weight of a question for wCover, as ID=2; may be repeated."),
    ] = None


@analysis("whatif")
def answer_whatif(subject: Subject, options: WhatifOptions) -> Answer:
    """The leaderboard, its correlation and the labels if the bank had other questions; nothing is changed.

    Example: examboard whatif demo --bank open --tau 3 --drop demo-01/628fd44adaa81b0332edc08085040c26
    """
    from exam_core.analysis.figures import question_of
    from exam_core.analysis.other_labels import ROWS
    from exam_core.formats.ids import ids_in
    from exam_core.wings.comparing.whatif import whatif, whatif_lines

    held, collection = figures(subject, options), subject.snapshot.collection
    dropped = [*(options.drop or []), *(ids_in(options.drop_file) if options.drop_file else [])]
    weights = _weights(options.weight or [])
    choice = evaluation(held, at_one_tau(subject, options), "there is no bank whose questions to edit.")
    found = whatif(held.snapshot, choice, drop=dropped, only=options.only, weights=weights)
    told = question_of(held.snapshot, choice) | _in_json(found)
    title = f"{collection}: the leaderboard with other questions"
    return Answer(title, described(found.rows, ROWS), whatif_lines(found), told=told)


def _in_json(found: WhatIf) -> dict[str, Any]:
    asking = found.asking
    return {
        "drop": sorted(asking.drop),
        "only": None if asking.only is None else sorted(asking.only),
        "weights": dict(asking.weights),
        "questions_before": found.enabled_before,
        "questions_after": found.enabled_after,
        "rows": found.rows,
        "reference": found.before and found.before.reference,
        "correlation_before": _coefficients(found.before),
        "correlation_after": _coefficients(found.after),
        **attributes(found, "relabelled", "notes"),
    }


def _coefficients(found: Correlated | None) -> dict[str, Any] | None:
    from exam_core.reports.json_objects import coefficients_of

    return None if found is None else {"n": found.correlation.n, **coefficients_of(found)}


def _weights(texts: list[str]) -> dict[str, float]:
    """Weights by question, each written ID=2."""
    weights: dict[str, float] = {}
    for text in texts:
        name, sign, number = text.rpartition("=")
        try:
            value = float(number) if name and sign else None
        except ValueError:
            value = None
        if value is None:
            raise UsageError(f"--weight {text}: write the question and its weight, for instance ID=2.")
        if name in weights:
            raise UsageError(f"--weight {text}: {name} has a weight already.")
        weights[name] = value
    return weights
