"""What is read from a model's answer."""

import gzip
import json
from collections import Counter

import pytest

from exam_core.grading.modes.ratings import EXPRESSIONS, denies_an_answer, rating, verdict_of, yes_or_no

RELEASED = "appendix/EXAM-graded-data/DL19-graded-t5-rating-genq-exam-qrels-runs-with-text.jsonl.gz"


@pytest.fixture(scope="module")
def released(shared_data):
    def pairs():
        with gzip.open(shared_data / RELEASED) as lines:
            for line in lines:
                for passage in json.loads(line)[1]:
                    for grades in passage["exam_grades"]:
                        ratings = {item["question_id"]: item["self_rating"] for item in grades["self_ratings"]}
                        yield from ((answer, ratings[question]) for question, answer in grades["answers"])

    return Counter(pairs())


@pytest.mark.parametrize(("rules", "others"), [("authors", 0), ("paper", 472), ("null", 472)])
def test_released_ratings_that_a_rule_reads_otherwise(released, rules, others):
    assert released.total() == 92_600
    assert sum(n for (answer, stored), n in released.items() if rating(answer, rules) != stored) == others


def test_odd_answers_were_released_as_455_zeros_17_ones_and_one_three(released):
    odd = Counter[int]()
    for (answer, stored), n in released.items():
        if answer not in {"0", "1", "2", "3", "4", "5"}:
            odd[stored] += n
    assert odd == {0: 455, 1: 17, 3: 1}


@pytest.mark.parametrize("rules", ["null", "paper", "authors"])
@pytest.mark.parametrize("answer", ["4", " 4\n", "4.", "(4)", "[4]", "4)", '"4"', "- 4:", "- 4"])
def test_a_bare_digit_is_a_rating_whatever_stands_around_it(answer, rules):
    assert rating(answer, rules) == 4


def test_anything_else_is_unreadable():
    others = ["", "Rating: 4", "0: The answer is not relevant.", *"6 9 10 -1 4.5 4/5 1a four no a. ٤".split()]
    assert [answer for answer in others if rating(answer) is not None] == []


@pytest.mark.parametrize(
    ("paper", "authors", "answers"),
    [
        (1, 0, ["medically necessary", "6", "10", "0: The answer is not relevant or complete at all.", "E"]),
        (1, 1, ["-1"]),
        (1, 4, ["4%"]),
        (0, 1, ["unanswerable", "Unknown.", "NO", "it is not possible to tell", "", "a.", "(iii)", "D"]),
        (0, 0, ["unanswerable."]),
    ],
)
def test_the_paper_fills_gaps_with_one_and_the_released_data_with_the_reverse(paper, authors, answers):
    for answer in answers:
        assert (rating(answer, "paper"), rating(answer, "authors")) == (paper, authors), answer


@pytest.mark.parametrize(
    ("answer", "null", "authors"), [("2", 2, 2), ("3", None, 0), ("No", None, 1), ("Yes", None, 0)]
)
def test_thomas_ends_at_two(answer, null, authors):
    assert (rating(answer, scale=2), rating(answer, "authors", scale=2)) == (null, authors)


def test_choices_that_were_never_shown_and_words_of_unanswerability_deny_an_answer_and_others_none():
    never_shown = ["a", "D", "iii", "iv)", "(b)", "[C]", "ii.", " a. "]
    denying = [*never_shown, *EXPRESSIONS, "No Answer.", " unknown "]
    assert [answer for answer in denying if not denies_an_answer(answer)] == []
    others = ["e", "v", "a b", "rise", "no answers were given", "1"]
    assert [answer for answer in others if denies_an_answer(answer)] == []


@pytest.mark.parametrize(
    ("answers", "read"),
    [
        (["yes", "Yes", "True"], [1, 1, 1]),
        (["Yes.", " yes", "'Yes'"], [1, 1, 0]),
        (["no", "No.", "incorrect"], [0, 0, 0]),
        (["", "unknown", "Yes, it does", "1"], [None, 0, 0]),
    ],
)
def test_yes_or_no(answers, read):
    for answer in answers:
        assert [yes_or_no(answer, rules) for rules in ("null", "paper", "authors")] == read, answer


@pytest.mark.parametrize(("grade", "correct", "unreadable"), [(0, False, False), (1, True, False), (None, None, True)])
def test_an_unreadable_answer_is_neither_right_nor_wrong(grade, correct, unreadable):
    verdict = verdict_of(grade)
    assert (verdict.grade, verdict.correct, verdict.unreadable) == (grade, correct, unreadable)
