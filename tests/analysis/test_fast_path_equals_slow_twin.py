"""The gradebook's arrays against plain loops, on random collections in a real store."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from exam_core.analysis.agreement import agreement
from exam_core.analysis.books import gradebook
from exam_core.analysis.configuration import TAUS, choose
from exam_core.analysis.leaderboard import leaderboard, query_values
from exam_core.measures.cover import overall_cover

from .twins import Twin

GRADINGS = {
    "newest bank version": {"bank": "genq", "grader": "rater"},
    "first bank version": {"bank": "genq@1", "grader": "rater"},
    "second bank": {"bank": "manual", "grader": "second"},
}
DIRECT = {"direct labels": {"grader": "labels"}, "judgments": {"judgments": "official", "relevant_from": 1}}
DEPTHS = {1: 1, 5: 5, 20: 20, None: 1000}
"""The deepest measure at each depth of the rankings."""


@pytest.mark.parametrize("order", ["score", "rank"])
@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("measure", ["Cover", "nCover", "P"])
@pytest.mark.parametrize("grading", GRADINGS.values(), ids=GRADINGS)
def test_each_query_has_the_value_that_loops_over_the_frames_give(random_world, grading, measure, depth, order):
    choice = choose(random_world, measure=f"{measure}@{DEPTHS[depth]}", depth=depth, order=order, **grading)
    fast = [query_values(random_world, replace(choice, tau=tau)) for tau in TAUS]
    twin = Twin(random_world, choice)
    np.testing.assert_allclose(fast, [twin.values(tau) for tau in TAUS], rtol=0, atol=1e-12)


@pytest.mark.parametrize("depth", [1, 5, 20, None])
def test_ncover_can_be_divided_by_what_ranked_passages_answer(random_world, depth):
    options = {"depth": depth, "ncover_pool": "ranked", **GRADINGS["newest bank version"]}
    choice = choose(random_world, measure=f"nCover@{DEPTHS[depth]}", **options)
    fast = [query_values(random_world, replace(choice, tau=tau)) for tau in TAUS]
    twin = Twin(random_world, choice)
    np.testing.assert_allclose(fast, [twin.values(tau) for tau in TAUS], rtol=0, atol=1e-12)


@pytest.mark.parametrize("order", ["score", "rank"])
@pytest.mark.parametrize("grading", DIRECT.values(), ids=DIRECT)
def test_direct_labels_and_judgments_give_the_precision_that_loops_give(random_world, grading, order):
    choice = choose(random_world, measure="P@5", order=order, **grading)
    cuts = [replace(choice, tau=tau, grading=replace(choice.grading, relevant_from=tau)) for tau in TAUS]
    fast = [query_values(random_world, cut) for cut in cuts]
    twin = Twin(random_world, choice)
    np.testing.assert_allclose(fast, [twin.values(tau) for tau in TAUS], rtol=0, atol=1e-12)


@pytest.mark.parametrize("label_rank", [1, 2, 3])
@pytest.mark.parametrize("measure_depth", [1, 3, 20])
def test_precision_takes_the_nth_best_grade_as_the_label(random_world, label_rank, measure_depth):
    options = {"bank": "genq", "grader": "rater", "label_rank": label_rank}
    choice = choose(random_world, measure=f"P@{measure_depth}", **options)
    fast = [query_values(random_world, replace(choice, tau=tau)) for tau in TAUS]
    twin = Twin(random_world, choice)
    np.testing.assert_allclose(fast, [twin.values(tau) for tau in TAUS], rtol=0, atol=1e-12)


@pytest.mark.parametrize("missing", ["zero", "skip"])
@pytest.mark.parametrize("order", ["score", "rank"])
@pytest.mark.parametrize("depth", [1, 5, 20, None])
@pytest.mark.parametrize("measure", ["Cover", "nCover", "P"])
def test_leaderboards_have_the_mean_error_and_n_that_loops_give(random_world, measure, depth, order, missing):
    options = {"depth": depth, "order": order, "missing": missing, **GRADINGS["newest bank version"]}
    choice = choose(random_world, measure=f"{measure}@{DEPTHS[depth]}", tau=3, **options)
    rows = leaderboard(random_world, choice).rows.set_index("run_id")
    slow = Twin(random_world, choice).means(3)
    fast = rows.loc[list(slow), ["mean", "stderr", "n_queries"]].to_numpy(float)
    np.testing.assert_allclose(fast, list(slow.values()), rtol=0, atol=1e-12)


def test_judgments_as_labels_are_cut_at_relevant_from(random_world):
    choice = choose(random_world, measure="P@20", judgments="official", relevant_from=3)
    rows = leaderboard(random_world, choice).rows.set_index("run_id")
    slow = {run: mean for run, (mean, _, _) in Twin(random_world, choice).means(3).items()}
    np.testing.assert_allclose(rows.loc[list(slow), "mean"], list(slow.values()), rtol=0, atol=1e-12)


@pytest.mark.parametrize("tau", TAUS)
def test_overall_is_the_cover_of_everything_graded(random_world, tau):
    choice = choose(random_world, measure="Cover@20", tau=tau, **GRADINGS["newest bank version"])
    overall = leaderboard(random_world, choice).overall
    np.testing.assert_allclose(overall, Twin(random_world, choice).overall(tau), rtol=0, atol=1e-12)


@pytest.mark.parametrize("depth", [1, 5, 20])
def test_overall_bounds_every_run(random_world, depth):
    choice = choose(random_world, measure=f"Cover@{depth}", tau=2, **GRADINGS["newest bank version"])
    book = gradebook(random_world, choice)
    values = choice.measure.info.compute(book, 2, depth, 1)
    assert np.nanmax(values - overall_cover(book, tau=2)) <= 0


@pytest.mark.parametrize("order", ["score", "rank"])
@pytest.mark.parametrize("depth", [1, 5, 20])
@pytest.mark.parametrize("grading", (GRADINGS | DIRECT).values(), ids=GRADINGS | DIRECT)
def test_passages_that_were_read_but_not_graded_are_counted_once_for_each_query(random_world, grading, depth, order):
    choice = choose(random_world, measure="P@1", depth=depth, order=order, **grading)
    found = leaderboard(random_world, choice).ungraded.pairs
    assert found == Twin(random_world, choice).ungraded_pairs()


@pytest.mark.parametrize("depth", [1, 5, 20])
def test_places_that_the_files_left_out_are_counted(random_world, depth):
    choice = choose(random_world, measure="P@1", depth=depth, **GRADINGS["newest bank version"])
    found = leaderboard(random_world, choice).ungraded.slots_missing
    assert found == Twin(random_world, choice).slots_missing()


@pytest.mark.parametrize("label_rank", [1, 2, 3])
@pytest.mark.parametrize("bank", ["genq", "genq@1"])
def test_the_graded_matrix_counts_each_passage_with_label_and_judgment(random_world, bank, label_rank):
    choice = choose(random_world, measure="P@1", bank=bank, grader="rater", label_rank=label_rank)
    found = agreement(random_world, choice, relevant_from=2).graded
    cells = {(int(g), int(r)): n for g, row in found.items() for r, n in row.items() if n}
    assert cells == Twin(random_world, choice).graded_matrix(random_world.frame("judgments"))


@pytest.mark.parametrize("relevant_from", [1, 2, 3])
@pytest.mark.parametrize("tau", TAUS)
def test_the_confusion_is_the_graded_matrix_cut_twice(random_world, tau, relevant_from):
    choice = choose(random_world, measure="P@1", tau=tau, **GRADINGS["newest bank version"])
    counts = [[0, 0], [0, 0]]
    slow = Twin(random_world, choice).graded_matrix(random_world.frame("judgments"))
    for (label, relevance), n in slow.items():
        counts[0 if label >= tau else 1][0 if relevance >= relevant_from else 1] += n
    assert agreement(random_world, choice, relevant_from=relevant_from).confusion.tolist() == counts
