"""What ails a bank: questions that are alike, that nobody or everybody answers, and that tell good runs from bad."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from statistics import median

import pandas as pd

from exam_core.analysis.evaluation.caveats import listed
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.shared_columns import QUERY, QUESTION, QUESTION_TEXT
from exam_core.asked import Asked
from exam_core.question import Key, Question
from exam_core.results import ResultTable, share, text
from exam_core.store import Snapshot
from exam_core.store.names import BankRef, page_of
from exam_core.store.question_banks import find_bank
from exam_core.store.summary import banks, query_ids
from exam_core.wings.banks.analysis.difficulty import ROWS, difficulty
from exam_core.wings.banks.bank_questions import Bank, bank_of
from exam_core.wings.banks.duplicates import ALIKE, LIKENESS, near_duplicates, normalised
from exam_core.wording import counted, quoted

PAIRS = ResultTable(
    "bank health: pairs",
    "Pairs of questions of a query in nearly the same words, the most alike first",
    QUERY,
    share("alike", "Alike", LIKENESS, "characters"),
    QUESTION_TEXT,
    replace(QUESTION_TEXT, name="other_text", label="Other question"),
    text("only_one", "Only in the first", "Words of the first question that the other lacks."),
    text("only_other", "Only in the other"),
    QUESTION,
    replace(QUESTION, name="other_id", label="Other question ID"),
)


@dataclass(frozen=True)
class Health:
    """What was found of a bank.

    Parameters
    ----------
    bank : its name and version
    alike : from which questions are in nearly the same words
    pairs : `PAIRS`
    rows : `ROWS` of `difficulty`: who answers each question, and whether it tells good runs from bad
    tau : smallest grade that answers; None where nothing is graded
    """

    bank: BankRef
    alike: float
    pairs: pd.DataFrame
    rows: pd.DataFrame
    notes: list[str]
    tau: int | None = None


def health(snapshot: Snapshot, choice: Evaluation, *, alike: float = ALIKE) -> Health:
    """Which enabled questions of a graded bank are alike, who answers each, and what each tells of the runs.

    Parameters
    ----------
    alike : of `near_duplicates`

    Raises
    ------
    UsageError : no such reference, nothing to evaluate, or as `near_duplicates`
    UndefinedMeasure : the grader labels whole passages
    """
    items = difficulty(snapshot, choice)
    ref = choice.grading.bank or BankRef("")
    bank = _questions(snapshot, ref)
    notes = list(dict.fromkeys([*_notes(snapshot, bank), *items.notes]))
    return Health(ref, alike, _pairs(bank, alike), items.rows, notes, choice.cut)


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
    note = (
        f"Nothing is graded on bank {bank} yet. Grade it with: examboard grade {quoted(snapshot.collection)} "
        f"--bank {quoted(bank.name)}"
    )
    return Health(bank, alike, _pairs(questions, alike), ROWS.of(), [note, *_notes(snapshot, questions)])


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
        f"Queries have {least:,} to {most:,} questions; the median is {middle:,g}. All queries have the same weight, "
        "so a question counts for more in a query with few questions."
    )
    if far:
        named = listed([f"{query} ({size:,})" for query, size in sorted(far.items(), key=lambda item: item[1])])
        sentence += f" Fewer than half the median, or more than twice: {named}."
    return [sentence]


def _questions(snapshot: Snapshot, bank: BankRef) -> dict[Key, Question]:
    rows = snapshot.query(
        "SELECT * FROM questions WHERE bank_id = ? AND version = ? AND enabled", [bank.name, bank.version]
    )
    return bank_of(rows)


def _pairs(bank: Bank, alike: float) -> pd.DataFrame:
    rows = [
        (
            *(pair.one.query_id, pair.alike, pair.one.text, pair.other.text),
            *(*map(" ".join, pair.differing), pair.one.question_id, pair.other.question_id),
        )
        for pair in near_duplicates(bank, alike)
    ]
    return PAIRS.of(rows)


def _notes(snapshot: Snapshot, bank: Bank) -> list[str]:
    sizes: dict[str, int] = {}
    for query, _ in bank:
        sizes[query] = sizes.get(query, 0) + 1
    notes = unevenness(sizes)
    asked = {*sizes, *map(page_of, sizes)}
    without = [name for name in query_ids(snapshot) if name not in asked and page_of(name) not in asked]
    if without:
        notes.append(f"{counted({'queries': len(without)})} without a question: {listed(without)}.")
    wordless = sum(not normalised(question.text) for question in bank.values())
    if wordless:
        notes.append(f"{counted({'questions': wordless})} without words can't be compared.")
    return notes
