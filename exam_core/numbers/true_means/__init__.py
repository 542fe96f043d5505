"""What rank correlations and ranks would be with endless queries, and which runs stand out: from a model of true means.

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
from exam_core.numbers.true_means.rank_intervals import drawn_ranks, rank_intervals
from exam_core.numbers.true_means.standing_out import standing_out_p

__all__ = [
    "ENDS_IN_WORDS",
    "FEWEST",
    "ORDERED",
    "RBO_QUERIES",
    "TrueCorrelations",
    "drawn_ranks",
    "is_same",
    "rank_intervals",
    "standing_out_p",
    "true_correlations",
]
