"""The analyses `citations`, `nuggets`, `nrp`, `nrp-expert` and `nrp-rankers`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from exam_core import request as fields
from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described
from exam_core.answers.asking import request_of
from exam_core.declared import Field
from exam_core.defaults import SEED, SHUFFLES
from exam_core.errors import UsageError
from exam_core.request import Convention, Tau
from exam_core.results import attributes

if TYPE_CHECKING:
    from exam_core.analysis.choice import LabelRule
    from exam_core.store import Snapshot

MOST_DRAWS = 100_000


@dataclass(frozen=True, kw_only=True)
class NuggetsAsked:
    """Whose grades of which bank, and which part of the runs is read."""

    bank: fields.Bank = None
    grader: fields.Grader = None
    depth: fields.Depth = fields.DEPTH
    order: fields.OrderRule = "score"
    without: fields.Without = None


@dataclass(frozen=True, kw_only=True)
class NuggetsOptions(NuggetsAsked):
    """Which of the scores are listed."""

    per_query: Annotated[bool, Field("List each query's scores, too.")] = False
    variability: Annotated[bool, Field("Show instead how the runs' order changes if other nuggets are vital.")] = False
    strict: Annotated[bool, Field("With --variability: only full support counts.")] = False
    draws: Annotated[int, Field("With --variability: shuffles of vital and okay.")] = SHUFFLES
    seed: Annotated[int, Field("Seed of the shuffles; the same seed gives the same answer.")] = SEED


def choose_grades(subject: Subject, options: NuggetsAsked) -> tuple[Snapshot, LabelRule, dict[str, Any]]:
    """Return the collection without the runs that are left out, the grades, and the question as JSON has it."""
    from exam_core.analysis.choosing import choose_labelling, leave_out
    from exam_core.analysis.figures import left_out

    snapshot = leave_out(subject.snapshot, options.without or [])
    labelling = choose_labelling(snapshot, request_of(options))
    question = {
        "collection": snapshot.collection,
        "bank": labelling.grading.bank_id,
        "grader": labelling.grading.grader,
        "depth": labelling.depth,
        **left_out(snapshot),
    }
    return snapshot, labelling, question


@analysis("nuggets", tables="each query's scores")
def answer_nuggets(subject: Subject, options: NuggetsOptions) -> Answer:
    """The six nugget scores of each run: vital, weighted and all nuggets, strict and with partial support as half.

    Other labels than support, partial_support and not_support count as not found, and are listed. Contradicted nuggets
    and nuggets to avoid are counted apart, and lower no score.

    Example: examboard nuggets demo-nuggets --grader nuggetizer

    Example: examboard nuggets rag24 --bank nuggets --per-query --format csv

    Example: examboard nuggets rag24 --variability
    """
    from exam_core.analysis.choosing import check_range
    from exam_core.wings.neighbours import nuggets
    from exam_core.wings.neighbours import slides as reports

    check_range("--draws", options.draws, 1, MOST_DRAWS)
    check_range("--seed", options.seed, 0, 2**32)
    if options.variability and options.per_query:
        raise UsageError("--variability and --per-query: choose one of them.")
    if options.strict and not options.variability:
        raise UsageError("--strict goes with --variability. The strict scores are in every table of nuggets.")
    snapshot, labelling, question = choose_grades(subject, options)
    title = f"{snapshot.collection}: nugget scores"
    if options.variability:
        effect = nuggets.importance_effect(
            snapshot, labelling, strict=options.strict, draws=options.draws, seed=options.seed
        )
        record = question | attributes(effect, "strict", "draws", "seed", "rows", "variants", "notes")
        table = described(effect.rows, nuggets.BY_IMPORTANCE)
        return Answer(title, table, reports.variability_lines(effect), text=record)
    result = nuggets.nuggets(snapshot, labelling)
    queries = described(result.queries, nuggets.QUERIES)
    return Answer(
        title,
        queries if options.per_query else described(result.rows, nuggets.RUN_SCORES),
        reports.nuggets_lines(result),
        tables={"per query": queries},
        text=question | attributes(result, "rows", "dirty", *(["queries"] if options.per_query else []), "notes"),
    )


@dataclass(frozen=True, kw_only=True)
class CitationsOptions(NuggetsAsked):
    """Which citations count, and what is listed."""

    tau: Tau = None
    cited: Annotated[
        Literal["all", "first"],
        Field("With a grader of citations: count all citations of a sentence, or only the first (as TREC RAG 2024)."),
    ] = "all"
    claims: Annotated[
        bool, Field("List every claim or citation: in JSON beside the runs, otherwise in their place.")
    ] = False


@analysis("citations", tables="every claim, or every citation")
def answer_citations(subject: Subject, options: CitationsOptions) -> Answer:
    """Do the passages that a generated text cites support its claims?

    With grades of questions, a claim is a question that a passage of the text answers. It is unknown where cited
    passages are ungraded. With a grader of citations (grade C --grader citation-support), a model rates each cited
    passage: full, partial or no support of its sentence.

    Example: examboard citations demo-nuggets --grader lexical.pourpre-idf
    """
    from exam_core.analysis.choosing import check_tau, choose_tau, leave_out
    from exam_core.analysis.figures import left_out
    from exam_core.wings.neighbours import citations

    snapshot = leave_out(subject.snapshot, options.without or [])
    title = f"{snapshot.collection}: citations"
    if grader := citations.choose_citation_grader(snapshot, options.grader):
        cited = citations.support(snapshot, grader, cited=options.cited)
        question = {"collection": snapshot.collection, "grader": grader, "cited": options.cited, **left_out(snapshot)}
        listed = described(cited.citations, citations.CITATIONS)
        return Answer(
            title,
            listed if options.claims else described(cited.rows, citations.SUPPORT_ROWS),
            cited.notes,
            tables={"citations": listed},
            text=question | attributes(cited, "rows", *(["citations"] if options.claims else []), "notes"),
        )
    check_tau(options.tau)
    snapshot, labelling, question = choose_grades(subject, options)
    tau = choose_tau(snapshot, labelling, options.tau, of_labels=False)
    result = citations.citations(snapshot, labelling, tau)
    claims = described(result.claims, citations.CLAIMS)
    return Answer(
        title,
        claims if options.claims else described(result.rows, citations.ROWS),
        result.notes,
        tables={"claims": claims},
        text=question | attributes(result, "tau", "rows", *(["claims"] if options.claims else []), "notes"),
    )


@dataclass(frozen=True, kw_only=True)
class NrpAnswerOptions:
    """Whose ranks, and how they are counted."""

    ranker: Annotated[str | None, Field("Ranker; by default the only one.")] = None
    convention: Annotated[
        Convention,
        Field(
            "1 - r/n: r from 0 and n with the answer (released), r from 1 (one-based), or n without the answer "
            "(documents)."
        ),
    ] = "released"
    systems: Annotated[bool, Field("A row for each system, over all its prompts.")] = False
    per_query: Annotated[
        bool, Field("List each query's value: in JSON beside the systems, otherwise in their place.")
    ] = False


@analysis("nrp", tables="systems over their prompts, and each query's value")
def answer_nrp(subject: Subject, options: NrpAnswerOptions) -> Answer:
    """Systems and prompts by how high their answers rank among the judged documents (NRP), with 95% intervals.

    For the interval, a query's answers are one observation.

    Example: examboard nrp demo-answers
    """
    from exam_core.wings.neighbours.nrp import QUERIES, SCORES, SYSTEMS, nrp

    if options.systems and options.per_query:
        raise UsageError("--systems and --per-query: choose one of them.")
    nrp_result = nrp(subject.snapshot, ranker=options.ranker, convention=options.convention)
    tables = {"systems": described(nrp_result.systems, SYSTEMS), "per query": described(nrp_result.queries, QUERIES)}
    record = attributes(nrp_result, "collection", "ranker", "convention")
    record |= {"rows": nrp_result.systems if options.systems else nrp_result.rows, "notes": nrp_result.notes}
    record |= {"per_query": nrp_result.queries} if options.per_query else {}
    listed = "systems" if options.systems else "per query" if options.per_query else ""
    return Answer(
        f"{subject.snapshot.collection}: normalised rank positions",
        tables.get(listed, described(nrp_result.rows, SCORES)),
        nrp_result.notes,
        tables=tables,
        text=record,
    )


@dataclass(frozen=True, kw_only=True)
class NrpExpertOptions:
    """Which orders are compared."""

    orders: Annotated[Path | None, Field("File of orders; by default those of the collection.", argument=True)] = None


@analysis("nrp-expert")
def answer_nrp_expert(subject: Subject, options: NrpExpertOptions) -> Answer:
    """How well a ranker orders answers as an expert does: RBO with p = 1 and Kendall's tau, task by task.

    Example: examboard nrp-expert demo-answers
    """
    from exam_core.table_text import written
    from exam_core.wings.neighbours.answer_files import read_orders
    from exam_core.wings.neighbours.nrp import TASKS, expert_agreement

    orders = None if options.orders is None else read_orders(options.orders)
    result = expert_agreement(subject.snapshot, orders)
    means = f"Means: RBO {result.rbo:.4f}, Kendall {written(result.kendall, '.4f')}."
    record = attributes(result, "collection", "n_tasks", "rbo", "kendall", "rows", "places", "flows", "notes")
    title = f"{subject.snapshot.collection}: rankers beside an expert"
    return Answer(title, described(result.rows, TASKS), [means, *result.notes], text=record)


@dataclass(frozen=True, kw_only=True)
class NrpRankersOptions:
    """Measure that compares rankers."""

    judgments: Annotated[
        list[str] | None, Field("Judgments of quality, comma-separated; by default all.", commas=True)
    ] = None
    measure: Annotated[str, Field("Measure that compares rankers.")] = "nDCG@10"


@analysis("nrp-rankers")
def answer_nrp_rankers(subject: Subject, options: NrpRankersOptions) -> Answer:
    """Rankers (runs of documents) by nDCG@10 over several judgments of quality, the best by their mean first.

    Example: examboard nrp-rankers demo-answers --judgments relevance
    """
    from exam_core.wings.neighbours.nrp import RANKERS, rankers

    result = rankers(subject.snapshot, qrels=options.judgments or [], measure=options.measure)
    best = [f"The best ranker by the mean is {result.best}."] if result.best else []
    record = attributes(result, "collection", "measure") | {"judgments": result.qrels}
    record |= attributes(result, "best", "rows", "notes")
    title = f"{subject.snapshot.collection}: rankers by {options.measure}"
    return Answer(title, described(result.rows, RANKERS), [*best, *result.notes], text=record)
