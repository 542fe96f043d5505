"""Types of arrays, and arrays piece by piece."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.signedinteger]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

AT_ONCE = 2**16
"""Items that are worked on together: intermediate arrays stay in a processor's cache."""


def slices(items: int, step: int = AT_ONCE) -> Iterator[slice]:
    """Slices of at most `step` that together cover so many items.

    >>> [(part.start, part.stop) for part in slices(5, 2)]
    [(0, 2), (2, 4), (4, 5)]
    """
    return (slice(start, min(start + step, items)) for start in range(0, items, step))
