"""The authors' workbench file: graded passages with their judgments and rankings, read and written.

A line is `[query_id, [passage, ...]]`; a file may have one line for each query or one for each
passage. Nothing is lost: whatever an export would not write by itself is kept in `extra`, because
the reader builds each passage as the writer would and stores the difference.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any

import msgspec
import pandas as pd

from exam_core.errors import BadInput, Problems
from exam_core.formats.extra import decode_extra, encode_extra
from exam_core.formats.lines import Progress, no_progress, numbered_lines, write_lines
from exam_core.formats.reading import Reading, Rows
from exam_core.formats.trec import trec_rank
from exam_core.tables import (
    GRADES,
    JUDGMENTS,
    LARGEST_GRADE,
    PASSAGES,
    POOL,
    QUERIES,
    QUESTIONS,
    RANKINGS,
    SMALLEST_GRADE,
)

Id = str | int
Whole = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]
Grade = Annotated[int, msgspec.Meta(ge=SMALLEST_GRADE, le=LARGEST_GRADE)]
PLAIN_DIGIT = re.compile(r"[0-5]")
TOP = 20
"""Places of a ranking that the papers grade."""
NO_CLASS = "QuestionPromptWithChoices"
"""The workbench's prompt class for grades that name none."""


class _Judgment(msgspec.Struct):
    paragraphId: Id  # noqa: N815
    query: Id
    relevance: Grade
    titleQuery: Id  # noqa: N815


class _Ranking(msgspec.Struct):
    method: Id
    paragraphId: Id  # noqa: N815
    queryId: Id  # noqa: N815
    rank: Whole
    score: float


class _Data(msgspec.Struct):
    judgments: list[_Judgment]
    rankings: list[_Ranking]


class _Rating(msgspec.Struct):
    self_rating: Grade | None = None
    question_id: Id | None = None
    nugget_id: Id | None = None


class _Exam(msgspec.Struct):
    """One grading pass over one passage, with a grade for each question or nugget."""

    correctAnswered: list[Id]  # noqa: N815
    wrongAnswered: list[Id]  # noqa: N815
    answers: list[tuple[Id, str | None]]
    llm: str
    self_ratings: list[_Rating] | None = None
    prompt_info: dict[str, Any] | None = None
    prompt_type: str | None = None


class _Direct(msgspec.Struct):
    """One grading pass that labels the passage itself."""

    correctAnswered: bool  # noqa: N815
    answer: str | None
    llm: str
    self_ratings: Grade | None = None
    prompt_info: dict[str, Any] | None = None


class _Passage(msgspec.Struct):
    paragraph_id: Id
    text: str | None
    paragraph_data: _Data
    exam_grades: list[_Exam] | None = None
    grades: list[_Direct] | None = None


_Line = tuple[Id, list[_Passage]]
_PASSAGE_FIELDS = ("paragraph_id", "text", "paragraph_data", "exam_grades", "grades")
_PASSES = "exam_grades"
"""Where `extra` keeps what a passage's passes say beyond their grades: no unknown field has this name."""
_PASS_FIELDS = ("llm", "llm_options", "prompt_info", "prompt_type")
"""What a grading pass says once for all passages; kept with the grader."""


