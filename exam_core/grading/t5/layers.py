"""The layers that T5's encoder and decoder are made of, in few passes over memory; the weights are a loaded model's.

On a processor, products of fp32 matrices go through oneDNN with the weights in its own layout, and what follows a
product (activation, gate, residual) is done while its result is at hand. Measured on one core of an AMD EPYC against
torch's own products: 1.2 times as fast for a batch of prompts, 1.3 to 2.5 times for the few rows of a decoder's step.
The price is a second copy of the weights. It is fp32 all the same; only the order of sums is another.

On a card, products of fp32 matrices go through its tensor cores, which read 11 bits of a number's 24: each number is
the sum of two that they read whole, and of the four products of such sums the three that matter are added up (3xTF32:
Ootomo and Yokota 2022, doi:10.1177/10943420221090256). The price is three more copies of the weights.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import gelu, linear, rms_norm, scaled_dot_product_attention
from transformers.activations import NewGELUActivation


class Layers:
    """A loaded T5, ready to multiply.

    Parameters
    ----------
    model : T5ForConditionalGeneration; its weights must not change any more
    precision : fp32, tf32 or bf16
    """

    def __init__(self, model: Any, precision: str) -> None:
        self.model = model
        self.precision = precision
        """What `computing` has to be told."""
        self._laid_out: dict[int, Tensor] = {}
        self._in_thirds: dict[int, Tensor] = {}
        products = [module for module in model.modules() if isinstance(module, torch.nn.Linear)]
        if model.device.type == "cpu" and model.dtype == torch.float32 and _has_onednn():
            self._laid_out = {id(one): torch.ops.mkldnn._reorder_linear_weight(one.weight.detach()) for one in products}
        if precision == "fp32" and _has_tensor_cores(model.device) and _has_room(products):
            self._in_thirds = {id(one): _whole_rest_whole(one.weight.detach()) for one in products}
            self.precision = "tf32"

    def ready(self, values: Tensor) -> Tensor:
        """Values of (..., in) as `product` and `product_plus` take them; many matrices may multiply them."""
        return _rest_whole_whole(values) if self._in_thirds else values

    def product(self, matrix: Any, ready: Tensor) -> Tensor:
        """Values that are ready times a matrix without bias: (..., out)."""
        laid_out = self._laid_out.get(id(matrix))
        if laid_out is None:
            return linear(ready, self._weight(matrix))
        product: Tensor = torch.ops.mkldnn._linear_pointwise(ready, laid_out, None, "none", [], "")
        return product

    def product_plus(self, matrix: Any, ready: Tensor, residual: Tensor) -> Tensor:
        """The product, added to a residual of the same shape, which may be overwritten."""
        laid_out = self._laid_out.get(id(matrix))
        if laid_out is None:
            total = residual.view(-1, residual.shape[-1])
            return total.addmm_(ready.flatten(0, -2), self._weight(matrix).T).view_as(residual)
        added: Tensor = torch.ops.mkldnn._linear_pointwise.binary(ready, residual, laid_out, None, "add")
        return added

    def _weight(self, matrix: Any) -> Tensor:
        weight: Tensor = self._in_thirds.get(id(matrix), matrix.weight)
        return weight

    def feed_forward(self, layer: Any, hidden: Tensor) -> Tensor:
        """Hidden states after the feed-forward part of a block (T5LayerFF), residual included."""
        dense = layer.DenseReluDense
        ready = self.ready(norm(layer.layer_norm, hidden))
        if not hasattr(dense, "wi_0"):
            gated = dense.act(self.product(dense.wi, ready))
        elif not isinstance(dense.act, NewGELUActivation):
            gated = dense.act(self.product(dense.wi_0, ready)) * self.product(dense.wi_1, ready)
        else:
            gated = self._gated_gelu(dense, ready)
        return self.product_plus(dense.wo, self.ready(gated), hidden)

    def _gated_gelu(self, dense: Any, ready: Tensor) -> Tensor:
        first, second = self._laid_out.get(id(dense.wi_0)), self._laid_out.get(id(dense.wi_1))
        if first is None or second is None:
            return gelu(self.product(dense.wi_0, ready), approximate="tanh") * self.product(dense.wi_1, ready)
        gate = torch.ops.mkldnn._linear_pointwise(ready, first, None, "gelu", [], "tanh")
        gated: Tensor = torch.ops.mkldnn._linear_pointwise.binary(ready, gate, second, None, "mul")
        return gated

    def keys_and_values(self, attention: Any, ready: Tensor) -> tuple[Tensor, Tensor]:
        """What can be attended to: two of (rows, heads, n, width)."""
        keys, values = self.product(attention.k, ready), self.product(attention.v, ready)
        return _heads(keys, attention), _heads(values, attention)

    def attend(
        self, attention: Any, ready: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None, hidden: Tensor
    ) -> Tensor:
        """Hidden states after attention, residual included.

        Parameters
        ----------
        ready : (rows, n, d_model) made ready, what asks
        keys, values : (rows, heads, m, width)
        mask : what is added to the scores of (rows, heads, n, m), or bool: who sees whom
        hidden : (rows, n, d_model), the residual, which may be overwritten
        """
        asked = _heads(self.product(attention.q, ready), attention)
        # T5 doesn't scale the product of query and key.
        found = scaled_dot_product_attention(asked, keys, values, attn_mask=mask, scale=1.0)
        return self.product_plus(attention.o, self.ready(found.transpose(1, 2).flatten(2)), hidden)


def norm(layer: Any, hidden: Tensor) -> Tensor:
    """T5's layer norm: no mean, no bias."""
    return rms_norm(hidden, layer.weight.shape, layer.weight, layer.variance_epsilon)


