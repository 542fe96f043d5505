"""Holes: places of the rankings that have no grade, and how much a score could gain if they were filled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from exam_core.analysis.choice import AS_BANKED, Evaluation, Grading
from exam_core.analysis.choosing import no_judgments
from exam_core.analysis.contents import counting
from exam_core.analysis.grade_scales import about_scales, scale_of
from exam_core.analysis.leaderboard import ROWS as BOARD
from exam_core.analysis.leaderboard import title
from exam_core.analysis.scope import scope_of
from exam_core.analysis.shared_columns import RUN
from exam_core.analysis.values import book_as_read, gradebook, no_runs
from exam_core.errors import UsageError
from exam_core.measures import Measure
from exam_core.measures.effectiveness.ndcg import gained
from exam_core.measures.gradebook import HOLE, NOTHING, Gradebook, Labels
from exam_core.measures.marks import mapped
from exam_core.measures.places import Places, places_of
from exam_core.measures.sweep import sweep
from exam_core.numbers.arrays import Floats, Ints
from exam_core.numbers.means import mean_and_stderr
from exam_core.progress import Progress, no_progress, part_of
from exam_core.results import ResultTable, decimal, number, share
from exam_core.store import Snapshot
from exam_core.store.summary import qrels_ids
from exam_core.tables import UNGRADED, UNREADABLE

DEPTHS = (1, 5, 10, 20)
NOT_REACHED = ("gain", "perfect")
"""Upper bounds that no filling reaches, by how a measure declares them (`MeasureInfo.filled`)."""

_RANKS = "share of the filled ranks"
ROWS = ResultTable(
    "holes: rows",
    "For each run and depth, the share of its filled ranks without a grade, and the bounds of its score",
    RUN,
    number("depth", "Depth", "Passages of each ranking that are looked at.", "passages"),
    BOARD["n_queries"],
    replace(BOARD["unanswered"], help="Queries for which the run returned nothing; they count 0 and are not ungraded."),
    share("ungraded", "Ungraded", "Ranks down to this depth whose passage has no answer of the grader.", _RANKS),
    share("left_out", "Left out", "Ranks down to this depth that the run's file left out.", _RANKS),
    share("unreadable", "Unreadable", "Ranks down to this depth whose passage has no readable answer.", _RANKS),
    share("holes", "No grade", "Ungraded, left out and unreadable together.", _RANKS),
    share(
        "unjudged",
        "Unjudged",
        "Ranks down to this depth whose passage has no human judgment; NaN without judgments.",
        _RANKS,
    ),
    share(
        "empty",
        "Not filled",
        "Ranks down to this depth, over the queries that count, at which the run returned no passage; the other "
        "columns are shares of the filled ranks.",
        "share of all ranks",
    ),
    decimal(
        "lower",
        "At least",
        "The score if ungraded passages answer nothing. It is the score as computed, but queries with unreadable "
        "answers alone count 0 here; the leaderboard leaves them out.",
        "score",
    ),
    decimal("upper", "At most", "The score if every ungraded passage had the grade that serves the run best.", "score"),
    decimal("range", "Range", "Distance of the two bounds.", "score"),
)


@dataclass(frozen=True)
class Holes:
    """Bounds of scores: `rows` are `ROWS`; `judgments` are those that `unjudged` looks at, None where there are none.

    `exact` says whether `upper` can be reached; if not, it is a bound that no filling exceeds.
    """

    title: str
    exact: bool
    judgments: str | None
    rows: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def holes(
    snapshot: Snapshot,
    choice: Evaluation,
    depths: Sequence[int] = (),
    *,
    judgments: str | None = None,
    progress: Progress = no_progress,
) -> Holes:
    """Where a run's passages have no grade, and what its score would be at least and at most if they had.

    `measures.places` says what is a hole. The lower bound fills each with a passage that is worth nothing. It is the
    score as computed, but for queries that rest on unreadable answers alone, which the board leaves out and which count
    here. The upper bound fills each with the passage that serves the run best, every hole with another one, while
    passages without a grade that the run does not return down to that depth stay worth nothing:

    - Cover, wCover, nugget scores: it answers every question. One hole is enough for 1
    - nCover, StRecall, ERR_IA: it answers what is answerable, or everything where nothing is
    - P, RR, R, Success, Judged, SetP, SetR, SetF: every hole is relevant; it counts among a query's relevant passages
    - AP, Rprec: the first j holes are relevant, for the best j. More need not be better, because the sum is divided
      by the number of relevant passages, and for any number of them the first places are the best
    - nDCG: conservative. The holes' largest gains over the ideal of the passages that are graded, 1 at most
    - Bpref, alpha_nDCG: conservative. 1 wherever there is a hole

    Places that a file left out are appended to the ranking, up to its depth: what it lists moved up when it was cut,
    and where the others stood isn't known. A question without a readable grade on a passage that has other grades is no
    hole and stays unanswered in both bounds. `depths`: at which depths; a measure with @k is read at that k. By default
    1, 5, 10, 20 and the choice's own, up to that; all that is read where rankings are uncut. `judgments`: for the share
    that is unjudged; None takes `official`, or the first there are. Raises UsageError: no runs, or a depth that is not
    read.

    Source: residuals of rank-biased precision in Moffat & Zobel 2008, carried over to these measures.
    """
    book = gradebook(snapshot, choice.labelling)
    if not book.run_ids:
        raise UsageError(no_runs(snapshot))
    known = qrels_ids(snapshot)
    judged_by = judgments or (known[0] if known else None)
    if judged_by and judged_by not in known:
        raise UsageError(no_judgments(snapshot, judged_by))
    frames = []
    numbers = depths_of(choice, book, depths)
    for place, depth in enumerate(numbers):
        frames.append(_shares(snapshot, choice, depth, judged_by, part_of(progress, place, len(numbers))))
        progress((place + 1) / len(numbers))
    rows = pd.concat(frames, ignore_index=True)
    exact = choice.measure.info.filled not in NOT_REACHED and not choice.measure.judged_only
    scope = scope_of(snapshot, choice)
    notes = scope.about_unreadable() + _notes(snapshot, choice, book, judged_by, exact=exact)
    notes += about_scales(snapshot, choice) + scope.about_unanswered()
    return Holes(title(choice), exact, judged_by, rows, notes)


def depths_of(choice: Evaluation, book: Gradebook, depths: Sequence[int]) -> list[int]:
    """The depths that are looked at, ascending. Raises UsageError where one of them is not read."""
    deepest = choice.labelling.depth or max(len(book.slots), 1)
    wrong = [depth for depth in depths if not 1 <= depth <= deepest]
    if wrong:
        more = ", or raise --depth" if choice.labelling.depth else f": no ranking has more than {deepest} passages"
        raise UsageError(f"--depths {wrong[0]}: choose 1 to {deepest}{more}.")
    own = choice.measure.depth or deepest
    return sorted(set(depths) or {own, *(depth for depth in DEPTHS if depth <= deepest)})


@dataclass(frozen=True)
class _Read:
    """The rankings down to one depth: what is there, and which places are holes.

    `choice` is the one whose book was read. `slots` (K, R, Q) has HOLE at every hole; `measure` is read at this depth;
    `largest` is the largest grade that the grader gives.
    """

    choice: Evaluation
    book: Gradebook
    measure: Measure
    slots: npt.NDArray[np.int32]
    places: Places
    largest: int

    @property
    def number(self) -> Ints:
        """(R, Q) how many holes each ranking has."""
        return (self.slots == HOLE).sum(axis=0)


def _shares(
    snapshot: Snapshot, choice: Evaluation, depth: int, judged_by: str | None, progress: Progress
) -> pd.DataFrame:
    read = _read(snapshot, choice, depth)
    lower = _values(read.book, choice, read.measure)
    upper = np.where(read.number > 0, np.fmax(lower, _filled(read, choice, progress)), lower)
    counted = counting(snapshot, choice)
    n = counted.sum(axis=1)
    places = read.places
    unjudged = _unjudged(snapshot, read, judged_by) if judged_by else np.full(counted.shape, np.nan)
    low, high = (mean_and_stderr(np.where(counted, values, np.nan))[0] for values in (lower, upper))
    columns = {
        "run_id": read.book.run_ids,
        "depth": depth,
        "n_queries": n,
        "unanswered": scope_of(snapshot, choice).unanswered.sum(axis=1),
        **{kind: places.shares(getattr(places, kind), counted) for kind in ("ungraded", "left_out", "unreadable")},
        "holes": places.shares(places.holes, counted),
        "unjudged": places.shares(unjudged, counted),
        "empty": 1 - (places.filled & counted).sum(axis=(0, 2)) / np.where(n > 0, n * float(depth), np.nan),
        "lower": low,
        "upper": high,
        "range": high - low,
    }
    return ROWS.of(columns)


def _read(snapshot: Snapshot, choice: Evaluation, depth: int) -> _Read:
    """The rankings down to a depth, as the measure reads them, with their holes."""
    if choice.measure.depth:
        choice = replace(choice, measure=replace(choice.measure, depth=depth))
    choice = choice.as_read
    measure = choice.measure
    deepest = measure.depth or depth
    book = book_as_read(snapshot, choice)
    places = places_of(book, deepest)
    slots = book.slots[:deepest]
    padded = np.pad(slots, ((0, len(places.holes) - len(slots)), (0, 0), (0, 0)), constant_values=NOTHING)
    observed = int(book.grades.max(initial=1))
    largest = observed if choice.grading.judgments else max(scale_of(snapshot, choice.grading.grader), observed)
    filled = np.where(places.holes, np.int32(HOLE), padded)
    return _Read(choice, replace(book, slots=slots, depth=depth), measure, filled, places, largest)


def _unjudged(snapshot: Snapshot, read: _Read, judged_by: str) -> Ints:
    """(R, Q) returned passages within depth that have no human judgment."""
    places = len(read.book.slots)
    returned = (read.book.slots != NOTHING).sum(axis=0)
    theirs = gradebook(snapshot, replace(read.choice.labelling, grading=Grading(judgments=judged_by), asking=AS_BANKED))
    known = pd.Index(theirs.query_ids).get_indexer(pd.Index(read.book.query_ids))
    judged = (theirs.slots[:places] >= 0).sum(axis=0)[:, np.maximum(known, 0)]
    return np.where(known >= 0, returned - judged, returned)


def _values(book: Gradebook, choice: Evaluation, measure: Measure) -> Floats:
    """(R, Q) the least that values of a measure can be; NaN where a query is not `counted`."""
    rank, label_map = choice.labelling.label_rank, choice.labelling.label_map
    values = sweep(book, [measure], taus=(choice.level,), label_rank=rank, label_map=label_map, at_least=True)
    return values[0, 0]


def _filled(read: _Read, choice: Evaluation, progress: Progress) -> Floats:
    """(R, Q) the most that the rankings with holes could be worth; what it says of others doesn't count."""
    filled, number = read.measure.info.filled, read.number
    if not number.any() or filled == "perfect" or read.measure.judged_only:
        return np.ones(number.shape)
    if filled == "gain":
        return _most_gain(read, choice)
    if read.measure.info.of == "questions":
        return _values(_with_passages(read, _best_answers(read, choice), 1), choice, read.measure)
    passage = np.where(read.book.enabled, best_grade(read.largest, choice), UNGRADED).astype(np.int8)
    most = int(number.max())
    if filled not in ("some relevant", "all relevant"):
        return _values(_with_passages(read, passage, most), choice, read.measure)
    best = np.zeros(number.shape)
    for relevant in range(1, most + 1):
        wanted = number >= relevant if filled == "some relevant" else number == relevant
        if wanted.any():
            values = _values(_with_passages(read, passage, relevant), choice, read.measure)
            best = np.where(wanted, np.fmax(best, values), best)
        progress(relevant / most)
    return best


