"""Numbers as options, addresses and names have them."""

from __future__ import annotations

import pytest

from exam_core.wording import counted, plain_number


@pytest.mark.parametrize(
    ("text", "number"),
    [("7", 7), ("007", 7), ("9" * 9, 999_999_999), *((other, None) for other in ("", "-1", "1.0", "²", "٣", "1" * 10))],
)
def test_a_plain_number_has_one_to_nine_digits_of_ascii(text: str, number: int | None) -> None:
    assert plain_number(text) == number


def test_answers_that_say_more_than_a_digit_are_no_alarm() -> None:
    said = counted({"grades": 8524, "answers that are not a plain digit": 8524})
    assert said == "8,524 grades, 8,524 answers that say more than a digit, rated as their file says"
