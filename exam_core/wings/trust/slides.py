"""Slides of fidelity, circularity and votes, and their sentences."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from exam_core.aliases import in_words, with_aliases
from exam_core.analysis.contents import has_texts, is_judged, names_of
from exam_core.analysis.outliers import ALL
from exam_core.analysis.references import reference_by_query
from exam_core.analysis.uncertainty import ALPHA, CRITERIA
from exam_core.defaults import DRAWS, SEED
from exam_core.errors import UsageError
from exam_core.slides.slide import PageSlide, Slide, SlideContext
from exam_core.store import Snapshot
from exam_core.store.summary import graded_banks
from exam_core.table_text import written
from exam_core.wings.trust.circularity import Circularity
from exam_core.wings.trust.fidelity import ROWS as PAIRS
from exam_core.wings.trust.fidelity import Fidelity, fidelity, fidelity_figure
from exam_core.wings.trust.taste import BY, taste, taste_figure, taste_sentences
from exam_core.wings.trust.taste import ROWS as SIZES
from exam_core.wings.trust.votes import ROWS as VOTERS
from exam_core.wings.trust.votes import Votes, accuracy_figure, voters
from exam_core.wings.trust.votes import votes as votes_of
from exam_core.wording import RELIABILITY, counted, number, reference_in_words

WORDS = {
    "both": "both, in the same order",
    "opposite": "both, in opposite orders",
    "reference_only": "the reference alone",
    "board_only": "the grader alone",
    "neither": "neither",
}
"""By which side a pair differs significantly, as charts, tables and sentences say it."""


def fidelity_lines(result: Fidelity) -> list[str]:
    """Which pairs differ significantly by either side, and how both order the best runs, in sentences."""
    [row] = result.rows[result.rows["adjustment"] == "Holm"].to_dict("records")
    parts = [f"{row[name]:,} by {WORDS[name]}" for name in WORDS if name != "neither"]
    return [
        f"Of {counted({'pairs': row['pairs']})} of {counted({'runs': result.n})}, {row['reference']:,} "
        f"differ significantly by "
        f"{reference_in_words(result.reference)} and {row['board']:,} by {result.title} "
        f"({CRITERIA[f'{result.test}_holm']}, p < {ALPHA}, over {result.queries} queries): {'; '.join(parts)}.",
        f"Kendall's tau of the two is {written(result.kendall)} over all {result.n} runs, and "
        f"{written(result.kendall_top)} among the best {result.top} by the reference.",
    ]


def circularity_sentences(circularity: Circularity) -> list[str]:
    """What each tag's runs show by scores: all methods together where they share a measure, else how many do."""
    sentences = []
    for tag in circularity.tags:
        mine = circularity.rows[circularity.rows["tag"] == tag]
        together, each = mine[mine["method"] == ALL], mine[mine["method"] != ALL]
        if len(together) and math.isnan(together["score_displacement"].iloc[0]):
            up, down = int((each["score_low"] > 0).sum()), int((each["score_high"] < 0).sum())
            sentences.append(
                f"{_tagged_runs(together.iloc[0].to_dict())}: promoted by {up} and demoted by {down} of {len(each)} "
                "methods, by the intervals of their scores."
            )
        else:
            sentences.append(
                _displacement_sentence((together if len(together) else each).iloc[0].to_dict(), circularity.reference)
            )
    return sentences


def _displacement_sentence(row: dict[str, Any], reference: str) -> str:
    moved, low, high = (row[f"score_{name}"] for name in ("displacement", "low", "high"))
    by = "all methods together" if row["method"] == ALL else row["method"]
    if math.isnan(moved):
        return f"{_tagged_runs(row)}: the displacement by {by} is undefined."
    size = f"{_tagged_runs(row)}: {moved:+.3f} in score against {reference}, by {by}"
    if math.isnan(low):
        return f"{size}; no interval."
    verdict = "promoted" if low > 0 else "demoted" if high < 0 else "not significantly displaced"
    return f"{size}, 95% interval {low:+.3f} to {high:+.3f}: {verdict}."


def _tagged_runs(row: dict[str, Any]) -> str:
    return f"{row['tag']} ({row['n_tagged']} of {counted({'runs': row['n_tagged'] + row['n_others']})})"


EQUATION = "n / (1 + (n - 1) r), r the mean correlation of two graders' errors (Kish 1965)"


def votes_lines(result: Votes) -> list[str]:
    """How many votes they are worth, and what the majority gains, in sentences; nothing of what is unknown."""
    if not result.judged or len(result.graders) < 2:
        return []
    worth = f"{len(result.graders)} grading modes count as much as {written(result.votes, '.1f')} independent ones"
    if not math.isnan(result.votes_interval[0]):
        worth += f" (95% interval {' to '.join(written(end, '.1f') for end in result.votes_interval)})"
    accuracy = result.rows.set_index("grader")["accuracy"]
    majority, best = accuracy[result.majority], accuracy[result.best]
    gain = f"{result.gain * 100:+.1f} percentage points"
    if not math.isnan(result.gain_interval[0]):
        gain += f" (95% interval {' to '.join(f'{end * 100:+.1f}' for end in result.gain_interval)})"
    return [
        f"{worth}: {EQUATION}. Here r is {written(result.error_correlation)}, over {result.judged:,} passages of "
        f"{result.queries} queries that all of them grade and that are judged ({result.judgments}, relevant from "
        f"{result.relevant_from}).",
        f"Their majority agrees with the judgments on {majority:.1%} of the passages, the best single one, "
        f"{result.best}, on {best:.1%}: {gain}.",
    ]