@dataclass
class _Reader:
    """The rows of a file while it is read."""

    problems: Problems
    bank_id: str | None
    grader_id: str | None
    qrels_id: str
    graders: dict[str, dict[str, Any]] = field(default_factory=dict)
    counted: Counter[str] = field(default_factory=Counter)
    questions: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    models: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.queries, self.passages, self.pool = Rows(QUERIES), Rows(PASSAGES), Rows(POOL)
        self.rankings, self.judgments, self.grades = Rows(RANKINGS), Rows(JUDGMENTS), Rows(GRADES)
        self.query_ids: set[str] = set()
        self.texts: dict[str, str | None] = {}

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

    def add(self, line: int, query: Id, passage: _Passage, raw: dict[str, Any]) -> None:
        """Take one passage under a query."""
        query_id, doc_id = self.text(query), self.text(passage.paragraph_id)
        self._add_text(line, doc_id, passage.text)
        extra = {name: value for name, value in raw.items() if name not in _PASSAGE_FIELDS}
        data = raw["paragraph_data"]
        if beyond := {name: value for name, value in data.items() if name not in ("judgments", "rankings")}:
            extra["paragraph_data"] = beyond
        for judgment, item in zip(passage.paragraph_data.judgments, data["judgments"], strict=True):
            self._add_judgment(line, query_id, doc_id, judgment, item)
        for ranking, item in zip(passage.paragraph_data.rankings, data["rankings"], strict=True):
            self._add_ranking(line, query_id, doc_id, ranking, item)
        passes = self._add_passes(line, query_id, doc_id, passage, raw)
        if passes:
            extra[_PASSES] = passes
        self.pool.add(line, query_id, doc_id, len(self.pool.rows), encode_extra(extra))

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

    def _add_judgment(self, line: int, query_id: str, doc_id: str, judgment: _Judgment, raw: dict[str, Any]) -> None:
        unit, relevance = self.text(judgment.query), judgment.relevance
        own = {"paragraphId": doc_id, "query": unit, "relevance": relevance, "titleQuery": query_id}
        extra = encode_extra(_difference(own, raw) | _page(unit, query_id))
        self.judgments.add(line, self.qrels_id, unit, doc_id, relevance, extra)

    def _add_ranking(self, line: int, query_id: str, doc_id: str, ranking: _Ranking, raw: dict[str, Any]) -> None:
        run_id, unit = self.text(ranking.method), self.text(ranking.queryId)
        rank, score = ranking.rank, ranking.score
        own = {"method": run_id, "paragraphId": doc_id, "queryId": unit, "rank": rank, "score": score}
        extra = encode_extra(_difference(own, raw) | _page(unit, query_id))
        self.rankings.add(line, run_id, unit, doc_id, 0, rank, score, True, extra)

    def _add_passes(
        self, line: int, query_id: str, doc_id: str, passage: _Passage, raw: dict[str, Any]
    ) -> list[dict[str, Any]]:
        """Grades of every pass; returns what the writer needs beyond the grades to write them again."""
        kept, seen = [], Counter[str]()
        slots: dict[str, Sequence[_Exam | _Direct]] = {
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
            grader = self.graders.setdefault(name, _describe(slot, entry, item))
            if isinstance(entry, _Exam):
                rows = self._exam_rows(line, entry, grader)
                own = exam_entry(rows, grader)
            else:
                grade = entry.self_ratings if grader["rated"] else int(entry.correctAnswered)
                rows = [(None, grade, entry.answer, entry.correctAnswered)]
                own = direct_entry(rows, grader)
            for question_id, grade, answer, correct in rows:
                self.grades.add(line, name, question_id, query_id, doc_id, grade, answer, correct)
                if question_id is not None:
                    self.questions.setdefault((grader["item"], question_id), (query_id, line))
                if grader["rated"] and not PLAIN_DIGIT.fullmatch(answer or ""):
                    self.counted["answers that are not a plain digit"] += 1
            difference = _difference(own, item)
            if difference or not rows or len(typed) != 1:
                kept.append({"grader": name, "difference": difference})
        for slot in ("exam_grades", "grades"):
            if slot in raw and not raw[slot]:
                kept.append({"empty": slot, "value": raw[slot]})
        return kept

    def _grader_of(self, slot: str, entry: _Exam | _Direct) -> str:
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

    def _exam_rows(self, line: int, entry: _Exam, grader: dict[str, Any]) -> list[tuple[Any, ...]]:
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


def _is_rated(entry: _Exam | _Direct) -> bool:
    """Whether a pass has self-ratings, or would have if the model had said anything of use."""
    return entry.self_ratings is not None or (
        isinstance(entry, _Exam) and bool((entry.prompt_info or {}).get("is_self_rated"))
    )


def _describe(slot: str, entry: _Exam | _Direct, raw: dict[str, Any]) -> dict[str, Any]:
    """What is known of a grader from its first grading pass."""
    info = {name: raw[name] for name in _PASS_FIELDS if name in raw}
    rated = _is_rated(entry)
    known = {"slot": slot, "rated": rated, "scale": 5 if rated else 1, **info}
    if isinstance(entry, _Direct):
        return {"kind": "direct", "item": None, **known}
    nuggets = any(item.nugget_id is not None for item in entry.self_ratings or [])
    nugget = nuggets or entry.prompt_type == "nugget"
    return {"kind": "exam", "item": "nugget" if nugget else "question", **known}


def exam_entry(rows: Iterable[tuple[Any, ...]], grader: dict[str, Any]) -> dict[str, Any]:
    """A grading pass over questions as the workbench writes it, from (id, grade, answer, correct)."""
    rows = list(rows)
    right = [row[0] for row in rows if row[3] is True]
    entry: dict[str, Any] = {
        "correctAnswered": right,
        "wrongAnswered": [row[0] for row in rows if row[3] is False],
        "answers": [[row[0], row[2]] for row in rows],
        "exam_ratio": len(right) / len(rows) if rows else 0.0,
        **{name: grader[name] for name in _PASS_FIELDS if name in grader},
    }
    if grader["rated"]:
        key = f"{grader['item']}_id"
        entry["self_ratings"] = [{key: row[0], "self_rating": row[1]} for row in rows]
    return entry


def direct_entry(rows: Iterable[tuple[Any, ...]], grader: dict[str, Any]) -> dict[str, Any]:
    """A direct grading pass as the workbench writes it, from its one row."""
    _, grade, answer, correct = next(iter(rows))
    entry = {"correctAnswered": correct, "answer": answer}
    entry |= {name: grader[name] for name in _PASS_FIELDS if name in grader}
    return entry | {"self_ratings": grade} if grader["rated"] else entry


def _difference(own: dict[str, Any], raw: dict[str, Any]) -> dict[str, Any]:
    """What turns `own` into `raw`: fields to set, and under "-" fields to leave out.

    (An entry of an `extra` may also have "@", see `_page`.)
    """
    if own == raw:
        return {}
    changed = {name: value for name, value in raw.items() if name not in own or own[name] != value}
    surplus = [name for name in own if name not in raw]
    return changed | ({"-": surplus} if surplus else {})


def _apply(own: dict[str, Any], difference: dict[str, Any]) -> dict[str, Any]:
    """Undo `_difference`."""
    left_out = {"-", "@", *difference.get("-", ())}
    return {name: value for name, value in (own | difference).items() if name not in left_out}


def text_hash(text: str | None) -> str | None:
    """First 16 hex digits of the SHA-256 of a text; null for null."""
    return None if text is None else hashlib.sha256(text.encode()).hexdigest()[:16]


def read_workbench(
    path: Path,
    *,
    bank_id: str | None = None,
    grader_id: str | None = None,
    qrels_id: str = "official",
    progress: Progress = no_progress,
) -> Reading:
    """Read a graded (or ungraded) workbench file: plain, gzip or xz.

    Parameters
    ----------
    bank_id : name of the bank that the graded questions belong to; by default `tqa` for NDQ_ ids,
        `nuggets` for nuggets and `questions` for others
    grader_id : name for the file's only grading pass; by default `<model>.<prompt_class>`
    qrels_id : name of the judgments

    Raises
    ------
    BadInput : every line that is not as described, with its number
    """
    problems = Problems(path)
    reader = _Reader(problems, bank_id, grader_id, qrels_id)
    typed, untyped = msgspec.json.Decoder(_Line), msgspec.json.Decoder()
    for number, line in numbered_lines(path, progress):
        try:
            query, passages = typed.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            problems.add(number, f"not a line of a graded file: {error}", _excerpt(line), _LINE_REMEDY)
            continue
        reader.add_query(number, query)
        for passage, raw in zip(passages, untyped.decode(line)[1], strict=True):
            reader.add(number, query, passage, raw)
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


def _excerpt(line: bytes) -> str:
    text = line[:70].decode("utf-8", "replace")
    return text if len(line) <= 70 else f"{text} ... {line[-40:].decode('utf-8', 'replace')}"


def _reading(reader: _Reader) -> Reading:
    problems, notes = reader.problems, list[str]()
    rows = {
        "queries": (reader.queries, "query"),
        "passages": (reader.passages, "text"),
        "pool": (reader.pool, "entry"),
        "rankings": (reader.rankings, "rank"),
        "judgments": (reader.judgments, "judgment"),
        "grades": (reader.grades, "grade"),
    }
    if not reader.pool.lines and not problems.found:
        problems.add(0, "no passages in the file", remedy=_LINE_REMEDY)
    _merge_repeated_pool(reader, notes)
    frames: dict[str, pd.DataFrame] = {}
    for name, (table, what) in rows.items():
        frames[name], merged = table.frame(problems, what)
        if merged:
            notes.append(f"{merged:,} repeated {name} were merged.")
    frames["questions"] = _questions(reader)
    problems.raise_if_any()
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


def _top_slots(rankings: pd.DataFrame) -> tuple[int, int]:
    """Places 1 to 20 of all rankings, and those of them that the file leaves out."""
    slots = rankings["run_id"].nunique() * rankings["query_id"].nunique() * TOP
    found = int((rankings["rank"] <= TOP).sum())
    return slots, slots - found


def _merge_repeated_pool(reader: _Reader, notes: list[str]) -> None:
    """A passage that occurs again under its query keeps its first place."""
    first: dict[tuple[str, str], int] = {}
    rows = reader.pool.rows
    for place, (query_id, doc_id, position, extra) in enumerate(rows):
        rows[place] = (query_id, doc_id, first.setdefault((query_id, doc_id), position), extra)
    if len(first) < len(rows):
        notes.append(f"{len(rows) - len(first):,} passages occur more than once under their query.")


def _questions(reader: _Reader) -> pd.DataFrame:
    """The ids that were graded, as a bank without texts."""
    rows = Rows(QUESTIONS)
    for (item, question_id), (query_id, line) in reader.questions.items():
        default = "nuggets" if item == "nugget" else "tqa" if question_id.startswith("NDQ_") else "questions"
        name = reader.bank_id or default
        if reader.bank_id and item == "nugget" and any(kind == "question" for kind, _ in reader.questions):
            name = f"{reader.bank_id}.nuggets"
        extra = encode_extra({"item": "nugget"} if item == "nugget" else None)
        rows.add(line, name, 1, question_id, query_id, None, None, None, None, 1.0, True, None, extra)
    return QUESTIONS.frame(rows.columns())


def write_workbench(frames: dict[str, pd.DataFrame], graders: dict[str, dict[str, Any]], path: Path) -> None:
    """Write a collection as a workbench file, one line for each query.

    Parameters
    ----------
    frames : the tables pool, passages, judgments, rankings and grades of one collection
    graders : what is known of each grader in the grades
    """
    write_lines(path, _lines(frames, graders))


def _lines(frames: dict[str, pd.DataFrame], graders: dict[str, dict[str, Any]]) -> Iterator[bytes]:
    texts = dict(zip(frames["passages"]["doc_id"], _objects(frames["passages"]["passage_text"]), strict=True))
    listed = set(zip(frames["pool"]["query_id"], frames["pool"]["doc_id"], strict=True))
    judgments = _by_pair(frames["judgments"], listed, ("relevance", "extra"))
    rankings = _by_pair(frames["rankings"], listed, ("run_id", "source_rank", "score", "extra"))
    grades = _by_pair(frames["grades"], listed, ("grader_id", "question_id", "grade", "answer", "correct"))
    pool = frames["pool"].sort_values("position", kind="stable")
    rows = zip(pool["query_id"], pool["doc_id"], _objects(pool["extra"]), strict=True)
    # A query's passages need not stand together in the source; they do in the export.
    ordered = sorted(rows, key=_first_seen(pool["query_id"]))
    for query_id, group in groupby(ordered, key=itemgetter(0)):
        passages = []
        for _, doc_id, extra in group:
            pair = (query_id, doc_id)
            passages.append(
                _passage(
                    query_id,
                    doc_id,
                    texts.get(doc_id),
                    judgments.get(pair, []),
                    rankings.get(pair, []),
                    [row[1:] for row in grades.get(pair, [])],
                    decode_extra(extra),
                    graders,
                )
            )
        yield msgspec.json.encode([query_id, passages])


def _first_seen(query_ids: pd.Series) -> Any:
    place = {query_id: index for index, query_id in enumerate(dict.fromkeys(query_ids))}
    return lambda row: place[row[0]]


def _objects(series: pd.Series) -> list[Any]:
    return list(series.astype(object).where(series.notna(), None))


def _by_pair(
    frame: pd.DataFrame, listed: set[tuple[str, str]], columns: tuple[str, ...]
) -> dict[tuple[str, str], list[tuple[Any, ...]]]:
    """Rows (with the query_id that they name) by the listed query and passage, in the frame's order.

    What names a facet belongs to the passage that is listed under the facet's page.
    """
    pairs: dict[tuple[str, str], list[tuple[Any, ...]]] = {}
    names = ("query_id", "doc_id", *columns)
    for unit, doc_id, *values in zip(*(_objects(frame[name]) for name in names), strict=True):
        page = unit
        if columns[-1] == "extra":
            page = decode_extra(values[-1]).get("@", unit)
        while (page, doc_id) not in listed and "/" in page:
            page = page.rpartition("/")[0]
        pairs.setdefault((page, doc_id), []).append((unit, *values))
    return pairs


def _passage(
    query_id: str,
    doc_id: str,
    text: str | None,
    judgments: list[tuple[Any, ...]],
    rankings: list[tuple[Any, ...]],
    grades: list[tuple[Any, ...]],
    extra: dict[str, Any],
    graders: dict[str, dict[str, Any]],
) -> dict[str, Any]:
    data = {
        "judgments": [
            _apply(
                {"paragraphId": doc_id, "query": unit, "relevance": relevance, "titleQuery": query_id},
                decode_extra(beyond),
            )
            for unit, relevance, beyond in judgments
        ],
        "rankings": [
            _apply(
                {"method": run, "paragraphId": doc_id, "queryId": unit, "rank": rank, "score": score},
                decode_extra(beyond),
            )
            for unit, run, rank, score, beyond in rankings
        ],
        **extra.pop("paragraph_data", {}),
    }
    passage: dict[str, Any] = {"paragraph_id": doc_id, "text": text, "paragraph_data": data}
    by_grader: dict[str, list[tuple[Any, ...]]] = {}
    for grader_id, *row in grades:
        by_grader.setdefault(grader_id, []).append(tuple(row))
    kept = extra.pop(_PASSES, [])
    differences = {item["grader"]: item["difference"] for item in kept if "grader" in item}
    for grader_id in [*differences, *(name for name in by_grader if name not in differences)]:
        difference = differences.get(grader_id, {})
        grader = graders.get(grader_id, {})
        rows = by_grader.get(grader_id, [])
        slot = grader.get("slot") or ("grades" if rows and rows[0][0] is None else "exam_grades")
        passage.setdefault(slot, []).append(_apply(_entry(slot, rows, grader_id, grader), difference))
    for item in kept:
        if "empty" in item:
            passage[item["empty"]] = item["value"]
    return passage | extra


def _entry(slot: str, rows: list[tuple[Any, ...]], grader_id: str, grader: dict[str, Any]) -> dict[str, Any]:
    """A grading pass; a grader that did not come from a workbench file gets the fields it must have."""
    if "slot" in grader:
        return direct_entry(rows, grader) if slot == "grades" else exam_entry(rows, grader)
    about = {"llm": "labels", "llm_options": {}, "prompt_info": {"prompt_class": grader_id}}
    known = about | {"item": "question", "rated": True} | grader
    if slot == "exam_grades":
        return exam_entry(rows, known)
    # The format asks for a verdict and an answer; labels from a qrels file have neither.
    label, grade, answer, correct = rows[0]
    verdict = bool(grade and grade > 0) if correct is None else correct
    return direct_entry([(label, grade, answer or "", verdict)], known)
