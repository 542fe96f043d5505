"""Reviews as CSV, JSON and Label Studio's export: what comes in, what goes out, what is refused."""

import csv
import json
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from exam_core.formats.csv_cells import cell_of, text_of
from exam_core.formats.registry import reader
from exam_core.formats.sniffing import guess_kind
from exam_core.formats.writing import write_lines
from exam_core.tables import UNKNOWN_TIME
from exam_core.wings.reviews.queue import Item, ItemTexts
from exam_core.wings.reviews.review import REVIEWS, Review
from exam_core.wings.reviews.review_files import CANCELLED, FORMS, read_label_studio, read_reviews, write_queue
from tests.wings.reviews.queues import made

HEADER = "reviewer,task,query_id,doc_id,question_id,answer"
READERS = {"csv": read_reviews, "jsonl": read_reviews}
QUEUE = made(
    Item("q1", "=d1", probability=0.25, stratum="top", shared=True),
    Item("q2", "d2", probability=1.0),
    Item("q2", "d3", probability=0.5),
    queue_id="0123abcd",
    instruction="Read it all.",
)
TEXTS = (ItemTexts("rain", "", "=1+1\r\nfalls"), ItemTexts("snow", "", "w" * 40_000), ItemTexts())
hostile = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    [
        *("", " ", "=1", "'=1", "''-", "json:", 'json:"x"', "a\n \nb", "a\r\nb"),
        *("\0", '"', "a,b", "\ufeffx", "@", "#x", "\u2028"),
    ]
)


def rows_of(reading):
    rows: list[dict[str, Any]] = REVIEWS.arrow(reading.frames["reviews"]).to_pylist()
    return rows


def test_a_review_needs_only_what_was_asked_and_the_answer(write):
    reading = read_reviews(write(f"{HEADER}\nann,relevance,q1,d1,,2\nann,grade,q1,d1,x1,5\nann,question,q1,,x1,0\n"))
    found = [[row[name] for name in HEADER.split(",")] for row in rows_of(reading)]
    assert found == [
        ["ann", "relevance", "q1", "d1", None, 2],
        ["ann", "grade", "q1", "d1", "x1", 5],
        ["ann", "question", "q1", None, "x1", 0],
    ]
    assert {(row["created"], row["shown"], row["probability"]) for row in rows_of(reading)} == {
        (UNKNOWN_TIME, False, None)
    }
    assert reading.counts == {"reviewers": 1, "reviews": 3}


def test_an_id_that_is_missing_is_the_same_at_every_reading_and_another_for_another_answer(write):
    text = f"{HEADER}\nann,relevance,q1,d1,,2\n"
    first, again, other = (
        rows_of(read_reviews(write(said, name)))[0]["review_id"]
        for name, said in (("a", text), ("b", text), ("c", text.replace(",2\n", ",1\n")))
    )
    assert first == again != other


def test_a_row_that_is_not_reviewed_yet_is_counted_and_one_that_was_skipped_is_kept(write):
    reading = read_reviews(write(f"{HEADER},skipped,note\na,,q1,d1,,1,,\na,,q1,d2,,,,hm\na,,q1,d3,,,not English,\n"))
    assert [(row["doc_id"], row["answer"], row["skipped"]) for row in rows_of(reading)] == [
        ("d1", 1, None),
        ("d3", None, "not English"),
    ]
    assert reading.notes[0].endswith("1 row; a note, which is not stored, is beside 1 of them.")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("a,relevance,q1,d1,,4", "answer 4 is not one of 0 to 3"),
        ("a,relevance,q1,d1,,-2", "answer -2 is not one of 0 to 3"),
        ("a,relevance,q1,d1,,1.5", "answer 1.5 is not one of 0 to 3"),
        ("a,relevance,q1,d1,,perhaps", "answer perhaps is not one of 0 to 3"),
        ("a,relevance,q1,d1,,1_0", "answer 1_0 is not one of 0 to 3"),
        ("a,question,q1,,x,2", "answer 2 is not one of 0 to 1"),
        ("a,grade,q1,d1,,2", "question_id is missing, which the task grade needs"),
        ("a,relevance,q1,d1,x1,2", "a question_id, which the task relevance is not about"),
        ("a,relevence,q1,d1,,2", "task relevence is unknown"),  # codespell:ignore
        (",relevance,q1,d1,,2", "reviewer is missing"),
        ("a,relevance,,d1,,2", "query_id is missing"),
        ("a,,q1,,,2", "no doc_id, no question_id"),
        ("a,relevance,q\x1b1,d1,,2", "query_id holds the control character U+001B"),
    ],
)
def test_a_row_that_is_wrong_is_refused_with_its_line(write, refusal, row, said):
    path = write(f"{HEADER}\na,relevance,q1,d0,,1\n{row}\n")
    message = refusal(read_reviews, path)
    assert message.startswith(f"{path}:3: {said}")
    assert message.endswith("Nothing was stored.")


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("probability", "0", "A probability is above 0, 1 at most."),
        ("probability", "1.01", "A probability is above 0, 1 at most."),
        ("probability", "nan", "probability nan is not a number"),
        ("drawn", "0", "drawn 0 is not a whole number from 1"),
        ("seed", "1e20", "seed 1e20 is not a whole number from 0"),
        ("seconds", "-1", "A seconds is 0 or more."),
        ("shown", "maybe", "shown maybe is neither true nor false"),
        ("created", "yesterday", "created yesterday is not a time"),
        ("created", "0001-01-01T00:00:00+14:00", "is not a time"),
        ("skipped", "too long", "an answer, and a reason why there is none"),
        ("note", "x" * 10_001, "note is longer than 10,000 characters"),
        ("extra", "[]", "extra is not a JSON object"),
        ("extra", "[" * 5000, "extra is not a JSON object"),
    ],
)
def test_how_an_item_was_drawn_is_checked(write, refusal, column, value, said):
    path = write(f"{HEADER},{column}\na,relevance,q1,d1,,1,{value}\n")
    message = refusal(read_reviews, path)
    assert (message.startswith(f"{path}:2: "), said in message) == (True, True)


