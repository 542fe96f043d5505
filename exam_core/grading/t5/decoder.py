"""T5 step by step: encoder, decoder, and the search over beams."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor
from torch.nn.functional import gelu, linear, pad, rms_norm, scaled_dot_product_attention
from transformers.activations import NewGELUActivation

PLANNED = 32
"""Lengths of prompts for which attention is planned are multiples of it."""


class Layers:
    """A loaded T5ForConditionalGeneration, ready to multiply; its weights must not change any more."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self._laid_out: dict[int, Tensor] = {}
        if model.device.type == "cpu" and model.dtype == torch.float32 and _has_onednn():
            products = [module for module in model.modules() if isinstance(module, torch.nn.Linear)]
            self._laid_out = {
                id(product): torch.ops.mkldnn._reorder_linear_weight(product.weight.detach()) for product in products
            }

        self.length_step = PLANNED if _plans_attention(model) else 1
        """Attention is planned where this is over 1: once for each number of rows and of tokens, its multiples."""

    def product(self, matrix: Any, values: Tensor) -> Tensor:
        """Values of (..., in) times a matrix without bias: (..., out)."""
        laid_out = self._laid_out.get(id(matrix))
        if laid_out is None:
            return linear(values, matrix.weight)
        return torch.ops.mkldnn._linear_pointwise(values, laid_out, None, "none", [], "")

    def product_plus(self, matrix: Any, values: Tensor, residual: Tensor) -> Tensor:
        """The product, added to a residual of the same shape, which may be overwritten."""
        laid_out = self._laid_out.get(id(matrix))
        if laid_out is None:
            total = residual.view(-1, residual.shape[-1])
            return total.addmm_(values.flatten(0, -2), matrix.weight.T).view_as(residual)
        return torch.ops.mkldnn._linear_pointwise.binary(values, residual, laid_out, None, "add")

    def feed_forward(self, layer: Any, hidden: Tensor) -> Tensor:
        """Hidden states after the feed-forward part of a block (T5LayerFF), residual included."""
        dense = layer.DenseReluDense
        normed = norm(layer.layer_norm, hidden)
        if not hasattr(dense, "wi_0"):
            return self.product_plus(dense.wo, dense.act(self.product(dense.wi, normed)), hidden)
        if not isinstance(dense.act, NewGELUActivation):
            gate = dense.act(self.product(dense.wi_0, normed))
            return self.product_plus(dense.wo, gate * self.product(dense.wi_1, normed), hidden)
        return self.product_plus(dense.wo, self._gated_gelu(dense, normed), hidden)

    def _gated_gelu(self, dense: Any, normed: Tensor) -> Tensor:
        first, second = self._laid_out.get(id(dense.wi_0)), self._laid_out.get(id(dense.wi_1))
        if first is None or second is None:
            return gelu(self.product(dense.wi_0, normed), approximate="tanh") * self.product(dense.wi_1, normed)
        gate = torch.ops.mkldnn._linear_pointwise(normed, first, None, "gelu", [], "tanh")
        return torch.ops.mkldnn._linear_pointwise.binary(normed, gate, second, None, "mul")

    def keys_and_values(self, attention: Any, values: Tensor) -> tuple[Tensor, Tensor]:
        """What can be attended to: two of (rows, heads, n, width)."""
        return _heads(self.product(attention.k, values), attention), _heads(
            self.product(attention.v, values), attention
        )

    def attend(
        self,
        attention: Any,
        normed: Tensor,
        keys: Tensor,
        values: Tensor,
        mask: Tensor | None,
        hidden: Tensor,
        planned: bool = False,
    ) -> Tensor:
        """Hidden states after attention, residual included.

        Parameters
        ----------
        normed : (rows, n, d_model), what asks
        keys, values : (rows, heads, m, width)
        mask : what is added to the scores of (rows, heads, n, m), or bool: who sees whom
        hidden : (rows, n, d_model), the residual, which may be overwritten
        planned : see `length_step`
        """
        query = _heads(self.product(attention.q, normed), attention)
        # T5 doesn't scale the product of query and key.
        if planned:
            attended = _planned_attention(query, keys, values, mask)
        else:
            attended = scaled_dot_product_attention(query, keys, values, attn_mask=mask, scale=1.0)
        return self.product_plus(attention.o, attended.transpose(1, 2).flatten(2), hidden)


def norm(layer: Any, hidden: Tensor) -> Tensor:
    """T5's layer norm: no mean, no bias."""
    return rms_norm(hidden, layer.weight.shape, layer.weight, layer.variance_epsilon)


def _heads(projected: Tensor, attention: Any) -> Tensor:
    """(rows, n, heads * width) as (rows, heads, n, width)."""
    split = projected.view(*projected.shape[:-1], attention.n_heads, attention.key_value_proj_dim)
    return split.transpose(1, 2)


