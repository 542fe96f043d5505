"""The page of question banks: what is saved is the next version, and what it shows is what the analysis says."""

from dataclasses import replace

from dashboards import button, opened, sentences, table

from exam_core.question import Question
from exam_core.request import Request
from exam_core.store import Store
from exam_core.store.summary import bank_version
from exam_core.tables import question_id
from exam_core.wings.banks import actions
from exam_core.wings.banks.editing import reworded
from exam_core.wings.banks.effect import Edit, effect
from exam_core.wings.banks.versions import questions_of

PAGE = "pages/questions/questions.py"


def page(own_store, monkeypatch, **query):
    return opened(PAGE, own_store, monkeypatch, **{"collection": "demo", "bank": "open", "bank_view": "Edit"} | query)


def old(own_store):
    return questions_of(Store(own_store).snapshot("demo"), "open", 1)


def version(own_store, number, bank="open"):
    return list(questions_of(Store(own_store).snapshot("demo"), bank, number).values())


def write(test, *, edited=None, added=(), deleted=(), key="bank_table 1"):
    """What a visitor types into the table: cells by their rows, whole rows, and rows that go."""
    state = {"edited_rows": edited or {}, "added_rows": list(added), "deleted_rows": list(deleted)}
    test.session_state[key] = state
    return test.run()


def save(test, reason="clearer"):
    test.text_input(key="bank_reason").set_value(reason)
    return button(test, "Save a new version").click().run()


def test_the_effect_of_a_question_that_is_off_stands_beside_the_table_until_it_is_discarded(own_store, monkeypatch):
    test = page(own_store, monkeypatch)
    assert "open, version 1: 80 questions, all in use." in sentences(test)
    assert "Not saved" not in sentences(test)
    assert test.data_editor[0].value["question_text"].tolist() == [one.text for one in old(own_store).values()][:10]
    write(test, edited={0: {"enabled": False}})
    first, *others = old(own_store).values()
    new = {one.key: one for one in (replace(first, enabled=False), *others)}
    edit, asked = (
        Edit("open", 1, old(own_store), new),
        Request("Cover@20", grader="lexical.pourpre-idf", reference="official"),
    )
    expected = effect(Store(own_store).snapshot("demo"), edit, asked, relevant_from=2)
    assert table(test, "figure").equals(expected.figures)
    assert "Not saved: 1 changed." in sentences(test)
    assert "79 graded questions count, 80 before." in sentences(test)
    button(test, "Discard").click().run()
    assert "Not saved" not in sentences(test)
    assert test.data_editor[0].value["enabled"].all()


def test_what_is_saved_is_the_next_version_and_nothing_else_changes(own_store, monkeypatch):
    cells = {"importance": "okay", "kind": "claim", "weight": 2.5, "gold_answers": ["a", "b"], "choices": ["x", "y"]}
    test = write(
        page(own_store, monkeypatch),
        edited={0: cells, 1: {"question_text": "In other words?"}},
        added=[{"question_text": "What else?"}],
        deleted=[2],
    )
    test.text_input(key="bank_author").set_value("Ann")
    assert "open@2 is stored." in sentences(save(test))
    first, second, third, *others = old(own_store).values()
    lists = {"gold_answers": ("a", "b"), "choices": ("x", "y")}
    here = [one for one in others if one.query_id == first.query_id]
    added = Question(first.query_id, question_id(first.query_id, "What else?"), "What else?")
    known = {one.key: one for one in version(own_store, 2)}
    assert known[first.key] == replace(first, **(cells | lists))
    assert known[reworded(second, "In other words?").key] == reworded(second, "In other words?")
    assert known[added.key] == added
    assert third.key not in known
    assert len(known) == 80
    assert all(known[one.key] == one for one in here)


def test_edits_stay_while_another_query_or_page_view_is_looked_at_and_are_saved_together(own_store, monkeypatch):
    test = write(page(own_store, monkeypatch), edited={0: {"enabled": False}})
    test.selectbox(key="bank_query_by_name").set_value(
        next(one for one in test.selectbox(key="bank_query_by_name").options if one.startswith("demo-02"))
    ).run()
    write(test, edited={0: {"weight": 3.0}}, key="bank_table 2")
    assert "Not saved: 2 changed." in sentences(test)
    save(test)
    changed = [one for one in version(own_store, 2) if one != old(own_store).get(one.key)]
    assert [(one.query_id, one.enabled, one.weight) for one in changed] == [
        ("demo-01", False, 1.0),
        ("demo-02", True, 3.0),
    ]


def test_a_save_without_a_reason_is_refused_and_the_edits_stay(own_store, monkeypatch):
    test = save(write(page(own_store, monkeypatch), deleted=[0]), reason="")
    assert "say why" in sentences(test)
    assert "Not saved: 1 removed." in sentences(test)


def test_a_table_that_can_not_be_stored_says_why_and_stays(own_store, monkeypatch):
    _, second, *_ = old(own_store).values()
    test = write(page(own_store, monkeypatch), edited={0: {"question_text": second.text}})
    assert "some questions get the text of another question" in sentences(test)
    test = save(write(page(own_store, monkeypatch), edited={0: {"question_text": " "}}))
    assert "has a blank text and counts" in sentences(test)


def test_a_version_that_others_saved_meanwhile_stays_and_the_difference_is_shown(own_store, monkeypatch):
    test = write(page(own_store, monkeypatch), edited={0: {"question_text": "Mine?"}})
    _, *others = old(own_store).values()
    actions.edit_bank(Store(own_store), "demo", "open", {one.key: one for one in others}, base=1, reason="gone")
    save(test)
    assert "open@3 is stored. Meanwhile somebody else saved open@2, which is kept as well." in sentences(test)
    assert table(test, "change")["change"].tolist() == ["added"]
    assert version(own_store, 3)[0].text == "Mine?"
    assert version(own_store, 2) == others


def test_a_new_bank_begins_empty_and_can_be_graded_when_it_is_saved(own_store, monkeypatch):
    test = page(own_store, monkeypatch)
    for name in ("", "open", "a@1", "mine"):
        assert ("Give the new bank a name" in sentences(test)) == (name in ("open", "a@1", "mine"))
        test.text_input(key="bank_new_name").set_value(name)
        button(test, "Begin").click().run()
    assert "New bank mine: 0 questions" in sentences(test)
    assert ".st-key-bank > * { display: none; }" in " ".join(one.proto.body for one in test.get("html"))
    write(test, added=[{"question_text": "What is skin made of?"}], key="bank_table 2")
    assert "Nobody has graded a question of this bank yet." in sentences(test)
    save(test, "new")
    assert bank_version(Store(own_store).snapshot("demo"), "mine") == 1
    assert test.selectbox(key="bank").value == "mine"
    button(test, "Grade by words").click().run()
    assert "1 graded questions count" in sentences(test)


def test_versions_are_listed_compared_and_gone_back_to(own_store, monkeypatch):
    first = next(iter(old(own_store)))
    fewer = {key: one for key, one in old(own_store).items() if key != first}
    actions.edit_bank(Store(own_store), "demo", "open", fewer, base=1, reason="one less", author="Ann")
    test = page(own_store, monkeypatch, bank_view="Versions")
    assert table(test, "reason")["reason"].tolist()[-1] == "one less"
    assert table(test, "change")["change"].tolist() == ["removed"]
    test.text_input(key="bank_back_reason").set_value("it was needed")
    button(test, "Go back").click().run()
    assert "open@3 is equal to open@1." in sentences(test)
    assert questions_of(Store(own_store).snapshot("demo"), "open", 3) == old(own_store)
