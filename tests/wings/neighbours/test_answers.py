"""Generated answers, their ranks and an expert's orders: what is read, and what is refused with its line."""

import json

import pytest

from exam_core.errors import BadInput
from exam_core.formats.extra import decode_extra
from exam_core.wings.neighbours.answer_files import Orders, RankedAnswer, read_answers, read_orders, read_ranks

ONE = {"system": "m/7b", "prompt": "short", "query_id": "q1", "sample": 1, "answer": "Rain falls."}
RANKS = "model,prompt,qid,answer_number,rank_zero_based,documents_including_answer,monot5_score\n"
ORDERS = "task_id,query,system_ranking_best_first,expert_ranking_best_first\n"


def texts(reading):
    passages = reading.frames["passages"]
    return dict(zip(passages["doc_id"], passages["passage_text"], strict=True))


def test_an_answer_is_a_passage_named_after_system_query_prompt_and_sample_and_repeated_ones_are_merged(write):
    reading = read_answers(write([ONE], "a.jsonl"))
    assert texts(reading) == {"m_7b_q1_short_1": "Rain falls."}
    row = reading.frames["rankings"].iloc[0]
    assert (row["run_id"], row["query_id"], row["rank"]) == ("m/7b short", "q1", 1)
    assert decode_extra(row["extra"]) == {"system": "m/7b", "prompt": "short", "sample": 1}
    reading = read_answers(write([ONE, ONE], "a.jsonl"))
    assert (reading.counts, reading.notes) == ({"runs": 1, "answers": 1}, ["1 repeated answers were merged."])


def test_the_released_names_are_read_too_and_other_fields_and_second_names_are_kept(write):
    line = {"model": "m", "prompt": "p", "qid": 7, "query": "why rain", "answer_number": 0, "text": "", "seed": 4}
    reading = read_answers(write([line], "a.jsonl"))
    assert texts(reading) == {"m_7_p_0": ""}
    assert reading.frames["queries"][["query_id", "query_text"]].values.tolist() == [["7", "why rain"]]
    assert decode_extra(reading.frames["passages"]["extra"].iloc[0]) == {"seed": 4}
    reading = read_answers(write([ONE | {"model": "v2", "text": "other"}], "a.jsonl"))
    assert texts(reading) == {"m_7b_q1_short_1": "Rain falls."}
    assert decode_extra(reading.frames["passages"]["extra"].iloc[0]) == {"model": "v2", "text": "other"}


def test_a_query_without_an_id_beside_it_is_the_id(write):
    line = {"system": "m", "prompt": "p", "query": "q7", "sample": 3, "answer": "x"}
    assert list(texts(read_answers(write([line], "a.jsonl")))) == ["m_q7_p_3"]
    with pytest.raises(BadInput, match="query_id is missing"):
        read_answers(write([line | {"query": "why rain"}], "b.jsonl"))


def test_samples_rank_by_their_numbers_and_are_counted_where_they_have_none(write):
    numbered = [ONE | {"sample": number, "answer": f"a{number}"} for number in (10, 2)]
    reading = read_answers(write(numbered, "a.jsonl"))
    assert reading.frames["rankings"]["doc_id"].tolist() == ["m_7b_q1_short_2", "m_7b_q1_short_10"]
    bare = [{name: value for name, value in ONE.items() if name != "sample"} | {"answer": text} for text in "ab"]
    reading = read_answers(write(bare, "b.jsonl"))
    assert texts(reading) == {"m_7b_q1_short_1": "a", "m_7b_q1_short_2": "b"}
    assert reading.notes == ["2 answers have no sample number; they were numbered from 1 in the file's order."]


def test_a_cell_of_a_csv_file_may_have_paragraphs(write):
    head = "system,prompt,query_id,sample,answer,note\r\n"
    file = write(f'{head}m,p,q1,1,"One, ""two"".\r\n\r\nThree.",mine\r\n\r\nm,p,q1,2,,\r\n', "a.csv")
    reading = read_answers(file)
    assert texts(reading) == {"m_q1_p_1": 'One, "two".\n\nThree.', "m_q1_p_2": ""}
    assert [decode_extra(extra) for extra in reading.frames["passages"]["extra"]] == [{"note": "mine"}, {}]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", r"a\.jsonl:2: not an answer(.|\n)*Each line is an object such as"),
        ("[1]", r":2: not an answer"),
        ({"system": "m", "prompt": "p", "query_id": "q"}, ":2: answer is missing"),
        (ONE | {"answer": 3}, ":2: answer is not text"),
        (ONE | {"prompt": " "}, ":2: prompt is blank"),
        (ONE | {"system": "m\x1b"}, r":2: system holds the control character U\+001B"),
        (ONE | {"query_id": True}, ":2: query_id is not text"),
        (ONE | {"sample": 1.5}, ":2: sample 1.5 is not a whole number from 0"),
        (ONE | {"sample": -1}, ":2: sample -1 is not a whole number from 0"),
        (ONE | {"answer": "Other."}, r":2: second answer m_7b_q1_short_1; another is in line 1"),
        (ONE | {"more": json.loads("[" * 101 + "]" * 101)}, ":2: a field nested more than 100 deep"),
        (ONE | {"system": "m_7b"}, r":2: second answer m_7b_q1_short_1; another is in line 1"),
    ],
)
def test_what_is_no_answer_is_refused_with_its_line(write, line, message):
    with pytest.raises(BadInput, match=message):
        read_answers(write(f"{json.dumps(ONE)}\n{line if isinstance(line, str) else json.dumps(line)}\n", "a.jsonl"))


