"""The lexical grader: POURPRE's match of a key's terms, weighed by idf, as a grade 0..5."""

import math

import pytest

from exam_core.grading.modes.lexical_grader import GRADER_ID, grade_of, lexical_grades, match_score
from exam_core.tables import GRADES, PASSAGES, QUESTIONS
from tests.analysis.worlds import question, table

KEY = ["a", "b", "c", "d"]


def count(_term):
    return 1.0


def test_a_match_is_the_share_of_the_keys_terms_that_occur():
    shares = {"a": 1 / 4, "bcd": 3 / 4, "d": 1 / 4, "ad": 2 / 4, "abcd": 1, "xyz": 0, "": 0}
    assert {passage: match_score(KEY, frozenset(passage), count) for passage in shares} == shares


def test_a_term_weighs_its_idf():
    # weights 3 and 1: the rare one alone is 3 / 4 of the key
    assert match_score(["rare", "common"], frozenset({"rare"}), {"rare": 3.0, "common": 1.0}.get) == 0.75


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_a_key_without_weight_matches_nothing(weight):
    key = [] if weight else ["a"]
    assert match_score(key, frozenset("a"), lambda _term: weight) == 0


def test_a_grade_is_five_times_the_score_rounded_down():
    # 5 * 0.6 = 3.0, but 3 * 0.2 is a little more, and sums of logarithms may fall a hair short.
    scores = {0: [0, 0.199], 1: [0.2, 0.399], 2: [0.4], 3: [0.6, 3 * 0.2, 0.6 - 1e-12, 0.799], 4: [0.8, 0.999]}
    scores[5] = [1, 1 - 1e-12]
    assert [(grade, score) for grade, each in scores.items() for score in each if grade_of(score) != grade] == []


TEXTS = {"d1": "Melanin is a pigment.", "d2": "Skin has pigment, and pigments fade.", "d3": "", "d4": None}


def graded(questions, texts=None, pairs=None):
    """Grades of questions (id, text, gold answers) of query q on passages."""
    texts = TEXTS if texts is None else texts
    asked = [question(name, "q", question_text=words, gold_answers=gold) for name, words, gold in questions]
    listed = [("-", None, *pair) for pair in pairs or [("q", doc) for doc in texts]]
    return lexical_grades(table(QUESTIONS, asked), table(PASSAGES, list(texts.items())), table(GRADES, listed))


BY_HAND = {
    # Of N = 4 passages melanin is in 1 and pigment in 2: idf log 4 and log 2, the key weighs log 8.
    # d1 has both: 1. d2 has pigment: log 2 / log 8 = 1/3, times five 1.67. d3 and d4 are empty.
    "two terms": (["melanin pigment"], None, None, [5, 1, 0, 0]),
    # log(4/1) / (log(4/1) + log(4/2)) = 2/3: the rarer of the two terms alone, times five 3.33
    "idf": (
        ["melanin pigment"],
        {"a": "melanin", "b": "pigment", "c": "pigment", "d": "x"},
        None,
        [grade_of(math.log(4) / math.log(8)), 1, 1, 0],
    ),
    # Terms found for different answers do not add up.
    "the best of several answers": (["unseen word", "pigment"], None, None, [5, 5, 0, 0]),
    # hair is in none: log 4, as if in one; pigment log 2: 1/3 for the passages with pigment
    "a term that no passage has": (["hair pigment"], None, None, [1, 1, 0, 0]),
    "a passage that nobody stored": (["melanin"], None, [("q", "unknown")], [0]),
    "one passage alone": (["melanin"], {"d": "melanin"}, None, [5]),
}


def test_grades_are_worked_out_by_hand():
    found = {name: graded([("q/1", "?", gold)], *of)["grade"].tolist() for name, (gold, *of, _) in BY_HAND.items()}
    assert found == {name: grades for name, (*_, grades) in BY_HAND.items()}


def test_a_true_or_false_key_is_graded_by_the_words_of_the_question():
    found = graded([("q/1", "Is melanin a pigment?", ["true"]), ("q/2", "Is melanin a pigment?", None)])
    by_question = [group["grade"].tolist() for _, group in found.groupby("question_id")]
    assert by_question[0] == by_question[1]


def test_the_answer_shows_the_stems_that_were_found():
    found = graded([("q/1", "?", ["melanin pigments of hair"])])
    assert found["answer"].tolist() == ["melanin pigment", "pigment", "", ""]


def test_every_question_of_the_query_is_graded_on_every_passage_always_alike():
    questions = [("q/1", "?", None), ("q/2", "melanin and skin?", ["a", "melanin", "skin pigment"])]
    found = graded(questions)
    assert (len(found), set(found["grader_id"])) == (2 * len(TEXTS), {GRADER_ID})
    assert found.equals(graded(questions))
    assert len(graded(questions, pairs=[("other", "d1")])) == 0
