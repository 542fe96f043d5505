"""Cells: grades and rankings as arrays, against the rows of the store's tables one by one."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from exam_core.errors import StoreError
from exam_core.formats import Reading
from exam_core.measures import gradebook
from exam_core.store import Store, cells
from exam_core.store.cells import CellSource, read_cells
from exam_core.store.grids import HOLE, NOTHING
from exam_core.tables import QUESTIONS, UNGRADED, UNREADABLE

from .store_samples import drawn, frame, grades, judgments, rankings, reading

BANK = {"bank": ("drawn", 1), "grader_id": "g"}
DEPTHS = [1, 7, 64, 65, None]


def questions(*rows):
    """Questions of bank b from (query_id, question_id, weight, enabled)."""
    return frame(QUESTIONS, "query_id question_id weight enabled", rows, bank_id="b", version=1)


@pytest.fixture(scope="module", params=["as written", "shuffled"])
def snapshot(request, tmp_path_factory):
    """A random collection with gaps: a tenth of grades and rankings is gone, and some files are cut."""
    frames = drawn(queries=6, passages=500, runs=4, depth=80).frames
    generator = np.random.default_rng(0)
    for name in ("grades", "rankings"):
        frames[name] = frames[name][generator.random(len(frames[name])) < 0.9].reset_index(drop=True)
    # The best passage of every query was never graded.
    first = frames["rankings"].drop_duplicates("query_id")["doc_id"]
    frames["grades"] = frames["grades"][~frames["grades"]["doc_id"].isin(first)].reset_index(drop=True)
    ranked = frames["rankings"]
    ranked["cut"] = ranked["run_id"] == ranked["run_id"].iloc[0]
    # Without the gaps in the ranks; those of the source stay.
    ranked["rank"] = ranked.groupby(["run_id", "query_id"])["rank"].rank().astype("Int32")
    if request.param == "shuffled":
        frames = {name: rows.sample(frac=1, random_state=1).reset_index(drop=True) for name, rows in frames.items()}
    store = Store(tmp_path_factory.mktemp("cells"))
    store.commit("c", Reading(frames), source="s")
    return store.snapshot("c")


def by_name(cells):
    docs = cells.docs.to_pylist()
    pair, slot = np.nonzero(cells.grades != UNGRADED)
    return {
        (cells.query_ids[unit], docs[at], cells.question_ids[unit][place]): int(cells.grades[at, place])
        for at, unit, place in zip(pair.tolist(), cells.pair_query[pair].tolist(), slot.tolist(), strict=True)
    }


def test_every_grade_has_its_pair_and_slot(snapshot):
    rows = snapshot.frame("grades")
    keys = zip(rows["query_id"], rows["doc_id"], rows["question_id"], strict=True)
    expected = dict(zip(keys, rows["grade"].fillna(UNREADABLE), strict=True))
    assert by_name(read_cells(snapshot, CellSource(**BANK, depth=20))) == expected


def test_pairs_are_ordered_by_unit_and_passage(snapshot):
    cells = read_cells(snapshot, CellSource(**BANK, depth=20))
    pairs = list(zip(cells.pair_query.tolist(), cells.docs.to_pylist(), strict=True))
    assert pairs == sorted(set(pairs))


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("order", ["score", "rank"])
def test_every_place_holds_what_the_run_returned(snapshot, order, depth):
    cells = read_cells(snapshot, CellSource(**BANK, depth=depth, order=order))
    docs = cells.docs.to_pylist()
    pair = {(int(unit), doc): at for at, (unit, doc) in enumerate(zip(cells.pair_query, docs, strict=True))}
    expected = np.full((cells.slots.shape[0], len(cells.run_ids), len(cells.query_ids)), NOTHING)
    column = {"score": "rank", "rank": "source_rank"}[order]
    rows = snapshot.frame("rankings").sort_values(column)
    for (run, query), ranking in rows.groupby(["run_id", "query_id"]):
        unit = cells.query_ids.index(query)
        read = ranking if depth is None else ranking[ranking[column] <= depth]
        for place, doc in enumerate(read["doc_id"]):
            expected[place, cells.run_ids.index(run), unit] = pair.get((unit, doc), HOLE)
    np.testing.assert_array_equal(cells.slots, expected)


@pytest.mark.parametrize("depth", DEPTHS)
def test_missing_places_are_those_that_the_source_skips(snapshot, depth):
    cells = read_cells(snapshot, CellSource(**BANK, depth=depth))
    expected = np.zeros((len(cells.run_ids), len(cells.query_ids)), int)
    for (run, query), ranking in snapshot.frame("rankings").groupby(["run_id", "query_id"]):
        end = ranking["source_rank"].max() if depth is None else min(depth, ranking["source_rank"].max())
        if depth is not None and ranking["cut"].any():
            end = depth
        held = {place for place in ranking["source_rank"] if place <= end}
        expected[cells.run_ids.index(run), cells.query_ids.index(query)] = end - len(held)
    np.testing.assert_array_equal(cells.missing, expected)


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_passage_that_several_runs_return_ungraded_counts_once(snapshot, depth):
    graded = set(snapshot.frame("grades").groupby(["query_id", "doc_id"]).groups)
    rows = snapshot.frame("rankings")
    read = rows if depth is None else rows[rows["rank"] <= depth]
    expected = len(set(zip(read["query_id"], read["doc_id"], strict=True)) - graded)
    assert read_cells(snapshot, CellSource(**BANK, depth=depth)).ungraded_pairs == expected > 0


def cells_of(store, *frames, bank=("b", 1), grader_id="g", **source):
    """The cells of a collection with these frames."""
    store.commit("c", reading(*frames), source="s")
    return read_cells(store.snapshot("c"), CellSource(bank=bank, grader_id=grader_id, depth=20, **source))


def test_a_query_without_grades_is_named_and_not_among_the_units(store):
    bank = questions(("q1", "q1/a", 1.0, True), ("q2", "q2/a", 1.0, True), ("q2", "q2/b", 1.0, True))
    cells = cells_of(store, bank, grades(("q1", "d1", 3)))
    assert (cells.query_ids, cells.ungraded_queries, cells.grades.tolist()) == (["q1"], ["q2"], [[3]])


def test_a_question_without_a_weight_weighs_one(store):
    bank = questions(("q1", "q1/a", 2.5, True), ("q1", "q1/b", 1.0, False), ("q2", "q2/a", 0.5, True))
    cells = cells_of(store, bank, grades(("q1", "d1", 3)), rankings(("q1", "d1", 1.0)))
    assert (cells.weights.tolist(), cells.enabled.tolist()) == ([[2.5, 1.0]], [[True, False]])


def test_labels_have_one_slot_that_weighs_one(store):
    judged = judgments(("q1", "d1", 2), ("q1", "d0", -1))
    cells = cells_of(store, judged, bank=None, grader_id=None, qrels_id="official")
    assert (cells.question_ids, cells.grades.tolist()) == ([], [[-1], [2]])
    assert (cells.enabled.tolist(), cells.weights.tolist()) == ([[True]], [[1.0]])


def test_a_collection_without_rankings_has_no_runs(store):
    cells = cells_of(store, questions(("q1", "q1/a", 1.0, True)), grades(("q1", "d1", 3)))
    assert (cells.run_ids, cells.slots.shape, cells.missing.shape) == ([], (0, 0, 1), (0, 1))


def test_a_grader_without_grades_has_no_units(store):
    frames = questions(("q1", "q1/a", 1.0, True)), grades(("q1", "d1", 3)), rankings(("q1", "d1", 1.0))
    cells = cells_of(store, *frames, grader_id="nobody")
    assert (cells.query_ids, cells.run_ids, len(cells.docs), cells.ungraded_queries) == ([], ["bm25"], 0, ["q1"])


@pytest.mark.parametrize("table", ["grades", "rankings"])
def test_a_file_that_is_damaged_inside_is_one_message(store, table):
    store.commit("c", drawn(queries=50, passages=5_000, runs=4), source="s")
    for path in Path(store.path, "c", table).rglob("*.parquet"):
        content = bytearray(path.read_bytes())
        content[len(content) // 10 : -5_000] = b"U" * (len(content) - 5_000 - len(content) // 10)
        path.write_bytes(content)
    with pytest.raises(StoreError, match="is damaged"):
        read_cells(store.snapshot("c"), CellSource(**BANK, depth=20))


def test_the_store_and_the_measures_mean_the_same_by_an_empty_place():
    assert (HOLE, NOTHING) == (gradebook.HOLE, gradebook.NOTHING)


def test_grading_modes_of_the_same_passages_share_rankings_and_others_have_their_own(store):
    graded = {"a": ("d1", "d2"), "b": ("d1", "d2"), "c": ("d1",)}
    of_each = [grades(*(("q1", doc, 4) for doc in docs), grader=name, question="1") for name, docs in graded.items()]
    ranked = rankings(("q1", "d2", 3), ("q1", "d1", 2), ("q1", "d3", 1))
    store.commit("c", reading(pd.concat(of_each), ranked, questions(("q1", "1", 1.0, True))), source="s")

    def read(names):
        return {
            name: read_cells(store.snapshot("c"), CellSource(bank=("b", 1), grader_id=name, depth=20)) for name in names
        }

    found = read("abc")
    assert found["a"].slots is found["b"].slots
    cells.forget()
    again = read("cba")
    for each in (found, again):
        assert [each[name].slots.ravel().tolist() for name in "abc"] == [[1, 0, HOLE], [1, 0, HOLE], [HOLE, 0, HOLE]]
        assert [each[name].ungraded_pairs for name in "abc"] == [1, 1, 2]


@pytest.mark.parametrize("ranked", [("q1", "q2"), ("q1/f", "q2"), ("q1/f", "q2/f"), ("none/f", "q2")])
def test_facets_are_those_that_the_slow_statement_finds(store, ranked):
    rows = rankings(*((query, "d1", 1) for query in ranked))
    store.commit("c", reading(rows, judgments(("q1", "d1", 1))), source="s")
    snapshot = store.snapshot("c")
    key = ["unit", "page"]
    slow = snapshot.query(cells.FACET).sort_values(key, ignore_index=True)
    pd.testing.assert_frame_equal(
        cells._facets(snapshot).to_pandas().sort_values(key, ignore_index=True), slow, check_dtype=False
    )
