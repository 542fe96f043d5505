"""Runs, judgments and labels as JSON in the forms that tools have, and tables with several columns of labels."""

import json
from collections.abc import Iterator
from inspect import signature

import pytest

from exam_core.errors import BadInput, Undecided
from exam_core.formats.format import Opening
from exam_core.formats.json_lines import completed, decoded
from exam_core.formats.labels import read_labels
from exam_core.formats.records import labelled_records, scored_records
from exam_core.formats.registry import reader
from exam_core.formats.sniffing import beginning, guess_kind
from exam_core.formats.trec import read_qrels, read_run
from tests.wings import rows_added

TREC = "q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\n"
ROWS = [("q1", "d1", 2), ("q1", "d2", 0), ("q2", "d1", 1)]
RECORDS = [{"query_id": query, "doc_id": doc, "relevance": label} for query, doc, label in ROWS]
BY_QUERY = {"q1": {"d1": 2, "d2": 0}, "q2": {"d1": 1}}
JUDGED = {
    "lines": RECORDS,
    "a list": json.dumps(RECORDS, indent=1),
    "below a word": json.dumps({"source": "people", "judgments": RECORDS}),
    "by query": json.dumps(BY_QUERY),
    "by query, marked": "\ufeff" + json.dumps(BY_QUERY, indent=2).replace("\n", "\r\n"),
    "with fields": json.dumps({q: {d: {"relevance": n} for d, n in docs.items()} for q, docs in BY_QUERY.items()}),
    "listed": json.dumps({q: [{"docid": d, "label": n} for d, n in docs.items()] for q, docs in BY_QUERY.items()}),
    "of one query": [
        {"query": {"qid": q, "text": "why?"}, "judged": [{"docno": d, "rel": n} for d, n in docs.items()]}
        for q, docs in BY_QUERY.items()
    ],
    "pandas": json.dumps(
        {
            name: {str(at): row[place] for at, row in enumerate(ROWS)}
            for place, name in enumerate(("qid", "docno", "rel"))
        }
    ),
    "answered": [
        {"qid": q, "docid": d, "response": f'```json\n{{"relevance": {n}}}\n```'}
        for q, docs in BY_QUERY.items()
        for d, n in docs.items()
    ],
    "nested": [
        {"qid": q, "docid": d, "response": {"label": n}} for q, docs in BY_QUERY.items() for d, n in docs.items()
    ],
    "split": json.dumps({"columns": ["qid", "docno", "label"], "index": [0, 1, 2], "data": ROWS}),
}


@pytest.mark.parametrize("form", JUDGED)
def test_judgments_are_the_same_in_every_form(write, form):
    expected = read_qrels(write(TREC, "trec.txt"), qrels_id="x").frames["judgments"]
    path = write(JUDGED[form], "judged.json")
    assert guess_kind(path) == "qrels"
    assert read_qrels(path, qrels_id="x").frames["judgments"].equals(expected)


WORDS = "query,passage"
TEXTED = "why rain,it falls"


@pytest.mark.parametrize(
    ("kind", "more", "said"),
    [
        ("run", "rank", "1"),
        ("qrels", "relevance", "2"),
        ("labels", "label", "2"),
        ("workbench", "question_id,grade", "q1,2"),
        ("leaderboard", "ndcg", "0.5"),
        ("topics", "question", "why?"),
        *rows_added("WITH_TEXTS"),
    ],
)
def test_texts_are_no_ids_in_any_kind(write, refusal, kind, more, said):
    columns, cells = (WORDS, TEXTED) if kind not in ("leaderboard", "topics") else ("query", "why rain")
    path = write(f"{columns},{more}\n{cells},{said}\n", "t.csv")
    read = reader(kind, path)
    options = signature(read).parameters.values()
    named = {one.name: "x" for one in options if one.kind is one.KEYWORD_ONLY and one.default is one.empty}

    def all_of_it():
        found = read(path, **named)
        list(found if isinstance(found, Iterator) else ())

    assert f"{path}:1: texts in query" in refusal(all_of_it)


