"""Caveats of a leaderboard: missing grades, ties, ids that don't fit, names that are alike."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from exam_core.analysis.choice import Evaluation, LabelRule
from exam_core.analysis.values import gaps, gradebook
from exam_core.measures import Measure
from exam_core.measures.gradebook import Gradebook
from exam_core.measures.places import answers_on, counting_queries
from exam_core.names import LOOKED_AT, likeness, listed
from exam_core.readings.reasons import HELP
from exam_core.readings.unread import reasons_of
from exam_core.request import Order
from exam_core.store import Snapshot
from exam_core.store.derived_files import on_disk
from exam_core.store.scales import scale
from exam_core.store.snapshot import cached_by_snapshot

SMALL = 0.05
"""Share of unreadable answers beyond which a board says so first."""
UNREADABLE = "Unreadable:"
"""The beginning of that note."""
_UNREAD = """
SELECT answer, count(*) AS count FROM grades WHERE grader_id = ? AND grade IS NULL AND answer IS NOT NULL
GROUP BY 1 ORDER BY count DESC, answer LIMIT 1000
"""
ROUNDED = "means rounded to 4 decimals"


def about_depth(snapshot: Snapshot, choice: Evaluation, measures: Sequence[Measure] = ()) -> list[str]:
    """A note where rankings go on below the depth to which measures without an @k read them.

    By default the measure is that of the choice; all are read to the choice's depth.
    """
    whole = [measure for measure in measures or (choice.measure,) if not measure.depth and measure.info.of != "scores"]
    depth, order = choice.labelling.depth, choice.labelling.order
    if depth is None or not whole or (deepest := _deepest(snapshot, order)) <= depth:
        return []
    names, verb = " and ".join(map(str, whole)), "reads" if len(whole) == 1 else "read"
    return [
        f"{names} {verb} the first {depth} passages of each ranking; rankings here go down to rank {deepest:,}. "
        "A depth of all reads whole rankings."
    ]


@cached_by_snapshot(64)
@on_disk
def _deepest(snapshot: Snapshot, order: Order) -> int:
    """The last place of the longest ranking, as places are counted."""
    place = {"score": "rank", "rank": "source_rank"}[order]
    return int(snapshot.query(f"SELECT coalesce(max({place}), 0) AS deepest FROM rankings")["deepest"].iloc[0])


def about_few(snapshot: Snapshot, choice: Evaluation) -> list[str]:
    """A note where only some of the queries that runs answer and humans judged count; without judgments, of all.

    A board on a few queries looks like any other one.
    """
    missing, queries = _uncounted(snapshot, choice)
    if not missing:
        return []
    text = "readable label" if choice.grading.is_direct else "question that is on and has a readable grade"
    few, verb = f"{len(queries) - len(missing):,} of {len(queries):,} queries", "has" if len(missing) == 1 else "have"
    return [f"Only {few} count here: {listed(missing)} {verb} no {text}."]


def few_queries(snapshot: Snapshot, choice: Evaluation) -> tuple[int, int] | None:
    """The number of queries that count, and of all queries, where it is smaller; None where all count."""
    missing, queries = _uncounted(snapshot, choice)
    return (len(queries) - len(missing), len(queries)) if missing else None


def _uncounted(snapshot: Snapshot, choice: Evaluation) -> tuple[list[str], list[str]]:
    """The queries that do not count (an empty list where none counts), and all that runs answer and humans judged."""
    if choice.grading.series is None:
        return [], []
    book = gradebook(snapshot, choice.labelling)
    counts = counting_queries(book, needs_grades=choice.measure.info.needs_grades)
    counting = {book.query_ids[place] for place in np.flatnonzero(counts)}
    queries = _to_evaluate(snapshot)
    missing = [query for query in queries if query not in counting]
    return ([], queries) if len(missing) == len(queries) else (missing, queries)


@cached_by_snapshot(64)
@on_disk
def _to_evaluate(snapshot: Snapshot) -> list[str]:
    """The queries of the runs; where there are judgments, those of them that are judged, as a page or by facet."""
    ranked = snapshot.query("SELECT DISTINCT query_id FROM rankings ORDER BY 1")["query_id"].tolist()
    judged = set(snapshot.query("SELECT DISTINCT query_id FROM judgments")["query_id"])
    pages = judged | {query.rpartition("/")[0] for query in judged}
    known = [query for query in ranked if query in pages or query.rpartition("/")[0] in judged]
    return known if judged else ranked


def about_missing_runs(snapshot: Snapshot) -> list[str]:
    """A note on the runs and the queries' own documents that the user left out."""
    if not snapshot.left_out_in_words:
        return []
    others = " Ranks and re-normalised scores are of the other runs." if snapshot.left_out else ""
    return [f"Left out as asked: {listed(snapshot.left_out_in_words)}.{others}"]


