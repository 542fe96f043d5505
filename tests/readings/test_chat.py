"""How chat models' answers are read: a corpus of answers in the forms that models, servers and gateways write."""

import json
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from exam_core.grading.modes.mode import ModeInput
from exam_core.grading.modes.papers import MODES
from exam_core.grading.modes.ratings import Verdict
from exam_core.readings.chat import ClaimedScale, read_grade
from exam_core.readings.reasons import HELP, IN_WORDS, UNVERIFIED
from exam_core.readings.unread import reasons_of

ANSWERS = [json.loads(line) for line in (Path(__file__).parent / "answers.jsonl").read_text("utf-8").splitlines()]
KINDS = Counter(row["kind"] for row in ANSWERS)
ASKED = ModeInput("passage", "question", ("rise", "be higher"))


def read(row, reading="chat"):
    return replace(MODES[row["mode"]], reading=reading).read(row["answer"], ASKED)


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_is_read_as_its_writer_meant_it_or_its_loss_has_a_reason(kind):
    rows = [row for row in ANSWERS if row["kind"] == kind]
    found = {row["answer"]: (verdict.grade, verdict.reason) for row in rows if (verdict := read(row))}
    assert found == {row["answer"]: (row.get("grade"), row.get("reason", "")) for row in rows}


def test_the_corpus_is_as_large_as_is_said_and_has_every_reason():
    assert len(ANSWERS) >= 300
    assert len(KINDS) >= 25
    assert {row["reason"] for row in ANSWERS if "reason" in row} == HELP.keys() - {IN_WORDS, UNVERIFIED}


def test_what_flan_t5_writes_is_read_alike_by_both():
    rated = [row for row in ANSWERS if row["mode"] != "qa" and read(row, "flan-t5").grade is not None]
    assert len(rated) > 15
    assert [read(row, "flan-t5") for row in rated] == [read(row) for row in rated]


def test_an_answer_that_another_reading_reads_says_so():
    flan = MODES["self-rating"]
    assert [flan.read(answer, ASKED).reason for answer in ("Rating: 4", "3-4")] == [IN_WORDS, "between two grades"]
    assert flan.read("Rating: 4", ASKED, "authors") == Verdict(0, False)
    assert flan.read("Rating: 4", ASKED, "authors").reason == IN_WORDS
    counts = reasons_of([("Rating: 4", 3), ("often", 2), ("**4**", 1)], {"rated": True}, 5)
    assert counts == {IN_WORDS: 4, "no grade in it": 2}


def test_words_mean_grades_and_the_longest_one_counts():
    scale = ClaimedScale(2, (("full support", 2), ("partial support", 1), ("no support", 0), ("support", 2)))
    said = {"Partial support.": 1, "**Full Support**": 2, "Label: no support": 0, "2": 2, '{"label": "support"}': 2}
    assert {answer: read_grade(answer, scale).grade for answer in said} == said
    assert read_grade("Full support or partial support", scale).reason == "several grades"


@pytest.mark.parametrize("scale", [ClaimedScale(10), ClaimedScale(100)])
def test_longer_scales_end_where_they_end(scale):
    answers = (f"Rating: {scale.largest}", f"{scale.largest}/{scale.largest}", f"**{scale.largest + 1}**", "4/5")
    assert [read_grade(answer, scale).grade for answer in answers] == [scale.largest, scale.largest, None, None]


def test_any_text_is_read_in_time_and_without_an_error():
    chance, parts = random.Random(5), [row["answer"] for row in ANSWERS]
    for _ in range(300):
        text = "".join(chance.choice(parts)[: chance.randrange(40)] for _ in range(chance.randrange(6)))
        found = read_grade(text, ClaimedScale())
        assert (found.grade is None) == (found.reason in HELP)
    marks = ("<think>", "{", "4 ", "rating ", "I ", "rating: ", "(", "[1, ", "<a>", "* ", "4.", '{"a":', "not ", "so ")
    marks += (" ", "\n", "-", "> ", "relevant ", "\\boxed{", "the answer is ", "between ", "$", "`", "</think>[THINK]")
    marks += ("(0", "(0=", "scale 0-", "0-1 ", "1 point ", "[result] ", "4/5 for relevance and ", "4 out of a maximum ")
    for mark in marks:
        for long in (mark * 2_000, f"rating{mark * 2_000}x", f"4{mark * 2_000}x"):
            assert read_grade(long, ClaimedScale()).grade in (None, 0, 1, 4)