def _with_passages(read: _Read, passage: Labels, number: int) -> Gradebook:
    """The gradebook where so many more passages of each query are at the first holes of each ranking.

    `passage`: (Q, S) grades of the passages that are added under each query. `number`: how many; where a question
    measure asks what is answered, one serves all holes.
    """
    book, queries = read.book, len(read.book.query_ids)
    # pairs are sorted by query: each query's new pairs come behind its own
    order = np.argsort(np.r_[book.pair_query, np.repeat(np.arange(queries), number)], kind="stable")
    moved = np.empty(len(order), np.int32)
    moved[order] = np.arange(len(order), dtype=np.int32)
    old = len(book.grades)
    graded = read.slots >= 0
    slots = np.where(graded, moved[np.maximum(read.slots, 0)], read.slots)
    hole = read.slots == HOLE
    which = np.cumsum(hole, axis=0) - 1
    if read.measure.info.of == "questions":
        which = np.zeros_like(which)
    taken = hole & (which < number)
    added = moved[old + np.arange(queries) * number + np.where(taken, which, 0)]
    docs = pa.concat_arrays([pa.array(book.docs), pa.nulls(queries * number, pa.string())])
    return replace(
        book,
        docs=docs.take(pa.array(order)),
        pair_query=np.r_[book.pair_query, np.repeat(np.arange(queries, dtype=np.int32), number)][order],
        grades=np.vstack([book.grades, np.repeat(passage, number, axis=0)])[order],
        slots=np.where(taken, added, slots).astype(np.int32),
    )


