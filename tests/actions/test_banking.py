"""Banks as people change them: edits, merges of two banks, and going back, in a real store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from exam_core.actions import edit_bank, import_bank, revert_bank, undo_import
from exam_core.analysis.bank.versions import questions_of
from exam_core.banks.merging import Conflicting
from exam_core.banks.question import Bank, Key, Question, question_id, reworded
from exam_core.errors import BadInput, StoreError, UsageError
from exam_core.store import Store
from exam_core.store.sharing import export_duckdb
from exam_core.store.versions import bank_versions

from .action_files import bank as bank_file
from .action_files import content

WHO, WHERE, WHEN = "who?", "where?", "when?"


def question(text: str, query_id: str = "q1", **fields: object) -> Question:
    return replace(Question(query_id, question_id(query_id, text), text), **fields)


def of(*questions: Question) -> dict[Key, Question]:
    return {one.key: one for one in questions}


def stored(store: Store, version: int, bank: str = "b") -> Bank:
    return questions_of(store.snapshot("c"), bank, version)


def texts(bank: Bank) -> list[str | None]:
    return [one.text for one in bank.values()]


@pytest.fixture
def bank() -> dict[Key, Question]:
    return of(question(WHO), question(WHERE), question(WHEN, "q2"))


@pytest.fixture
def filled(store: Store, bank: Bank) -> Store:
    """A store with version 1 of bank b."""
    edit_bank(store, "c", "b", bank, base=None, reason="first questions", author="ann")
    return store


def test_a_new_bank_is_version_1(filled: Store, bank: Bank) -> None:
    assert stored(filled, 1) == bank


def test_an_edit_makes_the_next_version_and_the_old_one_stays(filled: Store, bank: Bank) -> None:
    edited = bank | of(question("how?"))
    done = edit_bank(filled, "c", "b", edited, base=1, reason="how was missing")
    assert (done.ref, [one.how for one in done.changes]) == ("b@2", ["added"])
    assert (stored(filled, 1), stored(filled, 2)) == (bank, edited)


def test_a_version_tells_who_made_it_and_why(filled: Store, bank: Bank) -> None:
    edit_bank(filled, "c", "b", bank | of(question("how?")), base=1, reason=" how was missing\n", author="bob")
    rows = bank_versions(filled.snapshot("c"), "b").astype(object)
    told = rows[["author", "reason", "n_questions"]].to_numpy().tolist()
    assert told == [["ann", "first questions", 3], ["bob", "how was missing", 4]]
    assert rows["base"].isna().tolist() == [True, False]


def test_an_edit_that_changes_nothing_makes_no_version(filled: Store, bank: Bank) -> None:
    before = content(filled.snapshot("c"))
    done = edit_bank(filled, "c", "b", bank, base=1, reason="none")
    assert (done.changed, done.version, content(filled.snapshot("c"))) == (False, 1, before)


def test_edits_of_different_questions_go_together(filled: Store, bank: Bank) -> None:
    heavy = replace(question(WHERE), weight=2.0)
    edit_bank(filled, "c", "b", bank | of(heavy), base=1, reason="matters more")
    mine = of(reworded(question(WHO), "whom?"), question(WHERE), question(WHEN, "q2"))
    done = edit_bank(filled, "c", "b", mine, base=1, reason="grammar")
    assert (done.version, [one.how for one in done.merged]) == (3, ["changed"])
    assert (texts(stored(filled, 3)), stored(filled, 3)[heavy.key]) == (["whom?", WHERE, WHEN], heavy)


@pytest.fixture
def conflict(filled: Store, bank: Bank) -> tuple[Store, Conflicting]:
    """Two rewordings of one question, and one of another that is in nobody's way."""
    _, *others = bank.values()
    edit_bank(filled, "c", "b", of(reworded(question(WHO), "whom?"), *others), base=1, reason="theirs")
    mine = of(reworded(question(WHO), "whose?"), replace(others[0], weight=3.0), *others[1:])
    before = content(filled.snapshot("c"))
    with pytest.raises(Conflicting) as refused:
        edit_bank(filled, "c", "b", mine, base=1, reason="mine")
    assert content(filled.snapshot("c")) == before
    return filled, refused.value


def test_a_conflict_is_refused_with_both_texts(conflict: tuple[Store, Conflicting]) -> None:
    message = str(conflict[1])
    assert all(word in message for word in ('"who?"', '"whom?"', '"whose?"', "b@2", "Nothing was stored."))
    assert conflict[1].exit_status == 1


@pytest.mark.parametrize(
    ("way", "kept"),
    [
        ("mine", ["whose?", WHERE, WHEN]),
        ("theirs", ["whom?", WHERE, WHEN]),
        ("both", ["whom?", WHERE, "whose?", WHEN]),
    ],
)
def test_a_conflict_that_was_seen_is_settled_and_committed(
    conflict: tuple[Store, Conflicting], way: str, kept: list[str]
) -> None:
    store, seen = conflict
    settled = seen.settled({seen.conflicts[0].key: way})
    done = edit_bank(store, "c", "b", settled, base=seen.version, reason="settled")
    assert (done.version, texts(stored(store, 3))) == (3, kept)
    assert stored(store, 3)[question(WHERE).key].weight == 3.0


