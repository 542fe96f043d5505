"""Questions of a bank as values."""

from exam_core.question import Question
from exam_core.tables import question_id
from exam_core.wings.banks.editing import joined, reworded
from tests.texts.test_scripts import APART, COMPOSED


def question(text):
    return Question("q", question_id("q", text), text)


def test_accents_make_no_other_question():
    one, other = question(COMPOSED), question(APART)
    assert reworded(one, APART).question_id == one.question_id
    assert [len(found) for found in (joined({one.key: one}, {other.key: other}).same, joined({}, {}).same)] == [1, 0]