@pytest.mark.parametrize(("column", "gone"), [("query_id", "qid2"), ("answer", "grades"), ("doc_id", "passage")])
def test_a_table_without_a_needed_column_is_refused_once(write, refusal, column, gone):
    header = "task,query_id,doc_id,answer".replace(column, gone)
    message = refusal(read_reviews, write(f"{header}\nrelevance,q1,d1,1\nrelevance,q1,d2,1\n"))
    assert (message.count("no column for"), column in message) == (1, True)


def test_times_are_told_in_utc_so_that_their_order_can_be_read_off(write):
    told = ("2026-01-31T12:00:00+02:00", "2026-01-31T12:00:00Z", "2026-01-31 12:00")
    rows = "".join(f"a,relevance,q1,d{place},,1,{one}\n" for place, one in enumerate(told))
    found = [row["created"][11:16] for row in rows_of(read_reviews(write(f"{HEADER},created\n{rows}")))]
    assert found == ["10:00", "12:00", "12:00"]


def test_what_a_file_says_beyond_our_columns_is_kept_and_its_texts_are_not(write):
    reading = read_reviews(write(f"{HEADER},passage_text,mood\nann,relevance,q1,d1,,2,long,fine\n"))
    assert rows_of(reading)[0]["extra"] == '{"mood":"fine"}'


def test_the_same_id_with_another_answer_is_refused(write, refusal):
    path = write(f"review_id,{HEADER}\nx,a,relevance,q1,d1,,2\nx,a,relevance,q1,d1,,1\n")
    assert refusal(read_reviews, path).startswith(
        f"{path}:3: second review for review x, reviewer a, with other values than line 2"
    )


reviews = st.builds(
    lambda texts, answer, seconds, probability: Review(
        review_id="r1",
        reviewer="-ann",
        created="2026-01-31T12:00:00.001+00:00",
        task="grade",
        query_id="=q",
        doc_id="'+d",
        question_id="@x",
        answer=answer,
        skipped=None if answer is not None else "why",
        note=texts[0],
        instruction=texts[1],
        stratum=texts[2],
        shown=True,
        seconds=seconds,
        probability=probability,
        extra=json.dumps({"k": texts[0] or ""}),
    ),
    st.tuples(*[st.none() | hostile] * 3),
    st.none() | st.integers(0, 5),
    st.none() | st.floats(0, 1e9),
    st.none() | st.floats(0, 1, exclude_min=True),
)


@pytest.mark.parametrize("form", FORMS)
@given(review=reviews)
def test_a_review_comes_back_as_it_was_written(tmp_path_factory, form, review):
    path = tmp_path_factory.getbasetemp() / f"round.{form}"
    write_lines(path, FORMS[form]([review]))
    assert reader("reviews", path) is READERS[form]
    assert [msgspec.convert(row, Review) for row in rows_of(READERS[form](path))] == [review]


@given(text=hostile)
@example(text="'=")
@example(text="'''@x")
def test_a_cell_is_no_formula_and_says_what_was_written(text):
    cell = cell_of(text)
    assert (cell[:1] in tuple("=+-@\t\r"), text_of(cell)) == (False, text)


@pytest.mark.parametrize("cell", [r'json:"\ud800"', 'json:"open', 'json:"a"b'])
def test_a_cell_that_only_begins_like_json_stays_as_it_is(cell):
    assert text_of(cell) == cell


