"""Drafts: undo and redo without end, typing, and lines that were cut off."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exam_core.errors import UsageError
from exam_core.question import Question
from exam_core.tables import question_id
from exam_core.wings.banks.draft import Begun, Line, Put, lines_of, read_draft, rewording, step

WHO, WHERE = (Question("q1", question_id("q1", text), text) for text in ("who?", "where?"))
OTHER = Question("q2", question_id("q2", "what?"), "what?")
BASE = {one.key: one for one in (WHO, WHERE, OTHER)}
BEGUN = Begun("b", 1, "me", "2026-01-01T00:00:00+00:00")


def draft_of(*lines):
    """The draft that these lines are, as if read from a file."""
    return whole(list(map(msgspec.json.encode, lines)))


def whole(lines):
    found = read_draft(BEGUN, lines, BASE)
    first, *rest = lines_of(found)
    assert first == msgspec.json.encode(BEGUN)
    again = read_draft(BEGUN, rest, BASE)
    assert [one.said for one in again.steps] == [one.said for one in found.steps]
    assert (list(again.bank.items()), again.at, again.typed) == (list(found.bank.items()), found.at, found.typed)
    return found


def texts(draft):
    return [question.text for question in draft.bank.values()]


def new(text, query="q1"):
    return Question(query, question_id(query, text), text)


def test_a_new_question_comes_after_its_query_and_a_result_in_its_first_ones_place():
    draft = draft_of(Line("add", (Put((), new("when?")),)), Line("put", (Put((WHO.key, WHERE.key), new("both?")),)))
    assert texts(draft) == ["both?", "when?", "what?"]


def test_what_is_deleted_is_gone_until_it_is_undone():
    gone = Line("delete", (Put((WHO.key,)),))
    assert texts(draft_of(gone)) == ["where?", "what?"]
    assert texts(draft_of(gone, Line(move="undo"))) == ["who?", "where?", "what?"]
    assert texts(draft_of(gone, Line(move="undo"), Line(move="redo"))) == ["where?", "what?"]


def test_what_is_done_after_an_undo_takes_the_place_of_what_was_undone():
    draft = draft_of(Line("a", (Put((), new("a?")),)), Line(move="undo"), Line("b", (Put((), new("b?")),)))
    assert (texts(draft), draft.can_redo) == (["who?", "where?", "b?", "what?"], "")


def test_typing_on_is_one_step_and_remembers_the_words_from_before_alone():
    draft, key = draft_of(), WHO.key
    lines = []
    for text in ("who", "whom", "whom?"):
        line = rewording(draft, key, text)
        assert line is not None
        lines.append(line)
        draft, key = draft_of(*lines), (line.puts[0].after or WHO).key
    assert texts(draft)[0] == "whom?"
    assert draft.bank[key].lineage.reworded_from == (WHO.question_id,)
    assert texts(draft_of(*lines, Line(move="undo"))) == ["who?", "where?", "what?"]


def test_typing_the_old_words_again_leaves_the_question_what_it_was():
    first = rewording(draft_of(), WHO.key, "whom?")
    assert first is not None
    again = rewording(draft_of(first), (first.puts[0].after or WHO).key, "who?")
    assert again is not None
    assert draft_of(first, again).bank == BASE


def test_words_that_it_has_already_are_no_step():
    assert rewording(draft_of(), WHO.key, "who?") is None


@pytest.mark.parametrize(
    ("put", "message"),
    [
        (Put((("q1", "gone"),), None), "not in the draft any more"),
        (Put((WHO.key,), new(" ")), "needs words"),
        (Put((), new("where?")), "has this question already"),
        (Put((WHO.key,), new("where?")), "has this question already"),
        (Put((WHO.key,), Question("q1", "x", "x", weight=float("nan"))), "A weight is"),
        (Put((WHO.key,), Question("q1", "x", "x", weight=-1.0)), "A weight is"),
    ],
)
def test_what_does_not_go_with_the_draft_is_refused(put, message):
    with pytest.raises(UsageError, match=message):
        step(draft_of(), [put], "said")


@given(st.lists(st.sampled_from(["a?", "b?", "delete", "undo", "redo"]), max_size=30), st.data())
def test_a_draft_is_what_a_list_of_states_says_wherever_its_file_is_cut(moves, data):
    """The slow twin keeps every state that there was."""
    lines = []
    states, at = [dict(BASE)], 0
    seen = [dict(BASE)]
    for move in moves:
        if move in ("undo", "redo"):
            at = max(0, at - 1) if move == "undo" else min(len(states) - 1, at + 1)
            lines.append(msgspec.json.encode(Line(move="undo" if move == "undo" else "redo")))
        else:
            first = next(iter(states[at]), ("q1", "gone"))
            put = Put((first,)) if move == "delete" else Put((), new(move))
            try:
                line = step(whole(lines), [put], "said")
            except UsageError:
                seen.append(dict(states[at]))
                lines.append(b'{"said": "cut of')
                continue
            after = {key: one for key, one in states[at].items() if key not in put.before}
            if put.after:
                after[put.after.key] = put.after
            states[at + 1 :] = [after]
            at += 1
            lines.append(msgspec.json.encode(line))
        seen.append(dict(states[at]))
    cut = data.draw(st.integers(0, len(lines)))
    assert whole(lines[:cut]).bank == seen[cut]
