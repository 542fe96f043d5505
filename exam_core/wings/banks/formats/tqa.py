"""TQA's lessons (Kembhavi et al. 2017): the multiple-choice questions about their texts as a question bank.

A lesson is a query, `tqa2:` before its id as in TREC CAR Y3, and a question has TQA's own id (NDQ_000615): so the
authors' graded files name both. What TQA says of a question stands in `extra` under `tqa`, as it is.
"""

from __future__ import annotations

from typing import Any

import msgspec

from exam_core.formats.banks.by_object import by_object
from exam_core.formats.banks.kind import BANK
from exam_core.formats.banks.rows import BankRows
from exam_core.formats.format import Format, Opening

PREFIX = "tqa2:"
_REMEDY = "A lesson is an object with globalID, lessonName and questions, as in tqa_v1_train.json."
_KEYLESS = "{:,} questions have no answer key: the answer that their file calls correct is none of their choices."
_DIAGRAMS = "{:,} questions about diagrams are left out."
_TEXTS = "{:,} texts of lessons are left out: they are passages, not questions."
_TRUTH = {"t": "true", "f": "false"}
_TELLING = {"nonDiagramQuestions", "diagramQuestions", "lessonName", "adjunctTopics", "diagramAnnotations"}


class _TqaText(msgspec.Struct):
    processedText: str | None = None  # noqa: N815
    rawText: str | None = None  # noqa: N815


class _TqaQuestion(msgspec.Struct):
    beingAsked: _TqaText  # noqa: N815
    answerChoices: dict[str, _TqaText] = {}  # noqa: N815
    correctAnswer: _TqaText | None = None  # noqa: N815


class _TqaQuestions(msgspec.Struct):
    nonDiagramQuestions: dict[str, _TqaQuestion] = {}  # noqa: N815
    diagramQuestions: dict[str, Any] = {}  # noqa: N815


class _Lesson(msgspec.Struct):
    globalID: str  # noqa: N815
    questions: _TqaQuestions
    lessonName: str | None = None  # noqa: N815


@by_object(_Lesson, "a lesson of TQA", _REMEDY)
def read_tqa(rows: BankRows, line: int, lesson: _Lesson, untyped: dict[str, Any]) -> None:
    """Take a lesson of TQA; the correct choice is the answer key.

    Questions about diagrams and the texts of lessons are no part of a bank: notes count them.
    """
    query_id = lesson.globalID if lesson.globalID.startswith(PREFIX) else PREFIX + lesson.globalID
    rows.query(line, query_id, lesson.lessonName or None)
    plain, questions = untyped["questions"].get("nonDiagramQuestions", {}), lesson.questions.nonDiagramQuestions
    keys = {name: _correct(question) for name, question in questions.items()}
    rows.left[_KEYLESS] += list(keys.values()).count(None)
    rows.left[_DIAGRAMS] += len(lesson.questions.diagramQuestions)
    rows.left[_TEXTS] += len(untyped.get("topics") or ()) + len(untyped.get("adjunctTopics") or ())
    for name, question in questions.items():
        choices = [_text(words) for words in question.answerChoices.values()]
        gold = keys[name]
        columns = {
            "question_id": name,
            "question_text": _text(question.beingAsked),
            "choices": choices or None,
            "gold_answers": None if gold is None else [gold],
            "extra": {"tqa": plain[name]},
        }
        rows.question(line, query_id, columns)


def _text(words: _TqaText) -> str:
    return words.rawText or "" if words.processedText is None else words.processedText


def _correct(question: _TqaQuestion) -> str | None:
    """The correct choice: TQA names it by its letter, or by its words; None where it is none of the choices."""
    said = "" if question.correctAnswer is None else _text(question.correctAnswer).strip()
    choices = {key: _text(words) for key, words in question.answerChoices.items()}
    if said in choices:
        return choices[said]
    if not choices:
        return said or None
    by_letter = {key.strip(" .()").lower(): text for key, text in choices.items()}
    by_words = {text.strip().lower(): text for text in choices.values()}
    named = said.strip(" .()").lower()
    return by_letter.get(named, by_words.get(said.lower(), by_words.get(_TRUTH.get(named, ""))))


def _fits(opening: Opening) -> bool:
    return bool(opening.names & _TELLING)


ROWS = (Format(kind=BANK, written="TQA", looks="lessons of TQA", order=1, fits=_fits, read=read_tqa),)