def much_unreadable(
    snapshot: Snapshot, labelling: LabelRule, *, ranked: bool = True, needs_grades: bool = True
) -> str | None:
    """A note where more than a small share of the answers can't be read, with counts; None otherwise.

    Judgments have no such note. Raises UsageError where there is nothing to evaluate.

    Parameters
    ----------
    ranked : whether to count the passages of the rankings, or all that are graded; all, too, where there are no runs
    needs_grades : of the measure that is shown; for one that counts unreadable answers as none, any share is noted
    """
    if labelling.grading.judgments:
        return None
    book, where = gradebook(snapshot, labelling), "that it graded"
    if ranked and book.run_ids:
        missing, where = gaps(snapshot, labelling), "of these rankings"
        answers, unreadable = missing.answers, missing.unreadable
    else:
        answers, unreadable = answers_on(book)
    if unreadable <= (SMALL * answers if needs_grades else 0):
        return None
    some = "all" if unreadable == answers else f"{unreadable:,} of"
    return (
        f"{UNREADABLE} {some} {answers:,} answers of {labelling.grading.grader} on the passages {where} "
        f"({unreadable / answers:.1%}). {'It counts' if unreadable == 1 else 'They count'} as no answer; values that "
        f"rest on {'it' if unreadable == 1 else 'them'} alone are "
        f"{'undefined' if needs_grades else '0'}.{_why_unreadable(snapshot, str(labelling.grading.grader))}"
    )


def unreadable_first(notes: Sequence[str]) -> tuple[list[str], list[str]]:
    """Notes that much can't be read, which stand above a table, and the other notes, which stand below it."""
    first = [note for note in notes if note.startswith(UNREADABLE)]
    return first, [note for note in notes if note not in first]


@cached_by_snapshot(64)
def _why_unreadable(snapshot: Snapshot, grader: str) -> str:
    """The most frequent reason why answers can't be read, and what helps; empty for a grader that graded elsewhere."""
    about = snapshot.graders.get(grader, {})
    if not about.get("mode"):
        return ""
    rows = snapshot.query(_UNREAD, [grader])
    counts = reasons_of(zip(rows["answer"], rows["count"], strict=True), about, scale(snapshot, grader).largest)
    if not counts:
        return ""
    reason = max(counts, key=lambda name: (counts[name], name))
    return f" Most often: {reason}. {HELP[reason]}"


def few_answered(answered: pd.Series, n: int, what: str, *, skips: bool = False) -> list[str]:
    """A note on runs that answer few queries; none where all answer all.

    Parameters
    ----------
    answered : by run, how many of the n queries it returns something for
    what : the queries, for instance `43 graded queries`
    skips : whether the others are left out of its mean, or count 0
    """
    short = answered[answered < n].sort_values(kind="stable")
    if len(short) == 0:
        return []
    if len(short) == 1:
        (name, few), left = next(short.items()), n - int(short.iloc[0])
        others, them = (f"other {left} count", "them") if left > 1 else ("other one counts", "it")
        rule = (
            f"its mean is over {'these' if few != 1 else 'this one'} alone (--missing zero counts the others as 0)"
            if skips
            else f"the {others} 0 (--missing skip leaves {them} out)"
        )
        return [f"{name} answers {few} of {what}: {rule}."]
    rule = (
        "Each mean is over the queries that the run answers (--missing zero counts the others as 0)."
        if skips
        else "Queries that a run does not answer count 0 for it (--missing skip leaves them out)."
    )
    named = listed([f"{name} answers {few}" for name, few in short.items()])
    return [f"{len(short)} runs answer fewer than the {what}: {named}. {rule}"]


