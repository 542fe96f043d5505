"""Reading graded files."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd

from exam_core.errors import BadInput, Problems
from exam_core.formats.extra import TooDeep, check_depth, encode_extra
from exam_core.formats.json_lines import BadLine, add_bad_line, bad_line, excerpt
from exam_core.formats.labels import known_scale
from exam_core.formats.lines import numbered_lines
from exam_core.formats.reading import Reading, Rows
from exam_core.formats.trec import trec_rank
from exam_core.formats.workbench.schema import (
    LOOSE,
    PASS_FIELDS,
    PASSAGE_FIELDS,
    PASSES,
    Direct,
    Exam,
    Id,
    Judgment,
    Line,
    Passage,
    Ranking,
    difference_to,
    direct_entry,
    exam_entry,
    judgment_entry,
    make_plain,
    ranking_entry,
)
from exam_core.progress import Progress, no_progress
from exam_core.tables import GRADES, JUDGMENTS, OFFICIAL, PASSAGES, POOL, QUERIES, QUESTIONS, RANKINGS

PLAIN_DIGIT = re.compile(r"[0-5]")
_SCORE = ("score",)
TOP = 20
"""Places of a ranking that the papers grade."""
NO_CLASS = "QuestionPromptWithChoices"
"""The workbench's prompt class for grades that name none."""


