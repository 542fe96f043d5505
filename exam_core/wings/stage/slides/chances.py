"""Slides of what chance leaves open: other taus, other queries, other questions, and the judges."""

from __future__ import annotations

import math
from typing import Any, cast

from exam_core.analysis.contents.requirements import is_graded
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.judges import matrices
from exam_core.charts import agreement_matrices as cells
from exam_core.slides.slide import PageSlide, Slide, Told
from exam_core.wording import counted, cut_in_words, number


def agreement(told: Told) -> Slide:
    """Labels against human judgments, one by one where there are more than two."""
    named = next((one for one in matrices.NAMED_CUTS if one.name == told.view.own("agreement_cut")), None)
    at: dict[str, Any] = {"tau": named.tau, "relevant_from": named.relevant_from} if named else {}
    figures, who = told.figures, told.mode.partition(" (tau")[0]
    if printed := figures.in_print:
        bank = told.view.own("agreement_table") or printed.table_of(told.view.series)
        who = f"The grader of {bank}"
        found = told.ask(printed.nearest_agreement, told.asked.but(bank=bank, **at))
    else:
        asked = told.asked.of(told.first).but(label_map=told.view.own("label_map") or None, **at)
        choice = cast(Evaluation, figures.of(asked.but(label_rank=named.label_rank) if named else asked))
        of_labels = {"tau": choice.tau, "label_rank": choice.labelling.label_rank, "reference": None}
        found = told.ask(figures.agreement, asked.but(**of_labels))
    graded = matrices.is_graded(found)
    shown = matrices.graded_cells(found) if graded else matrices.binary_cells(found)
    low, high = found.kappa_interval or (math.nan, math.nan)
    cut = cut_in_words(found.tau, found.relevant_from, found.label_rank or 1)
    ends = f" (95% interval {low:.2f} to {high:.2f})" if found.kappa_interval else ""
    return Slide(
        takeaway=(
            f"{who} and the judges agree with a kappa of {number(found.kappa)}{ends} on "
            f"{counted({'passages': found.n})} (relevant: {cut})."
        ),
        figure=cells.counts_figure(shown, cuts=matrices.above(found) if graded else None),
        table=matrices.with_sums(shown),
        of=matrices.sums_of(shown),
        ticks_of=who,
        ticks={"kappa": found.kappa, "precision": found.precision, "recall": found.recall, "F1": found.f1},
        notes=(*found.notes, *found.scale_notes),
    )


ROWS = (PageSlide("Agreement", agreement, 110, takes=is_graded),)
