"""Slides of fidelity, circularity and votes, and their sentences."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from exam_core.aliases import in_words, with_aliases
from exam_core.analysis.contents import is_judged, names_of
from exam_core.analysis.outliers import ALL
from exam_core.analysis.references import reference_by_query
from exam_core.analysis.uncertainty import ALPHA, CRITERIA
from exam_core.errors import UsageError
from exam_core.slides.slide import PageSlide, Slide, SlideContext
from exam_core.store import Snapshot
from exam_core.table_text import written
from exam_core.wings.trust.circularity import Circularity
from exam_core.wings.trust.fidelity import ROWS as PAIRS
from exam_core.wings.trust.fidelity import Fidelity, fidelity, fidelity_figure
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


def fidelity_lines(found: Fidelity) -> list[str]:
    """Which pairs differ significantly by either side, and how both order the best runs, in sentences."""
    [row] = found.rows[found.rows["adjustment"] == "Holm"].to_dict("records")
    parts = [f"{row[name]:,} by {WORDS[name]}" for name in WORDS if name != "neither"]
    return [
        f"Of {counted({'pairs': row['pairs']})} of {counted({'runs': found.n})}, {row['reference']:,} "
        f"differ significantly by "
        f"{reference_in_words(found.reference)} and {row['board']:,} by {found.title} "
        f"({CRITERIA[f'{found.test}_holm']}, p < {ALPHA}, over {found.queries} queries): {'; '.join(parts)}.",
        f"Kendall's tau of the two is {written(found.kendall)} over all {found.n} runs, and "
        f"{written(found.kendall_top)} among the best {found.top} by the reference.",
    ]


def circularity_sentences(found: Circularity) -> list[str]:
    """What each tag's runs show by scores: all methods together where they share a measure, else how many do."""
    sentences = []
    for tag in found.tags:
        mine = found.rows[found.rows["tag"] == tag]
        together, each = mine[mine["method"] == ALL], mine[mine["method"] != ALL]
        if len(together) and math.isnan(together["score_displacement"].iloc[0]):
            up, down = int((each["score_low"] > 0).sum()), int((each["score_high"] < 0).sum())
            sentences.append(
                f"{_who(together.iloc[0].to_dict())}: promoted by {up} and demoted by {down} of {len(each)} methods, "
                "by the intervals of their scores."
            )
        else:
            sentences.append(_sentence((together if len(together) else each).iloc[0].to_dict(), found.reference))
    return sentences


def _sentence(row: dict[str, Any], reference: str) -> str:
    moved, low, high = (row[f"score_{name}"] for name in ("displacement", "low", "high"))
    by = "all methods together" if row["method"] == ALL else row["method"]
    if math.isnan(moved):
        return f"{_who(row)}: the displacement by {by} is undefined."
    size = f"{_who(row)}: {moved:+.3f} in score against {reference}, by {by}"
    if math.isnan(low):
        return f"{size}; no interval."
    verdict = "promoted" if low > 0 else "demoted" if high < 0 else "not significantly displaced"
    return f"{size}, 95% interval {low:+.3f} to {high:+.3f}: {verdict}."


def _who(row: dict[str, Any]) -> str:
    return f"{row['tag']} ({row['n_tagged']} of {counted({'runs': row['n_tagged'] + row['n_others']})})"


EQUATION = "n / (1 + (n - 1) r), r the mean correlation of two graders' errors (Kish 1965)"


def votes_lines(found: Votes) -> list[str]:
    """How many votes they are worth, and what the majority gains, in sentences; nothing of what is unknown."""
    if not found.judged or len(found.graders) < 2:
        return []
    worth = f"{len(found.graders)} grading modes count as much as {written(found.votes, '.1f')} independent ones"
    if not math.isnan(found.votes_interval[0]):
        worth += f" (95% interval {' to '.join(written(end, '.1f') for end in found.votes_interval)})"
    accuracy = found.rows.set_index("grader")["accuracy"]
    majority, best = accuracy[found.majority], accuracy[found.best]
    gain = f"{found.gain * 100:+.1f} percentage points"
    if not math.isnan(found.gain_interval[0]):
        gain += f" (95% interval {' to '.join(f'{end * 100:+.1f}' for end in found.gain_interval)})"
    return [
        f"{worth}: {EQUATION}. Here r is {written(found.error_correlation)}, over {found.judged:,} passages of "
        f"{found.queries} queries that all of them grade and that are judged ({found.judgments}, relevant from "
        f"{found.relevant_from}).",
        f"Their majority agrees with the judgments on {majority:.1%} of the passages, the best single one, "
        f"{found.best}, on {best:.1%}: {gain}.",
    ]


def fidelity_of_pairs(told: SlideContext) -> Slide:
    """Pairs of runs by what tells them apart: the judgments, the grader, both or neither."""
    told.refuse_print()
    snapshot = told.figures.snapshot
    reference = reference_by_query(snapshot, told.asked, judged=is_judged(snapshot))
    if reference is None:
        raise UsageError("Significantly different pairs need human judgments, or a reference with values by query.")
    picked = told.view.own("fidelity_mode")
    mode = picked if picked in told.view.series else told.first
    told = replace(told, view=replace(told.view, series=(mode,)))
    found = told.ask(fidelity, snapshot, told.figures.of(told.asked.of(mode).but(reference=reference)))
    [row] = found.rows[found.rows["adjustment"] == "Holm"].to_dict("records")
    return Slide(
        takeaway=_told_apart(found, row, names_of(snapshot).get(mode, mode), told.at_tau),
        figure=fidelity_figure(found.rows, WORDS),
        table=found.rows,
        of=PAIRS,
        ticks={f"Kendall, {found.n} runs": found.kendall, f"Kendall, top {found.top}": found.kendall_top},
        ticks_of=f"{told.method} against {reference_in_words(found.reference)}",
        notes=tuple(in_words(note, names_of(snapshot)) for note in found.notes),
    )


def _told_apart(found: Fidelity, row: dict[str, int], grader: str, at_tau: str) -> str:
    pairs = f"{counted({'pairs': row['pairs']})} of {counted({'runs': found.n})}"
    reference = reference_in_words(found.reference)
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


def votes(told: SlideContext) -> Slide:
    """Accuracy of each grading mode and of their majority, and how many votes they are worth."""
    told.refuse_print()
    snapshot = told.figures.snapshot
    modes = told.view.address.get("voters") or voters(snapshot, told.asked.bank)
    found = told.ask(votes_of, snapshot, tuple(modes), told.asked)
    if len(found.graders) < 2 or not found.judged:
        raise UsageError("Counting independent graders needs several grading modes and human judgments.")
    names = names_of(snapshot)
    rows = with_aliases(found.rows, names)
    accuracy = found.rows.set_index("grader")["accuracy"]
    ends = " to ".join(number(end, ".1f") for end in found.votes_interval)
    return Slide(
        takeaway=(
            f"{len(found.graders)} grading modes count as much as {number(found.votes, '.1f')} independent ones (95% "
            f"interval {ends}); their majority is right on {accuracy[found.majority]:.1%} of {found.judged:,} "
            f"passages, {names.get(str(found.best), str(found.best))} alone on {accuracy[found.best]:.1%}."
        ),
        figure=accuracy_figure(rows),
        table=rows,
        of=VOTERS,
        ticks={"votes": found.votes, "correlation of errors": found.error_correlation},
        notes=tuple(in_words(note, names) for note in found.notes),
    )


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
)
