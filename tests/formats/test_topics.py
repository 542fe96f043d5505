"""Topics in tables, JSON and between tags."""

import json

import pytest

from exam_core.formats.registry import reader
from exam_core.formats.sniffing import guess_kind

Rows = list[tuple[str, str]]
FLEA = [("1", "what is a flea")]


def read_topics(path):
    return reader("topics", path)(path)


def texts(path):
    frame = read_topics(path).frames["queries"]
    return list(zip(frame["query_id"], frame["query_text"], strict=True))


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_topics_are_read(write, end):
    path = write(f"156493\tdo goldfish grow 1{end}2\t what # is \t it {end}", "topics.gz")
    assert texts(path) == [("156493", "do goldfish grow 1"), ("2", "what # is \t it")]


@pytest.mark.parametrize(
    "header", ["qid\tquery", "#qid\tquery", '"qid"\t"query"', "Topic ID\tTopic Text", "num\tquery", "queryId\tTitle"]
)
def test_a_header_of_topics_is_no_query(write, header):
    path = write(f"{header}\n1\twhat is a flea\n")
    reading, names = read_topics(path), header.replace("\t", ", ").replace('"', "")
    assert reading.counts == {"queries": 1}
    assert reading.notes == [f"{path.name}: line 1 was taken for the header, {names}."]


@pytest.mark.parametrize(
    "text",
    [
        "query,QID\nwhat is a flea,1\n",
        "id;year;query\n1;2025;what is a flea\n",
        "1;what is a flea\n",
        "1,what is a flea\n",
        '[{"id": 1, "title": "what is a flea"}]',
        '{"query_id": "1", "text": "what is a flea"}\n',
        '{"metadata": {}, "text": "what is a flea", "_id": "1"}\n',
        '{"1": "what is a flea"}',
        '{\n"id": "1",\n"title": "what is a flea"\n}\n{\n"title":\n"what is a flea", "id": 1}\n',
        '{"1": {"title": "what is a flea"}}',
        '{"narrative": "what is a flea", "id": "1"}\n',
        "<top>\n<num> Number: 1\n<title> Topic:  what is\na flea\n</top>\n",
        "<top><num>1</num><desc> Description:\nwhat is a flea\n",
        '<?xml version="1.0"?>\n<!DOCTYPE x>\n<topics>\n<topic number="1" type="faceted"><!-- <query>no</query>\n-->\n'
        "<query>what is\n a flea</query><description>long</description>\n</topic>\n</topics>\n",
        '<topics task="x"><topic number="1">\nwhat is a flea\n</topic></topics>',
        "<queries><query><qid>1</qid><content><![CDATA[what is a flea]]></content></query></queries>",
        "<TOP>\n<NUM> 1 </NUM><TITLE>what is a flea</TITLE><NARR/></TOP>\n",
        '<topic number="7">>\n<number>1</number><title>what is a flea</title></topic>',
    ],
)
@pytest.mark.parametrize("coding", ["utf-8-sig", "utf-16"])
def test_a_topic_is_the_same_however_it_is_written(write, text, coding):
    assert texts(write(text.encode(coding))) == FLEA


def test_between_tags_signs_are_unescaped_and_no_topic_runs_into_the_next(write):
    found = texts(write("<top>\n<num> Number: 51\n<title> A&amp;B &lt; AT&T\n<top>\n<num> Number: 52\n<title> b\n"))
    assert found == [("51", "A&B < AT&T"), ("52", "b")]


def test_a_report_request_asks_its_problem_and_keeps_its_title(write):
    said = {"topic_id": 7, "title": "Bread", "problem_statement": "How does it rise?", "background": "I bake."}
    reading = read_topics(write([said]))
    assert reading.frames["queries"][["query_text", "title"]].values.tolist() == [["How does it rise?", "Bread"]]
    assert reading.notes == ["Columns that are not kept: background."]


