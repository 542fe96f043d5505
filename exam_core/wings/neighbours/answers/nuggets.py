"""The six nugget scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from exam_core import asked
from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described
from exam_core.answers.asking import asked_of
from exam_core.declared import Field
from exam_core.defaults import SEED, SHUFFLES
from exam_core.errors import UsageError
from exam_core.results import attributes

if TYPE_CHECKING:
    from exam_core.analysis.evaluation.choice import LabelRule
    from exam_core.store import Snapshot

MOST_DRAWS = 100_000


@dataclass(frozen=True, kw_only=True)
class NuggetsAsked:
    """Whose grades of which bank, and what is read of the runs."""

    bank: asked.Bank = None
    grader: asked.Grader = None
    depth: asked.Depth = asked.DEPTH
    order: asked.OrderRule = "score"
    without: asked.Without = None


@dataclass(frozen=True, kw_only=True)
class NuggetsOptions(NuggetsAsked):
    """What of the scores is asked."""

    per_query: Annotated[bool, Field("List each query's scores, too.")] = False
    variability: Annotated[bool, Field("Show instead how the runs' order changes if other nuggets are vital.")] = False
    strict: Annotated[bool, Field("With --variability: only full support counts.")] = False
    draws: Annotated[int, Field("With --variability: shuffles of vital and okay.")] = SHUFFLES
    seed: Annotated[int, Field("Seed of the shuffles; the same seed gives the same answer.")] = SEED


def chosen(subject: Subject, options: NuggetsAsked) -> tuple[Snapshot, LabelRule, dict[str, Any]]:
    """The collection without the runs that are left out, the grades, and the question as it was asked."""
    from exam_core.analysis.evaluation.choosing import choose_labelling, leave_out
    from exam_core.analysis.figures.graded_figures import left_out

    snapshot = leave_out(subject.snapshot, options.without or [])
    labelling = choose_labelling(snapshot, asked_of(options))
    question = {
        "collection": snapshot.collection,
        "bank": labelling.grading.bank_id,
        "grader": labelling.grading.grader,
        "depth": labelling.depth,
        **left_out(snapshot),
    }
    return snapshot, labelling, question


@analysis("nuggets", tables="each query's scores")
def answer(subject: Subject, options: NuggetsOptions) -> Answer:
    """The six nugget scores of each run: vital, weighted and all nuggets, strict and with partial support as half.

    Other labels than support, partial_support and not_support count as not found, and are listed. Contradicted nuggets
    and nuggets to avoid are counted apart, and lower no score.

    Example: examboard nuggets demo-nuggets --grader nuggetizer

    Example: examboard nuggets rag24 --bank nuggets --per-query --format csv

    Example: examboard nuggets rag24 --variability
    """
    from exam_core.analysis.evaluation.choosing import check_range
    from exam_core.wings.neighbours.analysis import importance, nuggets
    from exam_core.wings.neighbours.reports import answer_sentences as reports

    check_range("--draws", options.draws, 1, MOST_DRAWS)
    check_range("--seed", options.seed, 0, 2**32)
    if options.variability and options.per_query:
        raise UsageError("--variability and --per-query: choose one of them.")
    if options.strict and not options.variability:
        raise UsageError("--strict goes with --variability. The strict scores are in every table of nuggets.")
    snapshot, labelling, question = chosen(subject, options)
    title = f"{snapshot.collection}: nugget scores"
    if options.variability:
        drawn: dict[str, Any] = {"strict": options.strict, "draws": options.draws, "seed": options.seed}
        effect = importance.importance_effect(snapshot, labelling, **drawn)
        told = question | attributes(effect, "strict", "draws", "seed", "rows", "variants", "notes")
        return Answer(title, described(effect.rows, importance.ROWS), reports.variability_lines(effect), told=told)
    found = nuggets.nuggets(snapshot, labelling)
    queries = described(found.queries, nuggets.QUERIES)
    return Answer(
        title,
        queries if options.per_query else described(found.rows, nuggets.ROWS),
        reports.nuggets_lines(found),
        tables={"per query": queries},
        told=question | attributes(found, "rows", "dirty", *(["queries"] if options.per_query else []), "notes"),
    )
