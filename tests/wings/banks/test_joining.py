"""Banks as values: changes, near duplicates, and another bank's questions brought into one."""

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz

from exam_core.errors import UsageError
from exam_core.question import Question
from exam_core.tables import question_id
from exam_core.wings.banks import editing
from exam_core.wings.banks.editing import (
    bank_of,
    frame_of,
    joined,
    merged,
    near_duplicates,
    nearest,
    normalised,
    reworded,
)
from exam_core.wings.banks.versions import Change, applied, diff
from tests.texts.test_scripts import APART, COMPOSED

LONG = "Which gas do plants take in for photosynthesis?"


def question(text, name=None, **fields):
    return replace(Question("q1", name or question_id("q1", text or ""), text), **fields)


def of(*questions):
    return {one.key: one for one in questions}


WHO = question("who?")


def test_one_in_the_same_words_is_joined_and_keeps_the_answers_of_both():
    found = joined(of(replace(WHO, gold_answers=("a",))), of(question(" who? ", "x", gold_answers=("b", "a"))))
    (one,) = found.bank.values()
    assert (one.question_id, one.gold_answers, one.lineage.merged_from) == (WHO.question_id, ("a", "b"), ("x",))
    assert (len(found.same), found.added) == (1, [])


@pytest.mark.parametrize("fields", [{"query_id": "q2"}, {"facet_id": "f"}])
def test_the_same_words_elsewhere_are_another_question(fields):
    found = joined(of(WHO), of(replace(WHO, question_id="x", **fields)))
    assert (len(found.bank), len(found.added)) == (2, 1)


@pytest.mark.parametrize(
    "text", [LONG.upper(), "For photosynthesis, which gas do plants take in?", LONG.replace("gas", "gases")]
)
def test_a_near_duplicate_is_named_and_added_or_merged(text):
    bank, other = of(question(LONG)), of(question(text))
    listed, merged = joined(bank, other), joined(bank, other, alike=0.85)
    assert (len(listed.near), len(listed.bank), len(merged.merged), len(merged.bank)) == (1, 2, 1, 1)
    assert next(iter(merged.bank.values())).text == LONG


def test_several_near_duplicates_become_one_and_the_nearest_is_taken():
    bank = of(question("aaaa bbbb cccc"), question("aaaa bbbb dddd"))
    found = joined(
        bank, of(question("aaaa bbbb cccx"), question("aaaa bbbb xccc"), question("aaaa bbbb ddxd")), alike=0.8
    )
    assert [len(one.lineage.merged_from) for one in found.bank.values()] == [2, 1]


def test_questions_that_are_alike_within_a_bank_stay():
    other = of(question(LONG), question(LONG + "?"))
    assert len(joined(other, {}, alike=0.5).bank) == len(joined({}, other, alike=0.5).bank) == 2


def test_an_id_that_means_another_question_gives_way():
    taken = question("something else", question_id("q1", "who?"))
    found = joined(of(question("why?", "x"), taken), of(question("who?", "x")))
    assert [one.text for one in found.bank.values()] == ["why?", "something else", "who?"]


@pytest.mark.parametrize(("own", "brought"), [(None, "who?"), ("who?", None), (None, None)])
def test_where_only_the_id_is_known_the_id_tells(own, brought):
    found = joined(of(question(own, "x")), of(question(brought, "x")))
    assert [one.text for one in found.bank.values()] == [own or brought]


def test_a_question_that_was_switched_off_stays_off():
    found = joined(of(replace(WHO, enabled=False)), of(replace(WHO, question_id="x")))
    assert [one.enabled for one in found.bank.values()] == [False]


TEXTS = st.text("ab C?", max_size=8)


@given(TEXTS, st.lists(TEXTS, max_size=5), st.floats(0.01, 1))
def test_the_nearest_is_what_comparing_one_by_one_finds(text, others, least):
    words, names = normalised(text), [normalised(other) for other in others]
    slow = [fuzz.token_sort_ratio(words, name) / 100 for name in names]
    found = nearest(words, names, least)
    best = max(slow, default=0.0)
    assert (found and found[1]) == (best if words and others and best >= least else None)


BANKS = st.lists(
    st.builds(
        lambda text, name, facet: replace(question(text, name), facet_id=facet),
        st.none() | TEXTS,
        st.sampled_from("xyz") | st.none(),
        st.none() | st.just("f"),
    ),
    max_size=5,
).map(lambda rows: of(*rows))


def words(bank):
    return {(one.facet_id, one.text.strip()) for one in bank.values() if one.text is not None}


def ids(bank):
    return set(bank)


@given(BANKS, BANKS)
def test_nothing_of_either_bank_is_lost(bank, other):
    found = joined(bank, other)
    assert words(found.bank) == words(bank) | words(other)
    assert ids(bank) <= ids(found.bank)
    assert len(found.same) + len(found.merged) + len(found.added) == len(other)
    assert words(joined(found.bank, other).bank) == words(found.bank)