REFUSED: dict[str, tuple[Callable[[], list[Question]], str]] = {
    "none left": (list, "no question is left"),
    "blank": (lambda: [question("  ")], "blank text"),
    "negative weight": (lambda: [question("a?", weight=-1.0)], "weight -1"),
    "no weight": (lambda: [question("a?", weight=float("nan"))], "weight nan"),
    "unknown kind": (lambda: [question("a?", kind="riddle")], "kind riddle"),
    "equal words": (lambda: [question("a?"), replace(question("a?"), question_id="x", text=" a? ")], "merge them"),
    "half a character": (lambda: [replace(question("a?"), text="\ud800")], "not UTF-8"),
    "no id": (lambda: [replace(question("a?"), question_id="")], "is blank"),
    "an id with a line end": (lambda: [replace(question("a?"), question_id="a\nb")], "control character"),
    "no JSON": (lambda: [question("a?", extra="{")], "no JSON"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_can_not_be_stored_is_refused_whole(filled: Store, case: str) -> None:
    questions, why = REFUSED[case]
    before = content(filled.snapshot("c"))
    with pytest.raises(BadInput, match=why):
        edit_bank(filled, "c", "b", of(*questions()), base=1, reason="r")
    assert content(filled.snapshot("c")) == before


def test_a_question_under_the_key_of_another_is_refused(filled: Store) -> None:
    with pytest.raises(BadInput, match="list it by its own ids"):
        edit_bank(filled, "c", "b", {("q1", "x"): question("a?")}, base=1, reason="r")


@pytest.mark.parametrize("fields", [{"enabled": False}, {"facet_id": "f"}, {"query_id": "q3"}])
def test_equal_words_that_do_not_meet_are_taken(filled: Store, bank: Bank, fields: dict[str, object]) -> None:
    twin = replace(question(WHO), question_id="twin", **fields)
    assert edit_bank(filled, "c", "b", bank | of(twin), base=1, reason="r").version == 2


def test_a_bank_that_came_with_equal_words_can_be_edited(store: Store, tmp_path: Path) -> None:
    import_bank(store, "c", bank_file(tmp_path / "b.jsonl", {"q1": {"x": "a?", "y": "a?"}}), bank="b")
    edited = stored(store, 1) | of(question("b?"))
    assert edit_bank(store, "c", "b", edited, base=1, reason="r").version == 2


@pytest.mark.parametrize("reason", ["", " \n", "x" * 1001, "a\x1b[2J"])
def test_a_reason_is_a_short_text(filled: Store, bank: Bank, reason: str) -> None:
    with pytest.raises(UsageError, match="--reason"):
        edit_bank(filled, "c", "b", bank, base=1, reason=reason)


@pytest.mark.parametrize(("base", "why"), [(None, "a bank b already"), (7, "versions 1 to 1"), (0, "versions 1 to 1")])
def test_a_base_that_is_none_is_refused(filled: Store, bank: Bank, base: int | None, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        edit_bank(filled, "c", "b", bank | of(question("b?")), base=base, reason="r")


def test_a_base_that_was_undone_meanwhile_is_refused(filled: Store, bank: Bank) -> None:
    for number in (2, 3):
        edit_bank(filled, "c", "b", bank | of(question(f"{number}?")), base=1, reason="r")
    undone = next(one for one in filled.snapshot("c").sources if one["source"].startswith("bank:b@2:"))
    undo_import(filled, "c", undone["id"])
    with pytest.raises(UsageError, match="b@2 is not there any more"):
        edit_bank(filled, "c", "b", bank, base=2, reason="r")


def test_a_file_of_a_store_is_read_only(filled: Store, bank: Bank, tmp_path: Path) -> None:
    export_duckdb([filled.snapshot("c")], tmp_path / "s.duckdb")
    store = Store(tmp_path / "s.duckdb")
    with pytest.raises(StoreError, match="read only"):
        edit_bank(store, "c", "b", bank, base=1, reason="r")
    with pytest.raises(StoreError, match="read only"):
        revert_bank(store, "c", "b@1", reason="r")


def test_going_back_makes_a_version_that_is_equal_to_the_old_one(filled: Store, bank: Bank) -> None:
    edit_bank(filled, "c", "b", of(question("how?")), base=1, reason="all new")
    done = revert_bank(filled, "c", "b@1", reason="it was better")
    assert (done.version, stored(filled, 3), len(stored(filled, 2))) == (3, bank, 1)
    assert list(bank_versions(filled.snapshot("c"), "b")["base"].fillna(0)) == [0, 1, 2]


def test_going_back_to_what_is_there_makes_no_version(filled: Store) -> None:
    assert not revert_bank(filled, "c", "b@1", reason="r").changed


@pytest.mark.parametrize("named", ["b", "b@2", "nothing@1"])
def test_one_goes_back_to_a_version_that_is_named_and_there(filled: Store, named: str) -> None:
    with pytest.raises(UsageError):
        revert_bank(filled, "c", named, reason="r")