def filled(path, answers):
    """What a person does in a spreadsheet: type into the column `answer`."""
    with path.open(encoding="utf-8", newline="") as file:
        head, *rows = list(csv.reader(file))
    for place, answer in answers.items():
        rows[place][head.index("answer")] = answer
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows([head, *rows])


def test_a_queue_is_filled_in_in_a_spreadsheet_and_comes_back_as_reviews(tmp_path):
    path = tmp_path / "queue.csv"
    write_lines(path, write_queue(QUEUE, TEXTS, "csv"))
    assert guess_kind(path) == "reviews"
    filled(path, {0: "3", 1: "0.0"})
    reading = read_reviews(path, reviewer="bob")
    made = [QUEUE.review(item, "bob", answer) for item, answer in zip(QUEUE.items, (3, 0), strict=False)]
    different = {"review_id", "created", "extra"}
    expected = [{name: getattr(one, name) for name in REVIEWS.names if name not in different} for one in made]
    assert [
        {name: row[name] for name in REVIEWS.names if name not in different} for row in rows_of(reading)
    ] == expected
    assert reading.notes[0] == "Not reviewed yet (neither an answer nor a reason why): 1 row."


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_a_table_of_another_countrys_spreadsheet_is_read(write, delimiter):
    line = "a,relevance,q1,d1,,2,0.5".replace(",", delimiter).replace(".", "," if delimiter == ";" else ".")
    path = write(f"{HEADER},probability".replace(",", delimiter) + f"\r\n{line}\r\n")
    assert guess_kind(path) == "reviews"
    (row,) = rows_of(read_reviews(path))
    assert (row["answer"], row["probability"]) == (2, 0.5)


def test_texts_of_a_queue_fit_a_cell_and_are_no_formula(tmp_path):
    path = tmp_path / "queue.csv"
    write_lines(path, write_queue(QUEUE, TEXTS, "csv"))
    with path.open(encoding="utf-8", newline="") as file:
        cells = [row["passage_text"] for row in csv.DictReader(file)]
    assert cells == ["'=1+1\nfalls", "w" * 30_000 + " [...]", 'json:""']


@pytest.mark.parametrize("form", ["jsonl", "labelstudio"])
def test_a_queue_that_nobody_answered_holds_no_review(tmp_path, form):
    path = tmp_path / "queue"
    write_lines(path, write_queue(QUEUE, TEXTS, form))
    if form == "labelstudio":
        tasks = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps([task | {"annotations": []} for task in tasks]), encoding="utf-8")
    assert guess_kind(path) == "reviews"
    reading = reader("reviews", path)(path)
    assert (len(reading.frames["reviews"]), reading.notes[0].endswith(": 3 rows.")) == (0, True)


def result(kind, value, name="answer"):
    field = "text" if kind == "textarea" else kind
    return {"id": "x", "type": kind, "from_name": name, "to_name": "text", "value": {field: value}}


def annotation(*results, **changes):
    about = {"id": 5, "completed_by": 3, "created_at": "2026-03-09T22:16:08.728353Z", "lead_time": 4.5}
    return about | {"was_cancelled": False, "ground_truth": False, "result": list(results)} | changes


def exported(*annotations, **data):
    about = {"qid": 12, "docno": "d1", "queue_id": "0123", "probability": 0.5, "passage_text": "Rain."} | data
    return json.dumps([{"id": 9, "annotations": list(annotations), "predictions": [], "data": about, "project": 1}])


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        (result("choices", ["Highly relevant"]), 1),
        (result("choices", ["2: highly relevant"]), 2),
        (result("choices", ["0"]), 0),
        (result("rating", 3), 3),
        (result("number", 1.0), 1),
    ],
)
def test_an_annotation_is_a_review_by_whom_it_was_made(write, said, answer):
    path = write(exported(annotation(said, result("textarea", ["one", "two"], "why"))))
    assert guess_kind(path) == "reviews"
    (row,) = rows_of(read_label_studio(path))
    made = {"reviewer": "3", "created": "2026-03-09T22:16:08.728+00:00", "note": "one\ntwo"}
    assert row | made | {"task": "relevance", "query_id": "12", "doc_id": "d1", "answer": answer} == row
    assert (row["seconds"], row["queue_id"], row["probability"], row["shown"]) == (4.5, "0123", 0.5, False)
    assert row["extra"] == '{"label_studio":{"task":9,"annotation":5}}'


def flat(answer, **more):
    about = {"query_id": "q1", "doc_id": "d1", "id": 1, "annotator": 1, "annotation_id": 7, "lead_time": 2.5}
    return about | {"relevance": answer} | more


