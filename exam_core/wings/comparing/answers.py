"""The analyses `cutoffs`, `grid`, `significance`, `stability`, `swaps` and `whatif`: their options, tables and
sentences.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from exam_core import request as fields
from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described, undefined
from exam_core.answers.asking import at_one_tau, evaluation, figures, request_of, several
from exam_core.declared import ALL, Every, Field
from exam_core.defaults import DEFAULT_MEASURES, DRAWS, SEED, SPLITS, TOP_RUNS
from exam_core.errors import UsageError
from exam_core.request import BoardTest, Comparing, Curve, DrawsAndSigns, Evaluating, RankingAsked, Seed
from exam_core.results import attributes

if TYPE_CHECKING:
    from exam_core.analysis.comparison import Correlated
    from exam_core.analysis.figures import Figures

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
    contents, (request, _) = figures(subject, options), several(subject, options)
    result = cutoffs_of(contents, request, Sampling(options.draws, options.seed, options.splits), subject.progress)
    choice, notes = contents.evaluation(request), result.notes
    question: dict[str, Any] = {name: value for name, value in contents.question(request).items() if name in IN_PRINT}
    if choice is not None:
        question = contents.question(request) | {"relevant_from": request.relevant_from, "rounded": request.rounded}
        notes = [*notes, *advice_in_full(result, choice.tau)]
    record = question | attributes(result, "reference", "draws", "splits", "seed", "recommended", "chosen_kendall")
    record |= {"rows": result.rows, "notes": notes}
    title = f"{result.collection} {result.title} against {result.reference or 'nothing'}"
    return Answer(
        title,
        described(result.rows, CUTOFFS),
        notes,
        text=record,
        short=result.rows[[name for name in CUTOFFS.names if not name.startswith(HIDDEN)]],
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
    own_document: fields.OwnDocumentRule = "yes"


@analysis("grid", waiting="Comparing")
def answer_grid(subject: Subject, options: GridOptions) -> Answer:
    """Spearman and Kendall of every grading mode at every tau, under several measures, as in table 3 of EXAM++.

    A table marks the best of each column and all values within 0.05 of it. LaTeX needs booktabs and xcolor.

    Example: examboard grid demo --measures AP,nDCG@20,Cover@20 --taus 1,3,5
    """
    from exam_core.analysis.choice import TAUS
    from exam_core.analysis.choosing import check_range, restrict
    from exam_core.analysis.figures import figures_of
    from exam_core.measures import Measure
    from exam_core.wings.comparing.grid import GRID, LEGEND_OF_TABLE, grid_latex, grid_table
    from exam_core.wings.comparing.of_figures import grid_of

    taus = list(TAUS) if isinstance(options.taus, str) else sorted(set(options.taus))
    for tau in taus:
        check_range("--taus", tau, TAUS[0], TAUS[-1])
    measures = [Measure.parse(name) for name in options.measures or ()]
    graders = options.graders or []
    snapshot = restrict(subject.snapshot, options)
    contents = figures_of(snapshot, *graders, options.reference)
    result = grid_of(contents, request_of(options), measures, graders, taus, subject.progress)
    record = {"collection": snapshot.collection, **result.question}
    record |= attributes(result, "measures", "reference", "rows", "notes")
    return Answer(
        f"{snapshot.collection} against {result.reference}",
        described(result.rows, GRID),
        result.notes,
        text=record,
        draw=lambda: _draw_multiples(result),
        short=grid_table(result),
        paper=result.rows,
        footer=[f"Against {result.reference}. {LEGEND_OF_TABLE}", *result.notes],
        latex=lambda rows: grid_latex(replace(result, rows=rows)),
    )


def _draw_multiples(result: Any) -> Any:
    """Kendall's tau of every mode against tau, a panel for each measure; printed columns without a tau are left out."""
    from exam_core.wings.comparing.cutoff_charts import multiples_figure

    names = result.rows[["bank", "grader"]].fillna("").agg(" ".join, axis=1).str.strip()
    rows = result.rows.assign(series=names)[result.rows["tau"].notna()]
    return multiples_figure(rows, result.measures, coefficient="kendall")


