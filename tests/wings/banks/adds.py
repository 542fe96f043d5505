"""What banks add to tests of the whole."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from exam_core.question import Question
from exam_core.store import Store, question_banks
from exam_core.store.summary import bank_version
from exam_core.tables import question_id
from exam_core.wings.banks import actions
from exam_core.wings.banks.effect import hidden
from exam_core.wings.banks.versions import questions_of

PAGE = "pages/questions/questions.py"
WITHOUT_ROWS = ("bank health {of} --list pairs",)
READING = {
    "bank list": ["bank list demo"],
    "bank show": ["bank show demo --bank open"],
    "bank diff": ["bank diff demo open manual"],
    "bank health": ["bank health {of} --list pairs", "bank health {of} --hidden 5"],
}
ELSEWHERE = {
    "bank edit": "wings/banks/test_bank_commands.py",
    "bank merge": "wings/banks/test_bank_commands.py",
    "bank revert": "wings/banks/test_bank_commands.py",
    "bank import": "wings/banks/test_bank_files.py",
    "bank export": "wings/banks/test_bank_files.py",
    "bank generate": "wings/banks/test_generating_command.py",
}
# Of test_redraws.py.
OF_QUESTIONS = (partial(hidden, halves=2),)
# Of test_every_command.py and test_read_only.py.
REFUSED_OF_PRINT = {"bank health": "no bank whose questions to look at"}
WRITING = ("bank merge demo --bank open --with manual", "bank revert demo open@1 --reason r")
EXPORTING = ("bank export demo {file} --bank open --form json",)
# Of test_importing_commands.py.
EXPORTED = (("bank export demo FILE --bank open", "80 questions of open@1"),)
# Of test_every_page.py, test_guarding.py and test_judgments_alone.py.
CHARTS = {PAGE: (1, 0, 0, 0)}
OF_PRINT = {PAGE: "printed figures, without questions"}
LACKING = ("Write questions",)
PAGES_THAT_WRITE = {PAGE: "editor"}
MORE_VIEWS = {PAGE: ({"bank_view": "Edit"}, {"bank_view": "Versions"}, {"bank_view": "Generate"})}

# Of faults/writing.py, in which the bank b has one version.
QUESTIONS = {one.key: one for one in (Question("q1", "q1/1", "who?"), Question("q1", "q1/2", "where?"))}


def _edit(store: Store, folder: Path) -> object:
    del folder
    added = Question("q1", "q1/3", "when?")
    wanted = QUESTIONS | {added.key: added}
    return actions.edit_bank(store, "c", "b", wanted, base=1, reason="one more", author="Ann")


WRITE_PATHS = {"bank edit": (lambda _: None, _edit)}


# Of actions/steps.py.


def _two_versions(folder: Path) -> None:
    """A bank with a version that others made since the one that is edited."""
    store, first = Store(folder / "store"), next(iter(QUESTIONS))
    actions.edit_bank(store, "c", "b", QUESTIONS, base=None, reason="new")
    actions.edit_bank(store, "c", "b", {first: QUESTIONS[first]}, base=1, reason="shorter")


def _edit_at_one_time(store: Store, folder: Path) -> object:
    """An edit that stands beside what others did, at one time whenever it is made."""
    question_banks.now = lambda: "2026-01-01T00:00:00+00:00"  # type: ignore[attr-defined]
    return _edit(store, folder)


STEPS = {"bank": (_two_versions, _edit_at_one_time)}


# Of the golden stores.
GOLDEN_ASKED = ("bank list demo",)


def golden_made(store: Store) -> None:
    """A second version of a bank."""
    text = "Is the skin an organ?"
    new = Question("demo-01", question_id("demo-01", text), text)
    bank = questions_of(store.snapshot("demo"), "open", 1)
    actions.edit_bank(store, "demo", "open", {**bank, new.key: new}, base=1, reason="one more", author="Ann")


PLACES = 6
"""Questions that an editor adds and removes."""


def editing(folder: Path, number: int) -> None:
    """Put a question of one's own into the bank and take it out again, in turn; edits of others are kept."""
    store = Store(folder / "store")
    place = number // 2 % PLACES
    mine = Question("q1", f"q1/{os.getpid()}-{place}", f"what is {place} of {os.getpid()}?")
    newest = bank_version(store.snapshot("busy"), "b")
    bank = questions_of(store.snapshot("busy"), "b", newest)
    others = {key: one for key, one in bank.items() if key != mine.key}
    wanted = others if number % 2 else others | {mine.key: mine}
    actions.edit_bank(store, "busy", "b", wanted, base=newest, reason="to and fro")


SOAKING = {"editor": editing}


def found_at_seams(half: str, _: bytes) -> list[tuple[str, str | bytes]]:
    """What was found once where texts and bytes enter: half of a character."""
    return [("questions of a model", half)]


# Of test_reports.py.
FORMS = (("banks/rubrics_signed_weights.jsonl", "bank", "2 questions\n  Questions to avoid that are switched on: 1."),)
# Of test_sniffing.py.
BEGINNINGS = {
    "rubrics.jsonl": ('{"qid": "q1", "prompt": "why", "rubrics": [{"criterion": "Why.", "points": -1}]}\n', "bank"),
    "v3, indented.json": (
        '{\n  "query_id": "q1",\n  "nugget_bank": {\n    "Why?": {\n      "question": "Why?"\n',
        "bank",
    ),
    "ragtime.jsonl": (
        '{"metadata": {"topic_id": "q1", "run_id": "a"}, "nugget_bank": [{"question": "Why?", "answers": '
        '[{"answer": "so", "references": ["d1"]}]}]}\n',
        "bank",
    ),
    "tqa.json": ('[\n {\n  "globalID": "L_0001",\n  "lessonName": "Rain"\n', "bank"),
    "tqa on a line.json": ('[{"adjunctTopics": {"Vocabulary": {' + "x" * 9000, "bank"),
    "squad.json": ('{"version": "v2.0", "data": [{"title": "Rain", "paragraphs": [', "bank"),
}
UNREADABLE_PAGES = ("questions",)
MOVED_TO = ("questions",)
