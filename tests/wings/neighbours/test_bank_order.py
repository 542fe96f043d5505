"""A bank keeps the order of its file: in measures, lists, searches and exports, whatever way it came."""

import json
import shutil
from dataclasses import replace

import pytest

from exam_core.actions.importing import import_bank
from exam_core.analysis.choosing import choose
from exam_core.analysis.values import counted_values, query_values
from exam_core.formats.banks.nuggetizer import write_nuggets
from exam_core.formats.banks.question_rows import write_csv, write_json
from exam_core.formats.banks.rows import rows_of
from exam_core.formats.banks.workbench import write_items
from exam_core.formats.registry import reader
from exam_core.measures import Measure
from exam_core.request import Request
from exam_core.store import Store
from exam_core.store.evidence import grades_of
from exam_core.store.names import BankRef
from exam_core.store.sharing import export_duckdb, import_duckdb
from exam_core.store.summary import search_each
from exam_core.wings.neighbours.importing import import_assignments
from exam_core.wings.neighbours.nuggets import nuggets_of
from exam_core.wings.neighbours.rouge import Rouge
from exam_core.wings.neighbours.texts import about_sides, matches_of
from tests.wings.neighbours.samples import rag24
from tests.wings.neighbours.slow_texts import slow_rouge

TEXTS = ["the moon is grey", "mud covers it", "rock is below", "dust is above", "nobody lives there", "it has no air"]
"""In neither the order of the alphabet nor of their hashes."""


@pytest.fixture(scope="module")
def moon(tmp_path_factory):
    """A folder with two runs' answers to a query, and a store with them and their nuggets, all of which are alike."""
    folder = tmp_path_factory.mktemp("moon")
    store = Store(folder / "store")
    for run in "ab":
        assigned(folder, store, run, TEXTS)
    return folder, store


def assigned(folder, store, run, texts):
    nuggets = [{"text": text, "importance": "vital", "assignment": "support"} for text in texts]
    path = folder / f"{run}.jsonl"
    path.write_text(json.dumps({"qid": "q", "query": "x", "nuggets": nuggets, "run_id": run, "answer_text": run}))
    import_assignments(store, "moon", path)


def bank_file(folder, texts):
    path = folder / "bank.jsonl"
    path.write_text(
        json.dumps({"qid": "q", "query": "x", "nuggets": [{"text": text, "importance": "vital"} for text in texts]})
    )
    return path


LISTS = {
    "found in an answer": lambda snapshot, choice: nuggets_of(snapshot, choice.labelling, "a", "q").nuggets,
    "found by words": lambda snapshot, choice: matches_of(snapshot, replace(choice, measure=POURPRE), "a", "q").rows,
    "of a passage": lambda snapshot, _: grades_of(snapshot, "q", "a/q", ("nuggets", 1)),
    "searched": lambda snapshot, _: search_each(snapshot, "q", bank="nuggets")["question"],
}
POURPRE = Measure.parse("POURPRE")


def test_questions_that_are_alike_are_listed_in_the_order_of_their_file(moon):
    snapshot = moon[1].snapshot("moon")
    choice = choose(snapshot, Request(bank="nuggets", measure="Cover@20", tau=1))
    rows = {name: listed(snapshot, choice) for name, listed in LISTS.items()}
    found = {name: list(own["question_text" if "question_text" in own else "text"]) for name, own in rows.items()}
    assert found == dict.fromkeys(LISTS, TEXTS)


@pytest.mark.parametrize("write", [write_items, write_csv, write_json, write_nuggets])
def test_what_is_written_has_the_order_of_the_file(moon, tmp_path, write):
    rows = rows_of(moon[1].snapshot("moon").frame("questions"))
    (tmp_path / "bank").write_bytes(b"\n".join(write(rows, {}).lines))
    read = reader("bank", tmp_path / "bank")(tmp_path / "bank", bank_id="b").frames["questions"]
    assert list(read["question_text"]) == TEXTS


def texts_of(store):
    return [nugget.text for nugget in about_sides(store.snapshot("moon"), BankRef("nuggets", 1)).sides.nuggets[0]]


def test_measures_take_nuggets_in_the_order_of_their_file_also_from_a_single_file(moon, tmp_path):
    export_duckdb([moon[1].snapshot("moon")], tmp_path / "moon.duckdb")
    import_duckdb(store := Store(tmp_path / "store"), tmp_path / "moon.duckdb")
    assert [texts_of(one) for one in (moon[1], Store(tmp_path / "moon.duckdb"), store)] == [TEXTS] * 3


def test_nuggets_of_several_files_come_in_the_order_of_the_files(tmp_path):
    store = Store(tmp_path / "store")
    assigned(tmp_path, store, "a", TEXTS[3:])
    assigned(tmp_path, store, "b", TEXTS)
    assert texts_of(store) == TEXTS[3:] + TEXTS[:3]


def test_a_file_in_another_order_is_said_to_give_the_bank_its_own(moon, tmp_path):
    shutil.copytree(moon[0], tmp_path, dirs_exist_ok=True)
    store, turned = Store(tmp_path / "store"), TEXTS[::-1]
    done = [import_bank(store, "moon", bank_file(tmp_path, texts), bank="nuggets") for texts in (TEXTS, turned)]
    noted = "nuggets@1 takes the order of its questions from this file; it had another one."
    assert [noted in one.notes for one in done] == [False, True]
    assert texts_of(store) == turned


def test_rouge_joins_nuggets_as_their_file_has_them(rag24_store, shared_data):
    snapshot = Store(rag24_store).snapshot("rag24")
    choice = choose(snapshot, Request(bank="nuggets", measure="ROUGE2"))
    found = dict(zip(counted_values(snapshot, choice).query_ids, query_values(snapshot, choice)[0], strict=True))
    real, assigned = rag24(shared_data, every=40)
    slow = {row["qid"]: slow_rouge(real, 0, query, Rouge(), "2") for query, row in enumerate(assigned)}
    assert {query: found[query] for query in slow} == pytest.approx(slow, abs=1e-12)
