"""The released DL19 grades end to end: the papers' figures that are known to reproduce, and only those."""

import csv
import re
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from exam_core.analysis.choosing import choose
from exam_core.analysis.comparison import correlations_of
from exam_core.analysis.leaderboard import leaderboard
from exam_core.request import Request
from tests.analysis.twins import agreement_of

FLAN_T5 = "google/flan-t5-large.QuestionSelfRatedUnanswerablePromptWithChoices"
COVER_TSV = "appendix/dl19-results/EXAM-Cover-leaderboard-dl19-subqueries-self-rating-3.tsv"
QRELS_TSV = "appendix/dl19-results/exam-qrels-leaderboard-dl19-qrels-genq-self-rating-3.tsv"
ROUNDING = 0.0006
"""What three printed decimals may hide, and a little."""


@cache
def board(snapshot, measure, **options):
    return leaderboard(snapshot, choose(snapshot, Request(measure=measure, **({"grader": FLAN_T5} | options))))


def means(snapshot, measure, **options):
    return board(snapshot, measure, **options).rows.set_index("run_id")["mean"]


def published(path, column="exam"):
    """A column of a published leaderboard by run; the union of all runs is left out."""
    with path.open(encoding="utf-8") as file:
        lines = [line for line in file if not line.startswith("based on")]
    rows = [row for row in csv.DictReader(lines, delimiter="\t") if row[column] and row["method"] != "_overall_"]
    scores = {row["method"]: row[column] for row in rows if row[column].replace(".", "", 1).isdigit()}
    return pd.Series(scores, dtype=float)


def rounded(correlation):
    return round(correlation.spearman, 3), round(correlation.kendall, 3)


def test_precision_at_tau_3_equals_the_published_file_for_every_run(dl19, shared_data):
    ours = means(dl19, "P@20", tau=3)
    np.testing.assert_allclose(ours, published(shared_data / QRELS_TSV)[ours.index], rtol=0, atol=ROUNDING)


def test_precision_at_tau_3_correlates_as_published(dl19):
    assert rounded(board(dl19, "P@20", tau=3).correlation) == (0.908, 0.754)


def test_cover_is_never_above_the_published_file_and_at_most_0_012_below(dl19, shared_data):
    # The published Cover was computed on more passages than the released grades hold.
    ours = means(dl19, "Cover@20", tau=3)
    below = published(shared_data / COVER_TSV)[ours.index] - ours
    assert -ROUNDING <= below.min() <= below.max() <= 0.012


def test_the_best_run_has_the_published_cover_and_standard_error_over_all_43_queries(dl19):
    actual = board(dl19, "Cover@20", tau=3)
    row = actual.rows.iloc[0]
    assert (row["run_id"], round(row["mean"], 3), round(row["stderr"], 3)) == ("TUW19-p3-f", 0.726, 0.031)
    assert (actual.rows["n_queries"].eq(43).all(), len(actual.rows), actual.correlation.n) == (True, 37, 36)
    assert [round(value, 3) for value in actual.overall] == [0.893, 0.017]


@pytest.mark.parametrize(
    ("tau", "expected"),
    [(1, (0.665, 0.469)), (2, (0.708, 0.495)), (3, (0.719, 0.535)), (4, (0.717, 0.516)), (5, (0.874, 0.676))],
)
def test_cover_correlates_with_the_official_ranks(dl19, tau, expected):
    assert rounded(board(dl19, "Cover@20", tau=tau).correlation) == expected


def test_intervals_of_four_boards_are_those_of_the_documents_and_hold_what_is_observed(dl19):
    documents = (Path(__file__).parents[2] / "benchmarks" / "intervals.md").read_text(encoding="utf-8")
    written = re.findall(
        r"^\| (Cover@20|P@20) \| (official|qrels:nDCG@10) \| 3[67] \| (.*) \|$", documents, re.MULTILINE
    )
    assert len(written) == 4
    for measure, reference, cells in written:
        asked = Request(measure, grader=FLAN_T5, tau=4, reference=reference)
        [known] = correlations_of(dl19, [choose(dl19, asked)])
        for name, cell in zip(("spearman", "kendall", "tau_ap", "rbo"), cells.split(" | "), strict=True):
            observed, *ends = [float(number) for number in re.findall(r"-?\d\.\d+", cell)]
            assert round(float(getattr(known.correlation, name)), 3) == observed
            if truth := known.truths.get(name):
                assert (truth.middle, truth.low, truth.high) == pytest.approx(ends, abs=0.02)
                assert truth.low <= observed <= truth.high
            else:
                assert (name, reference, ends) == ("rbo", "qrels:nDCG@10", [])


def test_places_that_the_file_left_out_are_counted_and_every_passage_of_the_file_is_graded(dl19):
    ungraded = board(dl19, "Cover@20", tau=3).ungraded
    # 3,649 of 37 runs x 43 queries x 20 places
    assert (ungraded.slots_missing, round(ungraded.share_at_depth, 3), ungraded.pairs) == (3649, 0.115, 0)


@pytest.mark.parametrize(
    ("label_rank", "tau", "expected", "kappa"),
    [
        (2, 1, [[1627, 1809], [874, 4950]], 0.343),
        (2, 4, [[1439, 1356], [1062, 5403]], 0.361),
        (1, 1, [[2015, 3280], [486, 3479]], 0.237),
        (1, 4, [[1892, 2633], [609, 4126]], 0.292),
    ],
    ids=["two questions, lenient", "two questions, strict", "best grade, lenient", "best grade, strict"],
)
def test_agreement_with_the_official_judgments(dl19, label_rank, tau, expected, kappa):
    choice = choose(dl19, Request(measure="P@1", grader=FLAN_T5, tau=tau, label_rank=label_rank))
    agreement = agreement_of(dl19, choice, relevant_from=2)
    assert (agreement.confusion.tolist(), round(agreement.kappa, 3)) == (expected, kappa)


# Confusion at the grader's default tau, counted in the label files themselves.
MODES = {
    "FagB": (1, [[1835, 1709], [666, 5050]]),
    "FagB_few": (1, [[1833, 1890], [668, 4869]]),
    "HELM": (1, [[1663, 1338], [838, 5421]]),
    "NuggetSelfRatedPrompt": (4, [[2191, 3895], [310, 2864]]),
    "QuestionSelfRatedUnanswerablePromptWithChoices": (4, [[2105, 2712], [396, 4047]]),
    "Sun": (1, [[1954, 2236], [547, 4523]]),
    "Sun_few": (1, [[1369, 1300], [1132, 5459]]),
    "Thomas": (1, [[2373, 4999], [128, 1760]]),
}


@pytest.mark.parametrize("mode", MODES)
def test_each_label_file_is_a_grading_mode_with_its_own_tau(dl19, mode):
    agreement = agreement_of(dl19, choose(dl19, Request(measure="P@20", grader=mode)), relevant_from=2)
    assert (agreement.tau, agreement.confusion.tolist()) == MODES[mode]