@pytest.mark.parametrize("form", ["JSON-MIN", "CSV"])
@pytest.mark.parametrize(
    ("answer", "read"),
    [
        ("2", 2),
        ("2: high", 2),
        (2, 2),
        ("2 highly relevant", 2),
        (["2"], 2),
        (["2: high", 2], 2),
        ({"choices": ["2"]}, 2),
        ({"choices": ["0: no"]}, 0),
        ([{"rating": 2}], 2),
        ([{"number": 3, "start": 0}], 3),
        ([], None),
        ({"choices": []}, None),
        ({"choices": ["1", "2: high"]}, "2 different answers (1, 2) where one is the answer"),
        ([{"rating": 2}, {"choices": ["1"]}], "2 different answers (2, 1) where one is the answer"),
        ([{"taxonomy": [["2"]]}], "is not a choice, rating or number"),
        ("[2", "answer [2 is not one of 0 to 3"),
        ([[[[2]]]], "is not a choice, rating or number"),
    ],
    ids=str,
)
def test_one_answer_may_stand_in_a_list_or_object_of_label_studio(tmp_path, refusal, form, answer, read):
    if form == "CSV":
        path = tmp_path / "ls.csv"
        said = flat(json.dumps(answer) if isinstance(answer, list | dict) else answer)
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([said, said.values()])
    else:
        path = tmp_path / "min.json"
        path.write_text(json.dumps([flat(answer, note={"text": ["one", "two"]})]))
    assert guess_kind(path) == "reviews"
    if isinstance(read, str):
        assert read in refusal(reader("reviews", path), path)
        return
    rows = rows_of(reader("reviews", path)(path))
    assert [row["answer"] for row in rows] == ([] if read is None else [read])
    assert form == "CSV" or {row["note"] for row in rows} <= {"one\ntwo"}


def test_an_annotation_that_was_cancelled_is_skipped_and_an_empty_one_is_not_reviewed(write):
    gone = annotation(result("rating", 1), was_cancelled=True, completed_by={"id": 4, "email": "ann@example.org"})
    reading = read_label_studio(write(exported(gone, annotation(id=6))))
    (row,) = rows_of(reading)
    assert (row["reviewer"], row["answer"], row["skipped"]) == ("ann@example.org", None, CANCELLED)
    assert "1 row" in reading.notes[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (exported(annotation(result("rating", 1)), qid=None), "task 9: query_id is missing"),
        (exported(annotation(result("rating", 1)), docno=None), "task 9: no doc_id, no question_id"),
        (exported(annotation(result("rating", 7))), "task 9: answer 7 is not one of 0 to 3"),
        (exported(annotation(result("choices", ["great"]))), "task 9: answer great is not one of 0 to 3"),
        (exported(annotation(result("choices", ["1", "2"]))), "task 9: 2 different answers (1, 2) where"),
        (exported(annotation(result("rating", 1, "a"), result("number", 2, "b"))), "task 9: 2 answers (a, b)"),
        (exported(annotation(result("rating", 1), completed_by=None)), "task 9: reviewer is missing"),
        ('[{"id": 1, "qid": "q1", "annotations": [], "result": 1}]', "data is missing"),
    ],
)
def test_an_export_of_label_studio_that_says_too_little_is_refused(write, refusal, text, said):
    path = write(text)
    message = refusal(read_label_studio, path)
    assert message.startswith(f"{path}:1: ")
    assert said in message


def test_what_label_studio_lacks_is_named_with_the_fields_that_are_wanted(write, refusal):
    message = refusal(read_label_studio, write(exported(annotation(result("rating", 1)), docno=None)))
    assert "query_id (or qid, topic_id); doc_id (or docid, docno, passage_id, paragraph_id, pid)" in message


def test_tasks_that_were_never_in_label_studio_are_refused_with_how_to_export(tmp_path, refusal):
    path = tmp_path / "tasks.json"
    write_lines(path, write_queue(QUEUE, TEXTS, "labelstudio"))
    message = refusal(reader("reviews", path), path)
    assert f"{path}:2: not a task of Label Studio: annotations is missing" in message
    assert "Export the project as JSON, JSON-MIN or CSV" in message


def test_several_answers_are_told_apart_by_the_name_answer(write):
    path = write(exported(annotation(result("rating", 1, "style"), result("number", 2, "answer"))))
    assert rows_of(read_label_studio(path))[0]["answer"] == 2


def test_another_queue_of_questions_has_no_column_of_passages():
    queue = msgspec.structs.replace(QUEUE, task="question", items=(Item("q1", None, "x1", probability=1.0),))
    head = write_queue(queue, (ItemTexts("rain", "Why?"),), "csv")[0].split(b"\n")[0].decode().split(",")
    assert (head[:3], {"doc_id", "passage_text"} & set(head)) == (["query_text", "question_text", "answer"], set())
