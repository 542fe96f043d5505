"""What was changed between two versions of a bank."""

from dataclasses import replace

import pytest

from exam_core.question import Question
from exam_core.tables import question_id
from exam_core.wings.banks.editing import Bank, bank_of, frame_of, merged, reworded
from exam_core.wings.banks.versions import Change, applied, diff

WHO, WHERE, WHEN = (Question("q1", f"q1/{word}", f"{word}?") for word in ("who", "where", "when"))
OTHER = Question("q2", "q2/what", "what?")


def bank(*questions: Question) -> Bank:
    return {question.key: question for question in questions}


def test_an_id_is_made_as_the_authors_make_it() -> None:
    # One of the released DL19 bank.
    text = " What are the primary responsibilities of an AML surveillance analyst?\n"
    assert question_id("1115776", text) == "1115776/efb9be3e3fa2b117fd21308d25053147"


def test_a_reworded_question_remembers_all_that_it_was() -> None:
    once = reworded(WHO, "who is it?")
    twice = reworded(once, "who was it?")
    assert twice.lineage.reworded_from == (once.question_id, WHO.question_id)


def test_words_that_differ_by_blanks_leave_the_question_what_it_is() -> None:
    assert reworded(WHO, " who? ").question_id == WHO.question_id


def test_a_question_that_gets_its_old_words_back_is_no_parent_of_its_own() -> None:
    first = Question("q1", question_id("q1", "who?"), "who?")
    back = reworded(reworded(first, "whom?"), "who?")
    assert back.question_id == first.question_id
    assert first.question_id not in back.lineage.parents


def test_merged_questions_keep_all_answers_and_remember_each_other() -> None:
    one, other = replace(WHO, gold_answers=("a",)), replace(WHERE, gold_answers=("b", "a"))
    both = merged([one, other])
    assert (both.question_id, both.gold_answers, both.lineage.merged_from) == ("q1/who", ("a", "b"), ("q1/where",))


CASES = {
    "nothing": (bank(WHO, WHERE), bank(WHO, WHERE), []),
    "added": (bank(WHO), bank(WHO, WHERE), ["added"]),
    "removed": (bank(WHO, WHERE), bank(WHERE), ["removed"]),
    "changed": (bank(WHO), bank(replace(WHO, weight=2.0)), ["changed"]),
    "reworded": (bank(WHO, WHERE), bank(reworded(WHO, "whom?"), WHERE), ["reworded"]),
    "reworded twice": (bank(WHO), bank(reworded(reworded(WHO, "whom?"), "whose?")), ["reworded"]),
    "merged": (bank(WHO, WHERE, WHEN), bank(merged([WHO, WHERE]), WHEN), ["merged"]),
    "merged into new words": (bank(WHO, WHERE), bank(merged([WHO, WHERE], "who and where?")), ["merged"]),
    "back to the old words": (bank(reworded(WHO, "whom?")), bank(WHO), ["reworded"]),
    "same words in another query": (bank(WHO), bank(replace(WHO, query_id="q2")), ["added", "removed"]),
    "all at once": (
        bank(WHO, WHERE, WHEN),
        bank(reworded(WHEN, "since when?"), OTHER),
        ["reworded", "added"] + ["removed"] * 2,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_diff_names_what_was_done(case: str) -> None:
    old, new, how = CASES[case]
    assert [change.how for change in diff(old, new)] == how


@pytest.mark.parametrize("case", CASES)
def test_a_bank_with_its_changes_is_the_new_bank(case: str) -> None:
    old, new, _ = CASES[case]
    assert applied(old, diff(old, new)) == dict(new)


def test_a_result_stands_where_its_first_question_stood_and_a_new_one_after_its_query() -> None:
    changes = [Change((WHO,), reworded(WHO, "whom?")), Change((), WHEN)]
    assert [question.text for question in applied(bank(WHO, WHERE, OTHER), changes).values()] == [
        "whom?",
        "where?",
        "when?",
        "what?",
    ]


def test_questions_are_the_same_after_a_frame() -> None:
    rows = bank(
        replace(WHO, gold_answers=("a", "b"), choices=(), creators="[1]", extra='{"x":1}'), merged([WHEN, WHERE])
    )
    assert bank_of(frame_of(rows.values(), "b", 3)) == rows
