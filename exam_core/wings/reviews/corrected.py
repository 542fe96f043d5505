"""The leaderboard as humans would grade: corrected means, their chart, and the limits of their intervals."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from exam_core.analysis.choice import Evaluation
from exam_core.analysis.figures import Figures
from exam_core.analysis.shared_columns import RUN
from exam_core.charts.chart_layout import QUIET, axis, bars, colour, one_a_line, size_layout, with_description
from exam_core.charts.leaderboard_lines import escape_name, on_axis
from exam_core.errors import UsageError
from exam_core.measures.gradebook import Gradebook
from exam_core.numbers.arrays import Bools, Floats
from exam_core.numbers.rank_correlations import mean_rank
from exam_core.request import RELEVANT_FROM, Request
from exam_core.results import ResultTable, attributes, decimal, rank
from exam_core.store import Snapshot
from exam_core.store.snapshot import cached_by_snapshot
from exam_core.wings.reviews.estimates import CorrectedMeans, Sampled, corrected_means
from exam_core.wings.reviews.queue import TAKEN_BACK
from exam_core.wings.reviews.records import Reviews
from exam_core.wings.reviews.review import Review, newest, standing
from exam_core.wings.reviews.sampling import Lists, lists_of, places, readable
from exam_core.wording import counted, plain_number, quoted, texts_come


def countable(book: Gradebook, choice: Evaluation, rows: Iterable[Review]) -> tuple[list[Review], list[str]]:
    """Return the reviews that a correction can use, and notes on the others."""
    relevance = [review for review in standing(rows) if review.task == "relevance"]
    drawn = [review for review in relevance if review.probability and review.drawn]
    deep = [review for review in drawn if _reaches(review.stratum, choice.measure.depth or book.depth)]
    notes = []
    if lost := len(relevance) - len(drawn):
        notes.append(
            f"{counted({'reviews have': lost})} no probability, or no number of items that were drawn: "
            "they are left out here, and count for agreement."
        )
    if lost := len(drawn) - len(deep):
        notes.append(
            f"{counted({'reviews were': lost})} drawn from shorter lists than {choice.measure} looks at: left out."
        )
    if shown := sum(review.shown for review in deep):
        notes.append(f"{shown:,} of {len(deep):,} reviews were made with the model's grade in view.")
    return deep, notes


def _reaches(stratum: str | None, needed: int | None) -> bool:
    """Return whether reviews were drawn from lists that are long enough; an unknown length is taken to be."""
    words = (stratum or "").split()
    length = plain_number(words[1]) if len(words) > 1 and words[0] == "first" else None
    return length is None or (needed is not None and length >= needed)


def sampled_by(book: Gradebook, reviews: Sequence[Review], relevant_from: int) -> Sampled:
    """Return the answered passages: each queue's share of a passage, its reviewers' answers as one."""
    pairs = places(book, {(review.query_id, review.doc_id or "") for review in reviews})
    answers: dict[tuple[str, str, str], list[bool]] = defaultdict(list)
    chances: dict[tuple[str, str, str], float] = {}
    for review in reviews:
        key = (queue_of(review), review.query_id, review.doc_id or "")
        answers[key].append((review.answer or 0) >= relevant_from)
        chances[key] = (review.probability or 1.0) / (review.drawn or 1)
    # A passage that no run holds any more adds nothing, and its place in the sample is kept.
    known = [(pairs.get((query, doc), -1), key) for key in answers for _, query, doc in [key]]
    items = np.array([place for place, _ in known], int)
    # m of n: whoever stopped early answered a random part. Several queues are as one of all their answers.
    weights = np.array([1 / (chances[key] * len(known)) for _, key in known])
    shares = np.array([np.mean(answers[key]) for _, key in known])
    people = np.array([len(answers[key]) for _, key in known], int)
    inside: Bools = items >= 0
    return Sampled(items[inside], shares[inside], np.maximum(weights[inside], 1.0), people[inside])


def queue_of(review: Review) -> str:
    """Return the name of a review's draw; of one without, its sampler, seed and number of items."""
    return review.queue_id or f"{review.sampler} {review.seed} {review.drawn}"


