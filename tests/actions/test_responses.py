"""Generated responses become runs of passages that a grader can read whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from exam_core.actions.importing import import_responses
from exam_core.errors import BadInput
from exam_core.store import Store

SENTENCE = "This sentence of a response has some ten words in it."


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Two systems; one writes 11 words, the other 1,100."""
    lines = [
        {"query_id": "q1", "run_id": "short", "text": SENTENCE},
        {"query_id": "q1", "run_id": "long", "text": " ".join([SENTENCE] * 100)},
    ]
    path = tmp_path / "responses.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return path


def ranked(store: Store) -> list[tuple[str, str, int]]:
    sql = "SELECT run_id, doc_id, rank FROM rankings ORDER BY run_id, rank"
    return list(store.snapshot("c").query(sql).itertuples(index=False, name=None))


def test_a_long_response_is_cut_and_ranks_in_its_order(store: Store, file: Path) -> None:
    done = import_responses(store, "c", file)
    assert done.counts == {"runs": 2, "responses": 2, "passages": 5}
    assert ranked(store) == [*(("long", f"long/q1#{place}", place + 1) for place in range(4)), ("short", "short/q1", 1)]


def test_no_word_is_lost(store: Store, file: Path) -> None:
    import_responses(store, "c", file)
    texts = store.snapshot("c").query("SELECT passage_text FROM passages WHERE doc_id LIKE 'long%' ORDER BY doc_id")
    assert " ".join(texts["passage_text"]) == " ".join([SENTENCE] * 100)
    assert texts["passage_text"].str.split().str.len().max() <= 300


def test_the_same_file_again_changes_nothing(store: Store, file: Path) -> None:
    import_responses(store, "c", file)
    assert not import_responses(store, "c", file).changed


def test_a_later_file_replaces_a_run(store: Store, file: Path, tmp_path: Path) -> None:
    import_responses(store, "c", file)
    newer = tmp_path / "newer.jsonl"
    newer.write_text(json.dumps({"query_id": "q2", "run_id": "short", "text": "Other words."}), "utf-8")
    import_responses(store, "c", newer)
    assert [row for row in ranked(store) if row[0] == "short"] == [("short", "short/q2", 1)]


def test_an_empty_file_is_refused(store: Store, tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text("", "utf-8")
    with pytest.raises(BadInput, match="holds nothing to import"):
        import_responses(store, "c", empty)