def _planned_attention(query: Tensor, keys: Tensor, values: Tensor, bias: Tensor | None) -> Tensor:
    """cuDNN's, three times as fast in bf16 as what torch takes by itself; a plan takes some 70 ms."""
    return torch.ops.aten._scaled_dot_product_cudnn_attention(query, keys, values, bias, False, scale=1.0)[0]


def _plans_attention(model: Any) -> bool:
    """Whether card, cuDNN and build of torch can; only bf16 has plans, and torch can't be asked but by a trial."""
    if model.device.type != "cuda" or model.dtype != torch.bfloat16:
        return False
    tensor = torch.zeros(1, model.config.num_heads, PLANNED, model.config.d_kv, dtype=model.dtype, device=model.device)
    try:
        _planned_attention(tensor, tensor, tensor, tensor.new_zeros(1, tensor.shape[1], PLANNED, PLANNED))
    except (AttributeError, RuntimeError):
        return False
    return True


def _has_onednn() -> bool:
    """Whether this build of torch has the operations; they are its compiler's, and have no public name."""
    return all(hasattr(torch.ops.mkldnn, name) for name in ("_reorder_linear_weight", "_linear_pointwise"))


FIRST_ROOM = 32


class Decoding:
    """One batch of encoded prompts, being answered.

    Parameters
    ----------
    layers : of the model
    encoded : its encoder's last hidden state, (rows, tokens, d_model)
    mask : (rows, tokens), true where there is a token; None where no row is padded
    """

    def __init__(self, layers: Layers, encoded: Tensor, mask: Tensor | None) -> None:
        model = layers.model
        self._layers = layers
        self._head = model.lm_head
        self._decoder = model.decoder
        scaled = getattr(model.config, "scale_decoder_outputs", model.config.tie_word_embeddings)
        self._scale = model.config.d_model**-0.5 if scaled else 1.0
        self._mask = None if mask is None else mask[:, None, None, :]
        self._memory = [
            layers.keys_and_values(block.layer[1].EncDecAttention, encoded) for block in self._decoder.block
        ]
        first = self._decoder.block[0].layer[0].SelfAttention
        self._bias_of_distance = distance_bias(first)
        rows, _, _ = encoded.shape
        depth, heads, width = len(self._decoder.block), first.n_heads, first.key_value_proj_dim
        self._cache = encoded.new_empty(depth, 2, rows, heads, FIRST_ROOM, width)
        self._times = torch.empty(0, dtype=torch.long, device=encoded.device)

    @property
    def rows(self) -> int:
        """Prompts that are still in the batch."""
        return int(self._cache.shape[2])

    @property
    def device(self) -> torch.device:
        """Where the batch lies."""
        return self._cache.device

    def step(self, tokens: Tensor, times: Tensor, visible: Tensor) -> Tensor:
        """Feed tokens of each row's hypotheses.

        Parameters
        ----------
        tokens : (rows, n), what is fed
        times : (n), the place of each in its hypothesis, from 0
        visible : (rows or 1, n, all fed so far, these n last); a token sees the tokens of its path and itself

        Returns
        -------
        logits of what comes next, (rows, n, vocabulary), in float32
        """
        self._times = torch.cat([self._times, times])
        known = len(self._times)
        room = self._cache.shape[4]
        if known > room:
            more = self._cache.new_empty(*self._cache.shape[:4], max(known - room, room), self._cache.shape[5])
            self._cache = torch.cat([self._cache, more], dim=4)
        distance = (times[:, None] - self._times[None, :]).clamp(0, self._bias_of_distance.shape[1] - 1)
        bias = self._bias_of_distance[:, distance][None].masked_fill(~visible[:, None], -math.inf)
        hidden = self._decoder.embed_tokens(tokens)
        for place, block in enumerate(self._decoder.block):
            to_path, to_passage, feed_forward = block.layer
            attention = to_path.SelfAttention
            normed = norm(to_path.layer_norm, hidden)
            keys, values = self._cache[place, :, :, :, :known]
            keys[:, :, -tokens.shape[1] :], values[:, :, -tokens.shape[1] :] = self._layers.keys_and_values(
                attention, normed
            )
            hidden = self._layers.attend(attention, normed, keys, values, bias, hidden)
            normed = norm(to_passage.layer_norm, hidden)
            keys, values = self._memory[place]
            hidden = self._layers.attend(to_passage.EncDecAttention, normed, keys, values, self._mask, hidden)
            hidden = self._layers.feed_forward(feed_forward, hidden)
        logits = self._layers.product(self._head, norm(self._decoder.final_layer_norm, hidden) * self._scale)
        return logits.float()

    def keep(self, rows: Tensor) -> None:
        """Go on with these rows only."""
        self._cache = self._cache.index_select(2, rows)
        self._memory = [(keys.index_select(0, rows), values.index_select(0, rows)) for keys, values in self._memory]
        if self._mask is not None:
            self._mask = self._mask.index_select(0, rows)


