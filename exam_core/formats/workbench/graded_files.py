"""The authors' graded files, read and written: a line is `[query_id, [passage, ...]]`, of one passage or of all.

Nothing is lost. Reader and writer build the entries of a passage from our columns by the same functions; what a file
says otherwise, or beyond them, is the difference to such an entry (`difference_to`), and stands in `extra`.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
import pandas as pd

from exam_core.errors import BadInput, Problems
from exam_core.formats.extra import TooDeep, check_depth, decode_extra, encode_extra
from exam_core.formats.format import Kind
from exam_core.formats.json_lines import BadLine, add_bad_line, decode_line, excerpt
from exam_core.formats.labels import known_scale
from exam_core.formats.lines import numbered_lines
from exam_core.formats.reading import MakeSpill, Reading, Rows
from exam_core.formats.writing import write_lines
from exam_core.progress import Progress, no_progress
from exam_core.tables import GRADES, LARGEST_GRADE, OFFICIAL, QUESTIONS, SMALLEST_GRADE, TABLES
from exam_core.wording import counted

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
TOP = 20
"""Places of a ranking that the papers grade."""
NO_CLASS = "QuestionPromptWithChoices"
"""The workbench's prompt class for grades that name none."""
DECIMAL = "decimal_grade"
"""What a self-rating's decimal grade is called."""
PASS_FIELDS = ("llm", "llm_options", "prompt_info", "prompt_type")
"""What a grading pass says once for all passages; kept with the grader."""
PASSES = "exam_grades"
"""Where the pool's `extra` has what a passage's passes say beyond their grades: no unknown field has this name."""
_TABLES = {
    "queries": "query",
    "passages": "text",
    "pool": "entry",
    "rankings": "rank",
    "judgments": "judgment",
    "grades": "grade",
}
"""The tables of a file, and what a row of each is called."""
_LINE_REMEDY = (
    "A line is [query_id, [passage, ...]] with paragraph_id, text and paragraph_data (judgments, rankings)\n"
    "for each passage. A last line that breaks off means that the file was not copied whole."
)
_PASS_REMEDY = "Each question has one self-rating, one answer and one verdict in a grading pass: correct the pass."

_ASKED = ["grader_id", "query_id", "question_id"]

# What is read

Id = str | int
_Whole = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]
_Relevance = Annotated[int, msgspec.Meta(ge=SMALLEST_GRADE, le=LARGEST_GRADE)]
_SelfRating = Annotated[int, msgspec.Meta(ge=0, le=LARGEST_GRADE)]
_DecimalGrade = Annotated[float, msgspec.Meta(ge=SMALLEST_GRADE, le=LARGEST_GRADE)]


class _Judgment(msgspec.Struct):
    paragraphId: Id  # noqa: N815
    query: Id
    relevance: _Relevance
    titleQuery: Id  # noqa: N815


class _Ranking(msgspec.Struct):
    method: Id
    paragraphId: Id  # noqa: N815
    queryId: Id  # noqa: N815
    rank: _Whole
    score: float


class _Data(msgspec.Struct):
    judgments: list[_Judgment]
    rankings: list[_Ranking]


class _Rating(msgspec.Struct):
    self_rating: _SelfRating | None = None
    decimal_grade: _DecimalGrade | None = None
    question_id: Id | None = None
    nugget_id: Id | None = None


class _Exam(msgspec.Struct):
    """A grading pass over a passage, with a grade for each question or nugget."""

    correctAnswered: list[Id]  # noqa: N815
    wrongAnswered: list[Id]  # noqa: N815
    answers: list[tuple[Id, str | None]]
    llm: str
    self_ratings: list[_Rating] | None = None
    prompt_info: dict[str, Any] | None = None
    prompt_type: str | None = None


class _Direct(msgspec.Struct):
    """A grading pass that labels the passage itself."""

    correctAnswered: bool  # noqa: N815
    answer: str | None
    llm: str
    self_ratings: _SelfRating | None = None
    decimal_grade: _DecimalGrade | None = None
    unreadable: bool = False
    prompt_info: dict[str, Any] | None = None


class _Passage(msgspec.Struct):
    paragraph_id: Id
    text: str | None
    paragraph_data: _Data
    exam_grades: list[_Exam] | None = None
    grades: list[_Direct] | None = None


PASSAGE_FIELDS = _Passage.__struct_fields__
Line = tuple[Id, list[_Passage]]


