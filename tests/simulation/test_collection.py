"""Storing what is simulated: reproducible, in parts, whole or not at all, and never mixed with what is real."""

import pytest

from benchmarks.simulation import collection
from benchmarks.simulation.collection import simulate
from benchmarks.simulation.settings import Settings
from exam_core.errors import UsageError
from exam_core.formats import Reading
from exam_core.tables import JUDGMENTS, TABLES

SMALL = Settings(queries=10, passages=300, runs=4)


def files(snapshot):
    """Names of the collection's files; a name carries the hash of the content."""
    return {part for select in snapshot.tables.values() for part in select.split("'") if part.endswith(".parquet")}


def names_of(snapshot):
    return {path.rpartition("/c/")[2] for path in files(snapshot)}


def test_one_seed_always_gives_the_same_files(tmp_path, simulated):
    from exam_core.store import Store

    other = Store(tmp_path)
    simulate(other, "c", Settings(queries=40, passages=4_735))
    assert names_of(other.snapshot("c")) == names_of(simulated())


@pytest.mark.parametrize("table", ["grades", "rankings", "judgments"])
def test_another_seed_gives_another_collection(simulated, table):
    assert not simulated().frame(table).equals(simulated(seed=1).frame(table))


def test_parts_make_one_collection_without_gaps_or_repeats(store, monkeypatch):
    monkeypatch.setattr(collection, "PART", 3)
    simulate(store, "c", SMALL)
    snapshot = store.snapshot("c")
    repeats = {name: int(snapshot.frame(name).duplicated(list(table.key)).sum()) for name, table in TABLES.items()}
    assert set(repeats.values()) == {0}
    assert len(snapshot.frame("grades")) == 3_000


def test_progress_rises_to_the_end(store, monkeypatch):
    monkeypatch.setattr(collection, "PART", 3)
    shares = []
    simulate(store, "c", SMALL, progress=shares.append)
    assert shares == [0.3, 0.6, 0.9, 1.0]


def test_what_was_imported_is_not_mixed_with_what_is_simulated(store):
    rows = JUDGMENTS.frame({"qrels_id": ["official"], "query_id": ["q"], "doc_id": ["d"], "relevance": [1]})
    store.commit("c", Reading({"judgments": rows}), source="qrels:official")
    with pytest.raises(UsageError, match="holds imported data, such as qrels:official"):
        simulate(store, "c", SMALL)


@pytest.mark.parametrize(("texts", "expected"), [(True, 300), (False, 0)])
def test_passages_have_texts_unless_they_are_left_out(store, texts, expected):
    simulate(store, "c", Settings(queries=10, passages=300, runs=4, texts=texts))
    assert len(store.snapshot("c").frame("passages")) == expected
