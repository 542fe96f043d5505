"""What each grading mode asks and how it reads the answer, and names of graders, none of which means another one."""

from itertools import combinations

import pandas as pd
import pytest

from exam_core.aliases import LEXICAL_NAMES
from exam_core.errors import UsageError
from exam_core.formats.workbench.graded_files import read_workbench, write_workbench
from exam_core.grading.modes.grader_name_rules import SIMULATED, refuse_grader
from exam_core.grading.modes.lexical_grader import ABOUT
from exam_core.grading.modes.mode import ModeInput
from exam_core.grading.modes.papers import MODES, grader_name, mode_named, without_key
from exam_core.grading.modes.ratings import Verdict, verdict_of
from exam_core.tables import GRADES, JUDGMENTS, PASSAGES, POOL, RANKINGS

ASKED = ModeInput(
    passage_text="Rivers rise after {question} rain. ",
    question_text='What will the "{context}" water table do?',
    gold_answers=("rise", "be higher", " "),
    query_text="water table",
)
PRINTED = {
    "self-rating": "004_self_rating.txt",
    "qa": "004_qa_grading.txt",
    "qa-llm": "004_qa_grading.txt",
    "thomas": "004_thomas.txt",
    "faggioli-b": "004_faggioli_b.txt",
    "faggioli-b-few": "004_faggioli_b_few.txt",
    "helm": "004_helm.txt",
    "sun": "004_sun.txt",
}
UNREADABLE = Verdict(None, None, True)

every_mode = pytest.mark.parametrize("name", MODES)


def blanks(text):
    """White space as T5 sees it."""
    return " ".join(text.split())


@pytest.mark.parametrize("name", PRINTED)
def test_a_prompt_has_the_printed_words(name, shared_data):
    printed = (shared_data / "published/prompts" / PRINTED[name]).read_text()
    for placeholder in ("{query_title}", "{query title}"):
        printed = printed.replace(placeholder, "{question}")
    assert blanks(MODES[name].template) == blanks(printed)


def test_the_verification_prompt_has_the_printed_words(shared_data):
    printed = (shared_data / "published/prompts/004_answer_verification.txt").read_text().strip()
    asked = ModeInput("", "{question}", gold_answers=("{correct_answer}",))
    [prompt] = MODES["qa-llm"].verify_prompts("{answer}", asked)
    assert prompt.head + prompt.context + prompt.tail == printed


def test_sun_few_is_sun_with_the_examples_of_faggioli_b_few():
    sun, few, faggioli = (MODES[name].template for name in ("sun", "sun-few", "faggioli-b-few"))
    examples = faggioli[faggioli.index("Passage: Its 25") : faggioli.index("Question: {question}")]
    assert few.count("Answer: Yes") == few.count("Answer: No") == 2
    assert few.replace(examples, "") == sun


@every_mode
def test_question_and_passage_stand_in_the_prompt_as_they_are(name):
    mode = MODES[name]
    prompt = mode.prompt(ASKED)
    question = ASKED.query_text if mode.item == "passage" else ASKED.question_text
    assert prompt.context == ASKED.passage_text
    assert prompt.question == question
    if mode.kind == "generate":
        assert (prompt.head + prompt.tail).count(question) == 1


@every_mode
def test_a_blank_stands_before_and_after_the_passage(name):
    prompt = MODES[name].prompt(ASKED)
    assert prompt.head == "" or prompt.head.endswith(" ")
    assert prompt.tail == "" or prompt.tail.startswith("\n")


@pytest.mark.parametrize(
    ("name", "grades"),
    [
        ("self-rating", {"4": 4, "often": None}),
        ("nugget-rating", {"0": 0}),
        ("thomas", {"2": 2, "3": None}),
        ("faggioli-b", {"Yes": 1}),
        ("faggioli-b-few", {"No.": 0}),
        ("helm", {"maybe": None}),
        ("sun", {"no": 0}),
        ("sun-few", {"4": None}),
        ("qa", {"It will sink.": 0, "be higher": 1, "unanswerable": 0}),
        ("squad2", {"rising": 1, "": 0}),
    ],
)
def test_an_answer_becomes_a_grade(name, grades):
    assert {answer: MODES[name].read(answer, ASKED) for answer in grades} == {
        answer: verdict_of(grade) for answer, grade in grades.items()
    }


@every_mode
def test_a_model_that_failed_has_given_no_grade(name):
    assert MODES[name].read(None, ASKED, "paper") == UNREADABLE


@pytest.mark.parametrize(("name", "paper", "authors"), [("self-rating", 0, 1), ("thomas", 0, 1), ("sun", 0, 0)])
def test_the_rule_for_unreadable_answers_is_passed_on(name, paper, authors):
    mode = MODES[name]
    assert mode.read("unknown", ASKED).unreadable
    assert [mode.read("unknown", ASKED, rules).grade for rules in ("paper", "authors")] == [paper, authors]


@pytest.mark.parametrize(
    ("grade", "replies"),
    [
        (1, [["yes"], [" Yes\n"], ["no", "yes"], ["perhaps", "yes"], [None, "yes"]]),
        (0, [["no", "no"], []]),
        (None, [["no", "perhaps"], ["yes."], [None]]),
    ],
)
def test_one_yes_of_the_verifying_model_is_enough(grade, replies):
    assert [MODES["qa-llm"].verdict(several) for several in replies] == [verdict_of(grade)] * len(replies)


def test_each_gold_answer_is_verified_by_a_prompt_of_its_own():
    prompts = MODES["qa-llm"].verify_prompts("increase", ASKED)
    assert ['"rise"' in prompt.head for prompt in prompts] == [True, False]
    assert ['"be higher"' in prompt.head for prompt in prompts] == [False, True]


