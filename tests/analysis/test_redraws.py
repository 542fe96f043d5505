"""Sweeps with fewer questions: equal to the evaluation itself, and to a bank that asks only some."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exam_core.analysis.choice import QuestionChoice
from exam_core.analysis.choosing import choose
from exam_core.analysis.uncertainty import redrawing, shuffled_places
from exam_core.analysis.values import query_values
from exam_core.errors import UndefinedMeasure
from exam_core.request import Request
from tests.wings import rows_added

OPTIONS = {
    "plain": {},
    "by rank": {"order": "rank"},
    "skip": {"missing": "skip"},
    "ranked pool": {"ncover_pool": "ranked"},
    "label rank 2": {"label_rank": 2},
    "label map": {"label_map": "5=3,4=1"},
    "uncut": {"depth": None},
}
MEASURES = ("Cover@3", "wCover@3", "nCover@3", "StRecall@3", "P@3", "AP", "nDCG@3", "alpha_nDCG@3")


def choice_of(snapshot, measure, **options):
    return choose(snapshot, Request(measure=measure, bank="genq", grader="rater", **({"tau": 3, "depth": 5} | options)))


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
@pytest.mark.parametrize("measure", MEASURES)
def test_all_questions_are_the_evaluation_itself(random_world, measure, options):
    choice = choice_of(random_world, measure, **options)
    again = redrawing(random_world, choice)
    np.testing.assert_allclose(again.values(again.book.enabled), query_values(random_world, choice), rtol=0, atol=1e-12)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
@pytest.mark.parametrize("measure", MEASURES)
def test_some_questions_are_a_bank_that_asks_only_these(plain_world, measure, options):
    choice = choice_of(plain_world, measure, **options)
    again = redrawing(plain_world, choice)
    book, kept = again.book, np.random.default_rng(5).random(again.book.enabled.shape) < 0.6
    others = {name for q, row in enumerate(book.question_ids) for s, name in enumerate(row) if not kept[q, s]}
    asked = choice.labelled(asking=QuestionChoice(frozenset(others)))
    np.testing.assert_allclose(again.values(book.enabled & kept), query_values(plain_world, asked), rtol=0, atol=1e-12)


OF_QUESTIONS = (redrawing, *rows_added("OF_QUESTIONS"))


@pytest.mark.parametrize("labels", [{"grader": "labels"}, {"judgments": "official"}], ids=["labels", "judgments"])
def test_labels_of_whole_passages_have_no_questions_to_draw(plain_world, labels):
    choice = choose(plain_world, Request(measure="P@3", tau=1, **labels))
    for analysis in OF_QUESTIONS:
        with pytest.raises(UndefinedMeasure, match="no questions to resample"):
            analysis(plain_world, choice)


ENABLED = st.lists(st.lists(st.booleans(), min_size=6, max_size=6), min_size=1, max_size=5).map(np.array)


@given(ENABLED, st.integers(0, 99))
def test_a_shuffle_gives_each_question_a_place_and_those_switched_off_the_last_ones(enabled, seed):
    places = shuffled_places(enabled, np.random.default_rng(seed))
    assert (np.sort(places, axis=1) == np.arange(6)).all()
    assert ((places < enabled.sum(axis=1, keepdims=True)) == enabled).all()


def test_every_question_is_as_likely_to_come_first():
    enabled, rng = np.array([[True, False, True, True]]), np.random.default_rng(0)
    first = np.mean([shuffled_places(enabled, rng)[0] == 0 for _ in range(4000)], axis=0)
    np.testing.assert_allclose(first, [1 / 3, 0, 1 / 3, 1 / 3], rtol=0, atol=0.03)
