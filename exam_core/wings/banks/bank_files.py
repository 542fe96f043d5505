"""Question banks in the forms of other tools: the questions of a run (TREC DRAGUN), SQuAD, TQA and rubrics, read; and
all forms, written.

A query is a topic of a run, an article of SQuAD, a lesson of TQA with `tqa2:` before its id as in TREC CAR Y3, or the
request that criteria are about. What a file says of a question beyond our columns stands in `extra` under `squad`,
`tqa` or `rubrics`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd

from exam_core.formats.banks.nuggetizer import write_nuggets
from exam_core.formats.banks.question_rows import write_csv, write_json
from exam_core.formats.banks.rows import (
    AVOID,
    BANK,
    CLAIM,
    BankLines,
    BankRows,
    Names,
    Text,
    Texts,
    beyond,
    by_object,
    checked,
    columns_of,
    part,
    present,
    rows_of,
)
from exam_core.formats.banks.workbench import write_items
from exam_core.formats.format import Format, Opening
from exam_core.formats.json_lines import BadLine, reporting
from exam_core.formats.numbers import as_whole
from exam_core.formats.plain_tables import PlainTable, words
from exam_core.formats.reading import Reading, refuse_several_runs
from exam_core.progress import Progress, no_progress
from exam_core.request import BankForm
from exam_core.tables import id_of_digest
from exam_core.wings.banks.nuggetbank import write_nugget_banks, write_ragtime26
from exam_core.wording import counted

QUESTIONS_OF_RUNS = PlainTable(
    columns=dict.fromkeys(("query_id", "team", "run_id", "rank", "question_text"), words()), bare=True
)
"""A row has no header, and its cells stand in this order."""
_REMEDY_OF_RUNS = "A line has a topic, a team, a run, a rank and a question, with tabs between them."


def read_question_runs(path: Path, *, bank_id: str, progress: Progress = no_progress) -> Reading:
    """Read the questions in the file's order. Raises BadInput where it holds several runs, or a row is short."""
    rows, runs = BankRows(path, bank_id), set[str]()
    for line, row in QUESTIONS_OF_RUNS.records(path, rows.problems, progress):
        runs.add(row["run_id"])
        rows.query(line, row["query_id"])
        with reporting(rows.problems, line, "\t".join(row.values()).encode(), "a question of a run", _REMEDY_OF_RUNS):
            rows.question(line, row["query_id"], {"question_text": row["question_text"]})
    refuse_several_runs(path, runs, f"--bank {bank_id}")
    return rows.reading()


def _fits_question_runs(opening: Opening) -> bool:
    cells = [line.split("\t") for line in opening.lines]
    is_question = [
        len(row) == len(QUESTIONS_OF_RUNS.columns) and as_whole(row[3]) is not None and " " in row[4] for row in cells
    ]
    return sum(is_question) * 2 > len(cells)


