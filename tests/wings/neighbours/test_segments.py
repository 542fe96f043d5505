"""Long responses cut into passages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exam_core.texts.scripts import about_tokens
from exam_core.wings.neighbours.sides import segments, sentences


def count_words(text):
    return len(text.split())


def texts(text, target):
    return [passage for _, passage in segments("d1", text, count_words, target)]


def test_a_response_that_fits_keeps_its_id_and_text():
    assert segments("d1", "One two.  Three. ", count_words, 3) == [("d1", "One two.  Three. ")]


def test_passages_end_at_sentences_and_are_numbered():
    response = "One two three. Four five! Six seven? Eight."
    assert segments("d1", response, count_words, 5) == [
        ("d1#0", "One two three. Four five!"),
        ("d1#1", "Six seven? Eight."),
    ]


def test_a_sentence_that_is_too_long_is_cut_between_words():
    assert texts("one two three four five six seven. Eight.", 3) == ["one two three", "four five six", "seven. Eight."]


def test_a_word_is_never_cut():
    assert segments("d1", "a" * 9, len, 4) == [("d1", "a" * 9)]
    assert segments("d1", "aaaaaaaa bb", len, 4) == [("d1#0", "aaaaaaaa"), ("d1#1", "bb")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rose. Then it fell.", ["It rose. ", "Then it fell."]),
        ('He said "no." Then he left.', ['He said "no." ', "Then he left."]),
        ("Dr. Smith met J. R. Jones.", ["Dr. Smith met J. R. Jones."]),
        ("It costs 3.50 dollars. 4 of 5 pay.", ["It costs 3.50 dollars. ", "4 of 5 pay."]),
        ("A heading\n\nand its text", ["A heading\n\n", "and its text"]),
        ("it rose. then it fell", ["it rose. then it fell"]),
        ("it rose. \n\nthen it fell", ["it rose. \n\n", "then it fell"]),
        ("自杀率上升。“为什么？”失业！", ["自杀率上升。", "“为什么？”", "失业！"]),
        ("बढ़ी। पुलिस 3", ["बढ़ी। ", "पुलिस 3"]),
        ("هل ارتفعت؟ نعم۔ في عام 2020. وفقًا", ["هل ارتفعت؟ ", "نعم۔ ", "في عام 2020. ", "وفقًا"]),
        ("Она выросла. Безработица т. е. нет", ["Она выросла. ", "Безработица т. е. нет"]),
        ("約3．5％です．次", ["約3．5％です．", "次"]),
        ("", []),
    ],
)
def test_sentences(text, expected):
    assert list(sentences(text)) == expected


def test_scripts_without_blanks_are_cut_at_their_sentences_and_else_between_letters():
    def count(text):
        """As an import counts."""
        return round(about_tokens(text, 4 / 3))

    assert [text for _, text in segments("d", "自杀率上升。失业！三四五。", count, 8)] == [
        "自杀率上升。",
        "失业！三四五。",
    ]
    assert [text for _, text in segments("d", "日本語の文章です、はい", count, 5)] == ["日本語の文", "章です、は", "い"]
    assert [text for _, text in segments("d", "ปู่ย่าตายาย", count, 3)] == ["ปู่ย่า", "ตาย", "าย"]


@given(st.text(st.sampled_from('aB.?!" \n\té3)')), st.integers(1, 6))
def test_no_word_is_lost_doubled_or_joined(text, target):
    found = segments("d1", text, count_words, target)
    assert [word for _, passage in found for word in passage.split()] == text.split()


@given(st.lists(st.sampled_from(["a", "B.", "word", "End.\n\n", "?"])).map(" ".join), st.integers(1, 6))
def test_no_passage_is_longer_than_the_target(text, target):
    assert all(count_words(passage) <= target for passage in texts(text, target))


@given(st.lists(st.sampled_from(["a", "B.", "End.\n\n"])).map(" ".join), st.integers(1, 6))
def test_ids_are_unique_and_in_order(text, target):
    ids = [passage_id for passage_id, _ in segments("d1", text, count_words, target)]
    assert ids in (["d1"], [f"d1#{place}" for place in range(len(ids))])
