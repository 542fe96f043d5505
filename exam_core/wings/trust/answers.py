"""The analyses `circularity`, `fidelity`, `taste` and `votes`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from exam_core import request as fields
from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described, undefined
from exam_core.answers.asking import at_one_tau, figures
from exam_core.declared import Field
from exam_core.defaults import BEST_RUNS, DRAWS, SEED
from exam_core.request import (
    Comparing,
    Draws,
    DrawsAndSigns,
    Evaluating,
    Graders,
    Measures,
    PairTest,
    Reference,
    Request,
    Seed,
)
from exam_core.results import attributes
from exam_core.tables import OFFICIAL


@dataclass(frozen=True, kw_only=True)
class CircularityOptions(Evaluating):
    """Which tagged runs are looked at, by which methods, against what."""

    tag: Annotated[
        list[str] | None, Field("Only runs with this tag; may be repeated. By default every tag but groups.")
    ] = None
    graders: Graders = None
    measures: Measures = None
    reference: Reference = None
    draws: Draws = DRAWS
    seed: Seed = SEED


@analysis("circularity")
def answer_circularity(subject: Subject, options: CircularityOptions) -> Answer:
    """Is the grader biased towards some runs? Displacement of tagged against other runs, with 95% intervals.

    By every method and by all together. Runs are tagged with `tags`.

    Example: examboard circularity demo --measures P@20 --reference qrels:P@20
    """
    from exam_core.analysis.choosing import check_draws
    from exam_core.analysis.outliers import method_choices
    from exam_core.wings.trust.circularity import ROWS, circularity, circularity_figure
    from exam_core.wings.trust.slides import circularity_sentences

    check_draws(options.draws, options.seed)
    contents, request = figures(subject, options, *(options.graders or [])), at_one_tau(subject, options)
    measures = options.measures or [request.measure]
    graders = options.graders or ([options.grader] if options.grader else [])
    collection = subject.snapshot.collection
    question = {"collection": collection, "bank": request.bank, "graders": graders or None, "measures": measures}
    question |= attributes(request, "judgments", "tau", "depth", "label_rank")
    if contents.in_print:
        return undefined("circularity", question, "leave out", ROWS)
    choices, notes = method_choices(contents.snapshot, request, measures, graders)
    result = circularity(contents.snapshot, choices, options.tag or [], draws=options.draws, seed=options.seed)
    result.notes.extend(notes)
    return Answer(
        f"{collection}: displacement of tagged runs against {result.reference}",
        described(result.rows, ROWS),
        [*circularity_sentences(result), *result.notes],
        text=question | attributes(result, "reference", "tags", "draws", "seed", "rows", "notes"),
        draw=lambda: circularity_figure(result.rows, result.reference),
    )


@dataclass(frozen=True, kw_only=True)
class TasteOptions(Evaluating):
    """Whose grades are looked at, and by what."""

    by: Annotated[Literal["length", "position"], Field("Words of the passage, or its first place in a run.")] = "length"
    reference: Reference = None
    draws: Draws = DRAWS
    seed: Seed = SEED


@analysis("taste", tables="displacement of the runs of the grader's family")
def answer_taste(subject: Subject, options: TasteOptions) -> Answer:
    """Has a grader a taste? Grades by length or place at equal judgment, the leaderboard at equal length, own family.

    Runs are of its family if they have a tag that says so, or that names its model.

    Example: examboard taste demo --bank open

    Example: examboard taste demo --bank open --by position
    """
    from exam_core.analysis.choosing import check_draws
    from exam_core.wings.trust.circularity import ROWS as FAMILY
    from exam_core.wings.trust.slides import circularity_sentences
    from exam_core.wings.trust.taste import ROWS, own_family, taste, taste_figure, taste_sentences

    check_draws(options.draws, options.seed)
    contents, request = figures(subject, options), at_one_tau(subject, options)
    question, choice = contents.question(request), contents.evaluation(request)
    if choice is None:
        return undefined("taste", question, "look at", ROWS)
    result = taste(contents.snapshot, choice, options.by, draws=options.draws, seed=options.seed)
    family = own_family(contents.snapshot, choice, draws=options.draws, seed=options.seed)
    fields = ("by", "queries", "passages", "slope", "slope_interval", "kendall", "kendall_interval", "mover", "places")
    return Answer(
        f"{subject.snapshot.collection}: grades by {options.by} at equal judgment",
        described(result.rows, ROWS),
        [
            *taste_sentences(result, contents.snapshot),
            *(f"Own family: {sentence}" for sentence in (circularity_sentences(family) if family else [])),
            *result.notes,
        ],
        tables={"family": described(family.rows, FAMILY)} if family else {},
        text=question | attributes(result, *fields, "draws", "seed", "rows", "notes"),
        draw=lambda: taste_figure(result, contents.snapshot),
    )


@dataclass(frozen=True, kw_only=True)
class FidelityOptions(Comparing):
    """Which pairs are tested against what, and how."""

    reference: Annotated[
        str | None, Field("Reference with values by query; by default the same measure over the judgments.")
    ] = None
    pairs: Annotated[bool, Field("List every pair of runs, disagreements first.")] = False
    test: Annotated[PairTest, Field("Paired test, the same on both sides.")] = "t"
    top: Annotated[int, Field("Kendall's tau among the K best runs by the reference.")] = BEST_RUNS
    draws: DrawsAndSigns = DRAWS
    seed: Seed = SEED


@analysis("fidelity", tables="every pair, disagreements first")
def answer_fidelity(subject: Subject, options: FidelityOptions) -> Answer:
    """Pairs of runs that differ significantly by judgments, by grades or by both, and in which order.

    A test of every pair on both sides, with Holm's adjustment over all pairs and without.

    Example: examboard fidelity demo --bank open --measure P@20 --tau 3
    """
    from exam_core.analysis.choosing import MOST_DRAWS, check_draws, check_range
    from exam_core.analysis.references import usual_reference
    from exam_core.analysis.uncertainty import ALPHA
    from exam_core.wings.trust.fidelity import PAIRS, ROWS, fidelity, fidelity_figure
    from exam_core.wings.trust.slides import WORDS, fidelity_lines

    check_draws(options.draws, options.seed)
    check_range("--top", options.top, 2, MOST_DRAWS)
    contents, request = figures(subject, options), at_one_tau(subject, options)
    question, table = contents.question(request), PAIRS if options.pairs else ROWS
    choice = contents.evaluation(request)
    if choice is None:
        return undefined("fidelity", question, "test", table)
    choice = replace(choice, reference=choice.reference or usual_reference(contents.snapshot, choice, request))
    sampling: dict[str, Any] = {"test": options.test, "draws": options.draws, "seed": options.seed}
    result = fidelity(contents.snapshot, choice, **sampling, top=options.top)
    record = question | {"leaderboard": result.title, **attributes(result, "reference", "test"), "alpha": ALPHA}
    record |= attributes(result, "draws", "seed", "n") | {"n_queries": result.queries}
    record |= attributes(
        result, "kendall", "top", "kendall_top", "rows", "notes", *(["pairs"] if options.pairs else [])
    )
    return Answer(
        f"{subject.snapshot.collection}: significantly different runs by {result.title} and {result.reference}",
        described(result.pairs if options.pairs else result.rows, table),
        [*fidelity_lines(result), *result.notes],
        tables={"pairs": described(result.pairs, PAIRS)},
        text=record,
        draw=lambda: fidelity_figure(result.rows, WORDS),
        long=options.pairs,
    )


IN_JSON = (
    *("graders", "judgments", "relevant_from", "passages", "judged", "queries", "error_correlation", "votes"),
    *("votes_interval", "best", "majority", "gain", "gain_interval", "draws", "seed", "rows", "pairs"),
    "notes",
)


@dataclass(frozen=True, kw_only=True)
class VotesOptions:
    """Who votes, and on what."""

    graders: Annotated[
        list[str] | None,
        Field(
            "Grading modes, comma-separated, each with its threshold if not the default: Sun,Thomas@2. By default "
            "those of the bank's questions, or of whole passages if these are more.",
            commas=True,
        ),
    ] = None
    bank: fields.Bank = None
    label_rank: fields.LabelRank = 1
    relevant_from: fields.RelevantFrom = fields.RELEVANT_FROM
    judgments: fields.AgainstJudgments = OFFICIAL
    pairs: Annotated[bool, Field("List every pair of graders.")] = False
    draws: fields.Draws = DRAWS
    seed: fields.Seed = SEED


@analysis("votes", waiting="Reading grades", tables="every pair of graders")
def answer_votes(subject: Subject, options: VotesOptions) -> Answer:
    """How independent are the graders? Their agreement, the correlation of their errors, the gain of a majority.

    Each grader's labels become two classes at its default tau, one below its scale's end, or at another one that
    stands behind its name: FagB@2.

    Example: examboard votes demo --bank open --relevant-from 1

    Example: examboard votes dl19 --graders FagB,HELM,Sun,Thomas
    """
    from exam_core.analysis.choosing import check_draws
    from exam_core.analysis.figures import figures_of
    from exam_core.wings.trust.slides import votes_lines
    from exam_core.wings.trust.votes import PAIRS, ROWS, accuracy_figure, voters, votes

    check_draws(options.draws, options.seed)
    graders, collection = options.graders or [], subject.snapshot.collection
    wanted = Request(bank=options.bank, label_rank=options.label_rank, relevant_from=options.relevant_from)
    contents = figures_of(subject.snapshot, *graders)
    if contents.in_print:
        return undefined("votes", {"collection": collection}, "vote on", PAIRS if options.pairs else ROWS)
    result = votes(
        contents.snapshot,
        graders or voters(contents.snapshot, options.bank),
        wanted,
        judgments=options.judgments,
        draws=options.draws,
        seed=options.seed,
        progress=subject.progress,
    )
    pairs = described(result.pairs, PAIRS)
    return Answer(
        f"{collection}: {len(result.graders)} grading modes that vote",
        pairs if options.pairs else described(result.rows, ROWS),
        [*votes_lines(result), *result.notes],
        tables={"pairs": pairs},
        text={"collection": collection} | attributes(result, *IN_JSON),
        draw=(lambda: accuracy_figure(result.rows)) if result.judged else None,
    )