@pytest.mark.parametrize("answer", ["", "unanswerable", "Not enough information.", "(iii)"])
def test_an_answer_that_denies_one_is_wrong_without_asking(answer):
    assert MODES["squad2-llm"].verify_prompts(answer, ASKED) == []


def test_no_is_verified_where_no_is_the_answer():
    assert len(MODES["qa-llm"].verify_prompts("no", ModeInput("", "Is it?", gold_answers=("No",)))) == 1


def test_questions_without_a_key_are_named():
    key = {"q1": ["rise"], "q2": None, "q3": [], "q4": [" "], "q5": ("", "fall")}
    assert without_key(key) == ["q2", "q3", "q4"]


@pytest.mark.parametrize("name", ["qa", "squad2"])
def test_a_verifier_can_be_named(name):
    asked = ModeInput("", "", gold_answers=("carbon dioxide",))
    assert mode_named(name, "words") is MODES[name]
    assert mode_named(name, "llm") is MODES[f"{name}-llm"]
    grades = [mode_named(name, verifier).read("carbon monoxide", asked).grade for verifier in (None, "words-authors")]
    assert grades == [0, 1]


@pytest.mark.parametrize(
    ("name", "verifier", "message"),
    [
        ("rating", None, "No grading mode rating. There are: self-rating, "),
        ("qa", "stems", "No verifier stems. There are: words, "),
        ("sun", "words", "no answers to verify"),
        ("qa-llm", "words-authors", "choose qa"),
    ],
)
def test_a_mode_that_does_not_exist_is_refused(name, verifier, message):
    with pytest.raises(UsageError, match=message):
        mode_named(name, verifier)


@pytest.mark.parametrize(
    ("model", "differences", "name"),
    [
        ("google/flan-t5-large", {}, "flan-t5-large.self-rating"),
        ("/models/flan-t5-base/", {"precision": "bf16"}, "flan-t5-base.self-rating.bf16"),
        ("a/m", {"unreadable": "paper", "decoding": "greedy"}, "m.self-rating.greedy.paper"),
        ("a/m 2", {}, "m-2.self-rating"),
    ],
)
def test_a_grader_is_named_after_all_that_departs_from_the_default(model, differences, name):
    assert grader_name(model, "self-rating", differences) == name


def test_graders_that_differ_have_different_names():
    options = {"precision": "bf16", "decoding": "greedy", "unreadable": "authors", "verifier": "words-authors"}
    chosen = [dict(some) for size in range(5) for some in combinations(options.items(), size)]
    names = {grader_name("google/flan-t5-large", mode, some) for mode in MODES for some in chosen}
    assert len(names) == len(MODES) * 16


@pytest.mark.parametrize("name", [name for name in MODES if MODES[name].item != "citation"])
def test_grades_of_a_mode_survive_the_authors_file_format(name, tmp_path):
    mode = MODES[name]
    grader = mode.described("google/flan-t5-large", {"beams": "5"})
    question_id = None if mode.item == "passage" else "q/1"
    grade = (name, question_id, "q", "d", 1, "1", True, 0.75 if mode.rated else None)
    frames = {
        "pool": POOL.frame({"query_id": ["q"], "doc_id": ["d"], "position": [0]}),
        "passages": PASSAGES.frame({"doc_id": ["d"], "passage_text": ["text"]}),
        "judgments": JUDGMENTS.frame(dict.fromkeys(JUDGMENTS.names, ())),
        "rankings": RANKINGS.frame(dict.fromkeys(RANKINGS.names, ())),
        "grades": GRADES.frame({column: [value] for column, value in zip(GRADES.names, grade, strict=True)}),
    }
    path = tmp_path / "graded.jsonl.gz"
    write_workbench(frames, {name: grader}, path)
    read = read_workbench(path)
    [again] = read.graders.values()
    kept = ("kind", "item", "scale", "rated", "llm", "llm_options", "prompt_info", "prompt_type")
    assert {key: again[key] for key in kept} == {key: grader[key] for key in kept}
    columns = ["question_id", "query_id", "doc_id", "grade", "answer", "correct", "decimal"]
    pd.testing.assert_frame_equal(read.frames["grades"][columns], frames["grades"][columns])


def test_the_self_rating_is_described_as_in_the_released_files():
    described = MODES["self-rating"].described("google/flan-t5-large", {})
    assert described["prompt_info"] == {
        "prompt_class": "QuestionSelfRatedUnanswerablePromptWithChoices",
        "prompt_style": "Can the question be answered based on the available context? choose one:",
        "context_first": False,
        "check_unanswerable": True,
        "check_answer_key": False,
        "is_self_rated": True,
    }


MODEL = {"llm": "m", "prompt_info": {"prompt_class": "Thomas"}}


@pytest.mark.parametrize(
    "name",
    [*LEXICAL_NAMES, SIMULATED, "median(a,b)", "my majority(a@2,b)", "thomas", "a,b", "x@2", "x ", " ", "a\x1bb"],
)
def test_a_name_that_means_something_else_is_refused_for_a_model(name):
    with pytest.raises(UsageError, match="--grader"):
        refuse_grader(name, MODEL)


@pytest.mark.parametrize("name", ["mine", "Thomas", "median", "a-b (c, d)", "-x", "x@y", "flan-t5-large.thomas"])
def test_other_names_are_a_models(name):
    refuse_grader(name, MODEL)


def test_graders_that_ask_no_model_have_their_names():
    for name in LEXICAL_NAMES:
        refuse_grader(name, ABOUT)
    refuse_grader(SIMULATED, {"prompt_info": {"prompt_class": "latent-quality"}})