def worded(text):
    return Question("q", question_id("q", text), text)


def test_accents_make_no_other_question():
    one, other = worded(COMPOSED), worded(APART)
    assert reworded(one, APART).question_id == one.question_id
    assert [len(found) for found in (joined({one.key: one}, {other.key: other}).same, joined({}, {}).same)] == [1, 0]


WHO_IT_WAS, WHERE, WHEN = (Question("q1", f"q1/{word}", f"{word}?") for word in ("who", "where", "when"))
OTHER = Question("q2", "q2/what", "what?")


def bank(*questions):
    return {question.key: question for question in questions}


def test_a_reworded_question_remembers_all_that_it_was_but_not_itself():
    once = reworded(WHO_IT_WAS, "who is it?")
    twice = reworded(once, "who was it?")
    assert twice.lineage.reworded_from == (once.question_id, WHO_IT_WAS.question_id)
    assert reworded(WHO_IT_WAS, " who? ").question_id == WHO_IT_WAS.question_id
    first = Question("q1", question_id("q1", "who?"), "who?")
    back = reworded(reworded(first, "whom?"), "who?")
    assert back.question_id == first.question_id
    assert first.question_id not in back.lineage.parents


def test_merged_questions_keep_all_answers_and_remember_each_other():
    one, other = replace(WHO_IT_WAS, gold_answers=("a",)), replace(WHERE, gold_answers=("b", "a"))
    both = merged([one, other])
    assert (both.question_id, both.gold_answers, both.lineage.merged_from) == ("q1/who", ("a", "b"), ("q1/where",))


