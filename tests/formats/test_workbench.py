"""The workbench's graded files: every kind of grade, every layout, and nothing lost on the way back."""

import gzip
import json

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exam_core.formats.workbench import read_workbench, write_workbench

DL19 = "appendix/EXAM-graded-data/DL19-graded-t5-rating-genq-exam-qrels-runs-with-text.jsonl.gz"


# Parts of a document


def passage(doc="d1", judgments=(), rankings=(), **more):
    data = {"judgments": list(judgments), "rankings": list(rankings)}
    return {"paragraph_id": doc, "text": f"text of {doc}", "paragraph_data": data} | more


def judged(relevance=1, doc="d1", query="q", title="q"):
    return {"paragraphId": doc, "query": query, "relevance": relevance, "titleQuery": title}


def ranked(run="bm25", rank=1, score=2.5, doc="d1", query="q"):
    return {"method": run, "paragraphId": doc, "queryId": query, "rank": rank, "score": score}


def rated(ratings, answers=None, key="question_id", **more):
    """A grading pass with self-ratings; `ratings` by question."""
    return {
        "correctAnswered": [name for name, rating in ratings.items() if rating],
        "wrongAnswered": [name for name, rating in ratings.items() if not rating],
        "answers": [[name, (answers or {}).get(name, str(rating))] for name, rating in ratings.items()],
        "llm": "t5",
        "llm_options": {},
        "exam_ratio": 0.5,
        "prompt_info": {"prompt_class": "Rated", "is_self_rated": True},
        "self_ratings": [{key: name, "self_rating": rating} for name, rating in ratings.items()],
    } | more


def answered(right=(), wrong=(), **more):
    return {
        "correctAnswered": list(right),
        "wrongAnswered": list(wrong),
        "answers": [[name, f"answer to {name}"] for name in (*right, *wrong)],
        "llm": "t5",
        "llm_options": {},
        "exam_ratio": 0.5,
        "prompt_info": {"prompt_class": "Key2", "is_self_rated": False},
    } | more


def direct(correct=True, answer="Yes", **more):
    return {
        "correctAnswered": correct,
        "answer": answer,
        "llm": "t5",
        "llm_options": {},
        "prompt_info": {"prompt_class": "Thomas"},
    } | more


@pytest.fixture
def read(write):
    return lambda lines, name="file.jsonl", **options: read_workbench(write(lines, name), **options)


@pytest.fixture
def table(read):
    """Columns of a table of a file with one query `q`, as lists, null as None."""

    def rows(name, passages, *columns, **options):
        frame = read([["q", passages]], **options).frames[name]
        frame = frame[list(columns)] if columns else frame
        return frame.astype(object).where(frame.notna(), None).to_numpy().tolist()

    return rows


@pytest.fixture
def rewritten(read, tmp_path):
    """The lines of a file after it was read and written."""

    def lines(document):
        reading = read(document)
        write_workbench(reading.frames, reading.graders, tmp_path / "out.jsonl")
        return [json.loads(line) for line in (tmp_path / "out.jsonl").read_bytes().splitlines()]

    return lines


# Layouts and containers


def test_a_line_per_passage_is_read_as_a_line_per_query(read):
    graded = [["q", [passage("d1", [judged()], exam_grades=[rated({"a": 3})]), passage("d2")]], ["p", [passage("d2")]]]
    single = [[query, [entry]] for query, entries in graded for entry in entries]

    frames, expected = read(single).frames, read(graded).frames
    assert frames.keys() == expected.keys()
    for name, frame in frames.items():
        pd.testing.assert_frame_equal(frame, expected[name])


def test_lines_of_a_query_need_not_stand_together(rewritten):
    apart = [["q", [passage("d1")]], ["p", [passage("d1")]], ["q", [passage("d2")]]]
    assert rewritten(apart) == [["q", [passage("d1"), passage("d2")]], ["p", [passage("d1")]]]


def test_ids_that_are_numbers_become_text(read):
    frames = read([[19335, [passage(7, [judged(doc=7, query=19335, title=19335)])]]]).frames
    assert frames["judgments"][["query_id", "doc_id"]].to_numpy().tolist() == [["19335", "7"]]


# Passages


