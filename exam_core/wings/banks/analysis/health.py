"""What ails a bank: which questions tell nothing or mislead, what to do about each, and what no question asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from statistics import median

import numpy as np
import pandas as pd

from exam_core.analysis.evaluation.books import gradebook
from exam_core.analysis.evaluation.caveats import listed
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.shared_columns import QUERY, QUERY_TEXT
from exam_core.asked import RELEVANT_FROM, Asked
from exam_core.progress import Progress, no_progress
from exam_core.question import Key, Question
from exam_core.results import ResultTable, count, number
from exam_core.store import Snapshot
from exam_core.store.names import BankRef, page_of
from exam_core.store.question_banks import find_bank
from exam_core.store.question_texts import query_texts
from exam_core.store.summary import banks, query_ids
from exam_core.wings.banks.analysis.breadth import SEEDS, Breadth, breadth
from exam_core.wings.banks.analysis.carrying import ROWS as DISPLACED
from exam_core.wings.banks.analysis.carrying import Carried, carried
from exam_core.wings.banks.analysis.difficulty import ROWS as DIFFICULTY
from exam_core.wings.banks.analysis.difficulty import Difficulty, difficulty
from exam_core.wings.banks.analysis.findings import KEEP, ROWS, proposed
from exam_core.wings.banks.analysis.redundancy import pairs_of, redundant
from exam_core.wings.banks.bank_questions import Bank, bank_of
from exam_core.wings.banks.duplicates import ALIKE, normalised
from exam_core.wording import counted, quoted

QUERIES = ResultTable(
    "bank health: queries",
    "Queries by the relevant passages that answer none of their questions, most first",
    QUERY,
    replace(QUERY_TEXT, width="medium"),
    number("questions", "Questions", "Enabled questions.", unit="questions"),
    count("relevant", "Relevant", "Passages judged relevant, with a readable grade.", "passages"),
    count(
        "unreached",
        "Relevant, answer none",
        "Relevant passages that answer no question: seeds for new ones.",
        "passages",
    ),
    count("not_relevant", "Not relevant", "Passages judged not relevant, with a readable grade.", "passages"),
    count("reached", "Not relevant, answer one", "Passages judged not relevant that answer a question.", "passages"),
    number("found", "With findings", "Questions whose proposal is other than to keep them.", unit="questions"),
)


@dataclass(frozen=True)
class Health:
    """What was found of a bank.

    Parameters
    ----------
    bank : its name and version
    alike : from which questions are in nearly the same words
    tau : smallest grade that answers; None where nothing is graded
    judgments, reference : what the questions are compared with; None where there is none
    rows, pairs, queries, seeds, displaced : `ROWS`, `PAIRS`, `QUERIES`, `SEEDS`, `DISPLACED`
    """

    bank: BankRef
    alike: float
    rows: pd.DataFrame
    pairs: pd.DataFrame
    queries: pd.DataFrame
    notes: list[str]
    seeds: pd.DataFrame = field(default_factory=SEEDS.of)
    displaced: pd.DataFrame = field(default_factory=DISPLACED.of)
    tau: int | None = None
    n_runs: int = 0
    judgments: str | None = None
    reference: str | None = None


def health(
    snapshot: Snapshot,
    choice: Evaluation,
    *,
    alike: float = ALIKE,
    judgments: str | None = None,
    relevant_from: int = RELEVANT_FROM,
    progress: Progress = no_progress,
) -> Health:
    """Every enabled question of a graded bank with what was found of it, each with a proposal.

    Parameters
    ----------
    alike : of `near_duplicates`
    judgments : who says what is relevant; None takes `official`, or the first there are
    relevant_from : smallest judgment that counts as relevant

    Raises
    ------
    UsageError : no such reference or judgments, or nothing to evaluate
    UndefinedMeasure : the grader labels whole passages

    Source: EXAM, section 3.1.2 and its discussion of broad questions; item analysis as in `difficulty`.
    """
    items = difficulty(snapshot, choice)
    ref = choice.grading.bank or BankRef("")
    bank = _questions(snapshot, ref)
    book = gradebook(snapshot, choice.labelling)
    pairs = pairs_of(bank, book, choice.cut, alike)
    judged = breadth(snapshot, choice, judgments, relevant_from)
    runs = carried(snapshot, choice, progress=progress) if items.n_runs else Carried(None, DISPLACED.of())
    rows = _with_pairs(_with_ungraded(_joined(items, judged, runs.rows), bank), pairs)
    rows = proposed(rows, items.n_runs, items.told_from_zero)
    notes = list(dict.fromkeys([*_notes(snapshot, bank, rows), *items.notes, *judged.notes, *runs.notes]))
    found = ROWS.of(rows), pairs, _queries(snapshot, rows, judged), notes, judged.seeds, runs.rows
    return Health(ref, alike, *found, choice.cut, items.n_runs, judged.judgments, runs.reference)


def ungraded_bank(snapshot: Snapshot, asked: Asked) -> BankRef | None:
    """The bank that is asked for, or the only one, where nobody graded a question of it; None for any other."""
    known = banks(snapshot)
    if asked.judgments or asked.grader or not (asked.bank or len(known) == 1):
        return None
    name, version = find_bank(snapshot, asked.bank or known[0])
    graded = snapshot.query(
        "SELECT count(*) > 0 AS some FROM grades JOIN questions USING (question_id, query_id) "
        "WHERE bank_id = ? AND version = ?",
        [name, version],
    )
    return None if graded["some"].iloc[0] else BankRef(name, version)


def health_of_words(snapshot: Snapshot, bank: BankRef, *, alike: float = ALIKE) -> Health:
    """What can be said of a bank that nobody graded: near duplicates, and uneven numbers of questions.

    Raises UsageError as `near_duplicates`.
    """
    questions = _questions(snapshot, bank)
    pairs = pairs_of(questions, None, 0, alike)
    rows = proposed(_with_pairs(_with_ungraded(_NOTHING, questions), pairs), 0, np.nan)
    note = (
        f"Nothing is graded on bank {bank} yet. Grade it with: examboard grade {quoted(snapshot.collection)} "
        f"--bank {quoted(bank.name)}"
    )
    notes = [note, *_notes(snapshot, questions, rows)]
    return Health(bank, alike, ROWS.of(rows), pairs, _queries(snapshot, rows, None), notes)


def unevenness(sizes: Mapping[str, int]) -> list[str]:
    """A sentence where queries have different numbers of questions, and which have few or many.

    Parameters
    ----------
    sizes : number of questions by query
    """
    if len(set(sizes.values())) < 2:
        return []
    middle = median(sizes.values())
    far = {query: size for query, size in sizes.items() if size * 2 < middle or size > 2 * middle}
    least, most = min(sizes.values()), max(sizes.values())
    sentence = (
        f"Queries have {least:,} to {most:,} questions, {middle:,g} in the median. Queries count alike, so a question "
        "counts for more in a query with few."
    )
    if far:
        named = listed([f"{query} ({size:,})" for query, size in sorted(far.items(), key=lambda item: item[1])])
        sentence += f" Fewer than half the median, or more than twice: {named}."
    return [sentence]


_KEYS = ["query_id", "question_id"]
_OF_PAIRS = ("other_id", "other_text", "alike", "phi", "by")
_JUDGED = ("relevant", "relevant_reached", "not_relevant", "not_relevant_reached")
_NOTHING = pd.DataFrame(
    columns=[*DIFFICULTY.names, *_JUDGED, "relevant_share", "not_relevant_share", "carries", "fall"]
)


def _questions(snapshot: Snapshot, bank: BankRef) -> dict[Key, Question]:
    rows = snapshot.query(
        "SELECT * FROM questions WHERE bank_id = ? AND version = ? AND enabled", [bank.name, bank.version]
    )
    return bank_of(rows)


def _joined(items: Difficulty, judged: Breadth, displaced: pd.DataFrame) -> pd.DataFrame:
    """The graded questions with all numbers that something may be found from."""
    rows = items.rows.merge(judged.questions, how="left", on=_KEYS, validate="one_to_one")
    for name in ("relevant", "not_relevant"):
        some = rows[name].where(rows[name] > 0)
        rows[f"{name}_share"] = rows[f"{name}_reached"] / some
    mine = displaced[displaced["carried"].astype(bool)]
    of_runs = mine.groupby("question_id", sort=False)
    carries = of_runs["run_id"].agg(", ".join)
    fall = of_runs["fall"].agg(lambda falls: ", ".join(f"{fall:g}" for fall in falls))
    return rows.assign(carries=rows["question_id"].map(carries), fall=rows["question_id"].map(fall))


def _with_ungraded(rows: pd.DataFrame, bank: Bank) -> pd.DataFrame:
    """The rows with those of questions that the grader has not seen at all, all in the bank's order."""
    names = [*zip(rows["query_id"], rows["question_id"], strict=True)]
    seen = {(name, question) for query, question in names for name in (query, page_of(query))}
    unseen = [question for key, question in bank.items() if key not in seen]
    new = [
        {
            "query_id": question.query_id,
            "question_id": question.question_id,
            "question_text": question.text,
            "facet": question.facet_text or question.facet_id,
            "graded": 0,
        }
        for question in unseen
    ]
    places = {key: place for place, key in enumerate(bank)}
    own = [places.get(key, places.get((page_of(key[0]), key[1]), 0)) for key in names]
    own += [places[question.key] for question in unseen]
    every = pd.DataFrame([*rows.to_dict("records"), *new], columns=rows.columns) if new else rows
    return every.iloc[np.argsort(own, kind="stable")].reset_index(drop=True)


