"""What banks add to tests of the whole."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from exam_core.errors import ExamboardError
from exam_core.question import Question
from exam_core.store import Store, question_banks
from exam_core.store.append_only import chained
from exam_core.store.files import write_once
from exam_core.store.summary import bank_version
from exam_core.tables import question_id
from exam_core.wings.banks import actions
from exam_core.wings.banks.analysis.hidden import hidden
from exam_core.wings.banks.draft import Put
from exam_core.wings.banks.store.drafts import begin, draft_path
from tests.wings import Record

PAGE = "pages/banks/banks.py"
READING = {
    "bank list": ["bank list demo"],
    "bank show": ["bank show demo --bank open"],
    "bank diff": ["bank diff demo open manual"],
    "bank health": ["bank health {of} --list pairs", "bank health {of} --hidden 5"],
}
ELSEWHERE = {
    "bank edit": "wings/banks/cli/test_bank_commands.py",
    "bank merge": "wings/banks/cli/test_bank_commands.py",
    "bank revert": "wings/banks/cli/test_bank_commands.py",
    "bank import": "wings/banks/cli/test_bank_files.py",
    "bank export": "wings/banks/cli/test_bank_files.py",
    "bank generate": "wings/banks/cli/test_generating_command.py",
}
# Of test_redraws.py.
OF_QUESTIONS = (partial(hidden, halves=2),)
# Of test_every_command.py and test_read_only.py.
REFUSED_OF_PRINT = {"bank health": "no bank whose questions to look at"}
WRITING = ("bank merge demo --bank open --with manual", "bank revert demo open@1 --reason r")
EXPORTING = ("bank export demo {file} --bank open --form json",)
# Of test_importing_commands.py.
EXPORTED = (("bank export demo FILE --bank open", "80 questions of open@1"),)
# Of test_every_page.py, test_judgments_alone.py and test_visiting.py.
CHARTS = {PAGE: (0, 0, 0, 0), "pages/questions/questions.py": (1, 0, 0, 0)}
OF_PRINT = {
    PAGE: "printed figures, without questions",
    "pages/questions/questions.py": "without grades of single questions",
}
LACKING = ("Write questions",)
PAGES_THAT_WRITE = {PAGE: "editor"}
MORE_VIEWS = {PAGE: ({"bank_view": "Versions"}, {"bank_view": "Health"}, {"bank_view": "Generate"})}

FIRST = b'{"bank":"fresh","base":null,"author":"Ann","created":"2026"}'
STEP = b'{"said":"added","puts":[{"before":[],"after":{"query_id":"q1","question_id":"q1/x","text":"who?"}}]}'


def _draft(store: Store, name: str) -> None:
    write_once(draft_path(store.path, "c", name), b"".join(chained([FIRST, STEP])))


def _opened(store: Store) -> int:
    opened = 0
    for one in actions.open_drafts(store, "c"):
        with suppress(ExamboardError):
            opened += actions.open_draft(store, "c", one.draft_id).at
    return opened


RECORDS = {
    "draft": Record(
        _draft,
        ".drafts/c/told.jsonl",
        _opened,
        lambda store: repr(actions.open_draft(store, "c", "told").bank),
        lambda store: begin(draft_path(store.path, "c", "new"), b"{}"),
    )
}


# Of faults/writing.py, in which the bank b has one version.
QUESTIONS = {one.key: one for one in (Question("q1", "q1/1", "who?"), Question("q1", "q1/2", "where?"))}


def _edit(store: Store, folder: Path) -> object:
    del folder
    added = Question("q1", "q1/3", "when?")
    wanted = QUESTIONS | {added.key: added}
    return actions.edit_bank(store, "c", "b", wanted, base=1, reason="one more", author="Ann")


def _begin(store: Store) -> None:
    begin(draft_path(store.path, "c", "told"), b'{"bank":"b","base":1,"author":"Ann","created":"2026"}')


def _edit_draft(store: Store, folder: Path) -> None:
    del folder
    actions.reword_in_draft(store, "c", "told", ("q1", "q1/1"), "who was it?")


def _commit_draft(store: Store, folder: Path) -> None:
    del folder
    if draft_path(store.path, "c", "told").exists():
        actions.commit_draft(store, "c", "told", reason="as it is", author="Ann")


WRITE_PATHS = {
    "bank edit": (lambda _: None, _edit),
    "draft edit": (_begin, _edit_draft),
    "draft commit": (_begin, _commit_draft),
}


# Of actions/steps.py.


def _two_versions(folder: Path) -> None:
    """A bank with a version that others made since the one that is edited."""
    store, first = Store(folder / "store"), next(iter(QUESTIONS))
    actions.edit_bank(store, "c", "b", QUESTIONS, base=None, reason="new")
    actions.edit_bank(store, "c", "b", {first: QUESTIONS[first]}, base=1, reason="shorter")


def _edit_at_one_time(store: Store, folder: Path) -> object:
    """An edit that goes together with what others did, at one time whenever it is made."""
    question_banks.now = lambda: "2026-01-01T00:00:00+00:00"
    return _edit(store, folder)


STEPS = {"bank": (_two_versions, _edit_at_one_time)}


# Of the golden stores.
GOLDEN_ASKED = ("bank list demo",)


def golden_made(store: Store) -> None:
    """A second version of a bank, and a draft of a third."""
    for base, text in ((1, "Is the skin an organ?"), (2, "Is hair dead?")):
        draft = actions.begin_draft(store, "demo", "open", base, author="Ann")
        new = Question("demo-01", question_id("demo-01", text), text)
        actions.edit_draft(store, "demo", draft, [Put((), new)], "added")
        if base == 1:
            actions.commit_draft(store, "demo", draft, reason="one more")


def golden_answers(store: Store) -> dict[str, Any]:
    """The drafts of a golden store, with the last step of each."""
    listed = actions.open_drafts(store, "demo")
    steps = (actions.open_draft(store, "demo", one.draft_id).steps for one in listed)
    return {"drafts": [[one.begun.bank, done[-1].said] for one, done in zip(listed, steps, strict=True)]}


def golden_worked(store: Store) -> None:
    """The draft of a golden store is a version."""
    (draft,) = actions.open_drafts(store, "demo")
    assert actions.commit_draft(store, "demo", draft.draft_id, reason="later").version == 3


PLACES = 6
"""Questions that an editor adds and removes."""


def editing(folder: Path, number: int) -> None:
    """Put a question of one's own into the bank and take it out again, in turn; edits of others are kept."""
    store = Store(folder / "store")
    place = number // 2 % PLACES
    mine = Question("q1", f"q1/{os.getpid()}-{place}", f"what is {place} of {os.getpid()}?")
    newest = bank_version(store.snapshot("busy"), "b")
    draft = actions.begin_draft(store, "busy", "b", newest)
    opened = actions.open_draft(store, "busy", draft)
    actions.drop_draft(store, "busy", draft)
    others = {key: one for key, one in opened.bank.items() if key != mine.key}
    wanted = others if number % 2 else others | {mine.key: mine}
    actions.edit_bank(store, "busy", "b", wanted, base=newest, reason="to and fro")


SOAKING = {"editor": editing}


def found_at_seams(half: str, deep: bytes) -> list[tuple[str, str | bytes]]:
    """What was found once where texts and bytes enter: half of a character, and an object in objects."""
    return [("questions of a model", half), ("draft", deep)]


# Of test_reports.py.
FORMS = (("banks/rubrics_signed_weights.jsonl", "bank", "2 questions\n  Questions to avoid that are switched on: 1."),)
# Of test_sniffing.py.
BEGINNINGS = {
    "nested.md": ("1. rain\n   1. Why is it wet?\n   2. Is it cold?\n", "bank"),
    "outline.yaml": ("q1:\n  - Why is it wet?\n", "bank"),
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