def distance_bias(attention: Any) -> Tensor:
    """What T5 adds to a score for the distance of two decoded tokens: (heads, distances from 0 on).

    The first half of the buckets holds one distance each, the second half grows with the logarithm; the last distance
    given stands for all longer ones. Source: Raffel et al. 2020, section 2.1, and their mesh_tensorflow code.
    """
    buckets, furthest = attention.relative_attention_num_buckets, attention.relative_attention_max_distance
    single = buckets // 2
    distance = torch.arange(furthest + 1)
    # In float32, in this order: a bucket's edge must fall where the model's own rounding puts it.
    grown = torch.log(distance.clamp(min=1).float() / single) / math.log(furthest / single) * (buckets - single)
    bucket = torch.where(distance < single, distance, (single + grown.long()).clamp(max=buckets - 1))
    weights: Tensor = attention.relative_attention_bias.weight
    return weights[bucket.to(weights.device)].T


def encode(layers: Layers, tokens: Tensor, mask: Tensor | None) -> Tensor:
    """The last hidden state of prompts, (rows, longest, d_model); where no token is, it has no meaning.

    `tokens` are (rows, longest) ids; `mask` is true where there is a token, or None where no row is padded.

    Source: Raffel et al. 2020, section 2.1.
    """
    encoder = layers.model.encoder
    filled, planned = -tokens.shape[1] % layers.length_step, layers.length_step > 1
    if filled:
        mask = torch.ones_like(tokens, dtype=torch.bool) if mask is None else mask
        tokens, mask = pad(tokens, (0, filled)), pad(mask, (0, filled))
    longest = tokens.shape[1]
    bias = encoder.block[0].layer[0].SelfAttention.compute_bias(longest, longest, device=tokens.device).contiguous()
    if mask is not None:
        bias = bias.masked_fill(~mask[:, None, None, :], -math.inf)
    hidden: Tensor = encoder.embed_tokens(tokens)
    for block in encoder.block:
        to_each_other, feed_forward = block.layer
        attention = to_each_other.SelfAttention
        normed = norm(to_each_other.layer_norm, hidden)
        keys, values = layers.keys_and_values(attention, normed)
        hidden = layers.attend(attention, normed, keys, values, bias, hidden, planned)
        hidden = layers.feed_forward(feed_forward, hidden)
    return norm(encoder.final_layer_norm, hidden[:, : longest - filled])


def read(layers: Layers, ids: list[list[int]]) -> tuple[Tensor, Tensor | None]:
    """The encoder's last hidden state of a batch, and its mask, as `encode` and `Decoding` take it."""
    device, filler = layers.model.device, layers.model.config.pad_token_id
    longest = max(len(row) for row in ids)
    tokens = torch.tensor([row + [filler] * (longest - len(row)) for row in ids]).to(device)
    mask = None
    if any(len(row) < longest for row in ids):
        mask = torch.arange(longest)[None, :] < torch.tensor([len(row) for row in ids])[:, None]
        mask = mask.to(device)
    return encode(layers, tokens, mask), mask


NOTHING = -math.inf


class Steps(Protocol):
    """What is searched: `exam_core.grading.t5.decoder.Decoding` says what these mean."""

    @property
    def rows(self) -> int: ...

    @property
    def device(self) -> torch.device: ...

    def step(self, tokens: Tensor, times: Tensor, visible: Tensor) -> Tensor: ...

    def keep(self, rows: Tensor) -> None: ...


@dataclass(frozen=True)
class Search:
    """How to search.

    Parameters
    ----------
    beams : hypotheses that are followed; 1 is greedy
    limit : most tokens of an answer, the end token included
    start, end : token that opens, that ends an answer
    patience : after so many tokens, leave out the rows that are still open if they are less than an eighth of the
        batch: they would keep the device waiting for a few long answers; None: never
    """

    beams: int
    limit: int
    start: int
    end: int
    patience: int | None = None


@dataclass(frozen=True)
class BestAnswer:
    """The best answer to one prompt.

    Parameters
    ----------
    row : its place in the batch
    tokens : without the start token; the end token last unless the limit was reached
    score : log-likelihood over number of tokens
    margin : how far the next best finished hypothesis is behind; the next best open one where the search ended with
        one finished; None if there is no other
    """

    row: int
    tokens: list[int]
    score: float
    margin: float | None