def _with_pairs(rows: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    known = redundant(pairs)
    found = [
        known.get((query, question)) or known.get((page_of(query), question)) or {}
        for query, question in zip(rows["query_id"], rows["question_id"], strict=True)
    ]
    texts = {name: pd.Series([one.get(name) for one in found], rows.index, dtype=object) for name in _OF_PAIRS}
    numbers = {name: texts[name].astype(float) for name in ("alike", "phi")}
    return rows.assign(**texts | numbers)


def _queries(snapshot: Snapshot, rows: pd.DataFrame, judged: Breadth | None) -> pd.DataFrame:
    frame = (
        rows.assign(found=rows["proposal"] != KEEP)
        .groupby("query_id", as_index=False)
        .agg(questions=("question_id", "size"), found=("found", "sum"))
    )
    if judged is not None:
        frame = frame.merge(judged.queries, how="left", on="query_id", validate="one_to_one")
    texts = query_texts(snapshot)
    frame["query_text"] = [texts.get(name) or texts.get(page_of(name)) for name in frame["query_id"]]
    frame = frame.reindex(columns=QUERIES.names)
    return frame.sort_values(["unreached", "query_id"], ascending=[False, True], ignore_index=True)


def _notes(snapshot: Snapshot, bank: Bank, rows: pd.DataFrame) -> list[str]:
    sizes = {str(name): int(size) for name, size in rows["query_id"].value_counts(sort=False).items()}
    notes = unevenness(sizes)
    asked = {*sizes, *map(page_of, sizes)}
    without = [name for name in query_ids(snapshot) if name not in asked and page_of(name) not in asked]
    if without:
        notes.append(f"{counted({'queries': len(without)})} without a question: {listed(without)}.")
    wordless = sum(not normalised(question.text) for question in bank.values())
    if wordless:
        notes.append(f"{counted({'questions': wordless})} without words: compared by their answers alone.")
    return notes