def test_a_query_without_passages_is_a_query(read):
    assert list(read([["q", [passage()]], ["empty", []]]).frames["queries"]["query_id"]) == ["q", "empty"]


def test_a_passage_has_its_text_and_the_start_of_its_sha256_or_neither(table):
    columns = ("doc_id", "passage_text", "text_hash")
    assert table("passages", [passage(text="abc")], *columns) == [["d1", "abc", "ba7816bf8f01cfea"]]
    assert table("passages", [passage(text=None)], *columns) == [["d1", None, None]]


@pytest.mark.parametrize("other", ["another text", "", None])
def test_an_id_with_two_texts_is_refused(write, refusal, other):
    path = write([["q", [passage()]], ["p", [passage(text=other)]]])
    assert f"{path}:2: second text for passage d1, with other values than line 1" in refusal(read_workbench, path)


def test_a_passage_twice_under_its_query_is_merged_with_a_note(read):
    reading = read([["q", [passage("d1"), passage("d2"), passage("d1")]]])
    assert (list(reading.frames["pool"]["doc_id"]), reading.notes[0]) == (
        ["d1", "d2"],
        "1 passages occur more than once under their query.",
    )


def test_a_passage_twice_with_other_fields_is_refused(write, refusal):
    path = write([["q", [passage(note="a")]], ["q", [passage(note="b")]]])
    assert f"{path}:2: second entry for query q, passage d1" in refusal(read_workbench, path)


# Judgments and rankings


def test_a_ranking_is_read_as_the_graded_part_of_a_run(table):
    columns = ["run_id", "query_id", "doc_id", "rank", "source_rank", "score", "cut"]
    assert table("rankings", [passage(rankings=[ranked(rank=0)])], *columns) == [["bm25", "q", "d1", 1, 0, 2.5, True]]


def test_facets_are_queries_of_judgments_and_rankings(read):
    entry = passage(judgments=[judged(query="q/f")], rankings=[ranked(query="q/f")])
    frames = read([["q", [entry]]]).frames
    found = [frames[name]["query_id"].item() for name in ("judgments", "rankings", "pool")]
    assert found == ["q/f", "q/f", "q"]


@pytest.mark.parametrize(
    ("field", "first", "second", "what"),
    [
        ("judgments", judged(1), judged(2), "second judgment for query q, passage d1"),
        ("rankings", ranked(score=1), ranked(score=2), "second rank for run bm25, query q, passage d1"),
        ("rankings", ranked(rank=1), ranked(rank=2), "second rank for run bm25, query q, passage d1"),
    ],
)
def test_conflicting_entries_name_both_lines(write, refusal, field, first, second, what):
    path = write([["q", [passage(**{field: [first]})]], ["p", [passage("d9")]], ["q", [passage(**{field: [second]})]]])
    assert f"{path}:3: {what}, with other values than line 1" in refusal(read_workbench, path)


@pytest.mark.parametrize(
    ("entry", "note"),
    [
        (passage(judgments=[judged(), judged()]), "1 repeated judgments were merged."),
        (passage(rankings=[ranked(), ranked()]), "1 repeated rankings were merged."),
    ],
)
def test_exact_repeats_are_merged_and_counted(read, entry, note):
    assert note in read([["q", [entry]]]).notes


# Grades

GRADE_COLUMNS = ("grader_id", "question_id", "grade", "answer", "correct")


OF_A_PASS = {
    "self-ratings": (rated({"a": 5, "b": 0}), [["t5.Rated", "a", 5, "5", True], ["t5.Rated", "b", 0, "0", False]]),
    "a-rating-whatever-the-answer-says": (rated({"a": 0}, {"a": "not 5"}), [["t5.Rated", "a", 0, "not 5", False]]),
    "a-null-rating-is-unreadable": (rated({"a": None}), [["t5.Rated", "a", None, "None", False]]),
    "an-answer-without-a-rating": (rated({}) | {"answers": [["a", "?"]]}, [["t5.Rated", "a", None, "?", None]]),
    "verified-answers": (
        answered(["a"], ["b"]),
        [["t5.Key2", "a", 1, "answer to a", True], ["t5.Key2", "b", 0, "answer to b", False]],
    ),
    "an-answer-without-a-verdict": (answered() | {"answers": [["a", "?"]]}, [["t5.Key2", "a", None, "?", None]]),
    "nuggets-as-questions": (rated({"n": 4}, key="nugget_id"), [["t5.Rated", "n", 4, "4", True]]),
}


