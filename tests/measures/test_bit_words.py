"""Bit words against plain loops over the grades."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from exam_core.measures.bit_words import HIGHEST_TAU, PADDING, pack

# One word holds all six levels of 10 questions, then fewer levels, then parts of 64 questions.
WIDTHS = [1, 2, 9, 10, 11, 12, 13, 21, 22, 31, 32, 33, 63, 64, 65, 128, 129, 255, 256, 300]
VALUES = st.one_of(st.integers(-128, -126), st.integers(0, 5))
WIDTH = st.sampled_from(WIDTHS)
ALL_VALUES = st.integers(-128, 127)


@st.composite
def graded(draw, values=VALUES, widths=WIDTH):
    """Grades of a few pairs, and which columns are enabled."""
    pairs, width = draw(st.integers(1, 4)), draw(widths)
    grades = draw(arrays(np.int8, (pairs, width), elements=values))
    return grades, draw(arrays(bool, width))


def reaching(row, level, enabled):
    """The enabled columns of a row whose grade is at least a level."""
    return {column for column, grade in enumerate(row) if grade >= level and enabled[column]}


def count(words, bits, level, enabled):
    """Enabled questions that each of (W, N) words says to reach a level."""
    columns = words.columns(np.tile(enabled, (bits.shape[1], 1)))
    return words.count(bits, level, columns).tolist()


@given(book=graded())
def test_counts_are_the_enabled_questions_that_reach_a_grade(book):
    grades, enabled = book
    words = pack(grades)
    for level in range(words.levels):
        expected = [len(reaching(row, level, enabled)) for row in grades]
        assert count(words, words.bits[:, :-PADDING], level, enabled) == expected


@given(book=graded())
def test_words_of_several_passages_unite_to_what_they_answer_together(book):
    grades, enabled = book
    words = pack(grades)
    united = np.bitwise_or.reduce(words.bits, axis=1)[:, None]
    for level in range(words.levels):
        together = set().union(*(reaching(row, level, enabled) for row in grades))
        assert count(words, united, level, enabled) == [len(together)]


@given(book=graded())
def test_a_word_says_of_each_question_whether_it_reaches_a_grade(book):
    grades, _ = book
    words = pack(grades)
    for level in range(words.levels):
        for question in range(grades.shape[1]):
            found = words.has(words.bits[:, :-PADDING], level, question)
            assert found.tolist() == (grades[:, question] >= level).tolist()


@given(book=graded(ALL_VALUES, st.sampled_from([1, 2, 12, 64, 70])))
def test_grades_above_5_have_levels_of_their_own(book):
    grades, enabled = book
    words = pack(grades)
    assert words.levels == max(HIGHEST_TAU, int(grades.max())) + 1
    for level in {0, 1, HIGHEST_TAU, words.levels // 2, words.levels - 1}:
        expected = [len(reaching(row, level, enabled)) for row in grades]
        assert count(words, words.bits[:, :-PADDING], level, enabled) == expected


@given(book=graded())
def test_the_words_at_the_end_answer_nothing(book):
    grades, enabled = book
    words = pack(grades)
    assert words.bits.shape[1] == len(grades) + PADDING
    for level in range(words.levels):
        assert count(words, words.bits[:, -PADDING:], level, enabled) == [0] * PADDING


@given(enabled=WIDTH.flatmap(lambda width: arrays(bool, (3, width))))
def test_columns_have_a_bit_for_each_enabled_question_of_a_query(enabled):
    columns = pack(np.zeros((1, enabled.shape[1]), np.int8)).columns(enabled)
    for query, row in enumerate(enabled):
        bits = [int(columns[place // 64, query]) >> place % 64 & 1 for place in range(len(row))]
        assert bits == row.tolist()


@pytest.mark.parametrize("width", WIDTHS)
def test_columns_have_no_bit_beyond_the_questions(width):
    columns = pack(np.zeros((1, width), np.int8)).columns(np.ones((1, width), bool))
    assert sum(int(part).bit_count() for part in columns[:, 0]) == width


@pytest.mark.parametrize(
    ("width", "n_words"), [(1, 1), (10, 1), (11, 2), (12, 2), (13, 2), (22, 3), (33, 6), (64, 6), (65, 12), (129, 18)]
)
def test_as_many_levels_as_fit_share_a_word(width, n_words):
    # 6 levels of 10 questions take 60 bits; of 13, 4 levels take 52; beyond 32 each level has a word, beyond 64 two.
    assert len(pack(np.zeros((1, width), np.int8)).bits) == n_words


def test_no_pairs_give_words_that_answer_nothing():
    words = pack(np.zeros((0, 3), np.int8))
    assert words.bits.tolist() == [[0, 0]]
