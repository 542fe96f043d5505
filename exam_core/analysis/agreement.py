"""Labels against judgments: confusion tables, kappa and other coefficients at each cut, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from exam_core.analysis.caveats import much_unreadable
from exam_core.analysis.choice import AS_BANKED, TAUS, Grading, LabelRule
from exam_core.analysis.choosing import no_judgments
from exam_core.analysis.grade_scales import largest_label, scale_of, taus_of
from exam_core.analysis.shared_columns import (
    FALSE_NEGATIVES,
    FALSE_POSITIVES,
    KAPPA,
    QUERY,
    TRUE_NEGATIVES,
    TRUE_POSITIVES,
)
from exam_core.analysis.values import KEPT_BOOKS, ROOM, gradebook, pair_labels
from exam_core.defaults import LABEL_RANKS
from exam_core.errors import UsageError
from exam_core.numbers.annotator_agreement import (
    binary_counts,
    cohen_kappa,
    gwet_ac1,
    krippendorff_alpha,
    observed_agreement,
    pabak,
    precision_recall_f1,
    square,
    weighted_kappa,
)
from exam_core.numbers.arrays import Floats, Ints, slices
from exam_core.numbers.kappa_intervals import FEWEST_OF_CLASS, kappa_interval, passages_of_rarer_class
from exam_core.results import ResultTable, decimal, number
from exam_core.store import Snapshot
from exam_core.store.cells import Pairs
from exam_core.store.derived_files import on_disk
from exam_core.store.names import page_sql
from exam_core.store.scales import ScaleSource
from exam_core.store.snapshot import cached_by_snapshot
from exam_core.store.summary import qrels_ids
from exam_core.tables import OFFICIAL, UNGRADED, UNREADABLE

CELLS = ("tp", "fp", "fn", "tn")
RETRIEVAL = ("precision", "recall", "f1")
SHARED = ("observed_agreement", "gwet_ac1", "pabak")
OF_KAPPA = (
    "95% interval: Fieller's over the queries, with Student's t, and never narrower than a score interval over the "
    f"passages. No interval if the rarer class has fewer than {FEWEST_OF_CLASS} passages."
)
_COUNTS = [replace(column, form="") for column in (TRUE_POSITIVES, FALSE_POSITIVES, FALSE_NEGATIVES, TRUE_NEGATIVES)]
_PASSAGES = number("n", "Passages", "Passages that have both a readable label and a human judgment.", "passages")
_KAPPA = replace(
    KAPPA,
    help="Cohen's kappa of the 2 x 2 table: (p_o - p_e) / (1 - p_e), observed and chance agreement (Cohen 1960; "
    f"EXAM, section 4.1). {OF_KAPPA}",
    source="Fieller 1954; Wilson 1927",
)
AGREEING = (
    decimal(
        "observed_agreement",
        "Raw agreement",
        "(tp + tn) / n: the share of the passages that grader and judge put in the same of the two classes.",
        "share of passages",
    ),
    decimal(
        "gwet_ac1",
        "Gwet's AC1",
        "(p_o - p_e) / (1 - p_e) with p_e = 2 s (1 - s), where s is the share of relevant passages, the mean of grader "
        "and judge. Where few are relevant, kappa is low however often both agree; AC1 is not.",
        source="Gwet 2008",
    ),
    decimal(
        "pabak",
        "PABAK",
        "2 p_o - 1: the kappa of the same agreement if grader and judges each found half of the passages relevant.",
        source="Byrt, Bishop & Carlin 1993",
    ),
)
_RETRIEVAL = (
    decimal(
        "precision",
        "Precision",
        "tp / (tp + fp): of the passages with a label of at least tau, the share that is judged relevant.",
        "share of passages",
    ),
    decimal(
        "recall",
        "Recall",
        "tp / (tp + fn): of the passages that are judged relevant, the share with a label of at least tau.",
        "share of passages",
    ),
    decimal(
        "f1",
        "F1",
        "2 tp / (2 tp + fp + fn): the harmonic mean of precision and recall.",
        source="van Rijsbergen 1979, chapter 7",
    ),
)
PER_QUERY = ResultTable(
    "agreement: per query",
    "Each query's agreement at the chosen thresholds, lowest kappa first; undefined values are NaN",
    QUERY,
    _PASSAGES,
    *_COUNTS,
    _KAPPA,
    *_RETRIEVAL,
)
_CUT = (
    number("tau", "tau", "Smallest label that counts as relevant.", "grade"),
    number("relevant_from", "relevant_from", "Smallest human relevance that counts as relevant.", "relevance"),
    number(
        "label_rank",
        "label_rank",
        "Rank of the grade that is the passage's label; 1 is the best. Printed labels have none.",
        "rank",
    ),
)
_BOUNDS = (
    decimal("kappa_low", "kappa_low", "Lower end of the 95% interval of kappa."),
    decimal("kappa_high", "kappa_high", "Upper end of the 95% interval of kappa."),
)
GRID = ResultTable(
    "agreement: grid",
    "Agreement at every tau and judgment threshold; undefined values are NaN",
    *_CUT,
    *(replace(column, label=column.name, help=f"Passages: {column.label}.") for column in _COUNTS),
    *(replace(column, label=column.name) for column in (_KAPPA, *_BOUNDS, *_RETRIEVAL, _PASSAGES)),
)


UNJUDGED = UNGRADED
"""The relevance of a passage without a judgment, in an array of relevances."""
PAIRS_AT_ONCE = 2**20

# As in the gradebook: where the rankings are by facet, a page's judgments belong to each of its facets,
# and what a facet has of its own comes first.
JUDGED = f"""
WITH facet AS (SELECT DISTINCT query_id AS unit, {page_sql("query_id")} AS page FROM rankings)
SELECT unit, doc_id, relevance FROM (
    SELECT query_id AS unit, doc_id, relevance, 1 AS choice FROM judgments WHERE qrels_id = $qrels
    UNION ALL
    SELECT facet.unit, doc_id, relevance, 2 FROM judgments JOIN facet ON page = query_id WHERE qrels_id = $qrels
)
QUALIFY row_number() OVER (PARTITION BY unit, doc_id ORDER BY choice) = 1
"""


@dataclass(frozen=True)
class Contingency:
    """Counts of the passages that have both a label and a judgment.

    Parameters
    ----------
    query_ids : names of Q queries
    labels, relevances : (G,) and (J,) the values that occur among judged passages, ascending
    counts : (Q, G, J)
    unreadable : judged passages whose label can't be read; they are not among the counts
    """

    query_ids: list[str]
    labels: Ints
    relevances: Ints
    counts: Ints
    unreadable: int


def relevances_of_pairs(snapshot: Snapshot, labelling: LabelRule, judgments: str) -> npt.NDArray[np.int16]:
    """(P,) relevance of each pair of the gradebook; UNJUDGED where there is no judgment.

    Raises UsageError where there are no judgments of that name.
    """
    if judgments not in qrels_ids(snapshot):
        raise UsageError(no_judgments(snapshot, judgments))
    book = gradebook(snapshot, replace(labelling, label_rank=1, label_map=None, asking=AS_BANKED))
    return _joined(snapshot, Pairs.of(book.query_ids, book.pair_query, book.docs), judgments)


@cached_by_snapshot(KEPT_BOOKS)
def _joined(snapshot: Snapshot, pairs: Pairs, judgments: str) -> npt.NDArray[np.int16]:
    return np.frombuffer(_joined_bytes(snapshot, pairs, judgments), np.int16)


@on_disk
def _joined_bytes(snapshot: Snapshot, pairs: Pairs, judgments: str) -> bytes:
    with snapshot.cursor() as cursor:
        judged = cursor.sql(snapshot.with_tables(JUDGED), params={"qrels": judgments}).to_arrow_table()
    judged = judged.append_column("query", pa.array(_places(judged["unit"], pa.array(pairs.units, pa.string()))))
    judged = judged.select(["query", "doc_id", "relevance"]).sort_by("query")
    query = judged["query"].to_numpy()
    relevance = np.full(len(pairs.unit), UNJUDGED, np.int16)
    for part in slices(len(pairs.unit), PAIRS_AT_ONCE):
        unit = pairs.unit[part]
        start, end = np.searchsorted(query, [unit[0], unit[-1] + 1]).tolist()
        judged_pairs, values = _judged_pairs(unit, pairs.docs[part], judged.slice(start, end - start))
        relevance[part][judged_pairs] = values
    return relevance.tobytes()


def _judged_pairs(unit: npt.NDArray[np.int32], docs: pa.Array, judged: pa.Table) -> tuple[Ints, Ints]:
    """The places of those of some pairs that are judged, and their relevance, from the judgments of their queries."""
    judged_docs = judged["doc_id"].cast(docs.type)
    names = judged_docs.unique()
    place = _places(docs, names)
    known = np.flatnonzero(place >= 0)
    # A query's number and the passage's place among the judged ones make the key: numbers instead of long texts.
    pair_keys = unit[known] * np.int64(len(names)) + place[known]
    judged_keys = judged["query"].to_numpy() * np.int64(len(names)) + _places(judged_docs, names)
    _, pair, row = np.intersect1d(pair_keys, judged_keys, assume_unique=True, return_indices=True)
    return known[pair], judged["relevance"].to_numpy()[row]


def _places(texts: pa.Array | pa.ChunkedArray, others: pa.Array) -> Ints:
    """The place of each text among others; -1 where it is none of them."""
    places: Ints = pc.fill_null(pc.index_in(texts, others), -1).to_numpy().astype(np.int64)
    return places


@cached_by_snapshot(4 * KEPT_BOOKS, ROOM)
def contingency(snapshot: Snapshot, labelling: LabelRule, judgments: str) -> Contingency:
    """Count the passages of a labelling once; a tau or a judgment cut needs no other counts.

    Raises UsageError where there are no judgments of that name.
    """
    book = gradebook(snapshot, labelling)
    relevance = relevances_of_pairs(snapshot, labelling, judgments)
    label = pair_labels(snapshot, labelling).astype(np.int64)
    judged, readable = relevance != UNJUDGED, label > UNREADABLE
    both = judged & readable
    labels, row = _codes(label[both])
    # Of all judged passages: the judgment cuts do not depend on which labels can be read.
    relevances, column = _codes(relevance[judged].astype(np.int64))
    column = column[readable[judged]]
    shape = (len(book.query_ids), len(labels), len(relevances))
    cell = (book.pair_query[both].astype(np.int64) * shape[1] + row) * shape[2] + column
    counts = np.bincount(cell, minlength=int(np.prod(shape))).reshape(shape)
    return Contingency(book.query_ids, labels, relevances, counts, int((judged & ~readable).sum()))


def _codes(values: Ints) -> tuple[Ints, Ints]:
    """The distinct values, ascending, and each value's place among them."""
    low = int(values.min(initial=0))
    occurs = np.bincount(values - low) > 0
    return np.flatnonzero(occurs) + low, (np.cumsum(occurs) - 1)[values - low]