@dataclass
class _WorkbenchReader:
    """The rows of a file while it is read."""

    problems: Problems
    bank_id: str | None
    grader_id: str | None
    graders: dict[str, dict[str, Any]] = field(default_factory=dict)
    counted: Counter[str] = field(default_factory=Counter)
    questions: dict[tuple[str, str, str], int] = field(default_factory=dict)
    items: set[str] = field(default_factory=set)
    asked: dict[str, dict[str, dict[str, None]]] = field(default_factory=dict)
    """By grading pass and query, the questions that it asks."""
    ids: dict[str, str] = field(default_factory=dict)
    models: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.queries, self.passages, self.pool = Rows(QUERIES), Rows(PASSAGES), Rows(POOL)
        self.rankings, self.judgments, self.grades = Rows(RANKINGS), Rows(JUDGMENTS), Rows(GRADES)
        self.query_ids: set[str] = set()
        self.texts: dict[str, str | None] = {}
        self.places: dict[tuple[str, str], int] = {}
        self.listed = 0

    def text(self, value: Id) -> str:
        """The id as text, one object for all its occurrences."""
        name = str(value)
        return self.ids.setdefault(name, name)

    def add_query(self, line: int, query: Id) -> None:
        """Take a query; it may have no passages."""
        query_id = self.text(query)
        if query_id not in self.query_ids:
            self.query_ids.add(query_id)
            self.queries.add(line, query_id)

    def add(self, line: int, query: Id, passage: Passage, raw: dict[str, Any]) -> None:
        """Take one passage under a query."""
        query_id, doc_id = self.text(query), self.text(passage.paragraph_id)
        self._add_text(line, doc_id, passage.text)
        extra = {name: value for name, value in raw.items() if name not in PASSAGE_FIELDS}
        data = raw["paragraph_data"]
        if beyond := {name: value for name, value in data.items() if name not in ("judgments", "rankings")}:
            extra["paragraph_data"] = beyond
        for judgment, item in zip(passage.paragraph_data.judgments, data["judgments"], strict=True):
            self._add_judgment(line, query_id, doc_id, judgment, item)
        for ranking, item in zip(passage.paragraph_data.rankings, data["rankings"], strict=True):
            self._add_ranking(line, query_id, doc_id, ranking, item)
        passes = self._add_passes(line, query_id, doc_id, passage, raw)
        if passes:
            extra[PASSES] = passes
        # A passage that occurs again under its query keeps its first place.
        place = self.places.setdefault((query_id, doc_id), self.listed)
        self.listed += 1
        self.pool.add(line, query_id, doc_id, place, encode_extra(extra))

    def _add_text(self, line: int, doc_id: str, text: str | None) -> None:
        if doc_id not in self.texts:
            self.texts[doc_id] = text
            self.passages.add(line, doc_id, text, text_hash(text))
        elif self.texts[doc_id] != text:
            self.problems.add(
                line,
                f"passage {doc_id} has another text than on an earlier line",
                text or "",
                "One id stands for one text: correct the text, or give the passage an id of its own.",
            )

    def _add_judgment(self, line: int, query_id: str, doc_id: str, judgment: Judgment, raw: dict[str, Any]) -> None:
        unit, relevance = self.text(judgment.query), judgment.relevance
        own = judgment_entry(unit, doc_id, relevance, query_id)
        extra = encode_extra(difference_to(own, raw) | _page(unit, query_id))
        self.judgments.add(line, OFFICIAL, unit, doc_id, relevance, extra)

    def _add_ranking(self, line: int, query_id: str, doc_id: str, ranking: Ranking, raw: dict[str, Any]) -> None:
        run_id, unit = self.text(ranking.method), self.text(ranking.queryId)
        rank, score = ranking.rank, ranking.score
        own = ranking_entry(unit, doc_id, run_id, rank, score)
        extra = encode_extra(difference_to(own, raw, _SCORE) | _page(unit, query_id))
        self.rankings.add(line, run_id, unit, doc_id, 0, rank, score, True, extra)

    def _add_passes(
        self, line: int, query_id: str, doc_id: str, passage: Passage, raw: dict[str, Any]
    ) -> list[dict[str, Any]]:
        """Grades of every pass; returns what the writer needs beyond the grades to write them again."""
        kept, seen = [], Counter[str]()
        slots: dict[str, Sequence[Exam | Direct]] = {
            "exam_grades": passage.exam_grades or [],
            "grades": passage.grades or [],
        }
        typed = [
            (slot, entry, item)
            for slot, entries in slots.items()
            for entry, item in zip(entries, raw.get(slot) or [], strict=True)
        ]
        for slot, entry, item in typed:
            name = self._grader_of(slot, entry)
            seen[name] += 1
            if seen[name] > 1:
                name = f"{name}#{seen[name]}"
            if name not in self.graders:
                self.graders[name] = _describe(slot, entry, item)
            grader = self.graders[name]
            if isinstance(entry, Exam):
                rows = self._exam_rows(line, entry, grader)
                own = exam_entry(rows, grader)
            else:
                grade = entry.self_ratings if grader["rated"] else int(entry.correctAnswered)
                rows = [(None, grade, entry.answer, entry.correctAnswered)]
                own = direct_entry(rows, grader)
            for question_id, grade, answer, correct in rows:
                self.grades.add(line, name, question_id, query_id, doc_id, grade, answer, correct)
                if question_id is not None:
                    self.items.add(grader["item"])
                    self.questions.setdefault((grader["item"], question_id, query_id), line)
                    self.asked.setdefault(name, {}).setdefault(query_id, {})[question_id] = None
                if grader["rated"] and question_id is not None and not PLAIN_DIGIT.fullmatch(answer or ""):
                    self.counted["answers that are not a plain digit"] += 1
            difference = difference_to(own, item, LOOSE)
            if difference or not rows or len(typed) != 1:
                kept.append({"grader": name, "difference": difference})
        for slot in ("exam_grades", "grades"):
            if slot in raw and not raw[slot]:
                kept.append({"empty": slot, "value": raw[slot]})
        return kept

    def _grader_of(self, slot: str, entry: Exam | Direct) -> str:
        """The grader's name. Grades of different kinds are never those of one grader."""
        prompt_class = (entry.prompt_info or {}).get("prompt_class") or NO_CLASS
        model = f"{entry.llm}.{prompt_class}"
        self.models.add(model)
        name = self.grader_id or model
        known = self.graders.get(name)
        if known and known["slot"] != slot:
            name = f"{name}.{slot}"
            known = self.graders.get(name)
        if known and _is_rated(entry) and not known["rated"]:
            name = f"{name}.rated"
        return name

    def _exam_rows(self, line: int, entry: Exam, grader: dict[str, Any]) -> list[tuple[Any, ...]]:
        """(question_id, grade, answer, correct) in the file's order, a question once."""
        rated = [
            (item.nugget_id if item.question_id is None else item.question_id, item.self_rating)
            for item in entry.self_ratings or []
        ]
        verdicts = [(name, True) for name in entry.correctAnswered]
        verdicts += [(name, False) for name in entry.wrongAnswered]
        ratings = self._by_question(line, "self-rating", rated)
        correct = self._by_question(line, "verdict", verdicts)
        answers = self._by_question(line, "answer", entry.answers)
        grades = ratings if grader["rated"] else correct
        return [
            (
                name,
                None if grades.get(name) is None else int(grades[name]),
                answers.get(name),
                correct.get(name),
            )
            for name in (answers | ratings | correct)
        ]

    def _by_question(self, line: int, what: str, pairs: Iterable[tuple[Id | None, Any]]) -> dict[str, Any]:
        """A pass's values by question; two values for one question are refused."""
        values: dict[str, Any] = {}
        for question, value in pairs:
            if question is None:
                self.problems.add(line, f"a {what} without question_id or nugget_id", value, _PASS_REMEDY)
                continue
            name = self.text(question)
            if values.setdefault(name, value) != value:
                both = f"{values[name]} and {value}"
                self.problems.add(line, f"two {what}s for question {name} in one pass", both, _PASS_REMEDY)
        return values