SCORED = {"q1": {"d1": 2.5, "d2": 0.25}, "q2": {"d1": 1.0}}
CANDIDATES = [
    {
        "query": {"text": "why?", "qid": query},
        "candidates": [
            {"docid": doc, "score": score, "doc": {"segment": "long " * 900}} for doc, score in docs.items()
        ],
    }
    for query, docs in SCORED.items()
]
RUNS = {
    "by query": json.dumps(SCORED),
    "candidates": CANDIDATES,
    "of a question": [
        {"qid": query, "question": "Why?", "ctxs": [{"docid": doc, "score": score} for doc, score in docs.items()]}
        for query, docs in SCORED.items()
    ],
    "candidates, indented": json.dumps(CANDIDATES, indent=2),
    "hits": json.dumps(
        [
            {
                "query": "why?",
                "hits": [{"qid": q, "docid": d, "rank": at, "score": s} for at, (d, s) in enumerate(docs.items())],
            }
            for q, docs in SCORED.items()
        ]
    ),
}


@pytest.mark.parametrize("form", RUNS)
def test_runs_are_the_same_in_every_form(write, form):
    path = write(RUNS[form], "bm25.json")
    assert guess_kind(path) == "run"
    frame = read_run(path).frames["rankings"]
    assert frame[["run_id", "query_id", "doc_id", "rank", "score"]].values.tolist() == [
        ["bm25", "q1", "d1", 1, 2.5],
        ["bm25", "q1", "d2", 2, 0.25],
        ["bm25", "q2", "d1", 1, 1.0],
    ]


def test_several_runs_stand_in_one_object_and_ids_alone_are_in_the_order_of_their_ranks(write):
    several = read_run(write(json.dumps({"a": SCORED, "b": SCORED}), "all.json")).frames["rankings"]
    assert several.groupby("run_id").size().to_dict() == {"a": 3, "b": 3}
    ranked = read_run(write([{"query_id": "q1", "ranking": ["d2", "d1"]}], "mine.jsonl")).frames["rankings"]
    assert ranked[["doc_id", "rank", "score"]].values.tolist() == [["d2", 1, -1.0], ["d1", 2, -2.0]]


def test_ids_and_scores_are_as_they_are_written(write):
    text = (
        '{"qid": 1, "pid": 123456789012345678901234567890, "relevance": 1}\n{"qid": 1, "pid": 2.50, "relevance": 1}\n'
    )
    judged = read_qrels(write(text, "a.jsonl"), qrels_id="x").frames["judgments"]
    assert judged["query_id"].tolist() == ["1", "1"]
    assert judged["doc_id"].tolist() == ["123456789012345678901234567890", "2.50"]


