"""What to look for in a passage that may answer a question."""

import pytest

from exam_core.texts.words import question_keys

QUESTION = "What is the role of melanin in the skin?"


@pytest.mark.parametrize(
    ("gold", "keys"),
    [
        (["The epidermis"], [["epidermi"]]),
        (["melanin", "brown pigments"], [["melanin"], ["brown", "pigment"]]),
        (["true"], [["melanin", "skin"]]),
        (["false"], [["melanin", "skin"]]),
        (["Yes", "No"], [["melanin", "skin"]]),
        (["true", "melanin"], [["melanin"]]),
        (["", "of the"], [["melanin", "skin"]]),
        ([], [["melanin", "skin"]]),
        (None, [["melanin", "skin"]]),
        (float("nan"), [["melanin", "skin"]]),
    ],
    ids=str,
)
def test_a_key_is_each_gold_answer_or_else_the_words_of_the_question(gold, keys):
    assert question_keys(QUESTION, gold) == keys


def test_a_question_without_text_and_answer_has_an_empty_key():
    assert question_keys(None, None) == [[]]
