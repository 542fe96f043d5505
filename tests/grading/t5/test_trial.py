"""Trials of speed, on a tiny shape: every program answers, every figure is there; the encoder is transformers' own."""

import json

import pytest
import torch
from grading import tiny

from benchmarks import trial
from benchmarks.grader import benchmark, prompt_lengths
from exam_core.cli import main
from exam_core.errors import UsageError
from exam_core.grading.t5.decoder import Layers, read
from exam_core.grading.t5.truncation import fit_all


@pytest.fixture(scope="module")
def measured():
    return benchmark("tiny", prompts=3, rounds=1, tokens=20, precisions=("fp32", "bf16"))


def numbers(value):
    if isinstance(value, dict):
        return [number for part in value.values() for number in numbers(part)]
    return [value] if isinstance(value, int | float) else []


@pytest.mark.parametrize("part", ["prompts_per_s", "ratios", "memory_mib", "precisions", "gflop_per_prompt"])
def test_every_figure_is_there_and_positive(measured, part):
    for answers in measured["answers"]:
        found = numbers(answers[part])
        assert found
        assert min(found) > 0


def test_every_program_takes_part(measured):
    programs = {"ours", "ours, bf16", "encoder alone", "generate, batch 1", "generate, batch 10"}
    for answers in measured["answers"]:
        assert (set(answers["prompts_per_s"]), answers["left_out"]) == (programs, {})
        assert len(answers["ratios"]) == 3


def test_our_answers_are_those_of_generate_but_for_near_ties(measured):
    for answers in measured["answers"]:
        assert answers["different"] == []
        assert answers["answers_as_generate"] + len(answers["near_ties"]) == 3


def test_an_answer_has_the_given_length():
    loaded = trial.random_model("tiny", device="cpu")
    [answer] = trial.ours(loaded, 7)(trial.random_prompts(loaded, [15]))
    assert answer.text is not None
    assert len(answer.text.split()) == 7


def test_prompts_have_the_given_lengths():
    loaded = trial.random_model("tiny", device="cpu")
    prompts = trial.random_prompts(loaded, [8, 208, 512])
    assert [len(fitted.ids) for fitted in fit_all(loaded.tokenizer, prompts, 600)] == [8, 208, 512]


def test_lengths_are_spread_as_those_of_dl19():
    lengths = prompt_lengths(1000)
    assert sum(lengths) / 1000 == pytest.approx(195, abs=2)
    assert (min(lengths), max(lengths)) == (pytest.approx(130, abs=5), pytest.approx(356, abs=10))
    assert lengths != sorted(lengths)


# Counted by hand in 10^9: encoder 132 and 341 of 208 and 512 tokens; with keys, values and decoder 164 and 404.
@pytest.mark.parametrize(("tokens", "expected"), [(208, 164), (512, 404)])
def test_the_work_of_a_prompt_is_counted(tokens, expected):
    assert trial.SHAPES["large"].gflop(tokens, 4) == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["fp32", "bf16"])
@pytest.mark.parametrize("changes", tiny.KINDS.values(), ids=tiny.KINDS)
def test_the_encoder_reads_as_transformers_does(changes, dtype):
    model = tiny.random_t5(3, **changes).to(dtype)
    ids = [[5, 6, 7, 8, 1], [9, 10, 1]]
    with torch.inference_mode():
        hidden, mask = read(Layers(model), ids)
        assert mask is not None
        for row, tokens in enumerate(ids):
            theirs = model.encoder(input_ids=torch.tensor([tokens])).last_hidden_state[0]
            close = 1e-5 if dtype == torch.float32 else 0.1
            torch.testing.assert_close(hidden[row, : len(tokens)], theirs, atol=close, rtol=close)


def test_layers_without_onednn_give_the_same(monkeypatch):
    model = tiny.random_t5(3)
    with torch.inference_mode():
        fast, _ = read(Layers(model), [[5, 6, 7, 8, 1]])
        monkeypatch.setattr("exam_core.grading.t5.decoder._has_onednn", lambda: False)
        plain, _ = read(Layers(model), [[5, 6, 7, 8, 1]])
    torch.testing.assert_close(fast, plain)


def test_memory_counts_what_the_work_held_for_a_while():
    _, added = trial.peak_mib(lambda: torch.ones(16 * 2**20).sum(), "cpu")
    if added is None:
        pytest.skip("this system doesn't say how much memory a process held")
    assert added == pytest.approx(64, abs=12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "huge"}, "huge: no such configuration"),
        ({"name": "tiny", "device": "cpu", "precision": "tf32"}, "tf32 on cpu"),
        ({"name": "tiny", "device": "cpu", "precision": "fp16"}, "fp16 on cpu"),
    ],
)
def test_what_is_not_there_is_refused(options, message):
    with pytest.raises(UsageError, match=message):
        trial.random_model(**options)


def test_the_command_asks_for_what_its_options_say_and_prints_json(measured, monkeypatch, capsys):
    asked = {}
    monkeypatch.setattr("benchmarks.grader.benchmark", lambda *_, **options: asked.update(options) or measured)
    options = "--config tiny --prompts 2 --tokens 12 --rounds 1 --device cpu".split()
    monkeypatch.setattr("sys.argv", ["examboard", "bench", "grader", *options])
    with pytest.raises(SystemExit) as stop:
        main()
    assert not stop.value.code
    printed = json.loads(capsys.readouterr().out)
    assert printed | json.loads(json.dumps(measured)) == printed
    wanted = {"prompts": 2, "tokens": 12, "rounds": 1, "device": "cpu", "precisions": ("fp32",), "generated": None}
    assert {name: asked[name] for name in wanted} == wanted
