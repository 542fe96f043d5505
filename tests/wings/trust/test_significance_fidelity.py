"""Fidelity of significance: against scipy pair by pair, by hand, and the figures of DL19."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from exam_core.analysis.choosing import choose
from exam_core.analysis.references import judged_by
from exam_core.analysis.values import counted_values
from exam_core.errors import UsageError
from exam_core.request import Request
from exam_core.wings.trust import fidelity as module
from exam_core.wings.trust.fidelity import VERDICTS, fidelity
from tests.analysis.boards import both, with_board

GRADER = "google/flan-t5-large.QuestionSelfRatedUnanswerablePromptWithChoices"
EXAM = Request("P@20", grader=GRADER, tau=4)


def told_apart(values):
    """By pair: 1 or -1 where the first run is better or worse by a paired t-test and Holm's steps, else 0."""
    pairs = list(combinations(range(len(values)), 2))
    p = {}
    for one, other in pairs:
        same = np.array_equal(values[one], values[other])
        p[one, other] = 1.0 if same else stats.ttest_rel(values[one], values[other]).pvalue
    found = dict.fromkeys(pairs, 0)
    for step, pair in enumerate(sorted(pairs, key=p.__getitem__)):
        if p[pair] * (len(pairs) - step) >= 0.05:
            break
        found[pair] = 1 if values[pair[0]].mean() > values[pair[1]].mean() else -1
    return found


def slow_fidelity(snapshot, asked, reference):
    ours, theirs = (counted_values(snapshot, choose(snapshot, one)) for one in (asked, reference))
    assert (ours.run_ids, ours.query_ids) == (theirs.run_ids, theirs.query_ids)
    mine, other = told_apart(ours.values), told_apart(theirs.values)
    verdicts = dict.fromkeys(VERDICTS, 0)
    for pair, sign in mine.items():
        name = {(True, True): "both", (True, False): "board_only", (False, True): "reference_only"}.get(
            (bool(sign), bool(other[pair])), "neither"
        )
        verdicts["opposite" if name == "both" and sign != other[pair] else name] += 1
    best = np.argsort(-theirs.values.mean(axis=1).round(9), kind="stable")[:10]
    kendall = stats.kendalltau(ours.values.mean(axis=1)[best].round(9), theirs.values.mean(axis=1)[best].round(9))
    return verdicts, kendall.statistic


def test_pairs_are_told_apart_as_by_scipy_pair_by_pair(dl19):
    judged = Request("nDCG@10", judgments="official")
    found = fidelity(dl19, choose(dl19, EXAM.but(reference="qrels:nDCG@10")))
    verdicts, kendall = slow_fidelity(dl19, EXAM, judged)
    assert found.rows.loc[0, list(VERDICTS)].to_dict() == verdicts
    assert found.kendall_top == pytest.approx(kendall)


def test_humans_tell_291_pairs_of_dl19_apart_and_exam_78_of_which_77_agree_each_with_its_verdict(dl19):
    found = fidelity(dl19, choose(dl19, EXAM.but(reference=judged_by(EXAM))))
    row = found.rows.set_index("adjustment").loc["Holm"]
    assert (found.reference, found.n, found.queries) == ("qrels:P@20:relevant_from=2", 37, 43)
    assert row[["pairs", "reference", "board", "both", "board_only", "opposite"]].tolist() == [666, 291, 78, 77, 1, 0]
    assert (row["found"], row["confirmed"]) == (77 / 291, 77 / 78)
    assert (round(found.kendall, 3), round(found.kendall_top, 3)) == (0.861, 0.791)


def test_each_pair_has_its_verdict_and_the_better_run_by_the_reference_first(dl19):
    found = fidelity(dl19, choose(dl19, EXAM.but(reference="qrels:P@20")))
    counts = found.rows.set_index("adjustment").loc["Holm"]
    assert found.pairs["verdict"].value_counts().to_dict() == {name: counts[name] for name in VERDICTS if counts[name]}
    assert (found.pairs["reference_difference"] >= 0).all()
    alone = found.pairs.iloc[0]
    assert (alone["verdict"], alone["run_a"], alone["run_b"]) == ("board_only", "srchvrs_ps_run3", "UNH_bm25")
    assert alone["p_holm"] < 0.05 < alone["reference_p_holm"]


# Three runs a, b, c. Means of the grader 3, 2, 1, of the reference 1, 3, 2; what tests tell apart is given.
#   a b: by both, the grader has a first and the reference b: opposite
#   a c: by the grader alone   b c: by the reference alone
def test_the_verdicts_by_hand():
    p = np.array([[1, 0.01, 0.01], [0.01, 1, 0.2], [0.01, 0.2, 1]])
    reference_p = np.array([[1, 0.01, 0.3], [0.01, 1, 0.01], [0.3, 0.01, 1]])
    found = module._verdicts(p, reference_p, np.array([3.0, 2, 1]), np.array([1.0, 3, 2]))
    assert found.tolist() == ["opposite", "board_only", "reference_only"]
    untested = np.array([[1, np.nan], [np.nan, 1]])
    assert module._verdicts(untested, untested, np.array([1.0, 2]), np.array([1.0, 2])).tolist() == ["neither"]


def test_a_leaderboard_without_values_by_query_is_refused(dl19):
    with pytest.raises(UsageError, match="official has no values by query, which tests need"):
        fidelity(dl19, choose(dl19, EXAM.but(reference="official")))


@pytest.mark.parametrize(
    ("measure", "reference"), [("P@20", "qrels:P@20:relevant_from=2"), ("Cover@20", "qrels:nDCG@10:relevant_from=2")]
)
def test_the_same_measure_over_the_judgments_is_compared_with_where_they_have_it(measure, reference):
    assert judged_by(Request(measure)) == reference


def test_a_leaderboard_with_values_by_query_serves_as_the_computed_one(demo_store, tmp_path):
    computed, imported = both(with_board(demo_store, tmp_path).snapshot("demo"), fidelity)
    pd.testing.assert_frame_equal(imported.rows, computed.rows)
    pd.testing.assert_frame_equal(imported.pairs, computed.pairs, atol=1e-9)