@pytest.mark.parametrize(("entry", "grades"), OF_A_PASS.values(), ids=OF_A_PASS)
def test_what_a_pass_says_of_questions_are_its_grades(table, entry, grades):
    assert table("grades", [passage(exam_grades=[entry])], *GRADE_COLUMNS) == grades


def test_answers_that_are_not_a_plain_digit_are_counted(read):
    answers = {"a": "4", "b": "4.", "c": "unanswerable", "d": "6", "e": "", "f": "A"}
    entry = passage(exam_grades=[rated(dict.fromkeys(answers, 1), answers)])
    assert read([["q", [entry]]]).counts["answers that are not a plain digit"] == 5


@pytest.mark.parametrize(
    ("entry", "grade", "correct"),
    [
        (direct(self_ratings=2), 2, True),
        (direct(False, self_ratings=0), 0, False),
        (direct(self_ratings=5), 5, True),
        (direct(), 1, True),
        (direct(False, "No"), 0, False),
    ],
)
def test_direct_grades_have_no_question(table, entry, grade, correct):
    assert table("grades", [passage(grades=[entry])], *GRADE_COLUMNS) == [
        ["t5.Thomas", None, grade, entry["answer"], correct]
    ]


@pytest.mark.parametrize(
    ("entry", "described"),
    [
        (rated({"a": 1}), {"kind": "exam", "item": "question", "rated": True, "scale": 5}),
        (rated({"a": 1}, key="nugget_id"), {"kind": "exam", "item": "nugget", "rated": True, "scale": 5}),
        (answered(["a"]), {"kind": "exam", "item": "question", "rated": False, "scale": 1}),
        (answered(["a"], prompt_type="nugget"), {"kind": "exam", "item": "nugget", "rated": False, "scale": 1}),
        (direct(), {"kind": "direct", "item": None, "rated": False, "scale": 1}),
        (direct(self_ratings=2), {"kind": "direct", "item": None, "rated": True, "scale": 2}),
    ],
    ids=["rated", "nuggets", "answered", "verified-nuggets", "yes-no", "direct-rated"],
)
def test_a_grader_is_described(read, entry, described):
    slot = "exam_grades" if "exam_ratio" in entry else "grades"
    (grader,) = read([["q", [passage(**{slot: [entry]})]]]).graders.values()
    assert {name: grader[name] for name in described} == described


@pytest.mark.parametrize("info", [None, {}, {"prompt_style": "x"}])
def test_a_pass_without_prompt_class_has_the_workbenchs_default(read, info):
    assert list(read([["q", [passage(exam_grades=[rated({"a": 1}, prompt_info=info)])]]]).graders) == [
        "t5.QuestionPromptWithChoices"
    ]


# Graders are never merged


def two_passes(first, second):
    return [["q", [passage(exam_grades=[first, second])]]]


def two_passages(*graded):
    return [["q", [passage(f"d{number}", **more) for number, more in enumerate(graded)]]]


CLASSLESS = {"prompt_info": None}
SILENT = {name: value for name, value in rated({}, exam_ratio=0).items() if name != "self_ratings"}
BY_NAME = "t5.QuestionPromptWithChoices"
GRADERS = {
    "two-passes-of-one-model-and-prompt": (
        two_passes(rated({"a": 1}), rated({"a": 4})),
        {"t5.Rated": 1, "t5.Rated#2": 4},
    ),
    "two-models": (two_passes(rated({"a": 1}), rated({"a": 4}, llm="gpt")), {"t5.Rated": 1, "gpt.Rated": 4}),
    "direct-grades-and-exam-grades": (
        two_passages({"exam_grades": [answered(["a"], **CLASSLESS)]}, {"grades": [direct(False, **CLASSLESS)]}),
        {BY_NAME: 1, f"{BY_NAME}.grades": 0},
    ),
    "rated-and-unrated-passes": (
        two_passages(*({"exam_grades": [one]} for one in (answered(["a"], **CLASSLESS), rated({"a": 4}, **CLASSLESS)))),
        {BY_NAME: 1, f"{BY_NAME}.rated": 4},
    ),
    "ratings-behind-a-pass-without-any": (
        two_passages({"exam_grades": [SILENT]}, {"exam_grades": [rated({"a": 4})]}),
        {"t5.Rated": 4},
    ),
}