CASES = {
    "nothing": (bank(WHO_IT_WAS, WHERE), bank(WHO_IT_WAS, WHERE), []),
    "added": (bank(WHO_IT_WAS), bank(WHO_IT_WAS, WHERE), ["added"]),
    "removed": (bank(WHO_IT_WAS, WHERE), bank(WHERE), ["removed"]),
    "changed": (bank(WHO_IT_WAS), bank(replace(WHO_IT_WAS, weight=2.0)), ["changed"]),
    "reworded": (bank(WHO_IT_WAS, WHERE), bank(reworded(WHO_IT_WAS, "whom?"), WHERE), ["reworded"]),
    "reworded twice": (bank(WHO_IT_WAS), bank(reworded(reworded(WHO_IT_WAS, "whom?"), "whose?")), ["reworded"]),
    "merged": (bank(WHO_IT_WAS, WHERE, WHEN), bank(merged([WHO_IT_WAS, WHERE]), WHEN), ["merged"]),
    "merged into new words": (bank(WHO_IT_WAS, WHERE), bank(merged([WHO_IT_WAS, WHERE], "who and where?")), ["merged"]),
    "back to the old words": (bank(reworded(WHO_IT_WAS, "whom?")), bank(WHO_IT_WAS), ["reworded"]),
    "same words in another query": (bank(WHO_IT_WAS), bank(replace(WHO_IT_WAS, query_id="q2")), ["added", "removed"]),
    "all at once": (
        bank(WHO_IT_WAS, WHERE, WHEN),
        bank(reworded(WHEN, "since when?"), OTHER),
        ["reworded", "added"] + ["removed"] * 2,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_diff_names_what_was_done_and_a_bank_with_it_is_the_new_bank(case):
    old, new, how = CASES[case]
    assert [change.how for change in diff(old, new)] == how
    assert applied(old, diff(old, new)) == dict(new)


def test_a_result_stands_where_its_first_question_stood_and_a_new_one_after_its_query():
    changes = [Change((WHO_IT_WAS,), reworded(WHO_IT_WAS, "whom?")), Change((), WHEN)]
    assert [question.text for question in applied(bank(WHO_IT_WAS, WHERE, OTHER), changes).values()] == [
        "whom?",
        "where?",
        "when?",
        "what?",
    ]


def test_questions_are_the_same_after_a_frame():
    rows = bank(
        replace(WHO_IT_WAS, gold_answers=("a", "b"), choices=(), creators="[1]", extra='{"x":1}'), merged([WHEN, WHERE])
    )
    assert bank_of(frame_of(rows.values(), "b", 3)) == rows


RANDOM_TEXTS = st.lists(st.text("ab ?.", max_size=12), max_size=9)


def bank_of_texts(*texts, query="q1"):
    rows = [Question(query, f"{query}/x{number}", text) for number, text in enumerate(texts)]
    return {row.key: row for row in rows}


def likeness(one, other):
    """Twice the length of the longest common subsequence over the length of both."""
    before = [0] * (len(other) + 1)
    for letter in one:
        row = [0]
        for place, theirs in enumerate(other):
            row.append(before[place] + 1 if letter == theirs else max(row[-1], before[place + 1]))
        before = row
    return 2 * before[-1] / (len(one) + len(other))


def every_pair(bank, alike):
    found = set()
    for one, other in combinations(bank.values(), 2):
        words = normalised(one.text), normalised(other.text)
        if all(words) and round(likeness(*words), 9) >= alike:
            found.add((one.question_id, other.question_id, round(likeness(*words), 9)))
    return found


def as_set(pairs):
    return {(pair.first.question_id, pair.other.question_id, pair.alike) for pair in pairs}


@given(RANDOM_TEXTS, st.sampled_from([0.5, 0.75, 0.8, 0.9, 1.0]), st.sampled_from([1, 7, 2**22]))
def test_all_pairs_of_a_bank_are_found_and_no_others(texts, alike, cells):
    mine = bank_of_texts(*texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(editing, "_CELLS", cells)
        found = near_duplicates(mine, alike)
    expected = every_pair(mine, alike)
    assert as_set(found) == expected
    assert len(found) == len(expected)


def test_the_likeness_is_twice_what_is_common_over_both_lengths_signs_of_words_included():
    # "who won" and "who wins" have "who wn" in common: 2 * 6 / (7 + 8)
    assert near_duplicates(bank_of_texts("Who won?", "who wins"), 0.8)[0].alike == 0.8
    assert near_duplicates(bank_of_texts("Who won?", "who wins"), 0.81) == []
    assert near_duplicates(bank_of_texts("What is C++?", "What is C#?"), 1) == []


SAME = {
    "punctuation and case": ("Who WON?", "“who”, won..."),
    "the order of words": ("A or B?", "B or A?"),
    "compatible characters": ("ﬁne x²", "fine x2"),
    "blanks": (" who\u00a0\n won", "who won"),
    "sharp s": ("Straße?", "STRASSE"),
}


@pytest.mark.parametrize("case", SAME)
def test_what_makes_no_difference(case):
    assert [pair.alike for pair in near_duplicates(bank_of_texts(*SAME[case]), 1)] == [1.0]


def test_facets_of_a_query_are_compared_with_each_other_and_questions_of_two_queries_never():
    both = {**bank_of_texts("who won?"), **bank_of_texts("who won?", query="q2")}
    assert near_duplicates(both, 1) == []
    one, other = bank_of_texts("who won?", "who won").values()
    rows = replace(one, facet_id="a"), replace(other, facet_id="b")
    assert len(near_duplicates({row.key: row for row in rows}, 1)) == 1


def test_the_most_alike_come_first_then_the_order_of_the_bank():
    found = near_duplicates(bank_of_texts("who won it", "who won it?", "who won", "won who"), 0.7)
    assert [pair.alike for pair in found] == sorted((pair.alike for pair in found), reverse=True)
    assert [(pair.first.question_id, pair.other.question_id) for pair in found[:2]] == [
        ("q1/x0", "q1/x1"),
        ("q1/x2", "q1/x3"),
    ]


def test_a_pair_says_which_words_differ_as_often_as_they_do():
    pair = near_duplicates(bank_of_texts("the RN and the degree of it", "the BSN and degree of it"), 0.5)[0]
    assert pair.differing == (["rn", "the"], ["bsn"])


@pytest.mark.parametrize("text", [None, "", " \n", "?!", "...", "“”"])
def test_a_question_without_words_is_like_none(text):
    assert near_duplicates(bank_of_texts(text, text, "who?"), 0.5) == []


@pytest.mark.parametrize("text", ["\x00 who", "\ud800 who", "e\u0301 " * 50, "\u202ewho", "问题是什么", "🙂 who"])
def test_odd_characters_are_compared_like_others(text):
    assert [pair.alike for pair in near_duplicates(bank_of_texts(text, text), 1)] == [1.0]


@pytest.mark.parametrize("alike", [0, 0.49, 1.01, -1, float("nan"), float("inf")])
def test_a_likeness_out_of_range_is_refused(alike):
    with pytest.raises(UsageError, match=r"choose 0\.5 to 1"):
        near_duplicates(bank_of_texts("who?"), alike)


HUGE = {
    "two texts of two million characters": ["x" * 2_000_000, "y" * 2_000_000],
    "thirty thousand questions of one length": [f"{number:05}" for number in range(30_000)],
}


@pytest.mark.parametrize("case", HUGE)
def test_more_than_can_be_compared_is_refused_before_it_is_begun(case):
    with pytest.raises(UsageError, match="too much to compare"):
        near_duplicates(bank_of_texts(*HUGE[case]), 1)


def test_more_pairs_than_somebody_could_look_at_are_refused():
    with pytest.raises(UsageError, match="More than 100,000 pairs"):
        near_duplicates(bank_of_texts(*["who?"] * 500), 1)
    assert len(near_duplicates(bank_of_texts(*["who?"] * 100), 1)) == 4950
