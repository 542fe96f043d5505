"""Answers are ranked among the judged documents: by words, by a model, by a run that has both."""

import json
from typing import Any

import numpy as np
import pytest

from exam_core.actions.importing import import_qrels, import_topics
from exam_core.actions.importing_runs import import_run
from exam_core.errors import UsageError
from exam_core.formats import Reading
from exam_core.formats.workbench import text_hash
from exam_core.store import Store
from exam_core.tables import PASSAGES
from exam_core.texts.rankers import places
from exam_core.wings.neighbours.importing import import_answers
from exam_core.wings.neighbours.nrp import nrp
from exam_core.wings.neighbours.ranking import rank_answers, ranked_answers
from exam_core.wings.neighbours.ranking_order import LEXICAL, RankingOrder
from exam_core.wording import texts_come

DOCUMENTS = {"d1": "rain falls from dark clouds", "d2": "the sun shines", "d3": "rain and rain and more rain fell"}
ANSWERS = {("m", 1): "Rain falls when clouds are heavy.", ("m", 2): "I do not know.", ("o", 1): "Sun."}


def fill(folder):
    store = Store(folder / "store")
    lines = [
        {"system": system, "prompt": "p", "query_id": "q1", "sample": sample, "answer": text}
        for (system, sample), text in ANSWERS.items()
    ]
    (folder / "a.jsonl").write_text("\n".join(map(json.dumps, lines)))
    import_answers(store, "c", folder / "a.jsonl")
    (folder / "q").write_text("".join(f"q1 0 {doc} 1\n" for doc in DOCUMENTS) + "q2 0 d1 1\n")
    import_qrels(store, "c", folder / "q")
    (folder / "t").write_text("q1\twhy does rain fall\n")
    import_topics(store, "c", folder / "t")
    texts = list(DOCUMENTS.values())
    hashes = [text_hash(text) for text in texts]
    passages = PASSAGES.frame({"doc_id": list(DOCUMENTS), "passage_text": texts, "text_hash": hashes})
    store.commit("c", Reading({"passages": passages}), source="texts")


@pytest.fixture
def filled(copied):
    """A query with three judged documents, one of another query without answers, and three answers of two systems."""
    return Store(copied("ranking", fill) / "store")


def ranks(store, ranker):
    found = ranked_answers(store.snapshot("c"), ranker)
    columns = zip(found.run.tolist(), found.sample.tolist(), found.rank.tolist(), found.size.tolist(), strict=True)
    return {(found.runs[run][0], sample): (rank, size) for run, sample, rank, size in columns}


@pytest.mark.parametrize("by", LEXICAL)
def test_lexical_ranks_are_those_of_the_ranker_and_the_list_has_the_answer(filled, by):
    done = rank_answers(filled, "c", RankingOrder(by))
    expected, _ = places(by, "why does rain fall", list(DOCUMENTS.values()), list(ANSWERS.values()))
    assert done.counts == {"runs": 2, "ranks": 3}
    assert ranks(filled, by) == {answer: (int(rank), 4) for answer, rank in zip(ANSWERS, expected, strict=True)}
    assert ranks(filled, by)["o", 1] == (3, 4)


def test_ranks_are_a_board_at_once_under_any_name_and_ranking_again_changes_nothing(filled):
    rank_answers(filled, "c", RankingOrder("bm25"))
    assert nrp(filled.snapshot("c")).rows["system"].tolist() == ["m", "o"]
    assert not rank_answers(filled, "c", RankingOrder("bm25")).changed


def test_a_ranker_may_have_a_name_of_its_own(filled):
    rank_answers(filled, "c", RankingOrder("bm25", ranker="mine"))
    assert json.loads(filled.snapshot("c").frame("scores")["extra"].iloc[0])["by"] == "bm25"
    assert set(filled.snapshot("c").frame("scores")["method"]) == {"NRP(ranker=mine)"}


def test_a_run_that_has_answers_and_documents_ranks_them(filled, tmp_path):
    order = ["d3", "m_q1_p_1", "unjudged", "o_q1_p_1", "d1"]
    lines = [f"q1 Q0 {doc} {rank} {-rank} colbert" for rank, doc in enumerate(order, 1)]
    (tmp_path / "r.run").write_text("\n".join(lines))
    import_run(filled, "c", tmp_path / "r.run")
    done = rank_answers(filled, "c", RankingOrder("run:colbert"))
    # d3 stands above both; d2 was not returned, so that the lists have two documents and the answer
    assert ranks(filled, "colbert") == {("m", 1): (1, 3), ("o", 1): (1, 3)}
    assert done.notes == ["1 answer is not in run:colbert, or without a judged document: no rank."]