@pytest.mark.parametrize(("lines", "grades"), GRADERS.values(), ids=GRADERS)
def test_graders_are_never_merged_and_lose_no_rating(read, lines, grades):
    reading = read(lines)
    assert list(reading.graders) == list(grades)
    found = reading.frames["grades"]
    assert dict(zip(found["grader_id"], found["grade"], strict=True)) == grades


def test_a_grader_may_be_named(read):
    assert list(read([["q", [passage(exam_grades=[rated({"a": 1})])]]], grader_id="mine").graders) == ["mine"]


@pytest.mark.parametrize(
    "lines",
    [
        two_passes(rated({"a": 1}), rated({"a": 4})),
        two_passes(rated({"a": 1}), answered(["a"])),
        [["q", [passage("d1", exam_grades=[rated({"a": 1})]), passage("d2", exam_grades=[rated({"a": 1}, llm="x")])]]],
        [["q", [passage("d1", exam_grades=[answered(["a"])]), passage("d2", grades=[direct()])]]],
    ],
    ids=["same-twice", "two-prompts", "two-models", "two-kinds"],
)
def test_one_name_for_several_graders_is_refused(write, refusal, lines):
    message = refusal(read_workbench, write(lines), grader_id="mine")
    assert "holds 2 grading passes, so --grader can't name them all." in message


# Questions


@pytest.mark.parametrize(
    ("entry", "options", "expected"),
    [
        (rated({"q/1": 1}), {}, "questions"),
        (rated({"NDQ_007": 1}), {}, "tqa"),
        (rated({"n": 1}, key="nugget_id"), {}, "nuggets"),
        (rated({"q/1": 1}), {"bank_id": "genq"}, "genq"),
        (rated({"n": 1}, key="nugget_id"), {"bank_id": "genq"}, "genq"),
    ],
)
def test_graded_questions_are_a_bank_without_texts(table, entry, options, expected):
    columns = ["bank_id", "version", "query_id", "question_text", "enabled"]
    assert table("questions", [passage(exam_grades=[entry])], *columns, **options) == [[expected, 1, "q", None, True]]


def test_nuggets_beside_questions_are_a_bank_of_their_own(table):
    passes = [rated({"a": 1}), rated({"n": 1}, key="nugget_id", llm="gpt")]
    assert table("questions", [passage(exam_grades=passes)], "bank_id", "question_id", bank_id="genq") == [
        ["genq", "a"],
        ["genq.nuggets", "n"],
    ]


# What is refused

GOOD = json.dumps(["q", [passage()]])


def without(entry, name):
    return {field: value for field, value in entry.items() if field != name}


def line_with(**more):
    return json.dumps(["q", [passage(**more)]])


