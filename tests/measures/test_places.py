"""What is known of a place of a ranking, by hand."""

from exam_core.measures.gradebook import HOLE, NOTHING
from exam_core.measures.places import places_of, undefined
from exam_core.tables import UNGRADED, UNREADABLE

from .books import book_of

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
