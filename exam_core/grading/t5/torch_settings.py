"""How torch multiplies matrices and attends: settings of the whole process, which all models of ours share."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

_lock = threading.Lock()
_users = 0
"""Threads of ours that compute."""
_before = ("", True)
"""The settings before the first of them: precision of products, and whether cuDNN attends."""


@contextmanager
def computing(precision: str) -> Iterator[None]:
    """Without gradients, and with products as precise as a model was loaded for; several threads may be within.

    Where their precisions differ, the first thread's counts.
    """
    global _users, _before
    with _lock:
        if not _users:
            planning: bool = torch.backends.cuda.cudnn_sdp_enabled()  # type: ignore[no-untyped-call]
            _before = torch.get_float32_matmul_precision(), planning
            # cuDNN plans each new shape for some 70 ms, and nearly every step of a batch has another shape.
            torch.backends.cuda.enable_cudnn_sdp(False)
            torch.set_float32_matmul_precision("high" if precision == "tf32" else "highest")
        _users += 1
    try:
        with torch.inference_mode():
            yield
    finally:
        with _lock:
            _users -= 1
            if not _users:
                torch.set_float32_matmul_precision(_before[0])
                torch.backends.cuda.enable_cudnn_sdp(_before[1])