MOST = 5
"""Largest sum of weights, in passages of the lists: chance alone makes no larger one."""
ERRORS, SHARE = 4, 0.05
"""Missing passages are mentioned from so many standard errors, and from this share of the passages on."""


def fitting(snapshot: Snapshot, lists: Lists, sampled: Sampled) -> list[str]:
    """Return a note if the reviews are no sample of the lists, since runs or grades came later.

    The weights of a sample add up to about as many passages as it was drawn from. Raises UsageError where the
    probabilities can't be right.
    """
    weights = sampled.weights
    graded = len(lists.book.grades)
    if weights.sum() > MOST * graded:
        raise UsageError(
            f"By their probabilities, the reviews were drawn from about {weights.sum():,.0f} passages, but there are "
            f"{graded:,}.\n"
            "Check the columns probability and drawn of the reviews that were imported, or undo that import."
        )
    inside = (lists.book.held_by > 0) & readable(snapshot, lists.book)
    values = weights * inside[sampled.items]
    error = np.sqrt(len(values) * values.var() + weights.max() ** 2)
    count = int(inside.sum())
    if count - values.sum() <= max(ERRORS * error, SHARE * count):
        return []
    return [
        f"The reviews cover about {values.sum():,.0f} of the {count:,} passages of the lists. The others, of runs or "
        "grades that came later, could not be drawn, and count as predicted: draw another queue."
    ]


ONCE = (
    "No passage was answered by two people, so intervals leave out that people err: of 800 reviews with 10% to 20% "
    "wrong answers they held the truth in 90% to 93% of simulations. Draw queues with a share for all (--shared)."
)
BY_DISAGREEMENT = (
    "A queue was drawn by disagreement: intervals from such queues held the truth in 88% to 95% of simulated "
    "campaigns. Draw by gain for a corrected leaderboard."
)


def limits(
    lists: Lists,
    choice: Evaluation,
    rows: Iterable[Review],
    counted: Sequence[Review],
    sampled: Sampled,
    means: CorrectedMeans,
) -> list[str]:
    """Return notes on people's errors, skipped passages, and queues of hard cases."""
    several = sampled.several
    agreed = np.isin(sampled.answers[several], (0, 1)).sum()
    sentences = [
        f"{several.sum():,} of {len(several):,} passages were answered by two people or more, who disagree on "
        f"{several.sum() - agreed:,}: intervals allow for so many errors in all answers."
    ]
    if np.isnan(means.mistakes):
        sentences = [ONCE]
    sentences += _about_skipped(lists, choice, rows, counted)
    if any(review.sampler == "disagreement" for review in counted):
        sentences.append(BY_DISAGREEMENT)
    return sentences


def _about_skipped(lists: Lists, choice: Evaluation, rows: Iterable[Review], counted: Sequence[Review]) -> list[str]:
    """Return how many passages were skipped and never answered, by the grader's label and grade."""
    answered_keys = {(review.query_id, review.doc_id or "") for review in counted}
    skipped_keys = {
        (review.query_id, review.doc_id or "")
        for review in newest(rows)
        if review.task == "relevance" and review.answer is None and review.skipped not in (None, TAKEN_BACK)
    }
    answered, skipped = (
        np.array([*places(lists.book, keys).values()], int) for keys in (answered_keys, skipped_keys - answered_keys)
    )
    if not len(skipped):
        return []
    labels = lists.book.labels(choice.labelling.label_rank)
    values = np.concatenate([answered, skipped])
    parts = []
    for name, relevant in (("relevant", True), ("not relevant", False)):
        alike, theirs = (labels[items][(labels[items] >= choice.tau) == relevant] for items in (values, skipped))
        by_grade = [
            f"{(theirs == grade).sum():,} of {(alike == grade).sum():,} with grade {grade}"
            for grade in np.unique(theirs)
        ]
        grades = f" ({', '.join(by_grade)})" if by_grade else ""
        parts.append(f"{len(theirs):,} of {len(alike):,} labelled {name}{grades}")
    return [
        f"{len(skipped):,} of {len(values):,} passages were skipped: {'; '.join(parts)}. They count as not drawn: if "
        "people skip relevant passages more often than others, corrected means are too low, and answers can't show it."
    ]


