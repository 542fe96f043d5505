"""Editing and merging banks: questions as values, near duplicates, and the rules by which two banks become one."""

from __future__ import annotations

import math
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
import numpy as np
import pandas as pd
from rapidfuzz import fuzz, process

from exam_core.errors import SHOWN, BadInput, UsageError, is_utf8, visible
from exam_core.formats.reading import fault_of_id
from exam_core.question import CLAIM, FIELDS, NO_LINEAGE, QUESTION, Key, Lineage, Question, plain, rows_of
from exam_core.tables import QUESTIONS, question_id
from exam_core.wording import counted

VITAL, OKAY, AVOID = "vital", "okay", "avoid"
Bank = Mapping[Key, Question]
"""The questions of one version, in its order."""


def bank_of(frame: pd.DataFrame) -> dict[Key, Question]:
    """A version's rows of the table `questions` as values."""
    bank: dict[Key, Question] = {}
    for row in frame.to_dict("records"):
        fields = {name: _as_plain_value(row[column]) for column, name in FIELDS.items()}
        text = fields["lineage"]
        fields["lineage"] = msgspec.json.decode(text, type=Lineage) if text else NO_LINEAGE
        question = Question(**fields | {"kind": fields["kind"] or QUESTION})
        bank[question.key] = question
    return bank


def frame_of(questions: Iterable[Question], bank_id: str, version: int) -> pd.DataFrame:
    """Questions as a frame of the table `questions`."""
    rows = [row | {"bank_id": bank_id, "version": version} for row in rows_of(questions)]
    return QUESTIONS.frame({name: [row[name] for row in rows] for name in QUESTIONS.names})


def reworded(question: Question, text: str) -> Question:
    """The question in other words: another question with another id, which remembers what it was.

    Words that are equal when they are compared (`plain`) leave it the question that it is.
    """
    new_id = question_id(question.query_id, text, question.facet_id)
    if question.text is not None and plain(text) == plain(question.text):
        return replace(question, text=text)
    was = question.lineage
    came = (name for name in (question.question_id, *was.reworded_from) if name != new_id)
    return replace(question, text=text, question_id=new_id, lineage=Lineage(tuple(came), was.merged_from))


def merged(questions: Iterable[Question], text: str | None = None) -> Question:
    """Several questions of a query as one: the first one, or other words for it, with all answer keys.

    Without `text` the first one stays the question that it is.
    """
    first, *others = questions
    gold = tuple(dict.fromkeys(answer for item in (first, *others) for answer in item.gold_answers or ()))
    question = replace(first, gold_answers=gold or None)
    words = first.text if text is None else text
    if words is not None and plain(words) != plain(first.text):
        question = replace(question, text=words, question_id=question_id(first.query_id, words, first.facet_id))
    came = dict.fromkeys(name for entry in (first, *others) for name in (entry.question_id, *entry.lineage.parents))
    parents = (name for name in came if name not in (question.question_id, *first.lineage.reworded_from))
    return replace(question, lineage=Lineage(first.lineage.reworded_from, tuple(parents)))


def _as_plain_value(value: Any) -> Any:
    if value is None or isinstance(value, str | bool | int):
        return value
    if hasattr(value, "tolist"):  # an array of texts, or a number of numpy's
        value = value.tolist()
    if isinstance(value, list | tuple):
        return tuple(map(str, value))
    return value if isinstance(value, bool | int | float) and value == value else None  # pandas' words for nothing


_TEXTS = ("text", "importance", "facet_id", "facet_text")
_LISTS = ("gold_answers", "choices")
_NOTHING_STORED = "Nothing was stored."


