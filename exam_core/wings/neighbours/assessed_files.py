"""Files that assess whole responses: what a judge or a model assigned to each question, nugget or criterion.

As a table, a row for each response and question, as TREC DRAGUN writes it:

    topic_id,run_tag,answer_id,auto_assessment,auto_rationale

As JSON lines, a response with a list of criteria that have weights, as participants of TREC RAG 2026 do (the reader of
nugget assignments hands these on):

    {"qid": "1", "run_id": "a", "answer_text": "...", "criteria": [{"text": "...", "weight": -3, "verdict": "met"}]}

And AutoNuggetizer's assignments, of a query's nuggets in answers.

Labels in real files are dirty, since models wrote them: what is known is read, everything else is kept and counted.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd

from exam_core.errors import Problems
from exam_core.formats.banks.nuggetizer import NuggetLine, add_nuggets, nugget_notes
from exam_core.formats.banks.rows import AVOID, CLAIM, BankRows, as_text, beyond, most
from exam_core.formats.delimited import DOC_ID, QUERY_TEXT, RUN_ID
from exam_core.formats.extra import TooDeep, encode_extra
from exam_core.formats.format import WIDTH, Format, Kind, Opening
from exam_core.formats.json_lines import decode_line, objects, reporting
from exam_core.formats.label_words import about_words, numbers_of
from exam_core.formats.numbers import as_whole
from exam_core.formats.plain_tables import PlainTable, filled, number, words
from exam_core.formats.reading import Reading, Rows, refuse_several_runs
from exam_core.formats.records import fields_of
from exam_core.formats.workbench import text_hash
from exam_core.progress import Progress, no_progress
from exam_core.tables import GRADES, PASSAGES, QUERIES, RANKINGS, id_of_digest
from exam_core.wording import counted

BANK_ID, GRADER_ID = "nuggets", "nuggetizer"
"""Default names of the bank and the grader of assignments."""
ASSIGNED = {"support": 2, "partial_support": 1, "not_support": 0}
"""The grade of an assigner's label. Any other label can't be read, but for those of `contradicts`."""
ABOUT = {
    "kind": "exam",
    "slot": "exam_grades",
    "item": "question",
    "rated": True,
    "llm": "as its file has it",
    "prompt_info": {"prompt_class": "nugget_assignment", "is_self_rated": True},
}


def contradicts(label: str | None) -> bool:
    """Whether a label says that the answer contradicts the nugget, in whichever form of the word."""
    return label is not None and label.strip().lower().startswith("contradict")


@dataclass
class AssignedAnswers:
    """Answers and their assessments, as rows of all tables; `reading` returns them.

    The answer of a run to a query is the passage `<run_id>/<query_id>`, first and only one of its ranking.

    Parameters
    ----------
    run_id : of all answers; None takes each one's own
    runs : that the file names
    lines : the first line of each run and query
    """

    path: Path
    bank_id: str
    grader_id: str
    run_id: str | None
    bank: BankRows = field(init=False)
    runs: set[str] = field(default_factory=set)
    lines: dict[tuple[str, str], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.bank = BankRows(self.path, self.bank_id, "nugget")
        tables = (QUERIES, PASSAGES, RANKINGS, GRADES)
        self.queries, self.passages, self.rankings, self.grades = (Rows(table, self.problems) for table in tables)

    @property
    def problems(self) -> Problems:
        """The file's faults."""
        return self.bank.problems

    def answer(
        self, line: int, run: str, query: tuple[str, str | None], text: str | None, extra: str | None = None
    ) -> None:
        """Add the answer of a run to a query (id, and text if known), once."""
        if self.lines.setdefault((run, query[0]), line) != line:
            return
        doc_id = f"{run}/{query[0]}"
        self.queries.add(line, *query)
        self.passages.add(line, doc_id, text, text_hash(text) if text else None)
        self.rankings.add(line, run, query[0], doc_id, 1, 1, -1.0, False, extra)

    def grade(self, line: int, run: str, query_id: str, question_id: str, grade: int | None, label: str | None) -> None:
        """Add the label of a question in a run's answer to its query; a grade of None can't be read."""
        self.grades.add(line, self.grader_id, question_id, query_id, f"{run}/{query_id}", grade, label)

    def reading(self, words: Iterable[str], scale: int | None, notes: Iterable[str] = ()) -> Reading:
        """Return all tables, with notes on labels that are none of `words`, and on the nuggets.

        Raises BadInput where something is wrong, or one name was given to several runs. `scale` is the highest grade
        that there is; None if the file does not say.
        """
        refuse_several_runs(self.path, self.runs if self.run_id is not None else (), f"--run {self.run_id}")
        frames = {
            **self.bank.frames()[0],
            "queries": self.queries.frame("text")[0],
            "passages": self.passages.frame("answer")[0],
            "rankings": self.rankings.frame("answer")[0],
            "grades": self.grades.frame("assignment")[0],
        }
        self.problems.raise_if_any()
        counts = {"runs": frames["rankings"]["run_id"].nunique()}
        tables = {"queries": "queries", "answers": "rankings", "questions": "questions", "grades": "grades"}
        counts |= {name: len(frames[table]) for name, table in tables.items()}
        about = {name: value for name, value in {**ABOUT, "scale": scale}.items() if value is not None}
        sentences = [*notes, *_label_notes(frames["grades"], words), *nugget_notes(frames["questions"])]
        return Reading(frames, {self.grader_id: about} if len(frames["grades"]) else {}, counts, sentences)


