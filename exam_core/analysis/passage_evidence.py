"""Passages behind a judge's labels: disagreements, an example, and the order of runs query by query."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from exam_core.analysis.agreement import CELLS
from exam_core.analysis.choice import Grading, LabelRule
from exam_core.analysis.grade_scales import possible_labels
from exam_core.analysis.shared_columns import PASSAGE, PASSAGE_TEXT, QUERY, QUESTION, QUESTION_TEXT, RUN
from exam_core.analysis.values import gradebook, pair_labels
from exam_core.errors import UsageError
from exam_core.progress import Progress, no_progress
from exam_core.results import ResultTable, decimal, flag, number, text, texts
from exam_core.store import Snapshot
from exam_core.store import evidence as stored
from exam_core.store import summary as holdings
from exam_core.store.evidence import GRADE, ORDERS, PassageSearch
from exam_core.store.snapshot import cached_by_snapshot
from exam_core.tables import OFFICIAL, UNREADABLE
from exam_core.wording import quoted, texts_come

SIZE = 20
"""Passages on a page of results."""
FINDS: dict[str, tuple[str, ...]] = {
    "all": (),
    "disagreement": ("fp", "fn"),
    "only predicted": ("fp",),
    "only judged": ("fn",),
    "both relevant": ("tp",),
    "neither": ("tn",),
}
"""Filters of passages by the cells of the 2 x 2 table."""
KEPT = 4
ROWS = ResultTable(
    "evidence: rows",
    "Passages that were found",
    QUERY,
    PASSAGE,
    number("label", "Label", "The passage's N-th best grade over the questions, or its grade as a whole.", "grade"),
    number("relevance", "Judged", "Human judgment; null where there is none.", "relevance"),
    text("cell", "Cell", "Cell of the 2 x 2 table: tp, fp, fn or tn; null without label or judgment."),
    number("runs", "Runs", "Runs that rank the passage.", "runs"),
    number("best_rank", "Best rank", "The passage's best rank in any run.", "rank"),
    number("rank", "Rank", "The passage's rank in the chosen run.", "rank"),
    replace(PASSAGE_TEXT, help="A part of the passage, around the first word that is searched."),
    flag("starts_inside", "Starts inside", "Yes if the passage goes on before this part."),
    flag("goes_on", "Goes on", "Yes if the passage goes on after this part."),
    number("length", "Length", "Length of the whole passage.", "characters"),
)
_GRADER = text("grader_id", "Grading mode")
_ANSWER = text("answer", "Raw answer")
DECIMAL = decimal(
    "decimal",
    "Decimal grade",
    "The grade with decimals: as imported, or expected by the likelihoods of all grades. Empty where it has none.",
    "grade",
)
GRADES = ResultTable(
    "passage: grades",
    "Grades of a passage by question",
    _GRADER,
    replace(QUESTION, label="Question id", width="small"),
    QUESTION_TEXT,
    texts("gold_answers", "Answer key"),
    flag("enabled", "Enabled", "Yes if the question counts."),
    number("grade", "Grade", GRADE, "grade", width="small"),
    DECIMAL,
    flag("answered", "Answered", "A grade of at least tau.", width="small"),
    replace(_ANSWER, help="The grader's own words."),
    flag(
        "correct",
        "Correct",
        "Yes if the answer was verified against the answer key.",
        source="EXAM, section 3.2",
        width="small",
    ),
)
LABELS = ResultTable(
    "passage: labels",
    "Labels of a passage as a whole",
    _GRADER,
    number("grade", "Label", unit="grade"),
    DECIMAL,
    _ANSWER,
)
JUDGMENTS = ResultTable(
    "passage: judgments",
    "Human judgments of a passage",
    text("qrels_id", "Judgments"),
    number("relevance", "Relevance", "As in the judgments; NIST also uses values below 0.", "relevance"),
)
RUNS = ResultTable(
    "passage: runs",
    "Runs that rank a passage, best rank first",
    replace(RUN, pinned=False),
    number("rank", "Rank", "By score; ties by passage id, as trec_eval.", "rank"),
    number("source_rank", "Rank in the file", unit="rank"),
    decimal("score", "Score", unit="score", form="%.4f"),
)


@dataclass(frozen=True)
class ResultPage:
    """A page of results: `ROWS`, the number of passages on all pages, and that of pages, at least 1."""

    rows: pd.DataFrame
    total: int
    pages: int


@dataclass(frozen=True)
class Offered:
    """The values to which a search can be narrowed, the largest label first; queries with texts, empty if unknown."""

    queries: dict[str, str]
    runs: list[str]
    labels: list[int]
    relevances: list[int]


@dataclass(frozen=True)
class PassageEvidence:
    """All that is known of a passage under a query: `GRADES`, `LABELS`, `JUDGMENTS` and `RUNS`.

    `text` is None where only the id is known; `n_runs` are those of the collection.
    """

    query_id: str
    doc_id: str
    query_text: str
    text: str | None
    grades: pd.DataFrame
    labels: pd.DataFrame
    judgments: pd.DataFrame
    runs: pd.DataFrame
    n_runs: int
    notes: list[str] = field(default_factory=list)


def search(
    snapshot: Snapshot,
    wanted: PassageSearch,
    labelling: LabelRule | None = None,
    *,
    page: int = 1,
    size: int = SIZE,
    judgments: str = OFFICIAL,
    progress: Progress = no_progress,
) -> ResultPage:
    """A page, counted from 1, of the passages that a search wants; labels are as `agreement` counts them.

    Without a labelling no passage has a label. Raises UsageError where there is no such order or page.
    """
    if wanted.order not in ORDERS:
        raise UsageError(f"There is no order {wanted.order}. Choose one of: {', '.join(ORDERS)}.")
    if page < 1:
        raise UsageError(f"Page {page}: pages count from 1.")
    labelled = labels_of(snapshot, labelling) if labelling else _labelled([], [], [], [])
    rows = stored.search(snapshot, wanted, labelled, page=page, size=size, qrels_id=judgments, progress=progress)
    total = int(rows["total"].iloc[0]) if len(rows) else 0
    return ResultPage(ROWS.of(rows), total, max(1, -(-total // size)))


def cell_of(label: int, relevance: int) -> PassageSearch:
    """The passages of one cell of the graded matrix."""
    return PassageSearch(labels=(label,), relevances=(relevance,))


def in_cells(cells: tuple[str, ...], tau: float, relevant_from: int) -> PassageSearch:
    """The passages of some cells (tp, fp, fn, tn) of the 2 x 2 table. Raises UsageError where there is no such cell."""
    if unknown := set(cells) - set(CELLS):
        raise UsageError(f"There is no cell {', '.join(sorted(unknown))}. There are: {', '.join(CELLS)}.")
    return PassageSearch(cells=cells, tau=tau, relevant_from=relevant_from)


@cached_by_snapshot(KEPT)
def labels_of(snapshot: Snapshot, labelling: LabelRule) -> pa.Table:
    """Unit, doc_id and label of each passage that has a readable label, and `cut`, the label that tau is compared with.

    They differ where tau cuts decimals: the label is a whole grade.
    """
    whole = labelling.at(0)
    book, label = gradebook(snapshot, whole), pair_labels(snapshot, whole)
    cut = pair_labels(snapshot, labelling)
    readable = np.flatnonzero(label > UNREADABLE)
    units = pa.array(book.query_ids, pa.string()).take(pa.array(book.pair_query[readable]))
    return _labelled(units, pa.array(book.docs, pa.string()).take(pa.array(readable)), label[readable], cut[readable])


def labels_of_docs(snapshot: Snapshot, labelling: LabelRule, doc_ids: frozenset[str]) -> dict[tuple[str, str], int]:
    """The readable labels of some passages, by query and passage."""
    every = labels_of(snapshot, labelling)
    rows = every.filter(pc.is_in(every["doc_id"], pa.array(sorted(doc_ids), pa.string()))).to_pydict()
    return dict(zip(zip(rows["unit"], rows["doc_id"], strict=True), rows["label"], strict=True))


def _labelled(units: object, docs: object, labels: object, cut: object) -> pa.Table:
    columns = {"unit": units, "doc_id": docs, "label": labels, "cut": cut}
    types = (pa.string(), pa.string(), pa.int16(), pa.int16())
    return pa.table(columns, schema=pa.schema(list(zip(columns, types, strict=True))))


def offered(snapshot: Snapshot, labelling: LabelRule | None = None, judgments: str = OFFICIAL) -> Offered:
    """The queries, runs, labels and relevances that a collection holds."""
    texts = stored.query_texts(snapshot)
    ranked = stored.ranked_queries(snapshot)
    names = sorted({*holdings.query_ids(snapshot), *ranked})
    pages = {name.rpartition("/")[0] for name in ranked}
    labels = possible_labels(snapshot, labelling)[::-1] if labelling else []
    return Offered(
        queries={name: _text(texts, name) for name in names if name not in pages},
        runs=holdings.run_ids(snapshot),
        labels=labels,
        relevances=stored.relevances(snapshot, judgments),
    )


def passage(snapshot: Snapshot, query_id: str, doc_id: str, *, bank: str | None, tau: float) -> PassageEvidence:
    """All that is known of a passage under a query, with grades on the newest version of the bank's questions."""
    pinned = (bank, holdings.bank_version(snapshot, bank)) if bank else None
    grades = stored.grades_of(snapshot, query_id, doc_id, pinned)
    exact = grades["decimal"].fillna(grades["grade"].astype("float64"))
    of_tau = grades["grade"] if float(tau).is_integer() else exact
    grades["answered"] = of_tau.ge(tau).fillna(value=False).astype(bool)
    direct = grades["question_id"].isna()
    text = stored.passage_text(snapshot, doc_id)
    of_questions = GRADES.of(grades[~direct].reset_index(drop=True))
    notes = []
    if text is None:
        notes.append(f"The passage's text is not known, only its id. {texts_come(snapshot.collection)}")
    if len(of_questions) and of_questions["question_text"].isna().all():
        notes.append(
            "The questions' texts are not known, only their ids. Add them with: "
            f"examboard import bank FILE --bank {quoted(str(bank))} "
            f"--collection {quoted(snapshot.collection)}"
        )
    return PassageEvidence(
        query_id=query_id,
        doc_id=doc_id,
        query_text=_text(stored.query_texts(snapshot), query_id),
        text=text,
        grades=of_questions,
        labels=LABELS.of(grades[direct].reset_index(drop=True)),
        judgments=JUDGMENTS.of(stored.judgments_of(snapshot, query_id, doc_id)),
        runs=RUNS.of(stored.runs_of(snapshot, query_id, doc_id)),
        n_runs=len(holdings.run_ids(snapshot)),
        notes=notes,
    )


