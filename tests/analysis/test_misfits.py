"""A run none of whose queries is evaluated has no value on any board; ranks that run against scores are said."""

import numpy as np
import pytest

from exam_core.analysis.choosing import choose
from exam_core.analysis.leaderboard import leaderboard
from exam_core.request import Request

from .worlds import question, store_of

FITTING = [
    ("good", query, doc, place, place, 9.0 - place, False) for query in "12" for place, doc in ((1, "a"), (2, "b"))
]
STRANGE = [("strange", query, "a", 1, 1, 1.0, False) for query in ("001", "002")]
JUDGED = [("official", "1", "a", 2), ("official", "2", "b", 1), ("official", "2", "a", 0)]
GRADED = [("rater", f"{query}/{n}", query, doc, 5 * (doc == "a")) for query in "12" for n in "xy" for doc in "ab"]
ASKED = [question(f"{query}/{n}", query, question_text="rain?") for query in "12" for n in "xy"]


def world(folder, rankings):
    """Two queries with judgments, grades and texts."""
    frames = {
        "questions": ASKED,
        "grades": GRADED,
        "judgments": JUDGED,
        "rankings": rankings,
        "passages": [("a", "rain"), ("b", "wind")],
    }
    return store_of(folder, frames)


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    return world(tmp_path_factory.mktemp("both"), FITTING + STRANGE)


def board(snapshot, **asked):
    return leaderboard(snapshot, choose(snapshot, Request(**asked)))  # type: ignore[arg-type]


BOARDS = {
    "grades": {"measure": "Cover@5", "tau": 3},
    "labels": {"measure": "nDCG@5", "tau": 3},
    "judgments": {"measure": "AP", "judgments": "official"},
    "by the files' ranks": {"measure": "P@5", "judgments": "official", "order": "rank"},
    "skipped": {"measure": "P@5", "judgments": "official", "missing": "skip"},
    "texts": {"measure": "ROUGE1"},
    "texts, pooled": {"measure": "POURPRE(average=micro)"},
}


@pytest.mark.parametrize("asked", BOARDS.values(), ids=BOARDS)
def test_a_run_with_none_of_the_queries_has_no_mean_and_no_rank_and_moves_nobody(both, asked):
    actual = board(both, **asked)
    alone = board(both.without(["strange"]), **asked).rows
    rows = actual.rows.set_index("run_id")
    assert rows.loc["strange", ["mean", "stderr", "normalised", "rank"]].isna().all()
    assert rows.loc["strange", ["n_queries", "unanswered"]].tolist() == [0, 2]
    np.testing.assert_array_equal(rows.loc[["good"], alone.columns[1:]].astype(float), alone.iloc[:, 1:].astype(float))
    (said,) = [note for note in actual.notes if "strange" in note]
    assert said.startswith("strange has no value: none of its queries is one of the 2 ")
    assert said.endswith("queries are such as 1). Ids look alike: 001 and 1 differ in zeros in front.")


def test_what_is_not_covered_counts_the_places_of_runs_that_fit_and_is_unknown_where_none_does(both, tmp_path):
    asked = {"measure": "P@2", "judgments": "official", "depth": 2}
    gaps = board(both, **asked).ungraded
    assert gaps
    assert (gaps.pairs, gaps.share_at_depth) == (1, 1 / 4)
    gaps = board(world(tmp_path, STRANGE), **asked).ungraded
    assert gaps is None


def test_many_runs_with_none_of_the_queries_are_counted(tmp_path):
    rows = [(f"r{n}", "bread", "a", 1, 1, 1.0, False) for n in range(9)]
    notes = board(world(tmp_path, rows), measure="P@5", judgments="official").notes
    assert (
        "r0 and 8 more runs have no value: none of their queries is one of the 2 judged queries "
        "(such as bread; the 2 judged queries are such as 1)."
    ) in notes


def test_ranks_that_run_against_scores_are_said_on_boards_by_score(tmp_path):
    far = [
        ("far", query, doc, place, place, float(place), False) for query in "12" for place, doc in ((1, "a"), (2, "b"))
    ]
    snapshot = world(tmp_path, FITTING + far)
    asked = {"measure": "P@1", "judgments": "official"}
    said = [note for note in board(snapshot, **asked).notes if note.startswith("Ranks contradict scores")]
    assert said == [
        "Ranks contradict scores in far (2 of 2 queries), as when smaller scores are better. Passages are ranked by "
        "score, as in trec_eval; --order rank takes the ranks of the files."
    ]
    assert not [note for note in board(snapshot, order="rank", **asked).notes if "against scores" in note]
