"""Which runs differ significantly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described, undefined
from exam_core.answers.asking import at_one_tau, figures
from exam_core.asked import DrawsAndSigns, Evaluating, PairTest, Seed
from exam_core.declared import Field
from exam_core.defaults import DRAWS, SEED
from exam_core.errors import UsageError
from exam_core.results import attributes

if TYPE_CHECKING:
    from exam_core.analysis.figures import Figures


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
def answer(subject: Subject, options: SignificanceOptions) -> Answer:
    """Which runs differ significantly: tiers, intervals of means and ranks, tests of all pairs (Holm).

    Example: examboard significance demo --bank open --measure Cover@20 --tau 3 --pairs --test randomisation

    Example: examboard significance demo --bank open --measure Cover@20 --tau 3 --baseline bm25

    Example: examboard significance mine --leaderboard official
    """
    from exam_core.analysis.evaluation.choosing import check_draws
    from exam_core.analysis.uncertainty.telling_apart import ALPHA
    from exam_core.wings.comparing.analysis.run_differences import PAIRS, ROWS, of_board, of_values, significance
    from exam_core.wings.comparing.reports.stability_lines import significance_lines

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
    from exam_core.analysis.uncertainty.telling_apart import ALPHA
    from exam_core.wings.comparing.analysis.run_differences import BASELINE, against
    from exam_core.wings.comparing.reports.stability_lines import against_lines

    if choice is None:
        return undefined("significance", question, "test", BASELINE)
    sampling: dict[str, Any] = {"test": options.test, "draws": options.draws, "seed": options.seed}
    found = against(held.snapshot, choice, str(options.baseline), **sampling)
    title = f"{held.snapshot.collection}: runs beside {options.baseline}"
    told = question | {"leaderboard": found.title, **attributes(found, "baseline", "test"), "alpha": ALPHA}
    told |= attributes(found, "draws", "seed", "rows", "notes")
    return Answer(title, described(found.rows, BASELINE), against_lines(found), told=told)