def read_workbench(
    path: Path,
    *,
    bank_id: str | None = None,
    grader_id: str | None = None,
    make_spill: MakeSpill | None = None,
    progress: Progress = no_progress,
) -> Reading:
    """Read a graded (or ungraded) workbench file: plain, gzip or xz.

    Parameters
    ----------
    bank_id : name of the bank that the graded questions belong to; by default `tqa` for NDQ_ ids,
        `nuggets` for nuggets and `questions` for others
    grader_id : name for the file's only grading pass; by default `<model>.<prompt_class>`
    make_spill : where very many rows go

    Raises BadInput that names every line that is not as described.
    """
    problems = Problems(path)
    file = _GradedFile(problems, grader_id, {name: Rows(TABLES[name], problems, make_spill) for name in _TABLES})
    typed, untyped = msgspec.json.Decoder(Line), msgspec.json.Decoder()
    for number, line in numbered_lines(path, progress):
        try:
            (query, passages), raws = decode_line(line, typed, untyped)
            file.rows["queries"].add(number, str(query))
            for passage, raw in zip(passages, raws[1], strict=True):
                file.add_passage(number, str(query), passage, raw)
        except BadLine as error:
            add_bad_line(problems, number, line, error, "a line of a graded file", _LINE_REMEDY)
        except TooDeep as error:
            problems.add(number, str(error), excerpt(line), "Leave that field out.")
    passes = max(len(file.graders), len(file.models))
    if grader_id and passes > 1:
        raise BadInput(
            f"{path}: holds {passes} grading passes, so --grader can't name them all.\n"
            "Leave --grader out: each is then called by its model and prompt. Nothing was stored."
        )
    if not file.places and not problems.problems:
        problems.add(0, "no passages in the file", remedy=_LINE_REMEDY)
    return file.reading(bank_id, make_spill)