def search(steps: Steps, how: Search) -> Iterator[BestAnswer]:
    """Find each row's best answer; rows come as they are done.

    Source: Hugging Face's `generate` (num_beams, early_stopping, length_penalty 1, no sampling), transformers 5.23.
    """
    started = steps.rows
    rows = torch.arange(started, device=steps.device)
    tokens = torch.full((len(rows), 1), how.start, device=steps.device)
    visible = torch.ones(len(rows), 1, 1, dtype=torch.bool, device=steps.device)
    scores = torch.zeros(len(rows), 1, device=steps.device)
    paths = torch.empty(len(rows), 1, 0, dtype=torch.long, device=steps.device)
    itself = torch.eye(how.beams, dtype=torch.bool, device=steps.device)
    done = _Finished.none(len(rows), how.beams, steps.device)
    for length in range(1, how.limit + 1):
        times = torch.full((tokens.shape[1],), length - 1, device=steps.device)
        chances = torch.log_softmax(steps.step(tokens, times, visible), dim=-1)
        best, places = (chances + scores[:, :, None]).flatten(1).topk(2 * how.beams)
        parents, tokens = places // chances.shape[2], places % chances.shape[2]
        paths = torch.cat([_take(paths, parents), tokens[:, :, None]], dim=2)
        ends = (tokens == how.end) | (length == how.limit)
        done = done.joined_by(best / length, paths, ends, how)

        scores, order = torch.where(ends, NOTHING, best).topk(how.beams)
        parents, tokens, paths = _take(parents, order), _take(tokens, order), _take(paths, order)
        over = _over(done, scores[:, 0], length, how)
        if over.any():
            yield from done.answers(over, rows, scores[:, 0] / length, how)
            left = (~over).nonzero()[:, 0]
            if not len(left):
                return
            steps.keep(left)
            done = _Finished(done.scores[left], done.paths[left])
            rows, scores, visible = rows[left], scores[left], visible[left]
            parents, tokens, paths = parents[left], tokens[left], paths[left]
        if how.patience is not None and length >= how.patience and len(rows) * 8 < started:
            return
        visible = torch.cat([_take(visible, parents), itself.expand(len(rows), -1, -1)], dim=2)


@dataclass(frozen=True)
class _Finished:
    """Each row's finished hypotheses, the best first.

    `scores` are (rows, beams), NOTHING where there are fewer; `paths` (rows, beams, longest), filled with the end
    token.
    """

    scores: Tensor
    paths: Tensor

    @classmethod
    def none(cls, rows: int, beams: int, device: torch.device) -> _Finished:
        """Before the first step."""
        paths = torch.empty(rows, beams, 0, dtype=torch.long, device=device)
        return cls(torch.full((rows, beams), NOTHING, device=device), paths)

    def joined_by(self, scores: Tensor, paths: Tensor, ends: Tensor, how: Search) -> _Finished:
        """The best of these and of the first `beams` of the new ones, where they end."""
        new = torch.where(ends, scores, NOTHING)[:, : how.beams]
        longer = torch.nn.functional.pad(self.paths, (0, 1), value=how.end)
        best, order = torch.cat([self.scores, new], dim=1).topk(how.beams)
        return _Finished(best, _take(torch.cat([longer, paths[:, : how.beams]], dim=1), order))

    def answers(self, over: Tensor, rows: Tensor, open_scores: Tensor, how: Search) -> Iterator[BestAnswer]:
        """The best of each row that is over; `open_scores` are the best hypotheses' that could still go on."""
        second = self.scores[:, 1] if how.beams > 1 else torch.full_like(open_scores, NOTHING)
        rivals = torch.where(second > NOTHING, second, open_scores)
        columns = (rows, self.paths[:, 0], self.scores[:, 0], rivals)
        for row, path, score, rival in zip(*(column[over].tolist() for column in columns), strict=True):
            tokens = path[: path.index(how.end) + 1] if how.end in path else path
            yield BestAnswer(row, tokens, score, score - rival if rival > NOTHING else None)


def _over(done: _Finished, open_scores: Tensor, length: int, how: Search) -> Tensor:
    """Which rows are done, (rows): nothing that could still come changes the best finished hypothesis.

    A token's log-likelihood is at most 0, so an open hypothesis can't end with more than its sum over `limit` tokens.
    """
    # The last of these ends also what has no numbers to compare (NaN).
    return (done.scores[:, -1] > NOTHING) | (open_scores / how.limit < done.scores[:, 0]) | (length == how.limit)


def _take(values: Tensor, places: Tensor) -> Tensor:
    """From each row of (rows, n, ...) the values at the places of (rows, m): (rows, m, ...)."""
    return values[torch.arange(len(values), device=values.device)[:, None], places]
