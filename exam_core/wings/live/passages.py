"""The passages of a live page: what runs returned for each query, with grades, judgments and evidence."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from exam_core.analysis.choice import Grading, LabelRule
from exam_core.analysis.values import gradebook, pair_labels
from exam_core.measures.gradebook import Gradebook, Labels
from exam_core.numbers.arrays import Ints
from exam_core.progress import Progress, no_progress
from exam_core.request import DEPTH, Request
from exam_core.store.evidence import passage_texts
from exam_core.store.names import BankRef
from exam_core.store.pairs import texts_of
from exam_core.store.question_texts import questions_under
from exam_core.store.summary import qrels_ids
from exam_core.tables import OFFICIAL, UNGRADED, UNREADABLE
from exam_core.texts.marking import mark_all, stems_of
from exam_core.texts.scripts import Place
from exam_core.wings.live.cube import Cube
from exam_core.wings.live.data import Numbered

_RANKED = "SELECT query_id, run_id, rank, doc_id FROM rankings WHERE rank <= $depth ORDER BY query_id, rank, run_id"


@dataclass(frozen=True)
class BankQuestions:
    """The questions of a bank under a query.

    Attributes
    ----------
    questions : id and text of each that counts, in the bank's order; the text is None where only the id is known
    marks : for each passage and question, where the passage has words of the question's key
    """

    questions: list[tuple[str, str | None]]
    marks: list[list[list[Place]]]


@dataclass(frozen=True)
class GradedPassages:
    """What a grading mode says of a query's passages; UNGRADED and UNREADABLE as in a gradebook.

    Attributes
    ----------
    bank : place of its questions in `QueryPassages.banks`; None for labels of whole passages
    labels : by label rank, the label of each passage
    grades : (passages, questions)
    """

    bank: int | None
    labels: list[Labels]
    grades: Labels


@dataclass(frozen=True)
class QueryPassages:
    """The passages that some run returned for a query within the depth, by their best rank.

    Attributes
    ----------
    query_text : None where only the id is known
    passages : id and text of each; the text is None where only the id is known
    ranked : by run, the places in `passages` of what it returned, first place first
    judged : human judgment of each, UNGRADED without one
    modes : by place in the axes; None for a mode that graded nothing of the query
    """

    query_id: str
    query_text: str | None
    passages: list[tuple[str, str | None]]
    ranked: dict[str, Ints]
    judged: Labels
    banks: list[BankQuestions]
    modes: list[GradedPassages | None]


def depth_of(request: Request) -> int:
    """How many passages of each ranking a live page shows: also where rankings are read to their ends, not all."""
    return request.depth or DEPTH


def passages(cube: Cube, *, progress: Progress = no_progress) -> Iterator[QueryPassages]:
    """The passages of each query of the cube's boards, in the order of `cube.query_ids`."""
    snapshot = cube.snapshot
    rankings = snapshot.query(_RANKED, {"depth": depth_of(cube.request)})
    texts = passage_texts(snapshot, sorted(set(rankings["doc_id"])))
    by_query = dict(tuple(rankings.groupby("query_id", sort=False)))
    judged = LabelRule(Grading(judgments=OFFICIAL), cube.request.depth) if OFFICIAL in qrels_ids(snapshot) else None
    rules = _rules(cube)
    query_texts = texts_of(snapshot, cube.query_ids)
    for number, (query, query_text) in enumerate(zip(cube.query_ids, query_texts, strict=True), start=1):
        ranked = by_query.get(query, rankings[:0])
        docs = pd.Index(ranked["doc_id"].unique())
        known = [texts.get(doc) for doc in docs]
        banks, modes = _graded(cube, rules, query, docs, known)
        yield QueryPassages(
            query,
            None if query_text is None else str(query_text),
            list(zip(docs, known, strict=True)),
            {run: docs.get_indexer(pd.Index(rows["doc_id"])) for run, rows in ranked.groupby("run_id")},
            _of_docs(pair_labels(snapshot, judged), gradebook(snapshot, judged), query, docs)
            if judged
            else np.full(len(docs), UNGRADED, np.int8),
            banks,
            modes,
        )
        progress(number / len(cube.query_ids))


def _rules(cube: Cube) -> list[list[LabelRule]]:
    """By mode and label rank, what passages are worth; none for a mode without a board."""
    known = {(mode, rank): choice.labelling for (mode, _, _, rank), choice in cube.choices.items() if choice.of_grades}
    ranks = range(len(cube.axes.label_ranks))
    return [[known[mode, rank] for rank in ranks if (mode, rank) in known] for mode in range(len(cube.axes.modes))]


