"""monoT5 and duoT5 beside plain forward passes, one prompt at a time."""

import math
import random

import numpy as np
import pytest
import torch
from grading import tiny

from exam_core.errors import GraderError
from exam_core.grading.t5.models import Loaded
from exam_core.wings.neighbours.reranking import _duels, duo_scores, mono_scores


def reranker(seed=1, **changes):
    """A random T5 that "answers" true or false."""
    return Loaded(tiny.random_t5(seed, **changes), tiny.tokenizer(), "cpu", "tiny-mono", "r1")


def texts(count, longest=30, seed=5):
    draw = random.Random(seed)
    return [" ".join(draw.choices(tiny.WORDS, k=draw.randint(1, longest))) for _ in range(count)]


@torch.no_grad()
def plain_probability(loaded, prompt):
    """p(true) against false as the first word after a prompt, by a forward pass of its own."""
    batch = loaded.tokenizer(prompt, return_tensors="pt")
    start = torch.zeros((1, 1), dtype=torch.long)
    logits = loaded.model(**batch, decoder_input_ids=start).logits[0, 0]
    yes, no = (float(logits[loaded.tokenizer.convert_tokens_to_ids(token)]) for token in ("▁true", "▁false"))
    return math.exp(yes) / (math.exp(yes) + math.exp(no))


@pytest.mark.parametrize("budget", [1, 100, 5_000])
@pytest.mark.parametrize(
    "shape", [{}, {"tie_word_embeddings": True, "feed_forward_proj": "relu"}], ids=["FLAN-T5", "first T5"]
)
def test_mono_scores_are_those_of_plain_forward_passes(shape, budget):
    loaded = reranker(**shape)
    pairs = [(f"what is {word}?", passage) for word, passage in zip(tiny.WORDS, texts(40), strict=False)]
    expected = [plain_probability(loaded, f"Query: {query} Document: {passage} Relevant:") for query, passage in pairs]
    found = mono_scores(loaded, pairs, batch_tokens=budget)
    assert np.exp(found) == pytest.approx(expected, abs=1e-5)
    assert np.ptp(found) > 0.1


def test_a_long_passage_is_cut_and_the_rest_of_the_prompt_stays():
    loaded = reranker()
    passage = " ".join(tiny.WORDS * 3)
    whole = len(loaded.tokenizer(f"Query: what? Document: {passage} Relevant:").input_ids)
    # 5 tokens stay free below the limit; each word is one token.
    kept = " ".join((tiny.WORDS * 3)[: len(tiny.WORDS) * 3 - 30])
    expected = plain_probability(loaded, f"Query: what? Document: {kept} Relevant:")
    found = mono_scores(loaded, [("what?", passage)], max_tokens=whole - 30 + 5)
    assert np.exp(found) == pytest.approx([expected], abs=1e-6)


def test_duo_scores_are_sums_over_both_orders():
    loaded = reranker()
    passages = texts(6)
    expected = [
        sum(
            plain_probability(loaded, f"Query: what? Document0: {one} Document1: {other} Relevant:")
            + 1
            - plain_probability(loaded, f"Query: what? Document0: {other} Document1: {one} Relevant:")
            for other in passages
            if other != one
        )
        for one in passages
    ]
    found = duo_scores(loaded, "what?", passages, batch_tokens=200)
    assert found == pytest.approx(expected, abs=1e-5)
    assert np.ptp(found) > 0.01


def test_without_another_passage_or_a_pair_there_is_nothing_to_score():
    assert [duo_scores(reranker(), "what?", texts(count)).tolist() for count in (0, 1)] == [[], [0.0]]
    assert mono_scores(reranker(), []).tolist() == []


def test_both_passages_of_a_duel_are_cut_alike():
    loaded = reranker()
    long, short = " ".join(["river"] * 90), "sand storm"
    fitted = _duels(loaded, "what?", [long, short], [(0, 1), (1, 0)], 64)
    words = [loaded.tokenizer.decode(one.ids).replace("?", "").split() for one in fitted]
    assert [one.cut for one in fitted] == [True, True]
    assert words[0].count("river") == words[1].count("river")
    assert all(len(one.ids) <= 64 for one in fitted)
    assert all("storm" in said and said[-1].startswith("Relevant:") for said in words)


def test_other_tokens_can_be_the_answers():
    pairs = [("what?", passage) for passage in texts(5)]
    other = mono_scores(reranker(), pairs, answers=("▁yes", "▁no"))
    swapped = mono_scores(reranker(), pairs, answers=("▁no", "▁yes"))
    assert np.exp(other) + np.exp(swapped) == pytest.approx(1)
    assert not np.allclose(other, mono_scores(reranker(), pairs))


def test_a_tokenizer_without_the_answers_is_no_rerankers():
    with pytest.raises(GraderError, match="has no token ▁wahr: it is not a reranker"):
        mono_scores(reranker(), [("what?", "river")], answers=("▁wahr", "▁false"))


def test_a_query_without_room_for_passages_is_named():
    with pytest.raises(GraderError, match="no room for two passages in 40 tokens: what"):
        duo_scores(reranker(), "what is " + "sand " * 30, texts(2), max_tokens=40)
    with pytest.raises(GraderError, match="no room"):
        mono_scores(reranker(), [("what is " + "sand " * 30, "river")], max_tokens=40)
