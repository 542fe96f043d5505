"""T5's decoder for many hypotheses of a prompt at once: they share what depends on the prompt alone.

transformers' generate repeats a prompt for each beam, and copies the beams' keys and values as they change places.
Here a prompt stays one row. Its hypotheses are queries that attend to the row's one memory of the passage, and to the
tokens of their own path, which lie in the row's cache in the order they were decoded: who may see whom is a mask.
The weights and the arithmetic are those of the loaded model (Raffel et al. 2020; FLAN-T5: Chung et al. 2022).
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from exam_core.grading.t5.layers import Layers, norm

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
        self._make_room(known)
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

    def _make_room(self, known: int) -> None:
        room = self._cache.shape[4]
        if known > room:
            more = self._cache.new_empty(*self._cache.shape[:4], max(known - room, room), self._cache.shape[5])
            self._cache = torch.cat([self._cache, more], dim=4)


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