@dataclass
class _GradedFile:
    """The rows of a graded file while it is read.

    `texts` are hashes of the passages' texts, `places` those of passages under their query; `models` name a prompt too.
    """

    problems: Problems
    grader_id: str | None
    rows: dict[str, Rows]
    graders: dict[str, dict[str, Any]] = field(default_factory=dict)
    models: set[str] = field(default_factory=set)
    texts: dict[str, int] = field(default_factory=dict)
    places: dict[tuple[str, str], int] = field(default_factory=dict)

    def add_passage(self, line: int, query_id: str, passage: _Passage, raw: dict[str, Any]) -> None:
        """Take a passage under a query; one that occurs again there keeps its first place."""
        doc_id, data = str(passage.paragraph_id), raw["paragraph_data"]
        if self.texts.get(doc_id) != (digest := hash(passage.text)):
            self.texts[doc_id] = digest
            self.rows["passages"].add(line, doc_id, passage.text, text_hash(passage.text))
        for judgment, item in zip(passage.paragraph_data.judgments, data["judgments"], strict=True):
            unit = str(judgment.query)
            own = judgment_entry(unit, doc_id, judgment.relevance, query_id)
            more = encode_extra(difference_to(own, item) | _page(unit, query_id))
            self.rows["judgments"].add(line, OFFICIAL, unit, doc_id, judgment.relevance, more)
        for ranking, item in zip(passage.paragraph_data.rankings, data["rankings"], strict=True):
            run_id, unit, rank, score = str(ranking.method), str(ranking.queryId), ranking.rank, ranking.score
            own = ranking_entry(unit, doc_id, run_id, rank, score)
            more = encode_extra(difference_to(own, item) | _page(unit, query_id))
            self.rows["rankings"].add(line, run_id, unit, doc_id, 0, rank, score, True, more)
        extra = {name: value for name, value in raw.items() if name not in PASSAGE_FIELDS}
        if beyond := {name: value for name, value in data.items() if name not in ("judgments", "rankings")}:
            extra["paragraph_data"] = beyond
        if passes := self._add_passes(line, query_id, doc_id, passage, raw):
            extra[PASSES] = passes
        place = self.places.setdefault((query_id, doc_id), len(self.places))
        self.rows["pool"].add(line, query_id, doc_id, place, encode_extra(extra))

    def _add_passes(
        self, line: int, query_id: str, doc_id: str, passage: _Passage, raw: dict[str, Any]
    ) -> list[dict[str, Any]]:
        """Take the grades of every pass; gives what the writer needs beyond them to write the passes again."""
        slots = {"exam_grades": passage.exam_grades, "grades": passage.grades}
        entries: list[tuple[str, Any, Any]] = [
            (slot, *pair)
            for slot, typed in slots.items()
            for pair in zip(typed or (), raw.get(slot) or (), strict=True)
        ]
        beyond, counter = list[dict[str, Any]](), Counter[str]()
        for slot, entry, item in entries:
            name = self._grader_of(slot, entry)
            counter[name] += 1
            name = f"{name}#{counter[name]}" if counter[name] > 1 else name
            if name not in self.graders:
                self.graders[name] = _description(slot, entry, item)
            grader = self.graders[name]
            rows = self._exam_rows(line, entry, grader) if slot == "exam_grades" else _direct_rows(entry, grader)
            for question_id, grade, answer, correct, decimal in rows:
                self.rows["grades"].add(line, name, question_id, query_id, doc_id, grade, answer, correct, decimal)
            difference = difference_to(_pass_entry(slot, rows, grader), item)
            if difference or not rows or len(entries) != 1:
                beyond.append({"grader": name, "difference": difference})
        empty = [{"empty": slot, "value": raw[slot]} for slot in slots if slot in raw and not raw[slot]]
        return beyond + empty

    def _grader_of(self, slot: str, entry: _Exam | _Direct) -> str:
        """The grader's name. Grades of different kinds are never those of one grader."""
        model = f"{entry.llm}.{(entry.prompt_info or {}).get('prompt_class') or NO_CLASS}"
        self.models.add(model)
        name = self.grader_id or model
        if self.graders.get(name, {"slot": slot})["slot"] != slot:
            name = f"{name}.{slot}"
        return f"{name}.rated" if _is_rated(entry) and not self.graders.get(name, {"rated": True})["rated"] else name

    def _exam_rows(self, line: int, entry: _Exam, grader: dict[str, Any]) -> list[tuple[Any, ...]]:
        """(question_id, grade, answer, correct, decimal) in the file's order, a question once."""
        items = [
            (item.nugget_id if item.question_id is None else item.question_id, item)
            for item in entry.self_ratings or ()
        ]
        verdicts = [*((name, True) for name in entry.correctAnswered), *((name, False) for name in entry.wrongAnswered)]
        answers = self._by_question(line, "answer", entry.answers)
        ratings = self._by_question(line, "self-rating", [(name, item.self_rating) for name, item in items])
        correct = self._by_question(line, "verdict", verdicts)
        decimals = {str(name): item.decimal_grade for name, item in items if item.self_rating is not None}
        grades = ratings if grader["rated"] else {name: int(verdict) for name, verdict in correct.items()}
        names = answers | ratings | correct
        return [(name, grades.get(name), answers.get(name), correct.get(name), decimals.get(name)) for name in names]

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

    def reading(self, bank_id: str | None, make_spill: MakeSpill | None) -> Reading:
        """All that was taken, with what a user should hear. Raises BadInput where something is wrong."""
        frames = {name: self.rows[name].decide(what) for name, what in _TABLES.items()}
        self.problems.raise_if_any()
        again = self.rows["pool"].merged
        notes = [f"{again:,} passages occur more than once under their query."] if again else []
        merged = {name: self.rows[name].merged for name in ("rankings", "judgments", "grades")}
        notes += [f"{count:,} repeated {name} were merged." for name, count in merged.items() if count]
        reading = Reading(graders=self.graders, notes=notes)
        for name, parts in frames.items():
            reading.take(name, parts, make_spill)
        runs, ranked, at_top = set[str](), set[str](), 0
        for frame in reading.parts("rankings"):
            runs.update(frame["run_id"].unique())
            ranked.update(frame["query_id"].unique())
            at_top += int((frame["rank"] <= TOP).sum())
        beyond, no_digits, asked = Counter[str](), 0, [GRADES.of([])[_ASKED]]
        scales = {name: about["scale"] for name, about in self.graders.items()}
        rated = {name for name, about in self.graders.items() if about["rated"]}
        for frame in reading.parts("grades"):
            scale = frame["grader_id"].map(scales).astype("float64")
            beyond.update(frame["grader_id"][(frame["grade"] > scale).fillna(False)])
            answers = frame["answer"][frame["grader_id"].isin(rated) & frame["question_id"].notna()]
            no_digits += int((~answers.fillna("").str.fullmatch("[0-5]")).sum())
            asked.append(frame[_ASKED].dropna().drop_duplicates())
        reading.ranks = self.rows["rankings"].ranks
        reading.frames["questions"] = self._questions(pd.concat(asked).drop_duplicates(), bank_id, notes)
        for name, count in beyond.items():
            scale = self.graders[name]["scale"]
            notes.append(
                f"{counted({'grades are': count})} above {scale}, where the scale of {name} ends; they are kept."
            )
        if missing := len(runs) * len(ranked) * TOP - at_top:
            slots = f"{missing:,} of {len(runs) * len(ranked) * TOP:,} top-{TOP} slots missing"
            notes.append(f"{slots}: the file leaves out passages that were not graded.")
        tables = {"queries": "queries", "passages": "pool", "distinct passages": "passages"}
        tables |= {name: name for name in ("questions", "grades")}
        reading.counts = {name: reading.rows(table) for name, table in tables.items()}
        reading.counts |= {"runs": len(runs), "judgments": reading.rows("judgments")}
        if no_digits:
            reading.counts["answers that are not a plain digit"] = no_digits
        return reading

    def _questions(self, asked: pd.DataFrame, bank_id: str | None, notes: list[str]) -> pd.DataFrame:
        """The bank of the questions that were graded, without texts; `asked` has grader, query and question.

        Where passes ask different questions of one bank, each grader names its own, with a note: Cover of a pass is the
        share of the questions that the pass asks, as in the authors' evaluation.
        """
        is_nugget = asked["grader_id"].isin({name for name, about in self.graders.items() if about["item"] == "nugget"})
        is_tqa = asked["question_id"].str.startswith("NDQ_").astype(bool)
        names = np.where(is_nugget, "nuggets", np.where(is_tqa, "tqa", "questions"))
        if bank_id:
            names = np.where(is_nugget, bank_id if is_nugget.all() else f"{bank_id}.nuggets", bank_id)
        asked = asked.assign(bank_id=names, is_nugget=is_nugget)
        in_bank = asked.groupby(["bank_id", "query_id"])["question_id"].transform("nunique")
        in_pass = asked.groupby(["grader_id", "bank_id", "query_id"])["question_id"].transform("nunique")
        own = asked[(in_pass < in_bank).groupby([asked["grader_id"], asked["query_id"]]).transform("any")]
        for name, rows in own.groupby("grader_id", sort=False):
            by_query = rows.groupby("query_id", sort=False)["question_id"]
            self.graders[str(name)]["asks"] = {str(query_id): list(ids) for query_id, ids in by_query}
            ids = list(rows["question_id"].unique())
            listed = ", ".join(ids[:5]) + (f" and {len(ids) - 5:,} more" if len(ids) > 5 else "")
            notes.append(f"{name} graded {listed}: its Cover counts only these questions, not all of the bank.")
        bank = asked.drop_duplicates(["bank_id", "question_id", "query_id"])
        extra = [encode_extra({"item": "nugget"}) if nugget else None for nugget in bank["is_nugget"]]
        columns = {name: bank[name] for name in ("bank_id", "question_id", "query_id")} | {"extra": extra}
        every = {"version": 1, "weight": 1.0, "enabled": True}
        return QUESTIONS.frame({**columns, **{name: [value] * len(bank) for name, value in every.items()}})