def _text(texts: dict[str, str], query_id: str) -> str:
    """The text of a query; of a facet without one, that of its page."""
    return texts.get(query_id) or texts.get(query_id.rpartition("/")[0], "")


USUAL = 4
"""The tau of the papers' tables."""
LONGEST = 400
"""Characters of a passage that a reader takes in at once."""
_SHOWN = f"""
WITH first AS (SELECT query_id, doc_id, list(DISTINCT run_id ORDER BY run_id) AS runs
               FROM rankings WHERE rank = 1 GROUP BY ALL),
asked AS (SELECT query_id, question_id, question_text, gold_answers FROM questions
          WHERE bank_id = $bank AND version = $version AND enabled AND question_text IS NOT NULL)
SELECT query_id, query_text, doc_id, passage_text, question_text, gold_answers, grade, runs
FROM grades JOIN first USING (query_id, doc_id) JOIN asked USING (query_id, question_id)
JOIN passages USING (doc_id) LEFT JOIN queries USING (query_id)
WHERE grader_id = $grader AND grade IS NOT NULL AND passage_text IS NOT NULL
ORDER BY abs(grade - {USUAL}), length(passage_text) > {LONGEST}, len(runs) DESC, query_id, doc_id, question_id LIMIT 1
"""


@dataclass(frozen=True)
class Illustration:
    """A passage that some runs rank first for a query, and its grade on a question, with the answer key, if any."""

    query_id: str
    query_text: str | None
    doc_id: str
    passage_text: str
    question_text: str
    gold_answers: tuple[str, ...]
    grade: int
    runs: tuple[str, ...]

    def is_answered(self, tau: float) -> bool:
        """Whether the passage answers the question at a tau, so that the question is covered."""
        return self.grade >= tau

    def best_of_runs(self, rows: pd.DataFrame) -> pd.Series:
        """The row of that run which stands highest on a board, of those that rank the passage first."""
        return rows[rows["run_id"].isin(self.runs)].iloc[0]


def illustration(snapshot: Snapshot, grading: Grading) -> Illustration | None:
    """A graded passage that shows how grades become a board; None without grades of questions, or without texts.

    Of the passages that a run ranks first, it has the grade nearest to the usual tau, so that moving tau changes its
    worth; of several, a short one that many runs rank first is taken. It does not depend on tau, and so stays the same.
    """
    if grading.bank is None or grading.grader is None:
        return None
    fields = {"bank": grading.bank.name, "version": grading.bank.version, "grader": grading.grader}
    frame = snapshot.query(_SHOWN, fields)
    if frame.empty:
        return None
    known = frame.astype(object).where(frame.notna(), None).iloc[0].to_dict()
    lists = {name: tuple(known[name] if known[name] is not None else ()) for name in ("gold_answers", "runs")}
    return Illustration(**known | lists)