def _page(unit: str, query_id: str) -> dict[str, str]:
    """Which query an entry stood under, where its own id (the query's or a facet's) doesn't say so."""
    return {} if unit == query_id or unit.startswith(f"{query_id}/") else {"@": query_id}


def _is_rated(entry: Exam | Direct) -> bool:
    """Whether a pass has self-ratings, or would have if the model had said anything of use."""
    return entry.self_ratings is not None or (
        isinstance(entry, Exam) and bool((entry.prompt_info or {}).get("is_self_rated"))
    )


def _describe(slot: str, entry: Exam | Direct, raw: dict[str, Any]) -> dict[str, Any]:
    """What is known of a grader from its first grading pass."""
    info = {name: raw[name] for name in PASS_FIELDS if name in raw}
    rated = _is_rated(entry)
    prompt_class = str((entry.prompt_info or {}).get("prompt_class"))
    scale = (known_scale(prompt_class) or 5) if rated else 1
    known = {"slot": slot, "rated": rated, "scale": scale, **info}
    check_depth(known)
    if isinstance(entry, Direct):
        return {"kind": "direct", "item": None, **known}
    nuggets = any(item.nugget_id is not None for item in entry.self_ratings or [])
    nugget = nuggets or entry.prompt_type == "nugget"
    return {"kind": "exam", "item": "nugget" if nugget else "question", **known}


def text_hash(text: str | None) -> str | None:
    """First 16 hex digits of the SHA-256 of a text; null for null."""
    return None if text is None else hashlib.sha256(text.encode()).hexdigest()[:16]


def read_workbench(
    path: Path,
    *,
    bank_id: str | None = None,
    grader_id: str | None = None,
    progress: Progress = no_progress,
) -> Reading:
    """Read a graded (or ungraded) workbench file: plain, gzip or xz.

    Parameters
    ----------
    bank_id : name of the bank that the graded questions belong to; by default `tqa` for NDQ_ ids,
        `nuggets` for nuggets and `questions` for others
    grader_id : name for the file's only grading pass; by default `<model>.<prompt_class>`

    Raises
    ------
    BadInput : every line that is not as described, with its number
    """
    problems = Problems(path)
    reader = _WorkbenchReader(problems, bank_id, grader_id)
    typed, untyped = msgspec.json.Decoder(Line), msgspec.json.Decoder()
    for number, line in numbered_lines(path, progress):
        try:
            (query, passages), raws = _decoded(line, typed, untyped)
            reader.add_query(number, query)
            for passage, raw in zip(passages, raws[1], strict=True):
                reader.add(number, query, passage, raw)
        except BadLine as error:
            add_bad_line(problems, number, line, error, "a line of a graded file", _LINE_REMEDY)
        except TooDeep as error:
            problems.add(number, str(error), excerpt(line), "Leave that field out.")
    passes = max(len(reader.graders), len(reader.models))
    if grader_id and passes > 1:
        raise BadInput(
            f"{path}: holds {passes} grading passes, so --grader can't name them all.\n"
            "Leave --grader out: each is then called by its model and prompt. Nothing was stored."
        )
    return _reading(reader)


_LINE_REMEDY = (
    "A line is [query_id, [passage, ...]] with paragraph_id, text and paragraph_data (judgments, rankings)\n"
    "for each passage. A last line that breaks off means that the file was not copied whole."
)
_PASS_REMEDY = "Each question has one self-rating, one answer and one verdict in a grading pass: correct the pass."


def _decoded(line: bytes, typed: msgspec.json.Decoder[Line], untyped: msgspec.json.Decoder[Any]) -> tuple[Line, Any]:
    """As `decode_line`; a line that has numbers for texts, or the other way round, is read as the workbench does."""
    try:
        return typed.decode(line), untyped.decode(line)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        if not isinstance(error, msgspec.ValidationError):
            raise bad_line(error, line) from None
    try:
        plain = untyped.decode(line)
        make_plain(plain)
        return msgspec.convert(plain, Line), untyped.decode(line)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise bad_line(error, line) from None