FEWEST = 30
"""Least reviewed passages of a correction: intervals of fewer hold the truth less often than they claim."""
UNSETTLED = 0.25
"""From this pull of corrections to the common one on, reviews don't settle the order, and it is the grader's.

On DL19 that is where the order by best guess begins to be nearer to the humans' than the grader's: between 200 and 400
reviews (`bench reviews`)."""
_LISTED = 5
"""Queues that are listed."""
TOGETHER = (
    "Where the run's interval {}, made to hold all runs at once in 95 of 100 campaigns; intervals of each run alone "
    "do so in about half of them."
)
ROWS = ResultTable(
    "reviews: corrected leaderboard",
    "Runs with estimated means by human grades, best first",
    RUN,
    decimal("mean", "By the grader", "The mean by the grader's labels, as on the leaderboard.", "score"),
    decimal(
        "corrected",
        "Corrected",
        "Estimated mean by human grades: the mean by calibrated grades plus the weighted mean of human minus grade.",
        "score",
        source="Angelopoulos et al. 2023 (PPI++); Särndal, Swensson & Wretman 1992, chapter 6",
    ),
    decimal("corrected_low", "From", "Lower end of the run's own 95% interval.", "score"),
    decimal("corrected_high", "To", "Upper end of the run's own 95% interval.", "score"),
    decimal("all_low", "From, all runs at once", TOGETHER.format("begins"), "score", source="Westfall & Young 1993"),
    decimal("all_high", "To, all runs at once", TOGETHER.format("ends"), "score", source="Westfall & Young 1993"),
    decimal(
        "shrunk",
        "Best guess",
        "The grader's mean plus a correction that is shrunk towards the common one. With few reviews, nearer to the "
        "truth than the corrected mean.",
        "score",
        source="Efron & Morris 1975",
    ),
    rank(
        "rank",
        "Rank",
        "Rank by the best guess where reviews settle the order, else by the grader's mean; ties share their mean rank.",
        "rank",
    ),
    rank("grader_rank", "Rank by the grader", "Rank of the mean by the grader's labels.", "rank"),
)


@dataclass(frozen=True)
class Corrected:
    """A leaderboard that reviews correct; `rows` are `ROWS`, best first.

    Parameters
    ----------
    n : passages that were answered; `n_several` by several people
    n_reviews : answers
    design : sampling of the passages, in words
    pulled : from 0 to 1, how far corrections are pulled to the common one
    tuning : from 0 to 1, how much of the grades is used
    settled : whether the order by reviews is better than the grader's
    level : common correction: minus the average error of the grader's means
    mistakes : variance of an answer among people; NaN where no passage was answered twice
    """

    measure: str
    rows: pd.DataFrame = field(repr=False)
    n: int
    n_reviews: int
    reviewers: int
    design: str
    pulled: float
    tuning: float
    settled: bool
    level: float
    n_several: int
    mistakes: float
    notes: tuple[str, ...] = ()

    @property
    def half_width(self) -> float:
        """Half the intervals' mean width."""
        return float((self.rows["corrected_high"] - self.rows["corrected_low"]).mean() / 2)

    @property
    def half_width_all(self) -> float:
        """Half the mean width of the intervals of all runs at once."""
        return float((self.rows["all_high"] - self.rows["all_low"]).mean() / 2)

    def as_object(self) -> dict[str, Any]:
        """Return the facts on reviews as JSON has them."""
        fields = attributes(self, "n", "n_reviews", "reviewers", "design", "tuning", "pulled")
        fields |= {"order_settled": self.settled, "correction": self.level}
        fields |= attributes(self, "half_width", "half_width_all") | {"answered_by_several": self.n_several}
        return fields | {"mistakes": None if np.isnan(self.mistakes) else self.mistakes}


