"""Near duplicates: against every pair compared by a table of common subsequences."""

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exam_core.errors import UsageError
from exam_core.question import Question
from exam_core.wings.banks import editing
from exam_core.wings.banks.editing import Bank, near_duplicates, normalised

TEXTS = st.lists(st.text("ab ?.", max_size=12), max_size=9)


def bank(*texts: str | None, query: str = "q1") -> Bank:
    rows = [Question(query, f"{query}/x{number}", text) for number, text in enumerate(texts)]
    return {row.key: row for row in rows}


def likeness(one: str, other: str) -> float:
    """Twice the length of the longest common subsequence over the length of both."""
    before = [0] * (len(other) + 1)
    for letter in one:
        row = [0]
        for place, theirs in enumerate(other):
            row.append(before[place] + 1 if letter == theirs else max(row[-1], before[place + 1]))
        before = row
    return 2 * before[-1] / (len(one) + len(other))


def every_pair(bank: Bank, alike: float) -> set[tuple[str, str, float]]:
    found = set()
    for one, other in combinations(bank.values(), 2):
        words = normalised(one.text), normalised(other.text)
        if all(words) and round(likeness(*words), 9) >= alike:
            found.add((one.question_id, other.question_id, round(likeness(*words), 9)))
    return found


def as_set(pairs: list[editing.Pair]) -> set[tuple[str, str, float]]:
    return {(pair.first.question_id, pair.other.question_id, pair.alike) for pair in pairs}


@given(TEXTS, st.sampled_from([0.5, 0.75, 0.8, 0.9, 1.0]), st.sampled_from([1, 7, 2**22]))
def test_all_pairs_of_a_bank_are_found_and_no_others(texts: list[str], alike: float, cells: int) -> None:
    mine = bank(*texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(editing, "_CELLS", cells)
        found = near_duplicates(mine, alike)
    expected = every_pair(mine, alike)
    assert as_set(found) == expected
    assert len(found) == len(expected)


def test_the_likeness_is_twice_what_is_common_over_both_lengths() -> None:
    # "who won" and "who wins" have "who wn" in common: 2 * 6 / (7 + 8)
    assert near_duplicates(bank("Who won?", "who wins"), 0.8)[0].alike == 0.8
    assert near_duplicates(bank("Who won?", "who wins"), 0.81) == []


SAME = {
    "punctuation and case": ("Who WON?", "“who”, won..."),
    "the order of words": ("A or B?", "B or A?"),
    "compatible characters": ("ﬁne x²", "fine x2"),
    "blanks": (" who\u00a0\n won", "who won"),
    "sharp s": ("Straße?", "STRASSE"),
}


@pytest.mark.parametrize("case", SAME)
def test_what_makes_no_difference(case: str) -> None:
    assert [pair.alike for pair in near_duplicates(bank(*SAME[case]), 1)] == [1.0]


def test_signs_that_belong_to_a_word_make_a_difference() -> None:
    assert near_duplicates(bank("What is C++?", "What is C#?"), 1) == []


def test_questions_of_two_queries_are_never_a_pair() -> None:
    both = {**bank("who won?"), **bank("who won?", query="q2")}
    assert near_duplicates(both, 1) == []


def test_facets_of_a_query_are_compared_with_each_other() -> None:
    one, other = bank("who won?", "who won").values()
    rows = replace(one, facet_id="a"), replace(other, facet_id="b")
    assert len(near_duplicates({row.key: row for row in rows}, 1)) == 1


def test_the_most_alike_come_first_then_the_order_of_the_bank() -> None:
    found = near_duplicates(bank("who won it", "who won it?", "who won", "won who"), 0.7)
    assert [pair.alike for pair in found] == sorted((pair.alike for pair in found), reverse=True)
    assert [(pair.first.question_id, pair.other.question_id) for pair in found[:2]] == [
        ("q1/x0", "q1/x1"),
        ("q1/x2", "q1/x3"),
    ]


def test_a_pair_says_which_words_differ_as_often_as_they_do() -> None:
    pair = near_duplicates(bank("the RN and the degree of it", "the BSN and degree of it"), 0.5)[0]
    assert pair.differing == (["rn", "the"], ["bsn"])


@pytest.mark.parametrize("text", [None, "", " \n", "?!", "...", "“”"])
def test_a_question_without_words_is_like_none(text: str | None) -> None:
    assert near_duplicates(bank(text, text, "who?"), 0.5) == []


@pytest.mark.parametrize("text", ["\x00 who", "\ud800 who", "e\u0301 " * 50, "\u202ewho", "问题是什么", "🙂 who"])
def test_odd_characters_are_compared_like_others(text: str) -> None:
    assert [pair.alike for pair in near_duplicates(bank(text, text), 1)] == [1.0]


@pytest.mark.parametrize("alike", [0, 0.49, 1.01, -1, float("nan"), float("inf")])
def test_a_likeness_out_of_range_is_refused(alike: float) -> None:
    with pytest.raises(UsageError, match=r"choose 0\.5 to 1"):
        near_duplicates(bank("who?"), alike)


HUGE = {
    "two texts of two million characters": ["x" * 2_000_000, "y" * 2_000_000],
    "thirty thousand questions of one length": [f"{number:05}" for number in range(30_000)],
}


@pytest.mark.parametrize("case", HUGE)
def test_more_than_can_be_compared_is_refused_before_it_is_begun(case: str) -> None:
    with pytest.raises(UsageError, match="too much to compare"):
        near_duplicates(bank(*HUGE[case]), 1)


def test_more_pairs_than_somebody_could_look_at_are_refused() -> None:
    with pytest.raises(UsageError, match="More than 100,000 pairs"):
        near_duplicates(bank(*["who?"] * 500), 1)
    assert len(near_duplicates(bank(*["who?"] * 100), 1)) == 4950