_AGAINST = """
WITH listed AS (
    SELECT run_id, query_id, arg_min(score, source_rank) < arg_max(score, source_rank) AS against
    FROM rankings WHERE rank <= $depth OR $depth IS NULL GROUP BY ALL
)
SELECT run_id, count(*) FILTER (against) AS against, count(*) AS queries FROM listed GROUP BY 1
HAVING 2 * count(*) FILTER (against) >= count(*) ORDER BY 1
"""
"""Runs that give the last rank a larger score than the first in half of their lists: distances, as a rule."""


@cached_by_snapshot(64)
@on_disk
def _against_scores(snapshot: Snapshot, depth: int | None) -> list[tuple[str, int, int]]:
    frame = snapshot.query(_AGAINST, {"depth": depth})
    return list(frame.itertuples(index=False, name=None))


def about_ranks(snapshot: Snapshot, choice: Evaluation) -> list[str]:
    """A note on runs whose ranks contradict their scores, by which passages are placed."""
    if choice.labelling.order == "rank" or not (rows := _against_scores(snapshot, choice.labelling.depth)):
        return []
    run_id, against, queries = rows[0]
    more = f" and {len(rows) - 1:,} more runs" if len(rows) > 1 else ""
    return [
        f"Ranks contradict scores in {run_id} ({against:,} of {queries:,} queries){more}, as when smaller scores are "
        "better. Passages are ranked by score, as in trec_eval; --order rank takes the ranks of the files."
    ]


def about_strangers(snapshot: Snapshot, run_ids: Sequence[str], query_ids: Collection[str], what: str) -> list[str]:
    """A note on runs that have no value, since none of their queries is evaluated, and on ids that look alike.

    `query_ids` are the evaluated queries, and `what` their words, for instance `43 graded queries`.
    """
    if not run_ids:
        return []
    rows = snapshot.query("SELECT DISTINCT query_id FROM rankings WHERE run_id = ? ORDER BY 1", [run_ids[0]])
    theirs, ours = rows["query_id"].tolist(), sorted(query_ids)
    whose = f"{run_ids[0]} has no value: none of its"
    if len(run_ids) > 1:
        whose = f"{run_ids[0]} and {len(run_ids) - 1:,} more runs have no value: none of their"
    such = f" (such as {theirs[0]}; the {what} are such as {ours[0]})" if theirs and ours else ""
    alike = likeness([name for name in theirs if name not in query_ids], ours)
    return [f"{whose} queries is one of the {what}{such}. {alike}".rstrip()]


def about_other_passages(snapshot: Snapshot, book: Gradebook, kind: str) -> list[str]:
    """A note on runs that returned passages none of which is `graded` or `judged` (the kind), and on similar ids."""
    strange = np.flatnonzero((book.slots < 0).all(axis=(0, 2)) & book.returned.any(axis=1))
    if not len(strange):
        return []
    run_id, queries = book.run_ids[strange[0]], book.returned[strange[0]] > 0
    names = [name for name, is_answered in zip(book.query_ids, queries, strict=True) if is_answered]
    sql = "SELECT DISTINCT doc_id FROM rankings WHERE run_id = ? AND list_contains(?, query_id) ORDER BY 1 LIMIT ?"
    theirs = snapshot.query(sql, [run_id, names, LOOKED_AT])["doc_id"].tolist()
    ours = pa.array(book.docs).take(pa.array(np.flatnonzero(queries[book.pair_query])[:LOOKED_AT])).to_pylist()
    more = f", nor of those of {len(strange) - 1:,} more runs" if len(strange) > 1 else ""
    return [
        f"None of the {book.returned[strange[0]].sum():,} passages of {run_id} is {kind}{more}. Its ids look like "
        f"{theirs[0]}, ids of {kind} passages like {ours[0]}. {likeness(theirs, ours)}".rstrip()
    ]