def _label_notes(grades: pd.DataFrame, words: Iterable[str]) -> list[str]:
    labels = grades["answer"].astype(object).where(grades["answer"].notna(), None)
    unread = labels[grades["grade"].isna()]
    notes = []
    if len(unread):
        notes.append(
            f"{counted({'labels are': len(unread)})} none of {', '.join(words)} ({most(unread)}): kept, and counted as "
            "not found."
        )
    if against := int(labels.map(contradicts).astype(bool).sum()):
        notes.append(f"{counted({'nuggets are': against})} contradicted and counted as not found.")
    return notes


ASSIGNMENTS = Kind(
    key="assignments",
    noun="Nugget assignments",
    order=85,
    main="grades",
    template="""\
{"qid": "q1", "run_id": "report-a", "answer_text": "Yeast gives off carbon dioxide.", "nuggets": \
[{"text": "Which gas makes dough rise?", "importance": "vital", "assignment": "support"}, \
{"text": "How warm should dough stand?", "importance": "okay", "assignment": "not_support"}]}
{"qid": "q2", "run_id": "report-a", "answer_text": "Leaves lose their green.", "nuggets": \
[{"text": "Which pigment is lost in autumn?", "importance": "vital", "assignment": "partial_support"}]}
""",
    ending="jsonl",
    option="run",
    name="Name of the run",
    unnamed="Most files name the run in every line. Leave this empty for a file with several runs.",
    columns={
        **{"query": ("query_id",), "run": ("run_id",), "question": ("question_id",), "label": ("label",)},
        **{name: (name,) for name in ("question_text", "weight", "answer_text")},
    },
)


_ROW_REMEDY = "Each row names a query, a run, and a question or its words."
ASSESSED = PlainTable(
    columns={
        "query_id": filled("topic_id", "qid", "narrative_id", "request_id", "topic", remedy=_ROW_REMEDY),
        "run_id": filled(*RUN_ID, remedy=_ROW_REMEDY),
        "question_id": words("answer_id", "nugget_id", "criterion_id", "rubric_id", needed=False),
        "question_text": words("criterion", "nugget", "nugget_text", "question", "claim", "text", needed=False),
        "label": words(*"auto_assessment assessment assignment verdict grade judgment rating score".split()),
        "weight": number("points", needed=False),
        "answer_text": words("response", "report", needed=False),
        "query_text": words(*QUERY_TEXT, needed=False),
    },
    texts_as_ids=True,
)
_SUPPORT = ("none no_support", "partial partially partial_supports", "supports supported full full_support")
_MET = ("not_satisfied unsatisfied not_met unmet no false absent fail", "satisfied met yes true present pass passed")
_HALVES = ("0 0.0", "0.5", "1 1.0")


