"""The measures of effectiveness: each file declares its own in `ROWS`."""

from exam_core.measures.effectiveness import (
    average_precision,
    bpref,
    cover,
    expected_reciprocal_rank,
    inferred_average_precision,
    intents,
    judged,
    ndcg,
    precision,
    r_precision,
    rank_biased,
    recall,
    reciprocal_rank,
    rubric,
    set_measures,
    success,
)

_FILES = (
    *(average_precision, bpref, cover, expected_reciprocal_rank, inferred_average_precision, intents, judged, ndcg),
    *(precision, r_precision, rank_biased, recall, reciprocal_rank, rubric, set_measures, success),
)
ROWS = tuple(row for file in _FILES for row in file.ROWS)
