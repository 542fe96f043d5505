"""Rankings as rows of bits, against plain loops over the labels, and what is known of a place of a ranking."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exam_core.measures.gradebook import HOLE, NOTHING
from exam_core.measures.marks import CHUNK, Labelling, Marks, counted, labelling, looked_up, mapped, within
from exam_core.measures.places import places_of, undefined
from exam_core.tables import UNGRADED, UNREADABLE

from .books import JUDGMENTS, book_of, gradebooks, random_book
from .slow import case_of

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


@pytest.mark.parametrize("depth", DEPTHS)
def test_hits_are_the_number_of_relevant_places(long_book, depth):
    marks = Marks(Labelling(long_book, TAUS))
    masks = marks.relevance(depth)
    for row, run, query in np.ndindex(len(TAUS), *long_book.slots.shape[1:]):
        assert marks.hits(depth)[row, run, query] == len(places(masks[:, row], run, query))


def test_passages_of_a_query_are_counted_ranked_or_not(long_book):
    marks = Marks(Labelling(long_book, TAUS))
    for query in range(3):
        labels = long_book.grades[long_book.pair_query == query, 0]
        assert marks.relevant[:, query].tolist() == [int((labels >= tau).sum()) for tau in TAUS]
        assert marks.labelled[query] == (labels >= 0).sum()


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


@given(book=gradebooks(), depth=st.integers(1, 7), tau=st.sampled_from(TAUS))
def test_answered_and_answerable_questions_are_those_of_the_slow_twin(book, depth, tau):
    marks = Marks(Labelling(book, (tau,)))
    for run, query in np.ndindex(book.slots.shape[1:]):
        case = case_of(book, run, query, tau)
        answered = case.answered_by(case.ranking[:depth])
        assert marks.covered(depth)[0, run, query] == len(answered)
        assert marks.answerable()[0, query] == len(case.answered_by(case.grades))
        columns = range(book.enabled.shape[1])
        assert {column for column in columns if marks.answers(depth, tau, column)[run, query]} == answered


@given(book=gradebooks(), depth=st.integers(0, 5))
def test_grades_at_a_place_are_those_of_its_passage_on_the_enabled_questions(book, depth):
    place = depth % len(book.slots)
    actual = Marks(Labelling(book, (1,))).grades_at(place)
    for run, query in np.ndindex(book.slots.shape[1:]):
        slot = book.slots[place, run, query]
        for column, on in enumerate(book.enabled[query]):
            expected = book.grades[slot, column] if on and slot >= 0 else -1
            assert max(actual[run, query, column], -1) == max(expected, -1)


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


def test_labels_without_a_map_are_as_they_are():
    labels = np.array([UNGRADED, -2, 0, 127], np.int8)
    assert mapped(labels, None).tolist() == labels.tolist()


@pytest.mark.parametrize("depth", [1, 7, 10, 13, 20, 29, 30, 31, None])
def test_rows_of_bits_are_cut_at_a_depth(depth):
    masks = np.full((3, 1, 1), 2**CHUNK - 1)
    assert places(within(masks, depth), 0, 0) == list(range(1, min(depth or 30, 30) + 1))


@pytest.mark.parametrize("chunks", [1, 2, 30])
def test_the_bits_of_long_rows_are_counted(chunks):
    assert counted(np.full((chunks, 2, 2), 2**CHUNK - 1)).tolist() == [[10 * chunks] * 2] * 2


WORTH = {
    "discounted": lambda found: sum(1 / math.log2(place + 1) for place in found),
    "reciprocal": lambda found: sum(1 / place for place in found),
    "precise": lambda found: sum(sum(other <= place for other in found) / place for place in found),
    "first": lambda found: max((1 / place for place in found), default=0),
}


@pytest.mark.parametrize("kind", WORTH)
@given(rows=st.lists(st.integers(0, 2**CHUNK - 1), min_size=1, max_size=4))
def test_a_chunk_is_worth_what_its_places_are(kind, rows):
    worth = looked_up(kind, np.array(rows)[:, None, None])
    for chunk, (row, actual) in enumerate(zip(rows, worth, strict=True)):
        there = [chunk * CHUNK + bit + 1 for bit in range(CHUNK) if row >> bit & 1]
        assert actual.item() == pytest.approx(WORTH[kind](there), abs=1e-12)


@given(book=gradebooks())
def test_what_was_returned_counts_holes_but_not_empty_places(book):
    for run, query in np.ndindex(book.slots.shape[1:]):
        slots = book.slots[:, run, query].tolist()
        assert book.returned[run, query] == len([slot for slot in slots if slot != NOTHING])


def nth_best(book, rank):
    """The label of each pair, by sorting."""
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