@cached_by_snapshot(32)
def corrected(
    snapshot: Snapshot, choice: Evaluation, reviews: Reviews, relevant_from: int = RELEVANT_FROM
) -> Corrected:
    """The leaderboard of a choice as humans would grade; an answer of at least `relevant_from` is relevant.

    Raises UsageError where the measure is no sum over passages, or there are too few reviews of known probability.
    """
    lists = lists_of(snapshot, choice)
    counted, notes = countable(lists.book, choice, reviews.rows)
    notes = [*reviews.damaged, *notes]
    sampled = sampled_by(lists.book, counted, relevant_from)
    n = len(np.unique(sampled.items))
    if n < FEWEST:
        left_out = "".join(f"\n{note}" for note in notes)
        raise UsageError(
            f"{n} passages of {snapshot.collection} were drawn and reviewed for relevance; a corrected leaderboard "
            f"needs {FEWEST}. Draw and answer a queue of relevance in the tabs Queues and Review. Or in a terminal: "
            f"examboard review queue {quoted(snapshot.collection)}{left_out}"
        )
    notes += fitting(snapshot, lists, sampled)
    means = correct(lists, sampled)
    notes += limits(lists, choice, reviews.rows, counted, sampled, means)
    settled = means.pulled < UNSETTLED
    rows = _rows(lists, means, ordering_scores(lists, means))
    return Corrected(
        str(choice.measure),
        rows,
        n,
        len(counted),
        len({review.reviewer for review in counted}),
        _design(counted),
        means.pulled,
        means.tuning,
        settled,
        float((rows["shrunk"] - rows["mean"]).mean()),
        int(sampled.several.sum()),
        means.mistakes,
        (*notes, *_notes(snapshot, lists, settled, n)),
    )


def corrected_boards(figures: Figures, request: Request, taus: Sequence[int], reviews: Reviews) -> list[Corrected]:
    """Return the corrected leaderboard for each tau in `taus`; for that of the request where there is none.

    Raises UsageError where only printed figures exist, the measure can't be corrected, or there are too few reviews.
    """
    choice = figures.evaluation(request)
    if choice is None:
        raise UsageError(f"{figures.snapshot.collection} has printed figures only: there are no lists to review.")
    choices = [replace(choice, tau=tau) for tau in taus] or [choice]
    return [corrected(figures.snapshot, at_tau, reviews, request.relevant_from) for at_tau in choices]


def correct(lists: Lists, sampled: Sampled) -> CorrectedMeans:
    """Return corrected means of lists by a sample."""
    calibration = lists.calibrated(sampled)
    return corrected_means(lists.parts(sampled.items, calibration.everywhere), calibration, sampled, lists.grader)


def ordering_scores(lists: Lists, means: CorrectedMeans) -> Floats:
    """(R,) scores that order the runs: the best guess, or the grader's means where reviews don't settle the order."""
    return means.shrunk if means.pulled < UNSETTLED else lists.grader


def _rows(lists: Lists, means: CorrectedMeans, scores: Floats) -> pd.DataFrame:
    # No mean is below 0, or above that of a list all of which is relevant; cut there, each is nearer to the truth.
    most = np.einsum("krq,rq->r", lists.slots >= 0, lists.adds)
    all_low, all_high = means.together()
    rows = pd.DataFrame(
        {
            "run_id": lists.book.run_ids,
            "mean": lists.grader,
            "corrected": np.clip(means.mean, 0, most),
            "corrected_low": np.clip(means.low, 0, most),
            "corrected_high": np.clip(means.high, 0, most),
            "all_low": np.clip(all_low, 0, most),
            "all_high": np.clip(all_high, 0, most),
            "shrunk": np.clip(means.shrunk, 0, most),
            "rank": mean_rank(scores),
            "grader_rank": mean_rank(lists.grader),
        }
    )
    return rows.sort_values(["rank", "run_id"], ignore_index=True)


