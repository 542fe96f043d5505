"""Rerankers that order passages by relevance to a query: monoT5 and duoT5."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from exam_core.errors import GraderError
from exam_core.grading.prompt import Prompt
from exam_core.grading.t5.engine import Batches, padded
from exam_core.grading.t5.models import Loaded
from exam_core.grading.t5.torch_settings import computing
from exam_core.grading.t5.truncation import Fitted, fit_all

TRUE, FALSE = "▁true", "▁false"
"""Tokens that the checkpoints of the papers were trained to answer with."""
MAX_TOKENS = 512


def mono_scores(
    loaded: Loaded,
    pairs: Sequence[tuple[str, str]],
    *,
    batch_tokens: int | None = None,
    answers: tuple[str, str] = (TRUE, FALSE),
    max_tokens: int = MAX_TOKENS,
) -> NDArray[np.float64]:
    """(pairs,) log-probability that a passage is relevant to its query, against not relevant, at most 0.

    `pairs` are query and passage, which is cut to the room that the query leaves; `batch_tokens` are the tokens of a
    batch, padding counted, None for as many as suit the device; `answers` the model's tokens for relevant and not
    relevant. Raises GraderError where the tokenizer lacks one of them, or a query leaves no room for its passage.

    Source: Nogueira et al. 2020, Document Ranking with a Pretrained Sequence-to-Sequence Model, section 3.
    """
    prompts = [Prompt(f"Query: {query} Document: ", passage, " Relevant:", query) for query, passage in pairs]
    return _first_step(loaded, fit_all(loaded.tokenizer, prompts, max_tokens), answers, batch_tokens)


def duo_scores(
    loaded: Loaded,
    query: str,
    passages: Sequence[str],
    *,
    batch_tokens: int | None = None,
    answers: tuple[str, str] = (TRUE, FALSE),
    max_tokens: int = MAX_TOKENS,
) -> NDArray[np.float64]:
    """(passages,) how often each is more relevant than the others of its query, in [0, 2 (n - 1)]; 0 for one alone.

    Every ordered pair of passages is compared: p[i, j] is the probability that i is more relevant than j. A passage's
    score is the sum over all others j of p[i, j] + (1 - p[j, i]), so that a preference for the passage that comes first
    cancels out. n passages take n (n - 1) comparisons; the paper reranks the first 50. The two passages of a comparison
    are each cut to half of the room that the query leaves. Options and errors are those of `mono_scores`.

    Source: Pradeep et al. 2021, The Expando-Mono-Duo Design Pattern, section 3.3, SYM-SUM.
    """
    count = len(passages)
    pairs = [(i, j) for i in range(count) for j in range(count) if i != j]
    likely = np.zeros((count, count))
    if pairs:
        fitted = _duels(loaded, query, passages, pairs, max_tokens)
        likely[tuple(zip(*pairs, strict=True))] = np.exp(_first_step(loaded, fitted, answers, batch_tokens))
    return likely.sum(axis=1) + (count - 1 - likely.sum(axis=0))


def _duels(
    loaded: Loaded, query: str, passages: Sequence[str], pairs: Sequence[tuple[int, int]], max_tokens: int
) -> list[Fitted]:
    """Return prompts that compare two passages, both cut at the same length."""
    tokenizer = loaded.tokenizer
    head, middle, tail = (
        tokenizer(text, add_special_tokens=False).input_ids
        for text in (f"Query: {query} Document0:", "Document1:", "Relevant:")
    )
    end = [tokenizer.eos_token_id]
    room = (max_tokens - len(head) - len(middle) - len(tail) - len(end)) // 2
    if room < 1:
        raise GraderError(f"The query leaves no room for two passages in {max_tokens} tokens: {query[:200]}")
    longer = tokenizer(list(passages), add_special_tokens=False, verbose=False).input_ids
    cut = [ids[:room] for ids in longer]
    return [
        Fitted(head + cut[i] + middle + cut[j] + tail + end, len(longer[i]) > room or len(longer[j]) > room)
        for i, j in pairs
    ]


def _first_step(
    loaded: Loaded, fitted: Sequence[Fitted], answers: tuple[str, str], batch_tokens: int | None
) -> NDArray[np.float64]:
    """Return the log-probability of the first answer against the second, as the first word after each prompt."""
    known = loaded.tokenizer.get_vocab()
    if unknown := [token for token in answers if token not in known]:
        raise GraderError(
            f"The tokenizer of {loaded.name} has no token {', '.join(unknown)}: it is not a reranker of this kind. "
            "Take a monoT5 or duoT5 model, or name the tokens that it answers with."
        )
    tokens = [known[token] for token in answers]
    scores = np.empty(len(fitted))

    def read(batch: list[int]) -> NDArray[np.float64]:
        """Run the encoder and one step of the decoder."""
        rows = [fitted[place].ids for place in batch]
        ids, mask = padded(rows, loaded.tokenizer.pad_token_id, loaded.device)
        start = torch.full((len(rows), 1), loaded.model.config.decoder_start_token_id, device=loaded.device)
        with computing(loaded.precision):
            output = loaded.model(input_ids=ids, attention_mask=mask, decoder_input_ids=start, use_cache=False)
            shares: NDArray[np.float64] = output.logits[:, 0, tokens].double().log_softmax(dim=-1)[:, 0].cpu().numpy()
        return shares

    for batch, shares in Batches(loaded.device, batch_tokens).of([len(prompt.ids) for prompt in fitted], read):
        scores[batch] = shares
    return scores
