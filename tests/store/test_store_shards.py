"""A graded file in parts: two files hold different passages of one ranking."""

import pytest

from exam_core.formats import Reading
from exam_core.formats.reading import trec_rank
from exam_core.store import Store
from exam_core.tables import RANKINGS


def part(*rows):
    """A file's part of run r on query q."""
    names, scores = zip(*rows, strict=True)
    size = len(rows)
    frame = RANKINGS.frame(
        {
            "run_id": ["r"] * size,
            "query_id": ["q"] * size,
            "doc_id": names,
            "rank": [0] * size,
            "source_rank": range(1, size + 1),
            "score": scores,
            "cut": [True] * size,
        }
    )
    frame["rank"] = trec_rank(frame)
    return Reading({"rankings": frame})


@pytest.fixture
def in_two_parts(tmp_path):
    store = Store(tmp_path)
    store.commit("c", part(("a", 4.0), ("c", 2.0), ("tie-a", 1.0)), source="workbench:first")
    store.commit("c", part(("b", 3.0), ("tie-b", 1.00000001), ("big", 1e300)), source="workbench:second")
    return store.snapshot("c")


def test_parts_of_a_ranking_are_ranked_together_and_no_two_passages_share_a_rank(in_two_parts):
    ranks = in_two_parts.frame("rankings").set_index("doc_id")["rank"].sort_values()
    assert ranks.to_dict() == {"big": 1, "a": 2, "b": 3, "c": 4, "tie-b": 5, "tie-a": 6}
