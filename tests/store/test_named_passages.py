"""Passages that a collection names: which they are, and how many lack a text."""

from exam_core.store.database import Database
from exam_core.store.evidence import TextCounts, named_passages, names_of_passages, texts_of_named

from .store_samples import judgments, passages, rankings, reading


def test_passages_that_many_rows_name_are_counted_in_little_memory(store, monkeypatch):
    ids = [f"passage-{number:06}" for number in range(80_000)]
    store.commit("c", reading(judgments(*(("q", doc, 1) for doc in ids))), source="qrels")
    before = names_of_passages(store.snapshot("c"))
    store.commit("c", reading(rankings(*(("q", doc, 1.0) for doc in ids[:10]))), source="run")
    store.commit("c", reading(passages(*ids[5:8], "unnamed")), source="texts")
    snapshot = store.snapshot("c")
    narrow = snapshot.database.narrow
    monkeypatch.setattr(Database, "narrow", lambda *_, **__: narrow("4MiB"))  # too little to tell them apart
    assert names_of_passages(snapshot) == before
    assert set(named_passages(snapshot)) == set(ids)
    assert texts_of_named(snapshot) == TextCounts(80_000, 79_997)
