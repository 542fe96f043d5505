"""The layers that T5's encoder and decoder are made of, in few passes over memory; the weights are a loaded model's.

On a processor, products of fp32 matrices go through oneDNN with the weights in its own layout, and what follows a
product (activation, gate, residual) is done while its result is at hand. Measured on one core of an AMD EPYC against
torch's own products: 1.2 times as fast for a batch of prompts, 1.3 to 2.5 times for the few rows of a decoder's step.
The price is a second copy of the weights. It is fp32 all the same; only the order of sums is another.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import gelu, linear, rms_norm, scaled_dot_product_attention
from transformers.activations import NewGELUActivation

PLANNED = 32
"""Lengths of prompts for which attention is planned are multiples of it."""


class Layers:
    """A loaded T5, ready to multiply.

    Parameters
    ----------
    model : T5ForConditionalGeneration; its weights must not change any more
    """

    def __init__(self, model: Any) -> None:
        self.model = model
        self._laid_out: dict[int, Tensor] = {}
        if model.device.type == "cpu" and model.dtype == torch.float32 and _has_onednn():
            products = [module for module in model.modules() if isinstance(module, torch.nn.Linear)]
            self._laid_out = {id(one): torch.ops.mkldnn._reorder_linear_weight(one.weight.detach()) for one in products}

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
        asked = _heads(self.product(attention.q, normed), attention)
        # T5 doesn't scale the product of query and key.
        if planned:
            found = _planned_attention(asked, keys, values, mask)
        else:
            found = scaled_dot_product_attention(asked, keys, values, attn_mask=mask, scale=1.0)
        return self.product_plus(attention.o, found.transpose(1, 2).flatten(2), hidden)


def norm(layer: Any, hidden: Tensor) -> Tensor:
    """T5's layer norm: no mean, no bias."""
    return rms_norm(hidden, layer.weight.shape, layer.weight, layer.variance_epsilon)


def _heads(projected: Tensor, attention: Any) -> Tensor:
    """(rows, n, heads * width) as (rows, heads, n, width)."""
    split = projected.view(*projected.shape[:-1], attention.n_heads, attention.key_value_proj_dim)
    return split.transpose(1, 2)


def _planned_attention(asked: Tensor, keys: Tensor, values: Tensor, bias: Tensor | None) -> Tensor:
    """cuDNN's, three times as fast in bf16 as what torch takes by itself; a plan takes some 70 ms."""
    found: Tensor = torch.ops.aten._scaled_dot_product_cudnn_attention(asked, keys, values, bias, False, scale=1.0)[0]
    return found


def _plans_attention(model: Any) -> bool:
    """Whether card, cuDNN and build of torch can; only bf16 has plans, and torch can't be asked but by a trial."""
    if model.device.type != "cuda" or model.dtype != torch.bfloat16:
        return False
    one = torch.zeros(1, model.config.num_heads, PLANNED, model.config.d_kv, dtype=model.dtype, device=model.device)
    try:
        _planned_attention(one, one, one, one.new_zeros(1, one.shape[1], PLANNED, PLANNED))
    except (AttributeError, RuntimeError):
        return False
    return True


def _has_onednn() -> bool:
    """Whether this build of torch has the operations; they are its compiler's, and have no public name."""
    return all(hasattr(torch.ops.mkldnn, name) for name in ("_reorder_linear_weight", "_linear_pointwise"))