_ONE_LABEL = "there are no passages, or all have the same label and judgment"


@dataclass(frozen=True)
class Agreement:
    """Counts of passages by label and relevance, and what follows from them; undefined is NaN or None.

    Parameters
    ----------
    label_rank : None where the labels are printed
    confusion : (2, 2) [[tp, fp], [fn, tn]], rows predicted, columns judged
    graded : counts by label, then relevance, as texts
    n : passages
    kappa_interval : 95% interval; None without counts of at least two queries, or with too few of the rarer class
    kappa, observed_agreement, gwet_ac1, pabak : of the confusion
    linear_kappa, quadratic_kappa : weighted kappa of the graded matrix, on the integers of both scales
    multiclass_kappa : Cohen's kappa of the graded matrix, every integer of both scales a class
    krippendorff_alpha : ordinal, of the graded matrix
    precision, recall, f1 : of the predicted labels, the judgments being the truth
    per_query : `PER_QUERY`, a row for each query that has passages
    notes, scale_notes : sentences on what is undefined or left out, and on labels and judgments whose scales differ
    label_map : which grade became which label, as it is typed; None where labels are grades
    bank, grader, judgments : whose labels, and with which judgments, where it is known
    scale, scale_from : where the grader's scale ends, and who says so (`store.scales.Scale`); None in print
    """

    tau: float
    relevant_from: int
    label_rank: int | None
    confusion: Ints
    graded: dict[str, dict[str, int]]
    kappa: float
    n: int
    notes: list[str] = field(default_factory=list)
    kappa_interval: tuple[float, float] | None = None
    linear_kappa: float = np.nan
    quadratic_kappa: float = np.nan
    krippendorff_alpha: float = np.nan
    precision: float = np.nan
    recall: float = np.nan
    f1: float = np.nan
    per_query: pd.DataFrame = field(default_factory=lambda: _per_query([], np.zeros((0, 2, 2), np.int64)))
    scale_notes: list[str] = field(default_factory=list)
    multiclass_kappa: float = np.nan
    observed_agreement: float = np.nan
    gwet_ac1: float = np.nan
    pabak: float = np.nan
    label_map: str | None = None
    bank: str | None = None
    grader: str | None = None
    judgments: str | None = None
    scale: int | None = None
    scale_from: ScaleSource | None = None

    @property
    def cut(self) -> str:
        """Where labels and judgments are cut in two, in words."""
        return f"tau {self.tau}, judgment >= {self.relevant_from}"


