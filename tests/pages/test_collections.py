"""The page Collections: what is loaded, and import by upload from the file to the undo."""

import html
import shutil

import pytest
import streamlit as st
from dashboards import button, labels, opened, saves, scrolled_to, sentences, table

from exam_core.actions.importing import import_qrels
from exam_core.analysis.contents import inventory
from exam_core.formats.registry import known_kinds
from exam_core.store import Store
from exam_core.store.summary import run_ids, summary
from tests.wings import rows_added

PAGE = "pages/collections/collections.py"
RUN = b"01 Q0 d1 1 2.5 mine\n01 Q0 d2 2 1.5 mine\n"
HOSTILE = "<script>alert(1)</script>*[x](y)*.run"


@pytest.fixture(scope="module")
def demo(demo_store):
    """A store with the embedded collections; only for tests that read."""
    return demo_store


@pytest.fixture
def store(tmp_path):
    """A store with a small collection of one query."""
    (tmp_path / "first.qrels").write_text("01 0 d1 2\n", encoding="utf-8")
    import_qrels(Store(tmp_path / "store"), "mine", tmp_path / "first.qrels")
    return tmp_path / "store"


def uploaded(store, monkeypatch, name="a.run", content=RUN):
    # Through app.py an AppTest forgets what a widget says that is not in the address; the browser's tests upload there.
    test = opened(PAGE, store, monkeypatch, collection="mine")
    return test.file_uploader[0].set_value([(name, content, "text/plain")]).run()


def box(test, label):
    return next(found for found in test.selectbox if found.label.startswith(label))


def named(test, name):
    next(field for field in test.text_input if field.label == "Name of the new collection").set_value(name).run()


@pytest.mark.parametrize("page", ["home", "collections"])
def test_files_that_are_dropped_come_above_everything_else_and_never_go_to_the_demo_unasked(page, demo, monkeypatch):
    test = dropped(opened(page, demo, monkeypatch, collection="demo"), {"a.run": RUN})
    kinds = [element.type for element in test.main]
    assert kinds.index("file_uploader") < min(
        kinds.index(kind) for kind in ("dataframe", "bidi_component") if kind in kinds
    )
    assert box(test, "Collection to add to").value == ""


def test_the_counts_are_those_of_the_store_and_the_grading_modes_those_of_the_inventory(demo, monkeypatch):
    test = opened(PAGE, demo, monkeypatch, collection="demo")
    snapshot = Store(demo).snapshot("demo")
    held = summary(snapshot) | dict.fromkeys(rows_added("COUNTED"), 0)
    names = ["queries", "questions", "judgments", "runs", "passages", "grades", *rows_added("COUNTED")]
    shown = test.dataframe[0].value.set_index("collection")
    assert sorted(shown.index) == Store(demo).collections()
    assert shown.loc["demo", names].to_dict() == {name: held[name] for name in names}
    in_print = shown.loc["car-y3-published"]
    assert (in_print[names].isna().all(), in_print["leaderboards"]) == (True, 5), "no zeros where nothing is counted"
    assert "Leaderboards: the official ranking." in sentences(test)
    rows = inventory(snapshot).rows.assign(grader=["Lexical match"])
    assert table(test, "unreadable")[rows.columns].equals(rows)


def test_a_click_on_a_row_of_the_table_chooses_that_collection_and_the_bar_another_one_later(demo, monkeypatch):
    test = opened(PAGE, demo, monkeypatch, collection="demo")
    row = test.dataframe[0].value["collection"].tolist().index("demo-nuggets")
    test.session_state["holdings_collections_table"] = {"selection": {"cells": [(row, "queries")]}}
    assert box(test.run(), "Collection").value == "demo-nuggets"
    assert box(box(test, "Collection").set_value("demo").run(), "Collection").value == "demo"


def test_an_upload_has_a_preview_is_imported_and_undone(store, monkeypatch):
    test = uploaded(store, monkeypatch)
    assert "a.run adds to mine: 1 run, 2 ranked passages" in sentences(test)
    assert table(test, "doc_id")["doc_id"].tolist() == ["d1", "d2"]
    assert (run_ids(Store(store).snapshot("mine")), scrolled_to(test)) == ([], [])
    button(test, "Import").click().run()
    assert "a.run is imported into mine: 1 run, 2 ranked passages." in sentences(test)
    assert run_ids(Store(store).snapshot("mine")) == ["mine"]
    # The uploader is empty, and what was done is in view, once.
    assert (test.file_uploader[0].value, "Import" in labels(test), scrolled_to(test)) == ([], False, ["overview_done"])
    assert scrolled_to(test.run()) == []
    test.button("overview_undo").click().run()
    assert "the import of a.run at " in sentences(test)
    assert run_ids(Store(store).snapshot("mine")) == []