def _design(reviews: Sequence[Review]) -> str:
    queues: dict[str, Review] = {}
    counts: Counter[str] = Counter()
    for review in reviews:
        queues.setdefault(queue_of(review), review)
        counts[queue_of(review)] += 1
    sentences = []
    for key, queue in queues.items():
        how = "uniformly" if queue.sampler == "uniform" else f"by {queue.sampler or 'known probabilities'}"
        seed = "" if queue.seed is None else f" (seed {queue.seed})"
        sentences.append(f"{queue.drawn:,} drawn {how}{seed}, {counted({'answers': counts[key]})}")
    more = len(sentences) - _LISTED
    return "; ".join([*sentences[:_LISTED], *([f"and {more:,} more"] if more > 0 else [])])


def _notes(snapshot: Snapshot, lists: Lists, settled: bool, n: int) -> list[str]:
    notes = []
    if not settled:
        notes.append(
            f"{n:,} reviewed passages don't settle the order: the runs' corrections differ too little beyond chance. "
            "The order is the grader's; the scores are corrected."
        )
    graded = float((lists.slots >= 0).mean(axis=(0, 2)).mean())
    if graded < 1:
        notes.append(
            f"{1 - graded:.0%} of the ranked passages have no grade: they count as not relevant, as on the leaderboard."
        )
    ranked = np.unique(lists.slots[lists.slots >= 0])
    if silent := int((~readable(snapshot, lists.book)[ranked]).sum()):
        notes.append(
            f"{silent:,} passages of the lists have no text and can't be reviewed: they count as predicted. "
            f"{texts_come(snapshot.collection)}"
        )
    return notes


ROW = 22
"""Height of a run's line in pixels."""


def corrected_figure(rows: pd.DataFrame, measure: str) -> go.Figure:
    """Draw each run's corrected mean with its interval, the best guess, and the grader's mean.

    `rows` has run_id, mean, corrected, corrected_low, corrected_high, shrunk; best first.
    """
    places = list(range(len(rows)))
    names = [escape_name(name) for name in rows["run_id"]]
    figure = go.Figure()
    figure.add_scatter(
        x=rows["corrected"],
        y=places,
        error_x=bars(
            *(rows[name] for name in ("corrected", "corrected_low", "corrected_high")),
            thickness=4,
            width=0,
            color=QUIET,
        ),
        mode="markers",
        name="corrected, 95% interval",
        marker={"symbol": "line-ns-open", "size": 14, "line": {"width": 2}, "color": colour(0)},
        customdata=list(zip(names, rows["corrected_low"], rows["corrected_high"], strict=True)),
        hovertemplate="%{customdata[0]}<br>corrected %{x:.3f}<br>95%: %{customdata[1]:.3f} to %{customdata[2]:.3f}"
        "<extra></extra>",
    )
    for name, column, symbol, place in (
        ("best guess", "shrunk", "diamond", 2),
        ("by the grader", "mean", "circle-open", 1),
    ):
        figure.add_scatter(
            x=rows[column],
            y=places,
            mode="markers",
            name=name,
            marker={"symbol": symbol, "size": 8, "color": colour(place), "line": {"width": 2}},
            customdata=names,
            hovertemplate=f"%{{customdata}}<br>{name} %{{x:.3f}}<extra></extra>",
        )
    figure.update_layout(
        size_layout(140 + ROW * len(rows), above=1.0),
        xaxis=axis(measure),
        yaxis=one_a_line(on_axis(rows["run_id"]), showgrid=False),
    )
    best = rows.iloc[0]
    width = float((rows["corrected_high"] - rows["corrected_low"]).mean() / 2)
    return with_description(
        figure,
        f"{measure} of {counted({'runs': len(rows)})} as humans would grade (± {width:.3f} on average), beside "
        f"the grader's. {best['run_id']} leads with {best['shrunk']:.3f}; the grader gives it {best['mean']:.3f}.",
    )