@dataclass(frozen=True)
class AgreementGrid:
    """Agreement at every cut: `rows` are `GRID`; grader and judgments are None in print."""

    rows: pd.DataFrame
    notes: list[str]
    bank: str | None = None
    grader: str | None = None
    judgments: str | None = None
    label_map: str | None = None


def agreement(
    snapshot: Snapshot, labelling: LabelRule, *, tau: float, relevant_from: int, judgments: str = OFFICIAL
) -> Agreement:
    """Agreement over the passages that have both a judgment and a label; a label map applies to both tables.

    The graded matrix is of whole labels; the 2 x 2 table of decimals where tau is no whole number.

    A passage whose grades can't be read has no label: it is left out and counted in the notes. Where no label can reach
    tau, there is nothing to agree on: kappa, precision, recall and F1 are undefined, and a note says so. Raises
    UsageError where there are no judgments of that name.
    """
    counted = contingency(snapshot, labelling.at(0), judgments)
    per_query = _cut(contingency(snapshot, labelling.at(tau), judgments), [tau], [relevant_from])[0, 0]
    result = _of_counts(
        per_query.sum(axis=0),
        counted.counts.sum(axis=0),
        counted.labels,
        counted.relevances,
        [*_about_labels(snapshot, labelling), *_left_out(counted, labelling.label_rank)],
        tau=tau,
        relevant_from=relevant_from,
        label_rank=labelling.label_rank,
    )
    if not labelling.mapping:
        largest = scale_of(snapshot, labelling.grading.grader)
        result = replace(result, scale_notes=_scale_notes(counted.labels, counted.relevances, largest))
    result = replace(result, per_query=_per_query(counted.query_ids, per_query), label_map=labelling.written_map)
    if (largest := largest_label(snapshot, labelling)) < tau:
        return _beyond_reach(result, labelling.grading, largest)
    low, high = kappa_interval(per_query)
    if np.isnan(low):
        result.notes.append(_no_interval(result))
        return result
    return replace(result, kappa_interval=(float(low), float(high)))