def _levels(*words: str) -> dict[str, int]:
    return {word: level for level, alike in enumerate(words) for word in alike.split()}


SCALES: tuple[Mapping[str, int], ...] = ({**ASSIGNED, **_levels(*_SUPPORT)}, _levels(*_MET), _levels(*_HALVES))
"""What words and halves stand for; a file is read by the first of these that knows most of its labels."""


def read_assessments(
    path: Path,
    *,
    bank_id: str = BANK_ID,
    grader_id: str = GRADER_ID,
    run_id: str | None = None,
    progress: Progress = no_progress,
) -> Reading:
    """Read assessments as `read_assignments` reads its files: a response is one passage, whose text may be unknown.

    A question is known by its id, or by its words. A criterion of negative weight is one to avoid, and counts. Grades
    are those of `SCALES`, whole numbers as they are, or those of words whose order is known; a contradiction is 0.

    Raises BadInput where a row lacks an id or a label, is repeated in other words, or `run_id` is given to a file of
    several runs.
    """
    assigned_answers = AssignedAnswers(path, bank_id, grader_id, run_id)
    table = ASSESSED
    if run_id is not None:
        table = replace(ASSESSED, columns={**ASSESSED.columns, "run_id": words(*RUN_ID, needed=False)})
    rows = list(table.records(path, assigned_answers.problems, progress))
    grades, scale, notes = _grades(dict.fromkeys(row["label"] for _, row in rows))
    copies = Counter[tuple[str, str, str]]()
    for line, row in rows:
        run, query_id = run_id or row["run_id"], row["query_id"]
        assigned_answers.runs |= {row["run_id"]} - {"", None}
        question_id, text = row["question_id"], row["question_text"]
        weight = 1.0 if row["weight"] is None else row["weight"]
        if not (question_id or text):
            assigned_answers.problems.add(line, "no question", remedy=_ROW_REMEDY)
            continue
        if not question_id:
            copies[run, query_id, text] += 1
            again = copies[run, query_id, text]
            question_id = id_of_digest(query_id, text) + (f"#{again}" if again > 1 else "")
        columns = {"question_id": question_id, "question_text": text, "kind": CLAIM, "weight": abs(weight)}
        if math.copysign(1, weight) < 0:
            columns |= {"importance": AVOID, "enabled": True}
        assigned_answers.bank.question(line, query_id, columns)
        assigned_answers.answer(line, run, (query_id, row["query_text"]), row["answer_text"])
        assigned_answers.grade(line, run, query_id, question_id, grades.get(row["label"]), row["label"] or None)
    return assigned_answers.reading(grades, scale, notes)


def _folded(label: str) -> str:
    return label.lower().replace(" ", "_").replace("-", "_")


def _grades(labels: Iterable[str]) -> tuple[dict[str, int], int | None, list[str]]:
    """Return the grade of each readable label, the highest possible grade (None if unknown), and notes on words."""
    against = {label: 0 for label in labels if contradicts(label)}
    others = [label for label in labels if label and label not in against]
    by_scale = [{other: scale[_folded(other)] for other in others if _folded(other) in scale} for scale in SCALES]
    best = max(by_scale, key=len, default={})
    whole = {label: number for label in others if (number := as_whole(label)) is not None}
    if len(whole) == len(others):
        return against | whole, None, []
    if best:
        return against | best, max(SCALES[by_scale.index(best)].values()), about_words(against | best)
    numbers = numbers_of(others)
    return against | numbers, max(numbers.values(), default=None), about_words(numbers)


def _is_table(opening: Opening) -> bool:
    known = set() if opening.is_json else {*fields_of(opening, {**ASSESSED.names, "doc_id": DOC_ID})}
    return {*ASSESSED.needed} <= known and "doc_id" not in known and bool({"question_id", "question_text"} & known)


_ASSIGNED_REMEDY = (
    'A line is one JSON object such as {"qid": "q1", "run_id": "my-system", "answer_text": "...", '
    '"nuggets": [{"text": "...", "importance": "vital", "assignment": "support"}]}.'
)