def nested(depth):
    value = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("line", "what"),
    [
        pytest.param(GOOD[:-20], "not a line of a graded file: ", id="truncated-line"),
        pytest.param("{}", "not a line of a graded file: expected a list, got an object", id="object"),
        pytest.param('["q"]', "expected a list of length 2", id="no-passages"),
        *(
            pytest.param(json.dumps(["q", [without(passage(), name)]]), f"[1][0]: {name} is missing", id=f"no-{name}")
            for name in ("paragraph_id", "text", "paragraph_data")
        ),
        *(
            pytest.param(line_with(paragraph_data={name: []}), "[1][0].paragraph_data: ", id=f"only-{name}")
            for name in ("judgments", "rankings")
        ),
        pytest.param(line_with(judgments=[judged(1.5)]), "relevance", id="relevance-no-integer"),
        pytest.param(line_with(rankings=[ranked(rank=2**40)]), "rank", id="rank-too-large"),
        pytest.param(line_with(exam_grades=[rated({"a": 300})]), "self_rating", id="rating-too-large"),
        pytest.param(line_with(rankings=[ranked(score=float("nan"))]), "not valid JSON", id="score-nan"),
        pytest.param(
            line_with(exam_grades=[rated({}) | {"self_ratings": [{"self_rating": 3}]}]),
            "a self-rating without question_id or nugget_id",
            id="rating-of-nothing",
        ),
        pytest.param(
            line_with(
                exam_grades=[rated({}) | {"self_ratings": [{"question_id": "a", "self_rating": n} for n in (3, 5)]}]
            ),
            "two self-ratings for question a in one pass",
            id="two-ratings",
        ),
        pytest.param(
            line_with(exam_grades=[rated({}) | {"answers": [["a", "4"], ["a", "5"]]}]),
            "two answers for question a in one pass",
            id="two-answers",
        ),
        pytest.param(
            line_with(exam_grades=[answered(["a"], ["a"]) | {"answers": []}]),
            "two verdicts for question a in one pass",
            id="two-verdicts",
        ),
        pytest.param(
            line_with().replace('"text"', '"x": 1e999, "text"'), "a number that is out of range", id="infinite"
        ),
        pytest.param(
            line_with().replace('"text"', f'"x": {"[" * 100_000}{"]" * 100_000}, "text"'),
            "nested too deep",
            id="100000-deep",
        ),
        pytest.param(line_with(x=nested(500)), "a field nested more than 100 deep", id="500-deep"),
        pytest.param(line_with(exam_grades=[rated({"a": -1})]), "self_rating: expected", id="negative-rating"),
        pytest.param(
            json.dumps(["q", [passage("d2", exam_grades=[rated({"a\x1b": 1})])]]), "question_id holds", id="control"
        ),
        pytest.param(json.dumps(["\u00a0", [passage()]]), "query_id is blank", id="blank-query"),
    ],
)
def test_a_bad_line_is_named(write, refusal, line, what):
    path = write(f"{GOOD}\n{line}\n")
    first = refusal(read_workbench, path).splitlines()[0]
    assert (first.startswith(f"{path}:2: "), what in first) == (True, True)


def test_a_truncated_last_line_is_shown_from_both_ends_with_a_remedy(write, refusal):
    path = write(f"{GOOD}\n{GOOD[:-6]}")
    message = refusal(read_workbench, path)
    shown = message.splitlines()[1]
    assert (shown.startswith("  " + GOOD[:40]), shown.endswith(GOOD[:-6][-40:])) == (True, True)
    assert "A last line that breaks off means that the file was not copied whole." in message


@pytest.mark.parametrize("text", ["", "\n \n", '["q", []]\n'])
def test_a_file_without_passages_is_refused(write, refusal, text):
    assert "no passages in the file" in refusal(read_workbench, write(text))


# What is written

ROUND_TRIPS = {
    "nothing-graded": passage(),
    "no-text": passage(text=None),
    "unknown-fields": passage(paragraph={"a": [1]}, note=None, passes=3, grader="x", empty="y"),
    "unknown-in-judgment": passage(judgments=[judged() | {"by": "nist", "null": None}]),
    "unknown-in-ranking": passage(rankings=[ranked() | {"by": "nist"}]),
    "ids-that-disagree": passage(judgments=[judged(doc="d9", title="t")], rankings=[ranked(doc="d9")]),
    "number-ids-in-entries": passage(judgments=[judged(doc=7, query=1, title=1)], rankings=[ranked(1, doc=7)]),
    "facets-in-any-order": passage(judgments=[judged(query=f"q/{name}") for name in "bac"]),
    "ratings": passage(exam_grades=[rated({"a": 5, "b": 0})]),
    "null-rating": passage(exam_grades=[rated({"a": None})]),
    "null-answer": passage(exam_grades=[rated({}) | {"answers": [["a", None]]}]),
    "answers": passage(exam_grades=[answered(["a"], ["b"])]),
    "errors": passage(exam_grades=[answered(llm_response_errors={"a": {"prompt": "p"}}, relevance_label=3)]),
    "unknown-in-pass": passage(exam_grades=[rated({"a": 1}, grader="x", difference={"-": []}, empty=1)]),
    "unknown-in-rating": passage(
        exam_grades=[rated({}) | {"self_ratings": [{"question_id": "a", "self_rating": 2, "why": "so"}]}]
    ),
    "rating-repeated": passage(
        exam_grades=[rated({}) | {"self_ratings": [{"question_id": "a", "self_rating": 2}] * 2}]
    ),
    "two-passes-one-empty": passage(exam_grades=[rated({}), rated({"a": 4})]),
    "direct-rated": passage(grades=[direct(self_ratings=2, relevance_label=2)]),
    "direct-twice": passage(grades=[direct(), direct(False)]),
    "both-kinds-without-prompt": passage(
        exam_grades=[answered(["a"], prompt_info=None)], grades=[direct(prompt_info=None)]
    ),
    "empty-lists": passage(exam_grades=[], grades=[]),
    "null-lists": passage(exam_grades=None, grades=None),
    "whole-scores": passage(rankings=[ranked(score=2)]),
    "whole-ratio": passage(exam_grades=[rated({"a": 1}, exam_ratio=1)]),
    "options-of-other-types": passage(
        exam_grades=[rated({"a": 1}, llm_options={"t": value}) for value in (1, 1.0, [1], [True])]
    ),
}


