"""Rows of graded files: of each line what it says of a query, its passages, rankings, judgments and grades."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from exam_core.errors import Problems
from exam_core.formats.extra import check_depth, encode_extra
from exam_core.formats.labels import known_scale
from exam_core.formats.reading import MakeAside, Rows
from exam_core.formats.workbench.graded_lines import (
    LOOSE,
    PASS_FIELDS,
    PASSAGE_FIELDS,
    PASSES,
    Direct,
    Exam,
    Id,
    Judgment,
    Passage,
    Ranking,
    difference_to,
    direct_entry,
    exam_entry,
    judgment_entry,
    ranking_entry,
)
from exam_core.tables import GRADES, JUDGMENTS, OFFICIAL, PASSAGES, POOL, QUERIES, RANKINGS

PLAIN_DIGIT = re.compile(r"[0-5]")
_SCORE = ("score",)
TOP = 20
"""Places of a ranking that the papers grade."""
NO_CLASS = "QuestionPromptWithChoices"
"""The workbench's prompt class for grades that name none."""
_PASS_REMEDY = "Each question has one self-rating, one answer and one verdict in a grading pass: correct the pass."


@dataclass
class GradedRows:
    """The rows of a graded file while it is read, and what is counted of them."""

    problems: Problems
    bank_id: str | None
    grader_id: str | None
    aside: MakeAside | None = None
    graders: dict[str, dict[str, Any]] = field(default_factory=dict)
    counted: Counter[str] = field(default_factory=Counter)
    questions: dict[tuple[str, str, str], int] = field(default_factory=dict)
    items: set[str] = field(default_factory=set)
    asked: dict[str, dict[str, dict[str, None]]] = field(default_factory=dict)
    """By grading pass and query, the questions that it asks."""
    models: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        tables = (QUERIES, PASSAGES, POOL, RANKINGS, JUDGMENTS, GRADES)
        self.queries, self.passages, self.pool, self.rankings, self.judgments, self.grades = (
            Rows(table, self.aside) for table in tables
        )
        self.query_ids: set[str] = set()
        self.texts: dict[str, int] = {}
        """What texts of passages hash to."""
        self.places: dict[tuple[str, str], int] = {}
        self.listed = 0
        self.runs: set[str] = set()
        self.ranked: set[str] = set()
        self.at_top = 0
        self.beyond: Counter[str] = Counter()

    @property
    def tables(self) -> dict[str, tuple[Rows, str]]:
        """Rows by table, with what one of them is called."""
        return {
            "queries": (self.queries, "query"),
            "passages": (self.passages, "text"),
            "pool": (self.pool, "entry"),
            "rankings": (self.rankings, "rank"),
            "judgments": (self.judgments, "judgment"),
            "grades": (self.grades, "grade"),
        }

    def look_at(self, table: str, frame: pd.DataFrame) -> pd.DataFrame:
        """Count what is to be said of rows, which are returned."""
        if table == "rankings":
            self.runs.update(frame["run_id"].unique())
            self.ranked.update(frame["query_id"].unique())
            self.at_top += int((frame["rank"] <= TOP).sum())
        if table == "grades":
            for name, own in frame.groupby("grader_id", sort=False)["grade"]:
                self.beyond[str(name)] += int((own > self.graders[str(name)]["scale"]).fillna(False).sum())
        return frame

    def add_query(self, line: int, query: Id) -> None:
        """Take a query; it may have no passages."""
        query_id = str(query)
        if query_id not in self.query_ids:
            self.query_ids.add(query_id)
            self.queries.add(line, query_id)

    def add(self, line: int, query: Id, passage: Passage, raw: dict[str, Any]) -> None:
        """Take one passage under a query."""
        query_id, doc_id = str(query), str(passage.paragraph_id)
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
        said = hash(text)
        if doc_id not in self.texts:
            self.texts[doc_id] = said
            self.passages.add(line, doc_id, text, text_hash(text))
        elif self.texts[doc_id] != said:
            self.problems.add(
                line,
                f"passage {doc_id} has another text than on an earlier line",
                text or "",
                "One id stands for one text: correct the text, or give the passage an id of its own.",
            )

    def _add_judgment(self, line: int, query_id: str, doc_id: str, judgment: Judgment, raw: dict[str, Any]) -> None:
        unit, relevance = str(judgment.query), judgment.relevance
        own = judgment_entry(unit, doc_id, relevance, query_id)
        extra = encode_extra(difference_to(own, raw) | _page(unit, query_id))
        self.judgments.add(line, OFFICIAL, unit, doc_id, relevance, extra)

    def _add_ranking(self, line: int, query_id: str, doc_id: str, ranking: Ranking, raw: dict[str, Any]) -> None:
        run_id, unit = str(ranking.method), str(ranking.queryId)
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
            name = str(question)
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
