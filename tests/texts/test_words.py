"""Words, stop words and stems."""

import pytest

from exam_core.texts.words import NLTK_STOP_WORDS, QUESTION_WORDS, STOP_WORDS, content_stems, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Skin's LAYERS", ["skin", "layers"]),
        ("the skin’s layers", ["the", "skin", "layers"]),
        ("don't", ["don"]),
        ("vitamin-D, 25_mg; 3.5", ["vitamin", "d", "25", "mg", "3", "5"]),
        ("Ökologie über café", ["ökologie", "über", "café"]),
        ("...!?", []),
        ("", []),
    ],
)
def test_words_are_lower_case_without_an_apostrophes_ending(text, expected):
    assert words(text) == expected


def test_content_stems_leave_out_stop_words_and_repeats_and_keep_the_order():
    assert content_stems("The layers of the skin and a layer below") == ["layer", "skin"]


def test_question_words_count_as_content_unless_they_are_left_out():
    assert content_stems("what role") == ["what", "role"]


def test_question_words_can_be_left_out():
    assert content_stems("What role does skin play?", STOP_WORDS | QUESTION_WORDS) == ["skin"]


def test_no_word_is_in_both_lists():
    assert not STOP_WORDS & QUESTION_WORDS


def test_nltks_stop_words_are_179_and_us_is_none():
    assert len(NLTK_STOP_WORDS) == 179
    assert {"wouldn't", "which", "ma", "y"} <= NLTK_STOP_WORDS
    assert "us" in STOP_WORDS - NLTK_STOP_WORDS
