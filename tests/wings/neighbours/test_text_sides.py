"""The two sides of a measure of texts: what runs wrote, and a bank's questions as nuggets."""

import json

import pytest

from exam_core.actions.importing import import_bank
from exam_core.actions.importing_runs import import_run
from exam_core.store import Store
from exam_core.store.names import BankRef
from exam_core.wings.neighbours.importing import import_responses
from exam_core.wings.neighbours.sides import Nugget
from exam_core.wings.neighbours.texts import about_sides
from exam_core.wording import texts_come

BANK = [
    {
        "query_id": "q1",
        "items": [
            {"question_id": "q1/a", "question_text": "Rain falls."},
            {"question_id": "q1/b", "question_text": "Wind blows.", "importance": "okay", "weight": 0.5},
            {"question_id": "q1/c", "question_text": "Snow melts.", "importance": "failed"},
            {"question_id": "q1/off", "question_text": "Off.", "enabled": False},
            {"question_id": "q1/avoid", "question_text": "Frogs fall.", "importance": "avoid"},
            {"question_id": "q1/only-id"},
        ],
    },
    {"query_id": "q0", "items": [{"question_id": "q0/a", "question_text": "Ice floats."}]},
    {"query_id": "q2", "items": [{"question_id": "q2/off", "question_text": "Off.", "enabled": False}]},
]
# `b` ranks d3 before d2 by score, the other way round in its file; nobody knows the text of d9.
RUN = "q1 Q0 d2 1 1.0 b\nq1 Q0 d3 2 3.0 b\nq1 Q0 d9 3 2.0 b\nq2 Q0 d2 1 1.0 b\nq0 Q0 d9 1 1.0 b\n"
GENQ = BankRef("genq", 1)


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sides")
    store = Store(folder / "store")
    files = {
        "bank": "\n".join(map(json.dumps, BANK)),
        "a": json.dumps({"run_id": "a", "query_id": "q1", "text": "It rains."}),
        "texts": "\n".join(json.dumps({"run_id": "texts", "query_id": name, "text": name}) for name in ("d2", "d3")),
        "b": RUN.replace("d2", "texts/d2").replace("d3", "texts/d3"),
    }
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    import_bank(store, "c", folder / "bank", bank="genq")
    import_responses(store, "c", folder / "a")
    import_responses(store, "c", folder / "texts")
    import_run(store, "c", folder / "b")
    return store.snapshot("c")


def test_nuggets_are_the_questions_that_are_on_and_have_a_text(snapshot):
    found = about_sides(snapshot, GENQ).sides
    assert found.query_ids == ["q0", "q1"]
    assert found.nuggets == [
        [Nugget("q0/a", "Ice floats.")],
        [
            Nugget("q1/a", "Rain falls."),
            Nugget("q1/b", "Wind blows.", vital=False, weight=0.5),
            Nugget("q1/c", "Snow melts.", vital=False),
        ],
    ]


def test_strings_are_the_texts_of_the_first_passages_by_score_or_by_the_ranks_of_the_file(snapshot):
    found = about_sides(snapshot, GENQ).sides
    assert found.run_ids == ["a", "b", "texts"]
    assert found.strings == {(0, 1): ["It rains."], (1, 1): ["d3", "d2"]}
    assert about_sides(snapshot, GENQ, 1).sides.strings[1, 1] == ["d3"]
    assert about_sides(snapshot, GENQ, None, "rank").sides.strings[1, 1] == ["d2", "d3"]
    assert about_sides(snapshot, GENQ, 1, "rank").sides.strings[1, 1] == ["d2"]


def test_what_has_no_text_is_counted(snapshot):
    about = about_sides(snapshot, GENQ)
    # b returned d9 for q0, whose text nobody knows, and three passages for q1.
    assert about.returned.tolist() == [[False, True], [True, True], [False, False]]
    assert about.notes == (
        f"2 of 5 ranked passages have no text: they count as empty answers. {texts_come('c')}",
        "1 question of bank genq@1 without text: left out.",
    )


def test_documents_are_the_texts_of_the_collection_and_the_same_sides_are_kept(snapshot):
    assert sorted(about_sides(snapshot, GENQ).sides.documents()) == ["It rains.", "d2", "d3"]
    assert about_sides(snapshot, GENQ).sides is about_sides(snapshot, GENQ).sides


def test_a_run_that_is_left_out_is_on_no_side(snapshot):
    found = about_sides(snapshot.without(["a"]), GENQ).sides
    assert (found.run_ids, list(found.strings)) == (["b", "texts"], [(0, 1)])


def test_a_page_whose_rankings_are_by_facet_lends_its_questions_to_each_facet(tmp_path):
    store = Store(tmp_path / "store")
    items = [
        {"question_id": "p/a", "question_text": "A"},
        {"question_id": "p/b", "question_text": "B", "facet_id": "g"},
    ]
    (tmp_path / "bank").write_text(json.dumps({"query_id": "p", "items": items}), "utf-8")
    (tmp_path / "run").write_text("p/f Q0 d1 1 1.0 r\np/g Q0 d1 1 1.0 r\n")
    import_bank(store, "c", tmp_path / "bank", bank="genq")
    import_run(store, "c", tmp_path / "run")
    found = about_sides(store.snapshot("c"), GENQ).sides
    assert found.query_ids == ["p/f", "p/g"]
    assert [[nugget.nugget_id for nugget in nuggets] for nuggets in found.nuggets] == [["p/a"], ["p/a", "p/b"]]
