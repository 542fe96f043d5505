"""The analyses `across`, `repeats` and `alike`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described, undefined
from exam_core.answers.asking import at_one_tau, figures, request_of
from exam_core.declared import Every, Field
from exam_core.defaults import DRAWS, SEED
from exam_core.errors import UsageError
from exam_core.request import Bank, Comparing, Draws, Graders, Measures, Seed
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
    tau: Annotated[
        int | float | Every | None, Field("One tau, or all; by default each mode's usual one.", least=1, most=5)
    ] = None
    coefficient: Annotated[Coefficient, Field("Coefficient of the chart and the sentences.")] = "kendall"
    draws: Draws = DRAWS
    seed: Seed = SEED


@analysis("across", waiting="Comparing collections", tables="pooled values, and what a tau of another collection costs")
def answer(subject: Subject, options: AcrossOptions) -> Answer:
    """Does a grading mode hold on other collections? Coefficients of each, pooled values, and the cost of their taus.

    Modes are matched by prompt and model, or by name. Printed collections take part with what is printed.

    Example: examboard across demo --measures Cover@20,P@20 --tau all
    """
    from exam_core.analysis.choice import TAUS
    from exam_core.analysis.choosing import check_draws, restrict, usual
    from exam_core.analysis.figures import left_out
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
    store, mine = subject.store, restrict(subject.snapshot, options)
    names = [name for name in store.collections() if name != mine.collection]
    if unknown := [name for name in options.others or [] if name not in names]:
        raise UsageError(f"There is no other collection {unknown[0]}. There are: {', '.join(names) or 'none'}.")
    each = (store.snapshot(name) for name in options.others or names)
    others = comparable(other if mine.own_documents else other.without_own_documents() for other in each)
    if not others:
        raise UsageError(
            f"No other collection has grades or printed figures, and a reference, to compare {mine.collection} with. "
            "Import one, or add the papers': examboard demo"
        )
    request = usual(mine, request_of(options), options.measure)
    measures = options.measures or [request.measure]
    graders = options.graders or ([options.grader] if options.grader else [])
    taus = list(TAUS) if isinstance(options.tau, str) else [options.tau] if options.tau else []
    result = across(
        mine,
        others,
        AcrossRequest(request, measures, graders, taus),
        draws=options.draws,
        seed=options.seed,
        progress=subject.progress,
    )
    question = {"collection": mine.collection, "graders": graders or None, "measures": measures, **left_out(mine)}
    return Answer(
        f"{mine.collection} beside {', '.join(snapshot.collection for snapshot in others)}",
        described(result.rows, ROWS),
        [*across_sentences(result, options.coefficient), *result.notes],
        tables={"pooled": described(result.pooled, POOLED), "transfer": described(result.transfer, TRANSFER)},
        text=question | attributes(result, "collections", "draws", "seed", "rows", "pooled", "transfer", "notes"),
        draw=lambda: across_figure(result, options.coefficient),
        short=described(result.rows, ROWS)[list(SHORT)],
    )


@dataclass(frozen=True, kw_only=True)
class RepeatsOptions(Comparing):
    """Which repetitions are compared, and by which boards."""

    graders: Annotated[
        list[str] | None,
        Field("Repetitions, comma-separated; by default the most that have one prompt and model.", commas=True),
    ] = None
    draws: Draws = DRAWS
    seed: Seed = SEED


@analysis("repeats", waiting="Comparing repetitions")
def answer_repeats(subject: Subject, options: RepeatsOptions) -> Answer:
    """Does a grader agree with itself? Grades that were given again: agreement, drift, and the leaderboard.

    Grade again under another name: another seed, temperature or order of choices, or the same on a later day. Several
    answers of a server become repetitions from the cache: --samples 2 --samples-by last, then 3, ...

    Example: examboard repeats demo-nuggets --graders nuggetizer,lexical.pourpre-idf --measure P@20

    Example: examboard repeats mine --graders today,tomorrow --measure P@20
    """
    from exam_core.analysis.choosing import check_draws
    from exam_core.wings.judges.repeats import ROWS, repeats, repeats_figure, repeats_sentences, repetitions

    check_draws(options.draws, options.seed)
    contents, request, snapshot = figures(subject, options), at_one_tau(subject, options), subject.snapshot
    question = {"collection": snapshot.collection, "graders": options.graders, "measure": request.measure}
    if contents.in_print:
        return undefined("repeats", question, "compare", ROWS)
    names = options.graders or repetitions(contents.snapshot)
    result = repeats(
        contents.snapshot, request, names, draws=options.draws, seed=options.seed, progress=subject.progress
    )
    fields = ("graders", "tau", "queries", "alpha", "alpha_interval", "reliability", "needed", "draws", "seed", "rows")
    return Answer(
        f"{snapshot.collection}: repetitions of one grader",
        described(result.rows, ROWS),
        [*repeats_sentences(result, contents.snapshot), *result.notes],
        text=question | attributes(result, *fields, "notes"),
        draw=lambda: repeats_figure(result, contents.snapshot),
    )


@dataclass(frozen=True, kw_only=True)
class AlikeOptions:
    """Whose grades are compared."""

    bank: Bank = None
    graders: Annotated[
        list[str] | None, Field("Grading modes, two or more, comma-separated; by default all.", commas=True)
    ] = None


@analysis("alike", waiting="Comparing grading modes")
def answer_alike(subject: Subject, options: AlikeOptions) -> Answer:
    """How alike do grading modes grade? Krippendorff's alpha, Pearson, Spearman and Kendall of each pair's grades.

    Grades with decimals are compared with these; of other modes the whole grades are taken.

    Example: examboard alike demo-nuggets --graders nuggetizer,lexical.pourpre-idf
    """
    from exam_core.analysis.figures import figures_of
    from exam_core.wings.judges.alike import ROWS, alike, alike_figure, alike_sentences

    names, collection = options.graders or [], subject.snapshot.collection
    question = {"collection": collection, "graders": options.graders, "bank": options.bank}
    contents = figures_of(subject.snapshot, *names)
    if contents.in_print:
        return undefined("alike", question, "compare", ROWS)
    result = alike(contents.snapshot, names, options.bank, progress=subject.progress)
    return Answer(
        f"{collection}: how alike grading modes grade",
        described(result.rows, ROWS),
        [*alike_sentences(result, contents.snapshot), *result.notes],
        text=question | attributes(result, "graders", "bank", "alpha", "grades", "rows", "notes"),
        draw=lambda: alike_figure(result, contents.snapshot),
    )
