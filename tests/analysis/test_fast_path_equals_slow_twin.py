"""The gradebook's arrays against plain loops, on random collections in a real store, in any order of their rows."""

import random
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from thoroughly import thoroughly

from exam_core.analysis.choice import TAUS
from exam_core.analysis.choosing import choose
from exam_core.analysis.leaderboard import leaderboard
from exam_core.analysis.values import all_values, by_query
from exam_core.formats.reading import trec_rank
from exam_core.measures import OF_GRADES, Measure
from exam_core.request import Request
from exam_core.tables import RANKINGS
from tests.analysis.twins import agreement_of

from .twins import Twin
from .worlds import held, question, store_of, table, world

GRADINGS = {
    "newest bank version": {"bank": "genq", "grader": "rater"},
    "first bank version": {"bank": "genq@1", "grader": "rater"},
    "second bank": {"bank": "manual", "grader": "second"},
}
DIRECT = {"direct labels": {"grader": "labels"}, "judgments": {"judgments": "official", "relevant_from": 1}}
DEPTHS = {1: 1, 5: 5, 20: 20, None: 1000}
"""The deepest measure at each depth of the rankings."""
LABELS_ONLY = [name for name, info in OF_GRADES.items() if info.of == "labels"]


def assert_equal_to_the_twin(snapshot, names, places, **options):
    """Each query has the twin's value of each measure at each number of places, at every tau."""
    choice = choose(snapshot, Request(measure="Rprec", **options))
    measures = [Measure.at(name, k) for name in names for k in places]
    twin = Twin(snapshot, choice)
    fast = all_values(snapshot, choice, measures)
    for measure, actual in zip(measures, fast, strict=True):
        twin.choice = replace(choice, measure=measure)
        slow = [twin.values(tau) for tau in choice.taus]
        np.testing.assert_allclose(actual, slow, rtol=0, atol=1e-12, err_msg=str(measure))


@pytest.mark.parametrize("depth", [20, None, *thoroughly(1, 5)])
@pytest.mark.parametrize("grading", GRADINGS.values(), ids=GRADINGS)
def test_each_query_has_the_values_that_loops_over_the_frames_give(random_world, grading, depth):
    places = [k for k in (1, 3, DEPTHS[depth]) if k <= DEPTHS[depth]]
    assert_equal_to_the_twin(random_world, OF_GRADES, places, depth=depth, **grading)


@pytest.mark.parametrize("depth", [5, *thoroughly(1, 20, None)])
@pytest.mark.parametrize("grading", GRADINGS.values(), ids=GRADINGS)
def test_by_the_files_ranks_too(random_world, grading, depth):
    assert_equal_to_the_twin(random_world, OF_GRADES, [DEPTHS[depth]], depth=depth, order="rank", **grading)


@pytest.mark.parametrize("depth", DEPTHS)
def test_the_pool_can_be_what_is_ranked(random_world, depth):
    options = {"depth": depth, "ncover_pool": "ranked", **GRADINGS["newest bank version"]}
    assert_equal_to_the_twin(random_world, OF_GRADES, [DEPTHS[depth]], **options)


@pytest.mark.parametrize("order", ["score", *thoroughly("rank")])
@pytest.mark.parametrize("relevant_from", [1, 2, 3])
@pytest.mark.parametrize("grading", DIRECT)
def test_direct_labels_and_judgments_give_the_values_that_loops_give(random_world, grading, relevant_from, order):
    options = DIRECT[grading] | ({"relevant_from": relevant_from} if grading == "judgments" else {})
    for depth in DEPTHS:
        assert_equal_to_the_twin(random_world, LABELS_ONLY, [DEPTHS[depth]], depth=depth, order=order, **options)


@pytest.mark.parametrize("label_map", [None, "5=3,4=1", "5=1,1=5,0=2"])
@pytest.mark.parametrize("label_rank", [2, *thoroughly(1, 3)])
def test_the_nth_best_grade_is_the_label_and_may_be_mapped(random_world, label_rank, label_map):
    options = {"label_rank": label_rank, "label_map": label_map, **GRADINGS["newest bank version"]}
    assert_equal_to_the_twin(random_world, OF_GRADES, [1, 3, 20], **options)


