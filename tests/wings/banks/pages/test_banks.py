"""The page of question banks: what is done is in the draft, and what it shows is what the analysis says."""

import shutil
from pathlib import Path

import pytest
from dashboards import button, opened, sentences, table

from exam_core import actions
from exam_core.asked import Asked
from exam_core.formats import Reading
from exam_core.store import Store
from exam_core.store.summary import bank_version
from exam_core.wings.banks.analysis.effect import Edit, effect
from exam_core.wings.banks.analysis.versions import questions_of

PAGE = "pages/banks/banks.py"


@pytest.fixture
def own(store, tmp_path):
    """A copy of the demo that a test may change."""
    return Path(shutil.copytree(store, tmp_path / "store"))


def page(own, monkeypatch, **query):
    return opened(PAGE, own, monkeypatch, collection="demo", bank="open", **query)


def drafts(own):
    return actions.open_drafts(Store(own), "demo")


def draft(own):
    (one,) = drafts(own)
    return actions.open_draft(Store(own), "demo", one.draft_id)


def old(own):
    return questions_of(Store(own).snapshot("demo"), "open", 1)


def test_a_bank_that_is_looked_at_makes_no_draft(own, monkeypatch):
    test = page(own, monkeypatch)
    assert "80 questions, 80 on" in sentences(test)
    assert not drafts(own)


def test_one_question_off_is_in_the_draft_and_its_effect_on_the_page(own, monkeypatch):
    test = page(own, monkeypatch)
    button(test, "Switch off").click().run()
    first = next(iter(old(own)))
    assert not draft(own).bank[first].enabled
    snapshot = Store(own).snapshot("demo")
    edit = Edit("open", 1, old(own), draft(own).bank)
    expected = effect(
        snapshot, edit, Asked("Cover@20", grader="lexical.pourpre-idf", reference="official"), relevant_from=2
    )
    assert table(test, "figure").equals(expected.figures)
    assert "79 graded questions count, 80 before." in sentences(test)


def test_undo_takes_it_back_and_redo_does_it_again(own, monkeypatch):
    test = page(own, monkeypatch)
    button(test, "Switch off").click().run()
    button(test, "Undo").click().run()
    assert draft(own).bank == old(own)
    button(test, "Redo").click().run()
    assert draft(own).bank != old(own)


def test_other_words_make_a_question_that_is_not_graded_yet(own, monkeypatch):
    test = page(own, monkeypatch)
    test.text_input(key="bank_text").set_value("Is it really asked?").run()
    assert next(iter(draft(own).bank.values())).text == "Is it really asked?"
    assert "Not graded yet" in sentences(test)
    button(test, "Grade lexically").click().run()
    assert "Not graded yet" not in sentences(test)


def test_a_question_is_added_after_those_of_its_query(own, monkeypatch):
    test = page(own, monkeypatch)
    test.text_input(key="bank_added").set_value("What else?")
    button(test, "Add").click().run()
    texts = [one.text for one in draft(own).bank.values() if one.query_id == "demo-01"]
    assert texts[-1] == "What else?"


@pytest.mark.parametrize(
    ("act", "field", "value"),
    [
        (lambda test: test.selectbox(key="bank_importance").select("okay"), "importance", "okay"),
        (lambda test: test.selectbox(key="bank_kind").select("claim"), "kind", "claim"),
        (lambda test: test.number_input(key="bank_weight").set_value(2.5), "weight", 2.5),
        (lambda test: test.text_area(key="bank_gold").set_value("a\n\n b "), "gold_answers", ("a", "b")),
        (lambda test: test.text_area(key="bank_choices").set_value("x\ny"), "choices", ("x", "y")),
    ],
)
def test_a_field_is_changed(own, monkeypatch, act, field, value):
    test = page(own, monkeypatch)
    act(test).run()
    first = next(iter(old(own)))
    assert getattr(draft(own).bank[first], field) == value


def test_what_is_deleted_is_gone_and_the_next_question_is_shown(own, monkeypatch):
    test = page(own, monkeypatch)
    first, second, *_ = old(own).values()
    button(test, "Delete").click().run()
    assert first.key not in draft(own).bank
    assert test.text_input(key="bank_text").value == second.text


def test_a_commit_makes_a_version_and_ends_the_draft(own, monkeypatch):
    test = page(own, monkeypatch)
    button(test, "Delete").click().run()
    test.text_input(key="bank_reason").set_value("too easy")
    test.text_input(key="bank_author").set_value("Ann")
    button(test, "Commit a new version").click().run()
    assert "open@2 is stored." in sentences(test)
    assert not drafts(own)
    assert len(questions_of(Store(own).snapshot("demo"), "open", 2)) == 79


