"""How ranks and correlation change with other queries or questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described, undefined
from exam_core.answers.asking import at_one_tau, figures
from exam_core.asked import Comparing, Curve, Drawn, Seed
from exam_core.declared import Field
from exam_core.defaults import SEED, TOP_RUNS
from exam_core.errors import UsageError
from exam_core.results import attributes


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
def answer(subject: Subject, options: StabilityOptions) -> Answer:
    """How the ranks and the correlation change with other queries, other questions, or fewer of them.

    Example: examboard stability demo --bank open --measure Cover@20 --tau 3 --of both

    Example: examboard stability demo --bank open --measure Cover@20 --tau 3 --curve bank-size
    """
    from exam_core.analysis.evaluation.choosing import MOST_DRAWS, check_draws, check_range
    from exam_core.wings.comparing.analysis import bank_size, leave_one_out, rank_bootstrap
    from exam_core.wings.comparing.reports import stability_lines as reports

    if sum((options.of is not None, options.curve is not None, options.leave_one_out)) > 1:
        raise UsageError("--of, --curve and --leave-one-out ask different things: choose one of them.")
    check_draws(options.draws, options.seed)
    check_range("--top", options.top, 1, MOST_DRAWS)
    held, asked = figures(subject, options), at_one_tau(subject, options)
    question, choice = held.question(asked), held.evaluation(asked)
    if choice is None:
        rows = leave_one_out.ROWS if options.leave_one_out else bank_size.ROWS if options.curve else rank_bootstrap.ROWS
        return undefined("stability", question, "draw", rows)
    snapshot, progress, seed = held.snapshot, subject.progress, options.seed
    title = f"{snapshot.collection}: stability"
    if options.leave_one_out:
        left = leave_one_out.leave_one_out(snapshot, choice, progress=progress)
        told = question | {"leaderboard": left.title}
        told |= attributes(left, "reference", "spearman", "kendall", "rows", "notes")
        lines = reports.leave_one_out_lines(left)
        return Answer(title, described(left.rows, leave_one_out.ROWS), lines, told=told, long=True)
    if options.curve:
        subsets = options.draws or bank_size.SUBSETS
        curve = bank_size.size_curve(snapshot, choice, of=options.curve, subsets=subsets, seed=seed, progress=progress)
        told = question | {"leaderboard": curve.title, "curve": curve.of}
        told |= attributes(curve, "subsets", "seed", "reference", "rows", "notes")
        return Answer(title, described(curve.rows, bank_size.ROWS), reports.curve_lines(curve), told=told)
    drawn: dict[str, Any] = {"of": options.of or "queries", "draws": options.draws, "seed": seed, "top": options.top}
    found = rank_bootstrap.stability(snapshot, choice, **drawn, progress=progress)
    told = question | {"leaderboard": found.title, **attributes(found, "of", "draws", "seed"), "top_k": found.top}
    told |= attributes(found, "reference", "rows", "correlation", "notes")
    return Answer(title, described(found.rows, rank_bootstrap.ROWS), reports.stability_lines(found), told=told)
