"""Bit words of odd grades and many questions; test_every_measure.py sees all others in the values of the measures."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from exam_core.measures.bit_words import HIGHEST_TAU, PADDING, pack


@st.composite
def graded(draw):
    """Grades of a few pairs, and which columns are enabled."""
    pairs, width = draw(st.integers(1, 4)), draw(st.sampled_from([1, 2, 12, 64, 70]))
    return draw(arrays(np.int8, (pairs, width), elements=st.integers(-128, 127))), draw(arrays(bool, width))


@given(book=graded())
@example(book=(np.full((1, 300), 5, np.int8), np.ones(300, bool)))
def test_each_grade_has_a_level_that_counts_every_question_that_reaches_it(book):
    grades, enabled = book
    words = pack(grades)
    assert words.levels == max(HIGHEST_TAU, int(grades.max())) + 1
    columns = words.columns(np.tile(enabled, (len(grades) + PADDING, 1)))
    for level in {0, 1, HIGHEST_TAU, words.levels // 2, words.levels - 1}:
        expected = [sum(row[enabled] >= level) for row in grades]
        assert words.count(words.bits, level, columns).tolist() == [*expected, *[0] * PADDING]
