"""SQuAD 1 and 2, and what is written like it: questions about the paragraphs of articles as a question bank.

An article is a query: its title is both the query's id and its text. What SQuAD says of a question beyond its words and
id, such as where in the paragraph an answer stands, is in `extra` under `squad`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from exam_core.formats.banks.kind import BANK
from exam_core.formats.banks.rows import BankRows, Text, beyond
from exam_core.formats.documents import decode_object, objects, pieces
from exam_core.formats.format import Format, Opening
from exam_core.formats.json_lines import bad_line, decoded, reporting
from exam_core.formats.reading import Reading
from exam_core.progress import Progress, no_progress

_IMPOSSIBLE = "{:,} questions are marked as impossible to answer and are switched off."
_PARAGRAPHS = "{:,} paragraphs are left out: they are passages, not questions."
_REMEDY = (
    'A document is {"version": "v2.0", "data": [{"title": "...", "paragraphs": [{"context": "...", '
    '"qas": [{"id": "...", "question": "...", "answers": [{"text": "...", "answer_start": 0}]}]}]}]}.'
)


class _SquadAnswer(msgspec.Struct):
    text: str


class _SquadQuestion(msgspec.Struct):
    id: Text
    question: str
    answers: list[_SquadAnswer] | None = None
    is_impossible: bool | None = None


class _Paragraph(msgspec.Struct):
    qas: list[_SquadQuestion]


class _Article(msgspec.Struct):
    title: Text
    paragraphs: list[_Paragraph]


class _SquadFile(msgspec.Struct):
    data: list[msgspec.Raw]


def read_squad(path: Path, *, bank_id: str, progress: Progress = no_progress) -> Reading:
    """Read a document written as SQuAD; an answer that several people gave is once in the answer key.

    Questions marked as impossible are switched off: their paragraph does not answer them. Paragraphs are passages, and
    left out; notes count both. Raises BadInput where the document or an article is no such object, or an id occurs
    again with another question.
    """
    rows, typed = BankRows(path, bank_id), msgspec.json.Decoder(_Article)
    for line, raw in objects(path, rows.problems, progress):
        with reporting(rows.problems, line, raw, "a document as SQuAD has it", _REMEDY):
            for at, article in pieces(raw, line, _articles(raw)):
                with reporting(rows.problems, at, article, "an article as SQuAD has it", _REMEDY):
                    _add(rows, at, *decode_object(article, typed))
    return rows.reading()


def _articles(raw: bytes) -> list[msgspec.Raw]:
    """The articles of a document, not decoded; BadLine where it is none."""
    try:
        found = msgspec.json.decode(raw, type=_SquadFile)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise bad_line(error, raw) from None
    decoded(raw)
    return found.data


def _add(rows: BankRows, line: int, article: _Article, untyped: dict[str, Any]) -> None:
    query_id = str(article.title)
    rows.query(line, query_id, query_id.replace("_", " "))
    for number, (paragraph, raw) in enumerate(zip(article.paragraphs, untyped["paragraphs"], strict=True)):
        for question, plain in zip(paragraph.qas, raw["qas"], strict=True):
            rows.left[_IMPOSSIBLE] += question.is_impossible is True
            answers = question.answers
            columns = {
                "question_id": str(question.id),
                "question_text": question.question,
                "gold_answers": None if answers is None else list(dict.fromkeys(answer.text for answer in answers)),
                "enabled": not question.is_impossible,
                "extra": {"squad": {"paragraph": number, **beyond(plain, ("id", "question"))}},
            }
            rows.question(line, query_id, columns)
    rows.left[_PARAGRAPHS] += len(article.paragraphs)


def _fits(opening: Opening) -> bool:
    return {"data", "paragraphs"} <= opening.names


ROWS = (Format(kind=BANK, written="SQuAD", looks="questions written as SQuAD", order=2, fits=_fits, read=read_squad),)
