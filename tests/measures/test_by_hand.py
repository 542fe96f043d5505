"""Each measure on a case small enough to work out with a pencil."""

from __future__ import annotations

import numpy as np
import pytest

from exam_core.errors import UndefinedMeasure
from exam_core.measures import MEASURES
from exam_core.measures.cover import exam_cover, overall_cover
from exam_core.measures.gradebook import HOLE, NOTHING
from exam_core.measures.precision import precision
from exam_core.tables import UNGRADED, UNREADABLE

from .books import book_of

# Query q0 has questions 0..3, of which 3 is off; q1 has question 0 only.
#        pair  q0: question 0  1  2  (3)
GRADES = [
    [5, 0, 1, 5],  # 0
    [3, 4, UNREADABLE, 0],  # 1
    [0, 0, 4, 0],  # 2
    [2, UNGRADED, UNGRADED, UNGRADED],  # 3, of q1
    [UNREADABLE, UNGRADED, UNGRADED, UNGRADED],  # 4, of q1
]
ENABLED = [[1, 1, 1, 0], [1, 0, 0, 0]]
# The first run returned passages 0 and 1 and one that was never graded for q0, passage 3 for q1;
# the second one passage 2 for q0 and nothing for q1.
SLOTS = [
    [[0, HOLE, 1], [3, NOTHING, NOTHING]],
    [[2, NOTHING, NOTHING], [NOTHING, NOTHING, NOTHING]],
]
BY_HAND = {
    # q0, tau 4: passage 0 answers question 0, passage 1 question 1: 2 of 3. q1: nothing reaches 4.
    ("Cover", 4, 3): [[2 / 3, 0], [1 / 3, 0]],
    # The first place alone: question 0 of 3.
    ("Cover", 4, 1): [[1 / 3, 0], [1 / 3, 0]],
    # tau 1: passage 0 answers 0 and 2, passage 1 answers 0 and 1: 3 of 3. q1: passage 3, 1 of 1.
    ("Cover", 1, 3): [[1, 1], [1 / 3, 0]],
    # tau 5: question 0; question 3 has a 5 but is off.
    ("Cover", 5, 3): [[1 / 3, 0], [0, 0]],
    # All graded passages of q0 answer 3 questions at tau 4, so as Cover; of q1 none: 0.
    ("nCover", 4, 3): [[2 / 3, 0], [1 / 3, 0]],
    # tau 5: only question 0 can be answered.
    ("nCover", 5, 3): [[1, 0], [0, 0]],
    # tau 2: q0 all 3 can be answered, passages 0 and 1 answer 0 and 1; q1 1 of 1.
    ("nCover", 2, 3): [[2 / 3, 1], [1 / 3, 0]],
    # Labels: 5, 4, 4 of q0; 2 and none of q1. tau 4: passages 0 and 1 of 3 places; 1 of 3.
    ("P", 4, 3): [[2 / 3, 0], [1 / 3, 0]],
    # The divisor is the depth, also beyond the passages that there are: 2 / 10 and 1 / 10.
    ("P", 2, 10): [[2 / 10, 1 / 10], [1 / 10, 0]],
    ("P", 5, 1): [[1, 0], [0, 0]],
}


@pytest.fixture
def book():
    return book_of(GRADES, [0, 0, 0, 1, 1], ENABLED, SLOTS)


def test_every_measure_has_a_case_by_hand():
    assert {name for name, _, _ in BY_HAND} == set(MEASURES)


@pytest.mark.parametrize(("case", "expected"), BY_HAND.items(), ids=[f"{n}@{k} tau {t}" for n, t, k in BY_HAND])
def test_a_measure_has_the_value_worked_out_by_hand(book, case, expected):
    name, tau, depth = case
    np.testing.assert_allclose(MEASURES[name].compute(book, tau, depth, 1), expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("label_rank", "expected"),
    [
        (1, [5, 4, 4, 2, UNREADABLE]),
        # 5 1 0; 4 3 and one unreadable; 4 0 0; one question only, twice
        (2, [1, 3, 0, UNGRADED, UNGRADED]),
        (3, [0, UNREADABLE, 0, UNGRADED, UNGRADED]),
        (9, [UNGRADED] * 5),
    ],
)
def test_a_label_is_the_nth_best_grade_over_the_enabled_questions(book, label_rank, expected):
    assert book.labels(label_rank).tolist() == expected


def test_precision_at_label_rank_2_asks_that_two_questions_reach_tau(book):
    # tau 3: of passages 0 and 1 only passage 1 has two grades of 3 or more.
    np.testing.assert_allclose(precision(book, tau=3, depth=3, label_rank=2), [[1 / 3, 0], [0, 0]])


def test_overall_cover_unites_all_graded_passages(book):
    # q0, tau 4: questions 0, 1, 2 of 3; q1: none
    assert overall_cover(book, tau=4).tolist() == [1, 0]


def test_a_question_that_is_switched_off_is_neither_counted_nor_answered(book):
    # Without question 0, q0 has 1 and 2; passage 1 answers 1. q1 keeps its own question 0.
    np.testing.assert_allclose(exam_cover(book.without({"q0/0"}), tau=4), [[1 / 2, 0], [1 / 2, 0]])


def test_switching_a_question_off_leaves_the_first_gradebook_as_it_was(book):
    book.without({"q0/0"})
    assert book.enabled.tolist() == np.array(ENABLED, bool).tolist()


def test_a_query_without_an_enabled_question_has_no_cover(book):
    assert np.isnan(exam_cover(book.without({"q1/0"}), tau=4)[:, 1]).all()


def test_cover_without_a_depth_reads_all_that_the_gradebook_holds(book):
    np.testing.assert_array_equal(exam_cover(book, tau=4), exam_cover(book, tau=4, depth=3))


@pytest.mark.parametrize("name", ["Cover", "nCover"])
def test_cover_of_whole_passage_labels_says_that_it_needs_questions(name):
    labels = book_of([[1], [0]], [0, 0], [[1]], [[[0, 1]]], direct=True)
    with pytest.raises(UndefinedMeasure, match=r"Cover needs exam questions"):
        MEASURES[name].compute(labels, 1, 1, 1)


def test_only_places_where_something_was_returned_count_as_returned(book):
    assert book.returned.tolist() == [[True, True], [True, False]]
