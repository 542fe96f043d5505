"""The analysis `across`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described
from exam_core.answers.asking import request_of
from exam_core.declared import Every, Field
from exam_core.defaults import DRAWS, SEED
from exam_core.errors import UsageError
from exam_core.request import Comparing, Draws, Graders, Measures, Seed
from exam_core.results import attributes

Coefficient = Literal["kendall", "spearman", "tau_ap_b", "kappa"]


@dataclass(frozen=True, kw_only=True)
class AcrossOptions(Comparing):
    """Which collections and modes are compared, and how."""

    others: Annotated[
        list[str] | None, Field("Other collections, comma-separated; by default all that can be compared.", commas=True)
    ] = None
    graders: Graders = None
    measures: Measures = None
    tau: Annotated[int | Every | None, Field("One tau, or all; by default each mode's usual one.", least=1, most=5)] = (
        None
    )
    coefficient: Annotated[Coefficient, Field("Coefficient of the chart.")] = "kendall"
    draws: Draws = DRAWS
    seed: Seed = SEED


@analysis("across", waiting="Comparing collections", tables="pooled values, and what a tau of another collection costs")
def answer(subject: Subject, options: AcrossOptions) -> Answer:
    """Does a grading mode hold on other collections? Coefficients of each, pooled values, and the cost of their taus.

    Modes are matched by prompt and model, or by name. Printed collections take part with what is printed.

    Example: examboard across demo --measures Cover@20,P@20 --tau all
    """
    from exam_core.analysis.choice import TAUS
    from exam_core.analysis.choosing import check_draws, usual
    from exam_core.wings.judges.across import (
        POOLED,
        ROWS,
        SHORT,
        TRANSFER,
        AcrossRequest,
        across,
        across_figure,
        across_sentences,
        comparable,
    )

    check_draws(options.draws, options.seed)
    store, mine = subject.store, subject.snapshot
    names = [name for name in store.collections() if name != mine.collection]
    if unknown := [name for name in options.others or [] if name not in names]:
        raise UsageError(f"There is no other collection {unknown[0]}. There are: {', '.join(names) or 'none'}.")
    others = comparable(store.snapshot(name) for name in options.others or names)
    if not others:
        raise UsageError(
            f"No other collection has grades or printed figures, and a reference, to compare {mine.collection} with. "
            "Import one, or add the papers': examboard demo"
        )
    request = usual(mine, request_of(options), options.measure)
    measures = options.measures or [request.measure]
    graders = options.graders or ([options.grader] if options.grader else [])
    taus = list(TAUS) if options.tau == "all" else [options.tau] if options.tau else []
    result = across(
        mine,
        others,
        AcrossRequest(request, measures, graders, [int(tau) for tau in taus]),
        draws=options.draws,
        seed=options.seed,
        progress=subject.progress,
    )
    question = {"collection": mine.collection, "graders": graders or None, "measures": measures}
    return Answer(
        f"{mine.collection} beside {', '.join(snapshot.collection for snapshot in others)}",
        described(result.rows, ROWS),
        [*across_sentences(result), *result.notes],
        tables={"pooled": described(result.pooled, POOLED), "transfer": described(result.transfer, TRANSFER)},
        text=question | attributes(result, "collections", "draws", "seed", "rows", "pooled", "transfer", "notes"),
        draw=lambda: across_figure(result, options.coefficient),
        short=described(result.rows, ROWS)[list(SHORT)],
        of=ROWS,
    )
