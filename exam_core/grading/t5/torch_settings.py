"""How torch multiplies matrices and attends: settings of the whole process, which all models of ours share."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch


class _Products:
    """Products of fp32 matrices and attention, while any thread of ours computes; afterwards they are as before."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._before = ("", True)

    @contextmanager
    def __call__(self, precision: str) -> Iterator[None]:
        with self._lock:
            if not self._users:
                planning: bool = torch.backends.cuda.cudnn_sdp_enabled()  # type: ignore[no-untyped-call]
                self._before = torch.get_float32_matmul_precision(), planning
                # cuDNN plans each new shape for some 70 ms, and nearly every step of a batch has another shape.
                torch.backends.cuda.enable_cudnn_sdp(False)
                torch.set_float32_matmul_precision("high" if precision == "tf32" else "highest")
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    torch.set_float32_matmul_precision(self._before[0])
                    torch.backends.cuda.enable_cudnn_sdp(self._before[1])


_products = _Products()


@contextmanager
def computing(precision: str) -> Iterator[None]:
    """Without gradients, and with products as precise as a model was loaded for; several threads may be within.

    Where their precisions differ, the first thread's counts.
    """
    with torch.inference_mode(), _products(precision):
        yield
