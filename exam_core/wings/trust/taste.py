"""Whether a grader has a taste: its grades against length or place at equal judgment, and runs of its own family."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from exam_core.analysis.choice import Evaluation
from exam_core.analysis.choosing import no_judgments
from exam_core.analysis.references import find_reference
from exam_core.charts.chart_layout import axis, bars, size_layout, with_description
from exam_core.errors import UsageError
from exam_core.numbers.arrays import Floats, Ints
from exam_core.numbers.rank_correlations import correlations, mean_rank
from exam_core.numbers.resampling import bootstrap_counts, jackknife_interval, percentile_interval
from exam_core.results import ResultTable, count, decimal, number, signed
from exam_core.store import Snapshot
from exam_core.store.cells import ALL_PLACES, RANKED
from exam_core.store.names import BankRef
from exam_core.store.summary import alias_of, qrels_ids
from exam_core.tables import OFFICIAL
from exam_core.tags import SAME_FAMILY
from exam_core.wings.trust.circularity import Circularity, circularity
from exam_core.wording import counted

By = Literal["length", "position"]
BY: dict[str, By] = {"Length of the passage": "length", "Place in the runs": "position"}
"""What sways a grader, as the page calls it."""
FEWEST = 5
"""Queries below which a note says that intervals say little."""
STEPS = 41
"""Slopes within their interval of which leaderboards at equal length are made."""
_GRADED = r"""
WITH graded AS (
    SELECT query_id, doc_id, avg(coalesce(decimal, grade)) AS grade FROM grades
    WHERE grader_id = $grader AND grade IS NOT NULL
        AND ($bank IS NULL OR question_id IN (SELECT question_id FROM questions WHERE bank_id = $bank))
    GROUP BY ALL
), sized AS ({sizes})
SELECT query_id, doc_id, grade, relevance, size
FROM graded JOIN sized USING ({key})
LEFT JOIN (SELECT query_id, doc_id, relevance FROM judgments WHERE qrels_id = $qrels) USING (query_id, doc_id)
ORDER BY query_id, doc_id
"""
_WORDS = r"""
SELECT doc_id, len(string_split_regex(trim(passage_text), '\s+')) AS size FROM passages WHERE trim(passage_text) != ''
"""
_PLACES = "SELECT query_id, doc_id, min(place) AS size FROM ({ranked}) GROUP BY ALL"
SIGHTED = (
    "A grader that reads one passage at a time does not know its place. What shows here is then relevance that the "
    "judgments do not distinguish."
)
ROWS = ResultTable(
    "taste: rows",
    "Mean grades by the length of the passage, or by its first place in a run, at equal judgment of the same query",
    number("least", "From", "Smallest number of words, or first place.", "words or places"),
    number("most", "To", "Largest number of words, or last place.", "words or places"),
    count("passages", "Passages", "Judged passages between these.", "passages"),
    signed("grade", "Δ grade", "Mean grade minus that of passages with the same query and judgment.", "grades"),
    decimal("low", "95% from", "Percentiles over resampled queries."),
    decimal("high", "to", "Percentiles over resampled queries."),
)


@dataclass(frozen=True)
class Taste:
    """What length or place does to a grader's grades: `rows` are `ROWS`.

    Parameters
    ----------
    slope, slope_interval : grades that a passage of twice the length or place gets more, at equal judgment
    kendall, kendall_interval : of the runs' mean grades as they are and at equal length, over the interval of the slope
        with runs and queries as they are; NaN of places
    mover, places : the run that moves most, and by how many places it stands higher at equal length
    """

    grader: str
    by: By
    queries: int
    passages: int
    slope: float
    slope_interval: tuple[float, float]
    kendall: float
    kendall_interval: tuple[float, float]
    mover: str
    places: float
    rows: pd.DataFrame
    draws: int
    seed: int
    notes: list[str] = field(default_factory=list)


def taste(snapshot: Snapshot, choice: Evaluation, by: By = "length", *, draws: int, seed: int) -> Taste:
    """The effect of length or place on a grader's grades, the mean over the questions of each passage.

    Passages are compared with those of the same query and human judgment: least squares within these groups, of the
    grade on the logarithm (base 2) of the words, or of the first place that a run gives the passage within the depth.
    The interval leaves out each query in turn. The leaderboard is of mean grades within the depth, as they are and with
    each grade at the mean length. Raises UsageError where nothing is judged, no passage has a text or place, or human
    judgments are evaluated.

    Source: within-group (fixed effects) regression, Mundlak 1978; Tukey 1958 (interval).
    """
    grader = choice.grading.grader
    if grader is None:
        raise UsageError("Human judgments have no taste to look for: choose a grading mode.")
    if OFFICIAL not in qrels_ids(snapshot):
        raise UsageError(no_judgments(snapshot, OFFICIAL))
    every = _sized(snapshot, choice, by)
    judged = every[every["relevance"].notna()]
    if judged.empty:
        what = "a text" if by == "length" else "a place within the depth"
        raise UsageError(f"No passage that {grader} graded has {what} and a judgment.")
    query, names = pd.factorize(judged["query_id"])
    size = np.log2(judged["size"].to_numpy(float))
    group = judged.groupby(["query_id", "relevance"], sort=False).ngroup().to_numpy(np.int64)
    grade = judged["grade"].to_numpy(float)
    slope, ends = effect_interval(effect_sums(grade, size, group, query, len(names)))
    counts = bootstrap_counts(len(names), draws, seed)
    unknown = (np.nan, (np.nan, np.nan), "", np.nan)
    boards = _boards(snapshot, choice, every, (slope, *ends)) if by == "length" else unknown
    notes = [SIGHTED] if by == "position" else []
    notes += [f"Fewer than {FEWEST} queries: intervals say little."] if len(names) < FEWEST else []
    if by == "length" and (without := len(every) - len(judged)):
        notes.append(f"{counted({'passages have': without})} no judgment and count for the leaderboard alone.")
    curve = _curve(judged["size"].to_numpy(np.int64), _within(grade, group), query, counts)
    return Taste(grader, by, len(names), len(judged), slope, ends, *boards, curve, draws, seed, notes)


def _sized(snapshot: Snapshot, choice: Evaluation, by: By) -> pd.DataFrame:
    """Graded passages with their mean grade, their judgment (null without one) and their words or first place."""
    bank = BankRef.parse(str(choice.grading.bank)).name if choice.grading.bank else None
    values: dict[str, Any] = {"grader": choice.grading.grader, "bank": bank, "qrels": OFFICIAL}
    if by == "length":
        return snapshot.query(_GRADED.format(sizes=_WORDS, key="doc_id"), values)
    sizes = _PLACES.format(ranked=RANKED[choice.labelling.order])
    values["depth"] = choice.labelling.depth or ALL_PLACES
    return snapshot.query(_GRADED.format(sizes=sizes, key="query_id, doc_id"), values)


def _within(values: Floats, group: Ints) -> Floats:
    """(N,) values minus the mean of their group."""
    size = np.bincount(group)
    return values - (np.bincount(group, values) / np.maximum(size, 1))[group]


def effect_sums(grade: Floats, length: Floats, group: Ints, query: Ints, queries: int) -> Floats:
    """(Q, 2) sums by query whose quotient over any queries is the slope of grade on length within groups.

    Parameters
    ----------
    grade, length, group, query : (N,) of each passage; a group lies within one query

    >>> grade, length, group = np.array([1.0, 2.0, 5.0, 6.0]), np.array([3.0, 4.0, 3.0, 4.0]), np.array([0, 0, 1, 1])
    >>> effect_sums(grade, length, group, np.zeros(4, int), 1).tolist()
    [[1.0, 1.0]]
    """
    own, other = _within(grade, group), _within(length, group)
    products = (np.bincount(query, own * other, queries), np.bincount(query, other**2, queries))
    return np.stack(products, axis=1)


def effect_interval(sums: Floats) -> tuple[float, tuple[float, float]]:
    """The slope of all queries of (Q, 2) `effect_sums`, and its 95% interval, which leaves out each query in turn.

    In simulations (600 samples each of 8, 25 and 43 queries whose slopes differ) it held the mean slope in 93 to 96%,
    percentiles of a bootstrap in 86 to 94%.
    """
    total = sums.sum(axis=0)
    above, below = np.concatenate([[total], total - sums]).T
    slopes = np.divide(above, below, out=np.full(len(below), np.nan), where=below > 0)
    return float(slopes[0]), jackknife_interval(float(slopes[0]), slopes[1:])


def _curve(size: Ints, grade: Floats, query: Ints, counts: Ints) -> pd.DataFrame:
    """`ROWS`: the mean of grades within their groups in octaves of size."""
    octave, rows = np.floor(np.log2(size)).astype(int), []
    for place in np.unique(octave):
        mine = octave == place
        sums = np.bincount(query[mine], grade[mine], counts.shape[1])
        sizes = np.bincount(query[mine], minlength=counts.shape[1]).astype(float)
        n = counts @ sizes
        low, high = percentile_interval(counts @ sums / np.where(n > 0, n, np.nan))
        rows.append((2**place, 2 ** (place + 1) - 1, int(mine.sum()), grade[mine].mean(), float(low), float(high)))
    return ROWS.of(rows)


def _boards(
    snapshot: Snapshot, choice: Evaluation, every: pd.DataFrame, slopes: tuple[float, float, float]
) -> tuple[float, tuple[float, float], str, float]:
    """Kendall of the runs' mean grades as they are and at equal length, the run that moves most, and how far.

    `slopes` are the slope and the ends of its interval; Kendall's interval is of `STEPS` slopes between these.
    """
    ranked = snapshot.query(
        f"SELECT run_id, query_id, doc_id FROM ({RANKED[choice.labelling.order]})",
        {"depth": choice.labelling.depth or ALL_PLACES},
    )
    length = np.log2(every["size"].to_numpy(float))
    both = every.assign(length=length - length.mean())
    graded = ranked.merge(both[["query_id", "doc_id", "grade", "length"]], on=["query_id", "doc_id"])
    if graded.empty:
        return np.nan, (np.nan, np.nan), "", np.nan
    # The mean of grades at equal length is the mean grade less that of lengths.
    means = graded.groupby(["run_id", "query_id"])[["grade", "length"]].mean().groupby("run_id").mean()
    own, longer = means.to_numpy(float).T
    slope, low, high = slopes
    equal = own - np.append(np.linspace(low, high, STEPS), slope)[:, None] * longer
    *between, kendall = correlations(equal, own, ("kendall",)).kendall
    moved = mean_rank(own) - mean_rank(equal[-1])
    mover = int(np.abs(moved).argmax())
    interval = float(np.min([*between, kendall])), float(np.max([*between, kendall]))
    return float(kendall), interval, str(means.index[mover]), float(moved[mover])


def family_tags(snapshot: Snapshot, grader: str) -> list[str]:
    """The tags of runs that say they are of the grader's family: the tag for it, or the model's name in either."""
    model = str(snapshot.graders.get(grader, {}).get("llm") or "").casefold()
    tags = sorted({tag for _, own in snapshot.tags for tag in own})
    short = model.rsplit("/", 1)[-1]
    return [
        tag
        for tag in tags
        if tag == SAME_FAMILY or (short and (tag.casefold() in model or short in tag.casefold()) and len(tag) > 3)
    ]


def own_family(snapshot: Snapshot, choice: Evaluation, *, draws: int, seed: int) -> Circularity | None:
    """The displacement of the runs of the grader's family; None where no run has such a tag, or nothing compares."""
    tags = family_tags(snapshot, str(choice.grading.grader))
    if not tags or find_reference(snapshot, choice.reference, choice) is None:
        return None
    return circularity(snapshot, [choice], tags, draws=draws, seed=seed)


