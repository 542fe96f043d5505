"""Drafts on disk: what is done is there at once, whoever else writes, and wherever a process dies."""

import multiprocessing as mp
import os
import shutil
import tracemalloc

import pytest

from exam_core import actions
from exam_core.errors import StoreError, UsageError
from exam_core.jobs.order import Order
from exam_core.question import Question
from exam_core.store import Store
from exam_core.store.checking import check
from exam_core.store.summary import bank_version
from exam_core.tables import question_id
from exam_core.wings.banks.analysis.versions import questions_of
from exam_core.wings.banks.draft import Put
from exam_core.wings.banks.merging import Conflicting
from exam_core.wings.banks.store import drafts
from exam_core.wings.banks.store.drafts import draft_path, reading

FIRST, SECOND = (Question("q1", question_id("q1", text), text) for text in ("who?", "where?"))


@pytest.fixture
def store(tmp_path):
    found = Store(tmp_path / "store")
    actions.edit_bank(found, "c", "b", {FIRST.key: FIRST}, base=None, reason="new")
    return found


def new(text):
    return Put((), Question("q1", question_id("q1", text), text))


def drafted(store, draft_id):
    return actions.open_draft(store, "c", draft_id)


def texts(store, draft_id):
    return {one.text for one in drafted(store, draft_id).bank.values()}


def add(store, draft_id, name):
    """Ten questions, from a process of its own."""
    for number in range(10):
        actions.edit_draft(Store(store), "c", draft_id, [new(f"{name} {number}?")], "added")


def test_two_windows_that_edit_one_draft_lose_nothing(store):
    draft_id = actions.begin_draft(store, "c", "b", 1)
    spawned = mp.get_context("spawn")
    windows = [spawned.Process(target=add, args=(store.path, draft_id, name)) for name in "xyz"]
    for window in windows:
        window.start()
    for window in windows:
        window.join()
    expected = {f"{name} {number}?" for name in "xyz" for number in range(10)}
    assert texts(store, draft_id) == {"who?", *expected}


def test_a_line_that_was_cut_off_is_all_that_is_lost(store):
    draft_id = actions.begin_draft(store, "c", "b", 1)
    path = draft_path(store.path, "c", draft_id)
    actions.edit_draft(store, "c", draft_id, [new("kept?")], "added")
    whole = path.read_bytes()
    actions.edit_draft(store, "c", draft_id, [new("cut?")], "added")
    every = path.read_bytes()
    for end in range(len(whole), len(every) - 1, 23):
        path.write_bytes(every[:end])
        assert texts(store, draft_id) == {"who?", "kept?"}
    actions.edit_draft(store, "c", draft_id, [new("next?")], "added")
    assert texts(store, draft_id) == {"who?", "kept?", "next?"}


def test_a_commit_that_died_before_the_draft_was_gone_changes_nothing_when_it_is_done_again(store):
    for base, bank in ((1, "b"), (None, "another")):
        draft_id = actions.begin_draft(store, "c", bank, base)
        actions.edit_draft(store, "c", draft_id, [new("when?")], "added")
        path = draft_path(store.path, "c", draft_id)
        shutil.copy(path, path.with_suffix(".copy"))
        done = actions.commit_draft(store, "c", draft_id, reason="r")
        path.with_suffix(".copy").rename(path)
        again = actions.commit_draft(store, "c", draft_id, reason="r")
        assert (again.version, again.changed, path.exists()) == (done.version, False, False)


def test_a_conflict_leaves_the_draft_as_it_is_and_is_settled_by_key(store):
    draft_id = actions.begin_draft(store, "c", "b", 1)
    actions.reword_in_draft(store, "c", draft_id, FIRST.key, "mine?")
    theirs = Question("q1", question_id("q1", "theirs?"), "theirs?")
    actions.edit_bank(store, "c", "b", {theirs.key: theirs, SECOND.key: SECOND}, base=1, reason="r")
    with pytest.raises(Conflicting) as seen:
        actions.commit_draft(store, "c", draft_id, reason="r")
    assert texts(store, draft_id) == {"mine?"}
    settle = {one.key: "mine" for one in seen.value.conflicts}
    done = actions.commit_draft(store, "c", draft_id, reason="r", settle=settle)
    assert "mine?" in {one.text for one in questions_of(store.snapshot("c"), "b", done.version).values()}
    assert not actions.open_drafts(store, "c")


@pytest.mark.parametrize("draft_id", ["", "../../x", "a/b", "A", "x" * 61])
def test_what_is_no_id_of_a_draft_leads_nowhere(store, draft_id):
    with pytest.raises(UsageError, match="There is no draft"):
        actions.open_draft(store, "c", draft_id)


