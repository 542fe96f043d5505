"""Pairs of runs that the grader and the judgments find different."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described, undefined
from exam_core.answers.asking import at_one_tau, figures
from exam_core.asked import Comparing, DrawsAndSigns, PairTest, Seed
from exam_core.declared import Field
from exam_core.defaults import BEST_RUNS, DRAWS, SEED
from exam_core.results import attributes


@dataclass(frozen=True, kw_only=True)
class FidelityOptions(Comparing):
    """Which pairs are tested against what, and how."""

    reference: Annotated[
        str | None,
        Field("Reference with values by query; by default the same measure over the judgments."),
    ] = None
    pairs: Annotated[bool, Field("List every pair of runs, disagreements first.")] = False
    test: Annotated[PairTest, Field("Paired test, the same on both sides.")] = "t"
    top: Annotated[int, Field("Kendall's tau among the K best runs by the reference.")] = BEST_RUNS
    draws: DrawsAndSigns = DRAWS
    seed: Seed = SEED


@analysis("fidelity", tables="every pair, disagreements first")
def answer(subject: Subject, options: FidelityOptions) -> Answer:
    """Pairs of runs that differ significantly by judgments, by grades or by both, and in which order.

    A test of every pair on both sides, with Holm's adjustment over all pairs and without.

    Example: examboard fidelity demo --bank open --measure P@20 --tau 3
    """
    from exam_core.analysis.evaluation.choosing import MOST_DRAWS, check_draws, check_range
    from exam_core.analysis.evaluation.references import usual_reference
    from exam_core.analysis.uncertainty.telling_apart import ALPHA
    from exam_core.wings.trust.analysis.significance_fidelity import PAIRS, ROWS, fidelity
    from exam_core.wings.trust.charts.decided_pairs import fidelity_figure
    from exam_core.wings.trust.reports.trust_sentences import WORDS, fidelity_lines

    check_draws(options.draws, options.seed)
    check_range("--top", options.top, 2, MOST_DRAWS)
    held, asked = figures(subject, options), at_one_tau(subject, options)
    question, table = held.question(asked), PAIRS if options.pairs else ROWS
    choice = held.evaluation(asked)
    if choice is None:
        return undefined("fidelity", question, "test", table)
    choice = replace(choice, reference=choice.reference or usual_reference(held.snapshot, choice, asked))
    sampling: dict[str, Any] = {"test": options.test, "draws": options.draws, "seed": options.seed}
    found = fidelity(held.snapshot, choice, **sampling, top=options.top)
    told = question | {"leaderboard": found.title, **attributes(found, "reference", "test"), "alpha": ALPHA}
    told |= attributes(found, "draws", "seed", "n") | {"n_queries": found.queries}
    told |= attributes(found, "kendall", "top", "kendall_top", "rows", "notes", *(["pairs"] if options.pairs else []))
    return Answer(
        f"{subject.snapshot.collection}: significantly different runs by {found.title} and {found.reference}",
        described(found.pairs if options.pairs else found.rows, table),
        [*fidelity_lines(found), *found.notes],
        tables={"pairs": described(found.pairs, PAIRS)},
        told=told,
        draw=lambda: fidelity_figure(found.rows, WORDS),
        long=options.pairs,
    )
