"""What holds for every measure of the table. A measure that is forgotten here fails the first test.

That the order of the rows of a store does not matter is in `analysis/test_order_of_rows.py`.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exam_core.errors import UsageError
from exam_core.measures import MEASURES, Measure
from exam_core.measures.gradebook import NOTHING

from .books import book_of, gradebooks

PROPERTIES = {
    "Cover": {"grows with depth", "falls with tau"},
    # The divisor falls with tau too: see test_ncover_can_rise_with_tau.
    "nCover": {"grows with depth"},
    # A deeper place can hold a worse passage.
    "P": {"falls with tau", "takes labels"},
}
ALL = sorted(MEASURES)
TAUS = st.integers(1, 5)
MANY = settings(max_examples=40, deadline=None, derandomize=True)


def having(name):
    """The measures that have a property."""
    return sorted(measure for measure, properties in PROPERTIES.items() if name in properties)


def compute(name, book, tau, depth=6, label_rank=1):
    """A measure's values."""
    return MEASURES[name].compute(book, tau, depth, label_rank)


def test_every_measure_has_its_properties_written_down():
    assert set(PROPERTIES) == set(MEASURES)


@pytest.mark.parametrize("name", ALL)
def test_the_table_lists_a_measure_under_its_own_name(name):
    assert MEASURES[name].name == name


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("field", ["meaning", "formula", "source"])
def test_every_measure_says_what_it_is(name, field):
    assert getattr(MEASURES[name], field)


@pytest.mark.parametrize("name", ALL)
def test_a_measure_takes_labels_where_the_table_says_so(name):
    assert MEASURES[name].of_labels == ("takes labels" in PROPERTIES[name])


@pytest.mark.parametrize("name", ALL)
@given(book=gradebooks(), tau=TAUS, depth=st.integers(1, 8), label_rank=st.integers(1, 3))
@MANY
def test_values_lie_between_0_and_1_or_are_undefined(name, book, tau, depth, label_rank):
    values = compute(name, book, tau, depth, label_rank)
    assert (np.isnan(values) | ((values >= 0) & (values <= 1))).all()


@pytest.mark.parametrize("name", ALL)
@given(book=gradebooks(), tau=TAUS)
@MANY
def test_there_is_a_value_for_each_run_and_query(name, book, tau):
    assert compute(name, book, tau).shape == (len(book.run_ids), len(book.query_ids))


@pytest.mark.parametrize("name", ALL)
@given(book=gradebooks(), tau=TAUS, depth=st.integers(1, 6))
@MANY
def test_identical_runs_get_identical_values(name, book, tau, depth):
    values = compute(name, book, tau, depth)
    np.testing.assert_array_equal(values[0], values[3])


@pytest.mark.parametrize("name", ALL)
@given(book=gradebooks(), tau=TAUS)
@MANY
def test_a_run_that_returned_nothing_gets_0_where_there_is_a_value(name, book, tau):
    book.slots[1] = NOTHING
    values = compute(name, book, tau)[1]
    assert (np.isnan(values) | (values == 0)).all()


@pytest.mark.parametrize("name", ALL)
@given(book=gradebooks(), tau=TAUS, rank=st.integers(1, 3))
@MANY
def test_measures_leave_the_gradebook_as_it_is(name, book, tau, rank):
    before = [book.grades.copy(), book.enabled.copy(), book.slots.copy()]
    compute(name, book, tau, 3, rank)
    np.testing.assert_equal([book.grades, book.enabled, book.slots], before)


@pytest.mark.parametrize("name", having("falls with tau"))
@given(book=gradebooks(), depth=st.integers(1, 6), label_rank=st.integers(1, 3))
@MANY
def test_values_never_rise_as_tau_rises(name, book, depth, label_rank):
    values = np.nan_to_num(np.stack([compute(name, book, tau, depth, label_rank) for tau in range(1, 6)]))
    assert (np.diff(values, axis=0) <= 0).all()


@pytest.mark.parametrize("name", having("grows with depth"))
@given(book=gradebooks(), tau=TAUS)
@MANY
def test_values_never_fall_as_depth_grows(name, book, tau):
    values = np.nan_to_num(np.stack([compute(name, book, tau, depth) for depth in range(1, 7)]))
    assert (np.diff(values, axis=0) >= 0).all()


@pytest.mark.parametrize("name", having("takes labels"))
@given(book=gradebooks(), tau=TAUS)
@MANY
def test_values_never_rise_as_the_label_rank_rises(name, book, tau):
    values = np.nan_to_num(np.stack([compute(name, book, tau, 4, label_rank) for label_rank in range(1, 4)]))
    assert (np.diff(values, axis=0) <= 0).all()


@given(book=gradebooks(), tau=TAUS, depth=st.integers(1, 6))
@MANY
def test_ncover_is_never_below_cover(book, tau, depth):
    normalised, cover = compute("nCover", book, tau, depth), compute("Cover", book, tau, depth)
    assert (np.nan_to_num(normalised) >= np.nan_to_num(cover)).all()


def test_ncover_can_rise_with_tau():
    # The run answers question 0 with a 5; only the passage that it lacks answers question 1, with a 2.
    # tau 2: 1 of 2 answerable questions; tau 3: 1 of 1.
    book = book_of([[5, 0], [0, 2]], [0, 0], [[1, 1]], [[[0]]])
    assert [compute("nCover", book, tau).item() for tau in (2, 3)] == [0.5, 1.0]


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("depth", [1, 20, 1000])
def test_a_spelling_parses_and_prints_back(name, depth):
    assert str(Measure.parse(f"{name}@{depth}")) == f"{name}@{depth}"


@pytest.mark.parametrize("text", ["", "Cover", "Cover@0", "Cover@-1", "Cover@x", "Cover@1.5", "nope@20", "cover@20"])
def test_a_misspelt_measure_is_refused_with_those_there_are(text):
    with pytest.raises(UsageError, match=r"There are: Cover@20, nCover@20, P@20"):
        Measure.parse(text)
