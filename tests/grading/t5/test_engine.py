"""The T5 engine against transformers itself: its generate for each prompt alone, its decoder, its likelihoods."""

import copy
import threading

import numpy as np
import pytest
import torch
from grading import tiny
from grading.plain import generated
from thoroughly import thoroughly

from exam_core.errors import GraderError, UsageError
from exam_core.grading.prompt import Prompt
from exam_core.grading.t5 import decoder
from exam_core.grading.t5.decoder import distance_bias
from exam_core.grading.t5.engine import RATINGS, T5, ScoredT5
from exam_core.grading.t5.models import Loaded
from exam_core.grading.t5.truncation import fit_all

CLOSE = 1e-4
"""Mean log-likelihoods that are nearer than this may change places by rounding."""


@pytest.fixture(autouse=True)
def one_thread():
    """Small models are slower on several threads."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def loaded(model, precision="fp32"):
    return Loaded(model, tiny.tokenizer(), "cpu", "tiny", "r1", precision)


def answered(t5, prompts):
    """Answers in the order of the prompts; each prompt must be answered once."""
    pairs = list(t5.answers(prompts))
    assert sorted(place for place, _ in pairs) == list(range(len(prompts)))
    return [answer for _, answer in sorted(pairs, key=lambda pair: pair[0])]


def differences(answers, texts):
    """Answers that are not generate's: those that were decided by more than rounding, and the near ties."""
    clear, close = [], []
    for place, (answer, text) in enumerate(zip(answers, texts, strict=True)):
        if answer.text != text:
            near = answer.margin is not None and answer.margin < CLOSE
            (close if near else clear).append(f"{place}: {answer} for {text!r}")
    return clear, close


def must_agree(answers, texts):
    clear, close = differences(answers, texts)
    if close:
        print("near ties, answered otherwise:", *close, sep="\n")
    assert not clear
    assert len(close) <= len(texts) / 100


@pytest.mark.parametrize("count", [100, *thoroughly(300)])
def test_answers_are_those_of_generate(trained, count):
    prompts = tiny.prompts(count)
    answers = answered(T5(loaded(trained)), prompts)
    must_agree(answers, generated(loaded(trained), prompts))
    assert len({answer.text for answer in answers}) > 12, "the prompts are too much alike to show anything"
    assert {"0", "1", "2", "3", "4", "5"} <= {answer.text for answer in answers}


@pytest.fixture(scope="module")
def alone(trained):
    return answered(T5(loaded(trained), batch_tokens=1), tiny.prompts(60, seed=8))


@pytest.mark.parametrize("batch_tokens", [250, 1_000, 100_000])
def test_answers_do_not_depend_on_the_batch(trained, alone, batch_tokens):
    together = answered(T5(loaded(trained), batch_tokens=batch_tokens), tiny.prompts(60, seed=8))
    must_agree(together, [str(answer.text) for answer in alone])
    assert [answer.margin for answer in together] == pytest.approx([answer.margin for answer in alone], abs=1e-3)


@pytest.mark.parametrize("limit", [1, 2, 40])
@pytest.mark.parametrize("beams", [1, 2, 5])
def test_every_search_is_that_of_generate(trained, beams, limit):
    prompts = tiny.prompts(16, seed=9)
    t5 = T5(loaded(trained), beams=beams, max_new_tokens=limit)
    how = {"beams": beams, "max_new_tokens": limit, "early_stopping": beams > 1}
    must_agree(answered(t5, prompts), generated(loaded(trained), prompts, **how))


@pytest.mark.parametrize("beams", [1, 5])
@pytest.mark.parametrize("changes", tiny.KINDS.values(), ids=tiny.KINDS)
def test_answers_of_untrained_models_are_those_of_generate(changes, beams):
    # Their answers go on to the limit: room is made in the cache, and the order of the beams changes all the time.
    model = tiny.random_t5(3, **changes)
    prompts = tiny.prompts(4, seed=10)
    texts = generated(loaded(model), prompts, beams=beams, max_new_tokens=40)
    must_agree(answered(T5(loaded(model), beams=beams, max_new_tokens=40), prompts), texts)


def test_the_authors_length_counts_the_start_token(trained):
    model = tiny.random_t5(3)
    prompts = tiny.prompts(5)
    texts = generated(loaded(model), prompts, max_length=12)
    must_agree(answered(T5(loaded(model), max_new_tokens=11), prompts), texts)
    assert T5(loaded(trained)).about["decoding"]["max_new_tokens"] == 511


