"""Batches of like length, made smaller where the memory of a device doesn't hold them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from exam_core.errors import GraderError

if TYPE_CHECKING:
    from torch import Tensor

    from exam_core.grading.models import Loaded

Part = TypeVar("Part")

BATCH_TOKENS = {"cpu": 4_096, "cuda": 32_768}


def tokens_for(device: str) -> int:
    """Tokens of a batch, padding counted, that suit such a device."""
    return BATCH_TOKENS[device.partition(":")[0]]


def by_length(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Places of all items, the longest first, in batches that have at most `budget` tokens when padded.

    A single item may exceed the budget; it is a batch of its own.
    """
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lambda place: -lengths[place]):
        if batch and lengths[batch[0]] * (len(batch) + 1) > budget:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def padded(rows: Sequence[Sequence[int]], filler: int, device: str) -> tuple[Tensor, Tensor]:
    """Token ids of rows x longest, filled at the right, and the mask that is 1 where a token is."""
    import torch

    longest = max(len(row) for row in rows)
    ids = torch.tensor([[*row, *[filler] * (longest - len(row))] for row in rows])
    mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
    return ids.to(device), mask.to(device)


def in_halves(batch: Sequence[Part], work: Callable[[Sequence[Part]], list[Tensor]]) -> list[Tensor]:
    """What `work` makes of each item; a batch that the device's memory doesn't hold is done in two halves.

    Raises
    ------
    GraderError : the memory doesn't hold one item alone
    """
    import torch

    try:
        return work(batch)
    except torch.OutOfMemoryError as error:
        if len(batch) == 1:
            raise GraderError(
                "The device's memory does not hold one prompt. Free the card, or take a smaller model, bf16 or the CPU."
            ) from error
    # Outside of the except block, so that the error no longer holds on to the tensors of the failed try.
    torch.cuda.empty_cache()
    half = len(batch) // 2
    return in_halves(batch[:half], work) + in_halves(batch[half:], work)


@contextmanager
def arithmetic(loaded: Loaded) -> Iterator[None]:
    """Without gradients, and with products of matrices as precise as the model was loaded for."""
    import torch

    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high" if loaded.precision == "tf32" else "highest")
    try:
        with torch.inference_mode():
            yield
    finally:
        torch.set_float32_matmul_precision(before)
