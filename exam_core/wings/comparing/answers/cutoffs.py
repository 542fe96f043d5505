"""Every tau of a measure, and which to use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described
from exam_core.answers.asking import figures, several
from exam_core.asked import RankingAsked
from exam_core.declared import Field
from exam_core.defaults import DRAWS, SEED, SPLITS

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
def answer(subject: Subject, options: CutoffsOptions) -> Answer:
    """Every tau of a measure side by side, and which to use, by cross-validation over the queries.

    Columns: correlation with the reference, standard errors, separable pairs of runs, kappa with official judgments,
    missing grades. With --tau N, that tau is compared with the recommended one.

    Example: examboard cutoffs demo --bank open --measure Cover@20 --reference qrels:nDCG@10 --draws 200
    """
    from exam_core.analysis.evaluation.choosing import check_range
    from exam_core.defaults import Sampling
    from exam_core.wings.comparing.analysis.of_figures import cutoffs_of
    from exam_core.wings.comparing.analysis.tau_comparison import CUTOFFS
    from exam_core.wings.comparing.reports.tau_table import advice_in_full

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