def best_grade(largest: int, choice: Evaluation) -> int:
    """The grade whose label is largest: the largest grade, or the one that the label map favours."""
    grades = np.arange(largest + 1, dtype=np.int8)
    labels = mapped(grades, choice.labelling.mapping)
    return int(grades[np.flatnonzero(labels == labels.max())[-1]])


def _best_answers(read: _Read, choice: Evaluation) -> Labels:
    """(Q, S) grades of the passage that serves a measure of questions best."""
    book = read.book
    wanted = book.enabled
    if read.measure.info.filled == "answerable":
        answerable = np.zeros_like(wanted)
        np.logical_or.at(answerable, book.pair_query, book.grades >= choice.cut)
        answerable &= wanted
        wanted = np.where(answerable.any(axis=1, keepdims=True), answerable, wanted)
    return np.where(wanted, read.largest, UNGRADED).astype(np.int8)


def _most_gain(read: _Read, choice: Evaluation) -> Floats:
    """(R, Q) nDCG with the largest gain at every hole, over the ideal of the graded passages; 1 at most."""
    depth = read.measure.depth or len(read.slots)
    discounts = 1 / np.log2(np.arange(2, len(read.slots) + 2))[:, None, None]
    dcg = read.measure.options.dcg
    grade = np.array([best_grade(read.largest, choice)], np.int8)
    largest = gained(mapped(grade, choice.labelling.mapping), dcg)[0]
    holes_gain = ((read.slots[:depth] == HOLE) * discounts[:depth]).sum(axis=0) * largest
    rank = choice.labelling.label_rank
    decimal = read.measure.of_decimals and read.book.decimals is not None
    labels = read.book.decimal_labels(rank) if decimal else mapped(read.book.labels(rank), choice.labelling.mapping)
    gains = gained(labels, dcg)
    ideal = np.zeros(len(read.book.query_ids))
    for query in range(len(ideal)):
        best = np.sort(gains[read.book.pair_query == query])[::-1][: read.measure.depth]
        ideal[query] = (best / np.log2(np.arange(2, len(best) + 2))).sum()
    shares = holes_gain / np.where(ideal > 0, ideal, 1)
    raised = np.where(ideal > 0, _values(read.book, choice, read.measure) + shares, 1.0)
    return np.minimum(raised, 1.0)


def _notes(snapshot: Snapshot, choice: Evaluation, book: Gradebook, judged_by: str | None, *, exact: bool) -> list[str]:
    notes = []
    if judged_by is None:
        notes.append(f"{snapshot.collection} has no human judgments: the number of unjudged passages is undefined.")
    if not exact:
        notes.append(f"The upper bound of {choice.heading} is conservative: perhaps no grades can reach it.")
    if book.has_questions:
        mask = book.enabled[book.pair_query]
        partly = ((book.grades <= UNREADABLE) & mask).any(axis=1) & (book.best > UNREADABLE)
        if partly.any():
            notes.append(
                f"{int(partly.sum()):,} graded passages lack a readable grade on some question; they count as graded."
            )
    return notes
