"""What is taken where nobody says. Every room may take it.

Light to load: the command line's help names these without loading what works with them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from exam_core import numbers
from exam_core.addresses import local_path

DEFAULT_STORE = "store"
"""Folder of the store where neither --store nor $EXAMBOARD_STORE names one."""


def default_store() -> Path:
    """The store that $EXAMBOARD_STORE names, else ./store. Raises UsageError for an address."""
    return local_path(Path(os.environ.get("EXAMBOARD_STORE") or DEFAULT_STORE))


DRAWS, SEED = numbers.DRAWS, numbers.SEED

SHUFFLES = 1000
"""Shuffles of vital and okay nuggets, as in section 7 of the POURPRE paper."""

SPLITS = 200
"""Random halves of the queries that choose a tau."""


@dataclass(frozen=True)
class Sampling:
    """How much is drawn, and from which seed."""

    draws: int = DRAWS
    seed: int = SEED
    splits: int = SPLITS


DEFAULT_MEASURES = ("AP", "nDCG@20", "Rprec", "Cover@20")
"""Columns of a grid."""

LABEL_RANKS = (1, 2, 5)
"""Label ranks of a grid: the best grade, the second best, and half of a bank with ten questions a query."""

TOP_RUNS = 5
"""A redrawn leaderboard counts how often a run is among so many first ones."""

BEST_RUNS = 10
"""Runs at the top of a reference whose order is looked at by itself."""

TOP_CAUSES = 10
"""An explanation lists so many queries, questions and passages."""

EMBEDDED = ("demo", "demo-nuggets", "demo-answers", "car-y3-published")
"""Names of the collections that `demo` builds."""