def test_a_draft_that_is_gone_says_so_whatever_is_done_with_it(store):
    draft_id = actions.begin_draft(store, "c", "b", 1)
    actions.drop_draft(store, "c", draft_id)
    actions.drop_draft(store, "c", draft_id)
    for act in (
        lambda: actions.open_draft(store, "c", draft_id),
        lambda: actions.edit_draft(store, "c", draft_id, [new("x?")], "added"),
        lambda: actions.move_draft(store, "c", draft_id, "undo"),
        lambda: actions.commit_draft(store, "c", draft_id, reason="r"),
    ):
        with pytest.raises(UsageError, match="committed or thrown away"):
            act()


def test_a_draft_that_goes_while_drafts_are_listed_hides_no_other(store):
    good, gone = (actions.begin_draft(store, "c", "b", 1) for _ in range(2))
    path = draft_path(store.path, "c", gone)
    path.unlink()
    path.symlink_to("nowhere")  # It is in the list, and not there.
    assert [one.draft_id for one in actions.open_drafts(store, "c")] == [good]
    assert not [problem for one in check(store) for problem in one.problems]


def test_a_draft_whose_first_line_is_damaged_is_named_and_hides_no_other(store):
    good, bad = (actions.begin_draft(store, "c", "b", 1) for _ in range(2))
    draft_path(store.path, "c", bad).write_bytes(b"\x00\xff")
    assert [one.draft_id for one in actions.open_drafts(store, "c")] == [good]
    with pytest.raises(StoreError, match="damaged"):
        actions.open_draft(store, "c", bad)


@pytest.mark.parametrize("damage", ["lost", "first lost", "changed places", "twice"])
def test_lines_of_a_draft_that_are_lost_or_changed_places_are_said_until_somebody_goes_on_without_them(store, damage):
    draft_id = actions.begin_draft(store, "c", "b", 1)
    path = draft_path(store.path, "c", draft_id)
    for text in ("one?", "two?", "three?"):
        actions.edit_draft(store, "c", draft_id, [new(text)], "added")
    assert not [problem for one in check(store) for problem in one.problems]
    begun, one, two, three = path.read_bytes().splitlines(keepends=True)
    there = {
        "lost": [begun, one, three],
        "first lost": [begun, two, three],
        "changed places": [begun, two, one, three],
        "twice": [begun, one, one, two, three],
    }
    path.write_bytes(b"".join(there[damage]))
    os.utime(path, (0, 0))  # two writes may fit into one tick of the clock
    with pytest.raises(StoreError, match=r"jsonl:\d: a step of the draft before this one is missing, or steps changed"):
        drafted(store, draft_id)
    with pytest.raises(StoreError, match="is missing"):
        actions.edit_draft(store, "c", draft_id, [new("four?")], "added")
    found = [problem for one in check(store) for problem in one.problems]
    assert {(problem.path, problem.kind) for problem in found} == {(path, "gap")}
    assert [one.draft_id for one in actions.open_drafts(store, "c")] == [draft_id]
    actions.repair(store)
    assert not [problem for one in check(store) for problem in one.problems]
    actions.edit_draft(store, "c", draft_id, [new("four?")], "added")
    assert {"who?", "three?", "four?"} <= texts(store, draft_id)


def test_typing_keeps_a_draft_small_and_what_was_done_before(store, monkeypatch):
    monkeypatch.setattr(drafts, "SLACK", 2000)
    draft_id = actions.begin_draft(store, "c", "b", 1)
    path = draft_path(store.path, "c", draft_id)
    actions.edit_draft(store, "c", draft_id, [new("first?")], "added")
    actions.edit_draft(store, "c", draft_id, [new("undone?")], "added")
    actions.move_draft(store, "c", draft_id, "undo")
    key = FIRST.key
    for number in range(60):
        actions.reword_in_draft(store, "c", draft_id, key, f"{'who? ' * number}!")
        key = next(one.key for one in drafted(store, draft_id).bank.values() if (one.text or "").endswith("!"))
    assert path.stat().st_size < 8000
    assert len(drafted(store, draft_id).steps) == 2
    assert not [problem for one in check(store) for problem in one.problems]
    actions.move_draft(store, "c", draft_id, "undo")
    assert texts(store, draft_id) == {"who?", "first?"}