def test_distances_weigh_as_in_transformers():
    attention = tiny.random_t5().decoder.block[0].layer[0].SelfAttention
    bias = distance_bias(attention)
    longest = 600
    theirs = attention.compute_bias(1, longest, past_seen_tokens=longest - 1)[0, :, 0].flip(1)
    ours = bias[:, torch.arange(longest).clamp(max=bias.shape[1] - 1)]
    torch.testing.assert_close(ours, theirs, rtol=0, atol=0)


def test_bf16_answers_are_nearly_always_those_of_generate_in_bf16(trained):
    half = copy.deepcopy(trained).to(torch.bfloat16)
    prompts = tiny.prompts(100, seed=11)
    answers = answered(T5(loaded(half, "bf16")), prompts)
    texts = generated(loaded(half), prompts)
    same = sum(answer.text == text for answer, text in zip(answers, texts, strict=True))
    print(f"bf16: {same} of {len(prompts)} as generate in bf16")
    assert same >= 0.9 * len(prompts)


def with_small_memory(model, most, tried):
    """A copy of a model whose encoder runs out of memory above `most` prompts, and notes how many it was given."""

    class Embedding(torch.nn.Embedding):
        def forward(self, input):
            tried.append(len(input))
            if len(input) > most:
                raise torch.OutOfMemoryError("CUDA out of memory.\nTried to allocate 2.00 GiB.")
            return super().forward(input)

    small = copy.deepcopy(model)
    small.encoder.embed_tokens.__class__ = Embedding
    return small


def test_a_batch_that_memory_does_not_hold_is_halved(trained):
    prompts = tiny.prompts(40)
    tried = []
    t5 = T5(loaded(with_small_memory(trained, 6, tried)), batch_tokens=100_000)
    answers = answered(t5, prompts)
    assert [answer.text for answer in answers] == [answer.text for answer in answered(T5(loaded(trained)), prompts)]
    assert tried[:4] == [40, 20, 10, 5]
    assert max(tried[4:]) <= 6, "what was too large once must not be tried again"
    answered(t5, prompts)
    assert len([size for size in tried if size > 6]) <= 4


def test_a_prompt_that_memory_does_not_hold_is_an_error_with_advice(trained):
    t5 = T5(loaded(with_small_memory(trained, 0, [])))
    with pytest.raises(GraderError, match=r"One prompt of \d+ tokens .* tiny: CUDA out of memory\.\nFree the device"):
        list(t5.answers(tiny.prompts(5)))


def test_prompts_filled_up_to_planned_lengths_have_the_same_answers(trained, monkeypatch):
    prompts = tiny.prompts(100)
    wanted = answered(T5(loaded(trained), batch_tokens=600), prompts)
    seen = []

    def attention(asked, keys, values, bias):
        seen.append(keys.shape[2])
        return torch.nn.functional.scaled_dot_product_attention(asked, keys, values, attn_mask=bias, scale=1.0)

    monkeypatch.setattr(decoder, "_plans_attention", lambda _: True)
    monkeypatch.setattr(decoder, "_planned_attention", attention)
    found = answered(T5(loaded(trained), batch_tokens=600), prompts)
    assert [answer.text for answer in found] == [answer.text for answer in wanted]
    assert set(seen) == {decoder.PLANNED}


def test_two_devices_answer_as_one(trained):
    prompts = tiny.prompts(80)
    one = answered(T5(loaded(trained), batch_tokens=600), prompts)
    two = answered(T5(loaded(trained), batch_tokens=600, devices=["cpu", "cpu"]), prompts)
    assert [answer.text for answer in two] == [answer.text for answer in one]


def test_an_error_on_one_of_two_devices_reaches_the_caller(trained):
    t5 = T5(loaded(with_small_memory(trained, 0, [])), devices=["cpu", "cpu"])
    with pytest.raises(GraderError, match="does not fit"):
        list(t5.answers(tiny.prompts(30)))


def test_a_caller_may_stop_in_the_middle(trained):
    before = threading.active_count()
    answers = T5(loaded(trained), batch_tokens=200, devices=["cpu", "cpu"]).answers(tiny.prompts(100))
    next(answers)
    answers.close()
    assert threading.active_count() == before


def test_the_longest_answers_are_put_off_and_stay_the_same(trained, monkeypatch):
    monkeypatch.setattr("exam_core.grading.t5.engine.PATIENCE", 3)
    drawn = sorted(tiny.prompts(160), key=lambda prompt: prompt.head.startswith("answer"))
    prompts = drawn[:85]  # ratings, which are short
    prompts += drawn[-5:]
    tried = []
    answers = answered(T5(loaded(with_small_memory(trained, 90, tried)), batch_tokens=100_000), prompts)
    assert len(tried) == 2, "no answer was long enough to be put off"
    assert tried[0] == 90
    assert tried[1] < 90 / 8
    patient = answered(T5(loaded(trained), batch_tokens=1), prompts)
    assert [answer.text for answer in answers] == [answer.text for answer in patient]