def test_a_bad_file_is_explained_line_by_line(store, monkeypatch):
    test = uploaded(store, monkeypatch, "bad.run", b"01 Q0 d1 1 2.5 mine\n01 Q0 d2 2 x mine\n")
    assert "This can't be imported. Nothing was stored." in sentences(test)
    assert test.code[0].value.startswith("bad.run:2: score x is not a number")
    assert "Import" not in labels(test)


def test_the_kind_can_be_changed(store, monkeypatch):
    test = uploaded(store, monkeypatch, "b.qrels", b"01 0 d1 1\n")
    box(test, "Kind of").set_value("labels").run()
    scale = "Scale of the labels (may stay empty)"
    named = {field.label: field for field in test.text_input}
    assert [named[label].value for label in ("Name of the grading mode", scale)] == ["b", ""]
    assert "No scale is declared for b: 0 to 1 is assumed" in sentences(test)
    named[scale].set_value("0-3").run()
    assert "No scale is declared" not in sentences(test)
    button(test, "Import").click().run()
    found = summary(Store(store).snapshot("mine"))
    assert (found["scale"], found["scale_from"]) == ({"b": 3}, {"b": "declared"})


def test_a_file_of_no_kind_says_what_stands_in_it(store, monkeypatch):
    test = uploaded(store, monkeypatch, "mine.csv", b"query_id,question,colour\n01,Why?,red\n")
    assert box(test, "Kind of").value == "bank"
    test = uploaded(store, monkeypatch, "letter.txt", b"Dear reader,\nhow are you?\n")
    assert (box(test, "Kind of").value, "It looks like none of the kinds" in sentences(test)) == (None, True)
    test = uploaded(store, monkeypatch, "mine.json", b'{"query_id": "01", "colour": "red"}\n')
    assert "Its fields are: query_id, colour" in sentences(test)


def test_a_run_of_the_same_name_is_replaced_by_a_click_that_says_so_or_gets_a_name(store, monkeypatch):
    test = uploaded(store, monkeypatch)
    button(test, "Import").click().run()
    test.file_uploader[0].set_value([("b.run", RUN, "text/plain")]).run()
    assert "The collection holds all of this already" in sentences(test)
    test.file_uploader[0].set_value([("b.run", RUN.replace(b"d2", b"d3"), "text/plain")]).run()
    said = sentences(test)
    assert "b.run changes mine: 1 run, 2 ranked passages" in said
    assert ("run mine, 2 ranked passages (gone or changed: 1)." in said, "Import" in labels(test)) == (True, False)
    field = next(field for field in test.text_input if field.label.startswith("Name of the run"))
    field.set_value("other").run()
    button(test, "Import").click().run()
    assert run_ids(Store(store).snapshot("mine")) == ["mine", "other"]
    test.file_uploader[0].set_value([("b.run", RUN.replace(b"d2", b"d3"), "text/plain")]).run()
    button(test, "Import and replace").click().run()
    assert set(Store(store).snapshot("mine").frame("rankings")["doc_id"]) == {"d1", "d3"}


def test_hostile_names_are_shown_letter_for_letter(store, monkeypatch):
    test = uploaded(store, monkeypatch, HOSTILE, RUN.replace(b"mine", b"<b>*x*</b>"))
    button(test, "Import").click().run()
    bodies = "\n".join(element.proto.body for element in test.get("html"))
    # A slash in the name would be a folder, so what follows it is the file's name.
    assert html.escape("script>*[x](y)*.run is imported into mine") in bodies
    assert "<script>" not in bodies


def test_the_list_of_sources_has_an_undo(store, monkeypatch):
    test = opened(PAGE, store, monkeypatch, collection="mine")
    next(button for button in test.button if button.key.startswith("overview_undo_mine_")).click().run()
    assert Store(store).collections() == []
    assert "the collection is gone" in sentences(test)


def test_an_empty_store_takes_an_upload_into_a_new_collection_which_is_chosen_then(tmp_path, monkeypatch):
    test = opened(PAGE, tmp_path, monkeypatch)
    test.file_uploader[0].set_value([("a.run", RUN, "text/plain")]).run()
    named(test, "brand new")
    assert "a.run makes the new collection brand new" in sentences(test)
    button(test, "Import").click().run()
    assert (Store(tmp_path).collections(), box(test, "Collection").value) == (["brand new"], "brand new")


def test_a_board_of_several_columns_asks_for_one_and_for_its_run(store, monkeypatch):
    test = uploaded(store, monkeypatch, "mine.txt", b"nDCG@10\t0.48\nAP\t0.31\n")
    column = box(test, "Column of the scores or labels")
    assert (column.options, column.value, "Import" in labels(test)) == (["nDCG@10", "AP"], None, False)
    column.set_value("AP").run()
    assert (
        test.text_input(key=next(one.key for one in test.text_input if one.label == "Name of the run")).value == "mine"
    )
    button(test, "Import").click().run()
    found = Store(store).snapshot("mine").query("FROM leaderboards WHERE run_id = 'mine'")
    assert found["score"].tolist() == [0.31]