def _no_interval(agreement: Agreement) -> str:
    rarer = float(passages_of_rarer_class(agreement.confusion))
    if rarer < FEWEST_OF_CLASS:
        alike = "relevant" if agreement.confusion[0, 0] <= agreement.confusion[1, 1] else "not relevant"
        return (
            f"Kappa has no interval: too few passages are {alike} ({rarer:g}, the mean of grader and judges; it "
            f"needs {FEWEST_OF_CLASS})."
        )
    return "Kappa has no interval: it needs two queries or more."


def kappas_at(
    snapshot: Snapshot, labelling: LabelRule, taus: Sequence[int], relevant_from: int, judgments: str = OFFICIAL
) -> tuple[Floats, Floats, Floats]:
    """(T,) kappa at each tau and the ends of its interval, as `agreement` has them one by one."""
    tables = _cut(contingency(snapshot, labelling.at(0), judgments), taus, [relevant_from])[:, 0]
    reached = np.array(taus) <= largest_label(snapshot, labelling)
    kappas = (cohen_kappa(tables.sum(axis=1)), *kappa_interval(tables))
    kappa, low, high = (np.where(reached, values, np.nan) for values in kappas)
    return kappa, low, high


def _beyond_reach(agreement: Agreement, grading: Grading, largest: int) -> Agreement:
    """The agreement with NaN for all that is undefined at a tau above every label, and a note."""
    undefined: dict[str, Any] = dict.fromkeys(("kappa", *RETRIEVAL), np.nan)
    of_cut = undefined | dict.fromkeys(SHARED, np.nan)
    labels = f"Labels {agreement.label_map}" if agreement.label_map else f"The labels of {grading.grader}"
    reachable = f"Tau {largest}{' or less' if largest > TAUS[0] else ''} can be reached."
    why = (
        f"{labels} end at {largest}: none can reach tau {agreement.tau}, and kappa, precision, recall and all "
        "else of the 2 x 2 table are undefined. "
        f"{'No tau can be reached: every label is 0.' if largest < TAUS[0] else reachable}"
    )
    per_query = agreement.per_query.assign(**undefined)
    return replace(agreement, notes=[*agreement.notes, why], per_query=per_query, **of_cut)