@pytest.mark.parametrize("entry", ROUND_TRIPS.values(), ids=ROUND_TRIPS)
def test_a_passage_is_written_as_it_was_read(rewritten, entry):
    other = passage("d2", exam_grades=[rated({"z": 3})])
    document = [["q", [entry, other]], ["p", [passage("d2")]]]
    assert json.dumps(rewritten(document), sort_keys=True) == json.dumps(document, sort_keys=True)


NAMES = st.text("aé漢𝒶\0\x85\u2028\u202e \"'\\,/#1\n\t", max_size=5)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | NAMES,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=3,
)
UNKNOWN = st.dictionaries(
    st.sampled_from(["x", "note", "grader", "passes", "empty", "value", "difference", "ü", ""]), VALUES, max_size=2
)
QUERIES = st.lists(st.sampled_from(["1", "2", "a", "tqa2:L/1", "Q#3", "é"]), min_size=1, max_size=3, unique=True)
QUESTIONS = st.lists(st.sampled_from(["q/1", "q/2", "NDQ_1", "ü"]), max_size=3, unique=True)


@st.composite
def passes(draw, what):
    entry = {"llm": draw(st.sampled_from(["t5", "gpt"])), "llm_options": draw(UNKNOWN)} | draw(UNKNOWN)
    if draw(st.booleans()):
        entry["prompt_info"] = {"prompt_class": draw(st.sampled_from(["A", "B"]))} | draw(UNKNOWN)
    if what == "grades":
        rating = draw(st.none() | st.integers(0, 5))
        rated = {} if rating is None else {"self_ratings": rating}
        return entry | {"correctAnswered": draw(st.booleans()), "answer": draw(st.none() | NAMES)} | rated
    names = draw(QUESTIONS)
    verdicts = {name: draw(st.sampled_from([True, False, None])) for name in draw(st.permutations(names))}
    entry["correctAnswered"] = [name for name, verdict in verdicts.items() if verdict]
    entry["wrongAnswered"] = [name for name, verdict in verdicts.items() if verdict is False]
    entry["answers"] = [[name, draw(st.none() | NAMES)] for name in draw(QUESTIONS)]
    entry["exam_ratio"] = draw(st.floats(0, 1))
    key = draw(st.sampled_from(["question_id", "nugget_id"]))
    entry["self_ratings"] = [
        {key: name, "self_rating": draw(st.none() | st.integers(0, 5))} | draw(UNKNOWN) for name in draw(QUESTIONS)
    ]
    kept = draw(st.sampled_from([(), ("self_ratings",)]))
    return {name: value for name, value in entry.items() if name not in kept}


