"""Versions of a bank: what changed from one to another, question by question, and a bank with changes made to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import pandas as pd

from exam_core.analysis.shared_columns import BANK, QUERY, QUESTION, QUESTION_TEXT
from exam_core.errors import UsageError, visible
from exam_core.question import Key, Question
from exam_core.results import ResultTable, count, decimal, flag, number, text
from exam_core.store import Snapshot
from exam_core.store.names import BankRef
from exam_core.store.question_banks import find_bank, version_questions
from exam_core.store.snapshot import cached_by_snapshot
from exam_core.wings.banks.editing import LIKENESS, Bank, Joined, bank_of, joined
from exam_core.wording import counted

How = Literal["added", "reworded", "merged", "changed", "removed"]
LONGEST_SHOWN = 300
"""Characters of a text that a message shows."""


@dataclass(frozen=True)
class Change:
    """Some questions of a bank (none where one is added, several where they were merged), and the one in their place.

    `after` is None where a question was removed.
    """

    before: tuple[Question, ...]
    after: Question | None

    @property
    def how(self) -> How:
        """What was done, in one word."""
        if self.after is None:
            return "removed"
        if not self.before:
            return "added"
        if len(self.before) > 1:
            return "merged"
        return "changed" if self.before[0].key == self.after.key else "reworded"

    @property
    def query_id(self) -> str:
        """Of its questions."""
        return (self.after or self.before[0]).query_id


def diff(old: Bank, new: Bank) -> list[Change]:
    """What makes the new version of the old one, in the order of the new one; what was removed comes last.

    A question that is gone is taken for the one that remembers it, or that it remembers where the new version is the
    earlier one (`Question.lineage`), under the same query.
    """
    gone = {key for key in old if key not in new}
    remembered = {(key[0], parent): key for key in gone for parent in old[key].lineage.parents}
    changes: list[Change] = []
    for key, after in new.items():
        parents = [(after.query_id, parent) for parent in after.lineage.parents]
        parents += [remembered[key]] if key in remembered and key not in old else []
        taken = [parent for parent in dict.fromkeys(parents) if parent in gone]
        gone.difference_update(taken)
        same = [old[key]] if key in old else []
        before = (*same, *(old[parent] for parent in taken))
        if before != (after,):
            changes.append(Change(before, after))
    return changes + [Change((question,), None) for key, question in old.items() if key in gone]


def applied(bank: Bank, changes: Iterable[Change]) -> dict[Key, Question]:
    """The bank with changes made to it: each result stands where the first of its questions stood.

    What is added comes after the last question of its query, or at the end. A change of what is gone is none.
    """
    placed: dict[Key, Question | None] = {}
    added: list[Question] = []
    for change in changes:
        keys = [question.key for question in change.before if question.key in bank]
        placed |= dict.fromkeys(keys)
        if keys and change.after is not None:
            placed[keys[0]] = change.after
        elif not change.before and change.after is not None:
            added.append(change.after)
    stand = (placed.get(key, question) for key, question in bank.items())
    rows = [question for question in stand if question is not None]
    by_query: dict[str, list[Question]] = {}
    for question in added:
        by_query.setdefault(question.query_id, []).append(question)
    last = {question.query_id: place for place, question in enumerate(rows)}
    questions: dict[Key, Question] = {}
    for place, question in enumerate(rows):
        questions[question.key] = question
        if last[question.query_id] == place:
            questions |= {new.key: new for new in by_query.pop(question.query_id, [])}
    return questions | {new.key: new for rest in by_query.values() for new in rest}


_FIELD_WORDS = {
    "kind": "kind",
    "importance": "importance",
    "weight": "weight",
    "enabled": "enabled",
    "gold_answers": "answers",
    "choices": "choices",
    "facet_id": "facet",
    "facet_text": "facet's title",
    "creators": "creators",
    "extra": "other fields",
}
"""Fields besides the text and what they are called."""


def _field_in_words(question: Question, name: str) -> str:
    """Return a field of a question besides its text in words, for instance `weight 2`."""
    value = getattr(question, name)
    if name == "enabled":
        return "on" if value else "off"
    if name == "weight":
        return f"weight {value:g}"
    return f"{_FIELD_WORDS[name]} {_cut((', '.join(value) if isinstance(value, tuple) else value) or 'none')}"


def _cut(text: str) -> str:
    shown = visible(text[: LONGEST_SHOWN + 1], line_ends=False)
    return shown if len(text) <= LONGEST_SHOWN else f"{shown[:LONGEST_SHOWN]}..."


_LISTED = """
WITH held AS (
    SELECT bank_id, version, count(*) AS questions, count(*) FILTER (enabled) AS enabled FROM questions GROUP BY ALL
)
SELECT bank_id AS bank, version, questions, enabled, base, coalesce(created, '') AS created,
    coalesce(author, 'unknown') AS author, coalesce(reason, '') AS reason