def of_matrix(
    matrix: Ints,
    labels: Ints,
    relevances: Ints,
    *,
    tau: float,
    relevant_from: int,
    label_rank: int | None,
    notes: Sequence[str] = (),
) -> Agreement:
    """Agreement from counts (G, J) by ascending label and relevance; there is no query and so no interval."""
    counts = binary_counts(matrix, labels, relevances, np.array([tau]), np.array([relevant_from]))[0, 0]
    cut = {"tau": tau, "relevant_from": relevant_from}
    return _of_counts(counts, matrix, labels, relevances, notes, label_rank=label_rank, **cut)


def _of_counts(
    counts: Ints,
    matrix: Ints,
    labels: Ints,
    relevances: Ints,
    notes: Sequence[str],
    *,
    label_rank: int | None,
    **at: Any,
) -> Agreement:
    """Agreement from 2 x 2 counts at a cut, and from a graded matrix."""
    # Largest label and relevance first, every cell filled in, as the papers print the matrix.
    columns = [str(relevance) for relevance in relevances[::-1].tolist()]
    rows = zip(labels[::-1].tolist(), matrix[::-1, ::-1].tolist(), strict=True)
    graded = {str(label): dict(zip(columns, cells, strict=True)) for label, cells in rows}
    cut = of_confusion(counts, graded, **at)
    both = square(matrix, labels, relevances)
    return replace(
        cut,
        label_rank=label_rank,
        multiclass_kappa=float(cohen_kappa(both)),
        linear_kappa=float(weighted_kappa(both, "linear")),
        quadratic_kappa=float(weighted_kappa(both, "quadratic")),
        krippendorff_alpha=float(krippendorff_alpha(both, "ordinal")),
        notes=[*notes, *cut.notes],
        scale_notes=_scale_notes(labels, relevances),
    )


def of_confusion(
    counts: Ints, graded: dict[str, dict[str, int]], *, tau: float, relevant_from: int, notes: Sequence[str] = ()
) -> Agreement:
    """Agreement from 2 x 2 counts alone; the coefficients of a graded matrix are undefined."""
    kappa = float(cohen_kappa(counts))
    precision, recall, f1 = precision_recall_f1(counts)
    undefined = [f"Kappa is undefined: {_ONE_LABEL}."] if np.isnan(kappa) else []
    return Agreement(
        tau=tau,
        relevant_from=relevant_from,
        label_rank=None,
        confusion=counts,
        graded=graded,
        kappa=kappa,
        n=int(counts.sum()),
        notes=[*notes, *undefined],
        precision=float(precision),
        recall=float(recall),
        f1=float(f1),
        observed_agreement=float(observed_agreement(counts)),
        gwet_ac1=float(gwet_ac1(counts)),
        pabak=float(pabak(counts)),
    )


def agreement_grid(
    snapshot: Snapshot, labelling: LabelRule, judgments: str = OFFICIAL, label_ranks: Sequence[int] = LABEL_RANKS
) -> pd.DataFrame:
    """Agreement at every tau, every judgment cut and some label ranks, whatever the labelling's own label rank.

    Returns `GRID`: one row for each label rank (only 1 for a grader of whole passages), relevance of 1 or more that
    occurs, and tau within the scale. Raises UsageError where there are no judgments of that name.
    """
    labelling = labelling.at(0)
    frames, taus, largest = [], taus_of(snapshot, labelling), largest_label(snapshot, labelling)
    for rank in _ranks(labelling, label_ranks):
        counted = contingency(snapshot, replace(labelling, label_rank=rank), judgments)
        cuts = counted.relevances[counted.relevances > 0].tolist()
        frames.append(grid_rows(_cut(counted, taus, cuts), taus, cuts, label_rank=rank))
    rows = pd.concat(frames, ignore_index=True)
    rows.loc[rows["tau"] > largest, ["kappa", "kappa_low", "kappa_high", *RETRIEVAL]] = np.nan
    return rows