WORDS = {
    "length": ("long passages", "short passages", "twice the words change"),
    "position": ("late places", "early places", "twice the place changes"),
}
"""What a rising and a falling slope are a taste for, and what doubling does."""


def taste_sentences(result: Taste, snapshot: Snapshot) -> list[str]:
    """What twice the length or place does to a grade, and what the leaderboard would be at equal length."""
    low, high = result.slope_interval
    name = alias_of(snapshot, result.grader)
    liked, other, twice = WORDS[result.by]
    unclear = f"no clear taste for {liked.split()[0]} or {other}"
    verdict = f"a taste for {liked}" if low > 0 else f"a taste for {other}" if high < 0 else unclear
    sentences = [
        f"{name} has {verdict}: at equal judgment, {twice} a grade by {result.slope:+.3f} "
        f"points [{low:+.3f}, {high:+.3f}] over {counted({'queries': result.queries})}."
    ]
    if result.mover:
        by = f"{abs(result.places):g} place{'' if abs(result.places) == 1 else 's'}"
        move = f"{result.mover} moves most: {by} {'up' if result.places > 0 else 'down'}"
        move = move if result.places else "no run moves"
        low, high = result.kendall_interval
        kept = f"a Kendall of {result.kendall:.3f} [{low:.3f}, {high:.3f}] with the one as it is"
        sentences.append(f"At equal length the leaderboard by mean grades has {kept}; {move}.")
    return sentences


def taste_figure(result: Taste, snapshot: Snapshot) -> go.Figure:
    """Mean grade beside its like by length or place, with intervals."""
    rows, unit = result.rows, "words" if result.by == "length" else "first place in a run"
    figure = go.Figure()
    figure.add_scatter(
        x=[f"{low:g} to {high:g}" if high > low else f"{low:g}" for low, high in rows[["least", "most"]].to_numpy()],
        y=rows["grade"],
        mode="lines+markers",
        marker={"size": 8},
        error_y=bars(rows["grade"], rows["low"], rows["high"]),
        customdata=rows["passages"],
        hovertemplate=unit + " %{x}<br>%{y:+.3f} grades<br>%{customdata:,} passages<extra></extra>",
    )
    figure.update_layout(size_layout(340), xaxis=axis(unit), yaxis=axis("grade minus that of like passages"))
    return with_description(figure, " ".join(taste_sentences(result, snapshot)))
