"""What keeps the server's memory at what it holds: few heaps, and free pages given back."""

from __future__ import annotations

import ctypes
from contextlib import suppress

FEW = 2
_M_ARENA_MAX = -8
"""In glibc's malloc.h."""


def keep_few() -> None:
    """Let all threads share a few heaps; to be called before there are threads. Other C libraries are left as they are.

    glibc gives each thread a heap of its own, up to eight for each processor. Streamlit makes a thread for each run of
    a page, so that what a page took for a moment comes to lie in all of them, and little of it can be given back.
    """
    with suppress(AttributeError, TypeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, FEW)


def give_back() -> None:
    """Give free memory back to the system; other C libraries do so by themselves, or not."""
    with suppress(AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
