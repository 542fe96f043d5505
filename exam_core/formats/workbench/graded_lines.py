"""A line of a graded file: its parts, checked and turned into rows."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import msgspec
import pandas as pd

from exam_core.errors import Problems
from exam_core.formats.extra import check_depth, encode_extra
from exam_core.formats.format import Kind
from exam_core.formats.labels import known_scale
from exam_core.formats.reading import MakeSpill, Rows
from exam_core.tables import (
    GRADES,
    JUDGMENTS,
    LARGEST_GRADE,
    OFFICIAL,
    PASSAGES,
    POOL,
    QUERIES,
    RANKINGS,
    SMALLEST_GRADE,
)

WORKBENCH = Kind(
    key="workbench",
    noun="Graded passages",
    order=70,
    main="grades",
    template="""\
query_id,doc_id,question_id,grade,grader
q1,d1,q1/1,5,my-model
q1,d1,q1/2,1,my-model
q1,d2,q1/1,0,my-model
q1,d2,q1/2,0,my-model
q2,d3,q2/1,5,my-model
q2,d4,q2/1,1,my-model
""",
    option="bank",
    name="Name of the bank",
    unnamed="The graded questions become a bank of this name; without one, the file's own names are kept.",
    columns={
        **{"query": ("query_id",), "doc": ("doc_id",), "question": ("question_id",), "run": ("run_id",)},
        **{name: (name,) for name in ("grade", "grader", "rank", "query_text", "question_text", "passage_text")},
    },
)

Id = str | int
Whole = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]
Grade = Annotated[int, msgspec.Meta(ge=SMALLEST_GRADE, le=LARGEST_GRADE)]
SelfRating = Annotated[int, msgspec.Meta(ge=0, le=LARGEST_GRADE)]
DecimalGrade = Annotated[float, msgspec.Meta(ge=SMALLEST_GRADE, le=LARGEST_GRADE)]
DECIMAL = "decimal_grade"
"""What a self-rating's decimal grade is called in a graded file."""


class Judgment(msgspec.Struct):
    """A human label of a passage."""

    paragraphId: Id  # noqa: N815
    query: Id
    relevance: Grade
    titleQuery: Id  # noqa: N815


class Ranking(msgspec.Struct):
    """A place of a passage in a run."""

    method: Id
    paragraphId: Id  # noqa: N815
    queryId: Id  # noqa: N815
    rank: Whole
    score: float


class Data(msgspec.Struct):
    """What others say of a passage."""

    judgments: list[Judgment]
    rankings: list[Ranking]


class Rating(msgspec.Struct):
    """The self-rating of one question or nugget."""

    self_rating: SelfRating | None = None
    decimal_grade: DecimalGrade | None = None
    question_id: Id | None = None
    nugget_id: Id | None = None


class Exam(msgspec.Struct):
    """One grading pass over one passage, with a grade for each question or nugget."""

    correctAnswered: list[Id]  # noqa: N815
    wrongAnswered: list[Id]  # noqa: N815
    answers: list[tuple[Id, str | None]]
    llm: str
    self_ratings: list[Rating] | None = None
    prompt_info: dict[str, Any] | None = None
    prompt_type: str | None = None


class Direct(msgspec.Struct):
    """One grading pass that labels the passage itself."""

    correctAnswered: bool  # noqa: N815
    answer: str | None
    llm: str
    self_ratings: SelfRating | None = None
    decimal_grade: DecimalGrade | None = None
    unreadable: bool = False
    prompt_info: dict[str, Any] | None = None


class Passage(msgspec.Struct):
    """A passage with its judgments, rankings and grading passes."""

    paragraph_id: Id
    text: str | None
    paragraph_data: Data
    exam_grades: list[Exam] | None = None
    grades: list[Direct] | None = None


