"""Another bank's questions brought into a bank."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz

from exam_core.question import Key, Question
from exam_core.tables import question_id
from exam_core.wings.banks.editing import Bank, joined, nearest, normalised, reworded
from tests.texts.test_scripts import APART, COMPOSED

LONG = "Which gas do plants take in for photosynthesis?"


def question(text: str | None, name: str | None = None, **fields: object) -> Question:
    return replace(Question("q1", name or question_id("q1", text or ""), text), **fields)


def of(*questions: Question) -> dict[Key, Question]:
    return {one.key: one for one in questions}


WHO = question("who?")


def test_one_in_the_same_words_is_joined_and_keeps_the_answers_of_both() -> None:
    found = joined(of(replace(WHO, gold_answers=("a",))), of(question(" who? ", "x", gold_answers=("b", "a"))))
    (one,) = found.bank.values()
    assert (one.question_id, one.gold_answers, one.lineage.merged_from) == (WHO.question_id, ("a", "b"), ("x",))
    assert (len(found.same), found.added) == (1, [])


@pytest.mark.parametrize("fields", [{"query_id": "q2"}, {"facet_id": "f"}])
def test_the_same_words_elsewhere_are_another_question(fields: dict[str, str]) -> None:
    found = joined(of(WHO), of(replace(WHO, question_id="x", **fields)))
    assert (len(found.bank), len(found.added)) == (2, 1)


@pytest.mark.parametrize(
    "text", [LONG.upper(), "For photosynthesis, which gas do plants take in?", LONG.replace("gas", "gases")]
)
def test_a_near_duplicate_is_named_and_added_or_merged(text: str) -> None:
    bank, other = of(question(LONG)), of(question(text))
    listed, merged = joined(bank, other), joined(bank, other, alike=0.85)
    assert (len(listed.near), len(listed.bank), len(merged.merged), len(merged.bank)) == (1, 2, 1, 1)
    assert next(iter(merged.bank.values())).text == LONG


def test_several_near_duplicates_become_one_and_the_nearest_is_taken() -> None:
    bank = of(question("aaaa bbbb cccc"), question("aaaa bbbb dddd"))
    found = joined(
        bank, of(question("aaaa bbbb cccx"), question("aaaa bbbb xccc"), question("aaaa bbbb ddxd")), alike=0.8
    )
    assert [len(one.lineage.merged_from) for one in found.bank.values()] == [2, 1]


def test_questions_that_are_alike_within_a_bank_stay() -> None:
    other = of(question(LONG), question(LONG + "?"))
    assert len(joined(other, {}, alike=0.5).bank) == len(joined({}, other, alike=0.5).bank) == 2


def test_an_id_that_means_another_question_gives_way() -> None:
    taken = question("something else", question_id("q1", "who?"))
    found = joined(of(question("why?", "x"), taken), of(question("who?", "x")))
    assert [one.text for one in found.bank.values()] == ["why?", "something else", "who?"]


@pytest.mark.parametrize(("own", "brought"), [(None, "who?"), ("who?", None), (None, None)])
def test_where_only_the_id_is_known_the_id_tells(own: str | None, brought: str | None) -> None:
    found = joined(of(question(own, "x")), of(question(brought, "x")))
    assert [one.text for one in found.bank.values()] == [own or brought]


def test_a_question_that_was_switched_off_stays_off() -> None:
    found = joined(of(replace(WHO, enabled=False)), of(replace(WHO, question_id="x")))
    assert [one.enabled for one in found.bank.values()] == [False]


TEXTS = st.text("ab C?", max_size=8)


@given(TEXTS, st.lists(TEXTS, max_size=5), st.floats(0.01, 1))
def test_the_nearest_is_what_comparing_one_by_one_finds(text: str, others: list[str], least: float) -> None:
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


def words(bank: Bank) -> set[tuple[str | None, str]]:
    return {(one.facet_id, one.text.strip()) for one in bank.values() if one.text is not None}


def ids(bank: Bank) -> set[Key]:
    return set(bank)


@given(BANKS, BANKS)
def test_nothing_of_either_bank_is_lost(bank: dict[Key, Question], other: dict[Key, Question]) -> None:
    found = joined(bank, other)
    assert words(found.bank) == words(bank) | words(other)
    assert ids(bank) <= ids(found.bank)
    assert len(found.same) + len(found.merged) + len(found.added) == len(other)


@given(BANKS, BANKS)
def test_what_was_joined_once_is_there(bank: dict[Key, Question], other: dict[Key, Question]) -> None:
    once = joined(bank, other).bank
    assert words(joined(once, other).bank) == words(once)


def worded(text):
    return Question("q", question_id("q", text), text)


def test_accents_make_no_other_question():
    one, other = worded(COMPOSED), worded(APART)
    assert reworded(one, APART).question_id == one.question_id
    assert [len(found) for found in (joined({one.key: one}, {other.key: other}).same, joined({}, {}).same)] == [1, 0]