def test_a_commit_without_a_reason_is_refused_and_the_draft_stays(own, monkeypatch):
    test = page(own, monkeypatch)
    button(test, "Delete").click().run()
    button(test, "Commit a new version").click().run()
    assert "say why" in sentences(test)
    assert drafts(own)


def test_an_edit_of_the_same_question_by_two_is_shown_and_settled(own, monkeypatch):
    test = page(own, monkeypatch)
    test.text_input(key="bank_text").set_value("Mine?").run()
    first = next(iter(old(own).values()))
    theirs = {key: one for key, one in old(own).items() if key != first.key}
    actions.edit_bank(Store(own), "demo", "open", theirs, base=1, reason="gone")
    test.text_input(key="bank_reason").set_value("mine")
    button(test, "Commit a new version").click().run()
    assert "that you edited too" in sentences(test)
    assert "(removed)" in sentences(test)
    button(test, "Commit these choices").click().run()
    assert "open@3 is stored." in sentences(test)
    assert "Mine?" in [one.text for one in questions_of(Store(own).snapshot("demo"), "open", 3).values()]


def test_a_new_bank_begins_with_its_first_question(own, monkeypatch):
    test = page(own, monkeypatch)
    test.text_input(key="bank_new_name").set_value("mine")
    button(test, "Begin").click().run()
    test.text_input(key="bank_added").set_value("What is skin made of?")
    button(test, "Add").click().run()
    assert "Nobody has graded a question of this bank yet." in sentences(test)
    button(test, "Grade lexically").click().run()
    assert "1 graded questions count." in sentences(test)
    test.text_input(key="bank_reason").set_value("new")
    button(test, "Commit a new version").click().run()
    assert bank_version(Store(own).snapshot("demo"), "mine") == 1


def test_a_draft_that_somebody_committed_elsewhere_is_gone_without_a_traceback(own, monkeypatch):
    test = page(own, monkeypatch)
    button(test, "Delete").click().run()
    actions.commit_draft(Store(own), "demo", drafts(own)[0].draft_id, reason="elsewhere")
    button(test, "Switch off").click().run()
    assert "committed or thrown away" in sentences(test)


def test_near_duplicates_become_one(own, monkeypatch):
    test = page(own, monkeypatch)
    test.text_input(key="bank_added").set_value("What roles do the different cell types of epidermis play?")
    button(test, "Add").click().run()
    button(test, "Merge, keep the left").click().run()
    assert len(draft(own).bank) == 80
    assert any(one.lineage.merged_from for one in draft(own).bank.values())


def test_versions_are_listed_compared_and_gone_back_to(own, monkeypatch):
    first = next(iter(old(own)))
    fewer = {key: one for key, one in old(own).items() if key != first}
    actions.edit_bank(Store(own), "demo", "open", fewer, base=1, reason="one less", author="Ann")
    test = page(own, monkeypatch, bank_view="Versions")
    assert table(test, "reason")["reason"].tolist()[-1] == "one less"
    assert table(test, "change")["change"].tolist() == ["removed"]
    test.text_input(key="bank_back_reason").set_value("it was needed")
    button(test, "Go back").click().run()
    assert "open@3 is equal to open@1." in sentences(test)
    assert questions_of(Store(own).snapshot("demo"), "open", 3) == old(own)


@pytest.mark.parametrize(
    ("view", "header"), [("Health", "nobody or everybody answers"), ("Generate", "Have questions")]
)
def test_health_and_the_form_of_a_job_are_views_of_the_page(own, monkeypatch, view, header):
    assert header in " ".join(one.value for one in page(own, monkeypatch, bank_view=view).header)


def test_a_new_question_says_for_which_query_and_the_bar_follows_the_draft(own, monkeypatch):
    test = page(own, monkeypatch)
    assert "New question for query demo-01" in [one.label.replace("\\", "") for one in test.text_input]
    known = Store(own).snapshot("demo")
    rows = known.frame("questions").query("query_id == 'demo-02'").assign(bank_id="other")
    Store(own).commit("demo", Reading({"questions": rows}), source="other")
    draft_id = actions.begin_draft(Store(own), "demo", "other", 1)
    test.run()
    test.selectbox(key="draft").set_value(draft_id).run()
    assert test.selectbox(key="bank").value == "other"
    assert "other@1: " in sentences(test)
    test.selectbox(key="bank").set_value("open").run()
    assert "open@1: " in sentences(test)
    assert test.selectbox(key="draft").value == ""


def test_the_bar_does_not_name_another_bank_while_a_new_one_is_edited(own, monkeypatch):
    test = page(own, monkeypatch)
    test.text_input(key="bank_new_name").set_value("mine")
    button(test, "Begin").click().run()
    assert "New bank mine: 0 questions" in sentences(test)
    assert ".st-key-bank > * { display: none; }" in " ".join(one.proto.body for one in test.get("html"))