def grade_of(label: str | None) -> int | None:
    """Return the grade of an assigner's label: 0 too where the answer contradicts the nugget; None if unreadable."""
    return 0 if contradicts(label) else ASSIGNED.get((label or "").strip().lower())


class _AssignedLine(NuggetLine, kw_only=True):
    answer_text: str
    run_id: str | int | None = None


_ASSIGNED_FIELDS = set(_AssignedLine.__struct_fields__)


def read_assignments(
    path: Path,
    *,
    bank_id: str = BANK_ID,
    grader_id: str = GRADER_ID,
    run_id: str | None = None,
    progress: Progress = no_progress,
) -> Reading:
    """Read assignments: answers as passages, nuggets as a bank, and the assigner's labels as grades (`grade_of`).

    Raises BadInput where a line is no such object, names no run, has an empty answer, or is the second one of a run and
    query; or `run_id` is given to a file of several runs (None takes each line's own).
    """
    # Criteria in the place of nuggets may stand behind a long answer.
    _, first = next(iter(objects(path, Problems(path))), (0, b""))
    if b'"criteria"' in first and b'"nuggets"' not in first:
        return read_assessments(path, bank_id=bank_id, grader_id=grader_id, run_id=run_id, progress=progress)
    assigned_answers = AssignedAnswers(path, bank_id, grader_id, run_id)
    typed, plain = msgspec.json.Decoder(_AssignedLine), msgspec.json.Decoder()
    taken: set[tuple[str, str | None]] = set()  # nuggets that a run before has, too
    for line, raw in objects(path, assigned_answers.problems, progress):
        with reporting(assigned_answers.problems, line, raw, "assignments of an answer", _ASSIGNED_REMEDY):
            _add(assigned_answers, line, *decode_line(raw, typed, plain), taken)
    return assigned_answers.reading(ASSIGNED, max(ASSIGNED.values()))


def _add(
    assigned_answers: AssignedAnswers,
    number: int,
    line: _AssignedLine,
    untyped: Mapping[str, Any],
    taken: set[tuple[str, str | None]],
) -> None:
    """Add the answer of a run to a query, with its nuggets."""
    own, query_id, problems = as_text(line.run_id), str(line.qid), assigned_answers.problems
    assigned_answers.runs |= set() if own is None else {own}
    run = own if assigned_answers.run_id is None else assigned_answers.run_id
    if run is None:
        problems.add(number, "no run_id", remedy="Add run_id to the lines, or name the run with --run.")
        return
    if first := assigned_answers.lines.get((run, query_id)):
        what = f"second answer of run {run} to query {query_id}; the first is in line {first}"
        remedy = "Keep one of them, or give the runs different names."
        problems.add(number, what, remedy=remedy, cause="second answer of a run to a query")
        return
    if not line.answer_text.strip():
        problems.add(number, "an empty answer_text", remedy="Leave the line out: a run without an answer scores 0.")
        return
    try:
        extra = encode_extra(beyond(untyped, _ASSIGNED_FIELDS))
    except TooDeep as error:
        problems.add(number, str(error), query_id, "Leave that field out.")
        return
    assigned_answers.answer(number, run, (query_id, line.query or None), line.answer_text, extra)
    for question_id, nugget in add_nuggets(assigned_answers.bank, number, line, untyped, taken):
        label = nugget.assignment
        assigned_answers.grade(number, run, query_id, question_id, grade_of(label), label)


def _are_assignments(opening: Opening) -> bool:
    fields = opening.fields
    has_nuggets = bool({"nuggets", "criteria"} & fields) or len(opening.text) >= WIDTH  # behind a long answer
    return "qid" in fields and has_nuggets and bool(fields & {"answer_text", "assignment"})


ROWS = (
    Format(
        kind=ASSIGNMENTS,
        written="table",
        looks="assessments of responses",
        # Before tables of grades and of scores, which have a passage, or no question.
        order=26,
        fits=_is_table,
        read=read_assessments,
        explains=("table", "text"),
    ),
    Format(
        kind=ASSIGNMENTS,
        written="AutoNuggetizer's JSON lines",
        looks="nugget assignments",
        order=10,
        fits=_are_assignments,
        read=read_assignments,
    ),
)
