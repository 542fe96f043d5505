"""Rankings as rows of bits, against plain loops over the labels, and what is known of a place of a ranking."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exam_core.measures.gradebook import HOLE, NOTHING
from exam_core.measures.marks import CHUNK, Labelling, Marks, labelling, mapped
from exam_core.measures.places import places_of, undefined
from exam_core.tables import UNGRADED, UNREADABLE

from .books import JUDGMENTS, book_of, gradebooks, random_book

TAUS = (1, 2, 3, 4, 5)
DEPTHS = [None, 1, 9, 10, 11, 20, 25, 1000]


def places(masks, run, query):
    """The places, from 1, whose bits are set in rows (chunks, R, Q)."""
    return [
        chunk * CHUNK + bit + 1
        for chunk in range(len(masks))
        for bit in range(CHUNK)
        if int(masks[chunk][run, query]) >> bit & 1
    ]


def expected_places(book, run, query, wanted, depth):
    """The places, from 1, of passages within depth that are wanted."""
    slots = book.slots[:depth, run, query].tolist()
    return [place for place, slot in enumerate(slots, 1) if slot >= 0 and wanted(slot)]


@pytest.fixture(scope="module", params=[1, 10, 23], ids="{} places".format)
def long_book(request):
    """Labels from -126 to 127, and rankings that fill up to three chunks."""
    rng = np.random.default_rng(request.param)
    return random_book(rng, queries=3, width=1, places=request.param, passages=40, values=JUDGMENTS, direct=True)


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("taus", [TAUS, (4,), (6, 1), (64, 126, 127)], ids=str)
def test_relevant_places_are_those_whose_label_reaches_tau(long_book, taus, depth):
    marks, labels = Marks(Labelling(long_book, taus)), long_book.grades[:, 0]
    masks = marks.relevance(depth)
    for row, tau in enumerate(taus):
        for run, query in np.ndindex(long_book.slots.shape[1:]):
            expected = expected_places(long_book, run, query, lambda slot, tau=tau: labels[slot] >= tau, depth)
            assert places(masks[:, row], run, query) == expected


@pytest.mark.parametrize("depth", DEPTHS)
def test_judged_places_are_those_with_a_label_of_0_or_more(long_book, depth):
    masks, labels = Marks(Labelling(long_book, TAUS)).judged(depth), long_book.grades[:, 0]
    for run, query in np.ndindex(long_book.slots.shape[1:]):
        expected = expected_places(long_book, run, query, lambda slot: labels[slot] >= 0, depth)
        assert places(masks, run, query) == expected


@given(book=gradebooks(), start=st.integers(0, 3), length=st.integers(1, 4), rank=st.integers(1, 3))
def test_some_of_the_queries_have_the_marks_that_they_have_among_all(book, start, length, rank):
    some = slice(min(start, len(book.query_ids) - 1), start + length)
    whole, part = (Marks(Labelling(book, TAUS, rank).of_queries(queries)) for queries in (slice(None), some))
    for name in ("relevant", "labelled", "returned", "levels", "questions"):
        np.testing.assert_array_equal(getattr(part, name), getattr(whole, name)[..., some], err_msg=name)
    for depth in (None, 2):
        np.testing.assert_array_equal(part.covered(depth), whole.covered(depth)[..., some])
    np.testing.assert_array_equal(part.answerable(), whole.answerable()[..., some])
    np.testing.assert_array_equal(part.grades_at(0), whole.grades_at(0)[:, some])


def test_other_questions_of_a_gradebook_keep_what_is_made_of_the_grades_alone():
    book = book_of([[5, 0], [0, 2]], [0, 0], [[1, 1]], [[[0, 1]]])
    words = book.words
    assert book.without({"q0/0"}).words is words


def test_a_labelling_is_made_once_for_a_gradebook_and_its_rules():
    book = book_of([[5], [0]], [0, 0], [[1]], [[[0, 1]]])
    first = labelling(book, TAUS)
    assert (labelling(book, TAUS) is first, labelling(book, TAUS, 2) is first) == (True, False)


def test_other_questions_of_a_gradebook_have_a_labelling_of_their_own():
    book = book_of([[5, 1], [0, 2]], [0, 0], [[1, 1]], [[[0, 1]]])
    labelling(book, TAUS)
    assert labelling(book.without({"q0/0"}), TAUS).labels.tolist() == [1, 2]


def test_mapped_labels_keep_what_is_no_label():
    labels = np.array([UNGRADED, UNREADABLE, -2, 0, 1, 3, 5, 127], np.int8)
    assert mapped(labels, {5: 3, 0: 1, 127: 2}).tolist() == [UNGRADED, UNREADABLE, -2, 1, 0, 0, 3, 2]


def nth_best(book, rank):
    kept = [grades[book.enabled[query]].tolist() for grades, query in zip(book.grades, book.pair_query, strict=True)]
    return [[*sorted(grades, reverse=True), *[UNGRADED] * rank][rank - 1] for grades in kept]


@given(book=gradebooks(), rank=st.integers(1, 6))
def test_a_label_is_the_nth_best_grade_by_sorting(book, rank):
    assert book.labels(rank).tolist() == nth_best(book, rank)


@pytest.mark.parametrize("width", [1, 2, 10, 12, 40, 64, 65, 130])
@pytest.mark.parametrize("rank", [1, 2, 3, 30])
def test_labels_of_many_questions_are_the_nth_best_grade_by_sorting(width, rank):
    rng = np.random.default_rng(width)
    book = random_book(rng, queries=3, width=width, places=1, passages=30, values=[*JUDGMENTS, UNREADABLE])
    assert book.labels(rank).tolist() == nth_best(book, rank)


def test_a_ranked_only_gradebook_has_no_grades_of_passages_that_nobody_ranks():
    book = book_of([[5], [4], [3]], [0, 0, 0], [[1]], [[[2, HOLE]], [[0, NOTHING]]])
    assert book.ranked_only().grades.tolist() == [[5], [UNGRADED], [3]]


# Passages by their grades on two questions, the second of which is switched off: graded, unreadable, and two without an
# answer on the question that counts.
GRADES = [[3, UNREADABLE], [UNREADABLE, 5], [UNGRADED, 5], [UNGRADED, UNREADABLE]]


def test_what_a_passage_is_depends_on_its_answers_to_questions_that_count():
    book = book_of(GRADES, [0] * 4, [[1, 0]], [[[0, 1, 2, 3, HOLE, NOTHING]]])
    book.missing[:] = 1
    actual = places_of(book, 6)
    kinds = [actual.ungraded, actual.unreadable, actual.left_out, actual.holes]
    assert [kind[:, 0, 0].tolist() for kind in kinds] == [
        [False, False, True, True, True, False],
        [False, True, False, False, False, False],
        [False, False, False, False, False, True],
        [False, True, True, True, True, True],
    ]


def test_a_deeper_graded_passage_makes_a_value_defined():
    book = book_of(GRADES, [0] * 4, [[1, 0]], [[[1, 2, 0]]])
    assert [undefined(book, depth).item() for depth in (1, 2, 3, None)] == [True, True, False, False]