FROM held LEFT JOIN versions USING (bank_id, version)
WHERE bank_id = coalesce($bank, bank_id) AND version = coalesce($version, version) ORDER BY ALL
"""
VERSIONS = ResultTable(
    "bank list: rows",
    "Versions of question banks, oldest first",
    replace(BANK, pinned=True),
    number("version", "Version", "From 1; bank@version names it wherever a bank is named.", "versions"),
    count("questions", "Questions", "All questions of the version, also those that are switched off.", "questions"),
    count("enabled", "Count", "Questions that are on: only these count.", "questions"),
    number("base", "Edited from", "The version that was edited; none for an imported bank.", "versions"),
    text("created", "Made", "Time, UTC."),
    text("author", "Author", "A name, or account@machine; unknown for old versions."),
    text("reason", "Reason", "Why, in the author's words.", width="large"),
)
QUESTIONS = ResultTable(
    "bank show: rows",
    "The questions of a version of a bank, in its order",
    QUERY,
    text("facet", "Facet", "The part of the query that the question belongs to: the part's title, or else its id."),
    QUESTION,
    QUESTION_TEXT,
    text("kind", "Kind", "Question or claim."),
    text("importance", "Importance", "Vital, okay or avoid, or another word of its file."),
    decimal("weight", "Weight", "1 unless the questions are weighted.", "weight"),
    flag("enabled", "On", "Yes if the question counts."),
    text("answers", "Answers", "The question's answer key, separated by |."),
    text("choices", "Choices", "Choices of a multiple-choice question, separated by |."),
    text(
        "comes_from", "Comes from", "IDs of the questions from which this one was reworded or merged, separated by |."
    ),
)
CHANGES = ResultTable(
    "bank diff: rows",
    "Differences between two versions of a bank, question by question; removed questions last",
    QUERY,
    text("change", "Change", "Added, reworded, merged, changed (in anything but the text), or removed."),
    text(
        "before", "Before", "The question's text, or the texts of the merged questions, separated by |.", width="large"
    ),
    text("after", "After", "The question's new text; empty if it was removed.", width="large"),
    text("fields", "Other changes", "Changes of anything but the text, before and after."),
    text(
        "question_id_before", "Question ID before", "The question's ID; for merged questions all IDs, separated by |."
    ),
    text("question_id_after", "Question ID after"),
)
PAIRS = ResultTable(
    "bank merge: rows",
    "Questions of a bank beside those of another bank to be merged, most similar first",
    QUERY,
    text("becomes", "Becomes", "Same: the bank has it. Merged: one question. Near: both stay."),
    decimal("likeness", "Alike", LIKENESS, "share"),
    text("question", "Question", "Text of the question in the bank.", width="large"),
    text("brought", "Brought", "Text of the question in the other bank.", width="large"),
    text("question_id", "Question ID"),
    text("brought_id", "Brought ID"),
)


@cached_by_snapshot(4)
def questions_of(snapshot: Snapshot, bank: str, version: int) -> Bank:
    """The questions of a version. Raises UsageError where there are none: its import was undone."""
    questions = bank_of(version_questions(snapshot, bank, version))
    if not questions:
        raise UsageError(f"{BankRef(bank, version)} no longer exists: its import was undone.")
    return questions


def version_rows(snapshot: Snapshot, bank: str | None = None) -> pd.DataFrame:
    """`VERSIONS` of a bank (of one version, where `genq@1` names it), or of all banks.

    Raises UsageError where there is no such bank, or no such version of it.
    """
    name, version = (None, None) if bank is None else find_bank(snapshot, bank)
    only = version if bank and BankRef.parse(bank).version is not None else None
    return VERSIONS.of(snapshot.query(_LISTED, {"bank": name, "version": only}).astype({"base": "Int32"}))


def question_rows(questions: Iterable[Question]) -> pd.DataFrame:
    """`QUESTIONS` of some questions."""
    return QUESTIONS.of(
        (
            question.query_id,
            question.facet_text or question.facet_id or "",
            question.question_id,
            question.text or "",
            question.kind,
            question.importance or "",
            question.weight,
            question.enabled,
            _listed(question.gold_answers or ()),
            _listed(question.choices or ()),
            _listed(question.lineage.parents),
        )
        for question in questions
    )


def change_rows(changes: Iterable[Change]) -> pd.DataFrame:
    """`CHANGES` of some changes."""
    return CHANGES.of(
        (
            change.query_id,
            change.how,
            _listed([question.text or "" for question in change.before]),
            (change.after.text or "") if change.after else "",
            _changed_fields(change),
            _listed([question.question_id for question in change.before]),
            change.after.question_id if change.after else "",
        )
        for change in changes
    )


def changes_between(snapshot: Snapshot, old: str, new: str) -> list[Change]:
    """What makes one version of another; they may be of two banks.

    Raises UsageError where there is no such bank, or no such version of it. `old`, `new`: `genq@1`, or `genq` for its
    newest version.
    """
    questions, other = (questions_of(snapshot, *find_bank(snapshot, text)) for text in (old, new))
    return diff(questions, other)


def join_banks(snapshot: Snapshot, bank: str, other: str, *, alike: float | None = None) -> Joined:
    """What bringing another bank's questions into a bank would make; nothing is stored (`joined`).

    Raises UsageError where there is no such bank, or `alike` is out of range.
    """
    if alike is not None and not 0 < alike <= 1:
        raise UsageError(f"--alike {alike:g}: give a similarity above 0 and up to 1, for instance 0.9.")
    own, others = (questions_of(snapshot, *find_bank(snapshot, text)) for text in (bank, other))
    return joined(own, others, alike=alike)


def pair_rows(result: Joined) -> pd.DataFrame:
    """`PAIRS` of what would be joined."""
    rows = [
        (
            pair.question.query_id,
            becomes,
            pair.likeness,
            pair.question.text or "",
            pair.incoming.text or "",
            pair.question.question_id,
            pair.incoming.question_id,
        )
        for becomes, pairs in (("same", result.same), ("merged", result.merged), ("near", result.near))
        for pair in pairs
    ]
    return PAIRS.of(sorted(rows, key=lambda row: -row[2]))


def joined_in_words(result: Joined) -> list[str]:
    """What joining two banks did, in sentences."""
    merged = f", and {counted({'were': len(result.merged)})} merged with a near-duplicate" if result.merged else ""
    sentences = [
        f"Of the other bank, {counted({'questions were': len(result.same)})} there already, "
        f"{counted({'are': len(result.added)})} new{merged}."
    ]
    if result.near:
        many = counted({"new questions are": len(result.near)})
        sentences.append(f"{many} similar to one of the bank; --alike merges such questions, --dry-run lists them.")
    return sentences


def changes_in_words(changes: Sequence[Change]) -> str:
    """How many questions were changed and how, for instance `2 reworded, 1 added`; `nothing` where none was."""
    hows = [change.how for change in changes]
    return ", ".join(f"{hows.count(how):,} {how}" for how in dict.fromkeys(hows)) or "nothing"


def _changed_fields(change: Change) -> str:
    """What differs besides the words, as `weight 1 -> weight 2`."""
    if not change.before or change.after is None:
        return ""
    before, after = change.before[0], change.after
    names = [name for name in _FIELD_WORDS if getattr(before, name) != getattr(after, name)]
    pairs = [(_field_in_words(before, name), _field_in_words(after, name)) for name in names]
    if change.how == "changed" and before.lineage != after.lineage:
        pairs.append((_origin(before), _origin(after)))
    return "; ".join(f"{old} -> {new}" for old, new in pairs)


def _origin(question: Question) -> str:
    return f"comes from {_listed(question.lineage.parents) or 'none'}"


def _listed(texts: Iterable[str]) -> str:
    return " | ".join(texts)