@dataclass(frozen=True, kw_only=True)
class SignificanceOptions(Evaluating):
    """Which pairs are tested, and how."""

    pairs: Annotated[bool, Field("List every pair of runs, with wins, ties and losses.")] = False
    baseline: Annotated[
        str | None, Field("Compare every other run with this one; Holm's adjustment is for these comparisons alone.")
    ] = None
    leaderboard: Annotated[
        str | None, Field("Test this imported leaderboard (with values by query), not the grader's.")
    ] = None
    test: Annotated[
        BoardTest,
        Field("Test for the listed p values and the tiers; tukey, the randomised Tukey HSD test, needs no Holm."),
    ] = "t"
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
    if options.baseline and options.test == "tukey":
        raise UsageError("--test tukey compares all pairs of runs: leave out --baseline, or choose another --test.")
    contents, request, board = figures(subject, options), at_one_tau(subject, options), options.leaderboard
    collection = subject.snapshot.collection
    question = {"collection": collection, "leaderboard": board} if board else contents.question(request)
    if options.baseline is not None:
        return _answer_beside_baseline(contents, board or contents.evaluation(request), question, options)
    table = PAIRS if options.pairs else ROWS
    sampling: dict[str, Any] = {"test": options.test, "draws": options.draws, "seed": options.seed}
    if board:
        result = of_values(contents.snapshot, board, **sampling)
    elif choice := contents.evaluation(request):
        result = significance(contents.snapshot, choice, **sampling)
    elif contents.snapshot.frame("leaderboards")["stderr"].isna().all():
        return undefined("significance", question, "test", table)
    else:
        result = of_board(contents.boards(request)[0])
    text = question | {"leaderboard": result.title, "test": result.test, "alpha": ALPHA}
    text |= attributes(result, "draws", "seed", "rows") | {"separable_share": result.shares, "notes": result.notes}
    text |= {"pairs": result.pairs} if options.pairs else {}
    return Answer(
        f"{collection}: significantly different runs",
        described(result.pairs if options.pairs else result.rows, table),
        significance_lines(result),
        tables={"pairs": described(result.pairs, PAIRS)},
        text=text,
        long=options.pairs,
    )


def _answer_beside_baseline(
    contents: Figures, choice: Any, question: dict[str, Any], options: SignificanceOptions
) -> Answer:
    from exam_core.analysis.uncertainty import ALPHA
    from exam_core.wings.comparing.run_pairs import BASELINE, against
    from exam_core.wings.comparing.stability import against_lines

    if choice is None:
        return undefined("significance", question, "test", BASELINE)
    sampling: dict[str, Any] = {"test": options.test, "draws": options.draws, "seed": options.seed}
    beside = against(contents.snapshot, choice, str(options.baseline), **sampling)
    record = question | {"leaderboard": beside.title, **attributes(beside, "baseline", "test"), "alpha": ALPHA}
    record |= attributes(beside, "draws", "seed", "rows", "notes")
    title = f"{contents.snapshot.collection}: runs beside {options.baseline}"
    return Answer(title, described(beside.rows, BASELINE), against_lines(beside), text=record)


@dataclass(frozen=True, kw_only=True)
class StabilityOptions(Comparing):
    """What is drawn, how often, and from which seed."""

    curve: Annotated[Curve | None, Field("Correlation against the number of questions per query, or of queries.")] = (
        None
    )
    draws: Annotated[
        int | None, Field("By default 2000 resamplings of the queries, 50 subsets of each size of a curve.")
    ] = None
    seed: Seed = SEED
    top: Annotated[int, Field("Count how often a run is among the first K.")] = TOP_RUNS


