"""Versions of banks as files, and what makes an imported bank a new version."""

import gzip
import json

import pandas as pd
import pytest

from exam_core.actions.importing import import_bank
from exam_core.errors import BadInput, UsageError
from exam_core.store import Store
from exam_core.store.names import BankRef
from exam_core.tables import QUESTIONS
from exam_core.wings.banks.actions import bank_text, export_bank
from exam_core.wings.banks.bank_files import FORMS


def bank(path, **fields):
    path.write_text(json.dumps([{"query_id": "q1", "question_id": "a", "question_text": "Why?"} | fields]))
    return path


def versions(store):
    return sorted(store.snapshot("c").frame("questions")["version"])


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({}, {}, [1]),
        ({"choices": ["x", "y"]}, {"choices": ["x", "y"]}, [1]),
        ({}, {"choices": ["x", "y"]}, [1, 2]),
        ({"choices": ["x", "y"]}, {"choices": ["x", "z"]}, [1, 2]),
        ({}, {"kind": "question"}, [1]),
        ({}, {"kind": "claim"}, [1, 2]),
    ],
)
def test_other_choices_and_another_kind_make_a_new_version(store, tmp_path, before, after, expected):
    import_bank(store, "c", bank(tmp_path / "a.json", **before), bank="b")
    import_bank(store, "c", bank(tmp_path / "b.json", **after), bank="b")
    assert versions(store) == expected


@pytest.mark.parametrize("form", FORMS)
def test_the_newest_version_is_written_unless_one_is_named(store, tmp_path, form):
    for text in ("Why?", "How?"):
        import_bank(store, "c", bank(tmp_path / f"{text}.json", question_text=text), bank="b")
    snapshot = store.snapshot("c")
    done = {name: export_bank(snapshot, BankRef.parse(name), tmp_path / name, form) for name in ("b", "b@1")}
    assert [str(one.bank) for one in done.values()] == ["b@2", "b@1"]
    assert [("How?" in (tmp_path / name).read_text(), "Why?" in (tmp_path / name).read_text()) for name in done] == [
        (True, False),
        (False, True),
    ]


@pytest.mark.parametrize("form", FORMS)
def test_the_text_of_a_bank_is_what_its_file_holds(store, tmp_path, form):
    import_bank(store, "c", bank(tmp_path / "a.json"), bank="b")
    export_bank(store.snapshot("c"), BankRef("b"), tmp_path / "out.gz", form)
    assert bank_text(store.snapshot("c"), BankRef("b"), form) == gzip.decompress((tmp_path / "out.gz").read_bytes())


def test_a_file_that_can_not_be_written_is_left_alone(store, tmp_path):
    import_bank(store, "c", bank(tmp_path / "a.json"), bank="b")
    with pytest.raises(BadInput, match="is not a regular file"):
        export_bank(store.snapshot("c"), BankRef("b"), tmp_path, "csv")
    with pytest.raises(UsageError, match="There is no bank x"):
        export_bank(store.snapshot("c"), BankRef("x"), tmp_path / "out", "csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "store"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["dl19", "dl20"])
def test_a_released_bank_comes_back_from_every_form_with_its_ids(store, tmp_path, shared_data, name, form):
    path = shared_data / f"appendix/{name}-questions/{name}-genq.jsonl.gz"
    import_bank(store, "c", path, bank="genq")
    export_bank(store.snapshot("c"), BankRef("genq"), tmp_path / "out", form)
    import_bank(store, "c", tmp_path / "out", bank="back")
    found = store.snapshot("c").frame("questions").groupby("bank_id")
    ids = {name: set(zip(rows["query_id"], rows["question_id"], strict=True)) for name, rows in found}
    assert (ids["genq"] == ids["back"], len(ids["back"])) == (True, {"dl19": 430, "dl20": 540}[name])


def test_the_bank_of_dl19_names_every_question_that_was_graded(full_dl19_store):
    snapshot = Store(full_dl19_store).snapshot("dl19")
    graded = snapshot.frame("grades").dropna(subset=["question_id"])[["query_id", "question_id"]].drop_duplicates()
    questions = snapshot.frame("questions")
    joined = graded.merge(questions.dropna(subset=["question_text"]), on=["query_id", "question_id"])
    assert (len(graded), len(joined), joined["query_id"].nunique(), set(questions["version"])) == (430, 430, 43, {1})


def test_an_edited_version_is_equal_after_a_table(store, tmp_path):
    said = {"lineage": {"merged_from": ["x"]}, "creators": [{"name": "me"}], "choices": ["y"], "weight": 2}
    import_bank(store, "c", bank(tmp_path / "a.json", **said), bank="b")
    export_bank(store.snapshot("c"), BankRef("b"), tmp_path / "out.csv", "csv")
    import_bank(store, "d", tmp_path / "out.csv", bank="b")
    before, after = (store.snapshot(name).frame("questions")[QUESTIONS.names] for name in ("c", "d"))
    pd.testing.assert_frame_equal(after, before)
