"""Ids that look alike are found, and others are not taken for alike."""

import pytest

from exam_core.names import likeness

ALIKE = {
    "zeros": (["001", "002", "010"], ["1", "2", "10"], "001 and 1 differ in zeros in front"),
    "zeros there": (["q1"], ["q01", "q02"], "q1 and q01 differ in zeros in front"),
    "capitals": (["Q7"], ["q7"], "Q7 and q7 differ in capital letters"),
    "blanks": (["q1 ", "q2 "], ["q1", "q2"], "q1  and q1 differ in blanks"),
    "a float": (["301.0", "302.0"], ["301", "302"], "301.0 and 301 differ in an ending, a version or .0"),
    "versions": (["d1_v2", "d2.v1"], ["d1", "d2"], "d1_v2 and d1 differ in an ending, a version or .0"),
    "in front": (["topic-1", "topic-2"], ["1", "2"], "topic-1 and 1 differ in 'topic-' in front"),
    "in front there": (["1", "2"], ["2024-1", "2024-2"], "1 and 2024-1 differ in '2024-' in front"),
    "digits in front": (["00a-1", "00a-2"], ["a-1", "a-2"], "00a-1 and a-1 differ in '00' in front"),
    "behind": (["a.txt", "b.txt"], ["a", "b"], "a.txt and a differ in '.txt' behind"),
    "on both sides": (["<a>", "<b>"], ["a", "b"], "<a> and a differ in '<' in front and '>' behind"),
    "several": (["TOPIC-001"], ["topic-1"], "TOPIC-001 and topic-1 differ in several of blanks, capital letters"),
    "zeros in front of which is more": (
        ["topic-001"],
        ["1"],
        "topic-001 and 1 differ in 'topic-' in front, and in zeros",
    ),
    "accents": (["cafe\u0301"], ["caf\u00e9"], "differ in how accents are encoded"),
    "few of many": ([str(number) for number in range(100, 900)] + ["01"], ["1"], "01 and 1 differ in zeros in front"),
}


@pytest.mark.parametrize(("theirs", "ours", "said"), ALIKE.values(), ids=ALIKE)
def test_ids_that_mean_the_same_are_named_with_what_they_differ_in(theirs, ours, said):
    assert said in likeness(theirs, ours)


OTHERS = {
    "nothing": ([], ["1"]),
    "parts of numbers": (["213", "215"], ["1", "5"]),
    "other words": (["bread", "water"], ["sky", "rain"]),
    "one of many": (["001", "a", "b", "c"], ["1", "x", "y", "z"]),
}


@pytest.mark.parametrize(("theirs", "ours"), OTHERS.values(), ids=OTHERS)
def test_other_ids_are_not_taken_for_alike(theirs, ours):
    assert likeness(theirs, ours) == ""