RUN, QRELS, SCORES = "q1\tQ0\td1\t1\t2.5\tmine\n", "q1\t0\td1\t2\n", "bm25\t0.4\n"
OF_OTHERS = ("query-id\tcorpus-id\tscore", "query_id\tquestion_text\timportance", "docid\ttext", "run_id\tscore")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1\tfine\n1 no tab\n", ":2: 1 cells where 2 belong: query_id, query_text"),
        *((f"1\tfine\n{line}\n", ":2: no query id or no text") for line in ("1\t", "\ttext", "1\t  ", " \ttext")),
        ("1\ta\n2\tb\n1\tc\n", ":3: second text for query 1, with other values than line 1"),
        *((text, ":1: numbers where the texts of queries belong") for text in (RUN, QRELS, SCORES)),
        *(
            (f"{header}\n1\tc1 is a text\n", ":1: the header of another table than one of query ids and texts")
            for header in (*OF_OTHERS, "qid,title,docid")
        ),
        ('{"_id": "c1", "title": "A", "text": "long"}\n', ":1: no object with the id and the text of a query"),
        ('{"docid": "c1", "contents": "long"}\n', ":1: no object with the id and the text of a query"),
        ('[{"id": "1", "title": "a"},\n{"title": "b"}]', ":2: no query id or no text"),
        ('[{"id": "1", "title": "a"},\n{"query": "a b", "title": "b"}]', ":2: no query id or no text"),
        ('[{"id": "1", "title": "a"},\n{"id": 2}]', ":2: no query id or no text"),
        ('[{"id": "1", "title": "a"},\n{"id": 2, "id": 2, "title": "b"}]', ":2: not a topic: id is named twice"),
        ("<top>\n<num> 1\n<title> a\n</top>\n<top>\n<num> 2\n<title> b", ":5: the file seems to be cut off"),
        ("<top>\n<num> 1\n</top>\n", ":1: no query id or no text"),
        ("<topics>\n</topics>\n", ":1: no topic between tags"),
        ("<top>\n<num> 1 <title>" + "<!--<a <" * 2**16, ":1: no query id or no text"),  # and it takes no time
        ("<top>\n<num> 1 <title>\n" + "a b\n" * 2**19, ":1: a topic of more than 1 MiB"),
        ("1\ta\r2\tb\r3\tc\r", "Save the file with LF line ends."),
        ("This is, as we said, a letter.\nDear all, hello\n", ":1: 1 cells where 2 belong"),
    ],
)
def test_what_is_no_topic_is_refused_with_its_line(write, refusal, text, says):
    path = write(text)
    assert (f"{path}{says}" if says[0] == ":" else says) in refusal(read_topics, path)


def test_repeated_topics_are_merged_and_counted(write):
    reading = read_topics(write("1\ta\x1bb\n1\ta\x1bb\n"))
    assert (reading.counts, reading.notes) == ({"queries": 1}, ["1 repeated lines were merged."])
    assert reading.frames["queries"]["query_text"].item() == "a\x1bb"


@pytest.mark.parametrize(("name", "queries"), [("topics.dl19-passage.txt.gz", 43), ("topics.dl20.txt.gz", 200)])
def test_real_topics_are_read(shared_data, name, queries):
    assert read_topics(shared_data / "appendix/trec" / name).counts == {"queries": queries}


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ({"_id": "1", "text": "bread without yeast"}, "topics"),
        ({"id": "1", "narrative": "I want " * 200}, "topics"),
        ({"_id": "1", "text": "long " * 100}, None),
        ({"_id": "1", "title": "", "text": "bread"}, None),
        ({"id": "1", "contents": "bread", "title": "b"}, None),
        ({"id": "1", "query": "q", "answer": "a"}, None),
    ],
)
def test_a_text_of_a_query_is_told_from_a_passage(write, said, kind):
    path = write([json.loads(json.dumps(said))], "file.jsonl")
    assert guess_kind(path) in ({kind} if kind else {None, "passages", "responses"})