WRONG = {
    "cut off": ('{"q1": {"d1": 2}, "q2', "1: not a JSON document: .*truncated"),
    "a line cut off": ('{"qid": "1", "docid": "d", "label": 1}\n{"qid": "1', "2: not a record: not valid JSON"),
    "a name twice": ('{"q1": {"d1": 2, "d1": 0}}', "1: not a record: d1 is named twice"),
    "NaN": ('{"q1": {"d1": NaN}}', "1: not a record: NaN, which JSON does not have"),
    "too deep": ('{"a":' * 3000 + "1" + "}" * 3000, "1: not a record: lists and objects nested too deep"),
    "beyond ids": ('{"a":{"b":{"c":{"d":1}}}}', "1: not a record: objects in each other beyond"),
    "half a character": ('{"q\\ud800": {"d1": 1}}', "1: not a record: an incomplete character"),
    "another kind of line": (json.dumps(RECORDS[0]) + "\nq1 0 d2 1\n", "2: not a record"),
    "a field missing": (
        json.dumps(RECORDS[0]) + '\n{"query_id": "q1", "relevance": 1}\n',
        "2: a record without doc_id",
    ),
    "two values": (
        json.dumps(RECORDS[0]) + '\n{"query_id": "q1", "doc_id": "d1", "relevance": 0}\n',
        "2: second judgment",
    ),
    "a row cut off": (
        '{"columns": ["qid", "docid"], "data": [["1", "d1"], ["1"]]}',
        "1: not a record: a row in `data`",
    ),
    "numbers for rows": ('{"columns": ["qid", "docid"], "data": [1]}', "1: not a record: a row in `data`"),
    "a hidden character": ('{"q1": {"d\\u202e1": 1}}', "1: doc_id holds the control character"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_said_with_its_line(write, what):
    text, expected = WRONG[what]
    path = write(text, "a.json")
    with pytest.raises(BadInput, match=f"{path}:{expected}"):
        read_qrels(path, qrels_id="x")


JUDGES = "qid,docid,gpt4o,llama3,notes\n1,d1,2,3,long\n1,d2,0,error,\n"


def test_one_of_several_columns_of_labels_is_asked_for(write):
    path = write(JUDGES, "judges.csv")
    assert guess_kind(path) == "labels"
    with pytest.raises(Undecided, match=r"several columns .*: gpt4o, llama3") as asked:
        read_labels(path, grader_id="judge")
    assert asked.value.columns == ("gpt4o", "llama3")
    assert read_labels(path, grader_id="judge", column="gpt4o").frames["grades"]["grade"].tolist() == [2, 0]


def test_a_confidence_beside_labels_is_none_of_them_and_reasons_are_those_of_a_model(write):
    path = write([{"qid": 1, "docid": "d1", "label": 2, "score": 0.93, "reason": "It says so."}], "a.jsonl")
    assert guess_kind(path) == "labels"
    assert read_labels(path, grader_id="judge").frames["grades"]["grade"].tolist() == [2]


BEGINS = [
    '{"a": [1, {"b": "x',
    '{"a": [1',
    '{"a": {"b": 1}, "c',
    '[{"a": "\\u00',
    '{"a": "b\\',
    "{",
    '["a", "b',
    '{"a": tr',
    '{"a":',
]


@pytest.mark.parametrize("text", BEGINS)
def test_what_is_cut_short_is_json_up_to_there(text):
    assert isinstance(decoded(completed(text).encode()), dict | list)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.json", '{"q1": {"d1": NaN}}', "It can't be read as JSON: NaN"),
        ("a.jsonl", '{"colour": "red", "size": 3}\n', "Its fields are: colour, size"),
        ("a.csv", "colour;size\nred;3\n", "Its columns are: colour, size"),
        ("a.txt", "Système,x\n".encode("cp1252"), "CSV UTF-8"),
        ("b.txt", "", "It is empty"),
    ],
)
def test_what_no_reader_knows_is_described(write, name, content, says):
    path = write(content, name)
    assert guess_kind(path) is None
    assert says in beginning(path)


def test_ids_in_a_list_are_no_questions(write):
    assert guess_kind(write('{"q1": ["d1", "d2"]}', "a.json")) == "run"
    assert Opening(write('{"q1": ["Why?"]}', "b.json")).first_object == {"q1": ["Why?"]}
    assert guess_kind(write('{"q1": ["Why?"]}', "b.json")) == "bank"


@pytest.mark.parametrize(
    ("custom_id", "ids"),
    [("q1|d1", ("q1", "d1")), ("q__1|d1", ("q__1", "d1")), ("q1::d::1", None), ("q1__d1", ("q1", "d1")), ("17", None)],
)
def test_the_ids_of_a_batch_are_parted_where_that_is_certain(custom_id, ids):
    body = {"model": "m", "choices": [{"message": {"content": " 2 "}}]}
    [record] = labelled_records({"custom_id": custom_id, "response": {"body": body}})
    assert (record["label"], (record["query_id"], record["doc_id"]) if "doc_id" in record else None) == ("2", ids)


def test_values_by_topic_are_those_of_the_mean_that_they_have_or_of_none():
    said = {"run": "a", "cost": 0.5, "score": 0.33, "per_topic": {"t": 0.25, "u": 0.4}}
    assert {one["measure"] for one in scored_records(said) if one["topic"] != "all"} == {"score"}
    assert {one["measure"] for one in scored_records({**said, "score": 0.9}) if one["topic"] != "all"} == {"mean"}
