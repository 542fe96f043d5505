"""Slides of generated answers: their nuggets, and how high they rank."""

from __future__ import annotations

from exam_core.aliases import in_words
from exam_core.analysis.contents.display_names import names_of
from exam_core.errors import UsageError
from exam_core.slides.slide import PageSlide, Slide, Told
from exam_core.wings.neighbours.analysis.experts import expert_agreement, stored_orders
from exam_core.wings.neighbours.analysis.needs import has_nuggets
from exam_core.wings.neighbours.analysis.nrp_scores import ROWS as RANKED
from exam_core.wings.neighbours.analysis.nrp_scores import nrp, options_in
from exam_core.wings.neighbours.analysis.nuggets import ROWS as SCORES
from exam_core.wings.neighbours.analysis.nuggets import are_nuggets, nuggets
from exam_core.wings.neighbours.analysis.ranked import NO_RANKS, rankers_of
from exam_core.wings.neighbours.charts.answer_ranks import strip_figure
from exam_core.wings.neighbours.charts.nugget_scores import scores_figure
from exam_core.wings.neighbours.measures.effectiveness.rank_position import CONVENTIONS
from exam_core.wings.neighbours.reports.answer_sentences import highest, most_vital


def nugget_scores(told: Told) -> Slide:
    """The scores of each run by its nuggets."""
    if not told.of_grades:
        raise UsageError("Nugget scores need grades: choose a measure of grades, in a collection that has them.")
    snapshot, labelling = told.figures.snapshot, told.choice.labelling
    names = names_of(snapshot)
    grader = names.get(told.first, told.first)
    if not told.ask(are_nuggets, snapshot, labelling):
        raise UsageError(
            f"{grader} does not grade from 0 to 2, and the bank marks no question as vital or okay, so "
            "there are no nuggets to score."
        )
    found = told.ask(nuggets, snapshot, labelling)
    rows = told.shown(found.rows)
    return Slide(
        takeaway=most_vital(rows),
        figure=scores_figure(rows),
        table=rows,
        of=SCORES,
        notes=tuple(in_words(note, names) for note in found.notes),
        chosen=f"{snapshot.collection}, bank {labelling.grading.bank}, graded by {grader}, depth {labelling.depth}",
    )


def ranked_answers(told: Told) -> Slide:
    """How high each system's answers rank among the judged documents of their query."""
    snapshot = told.figures.snapshot
    known = told.ask(rankers_of, snapshot)
    if not known:
        raise UsageError(NO_RANKS.format(snapshot.collection))
    options = options_in(told.asked.measure)
    ranker = (options.ranker if options else told.view.own("generated_ranker")) or known[0]
    convention = options.convention if options else told.view.own("generated_convention", CONVENTIONS[0])
    found = told.ask(nrp, snapshot, ranker=ranker, convention=convention)
    systems, prompts = found.systems["system"].tolist(), sorted(found.rows["prompt"].unique())
    return Slide(
        takeaway=highest(found),
        figure=strip_figure(found.queries, found.rows, systems, prompts),
        table=found.rows,
        of=RANKED,
        ticks=_with_expert(told),
        notes=tuple(found.notes),
        chosen=(
            f"{snapshot.collection}, ranked by {ranker}, convention {convention}; a small mark is a query, a large one "
            "the mean with its 95% interval"
        ),
    )


def _with_expert(told: Told) -> dict[str, float]:
    snapshot = told.figures.snapshot
    if not told.ask(stored_orders, snapshot):
        return {}
    found = told.ask(expert_agreement, snapshot)
    return {"RBO with expert": found.rbo, "Kendall with expert": found.kendall}


ROWS = (
    PageSlide("Nuggets", nugget_scores, 40, takes=has_nuggets),
    PageSlide("Generated answers", ranked_answers, 50, takes=lambda snapshot: bool(rankers_of(snapshot))),
)
