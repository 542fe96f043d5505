"""Work on prompts of like length together, in batches that the memory of a device holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import torch
from torch import Tensor

from exam_core.errors import GraderError
from exam_core.grading.t5.waiting import Waiting

R = TypeVar("R")

BATCH_TOKENS = {"cpu": 4_096, "cuda": 32_768}


class Batches:
    """Batches for models that read each prompt once.

    Parameters
    ----------
    device : as torch spells it
    tokens : in one batch, padding counted; None: as many as suit the device
    """

    def __init__(self, device: str, tokens: int | None = None) -> None:
        self.tokens = tokens or BATCH_TOKENS[device.partition(":")[0]]

    def of(self, lengths: Sequence[int], work: Callable[[list[int]], R]) -> Iterator[tuple[list[int], R]]:
        """Batches as places in `lengths`, the longest first, each with what `work` makes of it.

        A batch that the memory doesn't hold is done in smaller ones, and so are all after it.

        Raises GraderError where the memory doesn't hold one prompt alone.

        Parameters
        ----------
        lengths : tokens of each prompt, at least 1; one that exceeds a batch's tokens is a batch of its own
        work : raises torch.OutOfMemoryError or MemoryError where the memory doesn't hold so many
        """
        waiting = Waiting(lengths, self.tokens, beams=0)
        while batch := waiting.take():
            try:
                results = work(batch.places)
            except (torch.OutOfMemoryError, MemoryError) as error:
                if len(batch.places) == 1:
                    tokens = lengths[batch.places[0]]
                    raise GraderError(
                        f"One prompt of {tokens:,} tokens alone does not fit into the memory: {error}\n"
                        "Free the device, choose another one, or take a smaller model."
                    ) from error
                waiting.put_back(batch)
                self.tokens = waiting.budget
            else:
                yield batch.places, results
                continue
            # Only here has the error let go of the memory of the failed try.
            torch.cuda.empty_cache()


def padded(rows: Sequence[Sequence[int]], filler: int, device: str) -> tuple[Tensor, Tensor]:
    """Token ids of rows x longest, filled at the right, and the mask that is 1 where a token is."""
    longest = max(len(row) for row in rows)
    ids = torch.tensor([[*row, *[filler] * (longest - len(row))] for row in rows])
    mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
    return ids.to(device), mask.to(device)