_IMPOSSIBLE = "{:,} questions are marked as impossible to answer and are switched off."
_PARAGRAPHS = "{:,} paragraphs are left out: they are passages, not questions."
_REMEDY_OF_SQUAD = (
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
    data: list[_Article]


@by_object(_SquadFile, "a document as SQuAD has it", _REMEDY_OF_SQUAD)
def read_squad(rows: BankRows, line: int, document: _SquadFile, untyped: dict[str, Any]) -> None:
    """Take a document written as SQuAD; an answer that several people gave is once in the answer key.

    Questions marked as impossible are switched off: their paragraph does not answer them. Paragraphs are passages, and
    left out; notes count both.
    """
    for article, raw in zip(document.data, untyped["data"], strict=True):
        query_id = str(article.title)
        rows.query(line, query_id, query_id.replace("_", " "))
        for number, (paragraph, inside) in enumerate(zip(article.paragraphs, raw["paragraphs"], strict=True)):
            for question, plain in zip(paragraph.qas, inside["qas"], strict=True):
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


PREFIX = "tqa2:"
_REMEDY_OF_TQA = "A lesson is an object with globalID, lessonName and questions, as in tqa_v1_train.json."
_KEYLESS = "{:,} questions have no answer key: the answer that their file calls correct is none of their choices."
_DIAGRAMS = "{:,} questions about diagrams are left out."
_TEXTS = "{:,} texts of lessons are left out: they are passages, not questions."
_TRUTH = {"t": "true", "f": "false"}
_FIELDS_OF_TQA = {"nonDiagramQuestions", "diagramQuestions", "lessonName", "adjunctTopics", "diagramAnnotations"}


class _TqaText(msgspec.Struct):
    processedText: str | None = None  # noqa: N815
    rawText: str | None = None  # noqa: N815

    def __str__(self) -> str:
        return self.rawText or "" if self.processedText is None else self.processedText


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


@by_object(_Lesson, "a lesson of TQA", _REMEDY_OF_TQA)
def read_tqa(rows: BankRows, line: int, lesson: _Lesson, untyped: dict[str, Any]) -> None:
    """Take a lesson of TQA; the correct choice is the answer key.

    Questions about diagrams and the texts of lessons are no part of a bank: notes count them.
    """
    query_id = PREFIX + lesson.globalID.removeprefix(PREFIX)
    rows.query(line, query_id, lesson.lessonName or None)
    for name, question in lesson.questions.nonDiagramQuestions.items():
        choices = {key: str(words) for key, words in question.answerChoices.items()}
        gold = _correct(str(question.correctAnswer or "").strip(), choices)
        rows.left[_KEYLESS] += gold is None
        columns = {
            "question_id": name,
            "question_text": str(question.beingAsked),
            "choices": list(choices.values()) or None,
            "gold_answers": None if gold is None else [gold],
            "extra": {"tqa": untyped["questions"]["nonDiagramQuestions"][name]},
        }
        rows.question(line, query_id, columns)
    rows.left[_DIAGRAMS] += len(lesson.questions.diagramQuestions)
    rows.left[_TEXTS] += len(untyped.get("topics") or ()) + len(untyped.get("adjunctTopics") or ())


def _correct(named: str, choices: dict[str, str]) -> str | None:
    """The correct choice: TQA names it by its letter, or by its words; None where it is none of the choices."""
    if named in choices or not choices:
        return choices.get(named, named or None)
    by_letter = {key.strip(" .()").lower(): text for key, text in choices.items()}
    by_words = {text.strip().lower(): text for text in choices.values()}
    letter = named.strip(" .()").lower()
    return by_letter.get(letter, by_words.get(named.lower(), by_words.get(_TRUTH.get(letter, ""))))


_OF_A_RUBRIC: Names = {
    "query_id": ("qid", "query_id", "topic_id", "sample_id", "prompt_id", "task_id", "id"),
    "query_text": ("query", "query_text", "prompt", "question", "narrative"),
}
_OF_A_CRITERION: Names = {
    "question_text": ("criterion", "criteria", "title", "description"),
    "weight": ("weight", "points"),
}
"""Our fields, each with the names that files have for it."""
_LIST = re.compile(r'"rubrics"\s*:\s*\[')
_REMEDY_OF_RUBRICS = (
    'A line is one JSON object such as {"qid": "q1", "prompt": "...", "rubrics": [{"criterion": "...", "weight": -2}]}.'
)


class _Rubrics(msgspec.Struct):
    rubrics: list[dict[str, Any]]


@by_object(_Rubrics, "a rubric of a query", _REMEDY_OF_RUBRICS)
def read_rubrics(rows: BankRows, line: int, typed: _Rubrics, fields: dict[str, Any]) -> None:
    """Take a rubric: a criterion is a claim, one of negative weight is to be avoided, and counts.

    A criterion that a query has more than once stays that often, as `...#2` and so on. One without a weight weighs 1.
    """
    query, rest = columns_of(fields, _OF_A_RUBRIC)
    request = query.pop("query_text", None)
    text = request if isinstance(request, str) else _conversation_text(request)
    query_id, copies = str(checked(query).query_id), Counter[str]()
    rows.only(line, query_id, "rubric")
    rows.query(line, query_id, text)
    # A conversation stays as it is, too.
    is_kept = {name for name in fields if name in rest or (request is not text and fields[name] is request)}
    common = beyond(fields, fields.keys() - is_kept | {"rubrics"})
    for number, item in enumerate(typed.rubrics, 1):
        with part(f"rubrics {number}"):
            columns, more = columns_of(item, _OF_A_CRITERION)
            words, weight = columns.get("question_text"), columns.get("weight", 1.0)
            if not isinstance(words, str) or not words.strip():
                raise BadLine("a criterion without words", cause="no words")
            copies[words] += 1
            columns["question_id"] = id_of_digest(query_id, words) + (f"#{copies[words]}" if copies[words] > 1 else "")
            if isinstance(weight, int | float) and math.copysign(1, weight) < 0:
                columns |= {"weight": abs(weight), "importance": AVOID, "enabled": True}
            kept = present({"item": more or None, "bank": common or None})
            columns |= {"kind": CLAIM, "extra": {"rubrics": kept} if kept else None}
            rows.question(line, query_id, columns)


def _conversation_text(request: Any) -> str | None:
    """A conversation as a text: its only message, or each with who says it."""
    if not isinstance(request, list) or not all(isinstance(message, dict) for message in request):
        return None
    pairs = [
        (message.get("role"), message["content"]) for message in request if isinstance(message.get("content"), str)
    ]
    return pairs[0][1] if len(pairs) == 1 else "\n\n".join(f"{role}: {text}" for role, text in pairs) or None


def _fits_rubrics(opening: Opening) -> bool:
    # Long conversations may stand before the criteria, as in HealthBench; other forms of ours have both in `extra`.
    is_rubric = bool(_LIST.search(opening.text)) or "ideal_completions_data" in opening.names
    return is_rubric and not opening.names & {"question_id", "question_text", "items"}


FORMS: dict[BankForm, Callable[[list[dict[str, Any]], Texts], BankLines]] = {
    "workbench": write_items,
    "nuggetbank": write_nugget_banks,
    "nuggetizer": write_nuggets,
    "ragtime26": write_ragtime26,
    "csv": write_csv,
    "json": write_json,
}
_WORDS = {
    "question_text": "texts (only the id is known)",
    "gold_answers": "answer keys",
    "importance": "importances",
    "avoided": "avoid-nuggets",
    "questions_without_words": "questions without words",
    "claims": "claims",
    "kind": "kinds (all are nuggets there)",
    "enabled": "on-or-off marks",
    "weight": "weights",
    "choices": "choice lists",
    "creators": "creators",
    "lineage": "lineages",
    "facet_id": "facets",
    "facet_text": "facet texts",
    "extra": "other fields",
}


def write_form(form: BankForm, questions: pd.DataFrame, queries: pd.DataFrame) -> BankLines:
    """A bank in a form: the lines of the file, and notes on what has no place in it.

    `questions` are its rows of the table `questions`; `queries` may be those of other queries too.
    """
    known = queries.astype(object).where(queries.notna(), None)
    texts = known.set_index("query_id")[["query_text", "title", "subtopic"]].to_dict("index")
    written = FORMS[form](rows_of(questions), texts)
    left = {_WORDS[name]: count for name, count in written.left_out.items() if count}
    if left:
        fields = counted({"fields": sum(left.values())})
        written.notes.insert(0, f"{form} has no place for {fields}, and leaves out: {counted(left)}.")
    return written


ROWS = (
    Format(
        kind=BANK,
        written="questions of a run (TREC DRAGUN)",
        looks="the questions of a run",
        order=29,
        fits=_fits_question_runs,
        read=read_question_runs,
        explains=(),
    ),
    Format(
        kind=BANK,
        written="SQuAD",
        looks="questions written as SQuAD",
        order=2,
        fits=lambda opening: {"data", "paragraphs"} <= opening.names,
        read=read_squad,
    ),
    Format(
        kind=BANK,
        written="TQA",
        looks="lessons of TQA",
        order=1,
        fits=lambda opening: bool(opening.names & _FIELDS_OF_TQA),
        read=read_tqa,
    ),
    Format(
        kind=BANK,
        written="rubrics with signed weights",
        looks="rubrics",
        # Before lists of questions, which a rubric's prompt may be taken for.
        order=4,
        fits=_fits_rubrics,
        read=read_rubrics,
    ),
)
