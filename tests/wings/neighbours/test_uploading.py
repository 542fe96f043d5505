"""Uploads of what systems wrote."""

import json

import pytest

from exam_core.actions.undoing import undo_imports
from exam_core.actions.uploading import kind_of_upload
from exam_core.store.summary import run_ids
from tests.actions.test_uploading import content, import_upload, preview_upload, upload
from tests.actions.test_uploading import graded as graded

WROTE = {"answer_text": "So.", "nuggets": [{"text": "n", "importance": "vital", "assignment": "support"}]}


@pytest.mark.parametrize(
    ("kind", "said"), [("responses", {"text": "So.", "documents": {"d": "Why."}}), ("assignments", WROTE)]
)
def test_what_systems_wrote_is_known_previewed_imported_and_undone(graded, kind, said):
    assert isinstance(said, dict)
    file = upload("wrote.jsonl", json.dumps({"qid": "q1", "run_id": "a"} | said))
    assert kind_of_upload(file) == kind
    before = content(graded.snapshot("mine"))
    found = preview_upload(graded, file, "mine", kind, "named")
    assert found.rows["query_id"].tolist() == ["q1"]
    assert content(graded.snapshot("mine")) == before
    done = import_upload(graded, file, "mine", kind, "named")
    assert (done.counts, run_ids(graded.snapshot("mine"))) == (found.counts, ["bm25", "dense", "named"])
    undo_imports(graded, done.collection, done.import_ids)
    assert content(graded.snapshot("mine")) == before
