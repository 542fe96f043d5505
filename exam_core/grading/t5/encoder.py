"""T5's encoder: what transformers' computes, with the distances' weights and the mask made once for all layers."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn.functional import pad

from exam_core.grading.t5.layers import Layers, norm


def encode(layers: Layers, tokens: Tensor, mask: Tensor | None) -> Tensor:
    """The last hidden state of prompts.

    Parameters
    ----------
    tokens : (rows, longest), token ids
    mask : (rows, longest), true where there is a token; None where no row is padded

    Returns
    -------
    (rows, longest, d_model); what stands where no token is has no meaning

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
