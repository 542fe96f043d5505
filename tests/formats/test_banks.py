"""Question banks: three layouts read, one written."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exam_core.formats.banks.rows import rows_of
from exam_core.formats.banks.workbench import read_bank, write_items
from exam_core.formats.extra import decode_extra, encode_extra
from exam_core.formats.registry import reader
from exam_core.tables import QUERIES, QUESTIONS


def question(name="q/1", text="Why?", **more):
    return {"question_id": name, "question_text": text} | more


def bank(*items, key="items", query="q", **more):
    return {"query_id": query, "query_text": "what is it", key: list(items)} | more


def single(name="q/f/1", text="Why?", **more):
    """A line of the one-question-per-line layout."""
    return {"query_id": "q", "query_text": "Page / Part", "qid": name, "question": text, "facet_id": "f"} | more


@pytest.fixture
def read(write):
    return lambda lines, name="bank.jsonl": read_bank(write(lines, name), bank_id="genq")


@pytest.mark.parametrize("key", ["items", "questions"])
def test_a_query_per_line_is_read(read, key):
    reading = read([bank(question("q/1"), question("q/2", "How?"), key=key)], "bank.jsonl")
    assert reading.frames["questions"][
        ["bank_id", "version", "question_id", "query_id", "question_text"]
    ].to_numpy().tolist() == [["genq", 1, "q/1", "q", "Why?"], ["genq", 1, "q/2", "q", "How?"]]


def test_a_question_per_line_is_recognised_and_read(write):
    path = write([single("q/f/1"), single("q/f/2", "How?")], "bank.jsonl")
    frame = reader("bank", path)(path, bank_id="genq").frames["questions"]
    assert frame[["question_id", "query_id", "facet_id", "facet_text", "question_text"]].to_numpy().tolist() == [
        ["q/f/1", "q", "f", "Part", "Why?"],
        ["q/f/2", "q", "f", "Part", "How?"],
    ]


OF_PART = {"facet_id": "f", "facet_text": "Part"}
COLUMNS = {
    "as-usual": (bank(question()), {"weight": 1.0, "enabled": True, "kind": "question", "extra": {}}),
    "nulls": (bank(question(weight=None, enabled=None)), {"weight": 1.0, "enabled": True}),
    "weight": (bank(question(weight=2.5)), {"weight": 2.5}),
    "off": (bank(question(enabled=False)), {"enabled": False}),
    "known-only-by-its-id": (bank({"question_id": "a"}), {"question_text": None, "enabled": True}),
    "number-as-id": (bank(question() | {"question_id": 12}), {"question_id": "12"}),
    "importance": (bank(question(importance="okay")), {"importance": "okay"}),
    "nugget": (
        bank({"nugget_id": "n1", "nugget_text": "a fact", "importance": "vital"}),
        {"question_id": "n1", "question_text": "a fact", "importance": "vital", "kind": "claim", "extra": {}},
    ),
    "gold-answers": (bank(question(gold_answers=["a", "b"])), {"gold_answers": ["a", "b"]}),
    "correct-answer-of-a-single-question": (single(correct="lava"), {"gold_answers": ["lava"]}),
    "facet": (bank(question(facet_id="f2")), {"facet_id": "f2"}),
    "facet-of-the-line": (bank(question(facet_id=None), **OF_PART), OF_PART),
    "another-facet-than-the-line": (bank(question(facet_id="g"), **OF_PART), {"facet_id": "g", "facet_text": None}),
    "unknown-fields": (bank(question(info={"n": 1}, hash=5)), {"extra": {"info": {"n": 1}, "hash": 5}}),
}


def test_a_question_per_line_has_its_page_as_query_text(read):
    assert read([single()]).frames["queries"]["query_text"].item() == "Page"


def test_a_query_may_have_no_questions(read):
    assert read([bank()]).counts == {"queries": 1, "questions": 0}


@pytest.mark.parametrize(("line", "expected"), COLUMNS.values(), ids=COLUMNS)
def test_what_a_file_says_of_a_question_has_its_columns(read, line, expected):
    (found,) = QUESTIONS.arrow(read([line]).frames["questions"]).to_pylist()
    found["extra"] = decode_extra(found["extra"])
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize("text", ["", " ", "\t\n"])
@pytest.mark.parametrize(
    "line", [lambda text: bank(question(text=text)), lambda text: single(text=text)], ids=["items", "single"]
)
def test_a_blank_question_is_switched_off_with_a_note(read, line, text):
    reading = read([line(text)])
    assert (reading.frames["questions"]["enabled"].item(), reading.notes) == (
        False,
        ["1 question has no text: switched off."],
    )


def test_exact_repeats_are_merged_and_counted(read):
    reading = read([single(text="")] * 16)
    assert (reading.counts["questions"], reading.notes[0]) == (1, "15 repeated questions were merged.")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (question(text="Why?"), question(text="How?")),
        (question(gold_answers=["a"]), question(gold_answers=["b"])),
        (question(weight=1), question(weight=2)),
        (question(), question(enabled=False)),
        (question(), question(info="other")),
    ],
    ids=["text", "gold", "weight", "enabled", "extra"],
)
def test_an_id_with_two_questions_names_both_lines(write, refusal, first, second):
    path = write([bank(first), bank(question("other")), bank(second)])
    name = "bank genq, question q/1, query q"
    expected = f"{path}:3: second question for {name}, with other values than line 1"
    assert refusal(read_bank, path, bank_id="genq").splitlines()[0] == expected


def test_an_id_under_two_queries_is_two_questions(write):
    path = write([bank(question()), bank(question(), query="p")])
    assert read_bank(path, bank_id="genq").frames["questions"]["query_id"].tolist() == ["q", "p"]


def test_a_query_with_two_texts_names_both_lines(write, refusal):
    path = write([bank(question("a")), bank(question("b"), query_text="something else")])
    message = refusal(read_bank, path, bank_id="genq")
    assert f"{path}:2: second text for query q, with other values than line 1" in message


DEPTH = 100_000
"""Deeper than any version of Python follows: 3.11 ends at 1,000, 3.13 at 10,000."""
DEEP = "[" * DEPTH + "]" * DEPTH


@pytest.mark.parametrize(
    ("line", "what"),
    [
        pytest.param('{"query_id": "q", "items": [', "not a question bank: ", id="broken-off"),
        pytest.param('{"items": []}', "not a question bank: query_id is missing", id="no-query"),
        pytest.param('{"query_id": "q", "nuggets": []}', "neither items nor questions", id="other-key"),
        pytest.param('["q", []]', "not a question bank: expected an object, got a list", id="graded-file"),
        pytest.param(
            '{"query_id": "q", "items": {}}', "items: expected a list or null, got an object", id="items-no-list"
        ),
        pytest.param('{"query_id": "q", "items": [{}]}', "a question without id and without words", id="no-id"),
        pytest.param(
            '{"query_id": "q", "items": [{"question_id": "a", "query_id": "p"}]}',
            "question a names another query than its bank",
            id="other-query",
        ),
        pytest.param(
            '{"query_id": "q", "items": [{"question_id": "a", "weight": "x"}]}',
            "items 1: weight: expected a number or null, got a text",
            id="weight",
        ),
        pytest.param('{"query_id": "q", "items": [], "questions": []}', "items and questions in one line", id="both"),
        pytest.param(
            '{"query_id": "q", "query_text": 3, "qid": "a", "question": "Why?", "facet_id": "f"}',
            "query_text: expected a text or null, got a whole number",
            id="text-of-a-single-question",
        ),
        pytest.param(
            '{"query_id": "q", "items": [{"question_id": "a", "weight": -1}]}',
            "question a has the weight -1",
            id="negative-weight",
        ),
        pytest.param('{"query_id": "q", "items": [], "x": 1e999}', "a number that is out of range", id="infinite"),
        pytest.param(f'{{"query_id": "q", "items": [], "x": {DEEP}}}', "nested too deep", id="100000-deep"),
        pytest.param(
            f'{{"query_id": "q", "items": [{{"question_id": "a", "x": {DEEP[DEPTH - 100 : DEPTH + 100]}}}]}}',
            "a field nested more than 100 deep",
            id="101-deep",
        ),
        pytest.param(
            '{"query_id": "q\\u0007", "items": [{"question_id": "a"}]}', "query_id holds the control", id="bell"
        ),
        pytest.param(
            '{"query_id": "q", "items": [{"question_id": "a", "facet_id": "\\u0085"}]}', "facet_id is blank", id="facet"
        ),
    ],
)
def test_a_bad_line_is_named(write, refusal, line, what):
    path = write(f"{json.dumps(bank(question()))}\n{line}\n")
    first = refusal(read_bank, path, bank_id="x").splitlines()[0]
    assert (first.startswith(f"{path}:2: "), what in first) == (True, True)


def test_a_bad_line_is_shown_with_a_remedy(write, refusal):
    message = refusal(read_bank, write("nonsense\n"), bank_id="x")
    assert message.splitlines()[1:] == [
        "  nonsense",
        "A line is one JSON object with query_id, query_text and items.",
        "Nothing was stored.",
    ]


def written(questions, queries):
    texts = queries.astype(object).where(queries.notna(), None).set_index("query_id")
    return write_items(rows_of(questions), texts[["query_text", "title", "subtopic"]].to_dict("index")).lines


def rewritten(read, lines):
    frames = read(lines).frames
    return list(map(json.loads, written(frames["questions"], frames["queries"])))


def test_a_bank_is_written_as_the_workbench_does(read):
    line = bank(
        question(query_id="q", facet_id="f", gold_answers=["a"], info={"n": 1}),
        {"nugget_id": "n", "nugget_text": "fact", "query_id": "q", "facet_id": "f"},
        facet_id="f",
        facet_text="Part",
        test_collection="DL2019",
    )
    assert rewritten(read, [line]) == [line]


def test_lines_that_say_different_things_stay_apart(read):
    lines = [bank(question("a"), test_collection="one"), bank(question("b"), test_collection="two")]
    assert [line["test_collection"] for line in rewritten(read, lines)] == ["one", "two"]


def test_every_single_question_keeps_its_choices(read):
    lines = [single("a", choices=["x"]), single("b", choices=["y"])]
    (line,) = rewritten(read, lines)
    assert [item["choices"] for item in line["items"]] == [["x"], ["y"]]


NAMES = st.text("aé漢𝒶\u00a0\u3000 \"'\\,/#1@", min_size=1, max_size=5)
WORDS = NAMES.filter(str.strip)
JSON = st.recursive(
    st.booleans() | st.integers(-(2**53), 2**53) | NAMES, lambda inner: st.lists(inner, max_size=2), max_leaves=3
)


@st.composite
def banks(draw):
    """Tables of a bank whose questions stand by query and facet, as they are written."""
    questions, queries = [], []
    ids = iter(draw(st.lists(WORDS, min_size=9, max_size=9, unique=True)))
    for query_id in draw(st.lists(WORDS, min_size=1, max_size=3, unique=True)):
        title, subtopic = draw(st.none() | WORDS), draw(st.none() | WORDS)
        queries.append((query_id, draw(st.none() | WORDS), title, subtopic, None))
        common = draw(st.dictionaries(st.sampled_from(["test_collection", "info", "hash"]), JSON, max_size=2))
        if not common.get("test_collection", True):
            del common["test_collection"]
        for facet_id in draw(st.lists(st.none() | WORDS, min_size=1, max_size=3, unique=True)):
            beyond = draw(st.dictionaries(st.sampled_from(["info", "ü"]), JSON, max_size=2))
            extra = ({"bank": common} if common else {}) | beyond
            questions.append(
                (
                    "b",
                    1,
                    next(ids),
                    query_id,
                    facet_id,
                    draw(st.none() | WORDS),
                    draw(st.none() | WORDS),
                    draw(st.none() | st.lists(NAMES, max_size=2)),
                    draw(st.sampled_from([1.0, 0.5, 0.0]) | st.floats(0, 1e9)),
                    draw(st.booleans()),
                    draw(st.sampled_from([None, "vital", "okay", "avoid"])),
                    encode_extra(extra),
                    draw(st.sampled_from(["question", "claim"])),
                    draw(st.none() | st.lists(NAMES, max_size=2)),
                    encode_extra(draw(st.none() | st.lists(JSON, min_size=1, max_size=2))),
                    encode_extra(draw(st.none() | st.just({"merged_from": ["a"]}))),
                )
            )
    return (
        QUESTIONS.frame(dict(zip(QUESTIONS.names, zip(*questions, strict=True), strict=False))),
        QUERIES.frame(dict(zip(QUERIES.names, zip(*queries, strict=True), strict=True))),
    )


@given(tables=banks())
def test_a_written_bank_reads_back_equal(tmp_path_factory, tables):
    questions, queries = tables
    path = tmp_path_factory.mktemp("bank") / "out.jsonl"
    path.write_bytes(b"\n".join(written(questions, queries)))
    frames = read_bank(path, bank_id="b").frames
    assert (_plain(QUESTIONS, frames["questions"]), _plain(QUERIES, frames["queries"])) == (
        _plain(QUESTIONS, questions),
        _plain(QUERIES, queries),
    )


def _plain(table, frame):
    """Rows as plain values; `extra` as what it says, whatever the order of its fields."""
    return [row | {"extra": decode_extra(row["extra"])} for row in table.arrow(frame).to_pylist()]


@pytest.mark.parametrize(
    ("name", "counts", "notes"),
    [
        ("dl19-questions/dl19-genq", {"queries": 43, "questions": 430}, []),
        (
            "car-y3-questions/car-y3-genq",
            {"queries": 132, "questions": 8878},
            ["15 repeated questions were merged.", "1 question has no text: switched off."],
        ),
    ],
    ids=["dl19", "car-y3"],
)
def test_the_published_banks_are_read(shared_data, name, counts, notes):
    reading = read_bank(shared_data / f"appendix/{name}.jsonl.gz", bank_id="genq")
    assert (reading.counts, reading.notes) == (counts, notes)


def test_a_field_that_is_not_utf8_is_refused(write, refusal):
    path = write(b'{"query_id": "q", "items": [], "x": "\xff"}\n')
    assert f"{path}:1: not a question bank: not UTF-8 at byte 38" in refusal(read_bank, path, bank_id="x")