@analysis("stability", waiting="Drawing")
def answer_stability(subject: Subject, options: StabilityOptions) -> Answer:
    """How the ranks change with other queries, and the correlation with fewer queries or questions.

    Example: examboard stability demo --bank open --measure Cover@20 --tau 3

    Example: examboard stability demo --bank open --measure Cover@20 --tau 3 --curve bank-size
    """
    from exam_core.analysis.choosing import MOST_DRAWS, check_draws, check_range
    from exam_core.wings.comparing import stability

    check_draws(options.draws, options.seed)
    check_range("--top", options.top, 1, MOST_DRAWS)
    if options.reference and not options.curve:
        raise UsageError("--reference is for curves: add --curve queries or --curve bank-size, or see correlate.")
    contents, request = figures(subject, options), at_one_tau(subject, options)
    question, choice = contents.question(request), contents.evaluation(request)
    if choice is None:
        return undefined("stability", question, "draw", stability.SIZE_ROWS if options.curve else stability.RANKS)
    snapshot, progress, seed = contents.snapshot, subject.progress, options.seed
    title = f"{snapshot.collection}: stability"
    if options.curve:
        subsets = options.draws or stability.SUBSETS
        curve = stability.size_curve(snapshot, choice, of=options.curve, subsets=subsets, seed=seed, progress=progress)
        record = question | {"leaderboard": curve.title, "curve": curve.of}
        record |= attributes(curve, "subsets", "seed", "reference", "rows", "notes")
        return Answer(title, described(curve.rows, stability.SIZE_ROWS), stability.curve_lines(curve), text=record)
    result = stability.stability(snapshot, choice, draws=options.draws or DRAWS, seed=seed, top=options.top)
    record = question | {"leaderboard": result.title, **attributes(result, "draws", "seed"), "top_k": result.top}
    record |= attributes(result, "rows", "notes")
    return Answer(title, described(result.rows, stability.RANKS), stability.stability_lines(result), text=record)


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

    contents, request = figures(subject, options), at_one_tau(subject, options)
    question, result = contents.question(request), swaps_of(contents, request, width=options.bin)
    swapped = described(result.swapped, SWAPPED)
    record = question | {"leaderboard": result.title, **attributes(result, "reference", "n"), "n_pairs": result.pairs}
    record |= attributes(result, "swaps", "tied_once", "differences_of", "largest", "separable_swaps", "rows")
    record |= {"pairs": result.swapped, "notes": result.notes}
    return Answer(
        f"{subject.snapshot.collection}: pairs of runs in another order",
        swapped if options.pairs else described(result.rows, ROWS),
        swaps_lines(result),
        tables={"pairs": swapped},
        text=record,
        long=options.pairs,
    )


@dataclass(frozen=True, kw_only=True)
class WhatifOptions(Comparing):
    """What the bank would lack."""

    drop: Annotated[list[str] | None, Field("Question to drop; may be repeated.")] = None


@analysis("whatif")
def answer_whatif(subject: Subject, options: WhatifOptions) -> Answer:
    """The leaderboard, its correlation and the labels without some of the bank's questions; nothing is changed.

    Example: examboard whatif demo --bank open --tau 3 --drop demo-01/628fd44adaa81b0332edc08085040c26
    """
    from exam_core.analysis.figures import question_of
    from exam_core.analysis.other_labels import ROWS
    from exam_core.wings.comparing.whatif import whatif, whatif_lines

    contents, collection = figures(subject, options), subject.snapshot.collection
    choice = evaluation(contents, at_one_tau(subject, options), "there is no bank whose questions to edit.")
    what_if = whatif(contents.snapshot, choice, drop=options.drop or ())
    record = question_of(contents.snapshot, choice) | {
        "drop": what_if.dropped,
        "questions_before": what_if.enabled_before,
        "questions_after": what_if.enabled_after,
        "rows": what_if.rows,
        "reference": what_if.before and what_if.before.reference,
        "correlation_before": _coefficients(what_if.before),
        "correlation_after": _coefficients(what_if.after),
        **attributes(what_if, "relabelled", "notes"),
    }
    title = f"{collection}: the leaderboard with other questions"
    return Answer(title, described(what_if.rows, ROWS), whatif_lines(what_if), text=record)


def _coefficients(row: Correlated | None) -> dict[str, Any] | None:
    from exam_core.reports.json_objects import coefficients_of

    return None if row is None else {"n": row.correlation.n, **coefficients_of(row)}