def _graded(
    cube: Cube, rules: list[list[LabelRule]], query: str, docs: pd.Index, texts: Sequence[str | None]
) -> tuple[list[BankQuestions], list[GradedPassages | None]]:
    """The questions of the banks, and what each mode says of the passages."""
    snapshot, places, banks = cube.snapshot, dict[tuple[BankRef, tuple[str, ...]], int](), list[BankQuestions]()
    modes: list[GradedPassages | None] = []
    for of_mode in rules:
        book = gradebook(snapshot, of_mode[0]) if of_mode else None
        if book is None or query not in book.query_ids:
            modes.append(None)
            continue
        labels = [_of_docs(pair_labels(snapshot, rule), book, query, docs) for rule in of_mode]
        bank, place = of_mode[0].grading.bank, None
        columns = book.columns(book.query_ids.index(query)) if bank else np.arange(0)
        if bank:
            names = book.question_ids[book.query_ids.index(query)]
            questions = tuple(names[column] for column in columns)
            place = places.setdefault((bank, questions), len(banks))
            if place == len(banks):
                banks.append(_bank_questions(cube, bank, query, questions, texts))
        modes.append(GradedPassages(place, labels, _of_docs(book.grades, book, query, docs)[:, columns]))
    return banks, modes


def _bank_questions(
    cube: Cube, bank: BankRef, query: str, names: Sequence[str], texts: Sequence[str | None]
) -> BankQuestions:
    rows = questions_under(cube.snapshot, bank.name, bank.version or 0, query).set_index("question_id")
    words = [(rows["question_text"].get(name), rows["gold_answers"].get(name)) for name in names]
    keys = [stems_of(text, () if gold is None else gold) for text, gold in words]
    marks = [[marking.places for marking in mark_all(text or "", keys)] for text in texts]
    return BankQuestions([(name, text) for name, (text, _) in zip(names, words, strict=True)], marks)


def _of_docs(values: Labels, book: Gradebook, query: str, docs: pd.Index) -> Labels:
    """Of values of a gradebook's pairs, those of some passages of a query; UNGRADED where there is none."""
    if query not in book.query_ids:
        return np.full((len(docs), *values.shape[1:]), UNGRADED, np.int8)
    unit = book.query_ids.index(query)
    first, last = np.searchsorted(book.pair_query, [unit, unit + 1])
    place = pd.Index(np.asarray(book.docs[first:last], object)).get_indexer(docs)
    counts: Labels = values[first:last][np.maximum(place, 0)]
    counts[place < 0] = UNGRADED
    return counts


UNREAD = "?"
"""A grade that could not be read; one that is not there is null."""


def live_passages(each: Iterable[QueryPassages], runs: Sequence[str]) -> Iterator[str]:
    """The block of each query as JSON. A passage of an earlier block is its number there, behind that block's.

    Parameters
    ----------
    runs : in the order of the page's
    """
    homes: dict[str, list[int]] = {}
    for number, query_passages in enumerate(each):
        listed: list[list[Any]] = []
        for place, (doc, text) in enumerate(query_passages.passages):
            listed.append(homes.get(doc, [doc, text]))
            homes.setdefault(doc, [number, place])
        block = {
            "query": query_passages.query_text,
            "passages": listed,
            "judged": _grades(query_passages.judged),
            "ranked": [query_passages.ranked[run].tolist() if run in query_passages.ranked else [] for run in runs],
            "banks": [_marked_questions(bank) for bank in query_passages.banks],
            "modes": [None if mode is None else _graded_passages(mode) for mode in query_passages.modes],
        }
        yield json.dumps(block, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def about_passages(cube: Cube) -> dict[str, Any]:
    """How many passages of a ranking there are at most, and by mode and tau the tau that its labels are read at."""
    # A measure with a tau of its own, P(rel=2)@10, counts only where there is no other.
    choices = sorted(cube.choices.items(), key=lambda item: not item[1].measure.rel)
    read = {
        (mode, at): evaluation.tau
        for (mode, _, at, _), evaluation in choices
        if evaluation.of_grades and not evaluation.grading.judgments
    }
    modes, taus = (range(len(listed)) for listed in (cube.axes.modes, cube.axes.taus))
    return {"depth": depth_of(cube.request), "taus": [[read.get((mode, at)) for at in taus] for mode in modes]}


def _graded_passages(mode: GradedPassages) -> dict[str, Any]:
    return {
        "bank": mode.bank,
        "labels": [_grades(labels) for labels in mode.labels],
        "grades": [_grades(row) for row in mode.grades],
    }


def _grades(values: Labels) -> list[int | str | None]:
    return [None if value == UNGRADED else UNREAD if value == UNREADABLE else int(value) for value in values]


def _marked_questions(bank: BankQuestions) -> dict[str, Any]:
    """The questions; of each passage the marked places, with the number of the group of questions that mark it."""
    groups = Numbered()
    return {
        "questions": bank.questions,
        "marks": [_marks(mark, groups) for mark in bank.marks],
        "groups": groups.values,
    }


def _marks(by_question: Sequence[Sequence[Place]], groups: Numbered) -> list[int]:
    """Of each place how far it begins after the one before, how long it is, and its group."""
    result: dict[Place, list[int]] = {}
    for number, places in enumerate(by_question):
        for place in places:
            result.setdefault(place, []).append(number)
    flat, before = [], 0
    for start, end in sorted(result):
        flat += [start - before, end - start, groups.of(result[start, end])]
        before = start
    return flat
