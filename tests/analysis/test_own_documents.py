"""Rankings without the queries' own documents are as if no run had returned them."""

import random

import numpy as np
import pandas as pd
import pytest

from exam_core.analysis.choosing import choose
from exam_core.analysis.values import all_values, gaps
from exam_core.measures import OF_GRADES, Measure
from exam_core.request import Request
from exam_core.store import Store
from tests.analysis.worlds import store_of, world

BY = {
    "grades": {"bank": "genq", "grader": "rater", "tau": 2},
    "ranks of the files": {"bank": "genq", "grader": "rater", "tau": 2, "order": "rank"},
    "judgments": {"judgments": "official", "relevant_from": 1},
}


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """A world, and the same where some runs return a query's own document at some place."""
    frames, rng = world(3), random.Random(3)
    groups = []
    for (_, query), rows in frames["rankings"].groupby(["run_id", "query_id"], sort=False):
        rows = rows.sort_values("rank", ignore_index=True)
        if rng.random() < 0.7:
            place = rng.randrange(len(rows))
            own = rows.iloc[[place]].assign(doc_id=query)
            moved = {name: rows[name] + (rows[name] >= rows[name][place]) for name in ("rank", "source_rank")}
            rows = pd.concat([rows.assign(**moved), own])
        groups.append(rows)
    more = pd.concat(groups, ignore_index=True).astype(frames["rankings"].dtypes)
    stores = [Store(tmp_path_factory.mktemp(name)) for name in ("without", "with")]
    snapshots = [
        store_of(store.path, frames | {"rankings": rankings})
        for store, rankings in zip(stores, (frames["rankings"], more), strict=True)
    ]
    return *snapshots, stores


@pytest.mark.parametrize("options", BY.values(), ids=BY)
@pytest.mark.parametrize("depth", [3, 20, None])
def test_every_measure_is_as_if_no_run_had_returned_the_own_document(both, options, depth):
    without, ranked, _ = both
    choice = choose(without, Request(measure="Rprec", depth=depth, **options))
    names = [name for name, info in OF_GRADES.items() if "bank" in options or info.of == "labels"]
    measures = [Measure.at(name, 3) for name in names]
    expected = all_values(without, choice, measures)
    np.testing.assert_array_equal(all_values(ranked.without_own_documents(), choice, measures), expected)
    assert not np.array_equal(all_values(ranked, choice, measures), expected, equal_nan=True)
    assert gaps(ranked.without_own_documents(), choice.labelling) == gaps(without, choice.labelling)


def test_passages_below_move_up_in_both_ranks_and_runs_may_be_left_out_too(both):
    without, ranked, _ = both
    key = ["run_id", "query_id", "doc_id"]
    frames = [
        snapshot.frame("rankings").sort_values(key, ignore_index=True)
        for snapshot in (without.without(["alpha"]), ranked.without(["alpha"]).without_own_documents())
    ]
    pd.testing.assert_frame_equal(*frames)
    assert ranked.without_own_documents().without_own_documents() == ranked.without_own_documents() != ranked