Line = tuple[Id, list[Passage]]
_encode = msgspec.json.Encoder().encode
PASSAGE_FIELDS = ("paragraph_id", "text", "paragraph_data", "exam_grades", "grades")
PASSES = "exam_grades"
"""Where `extra` keeps what a passage's passes say beyond their grades: no unknown field has this name."""
PASS_FIELDS = ("llm", "llm_options", "prompt_info", "prompt_type")
"""What a grading pass says once for all passages; kept with the grader."""
LOOSE = ("exam_ratio", "self_ratings", *PASS_FIELDS)
"""Fields of a grading pass whose numbers may be written in two ways; see `difference_to`."""


def judgment_entry(unit: str, doc_id: str, relevance: int, query_id: str) -> dict[str, Any]:
    """A judgment as the workbench writes it, of a query or one of its facets."""
    return {"paragraphId": doc_id, "query": unit, "relevance": relevance, "titleQuery": query_id}


def ranking_entry(unit: str, doc_id: str, run_id: str, rank: int, score: float) -> dict[str, Any]:
    """A place in a run as the workbench writes it."""
    return {"method": run_id, "paragraphId": doc_id, "queryId": unit, "rank": rank, "score": score}


def exam_entry(rows: Iterable[tuple[Any, ...]], grader: dict[str, Any]) -> dict[str, Any]:
    """A grading pass over questions as the workbench writes it, from (id, grade, answer, correct, decimal).

    The decimal grade, where there is one, stands beside the self-rating, which the workbench takes as a whole number.
    """
    rows = list(rows)
    right = [row[0] for row in rows if row[3] is True]
    entry: dict[str, Any] = {
        "correctAnswered": right,
        "wrongAnswered": [row[0] for row in rows if row[3] is False],
        "answers": [[row[0], row[2]] for row in rows],
        "exam_ratio": len(right) / len(rows) if rows else 0.0,
        **{name: grader[name] for name in PASS_FIELDS if name in grader},
    }
    if grader["rated"]:
        key = f"{grader['item']}_id"
        entry["self_ratings"] = [{key: row[0], "self_rating": row[1]} | _beside(row[4]) for row in rows]
    return entry


def _beside(decimal: float | None) -> dict[str, float]:
    return {} if decimal is None else {DECIMAL: decimal}


def direct_entry(rows: Iterable[tuple[Any, ...]], grader: dict[str, Any]) -> dict[str, Any]:
    """A direct grading pass as the workbench writes it, from its one row; one without a grade says so beside."""
    _, grade, answer, correct, decimal = next(iter(rows))
    entry = {"correctAnswered": bool(correct), "answer": answer}
    entry |= {name: grader[name] for name in PASS_FIELDS if name in grader}
    entry |= {"self_ratings": grade} | _beside(decimal) if grader["rated"] else {}
    return entry | ({"unreadable": True} if grade is None else {})


def difference_to(own: dict[str, Any], raw: dict[str, Any], loose: Iterable[str] = ()) -> dict[str, Any]:
    """What turns `own` into `raw`: fields to set, and under "-" fields to leave out.

    (An entry of an `extra` may also have "@", see `_page`.)

    `loose`: fields that may be equal to Python and still another JSON: 2, 2.0 and true are.
    """
    retyped = [name for name in loose if name in own and name in raw and not _is_same(own[name], raw[name])]
    if own == raw and not retyped:
        return {}
    changed = {name: value for name, value in raw.items() if name not in own or own[name] != value or name in retyped}
    surplus = [name for name in own if name not in raw]
    return changed | ({"-": surplus} if surplus else {})


def _is_same(item: Any, other: Any) -> bool:
    """Whether equal values also have equal types, all the way down."""
    if type(item) is not type(other):
        return False
    if not isinstance(item, list | dict) or _encode(item) == _encode(other):
        return True
    if isinstance(item, list):
        return len(item) == len(other) and all(map(_is_same, item, other))
    return item.keys() == other.keys() and all(_is_same(value, other[name]) for name, value in item.items())


def with_difference(own: dict[str, Any], difference: dict[str, Any]) -> dict[str, Any]:
    """Undo `difference_to`."""
    left_out = {"-", "@", *difference.get("-", ())}
    return {name: value for name, value in (own | difference).items() if name not in left_out}