def test_a_run_without_judged_documents_ranks_no_answer(filled, tmp_path):
    lines = [f"q1 Q0 {doc} {rank} {-rank} colbert" for rank, doc in enumerate(("m_q1_p_1", "unjudged"), 1)]
    (tmp_path / "r.run").write_text("\n".join(lines))
    import_run(filled, "c", tmp_path / "r.run")
    with pytest.raises(UsageError, match="ranks none of the answers"):
        rank_answers(filled, "c", RankingOrder("run:colbert"))


def test_what_can_not_be_ranked_is_counted(filled, tmp_path):
    lines = [{"system": "m", "prompt": "p", "query_id": query, "sample": 1, "answer": "x"} for query in ("q2", "q3")]
    (tmp_path / "b.jsonl").write_text("\n".join(map(json.dumps, lines)))
    import_answers(filled, "c", tmp_path / "b.jsonl", replace=True)
    (tmp_path / "q2").write_text("q1 0 d1 1\nq1 0 d9 1\nq2 0 d2 0\n")
    import_qrels(filled, "c", tmp_path / "q2", name="second")
    done = rank_answers(filled, "c", RankingOrder("bm25", judgments="second"))
    assert sorted(done.notes) == [
        "1 judged documents have no text and were left out.",
        "1 queries have no judged documents: their answers have no rank.",
        "1 queries have no text: their answers have no rank.",
        texts_come("c"),
    ]


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (RankingOrder("bm26"), "choose tfidf, bm25, dph, monot5, duot5, or run:NAME"),
        (RankingOrder("run:none"), "has no run none"),
        (RankingOrder("bm25", judgments="none"), "There are: official"),
        (RankingOrder("bm25", ranker="a,b"), "without brackets"),
    ],
)
def test_what_can_not_be_asked_is_refused(filled, order, message):
    with pytest.raises(UsageError, match=message):
        rank_answers(filled, "c", order)


def test_without_answers_or_judgments_there_is_a_sentence(store, tmp_path):
    (tmp_path / "q").write_text("q1 0 d1 1\n")
    import_qrels(store, "c", tmp_path / "q")
    with pytest.raises(UsageError, match="no generated answers with texts"):
        rank_answers(store, "c", RankingOrder("bm25"))
    line = {"system": "m", "prompt": "p", "query_id": "q1", "sample": 1, "answer": "x"}
    (tmp_path / "a.jsonl").write_text(json.dumps(line))
    import_answers(store, "d", tmp_path / "a.jsonl")
    with pytest.raises(UsageError, match="import qrels FILE"):
        rank_answers(store, "d", RankingOrder("bm25"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A random T5 that "answers" true or false."""
    from tests.grading import tiny

    return tiny.save(tmp_path_factory.mktemp("models") / "tiny-mono", tiny.random_t5(1))


def test_monot5_ranks_by_the_models_scores(filled, folder):
    from exam_core.grading.t5.models import load
    from exam_core.wings.neighbours.reranking import mono_scores

    rank_answers(filled, "c", RankingOrder("monot5", model=str(folder), device="cpu"))
    loaded = load(str(folder), device="cpu")

    def score(text):
        return float(mono_scores(loaded, [("why does rain fall", text)])[0])

    theirs = np.array([score(text) for text in DOCUMENTS.values()])
    expected = {answer: (int((theirs > score(text)).sum()), 4) for answer, text in ANSWERS.items()}
    assert ranks(filled, "monot5") == expected
    assert json.loads(filled.snapshot("c").frame("scores")["extra"].iloc[0])["model"] == "tiny-mono"


def test_duot5_ranks_by_its_duels_what_bm25_has_among_the_first(filled, folder):
    from exam_core.grading.t5.models import load
    from exam_core.wings.neighbours.reranking import duo_scores

    order: dict[str, Any] = {"model": str(folder), "device": "cpu", "first": 3}
    rank_answers(filled, "c", RankingOrder("duot5", **order))
    lexical, _ = places("bm25", "why does rain fall", list(DOCUMENTS.values()), list(ANSWERS.values()))
    loaded = load(str(folder), device="cpu")
    for (answer, text), before in zip(ANSWERS.items(), lexical, strict=True):
        duels = duo_scores(loaded, "why does rain fall", [DOCUMENTS["d1"], DOCUMENTS["d3"], text])
        expected = int((duels[:-1] >= duels[-1]).sum()) if before < 3 else int(before)
        assert ranks(filled, "duot5")[answer] == (expected, 4)
