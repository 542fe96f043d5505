"""Reviews from files and to files: imported twice, contradicted, undone, shared; united with what was answered here."""

import csv
from pathlib import Path

import msgspec
import pytest

from exam_core.actions.exporting import export_store
from exam_core.actions.import_plans import PlannedFile
from exam_core.actions.importing import import_shared, import_workbench
from exam_core.actions.undoing import undo_import
from exam_core.actions.uploading import Upload, import_uploads, outline_of_upload, preview_uploads
from exam_core.errors import BadInput, UsageError
from exam_core.store import Store
from exam_core.wings.reviews.actions import export_queue, export_reviews, import_reviews, record_reviews, reviews_text
from exam_core.wings.reviews.queue import Item
from exam_core.wings.reviews.records import reviews_of, save_queue
from exam_core.wings.reviews.review import standing
from tests.actions.action_files import workbench, written
from tests.wings.reviews.queues import made

HEADER = "reviewer,task,query_id,doc_id,question_id,answer"
QUEUE = made(
    Item("q1", "q1-d0", probability=1 / 3, stratum="top", shared=True),
    Item("q1", "q1-d1", probability=2 / 3, stratum="top"),
    queue_id="feed5eed",
    sampler="runs",
    instruction="Read it all.",
)


def fill(folder):
    store = Store(folder / "store")
    import_workbench(store, "c", workbench(folder / "graded.jsonl"), bank="genq")
    save_queue(store, "c", QUEUE)


@pytest.fixture
def store(copied):
    """A store with a collection `c` of two queries, six passages, and a queue of two of them."""
    return Store(copied("review files", fill) / "store")


def table(path, *rows, header=HEADER):
    return written(path, "\n".join([header, *rows]) + "\n")


def held(store):
    return list(reviews_of(store, store.snapshot("c")).rows)


def answers(store):
    return {(one.reviewer, one.doc_id): one.answer for one in standing(held(store))}


ANN, BOB = "ann,relevance,q1,q1-d0,,2", "bob,relevance,q1,q1-d0,,0"


def test_files_of_two_reviewers_stand_beside_each_other_and_each_is_undone_alone(store, tmp_path):
    (tmp_path / "other").mkdir()
    first = import_reviews(store, "c", table(tmp_path / "r.csv", ANN))
    import_reviews(store, "c", table(tmp_path / "other" / "r.csv", BOB))
    assert answers(store) == {("ann", "q1-d0"): 2, ("bob", "q1-d0"): 0}
    undo_import(store, "c", first.import_ids[0])
    assert answers(store) == {("bob", "q1-d0"): 0}


@pytest.mark.parametrize("name", ["r.csv", "again.csv"])
def test_the_same_reviews_again_change_nothing(store, tmp_path, name):
    assert import_reviews(store, "c", table(tmp_path / "r.csv", ANN, BOB)).changed
    before = store.snapshot("c").fingerprint
    assert not import_reviews(store, "c", table(tmp_path / name, ANN, BOB)).changed
    assert store.snapshot("c").fingerprint == before


def test_a_file_that_was_filled_in_further_brings_what_is_new_and_a_correction_counts(store, tmp_path):
    import_reviews(store, "c", table(tmp_path / "r.csv", ANN))
    import_reviews(store, "c", table(tmp_path / "r.csv", "ann,relevance,q1,q1-d0,,1", "ann,relevance,q1,q1-d1,,3"))
    assert answers(store) == {("ann", "q1-d0"): 1, ("ann", "q1-d1"): 3}
    assert len(held(store)) == 3


def test_how_an_item_was_drawn_is_taken_from_its_queue_and_not_from_a_spreadsheet(store, tmp_path):
    rows = table(tmp_path / "q.csv", "q1,q1-d0,2,feed5eed,0.333", header="query_id,doc_id,answer,queue_id,probability")
    import_reviews(store, "c", rows, reviewer="ann")
    (found,) = held(store)
    made = QUEUE.review(QUEUE.items[0], "ann", 2)
    same = {"review_id": found.review_id, "created": found.created}
    assert found == msgspec.structs.replace(made, **same)


def test_a_review_of_none_of_its_queues_items_is_refused(store, tmp_path):
    rows = table(tmp_path / "q.csv", "q2,q2-d0,2,feed5eed", header="query_id,doc_id,answer,queue_id")
    with pytest.raises(BadInput, match="query q2, passage q2-d0 by ann belongs to no item of the queue feed5eed"):
        import_reviews(store, "c", rows, reviewer="ann")
    assert held(store) == []


def test_reviews_that_were_made_here_and_imported_ones_are_exported_together_and_back_change_nothing(store, tmp_path):
    record_reviews(store, "c", [QUEUE.review(QUEUE.items[1], "=eve", 3, note="a\r\n'=b", seconds=1.25)])
    import_reviews(store, "c", table(tmp_path / "r.csv", ANN))
    before = sorted(held(store), key=lambda one: one.review_id)
    for form in ("csv", "jsonl"):
        path = tmp_path / f"out.{form}"
        assert export_reviews(store, store.snapshot("c"), path, form) == 2
        assert path.read_bytes() == reviews_text(store, store.snapshot("c"), form)
        assert b"1970" not in path.read_bytes()
        import_reviews(store, "c", path)
        assert sorted(held(store), key=lambda one: one.review_id) == before