def test_an_edit_that_would_make_a_draft_too_large_to_be_read_is_refused(store, monkeypatch):
    draft_id = actions.begin_draft(store, "c", "b", 1)
    monkeypatch.setattr(drafts, "LARGEST", 3000)
    monkeypatch.setattr(drafts, "SLACK", 100)
    questions = [new(f"{number} {'so ' * 200}?") for number in range(9)]
    actions.edit_draft(store, "c", draft_id, questions[:1], "added")
    with pytest.raises(UsageError, match=r"was not stored\. Commit it, and go on in another draft"):
        actions.edit_draft(store, "c", draft_id, questions[1:], "added")
    assert len(texts(store, draft_id)) == 2
    actions.commit_draft(store, "c", draft_id, reason="full")


def test_what_others_write_to_a_draft_that_was_read_is_seen(store):
    draft_id = actions.begin_draft(store, "c", "b", 1)
    elsewhere = mp.get_context("spawn").Process(target=add, args=(store.path, draft_id, "x"))
    assert texts(store, draft_id) == {"who?"}
    elsewhere.start()
    elsewhere.join()
    assert len(texts(store, draft_id)) == 11


def test_undo_of_nothing_writes_nothing(store):
    draft_id = actions.begin_draft(store, "c", "b", 1)
    before = draft_path(store.path, "c", draft_id).read_bytes()
    actions.move_draft(store, "c", draft_id, "undo")
    actions.move_draft(store, "c", draft_id, "redo")
    assert draft_path(store.path, "c", draft_id).read_bytes() == before


@pytest.mark.parametrize(
    ("bank", "base", "message"),
    [
        ("b", None, "already"),
        ("b", 7, "no version 7"),
        ("none", 1, "no version 1"),
        ("x@1", None, "@"),
        (" ", None, "give a name"),
    ],
)
def test_a_draft_of_what_can_not_be_edited_is_not_begun(store, bank, base, message):
    with pytest.raises(UsageError, match=message):
        actions.begin_draft(store, "c", bank, base)
    assert not actions.open_drafts(store, "c")


def test_grades_of_drafted_questions_wait_for_their_version(own_store):
    store = Store(own_store)
    question = Question("demo-01", question_id("demo-01", "Why is skin?"), "Why is skin?")
    order = Order("demo", bank="mine", drafted=(question,))
    assert actions.grade_lexically(store, order).done > 0
    assert bank_version(store.snapshot("demo"), "mine") == 0
    assert actions.grade_lexically(store, order).done == 0
    actions.edit_bank(store, "demo", "mine", {question.key: question}, base=None, reason="r")
    assert actions.grade_lexically(store, Order("demo", bank="mine")).done == 0


def test_grading_by_words_gives_what_the_demo_has(own_store):
    store = Store(own_store)
    before = store.snapshot("demo").frame("grades")
    asked = questions_of(store.snapshot("demo"), "open", 1)
    again = {key: Question(key[0], f"{key[1]} again", one.text) for key, one in asked.items() if not one.gold_answers}
    made = actions.grade_lexically(store, Order("demo", bank="again", drafted=tuple(again.values()))).done
    after = store.snapshot("demo").frame("grades").iloc[len(before) :]
    assert made == len(after)
    key = ["question_id", "query_id", "doc_id"]
    same = after.assign(question_id=after["question_id"].str.removesuffix(" again")).merge(before, on=key)
    assert len(same) > 1000
    assert (same["grade_x"] == same["grade_y"]).all()


def test_a_small_draft_is_read_into_little_memory(store):
    path = draft_path(store.path, "c", actions.begin_draft(store, "c", "b", 1))
    tracemalloc.start()
    try:
        with reading(path) as file:
            assert len(list(file)) == 1
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 2**20


def test_a_draft_is_its_editors_own(store, acts, tmp_path):
    (tmp_path / "topics.tsv").write_text("q1\twhat is a bank\n")
    actions.import_topics(store, "new", tmp_path / "topics.tsv")
    acts("ann@example.org", "editor")
    mine = actions.begin_draft(store, "new", "b", None, author="bob@example.org")
    assert [one.begun.author for one in actions.open_drafts(store, "new")] == ["ann@example.org"]
    acts("bob@example.org", "editor")
    assert actions.open_drafts(store, "new") == []
    for act in (
        lambda: actions.open_draft(store, "new", mine),
        lambda: actions.edit_draft(store, "new", mine, [], "anything"),
        lambda: actions.reword_in_draft(store, "new", mine, ("q1", "a"), "other words"),
        lambda: actions.move_draft(store, "new", mine, "undo"),
        lambda: actions.commit_draft(store, "new", mine, reason="mine now"),
        lambda: actions.drop_draft(store, "new", mine),
    ):
        with pytest.raises(UsageError, match="There is no draft"):
            act()
    acts("ann@example.org", "editor")
    assert len(actions.open_drafts(store, "new")) == 1
    actions.drop_draft(store, "new", mine)
    assert actions.open_drafts(store, "new") == []