def _is_rated(entry: _Exam | _Direct) -> bool:
    """Whether a pass has self-ratings, or would have if the model had said anything of use."""
    by_prompt = entry.unreadable if isinstance(entry, _Direct) else (entry.prompt_info or {}).get("is_self_rated")
    return entry.self_ratings is not None or bool(by_prompt)


def _direct_rows(entry: _Direct, grader: dict[str, Any]) -> list[tuple[Any, ...]]:
    """The one row of a pass that labels a passage, as of questions."""
    verdict = None if entry.unreadable else int(entry.correctAnswered)
    grade = entry.self_ratings if grader["rated"] else verdict
    decimal = entry.decimal_grade if grader["rated"] and grade is not None else None
    return [(None, grade, entry.answer, entry.correctAnswered, decimal)]


def _description(slot: str, entry: _Exam | _Direct, raw: dict[str, Any]) -> dict[str, Any]:
    """What is known of a grader from its first grading pass."""
    prompt_class = str((entry.prompt_info or {}).get("prompt_class"))
    rated = _is_rated(entry)
    known = {"slot": slot, "rated": rated, "scale": (known_scale(prompt_class) or 5) if rated else 1}
    known |= {name: raw[name] for name in PASS_FIELDS if name in raw}
    check_depth(known)
    if isinstance(entry, _Direct):
        return {"kind": "direct", "item": None, **known}
    is_nugget = entry.prompt_type == "nugget" or any(item.nugget_id is not None for item in entry.self_ratings or [])
    return {"kind": "exam", "item": "nugget" if is_nugget else "question", **known}


