"""Every grading mode on real passages and questions: our engine's grades are those of transformers alone."""

import numpy as np
import pytest
import torch
from grading import tiny
from grading.plain import generated, marked
from thoroughly import thoroughly
from transformers import T5ForConditionalGeneration, T5ForQuestionAnswering

from exam_core.grading.answerers import local
from exam_core.grading.modes.papers import MODES
from exam_core.grading.options import GradingOptions
from exam_core.grading.t5.models import load
from exam_core.jobs.ordering import Order
from exam_core.jobs.task import Task
from exam_core.store import Store
from tests.wings import rows_added

ITEMS = 12
CITED = rows_added("CITED")
"""Collections whose passages are cited, which a mode grades."""
ASKED = [name for name, mode in MODES.items() if mode.item != "citation" or CITED]
SAYS = ("1", "2", "3", "4", "5", "Yes", "No", "yes", "no", "true", "false")


@pytest.fixture(scope="module")
def items(demo_store):
    """For each mode what it asks of the demo collection, from all over it."""
    return {name: items_of(Store(demo_store), MODES[name]) for name in ASKED}


def items_of(store, mode):
    collection, bank = (CITED[0], None) if mode.item == "citation" else ("demo", "manual")
    task = Task(store, Order(collection, mode.name, GradingOptions("none"), bank=bank if mode.asks_a_bank else None))
    places = np.linspace(0, len(task) - 1, ITEMS).astype(int)
    return [task.asked(slice(place, place + 1))[0] for place in places]


@pytest.fixture(scope="module")
def tokenizer(items):
    """One token for each word that is asked, so that prompts are as long as for T5 itself."""
    prompts = [MODES[name].prompt(one) for name, asked in items.items() for one in asked]
    words = {word for prompt in prompts for word in (prompt.head + prompt.context + prompt.tail).split()}
    made = tiny.tokenizer(sorted(words.union(SAYS) - {"0"}))
    made.add_special_tokens({"cls_token": "<cls>"})
    return made


@pytest.fixture(scope="module")
def models(tmp_path_factory, tokenizer, items):
    """A model that writes and one that marks, untrained: in our engine, and as transformers has it."""
    folder = tmp_path_factory.mktemp("models")
    texts = [f"{one.question_text} {one.passage_text[:400]}" for one in items["qa"]]
    tiny.save(folder / "generate", writer(tokenizer, texts), tokenizer)
    tiny.save(folder / "extract", marker(tokenizer), tokenizer)
    return {
        kind: (
            local(GradingOptions(str(folder / kind), device="cpu", batch_tokens=2_000), kind),
            load(str(folder / kind), kind, device="cpu"),
        )
        for kind in ("generate", "extract")
    }


@torch.no_grad()
def writer(tokenizer, texts):
    """Says grades and the like. Which ones depends on how a text differs from the others; after one the end is near."""
    torch.manual_seed(1)
    model = T5ForConditionalGeneration(tiny.config(vocab_size=len(tokenizer))).eval()
    said = tokenizer.convert_tokens_to_ids(["▁", "0", *(f"▁{word}" for word in SAYS)])
    width = model.config.d_model
    # What the embeddings of all answers have in common is what the end listens to.
    common = torch.nn.functional.normalize(torch.randn(width), dim=0) * width**0.5
    model.shared.weight[said] += common
    for block in model.decoder.block:
        block.layer[1].EncDecAttention.o.weight *= 4
    batch = tokenizer(texts, padding=True, return_tensors="pt")
    start = torch.zeros((len(texts), 1), dtype=torch.long)
    first = model(**batch, decoder_input_ids=start, output_hidden_states=True).decoder_hidden_states[-1][:, 0]
    usual = torch.nn.functional.normalize(first.mean(dim=0), dim=0)
    words = torch.randn(len(said), width)
    head = torch.zeros(len(tokenizer), width)
    head[said] = words - (words @ usual)[:, None] * usual
    head[tokenizer.eos_token_id] = common * 2
    model.lm_head.weight = torch.nn.Parameter(head)
    return model


@torch.no_grad()
def marker(tokenizer):
    torch.manual_seed(1)
    model = T5ForQuestionAnswering(tiny.config(vocab_size=len(tokenizer)))
    model.qa_outputs.weight *= 30
    return model


def told(engine, prompts):
    answers = dict(engine.answers(prompts))
    return [str(answers[place].text) for place in range(len(prompts))]


@pytest.mark.parametrize("name", [*ASKED[::3], *thoroughly(*(name for place, name in enumerate(ASKED) if place % 3))])
def test_grades_are_those_of_transformers_alone(name, items, models):
    mode, asked = MODES[name], items[name]
    engine, plain = models[mode.kind]
    prompts = [mode.prompt(one) for one in asked]
    texts = told(engine, prompts)
    expected = [marked(plain, one) for one in prompts] if mode.kind == "extract" else generated(plain, prompts)
    assert texts == expected
    assert len(set(texts)) > 1, "the answers are too much alike to show anything"
    if mode.verifier != "llm":
        verdicts = [mode.read(text, one) for text, one in zip(texts, asked, strict=True)]
        assert verdicts == [mode.read(text, one) for text, one in zip(expected, asked, strict=True)]
        return
    questions = [mode.verify_prompts(text, one) for text, one in zip(texts, asked, strict=True)]
    engine, plain = models["generate"]
    flat = [prompt for prompts in questions for prompt in prompts]
    verdicts = verified(mode, told(engine, flat), questions)
    assert verdicts == verified(mode, generated(plain, flat), questions)
    assert {verdict.grade for verdict in verdicts} & {0, 1}


def verified(mode, replies, questions):
    waiting = iter(replies)
    return [mode.verdict([next(waiting) for _ in about_one]) for about_one in questions]