def edit_of(base: Bank, rows: pd.DataFrame, name: str) -> dict[Key, Question]:
    """The bank that a file makes of its base: the whole of it, in the file's order.

    A question that keeps its id and has another text is a rewording: it gets an id of its own and remembers the old
    one. What a file does not say of a question that the base has, the base says: its text and facet's title, its
    creators, lineage and other fields. An answer key, choices and an importance that the file leaves out are gone.

    Raises BadInput where two of its questions become one. `rows`: of the table `questions`; one without a question_id
    is a new question.
    """
    questions: dict[Key, Question] = {}
    twice: list[str] = []
    for key, question in bank_of(_with_ids(rows)).items():
        old = base.get(key)
        new = question if old is None else _completed(old, question)
        if new.key in questions:
            twice.append(
                f"  query {new.query_id}: {_shown(new.text or '')!r} is asked by {key[1]} and by another question"
            )
        questions[new.key] = new
    if twice:
        remedy = f"Merge them: keep one line. {_NOTHING_STORED}"
        raise BadInput("\n".join([f"{name}: some questions get the text of another question.", *_first(twice), remedy]))
    return questions


def table_of(bank: Bank) -> pd.DataFrame:
    """The questions of a bank as rows that `edit_of` takes; each column can hold nothing."""
    types = dict.fromkeys(FIELDS, "object") | {"weight": "Float64", "enabled": "boolean"}
    return pd.DataFrame(rows_of(bank.values()), columns=list(FIELDS)).astype(types)


def put_back(others: pd.DataFrame, edited: pd.DataFrame, queries: Sequence[str]) -> pd.DataFrame:
    """Edited rows together with those that were not shown, by query in the order of `queries`.

    A new row that says nothing of its weight, kind or whether it counts has the usual.
    """
    edited = edited.fillna({"weight": 1.0, "enabled": True, "kind": QUESTION})
    rows = pd.concat([others, edited], ignore_index=True) if len(others) else edited
    places = {name: place for place, name in enumerate(queries)}
    return rows.sort_values("query_id", key=lambda names: names.map(places), kind="stable", ignore_index=True)