def _reading(reader: _WorkbenchReader) -> Reading:
    problems, notes = reader.problems, list[str]()
    rows = {
        "queries": (reader.queries, "query"),
        "passages": (reader.passages, "text"),
        "pool": (reader.pool, "entry"),
        "rankings": (reader.rankings, "rank"),
        "judgments": (reader.judgments, "judgment"),
        "grades": (reader.grades, "grade"),
    }
    if not reader.listed and not problems.found:
        problems.add(0, "no passages in the file", remedy=_LINE_REMEDY)
    if again := reader.listed - len(reader.places):
        notes.append(f"{again:,} passages occur more than once under their query.")
    frames: dict[str, pd.DataFrame] = {}
    for name, (table, what) in rows.items():
        frames[name], merged = table.frame(problems, what)
        if merged:
            notes.append(f"{merged:,} repeated {name} were merged.")
    frames["questions"] = _questions(reader)
    notes += _name_own_questions(reader)
    problems.raise_if_any()
    notes += _beyond_scale(frames["grades"], reader.graders)
    frames["rankings"]["rank"] = trec_rank(frames["rankings"])
    slots, missing = _top_slots(frames["rankings"])
    counts = {
        "queries": len(frames["queries"]),
        "passages": len(frames["pool"]),
        "distinct passages": len(frames["passages"]),
        "questions": len(frames["questions"]),
        "grades": len(frames["grades"]),
        "runs": frames["rankings"]["run_id"].nunique(),
        "judgments": len(frames["judgments"]),
        **reader.counted,
    }
    if missing:
        notes.append(f"{missing:,} of {slots:,} top-{TOP} slots missing: the file leaves out what was not graded.")
    return Reading(frames, reader.graders, counts, notes)


def _beyond_scale(grades: pd.DataFrame, graders: dict[str, dict[str, Any]]) -> list[str]:
    """A note for each grader with grades above its scale."""
    largest = grades.groupby("grader_id", sort=False)["grade"].max()
    notes = []
    for name in largest.index[(largest > [graders[name]["scale"] for name in largest.index]).fillna(False)]:
        scale = graders[name]["scale"]
        beyond = int(((grades["grader_id"] == name) & (grades["grade"] > scale)).sum())
        notes.append(f"{beyond:,} grades are above {scale}, the scale of {name}; they are kept as they are.")
    return notes


def _top_slots(rankings: pd.DataFrame) -> tuple[int, int]:
    """Places 1 to 20 of all rankings, and those of them that the file leaves out."""
    slots = rankings["run_id"].nunique() * rankings["query_id"].nunique() * TOP
    found = int((rankings["rank"] <= TOP).sum())
    return slots, slots - found


def _name_own_questions(reader: _WorkbenchReader) -> list[str]:
    """Where passes ask different questions of one bank, each grader names its own; returns a note on each.

    Cover of a pass is the share of the questions that the pass asks, as in the authors' evaluation.
    """
    in_bank: dict[tuple[str, str], set[str]] = {}
    for item, question_id, query_id in reader.questions:
        in_bank.setdefault((_bank_of(reader, item, question_id), query_id), set()).add(question_id)
    notes = []
    for name, asked in reader.asked.items():
        item = reader.graders[name]["item"]
        own = {
            query_id: list(ids)
            for query_id, ids in asked.items()
            if in_bank[_bank_of(reader, item, next(iter(ids))), query_id] - set(ids)
        }
        if own:
            reader.graders[name]["asks"] = own
            ids = list(dict.fromkeys(question_id for listed in own.values() for question_id in listed))
            listed = ", ".join(ids[:5]) + (f" and {len(ids) - 5:,} more" if len(ids) > 5 else "")
            notes.append(f"{name} asks {listed}: its Cover counts these, not all questions of the bank.")
    return notes


def _bank_of(reader: _WorkbenchReader, item: str, question_id: str) -> str:
    """The bank that a graded question belongs to."""
    default = "nuggets" if item == "nugget" else "tqa" if question_id.startswith("NDQ_") else "questions"
    if reader.bank_id and item == "nugget" and "question" in reader.items:
        return f"{reader.bank_id}.nuggets"
    return reader.bank_id or default


def _questions(reader: _WorkbenchReader) -> pd.DataFrame:
    """The ids that were graded, as a bank without texts."""
    rows = Rows(QUESTIONS)
    for (item, question_id, query_id), line in reader.questions.items():
        name = _bank_of(reader, item, question_id)
        extra = encode_extra({"item": "nugget"} if item == "nugget" else None)
        rows.add(line, name, 1, question_id, query_id, None, None, None, None, 1.0, True, None, extra)
    return rows.frame(reader.problems, "question")[0]