@pytest.mark.parametrize("made_here", [True, False], ids=["made here", "imported"])
def test_a_review_that_is_here_with_another_answer_is_refused(store, tmp_path, made_here):
    if made_here:
        record_reviews(store, "c", [QUEUE.review(QUEUE.items[0], "eve", 3)])
    else:
        import_reviews(store, "c", table(tmp_path / "r.csv", BOB.replace(",0", ",3")))
    path = tmp_path / "out.jsonl"
    export_reviews(store, store.snapshot("c"), path, "jsonl")
    path.write_text(path.read_text(encoding="utf-8").replace('"answer":3', '"answer":1'), encoding="utf-8")
    with pytest.raises(BadInput, match=r"differ from the collection.*answer 3 there and 1 here"):
        import_reviews(store, "c", path)
    assert set(answers(store).values()) == {3}


def test_a_review_with_the_id_of_somebody_elses_counts_beside_it_and_that_is_said(store, tmp_path):
    record_reviews(store, "c", [QUEUE.review(QUEUE.items[0], "eve", 3)])
    path = tmp_path / "out.jsonl"
    export_reviews(store, store.snapshot("c"), path, "jsonl")
    path.write_text(path.read_text(encoding="utf-8").replace('"eve"', '"bob"'), encoding="utf-8")
    done = import_reviews(store, "c", path)
    assert "With the id of another reviewer's stored review: 1 review. Both reviews count." in done.notes
    assert answers(store) == {("eve", "q1-d0"): 3, ("bob", "q1-d0"): 3}


def test_a_file_of_another_collection_is_refused_and_a_single_stranger_is_said(store, tmp_path):
    stranger = "ann,relevance,q1,elsewhere,,1"
    with pytest.raises(BadInput, match="c has nothing that is reviewed here; the first names passage elsewhere"):
        import_reviews(store, "c", table(tmp_path / "r.csv", stranger))
    done = import_reviews(store, "c", table(tmp_path / "r.csv", ANN, stranger))
    assert any(note.startswith("1 review of items that c lacks, the first of passage elsewhere") for note in done.notes)


@pytest.mark.parametrize(
    ("rows", "said"),
    [(["ann,relevance,q1,q1-d0,,"], "r.csv: Not reviewed yet .*: 1 row"), ([], "r.csv: holds nothing to import")],
    ids=["nothing answered", "no rows"],
)
def test_a_file_without_a_review_is_refused(store, tmp_path, rows, said):
    with pytest.raises(BadInput, match=said):
        import_reviews(store, "c", table(tmp_path / "r.csv", *rows))


def test_reviews_of_a_collection_that_is_not_there_make_none(store, tmp_path):
    with pytest.raises(UsageError, match="There is no collection d"):
        import_reviews(store, "d", table(tmp_path / "r.csv", ANN))
    assert store.collections() == ["c"]


def test_the_same_file_heals_what_is_damaged_of_it(store, tmp_path):
    import_reviews(store, "c", table(tmp_path / "r.csv", ANN, BOB))
    (file,) = (store.path / "c" / "reviews").glob("*.parquet")
    file.write_bytes(b"PAR1")
    fresh = Store(store.path)
    done = import_reviews(fresh, "c", tmp_path / "r.csv")
    assert (done.changed, done.healed, len(held(fresh))) == (False, 1, 2)


def test_passages_that_are_damaged_keep_no_reviews_out_and_are_named(store, tmp_path):
    for file in (store.path / "c" / "passages").glob("*.parquet"):
        file.unlink()
    done = import_reviews(store, "c", table(tmp_path / "r.csv", ANN))
    assert (done.changed, any("is gone" in note for note in done.notes)) == (True, True)


def test_an_upload_is_rehearsed_where_people_have_reviewed(store):
    record_reviews(store, "c", [QUEUE.review(QUEUE.items[0], "eve", 3)])
    upload = Upload("r.csv", f"{HEADER}\n{ANN.replace('ann', '')}\n".encode())
    ordered = [(upload, PlannedFile(Path(upload.name), "reviews", "ann"))]
    assert outline_of_upload(upload).kind == "reviews"
    found = preview_uploads(store, "c", ordered)
    assert "created" not in found.parts[0].rows
    assert (found.changed, found.counts, len(held(store))) == (True, {"reviewers": 1, "reviews": 1}, 1)
    import_uploads(store, "c", ordered)
    assert answers(store) == {("eve", "q1-d0"): 3, ("ann", "q1-d0"): 2}


def test_a_single_file_store_has_all_reviews_and_gives_them_back(store, tmp_path):
    import_reviews(store, "c", table(tmp_path / "r.csv", ANN))
    reviews_of(store, store.snapshot("c"))
    record_reviews(store, "c", [QUEUE.review(QUEUE.items[1], "eve", 3, note="why")])
    export_store(store, tmp_path / "s.duckdb", [])
    shared = Store(tmp_path / "s.duckdb")
    assert held(shared) == held(store)
    import_shared(Store(tmp_path / "back"), tmp_path / "s.duckdb")
    assert held(Store(tmp_path / "back")) == held(store)
    import_shared(store, tmp_path / "s.duckdb")
    assert len(held(store)) == 2


def test_a_queues_file_has_the_texts_of_its_items(store, tmp_path):
    export_queue(store.snapshot("c"), QUEUE, tmp_path / "q.csv", "csv")
    with (tmp_path / "q.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["doc_id"], row["passage_text"], row["answer"], row["probability"]) for row in rows] == [
        ("q1-d0", "Passage q1-d0 in edition 0.", "", repr(1 / 3)),
        ("q1-d1", "Passage q1-d1 in edition 0.", "", repr(2 / 3)),
    ]