def text_hash(text: str | None) -> str | None:
    """First 16 hex digits of the SHA-256 of a text; null for null."""
    return None if text is None else hashlib.sha256(text.encode()).hexdigest()[:16]


# Entries as the workbench writes them, and what a file says otherwise


def judgment_entry(unit: str, doc_id: str, relevance: int, query_id: str) -> dict[str, Any]:
    """A judgment, of a query or one of its facets."""
    return {"paragraphId": doc_id, "query": unit, "relevance": relevance, "titleQuery": query_id}


def ranking_entry(unit: str, doc_id: str, run_id: str, rank: int, score: float) -> dict[str, Any]:
    """A place in a run."""
    return {"method": run_id, "paragraphId": doc_id, "queryId": unit, "rank": rank, "score": score}


def _pass_entry(slot: str, rows: list[tuple[Any, ...]], grader: dict[str, Any]) -> dict[str, Any]:
    """A grading pass, from (id, grade, answer, correct, decimal); a direct one has one row.

    The decimal grade, where there is one, stands beside the self-rating, which the workbench takes as a whole number.
    """
    about = {name: grader[name] for name in PASS_FIELDS if name in grader}
    beside = [{} if row[4] is None else {DECIMAL: row[4]} for row in rows]
    if slot == "grades":
        _, grade, answer, correct, _ = rows[0]
        rating = {"self_ratings": grade} | beside[0] if grader["rated"] else {}
        unreadable = {"unreadable": True} if grade is None else {}
        return {"correctAnswered": bool(correct), "answer": answer} | about | rating | unreadable
    right = [row[0] for row in rows if row[3] is True]
    entry = {
        "correctAnswered": right,
        "wrongAnswered": [row[0] for row in rows if row[3] is False],
        "answers": [[row[0], row[2]] for row in rows],
        "exam_ratio": len(right) / len(rows) if rows else 0.0,
        **about,
    }
    if grader["rated"]:
        key = f"{grader['item']}_id"
        ratings = [{key: row[0], "self_rating": row[1]} | more for row, more in zip(rows, beside, strict=True)]
        entry["self_ratings"] = ratings
    return entry


_same = msgspec.json.Encoder(order="deterministic").encode
"""The text of a value: 2, 2.0 and true are equal to Python, and still another JSON."""


def difference_to(own: dict[str, Any], raw: dict[str, Any]) -> dict[str, Any]:
    """What turns `own` into `raw`: fields to set, and under "-" fields to leave out.

    (An entry of an `extra` may also have "@", see `_page`.)
    """
    if _same(own) == _same(raw):
        return {}
    changed = {name: value for name, value in raw.items() if name not in own or _same(own[name]) != _same(value)}
    surplus = [name for name in own if name not in raw]
    return changed | ({"-": surplus} if surplus else {})


def with_difference(own: dict[str, Any], difference: dict[str, Any]) -> dict[str, Any]:
    """Undo `difference_to`."""
    left_out = {"-", "@", *difference.get("-", ())}
    return {name: value for name, value in (own | difference).items() if name not in left_out}


def _page(unit: str, query_id: str) -> dict[str, str]:
    """Which query an entry stood under, where its own id (the query's or a facet's) doesn't say so."""
    return {} if unit == query_id or unit.startswith(f"{query_id}/") else {"@": query_id}


def page_of(unit: str, doc_id: str, extra: Any, listed: Container[tuple[str, str]]) -> str:
    """The query under which a passage is listed that an entry names with a query or one of its facets.

    Parameters
    ----------
    extra : what the entry says beyond its columns, for instance that it stood under another query
    listed : (query_id, doc_id) pairs; a page that is not among them is no page of the passage
    """
    page = str(decode_extra(extra).get("@", unit))
    while (page, doc_id) not in listed and "/" in page:
        page = page.rpartition("/")[0]
    return page


# What is written

_Graders = dict[str, dict[str, Any]]
_Entries = dict[tuple[str, str], list[tuple[Any, ...]]]
"""Rows by the listed query and passage."""