PLAIN_DIGIT = re.compile(r"[0-5]")
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
    make_spill: MakeSpill | None = None
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
            Rows(table, self.make_spill) for table in tables
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
            unit = str(judgment.query)
            own = judgment_entry(unit, doc_id, judgment.relevance, query_id)
            more = encode_extra(difference_to(own, item) | _page(unit, query_id))
            self.judgments.add(line, OFFICIAL, unit, doc_id, judgment.relevance, more)
        for ranking, item in zip(passage.paragraph_data.rankings, data["rankings"], strict=True):
            run_id, unit = str(ranking.method), str(ranking.queryId)
            own = ranking_entry(unit, doc_id, run_id, ranking.rank, ranking.score)
            more = encode_extra(difference_to(own, item, ("score",)) | _page(unit, query_id))
            self.rankings.add(line, run_id, unit, doc_id, 0, ranking.rank, ranking.score, True, more)
        passes = self._add_passes(line, query_id, doc_id, passage, raw)
        if passes:
            extra[PASSES] = passes
        # A passage that occurs again under its query keeps its first place.
        place = self.places.setdefault((query_id, doc_id), self.listed)
        self.listed += 1
        self.pool.add(line, query_id, doc_id, place, encode_extra(extra))

    def _add_text(self, line: int, doc_id: str, text: str | None) -> None:
        digest = hash(text)
        if doc_id not in self.texts:
            self.texts[doc_id] = digest
            self.passages.add(line, doc_id, text, text_hash(text))
        elif self.texts[doc_id] != digest:
            self.problems.add(
                line,
                f"passage {doc_id} has another text than on an earlier line",
                text or "",
                "One id stands for one text: correct the text, or give the passage an id of its own.",
            )

    def _add_passes(
        self, line: int, query_id: str, doc_id: str, passage: Passage, raw: dict[str, Any]
    ) -> list[dict[str, Any]]:
        """Grades of every pass; returns what the writer needs beyond the grades to write them again."""
        beyond, counter = [], Counter[str]()
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
            counter[name] += 1
            if counter[name] > 1:
                name = f"{name}#{counter[name]}"
            if name not in self.graders:
                self.graders[name] = _describe(slot, entry, item)
            grader = self.graders[name]
            if isinstance(entry, Exam):
                rows = self._exam_rows(line, entry, grader)
                own = exam_entry(rows, grader)
            else:
                verdict = None if entry.unreadable else int(entry.correctAnswered)
                grade = entry.self_ratings if grader["rated"] else verdict
                decimal = entry.decimal_grade if grader["rated"] and grade is not None else None
                rows = [(None, grade, entry.answer, entry.correctAnswered, decimal)]
                own = direct_entry(rows, grader)
            for question_id, grade, answer, correct, decimal in rows:
                self.grades.add(line, name, question_id, query_id, doc_id, grade, answer, correct, decimal)
                if question_id is not None:
                    self.items.add(grader["item"])
                    self.questions.setdefault((grader["item"], question_id, query_id), line)
                    self.asked.setdefault(name, {}).setdefault(query_id, {})[question_id] = None
                if grader["rated"] and question_id is not None and not PLAIN_DIGIT.fullmatch(answer or ""):
                    self.counted["answers that are not a plain digit"] += 1
            difference = difference_to(own, item, LOOSE)
            if difference or not rows or len(typed) != 1:
                beyond.append({"grader": name, "difference": difference})
        for slot in ("exam_grades", "grades"):
            if slot in raw and not raw[slot]:
                beyond.append({"empty": slot, "value": raw[slot]})
        return beyond

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
        """(question_id, grade, answer, correct, decimal) in the file's order, a question once."""
        items = [
            (item.nugget_id if item.question_id is None else item.question_id, item)
            for item in entry.self_ratings or []
        ]
        rated = [(name, item.self_rating) for name, item in items]
        decimals = {str(name): item.decimal_grade for name, item in items if item.self_rating is not None}
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
                decimals.get(name),
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
    if isinstance(entry, Direct):
        return entry.self_ratings is not None or entry.unreadable
    return entry.self_ratings is not None or bool((entry.prompt_info or {}).get("is_self_rated"))


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