def fidelity_of_pairs(context: SlideContext) -> Slide:
    """Pairs of runs by what tells them apart: the judgments, the grader, both or neither."""
    context.refuse_print()
    snapshot = context.figures.snapshot
    reference = reference_by_query(snapshot, context.request, judged=is_judged(snapshot))
    if reference is None:
        raise UsageError("Significantly different pairs need human judgments, or a reference with values by query.")
    picked = context.view.own("fidelity_mode")
    mode = picked if picked in context.view.series else context.first
    context = replace(context, view=replace(context.view, series=(mode,)))
    result = context.ask(fidelity, snapshot, context.figures.of(context.request.of(mode).but(reference=reference)))
    [row] = result.rows[result.rows["adjustment"] == "Holm"].to_dict("records")
    return Slide(
        takeaway=_fidelity_sentence(result, row, names_of(snapshot).get(mode, mode), context.at_tau),
        figure=fidelity_figure(result.rows, WORDS),
        table=result.rows,
        of=PAIRS,
        ticks={f"Kendall, {result.n} runs": result.kendall, f"Kendall, top {result.top}": result.kendall_top},
        ticks_of=f"{context.method} against {reference_in_words(result.reference)}",
        notes=tuple(in_words(note, names_of(snapshot)) for note in result.notes),
    )


def _fidelity_sentence(result: Fidelity, row: dict[str, int], grader: str, at_tau: str) -> str:
    pairs = f"{counted({'pairs': row['pairs']})} of {counted({'runs': result.n})}"
    reference = reference_in_words(result.reference)
    if not row["reference"]:
        return f"By {reference} none of {pairs} differs significantly; by {grader} {row['board']:,} do{at_tau}."
    opposite = f", and {row['opposite']:,} in the opposite order" if row["opposite"] else ""
    return (
        f"{row['reference']:,} of {pairs} differ significantly by {reference}; {grader} finds "
        f"{row['both'] or 'none'} of these{at_tau}{opposite}."
    )


def has_voters(snapshot: Snapshot) -> bool:
    """Whether several grading modes can vote, and judgments say who is right."""
    return is_judged(snapshot) and len(voters(snapshot)) > 1


def votes(context: SlideContext) -> Slide:
    """Accuracy of each grading mode and of their majority, and how many votes they are worth."""
    context.refuse_print()
    snapshot = context.figures.snapshot
    modes = context.view.address.get("voters") or voters(snapshot, context.request.bank)
    result = context.ask(votes_of, snapshot, tuple(modes), context.request)
    if len(result.graders) < 2 or not result.judged:
        raise UsageError("Counting independent graders needs several grading modes and human judgments.")
    names = names_of(snapshot)
    rows = with_aliases(result.rows, names)
    accuracy = result.rows.set_index("grader")["accuracy"]
    ends = " to ".join(number(end, ".1f") for end in result.votes_interval)
    return Slide(
        takeaway=(
            f"{len(result.graders)} grading modes count as much as {number(result.votes, '.1f')} independent ones (95% "
            f"interval {ends}); their majority is right on {accuracy[result.majority]:.1%} of {result.judged:,} "
            f"passages, {names.get(str(result.best), str(result.best))} alone on {accuracy[result.best]:.1%}."
        ),
        figure=accuracy_figure(rows),
        table=rows,
        of=VOTERS,
        ticks={"votes": result.votes, "correlation of errors": result.error_correlation},
        notes=tuple(in_words(note, names) for note in result.notes),
    )


def can_be_sized(snapshot: Snapshot) -> bool:
    """Whether judgments say which passages are alike, and texts how long they are."""
    return bool(graded_banks(snapshot)) and is_judged(snapshot) and has_texts(snapshot)


def taste_slide(context: SlideContext) -> Slide:
    """What length, or the place in a run, does to a grade at equal judgment."""
    context.refuse_print()
    snapshot, by = context.figures.snapshot, BY.get(context.view.own("taste_by"), "length")
    result = context.ask(taste, snapshot, context.choice, by, draws=DRAWS, seed=SEED)
    takeaway, *more = taste_sentences(result, snapshot)
    ticks = {"per doubling": result.slope} | ({"Kendall": result.kendall} if by == "length" else {})
    notes = (*more, *result.notes)
    return Slide(takeaway, taste_figure(result, snapshot), result.rows, SIZES, ticks, notes, ticks_of=context.mode)


SLIDES = (
    PageSlide(
        "Significantly different pairs",
        fidelity_of_pairs,
        90,
        takes=is_judged,
        part_of=RELIABILITY,
        tabs=("stability_view", ("Pairs by grades and judgments",)),
        former=("Runs told apart",),
    ),
    PageSlide("Grading modes as votes", votes, 120, takes=has_voters, part_of="Agreement"),
    PageSlide("Length", taste_slide, 125, takes=can_be_sized, part_of="Agreement", tabs=("agreement_tab", ("Length",))),
)
