"""Each measure on a case small enough to work out with a pencil."""

from math import log2

import numpy as np
import pytest

from exam_core.measures import OF_GRADES, Measure
from exam_core.measures.effectiveness.cover import overall_cover
from exam_core.measures.gradebook import HOLE, NOTHING, Counting
from exam_core.measures.sweep import sweep
from exam_core.tables import UNGRADED, UNREADABLE, VITAL

from .books import book_of
from .slow import TWINS

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
WEIGHTS = [[1, 2, 5, 9], [3, 9, 9, 9]]
# The first run returned passages 0 and 1 and one that was never graded for q0, passage 3 for q1;
# the second one passage 2 for q0 and nothing for q1.
SLOTS = [[[0, HOLE, 1], [3, NOTHING, NOTHING]], [[2, NOTHING, NOTHING], [NOTHING, NOTHING, NOTHING]]]
# Labels of whole passages. q0: 3, 0, 1, 0, 2 and -2, which is none; q1: 0.
LABELS = [[3], [0], [1], [0], [2], [-2], [0]]
# The first run: labels 0 3 (never labelled) 1 -2 0; the second: the 2 alone; the third: nothing.
LABEL_SLOTS = [
    [[1, 0, HOLE, 2, 5, 3], [6, *[NOTHING] * 5]],
    [[4, *[NOTHING] * 5], [NOTHING] * 6],
    [[NOTHING] * 6, [NOTHING] * 6],
]
# The cases stand with the measures' twins, in `twins/`.
OF_QUESTIONS = {case: expected for twin in TWINS.values() for case, expected in twin.of_grades.items()}
# Expected for q0 and the first two runs; q1, without a relevant passage, and the third run have 0.
OF_LABELS = {case: expected for twin in TWINS.values() for case, expected in twin.of_labels.items()}


def value(book, spelling, tau, **options):
    return sweep(book, [Measure.parse(spelling)], taus=(tau,), **options)[0, 0]


def name_of(case):
    return f"{case[0]} tau {case[1]}"


@pytest.fixture
def book():
    return book_of(GRADES, [0, 0, 0, 1, 1], ENABLED, SLOTS, weights=WEIGHTS)


@pytest.fixture
def labels():
    return book_of(LABELS, [0] * 6 + [1], [[1], [1]], LABEL_SLOTS, direct=True)


def test_every_measure_has_a_case_by_hand():
    assert {Measure.parse(spelling).name for spelling, _ in OF_QUESTIONS | OF_LABELS} == set(OF_GRADES)


