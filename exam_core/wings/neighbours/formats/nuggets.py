"""AutoNuggetizer's assignments: what an assigner made of a query's nuggets in answers.

Labels in real files are dirty: a model was asked, and whatever it said was written down. What is known is read, and
everything else is kept as it is and counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd

from exam_core.formats.banks.nuggetizer import NuggetLine, add_nuggets, nugget_notes
from exam_core.formats.banks.rows import BankRows, as_text, beyond, most
from exam_core.formats.documents import objects
from exam_core.formats.extra import TooDeep, encode_extra
from exam_core.formats.format import WIDTH, Format, Kind, Opening
from exam_core.formats.json_lines import decode_line, reporting
from exam_core.formats.reading import Reading, Rows, refuse_several_runs
from exam_core.formats.workbench import text_hash
from exam_core.progress import Progress, no_progress
from exam_core.tables import GRADES, PASSAGES, QUERIES, RANKINGS
from exam_core.wording import counted

BANK_ID, GRADER_ID = "nuggets", "nuggetizer"
"""What the bank and the grader of assignments are called where nobody names them."""
ASSIGNED = {"support": 2, "partial_support": 1, "not_support": 0}
"""The grade of an assigner's label. Any other label can't be read, but for those of `contradicts`."""
ABOUT = {
    "kind": "exam",
    "slot": "exam_grades",
    "item": "question",
    "rated": True,
    "scale": max(ASSIGNED.values()),
    "llm": "as its file has it",
    "prompt_info": {"prompt_class": "nugget_assignment", "is_self_rated": True},
}
_ASSIGNED_REMEDY = (
    'A line is one JSON object such as {"qid": "q1", "run_id": "my-system", "answer_text": "...", '
    '"nuggets": [{"text": "...", "importance": "vital", "assignment": "support"}]}.'
)


def contradicts(label: str | None) -> bool:
    """Whether a label says that the answer contradicts the nugget, in whichever form of the word."""
    return label is not None and label.strip().lower().startswith("contradict")


def grade_of(label: str | None) -> int | None:
    """The grade of an assigner's label: 0 too where the answer contradicts the nugget; None where it can't be read."""
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
    """Read assignments: answers as passages, nuggets as a bank, and what the assigner said of each as a grade.

    The answer of a run to a query is the passage `<run_id>/<query_id>`, first and only one of its ranking. The grade
    is that of `grade_of`, the label as it was written its answer.

    Raises BadInput where a line is no such object, names no run, has an empty answer, or is the second one of a run and
    query; or `run_id` is given to a file of several runs.

    Parameters
    ----------
    run_id : of all lines; None takes each line's own
    """
    rows = BankRows(path, bank_id, "nugget")
    found, problems = _Assigned(rows, grader_id, run_id), rows.problems
    typed, plain = msgspec.json.Decoder(_AssignedLine), msgspec.json.Decoder()
    for number, raw in objects(path, problems, progress):
        with reporting(problems, number, raw, "assignments of an answer", _ASSIGNED_REMEDY):
            found.add(number, *decode_line(raw, typed, plain))
    refuse_several_runs(path, found.said if run_id is not None else (), f"--run {run_id}")
    frames = found.frames()
    problems.raise_if_any()
    counts = {
        "runs": frames["rankings"]["run_id"].nunique(),
        "queries": len(frames["queries"]),
        "answers": len(frames["rankings"]),
        "questions": len(frames["questions"]),
        "grades": len(frames["grades"]),
    }
    notes = [*_label_notes(frames["grades"]), *nugget_notes(frames["questions"])]
    return Reading(frames, {grader_id: ABOUT} if len(frames["grades"]) else {}, counts, notes)


@dataclass
class _Assigned:
    """Assigned answers as rows of all tables.

    Parameters
    ----------
    run_id : of all lines; None takes each line's own
    said : the runs that lines name
    first : where the answer of each run to each query stands
    taken : nuggets that a run before has, too
    """

    bank: BankRows
    grader_id: str
    run_id: str | None
    said: set[str] = field(default_factory=set)
    first: dict[tuple[str, str], int] = field(default_factory=dict)
    taken: set[tuple[str, str | None]] = field(default_factory=set)
    queries: Rows = field(default_factory=lambda: Rows(QUERIES))
    passages: Rows = field(default_factory=lambda: Rows(PASSAGES))
    rankings: Rows = field(default_factory=lambda: Rows(RANKINGS))
    grades: Rows = field(default_factory=lambda: Rows(GRADES))

    def add(self, number: int, line: _AssignedLine, untyped: Mapping[str, Any]) -> None:
        """Take the answer of a run to a query."""
        own, query_id, problems = as_text(line.run_id), str(line.qid), self.bank.problems
        self.said |= set() if own is None else {own}
        run = own if self.run_id is None else self.run_id
        if run is None:
            problems.add(number, "no run_id", remedy="Add run_id to the lines, or name the run with --run.")
        elif first := self.first.get((run, query_id)):
            what = f"second answer of run {run} to query {query_id}; the first is in line {first}"
            remedy = "Keep one of them, or give the runs different names."
            problems.add(number, what, remedy=remedy, cause="second answer of a run to a query")
        elif not line.answer_text.strip():
            problems.add(number, "an empty answer_text", remedy="Leave the line out: a run without an answer scores 0.")
        else:
            self.first[run, query_id] = number
            self._add(number, run, line, untyped)

    def _add(self, number: int, run: str, line: _AssignedLine, untyped: Mapping[str, Any]) -> None:
        query_id = str(line.qid)
        doc_id = f"{run}/{query_id}"
        try:
            extra = encode_extra(beyond(untyped, _ASSIGNED_FIELDS))
        except TooDeep as error:
            self.bank.problems.add(number, str(error), query_id, "Leave that field out.")
            return
        self.queries.add(number, query_id, line.query or None)
        self.passages.add(number, doc_id, line.answer_text, text_hash(line.answer_text))
        self.rankings.add(number, run, query_id, doc_id, 1, 1, -1.0, False, extra)
        for question_id, nugget in add_nuggets(self.bank, number, line, untyped, self.taken):
            label = nugget.assignment
            self.grades.add(number, self.grader_id, question_id, query_id, doc_id, grade_of(label), label)

    def frames(self) -> dict[str, pd.DataFrame]:
        """All tables."""
        problems = self.bank.problems
        return {
            **self.bank.frames()[0],
            "queries": self.queries.frame(problems, "text")[0],
            "passages": self.passages.frame(problems, "answer")[0],
            "rankings": self.rankings.frame(problems, "answer")[0],
            "grades": self.grades.frame(problems, "assignment")[0],
        }


def _label_notes(grades: pd.DataFrame) -> list[str]:
    """Notes on labels that are none of the three."""
    labels = grades["answer"].astype(object).where(grades["answer"].notna(), None)
    against = labels.map(contradicts).astype(bool)
    unread = labels[grades["grade"].isna()]
    notes = []
    if len(unread):
        notes.append(
            f"{counted({'labels are': len(unread)})} "
            f"none of {', '.join(ASSIGNED)} ({most(unread)}): kept, and counted "
            "as not found."
        )
    if against.any():
        notes.append(f"{counted({'nuggets are': int(against.sum())})} contradicted and counted as not found.")
    return notes


def _are_assignments(opening: Opening) -> bool:
    fields = opening.fields
    has_nuggets = "nuggets" in fields or len(opening.text) >= WIDTH  # behind a long answer
    return "qid" in fields and has_nuggets and bool(fields & {"answer_text", "assignment"})


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
)
ROWS = (
    Format(
        kind=ASSIGNMENTS,
        written="AutoNuggetizer's JSON lines",
        looks="nugget assignments",
        order=10,
        fits=_are_assignments,
        read=read_assignments,
    ),
)
