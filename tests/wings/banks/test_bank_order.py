"""A bank keeps the order of its file in what is proposed and shown; an edit by a file leaves it as it is."""

import json

from exam_core.actions.import_plans import import_of
from exam_core.analysis.choosing import choose
from exam_core.request import Request
from exam_core.store import Store
from exam_core.wings.banks.actions import edit_bank_from_file
from exam_core.wings.banks.health import difficulty, health
from exam_core.wings.banks.versions import question_rows, questions_of

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