def write_workbench(frames: dict[str, pd.DataFrame], graders: _Graders, path: Path) -> None:
    """Write a collection as a workbench file, one line for each query.

    `frames`: the tables pool, passages, judgments, rankings and grades of one collection. `graders`: what is known of
    each grader in the grades.
    """
    write_lines(path, _lines(frames, graders))


def _lines(frames: dict[str, pd.DataFrame], graders: _Graders) -> Iterator[bytes]:
    texts = dict(_values(frames["passages"], "doc_id", "passage_text"))
    pool = frames["pool"].sort_values("position", kind="stable")
    listed = set(zip(pool["query_id"], pool["doc_id"], strict=True))
    judgments = _by_pair(frames["judgments"], listed, "relevance", "extra")
    rankings = _by_pair(frames["rankings"], listed, "run_id", "source_rank", "score", "extra")
    grades = _by_pair(frames["grades"], listed, "grader_id", "question_id", "grade", "answer", "correct", "decimal")
    # A query's passages need not stand together in the source; they do in the export.
    first = {query_id: place for place, query_id in enumerate(dict.fromkeys(pool["query_id"]))}
    ordered = sorted(_values(pool, "query_id", "doc_id", "extra"), key=lambda row: first[row[0]])
    for query_id, group in groupby(ordered, key=itemgetter(0)):
        passages = []
        for _, doc_id, text in group:
            pair, extra = (query_id, doc_id), decode_extra(text)
            data = {
                "judgments": [
                    with_difference(judgment_entry(unit, doc_id, relevance, query_id), decode_extra(more))
                    for unit, relevance, more in judgments.get(pair, ())
                ],
                "rankings": [
                    with_difference(ranking_entry(unit, doc_id, *place), decode_extra(more))
                    for unit, *place, more in rankings.get(pair, ())
                ],
                **extra.pop("paragraph_data", {}),
            }
            passes = _passes(grades.get(pair, []), extra.pop(PASSES, []), graders)
            passage = {"paragraph_id": doc_id, "text": texts.get(doc_id), "paragraph_data": data}
            passages.append(passage | passes | extra)
        yield msgspec.json.encode([query_id, passages])


def _values(frame: pd.DataFrame, *names: str) -> Iterator[tuple[Any, ...]]:
    """Rows of these columns, None for null."""
    columns = (frame[name].astype(object).where(frame[name].notna(), None) for name in names)
    return zip(*columns, strict=True)


def _by_pair(frame: pd.DataFrame, listed: set[tuple[str, str]], *names: str) -> _Entries:
    """Rows (with the query_id that they name) by the listed query and passage, in the frame's order.

    What names a facet belongs to the passage that is listed under the facet's page.
    """
    pairs: _Entries = {}
    for unit, doc_id, *values in _values(frame, "query_id", "doc_id", *names):
        page = page_of(unit, doc_id, values[-1] if names[-1] == "extra" else None, listed)
        pairs.setdefault((page, doc_id), []).append((unit, *values))
    return pairs


def _passes(grades: list[tuple[Any, ...]], kept: list[dict[str, Any]], graders: _Graders) -> dict[str, Any]:
    """A passage's grading passes by their slot; `kept` is what its file said beyond their grades."""
    passes, by_grader = dict[str, Any](), dict[str, list[tuple[Any, ...]]]()
    for _, grader_id, *row in grades:
        by_grader.setdefault(grader_id, []).append(tuple(row))
    differences = {item["grader"]: item["difference"] for item in kept if "grader" in item}
    for grader_id in dict.fromkeys([*differences, *by_grader]):
        rows, grader = by_grader.get(grader_id, []), graders.get(grader_id, {})
        slot = grader.get("slot") or ("grades" if rows and rows[0][0] is None else "exam_grades")
        if "slot" not in grader:
            # One that did not come from a workbench file gets the fields that it must have.
            about = {"llm": "labels", "llm_options": {}, "prompt_info": {"prompt_class": grader_id}}
            grader = about | {"item": "question", "rated": True} | grader
            if slot == "grades":
                label, grade, answer, correct, decimal = rows[0]
                rows = [
                    (label, grade, answer or "", bool(grade and grade > 0) if correct is None else correct, decimal)
                ]
        entry = with_difference(_pass_entry(slot, rows, grader), differences.get(grader_id, {}))
        passes.setdefault(slot, []).append(entry)
    return passes | {item["empty"]: item["value"] for item in kept if "empty" in item}