@pytest.mark.parametrize(("case", "expected"), OF_QUESTIONS.items(), ids=map(name_of, OF_QUESTIONS))
def test_a_measure_of_graded_questions_has_the_value_worked_out_by_hand(book, case, expected):
    np.testing.assert_allclose(value(book, *case), expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize(("case", "expected"), OF_LABELS.items(), ids=map(name_of, OF_LABELS))
def test_a_measure_of_labels_has_the_value_worked_out_by_hand(labels, case, expected):
    np.testing.assert_allclose(value(labels, *case)[:, 0], [*expected, 0], rtol=0, atol=1e-15)


@pytest.mark.parametrize("case", OF_LABELS, ids=name_of)
def test_a_query_without_relevant_passages_has_0_but_can_be_judged(labels, case):
    # The first run returned q1's only passage, which is labelled 0.
    assert value(labels, *case)[:, 1].tolist() == [case[0].startswith("Judged"), 0, 0]


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
    np.testing.assert_allclose(value(book, "P@3", 3, label_rank=2), [[1 / 3, 0], [0, 0]])


def test_a_label_map_gives_other_gains(labels):
    # 3 counts 2, 2 counts 1, and the 1, which the map leaves out, 0: place 2 of the ranking, places 1 and 2 at best.
    best = 2 + 1 / log2(3)
    actual = value(labels, "nDCG", 1, label_map=((3, 2), (2, 1)))[:, 0]
    np.testing.assert_allclose(actual, [(2 / log2(3)) / best, 1 / best, 0], rtol=0, atol=1e-15)


def test_a_label_map_decides_what_is_relevant(labels):
    # At tau 2 only what was a 3 is relevant, and nothing that had no label gets one.
    actual = value(labels, "R@5", 2, label_map=((3, 2), (2, 1), (0, 1)))[:, 0]
    assert actual.tolist() == [1, 0, 0]


def test_the_ideal_takes_the_last_of_equally_novel_passages_as_ndeval_does():
    # Passages answer {0, 1}, {0, 2} and {1, 3}. All gain 2 at first. The last one is taken first, then {0, 2} gains 2:
    # 2 + 2 / log2 3. Had the first one been taken, the next would gain 1 + 1/2.
    book = book_of([[5, 5, 0, 0], [5, 0, 5, 0], [0, 5, 0, 5]], [0, 0, 0], [[1] * 4], [[[0, 1]]])
    expected = (2 + 1.5 / log2(3)) / (2 + 2 / log2(3))
    assert value(book, "alpha_nDCG@2", 5).item() == pytest.approx(expected, abs=1e-15)


def test_overall_cover_unites_all_graded_passages(book):
    # q0, tau 4: questions 0, 1, 2 of 3; q1: none
    assert overall_cover(book, tau=4).tolist() == [1, 0]


def test_a_question_that_is_switched_off_is_neither_counted_nor_answered(book):
    # Without question 0, q0 has 1 and 2; passage 1 answers 1. q1 keeps its own question 0.
    np.testing.assert_allclose(value(book.without({"q0/0"}), "Cover@3", 4), [[1 / 2, 0], [1 / 2, 0]])


def test_only_the_questions_that_are_named_stay_on(book):
    # q0/3 was off and stays off, so q0 has question 1 alone; q1 has none.
    np.testing.assert_array_equal(value(book.only({"q0/1", "q0/3"}), "Cover@3", 4), [[1, np.nan], [0, np.nan]])


def test_columns_can_be_switched_on_by_number(book):
    # Question 3 of q0 alone: passage 0 has a 5.
    np.testing.assert_array_equal(
        value(book.enabling(np.array([[0, 0, 0, 1], [1, 0, 0, 0]], bool)), "Cover@3", 4), [[1, 0], [0, 0]]
    )


def test_a_question_can_be_given_another_weight(book):
    # Question 0 of q0 weighs 3 instead of 1: 3 + 2 of 10, and 5 of 10.
    changed = [Counting("q0", "q0/0", enabled=True, weight=3.0, importance=VITAL)]
    np.testing.assert_allclose(value(book.counting(changed), "wCover@3", 4), [[5 / 10, 0], [5 / 10, 0]])


def test_questions_that_weigh_nothing_have_a_weighted_cover_of_0(book):
    names = [f"q0/{number}" for number in range(3)]
    weightless = [Counting("q0", name, enabled=True, weight=0.0, importance=VITAL) for name in names]
    assert value(book.counting(weightless), "wCover@3", 1)[:, 0].tolist() == [0, 0]


@pytest.mark.parametrize("change", [{"q0/0"}, {"q1/0"}], ids=["q0/0", "q1/0"])
def test_switching_a_question_off_leaves_the_first_gradebook_as_it_was(book, change):
    before = value(book, "Cover@3", 1)
    value(book.without(change), "Cover@3", 1)
    np.testing.assert_array_equal(value(book, "Cover@3", 1), before)


def test_a_gradebook_of_other_questions_has_labels_of_its_own(book):
    value(book, "P@3", 5)
    # Without question 0 no passage of q0 has a 5 on a question that counts.
    assert value(book.without({"q0/0"}), "P@3", 5).tolist() == [[0, 0], [0, 0]]


def test_ncover_can_be_divided_by_what_ranked_passages_answer(book):
    book.slots[:, 1] = NOTHING
    # Without the second run nobody ranks passage 2, the only one that answers question 2 at tau 4: 2 of 2.
    assert value(book.ranked_only(), "nCover@3", 4).tolist() == [[1, 0], [0, 0]]


def test_a_query_without_an_enabled_question_has_no_cover(book):
    assert np.isnan(value(book.without({"q1/0"}), "Cover@3", 4)[:, 1]).all()