@pytest.fixture(scope="module")
def deep_world(tmp_path_factory):
    """Two queries with 70 and 11 weighted questions, rankings of up to 100 passages, judgments of -126 to 127."""
    rng, docs = random.Random(8), [f"d{number:03}" for number in range(140)]
    asked = {"many": 70, "some": 11}
    weights = (0.0, 0.5, 1.0, 4.0)
    questions = [
        question(f"{query}/{number}", query, weight=rng.choice(weights), enabled=rng.random() < 0.9)
        for query, n in asked.items()
        for number in range(n)
    ]
    grades = [
        ("rater", f"{query}/{number}", query, doc, rng.choice((None, 0, 0, 0, 0, 1, 2, 3, 4, 5)))
        for query, n in asked.items()
        for doc in rng.sample(docs, 110)
        for number in rng.sample(range(n), n * 3 // 4)
    ]
    rankings = [
        (f"run {run}", query, doc, 0, place + run % 2, -float(place // 2), False)
        for run in range(2)
        for query in asked
        for place, doc in enumerate(rng.sample(docs, rng.randint(40, 100)))
    ]
    judgments = [
        ("official", query, doc, rng.choice((-126, -2, -1, 0, 0, 0, 1, 2, 3, 6, 126, 127)))
        for query in asked
        for doc in rng.sample(docs, 110)
    ]
    frames = {"questions": questions, "grades": grades, "rankings": table(RANKINGS, rankings), "judgments": judgments}
    frames["rankings"]["rank"] = trec_rank(frames["rankings"])
    yield from held(tmp_path_factory.mktemp("deep"), frames)


@pytest.mark.parametrize("label_rank", [3, *thoroughly(1)])
@pytest.mark.parametrize("depth", [65, *thoroughly(10, None)])
def test_many_weighted_questions_and_uncut_rankings_give_the_values_that_loops_give(deep_world, depth, label_rank):
    assert_equal_to_the_twin(deep_world, OF_GRADES, [depth or 1000], depth=depth, label_rank=label_rank)


@pytest.mark.parametrize("relevant_from", [1, 2, 6, 100, 127])
@pytest.mark.parametrize("depth", [10, 65, None])
def test_judgments_below_0_and_above_5_give_the_values_that_loops_give(deep_world, depth, relevant_from):
    options = {"judgments": "official", "relevant_from": relevant_from}
    for label_map in (None, "127=2,6=5,0=1"):
        assert_equal_to_the_twin(deep_world, LABELS_ONLY, [depth or 1000], depth=depth, label_map=label_map, **options)


@pytest.mark.parametrize("missing", ["zero", "skip"])
@pytest.mark.parametrize("order", ["score", *thoroughly("rank")])
@pytest.mark.parametrize("depth", [5, None, *thoroughly(1, 20)])
@pytest.mark.parametrize("measure", ["Cover", "nCover", "P", "nDCG"])
def test_leaderboards_have_the_mean_error_and_n_that_loops_give(random_world, measure, depth, order, missing):
    options = {"depth": depth, "order": order, "missing": missing, **GRADINGS["newest bank version"]}
    choice = choose(random_world, Request(measure=f"{measure}@{DEPTHS[depth]}", tau=3, **options))
    rows = leaderboard(random_world, choice).rows.set_index("run_id")
    slow = Twin(random_world, choice).means(3)
    fast = rows.loc[list(slow), ["mean", "stderr", "n_queries"]].to_numpy(float)
    np.testing.assert_allclose(fast, list(slow.values()), rtol=0, atol=1e-12)


@pytest.mark.parametrize("tau", TAUS)
def test_overall_is_the_cover_of_everything_graded(random_world, tau):
    choice = choose(random_world, Request(measure="Cover@20", tau=tau, **GRADINGS["newest bank version"]))
    overall = leaderboard(random_world, choice).overall
    np.testing.assert_allclose(overall, Twin(random_world, choice).overall(tau), rtol=0, atol=1e-12)


@pytest.mark.parametrize("order", ["score", *thoroughly("rank")])
@pytest.mark.parametrize("depth", [5, *thoroughly(1, 20)])
@pytest.mark.parametrize("grading", (GRADINGS | DIRECT).values(), ids=GRADINGS | DIRECT)
def test_passages_that_are_read_and_ungraded_or_unreadable_are_counted_once_for_each_query(
    random_world, grading, depth, order
):
    choice = choose(random_world, Request(measure="P@1", depth=depth, order=order, **grading))
    actual, twin = leaderboard(random_world, choice).ungraded, Twin(random_world, choice)
    assert (actual.pairs, actual.unreadable_pairs) == (twin.read_pairs(0), twin.read_pairs(None))
    assert (actual.unreadable, actual.answers) == twin.answers_read()


@pytest.mark.parametrize("depth", [1, 5, 20])
def test_places_that_the_files_left_out_are_counted(random_world, depth):
    choice = choose(random_world, Request(measure="P@1", depth=depth, **GRADINGS["newest bank version"]))
    actual = leaderboard(random_world, choice).ungraded.slots_missing
    assert actual == Twin(random_world, choice).slots_missing()


@pytest.mark.parametrize("label_rank", [1, 2, 3])
@pytest.mark.parametrize("bank", ["genq", "genq@1"])
def test_the_graded_matrix_counts_each_passage_with_label_and_judgment(random_world, bank, label_rank):
    choice = choose(random_world, Request(measure="P@1", bank=bank, grader="rater", label_rank=label_rank))
    actual = agreement_of(random_world, choice, relevant_from=2).graded
    cells = {(int(g), int(r)): n for g, row in actual.items() for r, n in row.items() if n}
    assert cells == Twin(random_world, choice).graded_matrix(random_world.frame("judgments"))


def test_the_order_of_the_input_rows_does_not_matter(tmp_path):
    frames = world(7, facets=True)
    shuffled = {name: frame.sample(frac=1, random_state=5).reset_index(drop=True) for name, frame in frames.items()}
    two_orders = [store_of(tmp_path / name, rows) for name, rows in (("one", frames), ("other", shuffled))]
    choices = [
        choose(snapshot, Request(measure="Cover@10", **GRADINGS["newest bank version"])) for snapshot in two_orders
    ]
    pd.testing.assert_frame_equal(*map(by_query, two_orders, choices), check_exact=True)
    pd.testing.assert_frame_equal(*(leaderboard(*one).rows for one in zip(two_orders, choices, strict=True)))
    measures = [Measure.at(name, 10) for name in OF_GRADES]
    np.testing.assert_array_equal(*(all_values(*one, measures) for one in zip(two_orders, choices, strict=True)))
