"""Words of a passage that speak to a question, and the worked example of the papers."""

import pytest

from exam_core.demo.worked_example import example_queries, worked_example
from exam_core.grading.modes.lexical_grader import lexical_grades
from exam_core.store import Store
from exam_core.tables import PASSAGES, QUESTIONS
from exam_core.texts.marking import mark, mark_words

TEXT = "The epidermis covers the dermis. Layers: İ epidermis's top."


def cut(text, places):
    return [text[start:end] for start, end in places]


def test_words_with_the_stems_of_the_answer_key_are_marked():
    found = mark(TEXT, "Which layer lies outermost?", ["epidermis", "horny layer"])
    assert cut(TEXT, found.places) == ["epidermis", "Layers", "epidermis's"]
    assert (found.matched, found.missing) == (["epidermi", "layer"], ["horni"])


@pytest.mark.parametrize("answers", [(), ["true"]], ids=["no key", "a verdict"])
def test_without_a_key_the_questions_words_are_marked(answers):
    found = mark(TEXT, "What covers the dermis?", answers)
    assert cut(TEXT, found.places) == ["covers", "dermis"]


def test_a_question_without_content_marks_nothing():
    assert mark(TEXT, None).places == []


def test_what_is_marked_is_what_the_lexical_grader_says_it_matched():
    questions = QUESTIONS.frame(
        {"bank_id": ["b"], "version": [1], "question_id": ["k"], "query_id": ["q"], "weight": [1.0], "enabled": [True]}
        | {"question_text": ["Which layer covers the dermis and the fat?"], "gold_answers": [None]}
    )
    passages = PASSAGES.frame({"doc_id": ["d"], "passage_text": [TEXT]})
    grades = lexical_grades(questions, passages, questions[["query_id"]].assign(doc_id="d"))
    assert " ".join(mark(TEXT, questions["question_text"][0]).matched) == grades["answer"][0]


@pytest.mark.parametrize(
    ("words", "expected"),
    [(["DERMIS"], ["dermis", "dermis"]), (["epi", "pider"], ["epider"]), (["zzz", ""], [])],
    ids=["any case", "overlapping", "none"],
)
def test_searched_words_are_marked_wherever_they_stand(words, expected):
    text = "epidermis dermis" if "DERMIS" in words else "an epidermal cell"
    assert cut(text, mark_words(text, words)) == expected


def test_words_are_marked_where_lower_case_moves_the_letters():
    assert mark_words("İ epidermis İ", ["epidermis", "İ"]) == [(0, 1), (2, 11), (12, 13)]


def test_the_worked_example_is_that_of_both_papers():
    example = worked_example()
    assert (example.title, example.subtopic) == ("The Integumentary System", "Structure of the Skin")
    assert (example.run_id, example.rank, example.relevance) == ("dangnt-nlp", 1, 3)
    first = example.questions.iloc[0]
    assert (first["question_text"], first["grade"], first["answer"]) == ("Outer layer of the skin?", 4, "epidermis")
    assert cut(example.text, mark(example.text, first["question_text"], [first["answer"]]).places) == ["epidermis"] * 2


def test_a_grade_that_is_not_printed_is_unknown():
    questions = worked_example().questions
    assert questions["grade"].notna().sum() == 3
    assert set(questions["printed_in"]) == {"EXAM and EXAM++", "EXAM", "EXAM++"}


def test_the_demo_asks_what_the_worked_example_asks(demo_store):
    assert example_queries(Store(demo_store).snapshot("demo")) == ["demo-01"]
    assert example_queries(Store(demo_store).snapshot("car-y3-published")) == []
