"""Words, letters and tokens in all scripts."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exam_core.grading.modes.ratings import is_correct
from exam_core.hiding import hidden_runs
from exam_core.texts.marking import mark, mark_words
from exam_core.texts.rankers import terms
from exam_core.texts.scripts import about_tokens, pieces, word_list, words_in
from exam_core.texts.words import words

MIXED = st.text(st.sampled_from("aBs'’_ .,-3é\u0308\u0301日本のカー中が\u3099かกาั่ญมहा्दरीй\u0654اब\u200dÅſẞ가𠀀。"))
COMPOSED = "Die Mühle gehört Jürgen"
APART = unicodedata.normalize("NFD", COMPOSED)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Skin's x_y 25_mg", "skin s x y 25 mg"),
        ("日本2020年、カード", "日 本 2020 年 カード"),
        ("これは", "こ れ は"),
        ("जापान में 20919 हुईं।", "जापान में 20919 हुईं"),
        ("سجلت اليابان، 2020", "سجلت اليابان 2020"),
        ("Безработица выросла", "безработица выросла"),
        ("한국어 2020년", "한국어 2020년"),
        # letters with their marks: น ร า ย; two letters are all that there is of ปี
        ("นราย 2020 ปี", "นรา ราย 2020 ปี"),
        ("ญี่ปุ่น", "ญี่ปุ่น"),
    ],
)
def test_words_are_what_readers_of_a_script_take_for_words(text, expected):
    assert word_list(text) == expected.split()


def slow_words(text):
    """The same, letter by letter, by the names that Unicode gives them."""
    found, run, of = [], [], ""
    for char in [*unicodedata.normalize("NFC", text.lower()), " "]:
        name, mark = unicodedata.name(char, ""), unicodedata.category(char)[0] == "M" or char == "\u200d"
        kind = "" if not char.isalnum() else "alone" if name.startswith(("CJK", "HIRAGANA")) else "word"
        kind = "threes" if kind and name.startswith("THAI CHARACTER") else kind
        if mark and run:
            run[-1] += char
            continue
        if kind != of or kind == "alone":
            whole = [run[at : at + 3] for at in range(max(len(run) - 2, 1))] if of == "threes" else [run]
            found += ["".join(one) for one in whole if one]
            run, of = [], kind
        if kind:
            run.append(char)
    return found


@given(MIXED)
def test_words_are_those_that_a_loop_over_letters_finds(text):
    assert word_list(text) == slow_words(text)


@given(MIXED)
def test_composed_and_decomposed_texts_have_the_same_words_tokens_and_places(text):
    one, other = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert words(one) == words(other)
    assert about_tokens(one, 1.3) == about_tokens(other, 1.3)
    for of in (one, other):
        assert [unicodedata.normalize("NFC", of[start:end].lower()) for start, end, _ in words_in(of)] == word_list(of)


@given(MIXED)
def test_pieces_are_the_whole_text_without_what_is_before_it(text):
    assert "".join(pieces(text)) == text.lstrip()


@given(st.text(st.characters(max_codepoint=127)))
def test_words_of_ascii_are_those_of_the_script_of_rouge(text):
    assert word_list(text) == re.findall("[a-z0-9]+", text.lower())


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("one two three", 3.9), ("日本では2020年に", 6 + 1.3), ("ภาษาไทย", 7), ("ニューヨーク", 6), ("आत्महत्याएँ हुईं", 2.6)],
)
def test_a_letter_of_a_script_without_blanks_is_a_token(text, tokens):
    assert about_tokens(text, 1.3) == pytest.approx(tokens)


# One text in two encodings is the same wherever texts are compared. What is stored stays as it came.


def test_accents_make_no_other_word_mark_answer_or_name():
    assert terms(APART) == terms(COMPOSED)
    found = [mark(text, "Jürgen, Mühle?").places for text in (COMPOSED, APART)]
    assert [[text[slice(*at)] for at in own] for text, own in zip((COMPOSED, APART), found, strict=True)] == [
        ["Mühle", "Jürgen"],
        [unicodedata.normalize("NFD", word) for word in ("Mühle", "Jürgen")],
    ]
    assert [len(mark_words(text, [word])) for text in (COMPOSED, APART) for word in ("mühle", APART[4:10])] == [1] * 4
    assert [is_correct(APART, [COMPOSED], how) for how in ("words", "words-authors")] == [True, True]
    assert hidden_runs("-mühle", [APART, "b"]) == (APART,)


def test_marks_of_threes_of_letters_are_one():
    text = "เขาอยู่ญี่ปุ่นรายงาน 5"
    (place,) = mark(text, "ญี่ปุ่นราย").places
    assert text[slice(*place)] == "ญี่ปุ่นราย"
