"""What models return where questions are asked for: every whole question is read, none is cut or made up."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.wings.banks.bad_replies import EACH, bad_replies, hostile_replies
from exam_core.wings.banks import replies
from exam_core.wings.banks.replies import LONGEST_REPLY, REASONS, read, unescaped

CORPUS = list(bad_replies())
A, B, C = "What is a?", "Why b, then?", "Is c so?"
CUT, UNCLEAR, NO_QUESTION = replies.CUT, replies.UNCLEAR, replies.NO_QUESTION


def squeezed(text):
    return " ".join(text.split())


@pytest.mark.parametrize("kind", sorted({reply.kind for reply in CORPUS}))
def test_of_a_bad_reply_every_whole_question_is_read_and_every_loss_counted(kind):
    def told(reply):
        found = read(reply.text, cut=reply.cut)
        return sorted(found.questions), found.lost

    replies = [reply for reply in CORPUS if reply.kind == kind]
    assert len(replies) == EACH
    assert [told(one) for one in replies] == [(sorted(one.questions), +one.lost) for one in replies]


@pytest.mark.thorough
def test_the_same_holds_for_other_draws():
    wrong = [
        reply
        for seed in range(50)
        for reply in bad_replies(seed)
        if (sorted((found := read(reply.text, cut=reply.cut)).questions), found.lost)
        != (sorted(reply.questions), +reply.lost)
    ]
    assert wrong == []


HAND_MADE: dict[str, tuple[str, list[str], dict[str, int]]] = {
    "nothing": ("", [], {replies.NOTHING: 1}),
    "a refusal": ("I'm sorry, but I can't help with that.", [], {replies.NOTHING: 1}),
    "a single question back": ("What exactly do you mean?", [], {replies.NOTHING: 1}),
    "the format alone": ('{"questions":[question_text_1, question_text_2,...]}', [], {replies.NOTHING: 1}),
    "an echo of the format, then a list": (f'Like ["question_text_1"]:\n["{A}"]', [A], {NO_QUESTION: 1}),
    "an empty list": ("[]", [], {replies.NOTHING: 1}),
    "a list of numbers": ("[1, 2]", [], {replies.NOTHING: 1}),
    "a missing last quote on one line": (f'["What is a?, "What is b?", "{C}"]', [C], {UNCLEAR: 1}),
    "two of them on one line": (f'["What is, "Why so, "{B}", "{C}"]', [C], {UNCLEAR: 1}),
    "the end of a question behind a quoted phrase": (f'["What are "a, "b" and, "so?", "{B}"]', [B], {UNCLEAR: 1}),
    "no comma": (f'["{A}" "{B}"]', [], {UNCLEAR: 1}),
    "Python joins strings": (f'["What is " "a?", "{B}"]', [B], {UNCLEAR: 1}),
    "Python joins strings over lines": (f'["What is "\n "a?",\n "{B}"]', [B], {UNCLEAR: 1}),
    "a quoted phrase before a comma": (
        f'["What does "big data", in short, mean?", "{B}"]',
        [B, *['What does "big data", in short, mean?']],
        {},
    ),
    "three quotes": (f'["""{A}"""]', [], {UNCLEAR: 1}),
    "an opened quote at the very end": ('["What is the "', [], {CUT: 1}),
    "a quote at the very end": (f'["{A}"', [A], {}),
    "cut in an escape": (f'["{A}", "What is \\u00e', [A], {CUT: 1}),
    "cut in a key": (f'{{"questions": ["{A}"], "quest', [A], {CUT: 1}),
    "cut in an answer": (f'[{{"question": "{A}", "answer": "Because', [A], {}),
    "thoughts within a line": (f"<think>Let me see.</think>Sure!\n1. {A}\n2. {B}", [A, B], {}),
    "cut in thoughts": ("<think>Let me see.\n1. What is a?", [], {replies.THOUGHTS: 1}),
    "thoughts after a list": (f'["{A}"]\n<think>Or rather', [A], {replies.THOUGHTS: 1}),
    "a question about the tag of thoughts": (
        f'["What does </think> mean?", "{B}"]',
        ["What does </think> mean?", B],
        {},
    ),
    "a heading among items": (f"1. Basics\n   - {A}\n   - {B}\n", [A, B], {NO_QUESTION: 1}),
    "headings in bold": (f"**Basics:**\n1. **{A}** It is asked often.\n2. **Why:** {B}\n", [A, B], {}),
    "an item over two lines": ("1. What is\n   the a?\n2. Why b, then?\n", ["What is the a?", B], {}),
    "a heading over an item is no part of it": (f"1. Basics\n   {A}\n2. {B}\n", [B], {NO_QUESTION: 1}),
    "a remark behind an item": (f"1. {A} (a basic one)\n2. {B} - goes deeper\n", [A, B], {}),
    "quotes around items": (f'1. "{A}"\n2. "{B}",\n', [A, B], {}),
    "brackets in an item": (f'1. What is ["x y"] in b?\n2. {B}\n', ['What is ["x y"] in b?', B], {}),
    "tags": (f"- <question>{A}</question>\n- <q>{B}</q>\n", [A, B], {}),
    "a rule between items": (f"- {A}\n---\n- {B}\n***\n", [A, B], {}),
    "questions as keys": (f'{{"{A}": "It is so, yes", "{B}": "No, it is not"}}', [A, B], {}),
    "answers with texts": (f'[{{"question": "{A}", "answers": [{{"text": "Is it so?"}}]}}]', [A], {}),
    "closing brackets that nobody opened": (f']]}} ["{A}"] ]]', [A], {}),
    "brackets of the wrong kind": (f'{{"questions": ["{A}", "{B}")}}', [A, B], {}),
    "an imperative in JSON": ('["Explain the role of a."]', ["Explain the role of a."], {}),
    "an imperative in a list": (f"- Explain the role of a.\n- {B}\n", [B], {NO_QUESTION: 1}),
    "a claim in a script without blanks": ('["自杀率上升。"]', ["自杀率上升。"], {}),
    "half of a pair": ('["What is \\ud83d?", "Why b, then?"]', [B], {replies.UNREADABLE: 1}),
    "both halves of a pair": ('["What is \\ud83d\\ude42?"]', ["What is 🙂?"], {}),
    "LaTeX": (r'["What is $\alpha$ in a?"]', [r"What is $\alpha$ in a?"], {}),
    "other languages": ("1. 水とは何ですか？\n2. ما هو الماء؟\n", ["水とは何ですか？", "ما هو الماء؟"], {}),
    "NUL in the prose": (f'\0\0["{A}"]\0', [A], {}),
}


@pytest.mark.parametrize("case", HAND_MADE)
def test_what_was_made_by_hand_is_read_as_a_person_would(case):
    text, questions, lost = HAND_MADE[case]
    found = read(text)
    assert (sorted(found.questions), dict(found.lost)) == (sorted(questions), lost)


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        (f"1. {A}\n2. {B}", [A]),
        (f"1. {A}\n2. {B}\n", [A, B]),
        (f"{A}\n{B}\n{C}", [A, B]),
        (f'["{A}", "{B}"', [A, B]),
        (f'["{A}", "{B}"]', [A, B]),
    ],
)
def test_of_a_model_that_was_stopped_what_ends_with_the_reply_is_left_out(text, questions):
    found = read(text, cut=True)
    assert (list(found.questions), found.lost.total()) == (questions, text.count("?") - len(questions))


TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40)
QUESTIONS = st.lists(
    st.builds("Why {}?".format, TEXTS.filter(lambda text: "\ufffd" not in text)), min_size=1, max_size=6, unique=True
)


@given(QUESTIONS)
@example(['Why " , "?', "Why ','?", "Why \\?"])
def test_of_json_and_python_it_reads_what_their_own_parsers_read(questions):
    assert read(json.dumps(questions)).questions == tuple(questions)
    assert read(json.dumps({"questions": questions}, indent=1)).questions == tuple(questions)
    assert read(repr(questions)).questions == tuple(questions)


@given(QUESTIONS, st.data())
def test_wherever_a_list_breaks_off_no_part_of_a_question_is_taken_for_one(questions, data):
    for text in (json.dumps(questions), "\n".join(f"{place}. {one}" for place, one in enumerate(questions, 1))):
        at = data.draw(st.integers(0, len(text)))
        assert set(read(text[:at], cut=True).questions) <= {squeezed(one) for one in questions} | set(questions)


SIGNS = st.lists(
    st.sampled_from([*"\"'[]{}(),:\\\n ?-*1.“”`<>", "why?", "a b", "null", "</think>", "```"]), max_size=60
)


@given(SIGNS.map("".join))
def test_whatever_comes_each_question_stands_in_the_reply(reply):
    said = squeezed(unescaped(reply))
    found = read(reply)
    assert [one for one in found.questions if squeezed(one) not in said and one not in reply] == []
    assert found.questions or found.lost


def test_a_question_beyond_the_longest_reply_is_counted_and_not_read():
    found = read(f'["{A}", {" " * LONGEST_REPLY} "{B}"]')
    assert (found.questions, found.lost) == ((A,), {replies.BEYOND: 1})


@pytest.mark.parametrize("name", hostile_replies(10))
def test_a_hostile_reply_gives_few_questions_and_says_why(name):
    found = read(hostile_replies(30_000)[name])
    assert len(found.questions) <= 2
    assert found.lost


def test_every_reason_is_explained():
    named = {
        value for name, value in vars(replies).items() if name.isupper() and name[0] != "_" and isinstance(value, str)
    }
    assert set(REASONS) == named