def grid_notes(
    snapshot: Snapshot, labelling: LabelRule, judgments: str = OFFICIAL, label_ranks: Sequence[int] = LABEL_RANKS
) -> list[str]:
    """What a grid leaves out and where it is undefined, as sentences."""
    labelling, ranks = labelling.at(0), _ranks(labelling, label_ranks)
    notes = _about_labels(snapshot, labelling)
    if len(ranks) < len(label_ranks):
        notes.append("The grader labels whole passages, so only label rank 1 exists.")
    largest = largest_label(snapshot, labelling)
    if (last := min(largest, taus_of(snapshot, labelling)[-1])) < TAUS[-1]:
        notes.append(f"Labels end at {last}: there is no larger tau.")
    for rank in ranks:
        left_out = _left_out(contingency(snapshot, replace(labelling, label_rank=rank), judgments), rank)
        notes += [f"Label rank {rank}: {note}" for note in left_out]
    kappa = agreement_grid(snapshot, labelling, judgments, ranks)["kappa"]
    if not len(kappa):
        notes.append("No passage that has a label is judged 1 or more, so no judgment threshold applies.")
    elif kappa.isna().any():
        rows = f"{int(kappa.isna().sum())} of {len(kappa)} rows"
        why = _ONE_LABEL if largest >= TAUS[0] else "no label reaches tau 1"
        notes.append(f"Kappa is undefined in {rows}: {why}.")
    return notes


def grid_rows(per_query: Ints, taus: Sequence[int], cuts: Sequence[int], *, label_rank: int | None) -> pd.DataFrame:
    """Counts (T, C, Q, 2, 2) as a grid's rows, by cut and tau."""
    low, high = kappa_interval(per_query)
    columns = _columns(per_query.sum(axis=2)) | {"kappa_low": low, "kappa_high": high}
    tau, cut = np.meshgrid(taus, cuts, indexing="ij")
    columns = {"tau": tau, "relevant_from": cut} | columns
    frame = pd.DataFrame({name: np.ravel(values.T) for name, values in columns.items()})
    frame.insert(2, "label_rank", pd.array([label_rank] * len(frame), "Int64"))
    return GRID.of(frame)


def _about_labels(snapshot: Snapshot, labelling: LabelRule) -> list[str]:
    """Notes on much that can't be read (of all that is graded: labels need no rankings), and on a label map."""
    unreadable, written = much_unreadable(snapshot, labelling, ranked=False), labelling.written_map
    mapped = f"Labels are mapped: {written}; a grade that the map leaves out counts 0." if written else None
    return [note for note in (unreadable, mapped) if note]


def _ranks(labelling: LabelRule, label_ranks: Sequence[int]) -> Sequence[int]:
    return (1,) if labelling.grading.is_direct else label_ranks


def _cut(counted: Contingency, taus: Sequence[float], cuts: Sequence[int]) -> Ints:
    """(T, C, Q, 2, 2) counts of each query at every cut."""
    wanted = np.ceil(taus).astype(np.int64), np.array(cuts, np.int64)
    return np.moveaxis(binary_counts(counted.counts, counted.labels, counted.relevances, *wanted), 0, 2)


def _columns(counts: Ints) -> dict[str, Any]:
    """Columns of shape (...) from counts (..., 2, 2)."""
    cells = dict(zip(CELLS, np.moveaxis(counts.reshape(*counts.shape[:-2], 4), -1, 0), strict=True))
    measured: dict[str, Floats] = precision_recall_f1(counts)._asdict()
    return {"n": counts.sum(axis=(-2, -1)), **cells, "kappa": cohen_kappa(counts), **measured}


def _per_query(query_ids: list[str], counts: Ints) -> pd.DataFrame:
    frame = pd.DataFrame(_columns(counts))
    frame.insert(0, "query_id", pd.Series(query_ids, dtype=str))
    return PER_QUERY.of(frame[frame["n"] > 0].sort_values("kappa", kind="stable", ignore_index=True))


def _left_out(counted: Contingency, label_rank: int) -> list[str]:
    if not counted.unreadable:
        return []
    what = "no readable label" if label_rank == 1 else f"fewer than {label_rank} readable grades"
    return [f"{counted.unreadable:,} judged passages have {what} and are left out."]


def _scale_notes(labels: Ints, relevances: Ints, largest: int | None = None) -> list[str]:
    """What the coefficients of the graded matrix mean where the two scales don't end alike.

    Labels beyond the end of their scale, `largest`, are slips and are not read.
    """
    labels = labels if largest is None else labels[labels <= largest]
    if not len(labels) or (labels[-1], labels[0]) == (relevances[-1], relevances[0]):
        return []
    return [
        f"Labels run from {labels[0]} to {labels[-1]}, judgments from {relevances[0]} to {relevances[-1]}: weighted "
        "kappa, kappa over all classes and Krippendorff's alpha read both as numbers on one scale, so that they can't "
        "reach 1."
    ]
