"""Prompts that a server cut without a word, found by what it counted."""

import random

from exam_core.grading.prompt import TokenCounts, cut_words


def test_prompts_of_which_the_server_counted_clearly_fewer_tokens_are_found_in_any_script():
    draw, sizes, long = random.Random(7), TokenCounts(), []
    for place in range(100):
        words = draw.randint(600, 900) if place % 5 == 4 else draw.randint(20, 260)
        text = "日" * words if place % 3 else "word " * words
        whole = round(2 * (words if place % 3 else 1.3 * words)) + 9  # a tokenizer of twice as many, and a template
        sizes.add(place, text, min(whole, 700))
        long += [place] * (words >= 600)
    assert sizes.cut() == long
    counted, sent = sizes.counted(long[0])
    assert sent > counted / 0.6
    said = cut_words(len(long), ["p", "p", "q"], (counted, sent))
    assert f"The server cut {len(long)} prompts: it counted 700 tokens" in said
    assert "(p; q" in said


def test_few_prompts_say_nothing_of_each_other():
    sizes = TokenCounts()
    for place in range(19):
        sizes.add(place, "word " * 100, 130 if place else 5)
    assert sizes.cut() == []
    sizes.add(19, "word " * 100, 130)
    assert sizes.cut() == [0]
