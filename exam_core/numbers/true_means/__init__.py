"""What rank correlations, and ranks, would be with endless queries: true means drawn from a model of the observed ones.

README.md beside this file has the model, what was tried, and how often its intervals hold.
"""

from exam_core.numbers.true_means.intervals import (
    ENDS_IN_WORDS,
    ORDERED,
    RBO_QUERIES,
    TrueCorrelations,
    is_same,
    true_correlations,
)
from exam_core.numbers.true_means.modelled import FEWEST
from exam_core.numbers.true_means.ranks import rank_intervals

__all__ = [
    "ENDS_IN_WORDS",
    "FEWEST",
    "ORDERED",
    "RBO_QUERIES",
    "TrueCorrelations",
    "is_same",
    "rank_intervals",
    "true_correlations",
]
