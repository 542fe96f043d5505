"""One search over names and texts: against a loop over the store's frames."""

import unicodedata

import pyarrow as pa
import pytest

from exam_core.formats import Reading
from exam_core.store import Store
from exam_core.store.evidence import PassageSearch, search
from exam_core.store.summary import search_each
from exam_core.tables import OVERALL, PASSAGES, POOL


@pytest.fixture(scope="module")
def snapshot(demo_store):
    return Store(demo_store).snapshot("demo")


def slowly(snapshot, words, bank):
    """Ids that have all words, by kind, one row after the other."""
    runs = {row for name in ("rankings", "leaderboards", "scores") for row in snapshot.frame(name)["run_id"]}
    queries, questions, passages = (snapshot.frame(name) for name in ("queries", "questions", "passages"))
    mine = questions[questions["bank_id"] == bank]
    mine = mine[mine["version"] == mine["version"].max()]
    texts = {
        "run": [(run, "") for run in runs if run != OVERALL],
        "query": zip(queries["query_id"], queries["query_text"], strict=True),
        "question": zip(mine["question_id"], mine["question_text"], strict=True),
        "passage": zip(passages["doc_id"], passages["passage_text"], strict=True),
    }
    return {
        kind: sorted(name for name, text in rows if all(word in f"{name} {text or ''}".lower() for word in words))
        for kind, rows in texts.items()
    }


@pytest.mark.parametrize("text", ["BM25", "skin layer", '"plate bound"', *"%_'\\", "nothing-has-this"])
def test_all_words_are_looked_for_letter_for_letter(snapshot, text):
    words = [text.strip('"')] if '"' in text else text.lower().split()
    found = search_each(snapshot, text, bank="open", most=10_000)
    assert {kind: sorted(rows["id"]) for kind, rows in found.items()} == slowly(snapshot, words, "open")


def test_what_is_shown_is_bounded_and_all_is_counted(snapshot):
    found = search_each(snapshot, "a", bank="open", most=3, characters=10)
    every = slowly(snapshot, ["a"], "open")
    assert {kind: len(rows) for kind, rows in found.items()} == dict.fromkeys(every, 3)
    assert {kind: int(rows["total"][0]) for kind, rows in found.items()} == {
        kind: len(ids) for kind, ids in every.items()
    }
    assert max(rows["text"].str.len().max() for rows in found.values()) == 10


def test_a_name_that_is_the_whole_text_comes_first(snapshot):
    assert search_each(snapshot, "bm25-title")["run"]["id"].tolist()[0] == "bm25-title"
    assert search_each(snapshot, "BM25", most=1)["run"]["id"].tolist() == ["bm25"]


def test_accents_are_found_however_they_are_encoded(tmp_path):
    texts = ["Die Mühle steht", unicodedata.normalize("NFD", "Die Mühle steht")]
    store = Store(tmp_path / "store")
    passages = PASSAGES.frame({"doc_id": ["one", "other"], "passage_text": texts})
    pool = POOL.frame({"query_id": ["q", "q"], "doc_id": ["one", "other"], "position": [0, 1]})
    store.commit("c", Reading({"passages": passages, "pool": pool}), source="test")
    label = pa.array([0], pa.int8())
    snapshot, nothing = store.snapshot("c"), pa.table({"unit": [""], "doc_id": [""], "label": label, "cut": label})
    for word in ("mühle", unicodedata.normalize("NFD", "MÜHLE")):
        assert search_each(snapshot, word)["passage"]["id"].tolist() == ["one", "other"]
        assert search(snapshot, PassageSearch(text=word), nothing)["doc_id"].tolist() == ["one", "other"]
    assert snapshot.frame("passages")["passage_text"].tolist() == texts


def test_without_a_bank_no_question_is_searched_and_without_words_nothing(snapshot):
    assert list(search_each(snapshot, "skin")) == ["run", "query", "passage"]
    assert search_each(snapshot, ' "" ', bank="open") == {}
