"""The taus side by side: a planted collection, the other analyses as twins, published figures, real DL19."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

from exam_core.analysis.choice import TAUS
from exam_core.analysis.choosing import choose
from exam_core.analysis.comparison import correlations_of
from exam_core.analysis.leaderboard import leaderboard
from exam_core.analysis.values import counted_values
from exam_core.defaults import SPLITS
from exam_core.measures import Measure
from exam_core.request import Request
from exam_core.wings.comparing import of_figures
from exam_core.wings.comparing.cutoffs import (
    COEFFICIENTS,
    CUTOFFS,
    Cutoffs,
    advice,
    advice_in_full,
    closest_taus,
    cutoffs,
    which_tau_table,
)
from tests.analysis.planted import planted
from tests.analysis.test_printed import CORRELATIONS
from tests.analysis.twins import agreement_of

FLAN_T5 = "google/flan-t5-large.QuestionSelfRatedUnanswerablePromptWithChoices"

FEW = {"draws": 20, "splits": 5}


def cover(snapshot, **options):
    return choose(snapshot, Request(measure="Cover@20", **options))


def by_tau(found, column):
    return dict(zip(found.rows["tau"], found.rows[column], strict=True))


@pytest.fixture(scope="module")
def swept(planted_world):
    return cutoffs(planted_world, cover(planted_world))


def test_the_tau_that_was_planted_is_recommended_and_the_advice_says_so_for_each_goal(swept):
    assert (swept.recommended, swept.rows["tau"][swept.rows["recommended"]].tolist()) == (3, [3])
    assert (by_tau(swept, "wins")[3], by_tau(swept, "held_out_kendall")[3], swept.chosen_kendall) == (1, 1, 1)
    own, on_all = by_tau(swept, "held_out_kendall")[1], by_tau(swept, "kendall")
    assert advice(swept, 1)["order"] == (
        f"For the order of the runs, use tau 3: best in 100% of {SPLITS} resamplings of {swept.n_queries} queries; "
        f"Kendall 1.000 with the official ranking on held-out queries (on all: {on_all[3]:.3f}); "
        f"tau 1: {own:.3f} (on all: {on_all[1]:.3f})."
    )
    assert "; tau " not in advice(swept, 3)["order"]  # nor a tau that the grader does not reach:
    assert "tau 9" not in " ".join(advice(swept, 9).values())
    assert advice_in_full(swept, 3)[-1].endswith("a mean Kendall of 1.000 on the other half.")


def of_goals(**columns):
    """Taus 1 to 3, with what serves each goal there; without more, nothing does."""
    rows = pd.DataFrame({"tau": [1, 2, 3], "wins": [0.1, 0.7, 0.2]}).reindex(columns=CUTOFFS.names)
    return Cutoffs("c", "t", "P@20", "official", rows.assign(**columns), 2 if "held_out_kendall" in columns else None)


def test_each_goal_has_the_tau_that_serves_it_best_and_the_smaller_of_equal_ones():
    found = of_goals(held_out_kendall=[0.2, 0.5, 0.5], kappa=[0.1, np.nan, 0.3], separable_t=[0.25, 0.25, 0.1])
    assert found.best == {"order": 2, "labels": 3, "differences": 1}
    assert advice(found, 1)["labels"] == "For agreement with the judges, use tau 3: kappa 0.300 (tau 1: 0.100)."
    assert advice(found, 3)["differences"] == (
        "To discriminate between runs, use tau 1: 25.0% of the pairs of runs differ significantly (tau 3: 10.0%)."
    )
    assert advice(found, 2)["differences"].endswith(
        "tau 1 and tau 2 separate equally many pairs: 25.0% of the pairs of runs differ significantly."
    )
    assert advice(found, 3)["order"].startswith("For the order of the runs, use tau 2 or tau 3: best in 70% of")
    assert closest_taus({"mode": found, "other": of_goals()}, {"mode": "Mode"}) == (
        "Closest to the official ranking on held-out queries: Mode at tau 2, Kendall 0.500."
    )
    (row,) = which_tau_table({"mode": found}).to_dict("records")
    assert list(row.values()) == ["mode", 2, 0.5, 3, 0.3, 1, 0.25]


def test_a_goal_that_no_tau_or_every_tau_serves_alike_has_no_advice():
    assert of_goals(separable_t=[0.1, 0.1, 0.1]).best == {}
    assert (advice(of_goals(), 2), advice_in_full(of_goals(), 2)) == ({}, [])
    assert which_tau_table({"mode": of_goals()})["labels_tau"].isna().all()


def test_the_asked_tau_changes_nothing_but_the_advice(planted_world):
    one, other = (cutoffs(planted_world, cover(planted_world, tau=tau), **FEW) for tau in (3, 5))
    assert one.rows.equals(other.rows)
    assert one.notes == other.notes


def test_print_has_no_advice(printed_store):
    found = of_figures.printed_cutoffs(
        printed_store.snapshot("car-y3-published"), Measure.parse("Cover@20"), bank="genq"
    )
    assert advice_in_full(found, 4) == []


@pytest.mark.parametrize("reference", ["official", "qrels:P@5", "grades:P@5:tau=2"])
def test_coefficients_and_intervals_are_those_of_correlate(random_world, reference):
    choice = cover(random_world, grader="rater")
    found = cutoffs(random_world, replace(choice, reference=reference))
    twins = correlations_of(random_world, [replace(choice, tau=tau, reference=reference) for tau in TAUS])
    for name in COEFFICIENTS:
        np.testing.assert_allclose(found.rows[name], [getattr(one.correlation, name) for one in twins], atol=1e-9)
        for part in ("low", "middle", "high"):
            expected = [getattr(one.truths[name], part) if name in one.truths else np.nan for one in twins]
            np.testing.assert_allclose(found.rows[f"{name}_{part}"], expected, atol=1e-9)
    assert found.rows["n"].tolist() == [one.correlation.n for one in twins]


def test_standard_errors_and_what_is_ungraded_or_unreadable_are_those_of_the_leaderboard(random_world):
    choice = cover(random_world, grader="rater")
    boards = [leaderboard(random_world, replace(choice, tau=tau)).rows for tau in TAUS]
    expected = [rows["stderr"].mean() for rows in boards]
    np.testing.assert_allclose(cutoffs(random_world, choice, **FEW).rows["stderr"], expected, atol=1e-12)
    choice = cover(random_world, grader="rater")
    rows, expected = cutoffs(random_world, choice, **FEW).rows, leaderboard(random_world, choice).ungraded
    assert set(rows["ungraded"]) == {expected.share_at_depth}
    assert set(rows["unreadable"]) == {expected.unreadable / expected.answers}


def test_separable_pairs_are_counted_by_bars_and_by_the_t_test_with_holm_s_adjustment(planted_world, swept):
    choice, found = cover(planted_world), by_tau(swept, "separable_bars")
    for tau in TAUS:
        rows = leaderboard(planted_world, replace(choice, tau=tau)).rows
        bars = list(zip(rows["mean"] - rows["stderr"], rows["mean"] + rows["stderr"], strict=True))
        apart = [max(a[0], b[0]) - min(a[1], b[1]) > 1e-9 for a, b in combinations(bars, 2)]
        assert found[tau] == pytest.approx(np.mean(apart))
    choice, found = cover(planted_world), by_tau(swept, "separable_t")
    for tau in (1, 5):
        values = counted_values(planted_world, replace(choice, tau=tau)).values
        p = sorted(ttest_rel(a, b).pvalue if (a != b).any() else 1.0 for a, b in combinations(values, 2))
        passed = [one * (len(p) - place) < 0.05 for place, one in enumerate(p)]
        assert found[tau] == pytest.approx([*passed, False].index(False) / len(p))


def test_kappa_is_that_of_agreement(planted_world):
    choice = cover(planted_world).labelled(label_rank=5)
    found = cutoffs(planted_world, choice, relevant_from=1, **FEW).rows
    # the fifth best grade is 3 or more exactly where the passage is judged relevant
    assert found["kappa"][2] == 1
    found = found[1:3]
    twins = [agreement_of(planted_world, replace(choice, tau=tau), relevant_from=1) for tau in found["tau"]]
    np.testing.assert_array_equal(found["kappa"], [one.kappa for one in twins])
    expected = [one.kappa_interval or (np.nan, np.nan) for one in twins]
    np.testing.assert_array_equal(found[["kappa_low", "kappa_high"]].to_numpy(), expected)


def test_a_reference_that_is_one_of_the_taus_recommends_none(planted_world):
    found = cutoffs(planted_world, replace(cover(planted_world), reference="grades:Cover@20:tau=2"), **FEW)
    assert (found.recommended, found.n_queries) == (None, 0)
    assert found.of_itself.endswith("is compared with itself: that correlation says nothing.")


def test_a_measure_without_tau_has_equal_rows_and_no_recommendation(planted_world):
    found = cutoffs(planted_world, choose(planted_world, Request(measure="nDCG@20")), **FEW)
    assert found.rows["kendall"].nunique() == 1
    assert found.recommended is None
    assert found.rows["wins"].isna().all()
    assert any("Tau does not apply to nDCG@20" in note for note in found.notes)


def test_the_taus_end_where_the_scale_of_the_grader_ends(random_world):
    found = cutoffs(random_world, choose(random_world, Request(measure="P@5", grader="labels")), **FEW)
    assert found.rows["tau"].tolist() == [1, 2]
    assert any("The scale of labels ends at 2" in note for note in found.notes)


def test_kappa_is_undefined_where_no_mapped_label_reaches_tau(random_world):
    choice = choose(random_world, Request(measure="P@5", bank="genq", label_map="5=0"))
    found = cutoffs(random_world, choice, **FEW)
    assert (found.rows["tau"].tolist(), found.rows["kappa"].isna().tolist()) == ([1], [True])


def test_without_a_reference_all_is_there_that_needs_none(tmp_path):
    snapshot = planted(tmp_path, official=False)
    found = cutoffs(snapshot, cover(snapshot), **FEW)
    assert (found.reference, found.recommended) == (None, None)
    assert found.rows[["spearman", "kendall", "n", "wins"]].isna().all(axis=None)
    assert found.rows[["stderr", "separable_t", "unreadable"]].notna().all(axis=None)
    assert any("no official leaderboard" in note for note in found.notes)


def test_without_judgments_there_is_no_kappa_and_a_note_says_so(tmp_path):
    snapshot = planted(tmp_path, judged=False)
    found = cutoffs(snapshot, cover(snapshot), **FEW)
    assert found.rows["kappa"].isna().all()
    assert any("no official judgments" in note for note in found.notes)


@pytest.mark.parametrize(
    ("collection", "measure", "tau"),
    [("dl19-published", "Cover@20", 3), ("dl20-published", "P@20", 4), ("car-y3-published", "Cover@20", 4)],
)
def test_of_print_there_are_the_correlations_of_the_printed_tau_all_else_is_undefined_and_a_note_says_so(
    printed_store, collection, measure, tau
):
    found = of_figures.printed_cutoffs(printed_store.snapshot(collection), Measure.parse(measure))
    row = found.rows[found.rows["tau"] == tau].iloc[0]
    assert (round(row["spearman"], 3), round(row["kendall"], 3), row["n"]) == CORRELATIONS[collection][
        f"genq {measure} tau={tau}"
    ]
    others = found.rows[found.rows["tau"] != tau].drop(columns=["tau", "recommended"])
    assert list(found.rows.columns) == CUTOFFS.names
    assert others.isna().all(axis=None)
    assert found.rows[["stderr", "kappa", "wins", "kendall_low"]].isna().all(axis=None)
    assert f"Only tau {tau} is printed" in found.notes[0]


def test_a_column_that_is_printed_without_a_tau_is_named_in_a_note(printed_store):
    found = of_figures.printed_cutoffs(
        printed_store.snapshot("car-y3-published"), Measure.parse("Cover@20"), bank="tqa"
    )
    assert found.rows["spearman"].isna().all()
    assert found.notes[0].startswith("No tau is printed")
    assert "tqa Cover@20 verified answers is printed without a tau" in found.notes[1]


def test_tau_5_is_recommended_for_cover_on_dl19(dl19):
    assert cutoffs(dl19, cover(dl19, grader=FLAN_T5)).recommended == 5