def test_scores_are_the_likelihoods_of_teacher_forcing(trained):
    words = tiny.tokenizer()
    prompts = tiny.prompts(20)
    continuations = [*words(list(RATINGS)).input_ids, words("true").input_ids[:1], words("water river snow").input_ids]
    scores = T5(loaded(trained), batch_tokens=500).scores(prompts, continuations)
    expected = np.empty_like(scores)
    for row, fitted in enumerate(fit_all(words, prompts)):
        for column, tokens in enumerate(continuations):
            with torch.inference_mode():
                loss = trained(input_ids=torch.tensor([fitted.ids]), labels=torch.tensor([tokens])).loss
            expected[row, column] = -loss.item() * len(tokens)
    np.testing.assert_allclose(scores, expected, atol=2e-4, rtol=1e-5)


def test_the_scored_answer_is_the_likeliest_rating(trained):
    prompts = tiny.prompts(50)
    scored = ScoredT5(loaded(trained))
    scores = T5(loaded(trained)).scores(prompts, tiny.tokenizer()(list(RATINGS)).input_ids)
    answers = answered(scored, prompts)
    assert [answer.text for answer in answers] == [RATINGS[best] for best in scores.argmax(axis=1)]
    two_best = np.sort(scores, axis=1)[:, -2:]
    assert [answer.margin for answer in answers] == pytest.approx(two_best[:, 1] - two_best[:, 0], abs=1e-4)
    assert scored.about["decoding"] == {"scored": list(RATINGS)}
    for answer, of_choices in zip(answers, scores, strict=True):
        assert answer.likelihoods == pytest.approx(dict(zip(RATINGS, of_choices, strict=True)), abs=1e-4)


def test_about_holds_what_answers_depend_on_and_nothing_else(trained):
    assert T5(loaded(trained)).about == {
        "model": "tiny",
        "revision": "r1",
        "engine": "examboard",
        "decoding": {"beams": 5, "early_stopping": True, "max_new_tokens": 511},
        "precision": "fp32",
        "max_tokens": 512,
    }
    assert T5(loaded(trained), batch_tokens=7, devices=["cpu", "cpu"]).about == T5(loaded(trained)).about
    assert T5(loaded(trained), beams=1).about != T5(loaded(trained)).about


def test_a_long_passage_is_cut_and_the_answer_says_so(trained):
    long = Prompt("rate question: how many river? context: ", " ".join(tiny.WORDS * 12))
    t5 = T5(loaded(trained), max_tokens=100)
    assert t5.lengths([long, tiny.prompts(1)[0]])[0] == 95
    assert [answer.cut for answer in answered(t5, [long, tiny.prompts(1)[0]])] == [True, False]


def test_no_prompts_have_no_answers(trained):
    assert list(T5(loaded(trained)).answers([])) == []


@pytest.mark.parametrize("kind", [T5, ScoredT5])
def test_weights_without_numbers_are_a_failure_and_no_answer(kind):
    model = tiny.random_t5()
    with torch.no_grad():
        model.decoder.final_layer_norm.weight.fill_(float("nan"))
    [answer] = answered(kind(loaded(model), max_new_tokens=4), tiny.prompts(1))
    assert answer.text is None
    assert "NaN" in answer.failure


@pytest.mark.parametrize("option", ["beams", "max_new_tokens", "batch_tokens"])
def test_an_option_below_one_is_refused(trained, option):
    with pytest.raises(UsageError, match=f"{option} is 0; it must be at least 1"):
        T5(loaded(trained), **{option: 0})


@pytest.mark.parametrize(
    ("weights", "precision", "said"),
    [
        (torch.float16, "fp32", "fp16: T5 overflows"),
        (torch.float32, "bf16", r"declared as bf16 but its weights are torch\.float32"),
    ],
)
def test_half_precision_and_one_that_the_weights_do_not_have_are_refused(weights, precision, said):
    with pytest.raises(UsageError, match=said):
        T5(loaded(tiny.random_t5().to(weights), precision))


@pytest.mark.parametrize(("precision", "inside"), [("fp32", "highest"), ("tf32", "high")])
def test_the_precision_of_products_is_set_for_our_calls_only(precision, inside):
    seen = []
    model = tiny.random_t5()
    model.encoder.embed_tokens.register_forward_pre_hook(lambda *_: seen.append(torch.get_float32_matmul_precision()))
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        for _ in T5(loaded(model, precision), max_new_tokens=2).answers(tiny.prompts(3)):
            assert torch.get_float32_matmul_precision() == "medium"
            assert not torch.is_inference_mode_enabled()
    finally:
        torch.set_float32_matmul_precision(before)
    assert seen == [inside]
