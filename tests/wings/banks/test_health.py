"""The health of a bank: a small collection with what ails banks, and the released bank of DL19."""

import pytest

from exam_core.analysis.choosing import choose
from exam_core.formats import Reading
from exam_core.request import Request
from exam_core.store import Store
from exam_core.store.names import BankRef
from exam_core.tables import GRADES, JUDGMENTS, QUESTIONS, RANKINGS
from exam_core.wings.banks.health import counts_of_kinds, difficulty, health, health_of_words, unevenness, ungraded_bank
from tests.analysis.worlds import table

PASSAGES = [f"p{number:02}" for number in range(12)]
"""Of the ill bank: the first six are judged relevant, the others not."""
RUNS = {"best": "p00 p01 p02", "good": "p00 p01", "bad": "p06", "worst": "p07", "none": ""}
ILL = {
    "dead": ("Nobody answers this?", ""),
    "broad": ("Is anything so?", " ".join(PASSAGES)),
    "beside": ("Which of the others?", "p07 p08 p09 p10 p11"),
    "words": ("What is the colour of the sky?", "p00 p01 p02"),
    "worded": ("What is the color of the sky?", "p00 p01"),
    "answers": ("Who was first?", "p01 p02 p03 p04 p05"),
    "answered": ("In which year?", "p01 p02 p03 p04 p05"),
    "apart": ("How long is the bridge over the river?", "p00 p03"),
    "told": ("How wide is the bridge over the river?", "p01"),
    "sound": ("Why so?", "p00 p04"),
}
"""Question and the passages that answer it."""


@pytest.fixture(scope="module")
def ill(tmp_path_factory):
    """A snapshot of the ill bank: q1 has its questions, q2 one that no passage was graded on."""
    questions = [("ill", 1, f"q1/{name}", "q1", None, None, words, None, 1.0, True) for name, (words, _) in ILL.items()]
    questions += [
        ("ill", 1, "q1/off", "q1", None, None, "Why so so?", None, 1.0, False),
        ("ill", 1, "q2/new", "q2", None, None, "Why so?", None, 1.0, True),
    ]
    grades = [
        ("rater", f"q1/{name}", "q1", doc, 5 if doc in docs.split() else 0)
        for name, (_, docs) in ILL.items()
        for doc in PASSAGES
    ]
    judged = [("official", "q1", doc, 2 if doc < "p06" else 0) for doc in PASSAGES]
    ranked = [
        (run, "q1", doc, place, place, 10.0 - place, False)
        for run, docs in RUNS.items()
        for place, doc in enumerate([*docs.split(), *(["p11"] if run == "none" else [])], 1)
    ]
    frames = {
        "questions": table(QUESTIONS, questions),
        "grades": table(GRADES, grades),
        "judgments": table(JUDGMENTS, judged),
        "rankings": table(RANKINGS, ranked),
    }
    store = Store(tmp_path_factory.mktemp("ill"))
    store.commit("ill", Reading(frames, {"rater": {"scale": 5}}), source="ill")
    yield store.snapshot("ill")
    del store


@pytest.fixture(scope="module")
def found(ill):
    return health(ill, choose(ill, Request()))


def test_pairs_in_nearly_the_same_words_are_shown_with_what_differs(found, ill):
    # 28 letters and blanks of 29 and 28 are the same
    row = found.pairs.iloc[0]
    assert len(found.pairs) == 1
    assert (row["question_id"], row["other_id"], row["only_one"], row["only_other"]) == (
        *("q1/words", "q1/worded"),
        *("colour", "color"),
    )
    assert row["alike"] == pytest.approx(2 * 28 / 57)
    loose = health(ill, choose(ill, Request()), alike=0.8).pairs
    assert loose["other_id"].tolist() == ["q1/worded", "q1/told"]


def test_questions_are_those_of_item_analysis(ill, found):
    assert found.rows.equals(difficulty(ill, choose(ill, Request())).rows)
    kinds = found.rows.set_index("question_id")["kind"]
    assert (kinds["q1/dead"], kinds["q1/broad"], kinds["q1/beside"]) == ("unanswered", "universal", "negative")


def test_questions_that_are_off_are_not_looked_at(found):
    assert set(found.rows["question_id"]) == {f"q1/{name}" for name in ILL}


def test_a_bank_without_grades_says_what_its_words_say(ill):
    assert ungraded_bank(ill, Request(bank="ill")) is None
    found = health_of_words(ill, BankRef("ill", 1))
    assert found.notes[0].startswith("Nothing is graded on bank ill@1 yet")
    assert (found.pairs["other_id"].tolist(), len(found.rows)) == (["q1/worded"], 0)


def test_a_bank_that_nobody_graded_is_known(tmp_path):
    rows = [("new", 1, "q1/x", "q1", None, None, "Who?", None, 1.0, True)]
    store = Store(tmp_path)
    store.commit("c", Reading({"questions": table(QUESTIONS, rows)}), source="x")
    snapshot = store.snapshot("c")
    assert ungraded_bank(snapshot, Request()) == BankRef("new", 1)
    assert ungraded_bank(snapshot, Request(grader="somebody")) is None


UNEVEN = {
    "even": ({"a": 5, "b": 5}, []),
    "one query": ({"a": 5}, []),
    "nothing": ({}, []),
    "a little": ({"a": 5, "b": 6, "c": 5}, ["Queries have 5 to 6 questions; the median is 5."]),
    "much": ({"a": 10, "b": 10, "c": 2, "d": 30}, ["c (2), d (30)"]),
}


@pytest.mark.parametrize("case", UNEVEN)
def test_uneven_numbers_of_questions_are_said(case):
    sizes, expected = UNEVEN[case]
    said = unevenness(sizes)
    assert len(said) == len(expected)
    assert all(part in sentence for part, sentence in zip(expected, said, strict=True))


def test_the_ill_bank_is_uneven(found):
    assert any("q2 (1)" in note for note in found.notes)


def test_the_released_dl19_bank_is_as_its_document_says(dl19):
    found = health(dl19, choose(dl19, Request(bank="genq", tau=4)))
    counts = counts_of_kinds(found.rows)
    assert [counts[kind] for kind in ("unanswered", "universal", "discriminating", "negative")] == [60, 56, 182, 19]
    assert found.pairs[["only_one", "only_other"]].to_numpy().tolist() == [["an rn", "a bsn"]]