def test_two_systems_that_would_be_one_run_are_refused(write):
    two = [ONE | {"system": "a b", "prompt": "c"}, ONE | {"system": "a", "prompt": "b c"}]
    with pytest.raises(BadInput, match=r":2: system a with prompt b c would be the run a b c, as system a b is"):
        read_answers(write(two, "a.jsonl"))
    with pytest.raises(BadInput, match=r":3: system a with prompt b c would be the run a b c"):
        read_ranks(write(f"{RANKS}a b,c,1,1,0,5,1\na,b c,1,1,0,5,1\n", "r.csv"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("system,prompt,answer\nm,p,x\n", r"a\.csv:1: no column for query_id \(query_id or qid\)"),
        ("system,prompt,query_id,answer\n\nm,p,x\n", ":3: 3 cells where the header has 4"),
        ('system,prompt,query_id,answer\nm,p,q,"x\n', "not a line of a table"),
        ("system,prompt,prompt,answer\nm,p,q,x\n", ":1: two columns are named prompt"),
    ],
)
def test_what_is_no_table_of_answers_is_refused(write, text, message):
    with pytest.raises(BadInput, match=message):
        read_answers(write(text, "a.csv"))


def test_ranks_name_their_base_and_their_ranker(write):
    found = read_ranks(write(f"{RANKS}m,p,1,2,0,245,-7.5\n", "r.csv"))
    assert found.answers == [RankedAnswer("m", "p", "1", 2, 0, 245, -7.5)]
    assert found.ranker == "monot5"


@pytest.mark.parametrize(
    ("head", "row", "base", "rank", "size"),
    [
        ("rank,documents_including_answer", "1,5", 1, 0, 5),
        ("rank,documents_including_answer", "1,5", 0, 1, 5),
        ("rank_one_based,documents_including_answer", "5,5", None, 4, 5),
        ("rank_zero_based,documents", "5,5", None, 5, 6),
        ("rank_zero_based,documents_including_answer", "1,5", 1, 1, 5),
    ],
)
def test_ranks_are_kept_from_0_and_lengths_with_the_answer(write, head, row, base, rank, size):
    file = write(f"system,prompt,query_id,sample,{head}\nm,p,q,1,{row}\n", "r.csv")
    (found,) = read_ranks(file, rank_base=base).answers
    assert (found.rank, found.size, found.score) == (rank, size, None)


def test_ranks_that_do_not_say_where_they_start_are_refused(write):
    file = write("system,prompt,query_id,sample,rank,documents\nm,p,q,1,1,5\n", "r.csv")
    with pytest.raises(BadInput, match=r"r\.csv:1: .*start at 0 or at 1(.|\n)*--rank-base"):
        read_ranks(file)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("m,p,1,2,245,245,1", ":3: rank 245 is not one of 245 places from 0"),
        ("m,p,1,2,-1,245,1", ":3: rank -1 is not one of"),
        ("m,p,1,2,x,245,1", ":3: rank_zero_based x is not a whole number"),
        ("m,p,1,2,0,245,nan", ":3: monot5_score nan is not a number"),
        ("m,,1,2,0,245,1", ":3: prompt is blank"),
        ("m,p,1,1,3,245,1", ":3: second rank of sample 1 of m, p, for query 1; another is in line 2"),
        ("m,p,1", ":3: 3 cells where the header has 7"),
    ],
)
def test_what_is_no_rank_is_refused_with_its_line(write, row, message):
    with pytest.raises(BadInput, match=message):
        read_ranks(write(f"{RANKS}m,p,1,1,0,245,1\n{row}\n", "r.csv"))


def test_orders_are_two_for_a_task(write):
    file = write(f'{ORDERS}7,"why, rain",a b c,b a c\n', "o.csv")
    assert read_orders(file) == [Orders("7", "why, rain", ("a", "b", "c"), ("b", "a", "c"))]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("8,q,a a,a b", ":3: ranker a a names an item twice"),
        ("8,q,a b,a c", ":3: only one of the orders has b, c"),
        ("8,q,a,", ":3: expert is empty"),
        ("7,q,a,a", ":3: second orders of task 7; another is in line 2"),
        (",q,a,a", ":3: task is blank"),
    ],
)
def test_what_are_no_orders_is_refused_with_its_line(write, row, message):
    with pytest.raises(BadInput, match=message):
        read_orders(write(f"{ORDERS}7,q,a b,b a\n{row}\n", "o.csv"))


@pytest.mark.parametrize("one", ["[{}]", "{}"], ids=["a list", "indented documents"])
def test_answers_in_whole_documents_are_read_as_lines_are(tmp_path, one):
    path, said = tmp_path / "answers.json", json.dumps(ONE, indent=1)
    path.write_text(one.replace("{}", f"{said},\n{said}" if "[" in one else f"{said}\n{said}"), "utf-8")
    assert read_answers(path).notes == ["1 repeated answers were merged."]