def test_columns_of_other_names_are_chosen_and_remembered_for_files_of_the_same_header(store, monkeypatch):
    test = uploaded(store, monkeypatch, "a.csv", b"frage,text_nr,note\n01,d8,2\n01,d9,0\n")
    box(test, "Kind of a\\.csv").set_value("qrels").run()
    assert "text_nr (d8, d9)" in box(test, "Column of the passage").options
    for field, column in {"query": "frage", "passage": "text_nr", "label": "note"}.items():
        box(test, f"Column of the {field}").set_value(column).run()
    assert "a.csv adds to mine: 1 query, 2 judgments" in sentences(test)
    test.file_uploader[0].set_value([("b.csv", b"frage,text_nr,note\n01,d7,1\n", "text/plain")]).run()
    box(test, "Kind of b\\.csv").set_value("qrels").run()
    assert box(test, "Column of the passage").value == "text_nr"
    assert "b.csv adds to mine: 1 query, 1 judgment" in sentences(test)


MANY = {
    "mine.run": RUN,
    "mine.qrels": b"01 0 d1 1\n02 0 d1 0\n",
    "mine-topics.tsv": b"01\twhy is the sky blue\n02\twhat is rain\n",
    "mine-bank.csv": b"query_id,question\n01,Why?\n",
}


def dropped(test, files):
    return test.file_uploader[0].set_value([(*file, "text/plain") for file in files.items()]).run()


def values(test):
    return {field.label: field.value for field in test.text_input if field.label != "Search"}


def test_files_that_are_dropped_on_home_make_a_collection_of_their_own_and_the_next_one_goes_there(
    demo, tmp_path, monkeypatch
):
    store = shutil.copytree(demo, tmp_path / "demo")
    test = dropped(opened("pages/home/home.py", store, monkeypatch, collection="demo"), MANY)
    assert box(test, "Collection to add to").value == ""
    assert values(test)["Name of the new collection"] == "mine"
    assert (
        "4 files make the new collection mine: 2 queries, 1 run, 2 ranked passages, 2 judgments, 1 question"
        in sentences(test)
    )
    turned = []
    monkeypatch.setattr(st, "switch_page", lambda path, **_: turned.append(path))
    button(test, "Import").click().run()
    assert (len(Store(store).snapshot("mine").sources), turned) == (4, ["pages/leaderboard/leaderboard.py"])
    test = dropped(test, {"second.run": RUN.replace(b"mine", b"second")})
    assert box(test, "Collection to add to").value == "mine"
    button(test, "Import").click().run()
    test.button("overview_undo").click().run()
    assert run_ids(Store(store).snapshot("mine")) == ["mine"]


def test_a_file_of_which_nothing_fits_asks_first(store, monkeypatch):
    test = uploaded(store, monkeypatch, content=RUN.replace(b"01", b"topic7"))
    assert button(test, "Import").disabled
    test.checkbox(key="overview_anyway").check().run()
    button(test, "Import").click().run()
    assert run_ids(Store(store).snapshot("mine")) == ["mine"]


def test_among_many_files_one_of_no_kind_has_to_be_left_out_and_what_people_read_is(store, monkeypatch):
    files = {"a.run": RUN, "letter.txt": b"Dear reader,\nhow are you?\n", "README.md": b"# Ours\n"}
    test = dropped(opened(PAGE, store, monkeypatch, collection="mine"), files)
    assert (box(test, "Kind of README").value, "Import" in labels(test)) == ("", False)
    box(test, "Kind of letter").set_value("").run()
    button(test, "Import").click().run()
    assert [source["file"] for source in Store(store).snapshot("mine").sources] == ["first.qrels", "a.run"]


def test_what_is_missing_is_named_and_an_example_of_each_kind_of_file_is_as_the_command_prints_it(store, monkeypatch):
    test = opened(PAGE, store, monkeypatch, collection="mine")
    assert "There are no runs to rank." in sentences(test)
    assert "There are no human judgments" not in sentences(test)
    assert "Add runs" in labels(test)
    chosen = test.selectbox(key="overview_template_kind").select("bank").run()
    assert known_kinds()["bank"].template.strip() in [code.value.strip() for code in chosen.code]
    assert "Download bank.csv" in saves(chosen)


@pytest.mark.parametrize(
    ("content", "kind", "says"),
    [
        (b"qid;question text\n01;Why?\n", "leaderboard", "looks like a table of questions; choose that kind"),
        (b"01,Why is it?,vital\n02,What is it?,okay\n", "bank", "a.csv:1: no column for query_id"),
    ],
    ids=["bank as board", "bank without a header"],
)
def test_a_kind_that_is_wrong_is_told_in_the_words_of_tables(store, monkeypatch, content, kind, says):
    test = uploaded(store, monkeypatch, "a.csv", content)
    box(test, "Kind of").set_value(kind).run()
    assert (says in test.code[0].value, "JSON" in test.code[0].value) == (True, False)
