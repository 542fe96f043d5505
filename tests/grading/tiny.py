"""Models of a few thousand weights, made on the spot: real classes of transformers, no download.

The trained one knows a task by halves: "rate" asks how many words of RATED the passage has (0 to 5), "answer" asks for
the words that belong to a word. A part of what it was taught is wrong, so that its second thoughts are close.
"""

import random
import string
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import torch
from transformers import T5Config, T5ForConditionalGeneration, T5ForQuestionAnswering, T5Tokenizer

from exam_core.grading.prompt import Prompt

WORDS = """
    river water mountain snow desert sand ocean wave storm cloud forest tree animal plant cell energy light sound heat
    metal stone glass paper wood bridge road train ship engine king queen law vote war peace trade market money bank
    bread milk salt sugar fruit root leaf seed heart blood bone brain lung
""".split()
RATED = frozenset(WORDS[::5])
STEPS = 200
KINDS: dict[str, dict[str, Any]] = {
    "v1.1": {},
    "v1.0": {"feed_forward_proj": "relu", "tie_word_embeddings": True},
    "gated, another activation": {"feed_forward_proj": "gated-silu"},
    "few distances": {"relative_attention_num_buckets": 8, "relative_attention_max_distance": 20},
}
"""Changes of the configuration that models have."""
_OTHER = """
    the of and to in is that it for was on are with as by at from or an be this which can many much true false yes no
    what why how who when where question context passage query document relevant rate answer text not between
    unanswerable nothing
""".split()


def tokenizer(words: Iterable[str] = (*WORDS, *_OTHER, *"12345")) -> T5Tokenizer:
    """T5's own kind: pad 0, </s> 1, <unk> 2, no <cls>; "0" is two tokens and "1" to "5" are one, as in T5's own."""
    pieces = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -6.0)]
    pieces += [(f"▁{word}", -4.0) for word in dict.fromkeys(words)]
    pieces += [(character, -8.0) for character in string.ascii_letters + string.digits + string.punctuation]
    return T5Tokenizer(vocab=pieces, extra_ids=0)


def config(**changes: Any) -> T5Config:
    """FLAN-T5's shape, very small: gated GELU, a head of its own; `changes` make it another."""
    shape: dict[str, Any] = {
        "vocab_size": len(tokenizer()),
        "d_model": 32,
        "d_kv": 8,
        "d_ff": 64,
        "num_layers": 2,
        "num_heads": 4,
        "feed_forward_proj": "gated-gelu",
        "tie_word_embeddings": False,
        "decoder_start_token_id": 0,
        "dropout_rate": 0.0,
    }
    return T5Config(**(shape | changes))


def random_t5(seed: int = 1, **changes: Any) -> T5ForConditionalGeneration:
    """Untrained weights from a seed. Its answers are noise and rarely end by themselves."""
    torch.manual_seed(seed)
    settings = config(**changes)
    model = T5ForConditionalGeneration(settings)
    if not settings.scale_decoder_outputs:  # a new model ties its head even where a loaded FLAN-T5 doesn't
        model.lm_head.weight = torch.nn.Parameter(torch.randn_like(model.shared.weight) * 0.3)
    model.train(mode=False)
    return model


def extractive_t5(seed: int = 1, **changes: Any) -> T5ForQuestionAnswering:
    """Untrained span reader."""
    torch.manual_seed(seed)
    model = T5ForQuestionAnswering(config(**changes))
    model.train(mode=False)
    return model


@cache
def trained_t5() -> T5ForConditionalGeneration:
    """The FLAN-shaped one after some hundred steps on `asked`; treat it as read-only."""
    words = tokenizer()
    model = random_t5()
    model.train()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-2, total_steps=STEPS)
    draw = random.Random(0)
    for _ in range(STEPS):
        lessons = [asked(draw, wrong=0.1) for _ in range(40)]
        batch = words([prompt.head + prompt.context for prompt, _ in lessons], padding=True, return_tensors="pt")
        labels = words([answer for _, answer in lessons], padding=True, return_tensors="pt").input_ids
        loss = model(**batch, labels=labels.masked_fill(labels == words.pad_token_id, -100)).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    model.train(mode=False)
    return model


def asked(draw: random.Random, wrong: float = 0.0) -> tuple[Prompt, str]:
    """A prompt of the task with its answer, which is right but for a share of `wrong`."""
    passage = draw.choices(WORDS, k=draw.randint(3, 20))
    if draw.random() < 0.6:
        rating = min(5, sum(word in RATED for word in passage))
        answer = str(draw.randint(0, 5) if draw.random() < wrong else rating)
        return Prompt(f"rate question: how many {draw.choice(WORDS)}? context: ", " ".join(passage)), answer
    place = draw.randrange(len(WORDS))
    shift = draw.choice([11, 23]) if draw.random() < 2 * wrong else 5
    partners = [WORDS[(place + step * shift) % len(WORDS)] for step in range(1, 2 + place % 3)]
    return Prompt(f"answer question: what is {WORDS[place]}? context: ", " ".join(passage)), " ".join(partners)


def prompts(count: int, seed: int = 7) -> list[Prompt]:
    """Prompts of the task, of many lengths."""
    return [asked(random.Random(seed * 1_000_003 + place))[0] for place in range(count)]


def save(folder: Path, model: Any, words: T5Tokenizer | None = None) -> Path:
    """Write model and tokenizer so that from_pretrained can load the folder."""
    model.save_pretrained(folder)
    (words or tokenizer()).save_pretrained(folder)
    return folder