@st.composite
def documents(draw):
    """A workbench file, one line for each query, with unknown fields at every level."""
    lines = []
    for query in draw(QUERIES):
        passages = []
        units = [query, f"{query}/f1", f"{query}/f2", f"not {query}"]
        for doc in draw(st.lists(st.sampled_from(["d1", "d#2", "3"]), min_size=1, max_size=3, unique=True)):
            judged_for = draw(st.lists(st.sampled_from(units), max_size=2, unique=True))
            ranked_by = draw(
                st.lists(st.tuples(st.sampled_from(["1", "bm25"]), st.sampled_from(units)), max_size=2, unique=True)
            )
            judgments = [
                judged(
                    draw(st.integers(-2, 3)), draw(st.sampled_from([doc, "other"])), unit, draw(st.sampled_from(units))
                )
                | draw(UNKNOWN)
                for unit in judged_for
            ]
            rankings = [
                ranked(run, draw(st.integers(0, 20)), draw(st.floats(-9, 9)), doc, unit) | draw(UNKNOWN)
                for run, unit in ranked_by
            ]
            entry = passage(doc, judgments, rankings) | draw(UNKNOWN)
            entry["text"] = None if doc == "3" else f"text of {doc}"
            entry["paragraph_data"] |= draw(UNKNOWN)
            for slot in ("exam_grades", "grades"):
                value = draw(st.sampled_from(["none", None]) | st.lists(passes(slot), max_size=2))
                if value != "none":
                    entry[slot] = value
            passages.append(entry)
        lines.append([query, passages])
    return lines


@settings(max_examples=10)
@given(document=documents(), suffix=st.sampled_from(["", ".gz", ".xz"]))
def test_any_document_is_written_as_it_was_read(tmp_path_factory, document, suffix):
    folder = tmp_path_factory.mktemp("workbench")
    (folder / "in.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in document), "utf-8")
    reading = read_workbench(folder / "in.jsonl")
    write_workbench(reading.frames, reading.graders, folder / f"once.jsonl{suffix}")
    again = read_workbench(folder / f"once.jsonl{suffix}")
    write_workbench(again.frames, again.graders, folder / "twice.jsonl")
    assert [json.loads(line) for line in (folder / "twice.jsonl").read_bytes().splitlines()] == document


# The real file


@pytest.fixture(scope="module")
def dl19(shared_data):
    return read_workbench(shared_data / DL19)


def test_the_released_file_is_counted_has_one_grader_and_leaves_out_top_passages(dl19):
    counts = {"queries": 43, "passages": 9260, "distinct passages": 9139, "questions": 430, "grades": 92_600}
    counts |= {"runs": 37, "judgments": 9260, "answers that are not a plain digit": 473}
    assert dl19.counts == counts
    assert list(dl19.graders) == ["google/flan-t5-large.QuestionSelfRatedUnanswerablePromptWithChoices"]
    assert dl19.notes == ["3,649 of 31,820 top-20 slots missing: the file leaves out passages that were not graded."]
    first = dl19.frames["rankings"].groupby("run_id")["source_rank"].min()
    assert int((first == 0).sum()) == 6


def test_the_released_file_is_written_back_field_by_field(dl19, shared_data, tmp_path):
    write_workbench(dl19.frames, dl19.graders, tmp_path / "out.jsonl")
    with gzip.open(shared_data / DL19) as before, (tmp_path / "out.jsonl").open("rb") as after:
        assert [json.loads(line) for line in after] == [json.loads(line) for line in before]


def test_a_wrong_type_is_named_in_the_files_words(write, refusal):
    bad = rated({"a": 1}) | {"answers": [["a", ["x"]]]}
    path = write([["q", [passage()]], ["p", [passage("d2", exam_grades=[rated({"a": 1}), bad])]]])
    message = "[1][0].exam_grades[1].answers[0][1]: expected a text or null, got a list"
    assert refusal(read_workbench, path).startswith(f"{path}:2: {message}\n")


def test_an_unknown_field_that_is_not_utf8_is_named(write, refusal):
    path = write(GOOD.encode().replace(b'"text"', b'"x": "\xff", "text"'))
    assert f"{path}:1: not a line of a graded file: not UTF-8 at byte" in refusal(read_workbench, path)


def test_grades_beyond_the_scale_are_kept_with_a_note(read):
    reading = read([["q", [passage(exam_grades=[rated({"a": 9, "b": 5, "c": 127})])]]])
    assert list(reading.frames["grades"]["grade"]) == [9, 5, 127]
    assert "2 grades are above 5, where the scale of t5.Rated ends; they are kept." in reading.notes