def _with_ids(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows, new ones with an id; those without words and id are no questions."""
    is_new = rows["question_id"].isna()
    rows = rows[~is_new | (rows["question_text"].fillna("").str.strip() != "")]
    if not is_new.any():
        return rows
    ids = [
        question_id(row.query_id, row.question_text) if pd.isna(row.question_id) else row.question_id
        for row in rows.itertuples()
    ]
    return rows.assign(question_id=ids)


def _completed(old: Question, question: Question) -> Question:
    """A question as a file has it, completed by what its base says; with another text, another question."""
    new = replace(
        question,
        text=old.text if question.text is None else question.text,
        facet_text=question.facet_text or old.facet_text,
        creators=question.creators or old.creators,
        lineage=old.lineage if question.lineage == NO_LINEAGE else question.lineage,
        extra=question.extra or old.extra,
    )
    if old.text is None or new.text is None or plain(new.text) == plain(old.text):
        return new
    return reworded(replace(new, text=old.text), new.text)


def refuse_faults(bank: str, questions: Bank, before: Bank) -> None:
    """Raise BadInput for a bank that can't be stored, or in which an edit made two questions of the same words.

    What the bank had `before`, in the version that was edited, is not looked at again: a bank that was imported with
    faults can be edited.
    """
    if not questions:
        raise BadInput(
            f"Bank {bank}: no question is left, and a bank needs one.\n"
            f"Switch questions off instead of removing them all. {_NOTHING_STORED}"
        )
    faults = [
        f"  query {_shown(question.query_id)}, question {_shown(question.question_id)}: {what}"
        for key, question in questions.items()
        if question != before.get(key)
        for what in _faults(key, question, before.get(key))
    ]
    faults += _equal_words(questions, before)
    if faults:
        many = "1 thing" if len(faults) == 1 else f"{len(faults):,} things"
        raise BadInput("\n".join([f"Bank {bank}: {many} can't be stored.", *_first(faults), _NOTHING_STORED]))


def _first(lines: list[str]) -> list[str]:
    more = len(lines) - SHOWN
    return [*lines[:SHOWN], *([f"  ... and {more:,} more like these."] if more > 0 else [])]


def _faults(key: Key, question: Question, before: Question | None) -> Iterator[str]:
    if question.text is None and (before is None or before.text is not None):
        yield "has no text; give it words"
    if key != question.key:
        yield f"is listed as {key[1]} of query {key[0]}; list it by its own ids"
    for name in ("query_id", "question_id"):
        if fault := fault_of_id(getattr(question, name)):
            yield f"its {name} {fault}; give it another one"
    if question.text is not None and not question.text.strip() and question.enabled:
        yield "has a blank text and counts; give it words, or switch it off"
    if not math.isfinite(question.weight) or question.weight < 0:
        yield f"has the weight {question.weight:g}; a weight is a number from 0"
    if question.kind not in (QUESTION, CLAIM):
        yield f"has the kind {_shown(question.kind)}; a kind is {QUESTION} or {CLAIM}"
    texts = [getattr(question, name) for name in _TEXTS]
    texts += [item for name in _LISTS for item in getattr(question, name) or ()]
    if not all(map(is_utf8, filter(None, texts))):
        yield "has a text that is not UTF-8; write it again"
    for name in ("creators", "extra"):
        if not _is_json(getattr(question, name)):
            yield f"its {name} are no JSON; leave them out"


def _is_json(text: str | None) -> bool:
    try:
        msgspec.json.decode(text or "null")
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return False
    return True


def _equal_words(questions: Bank, before: Bank) -> list[str]:
    """Questions that count and ask the same under one query and facet, unless the bank had them so."""
    counts = Counter(words for question in questions.values() if (words := _words(question)))
    had = Counter(words for item in before.values() if (words := _words(item)))
    return [
        f"  query {_shown(words[0])}: {counted({'questions are': count})} "
        f"{_shown(words[2])!r}; merge them, or switch others off"
        for words, count in counts.items()
        if count > max(1, had[words])
    ]


def _words(question: Question) -> tuple[str, str, str] | None:
    """What no two questions that count share: query, facet and `plain` text; None where it is off or has no text."""
    if not question.enabled or question.text is None:
        return None
    return question.query_id, question.facet_id or "", plain(question.text)


def _shown(text: str) -> str:
    return visible(text, line_ends=False)[:160]


ALIKE = 0.9
"""Questions at least so alike are near duplicates where nobody says."""
LIKENESS = "Share of equal letters, with the words of each question sorted (rapidfuzz's token_sort_ratio)."
LEAST_ALIKE = 0.5
"""Below this, any two questions of a query are alike."""
MOST_PAIRS = 100_000
"""More pairs than somebody could look at; they would fill the memory."""
MOST_WORK = 3e10
"""Steps of the comparison that are taken at most: about half a minute."""
_OF_A_PAIR, _WORD, _CELLS = 100, 64, 2**22
_AROUND = " .,;:?!¿¡…\"'`´“”„‘’«»‹›()[]{}"
"""What stands around a word and is no part of it; C++ and C# stay two words."""


@dataclass(frozen=True)
class Pair:
    """Two questions of a query in nearly the same words; `alike` is the share of the characters that both have."""

    first: Question
    other: Question
    alike: float

    @property
    def differing(self) -> tuple[list[str], list[str]]:
        """Words that only the one has, and words that only the other has, ascending."""
        words = [Counter(normalised(question.text).split()) for question in (self.first, self.other)]
        return sorted((words[0] - words[1]).elements()), sorted((words[1] - words[0]).elements())


def normalised(text: str | None) -> str:
    """What is compared of a question: its words in lower case, without punctuation around them, ascending.

    Compatible characters are the same (Unicode's NFKC). Empty where there are no words: such a question is like none.
    """
    folded = unicodedata.normalize("NFKC", text or "").casefold()
    return " ".join(sorted(filter(None, (word.strip(_AROUND) for word in folded.split()))))


def near_duplicates(bank: Bank, alike: float = ALIKE) -> list[Pair]:
    """All pairs of questions of a query that are at least so alike, the most alike first, then in the bank's order.

    Two questions are as alike as twice the longest common subsequence of their normalised texts is long, over the
    length of both (Indel similarity). In what order the words stand makes no difference. Every pair is compared that
    could be so alike, by its lengths; facets of a query are compared with each other.

    Raises UsageError where `alike` is out of range, or there is more to compare, or to show, than can be. `alike`: from
    0.5 to 1; 1 finds questions of the same words.

    Source: Levenshtein 1966 without substitutions, as in rapidfuzz's `token_sort_ratio`.
    """
    if not LEAST_ALIKE <= alike <= 1:
        raise UsageError(f"--alike {alike:g}: choose {LEAST_ALIKE:g} to 1; 1 finds questions of the same words only.")
    by_query: dict[str, list[tuple[str, int, Question]]] = {}
    for place, candidate in enumerate(bank.values()):
        if text := normalised(candidate.text):
            by_query.setdefault(candidate.query_id, []).append((text, place, candidate))
    groups = [sorted(group, key=lambda row: (len(row[0]), row[1])) for group in by_query.values()]
    if sum(_work(rows, alike) for rows in groups) > MOST_WORK:
        raise UsageError(
            f"There is too much to compare: a query has {max(map(len, groups)):,} questions, or their texts are very "
            "long. Raise --alike, which leaves fewer lengths to compare, or look at fewer questions."
        )
    result: list[tuple[float, int, int, Pair]] = []
    for rows in groups:
        for row, column, value in _alike(rows, alike):
            (_, first, question), (_, second, other) = rows[row], rows[column]
            if first < second:
                result.append((-value, first, second, Pair(question, other, value)))
        if len(result) > MOST_PAIRS:
            raise UsageError(
                f"More than {MOST_PAIRS:,} pairs of questions are at least {alike:g} alike. Raise --alike, or merge "
                "equal questions first."
            )
    return [pair for *_, pair in sorted(result, key=lambda row: row[:3])]


_Questions = Sequence[tuple[str, int, Question]]
"""Of a query: normalised text, place in the bank, and question; the shortest text first."""


def _windows(rows: _Questions, alike: float) -> Iterator[tuple[int, int]]:
    """For each row those that are neither too short nor too long to be so alike."""
    lengths = [len(text) for text, _, _ in rows]
    ratio = (2 - alike) / alike
    for length in lengths:
        # One more each way: the bound itself must not fall to rounding.
        yield bisect_left(lengths, int(length / ratio)), bisect_right(lengths, int(length * ratio) + 1)


def _work(rows: _Questions, alike: float) -> float:
    """Steps of comparing the rows with each other: a machine word of the one for each character of the other."""
    return float(
        sum(
            (high - low) * (_OF_A_PAIR + len(text) * (len(text) // _WORD + 1))
            for (text, _, _), (low, high) in zip(rows, _windows(rows, alike), strict=True)
        )
    )


def _alike(rows: _Questions, alike: float) -> Iterator[tuple[int, int, float]]:
    """Row, column and likeness of what is alike enough; a block of some million cells at a time."""
    texts, windows = [text for text, _, _ in rows], list(_windows(rows, alike))
    start = 0
    while start < len(rows):
        low = windows[start][0]
        end = start + 1
        while end < len(rows) and (end + 1 - start) * (windows[end][1] - low) <= _CELLS:
            end += 1
        cells = process.cdist(
            texts[start:end],
            texts[low : windows[end - 1][1]],
            scorer=fuzz.ratio,
            score_cutoff=100 * alike - 1e-6,
            dtype=np.float64,
        )
        for row, column in np.argwhere(cells > 0).tolist():
            yield start + row, low + column, round(float(cells[row, column]) / 100, 9)
        start = end


@dataclass(frozen=True)
class Alike:
    """A question of the bank and one that was brought, with how alike their words are, from 0 to 1."""

    question: Question
    incoming: Question
    likeness: float


@dataclass(frozen=True)
class Joined:
    """A bank and another one as one bank.

    Of the imported questions `same` are in the bank in the same words, `merged` became one with a near-duplicate, in
    the bank's words, and `added` are those that the bank did not have. `near` are near-duplicates that both stand in
    the bank.
    """

    bank: dict[Key, Question]
    same: list[Alike] = field(default_factory=list)
    merged: list[Alike] = field(default_factory=list)
    near: list[Alike] = field(default_factory=list)
    added: list[Question] = field(default_factory=list)


def nearest(words: str, others: Sequence[str], least: float) -> tuple[int, float] | None:
    """Which of some texts is the most like another, and how alike they are; None where none is at least so alike.

    All are from `normalised`; `least` is a share of letters in common, words in any order (rapidfuzz,
    token_sort_ratio).
    """
    if not words:
        return None
    result = process.extractOne(words, others, scorer=fuzz.ratio, processor=None, score_cutoff=100 * least)
    return None if result is None else (result[2], result[1] / 100)


def joined(bank: Bank, other: Bank, *, alike: float | None = None) -> Joined:
    """Bring the questions of another bank into a bank.

    Questions are compared within a query and facet. One in the same words is joined: the bank's stays, with the answers
    of both. Of near-duplicates the bank's words stay; the question remembers the other one. Questions that are alike
    within one of the banks stay as they are. `alike`: likeness from which near-duplicates are merged, above 0 to 1;
    None merges none, and names those from `ALIKE`.
    """
    result = Joined(dict(bank))
    places: dict[tuple[str, str], _Place] = defaultdict(_Place)
    for question in bank.values():
        places[_place(question)].add(question, own=True)
    for imported in other.values():
        place = places[_place(imported)]
        near = _nearest(place, result.bank, imported, ALIKE if alike is None else min(alike, ALIKE))
        if near is not None and near.likeness >= (_SAME if alike is None else alike):
            (result.same if near.likeness == _SAME else result.merged).append(near)
            result.bank[near.question.key] = both = _both(near.question, imported)
            places[_place(both)].add(both)
            continue
        new = _with_free_id(result.bank, imported)
        if near is not None and near.likeness >= ALIKE:
            result.near.append(replace(near, incoming=new))
        result.bank[new.key] = new
        result.added.append(new)
        place.add(new)
    return result


_SAME = 1.0
_BELOW_SAME = 0.9999
"""Likeness of texts that differ, in case or order for instance: only the same words are 1."""


@dataclass
class _Place:
    """The questions of a query and facet: all by their words, and those that the bank had, to be compared."""

    by_words: dict[str, Key] = field(default_factory=dict)
    keys: list[Key] = field(default_factory=list)
    words: list[str] = field(default_factory=list)

    def add(self, question: Question, *, own: bool = False) -> None:
        if question.text is None:
            return
        self.by_words.setdefault(plain(question.text), question.key)
        if own and (words := normalised(question.text)):
            self.keys.append(question.key)
            self.words.append(words)


def _place(question: Question) -> tuple[str, str]:
    return question.query_id, question.facet_id or ""


def _nearest(place: _Place, bank: Bank, question: Question, least: float) -> Alike | None:
    """The question in the same words, or the most alike; where only ids are known, the one of the same id."""
    known = bank.get(question.key)
    if known is not None and (question.text is None or known.text is None):
        return Alike(known, question, _SAME)
    if question.text is None:
        return None
    if (key := place.by_words.get(plain(question.text))) is not None:
        return Alike(bank[key], question, _SAME)
    near = nearest(normalised(question.text), place.words, least)
    return None if near is None else Alike(bank[place.keys[near[0]]], question, min(near[1], _BELOW_SAME))


def _both(question: Question, imported: Question) -> Question:
    """The bank's question with what the other one adds: its answers, its id, its words where only an id was known."""
    if question.key != imported.key:
        return merged([question, imported])
    answers = tuple(dict.fromkeys((*(question.gold_answers or ()), *(imported.gold_answers or ()))))
    report = imported if question.text is None else question
    words = {name: getattr(report, name) for name in ("text", "facet_id", "facet_text")}
    return replace(question, gold_answers=answers or None, **words)


def _with_free_id(bank: Bank, question: Question) -> Question:
    """The question; where its id means another one in the bank, with the id that its words give it."""
    new, number = question, 1
    while new.key in bank:
        made = question_id(question.query_id, question.text or "", question.facet_id)
        new = replace(question, question_id=made if number == 1 else f"{made}-{number}")
        number += 1
    return new
