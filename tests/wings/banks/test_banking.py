"""Banks as people change them: edits, merges of two banks, and going back, in a real store."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from exam_core.actions.import_plans import import_of
from exam_core.actions.importing import import_bank, import_workbench
from exam_core.actions.undoing import undo_import
from exam_core.analysis.choosing import choose
from exam_core.errors import BadInput, StoreError, UsageError
from exam_core.question import Question
from exam_core.request import Request
from exam_core.store import Store
from exam_core.store.sharing import export_duckdb
from exam_core.tables import question_id
from exam_core.wings.banks import actions
from exam_core.wings.banks.actions import edit_bank, edit_bank_from_file, merge_banks, revert_bank
from exam_core.wings.banks.editing import edit_of, reworded
from exam_core.wings.banks.health import difficulty, health
from exam_core.wings.banks.versions import question_rows, questions_of, version_rows
from tests.actions.action_files import bank as bank_file
from tests.actions.action_files import content, workbench

WHO, WHERE, WHEN = "who?", "where?", "when?"


def question(text, query_id="q1", **fields):
    return replace(Question(query_id, question_id(query_id, text), text), **fields)


def of(*questions):
    return {one.key: one for one in questions}


def stored(store, version, bank="b"):
    return questions_of(store.snapshot("c"), bank, version)


def texts(bank):
    return [one.text for one in bank.values()]


@pytest.fixture
def bank():
    return of(question(WHO), question(WHERE), question(WHEN, "q2"))


@pytest.fixture
def filled(store, bank):
    edit_bank(store, "c", "b", bank, base=None, reason="first questions", author="ann")
    return store


def test_an_edit_makes_the_next_version_and_the_old_one_stays(filled, bank):
    edited = bank | of(question("how?"))
    done = edit_bank(filled, "c", "b", edited, base=1, reason="how was missing")
    assert (done.ref, [one.how for one in done.changes]) == ("b@2", ["added"])
    assert (stored(filled, 1), stored(filled, 2)) == (bank, edited)


def test_a_version_tells_who_made_it_and_why(filled, bank):
    edit_bank(filled, "c", "b", bank | of(question("how?")), base=1, reason=" how was missing\n", author="bob")
    rows = version_rows(filled.snapshot("c"), "b").astype(object)
    told = rows[["author", "reason", "questions"]].to_numpy().tolist()
    assert told == [["ann", "first questions", 3], ["bob", "how was missing", 4]]
    assert rows["base"].isna().tolist() == [True, False]


def test_an_edit_that_changes_nothing_makes_no_version(filled, bank):
    before = content(filled.snapshot("c"))
    done = edit_bank(filled, "c", "b", bank, base=1, reason="none")
    assert (done.changed, done.version, content(filled.snapshot("c"))) == (False, 1, before)


def test_an_edit_of_a_version_that_others_edited_too_stands_beside_theirs(filled, bank):
    heavy = replace(question(WHERE), weight=2.0)
    edit_bank(filled, "c", "b", bank | of(heavy), base=1, reason="matters more")
    mine = of(reworded(question(WHO), "whom?"), question(WHERE), question(WHEN, "q2"))
    done = edit_bank(filled, "c", "b", mine, base=1, reason="grammar")
    assert (done.version, done.beside, [one.how for one in done.changes]) == (3, 2, ["reworded"])
    assert (stored(filled, 2), stored(filled, 3)) == (bank | of(heavy), mine)


def test_a_version_that_nobody_changed_is_not_stored_beside_what_others_edited(filled, bank):
    edit_bank(filled, "c", "b", bank | of(question("how?")), base=1, reason="how was missing")
    done = edit_bank(filled, "c", "b", bank, base=1, reason="none")
    assert (done.changed, done.version) == (False, 2)


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
def test_what_can_not_be_stored_is_refused_whole(filled, case):
    questions, why = REFUSED[case]
    before = content(filled.snapshot("c"))
    with pytest.raises(BadInput, match=why):
        edit_bank(filled, "c", "b", of(*questions()), base=1, reason="r")
    assert content(filled.snapshot("c")) == before


def test_a_question_under_the_key_of_another_is_refused(filled):
    with pytest.raises(BadInput, match="list it by its own ids"):
        edit_bank(filled, "c", "b", {("q1", "x"): question("a?")}, base=1, reason="r")


@pytest.mark.parametrize("fields", [{"enabled": False}, {"facet_id": "f"}, {"query_id": "q3"}])
def test_equal_words_that_do_not_meet_are_taken(filled, bank, fields):
    twin = replace(question(WHO), question_id="twin", **fields)
    assert edit_bank(filled, "c", "b", bank | of(twin), base=1, reason="r").version == 2


def test_a_bank_that_came_with_equal_words_can_be_edited(store, tmp_path):
    import_bank(store, "c", bank_file(tmp_path / "b.jsonl", {"q1": {"x": "a?", "y": "a?"}}), bank="b")
    edited = stored(store, 1) | of(question("b?"))
    assert edit_bank(store, "c", "b", edited, base=1, reason="r").version == 2


@pytest.mark.parametrize("reason", ["", " \n", "x" * 1001, "a\x1b[2J"])
def test_a_reason_is_a_short_text(filled, bank, reason):
    with pytest.raises(UsageError, match="--reason"):
        edit_bank(filled, "c", "b", bank, base=1, reason=reason)


@pytest.mark.parametrize(("base", "why"), [(None, "a bank b already"), (7, "versions 1 to 1"), (0, "versions 1 to 1")])
def test_a_base_that_is_none_is_refused(filled, bank, base, why):
    with pytest.raises(UsageError, match=why):
        edit_bank(filled, "c", "b", bank | of(question("b?")), base=base, reason="r")


def test_a_base_that_was_undone_meanwhile_is_refused(filled, bank):
    for number in (2, 3):
        edit_bank(filled, "c", "b", bank | of(question(f"{number}?")), base=1, reason="r")
    undone = next(one for one in filled.snapshot("c").sources if one["source"].startswith("bank:b@2:"))
    undo_import(filled, "c", undone["id"])
    with pytest.raises(UsageError, match="b@2 no longer exists"):
        edit_bank(filled, "c", "b", bank, base=2, reason="r")


def test_a_file_of_a_store_is_read_only(filled, bank, tmp_path):
    export_duckdb([filled.snapshot("c")], tmp_path / "s.duckdb")
    store = Store(tmp_path / "s.duckdb")
    with pytest.raises(StoreError, match="read only"):
        edit_bank(store, "c", "b", bank, base=1, reason="r")
    with pytest.raises(StoreError, match="read only"):
        revert_bank(store, "c", "b@1", reason="r")


def test_going_back_makes_a_version_that_is_equal_to_the_old_one(filled, bank):
    edit_bank(filled, "c", "b", of(question("how?")), base=1, reason="all new")
    done = revert_bank(filled, "c", "b@1", reason="it was better")
    assert (done.version, stored(filled, 3), len(stored(filled, 2))) == (3, bank, 1)
    assert list(version_rows(filled.snapshot("c"), "b")["base"].fillna(0)) == [0, 1, 2]
    assert not revert_bank(filled, "c", "b@3", reason="it is there").changed


def test_several_people_who_edit_at_once_have_a_version_each(store):
    first = [question(f"{number}?") for number in range(6)]
    edit_bank(store, "c", "b", of(*first), base=None, reason="new")

    def edit(number):
        mine = of(*(reworded(one, f"really {number}?") if place == number else one for place, one in enumerate(first)))
        return edit_bank(Store(store.path), "c", "b", mine, base=1, reason=f"number {number}").version

    with ThreadPoolExecutor(6) as threads:
        versions = list(threads.map(edit, range(6)))
    assert sorted(versions) == [2, 3, 4, 5, 6, 7]
    made = {tuple(texts(stored(store, version))) for version in range(2, 8)}
    assert made == {tuple(f"{'really ' * (place == number)}{place}?" for place in range(6)) for number in range(6)}


EDITS: dict[str, tuple[dict[str, str | None], dict[str, str | None], list[str]]] = {
    "nothing": ({"x": WHO, "y": WHERE}, {}, []),
    "an order": ({"y": WHERE, "x": WHO}, {}, []),
    "a rewording": ({"x": "whom?", "y": WHERE}, {}, ["reworded"]),
    "a text that is not told": ({"x": None, "y": "there?"}, {}, ["reworded"]),
    "a new question": ({"x": WHO, "y": WHERE, "z": WHEN}, {}, ["added"]),
    "a removal": ({"x": WHO}, {}, ["removed"]),
    "a field": ({"x": WHO, "y": WHERE}, {"importance": "vital"}, ["changed", "changed"]),
}


@pytest.mark.parametrize("case", EDITS)
def test_a_file_is_the_whole_edited_bank(store, tmp_path, case):
    items, fields, how = EDITS[case]
    import_bank(store, "c", bank_file(tmp_path / "b.jsonl", {"q1": {"x": WHO, "y": WHERE}}), bank="b")
    edited = bank_file(tmp_path / "edited.jsonl", {"q1": items}, **fields)
    done = edit_bank_from_file(store, "c", edited, bank="b", reason="r")
    assert ([one.how for one in done.changes], done.version) == (how, 1 + bool(how))


def test_a_question_that_a_file_rewords_gets_an_id_and_remembers_the_old_one(store, tmp_path):
    import_bank(store, "c", bank_file(tmp_path / "b.jsonl", {"q1": {"x": WHO}}), bank="b")
    edit_bank_from_file(store, "c", bank_file(tmp_path / "e.jsonl", {"q1": {"x": "whom?"}}), bank="b", reason="r")
    (one,) = stored(store, 2).values()
    assert (one.question_id, one.lineage.reworded_from) == (question_id("q1", "whom?"), ("x",))


def test_what_a_file_has_no_place_for_is_kept(store, tmp_path):
    known = question(WHO, creators='["ann"]', extra='{"seen":1}', lineage=reworded(question("a?"), WHO).lineage)
    edit_bank(store, "c", "b", of(known), base=None, reason="new")
    path = bank_file(tmp_path / "e.jsonl", {"q1": {known.question_id: WHO}}, weight=2.0)
    edit_bank_from_file(store, "c", path, bank="b", reason="r")
    assert stored(store, 2) == of(replace(known, weight=2.0))


def test_a_file_in_which_two_questions_become_one_is_refused(store, tmp_path):
    import_bank(store, "c", bank_file(tmp_path / "b.jsonl", {"q1": {"x": WHO, "y": WHERE}}), bank="b")
    edited = bank_file(tmp_path / "e.jsonl", {"q1": {"x": "how?", "y": " how?"}})
    with pytest.raises(BadInput, match=r"e\.jsonl: some questions get the text of another question"):
        edit_bank_from_file(store, "c", edited, bank="b", reason="r")


def test_a_file_brings_the_texts_of_queries_that_are_new_and_leaves_others_alone(store, tmp_path):
    import_bank(store, "c", bank_file(tmp_path / "b.jsonl", {"q1": {"x": WHO}}), bank="b")
    edited = bank_file(tmp_path / "e.jsonl", {"q1": {"x": WHO}, "q2": {"y": WHERE}})
    edited.write_text(edited.read_text().replace("text of q1", "another text"))
    edit_bank_from_file(store, "c", edited, bank="b", reason="r")
    queries = store.snapshot("c").frame("queries").set_index("query_id")["query_text"]
    assert queries.to_dict() == {"q1": "text of q1", "q2": "text of q2"}


@pytest.mark.parametrize(
    "damage",
    [lambda content: content[: len(content) // 2], lambda content: content.replace(b"q1", b"q\x001"), lambda _: b""],
    ids=["cut off", "NUL", "empty"],
)
def test_a_damaged_file_changes_nothing(store, tmp_path, damage):
    path = bank_file(tmp_path / "b.jsonl", {"q1": {"x": WHO, "y": WHERE}, "q2": {"z": WHEN}})
    import_bank(store, "c", path, bank="b")
    before = content(store.snapshot("c"))
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(BadInput):
        edit_bank_from_file(store, "c", path, bank="b", reason="r")
    assert content(store.snapshot("c")) == before


def test_a_file_of_questions_is_imported_again_without_a_new_version_after_it_was_edited(store, tmp_path):
    path = bank_file(tmp_path / "b.jsonl", {"q1": {"x": WHO}})
    import_bank(store, "c", path, bank="b")
    edit_bank(store, "c", "b", stored(store, 1) | of(question("a?")), base=1, reason="r")
    edit_bank(store, "c", "b", stored(store, 1), base=2, reason="no")
    import_bank(store, "c", path, bank="b")
    assert len(version_rows(store.snapshot("c"), "b")) == 3


def test_an_imported_bank_can_be_edited_and_an_edited_one_replaced_by_an_import(store, tmp_path):
    import_bank(store, "c", bank_file(tmp_path / "b.jsonl", {"q1": {"x": WHO}}), bank="b")
    edit_bank(store, "c", "b", stored(store, 1) | of(question("a?")), base=1, reason="r")
    import_bank(store, "c", bank_file(tmp_path / "c.jsonl", {"q1": {"x": "how?"}}), bank="b")
    assert [texts(stored(store, version)) for version in (1, 2, 3)] == [[WHO], [WHO, "a?"], ["how?"]]


@pytest.fixture
def two_banks(filled):
    """Bank b with who, where and when, bank o with a question of the same words, one much like it, and a new one."""
    other = of(question(" who?", gold_answers=("ann",)), question("Where"), question("how?"), question(WHEN, "q3"))
    edit_bank(filled, "c", "o", other, base=None, reason="others")
    return filled


@pytest.mark.parametrize(
    ("alike", "kept"),
    [
        (None, [WHO, WHERE, "Where", "how?", WHEN, WHEN]),
        (0.8, [WHO, WHERE, "how?", WHEN, WHEN]),
        (1.0, [WHO, WHERE, "Where", "how?", WHEN, WHEN]),
    ],
)
def test_a_bank_takes_what_it_does_not_have_of_another(two_banks, alike, kept):
    done = merge_banks(two_banks, "c", "b", "o", alike=alike)
    found = stored(two_banks, 2)
    assert (done.version, sorted(map(str, texts(found)))) == (2, sorted(kept))
    assert found[question(WHO).key].gold_answers == ("ann",)


def test_a_bank_is_merged_with_another_once_and_near_duplicates_are_remembered(two_banks):
    merge_banks(two_banks, "c", "b", "o", alike=0.8, reason="one bank")
    found = stored(two_banks, 2)[question(WHERE).key]
    assert found.lineage.merged_from == (question("Where").question_id,)
    assert not merge_banks(two_banks, "c", "b", "o", alike=0.8).changed


def test_questions_that_a_graded_file_adds_while_a_file_is_read_stay(store, tmp_path):
    import_workbench(store, "c", workbench(tmp_path / "1.jsonl"), bank="b")
    edited = bank_file(tmp_path / "e.jsonl", {"q1": {"q1/0": WHO, "q1/1": WHERE}, "q2": {"q2/0": WHO}})

    def edit_meanwhile(base, rows, name):
        import_workbench(store, "c", workbench(tmp_path / "2.jsonl", first=3), bank="b")
        return edit_of(base, rows, name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(actions, "edit_of", edit_meanwhile)
        edit_bank_from_file(store, "c", edited, bank="b", reason="r")
    assert {query_id for query_id, _ in stored(store, 2)} == {"q1", "q2", "q3", "q4"}


TEXTS = ["the moon is grey", "mud covers it", "rock is below", "dust is above", "nobody lives there", "it has no air"]
"""In neither the order of the alphabet nor of their hashes."""


def file(path, texts, of_each, **fields):
    nuggets = [{"text": text, "importance": "vital"} | of_each for text in texts]
    path.write_text(json.dumps({"qid": "q", "query": "x", "nuggets": nuggets} | fields))
    return path


def test_proposals_and_what_is_shown_have_the_order_of_the_file_and_an_edit_by_a_file_keeps_it(tmp_path):
    store = Store(tmp_path / "store")
    for run in "ab":
        import_of("assignments")(
            store, "moon", file(tmp_path / run, TEXTS, {"assignment": "support"}, run_id=run, answer_text=run)
        )
    snapshot = store.snapshot("moon")
    rows = health(snapshot, choose(snapshot, Request(bank="nuggets", measure="Cover@20", tau=1))).rows
    assert list(rows["question_text"]) == TEXTS
    hard = difficulty(snapshot, choose(snapshot, Request(bank="nuggets", measure="Cover@20", tau=1))).rows
    assert list(hard["question_text"]) == TEXTS
    assert list(question_rows(questions_of(snapshot, "nuggets", 1).values())["question_text"]) == TEXTS
    turned = file(tmp_path / "edit.jsonl", TEXTS[::-1], {})
    edited = edit_bank_from_file(store, "moon", turned, bank="nuggets", reason="order")
    assert (edited.changed, "to take it, import the file" in edited.notes[-1]) == (False, True)
