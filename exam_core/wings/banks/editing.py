"""An edited bank: what a file says of it, and what can't be stored."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import msgspec
import pandas as pd

from exam_core.errors import SHOWN, BadInput, is_utf8, visible
from exam_core.formats.reading import fault_of_id
from exam_core.question import CLAIM, FIELDS, NO_LINEAGE, QUESTION, Key, Question, plain, rows_of
from exam_core.wings.banks.bank_questions import Bank, bank_of, question_id, reworded
from exam_core.wording import counted

_TEXTS = ("text", "importance", "facet_id", "facet_text")
_LISTS = ("gold_answers", "choices")
_NOTHING_STORED = "Nothing was stored."


def edit_of(base: Bank, rows: pd.DataFrame, name: str) -> dict[Key, Question]:
    """The bank that a file makes of its base: the whole of it, in the file's order.

    A question that keeps its id and has another text is a rewording: it gets an id of its own and remembers the old
    one. What a file does not say of a question that the base has, the base says: its text and facet's title, its
    creators, lineage and other fields. An answer key, choices and an importance that the file leaves out are gone.

    Raises BadInput where two of its questions become one.

    Parameters
    ----------
    rows : of the table `questions`; one without a question_id is a new question
    name : of the file, for messages
    """
    found: dict[Key, Question] = {}
    twice: list[str] = []
    for key, told in bank_of(_with_ids(rows)).items():
        old = base.get(key)
        new = told if old is None else _edited(old, told)
        if new.key in found:
            twice.append(
                f"  query {new.query_id}: {_shown(new.text or '')!r} is asked by {key[1]} and by another question"
            )
        found[new.key] = new
    if twice:
        remedy = f"Merge them: keep one line. {_NOTHING_STORED}"
        raise BadInput("\n".join([f"{name}: some questions get the text of another question.", *_first(twice), remedy]))
    return found


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


def _edited(old: Question, told: Question) -> Question:
    """A question as a file has it, completed by what its base says; with another text, another question."""
    new = replace(
        told,
        text=old.text if told.text is None else told.text,
        facet_text=told.facet_text or old.facet_text,
        creators=told.creators or old.creators,
        lineage=old.lineage if told.lineage == NO_LINEAGE else told.lineage,
        extra=told.extra or old.extra,
    )
    if old.text is None or new.text is None or plain(new.text) == plain(old.text):
        return new
    return reworded(replace(new, text=old.text), new.text)


def refuse_faults(bank: str, questions: Bank, before: Bank) -> None:
    """Raise BadInput for a bank that can't be stored, or in which an edit made two questions of the same words.

    What the bank had before is not looked at again: a bank that was imported with faults can be edited.

    Parameters
    ----------
    bank : its name, for the message
    before : the version that was edited
    """
    if not questions:
        raise BadInput(
            f"Bank {bank}: no question is left, and a bank needs one.\n"
            f"Switch questions off instead of removing them all. {_NOTHING_STORED}"
        )
    faults = [
        f"  query {_shown(one.query_id)}, question {_shown(one.question_id)}: {what}"
        for key, one in questions.items()
        if one != before.get(key)
        for what in _faults(key, one, before.get(key))
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
    texts = [getattr(question, name) for name in _TEXTS] + [
        one for name in _LISTS for one in getattr(question, name) or ()
    ]
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
    counts = Counter(words for one in questions.values() if (words := _words(one)))
    had = Counter(words for one in before.values() if (words := _words(one)))
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
