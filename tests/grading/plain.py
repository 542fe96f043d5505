"""What transformers alone answers to one prompt after the other: the slow, obvious twin of our engines."""

from collections.abc import Sequence
from typing import Any

import torch

from exam_core.grading.prompt import Prompt
from exam_core.grading.t5.extractive import LONGEST_ANSWER
from exam_core.grading.t5.models import Loaded
from exam_core.grading.t5.truncation import fit_all


@torch.no_grad()
def generated(loaded: Loaded, prompts: Sequence[Prompt], *, beams: int = 5, **options: Any) -> list[str]:
    """What `generate` writes, by default with the authors' search; `options` go to generate."""
    limit = {} if options.keys() & {"max_length", "max_new_tokens"} else {"max_length": 512}
    how = {"num_beams": beams, "early_stopping": beams > 1} | limit | options
    texts = []
    for fitted in fit_all(loaded.tokenizer, prompts):
        ids = torch.tensor([fitted.ids])
        said = loaded.model.generate(ids, attention_mask=torch.ones_like(ids), **how)
        texts.append(loaded.tokenizer.decode(said[0], skip_special_tokens=True, clean_up_tokenization_spaces=False))
    return texts


@torch.no_grad()
def marked(loaded: Loaded, prompt: Prompt, *, max_tokens: int = 512, overlap: int = 128) -> str:
    """The best span of the passage: every window alone, every span in turn; empty for no answer.

    The windows are those of the tokenizer's own truncation.
    """
    encoded = loaded.tokenizer(
        (loaded.tokenizer.cls_token or "") + prompt.question,
        prompt.context,
        truncation="only_second",
        max_length=max_tokens,
        stride=overlap,
        return_overflowing_tokens=True,
        return_offsets_mapping=True,
    )
    best, null_score, words = float("-inf"), float("inf"), (0, 0)
    for part, ids in enumerate(encoded["input_ids"]):
        said = loaded.model(input_ids=torch.tensor([ids]))
        start, end = said.start_logits[0].tolist(), said.end_logits[0].tolist()
        null_score = min(null_score, start[0] + end[0])
        inside = [place for place, part_of in enumerate(encoded.sequence_ids(part)) if part_of == 1]
        offsets = encoded["offset_mapping"][part]
        for first in inside:
            for last in range(first, min(first + LONGEST_ANSWER, inside[-1] + 1)):
                if start[first] + end[last] > best:
                    best, words = start[first] + end[last], (offsets[first][0], offsets[last][1])
    return prompt.context[slice(*words)].strip() if best >= null_score else ""