def _rest_whole_whole(values: Tensor) -> Tensor:
    """Numbers of (..., n) as (..., 3 n): what tensor cores don't read of them, then twice what they read."""
    n = values.shape[-1]
    three = values.new_empty(*values.shape[:-1], 3 * n)
    three[..., n : 2 * n] = three[..., 2 * n :] = _read_whole(values)
    torch.sub(values, three[..., n : 2 * n], out=three[..., :n])
    return three


def _whole_rest_whole(weight: Tensor) -> Tensor:
    """Weights of (out, in) as (out, 3 in): what meets each part of `_rest_whole_whole`."""
    whole = _read_whole(weight)
    return torch.cat([whole, weight - whole, whole], dim=1)


def _read_whole(values: Tensor) -> Tensor:
    """The nearest numbers of 11 bits."""
    return ((values.view(torch.int32) + 0x1000) & -0x2000).view(torch.float32)


def _has_tensor_cores(device: torch.device) -> bool:
    """Whether fp32 products can go through them: on cards since Ampere."""
    return device.type == "cuda" and torch.cuda.get_device_capability(device) >= (8, 0)


def _has_room(products: list[Any]) -> bool:
    """Whether three copies more of these weights take less than half of a card's free memory."""
    size: int = sum(one.weight.nbytes for one in products)
    return 3 * size < free_memory(products[0].weight.device) / 2


def free_memory(card: torch.device) -> int:
    """Bytes that torch can still give out on a card, with those that it holds in reserve."""
    free, _ = torch.cuda.mem_get_info(card)
    return int(free + torch.cuda.memory_reserved(card) - torch.cuda.memory_allocated(card))


def _heads(projected: Tensor, attention: Any) -> Tensor:
    """(rows, n, heads * width) as (rows, heads, n, width)."""
    split = projected.view(*projected.shape[:-1], attention.n_heads, attention.key_value_proj_dim)
    return split.transpose(1, 2)


def _has_onednn() -> bool:
    """Whether this build of torch has the operations; they are its compiler's, and have no public name."""
    return all(hasattr(torch.ops.mkldnn, name) for name in ("_reorder_linear_weight", "_linear_pointwise"))
