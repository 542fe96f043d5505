"""What an assigner or judge says of answers: a run of one passage a query, a bank, and a grade for each question."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from exam_core.errors import Problems
from exam_core.formats.banks.nuggetizer import nugget_notes
from exam_core.formats.banks.rows import BankRows, most
from exam_core.formats.format import Kind
from exam_core.formats.reading import Reading, Rows, refuse_several_runs
from exam_core.formats.workbench import text_hash
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
    "llm": "as its file has it",
    "prompt_info": {"prompt_class": "nugget_assignment", "is_self_rated": True},
}


def contradicts(label: str | None) -> bool:
    """Whether a label says that the answer contradicts the nugget, in whichever form of the word."""
    return label is not None and label.strip().lower().startswith("contradict")


@dataclass
class AssignedAnswers:
    """Answers and what was said of them, as rows of all tables.

    The answer of a run to a query is the passage `<run_id>/<query_id>`, first and only one of its ranking.

    Parameters
    ----------
    path : the file
    bank_id, grader_id : what the bank and the grader are called
    run_id : of all answers; None takes each one's own
    runs : that the file names
    lines : where the answer of each run to each query stands first
    """

    path: Path
    bank_id: str
    grader_id: str
    run_id: str | None
    bank: BankRows = field(init=False)
    runs: set[str] = field(default_factory=set)
    lines: dict[tuple[str, str], int] = field(default_factory=dict)
    queries: Rows = field(default_factory=lambda: Rows(QUERIES))
    passages: Rows = field(default_factory=lambda: Rows(PASSAGES))
    rankings: Rows = field(default_factory=lambda: Rows(RANKINGS))
    grades: Rows = field(default_factory=lambda: Rows(GRADES))

    def __post_init__(self) -> None:
        self.bank = BankRows(self.path, self.bank_id, "nugget")

    @property
    def problems(self) -> Problems:
        """What is wrong with the file."""
        return self.bank.problems

    def answer(
        self, line: int, run: str, query: tuple[str, str | None], text: str | None, extra: str | None = None
    ) -> None:
        """Take the answer of a run to a query (id, and text if known), once."""
        if self.lines.setdefault((run, query[0]), line) != line:
            return
        doc_id = f"{run}/{query[0]}"
        self.queries.add(line, *query)
        self.passages.add(line, doc_id, text, text_hash(text) if text else None)
        self.rankings.add(line, run, query[0], doc_id, 1, 1, -1.0, False, extra)

    def grade(self, line: int, run: str, query_id: str, question_id: str, grade: int | None, label: str | None) -> None:
        """Take what was said of a question in a run's answer to its query; a grade of None can't be read."""
        self.grades.add(line, self.grader_id, question_id, query_id, f"{run}/{query_id}", grade, label)

    def reading(self, words: Iterable[str], scale: int | None, notes: Iterable[str] = ()) -> Reading:
        """All of it, with notes on labels that are none of the words, and on the nuggets.

        Raises BadInput where something is wrong, or one name was given to several runs.

        Parameters
        ----------
        words : labels that are known
        scale : the highest grade that there is; None if the file does not say
        """
        refuse_several_runs(self.path, self.runs if self.run_id is not None else (), f"--run {self.run_id}")
        frames = {
            **self.bank.frames()[0],
            "queries": self.queries.frame(self.problems, "text")[0],
            "passages": self.passages.frame(self.problems, "answer")[0],
            "rankings": self.rankings.frame(self.problems, "answer")[0],
            "grades": self.grades.frame(self.problems, "assignment")[0],
        }
        self.problems.raise_if_any()
        counts = {"runs": frames["rankings"]["run_id"].nunique()}
        of = {"queries": "queries", "answers": "rankings", "questions": "questions", "grades": "grades"}
        counts |= {name: len(frames[table]) for name, table in of.items()}
        about = {name: value for name, value in {**ABOUT, "scale": scale}.items() if value is not None}
        told = [*notes, *_label_notes(frames["grades"], words), *nugget_notes(frames["questions"])]
        return Reading(frames, {self.grader_id: about} if len(frames["grades"]) else {}, counts, told)


def _label_notes(grades: pd.DataFrame, words: Iterable[str]) -> list[str]:
    """Notes on labels that are none of the words."""
    labels = grades["answer"].astype(object).where(grades["answer"].notna(), None)
    against = labels.map(contradicts).astype(bool)
    unread = labels[grades["grade"].isna()]
    notes = []
    if len(unread):
        notes.append(
            f"{counted({'labels are': len(unread)})} none of {', '.join(words)} ({most(unread)}): kept, and counted as "
            "not found."
        )
    if against.any():
        notes.append(f"{counted({'nuggets are': int(against.sum())})} contradicted and counted as not found.")
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
        **{one: (one,) for one in ("question_text", "weight", "answer_text")},
    },
)
