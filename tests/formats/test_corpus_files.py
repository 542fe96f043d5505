"""Corpora: every form that they have, each passage once, and what is wrong with them in a message."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from exam_core.errors import BadInput
from exam_core.formats import corpus_files, reading
from exam_core.formats.corpus_files import Corpus, are_among, distinct, passages_of, read_passages, with_title
from exam_core.store import Store

Write = Callable[..., Path]
LONG = "so it is " * 20


def rows(path):
    return [row for some in read_passages(path) for row in zip(*some[1:], strict=True)]


def kept(paths, wanted=None, *, titles=True, spill=None):
    corpus = Corpus(wanted, spill, titles=titles, files=paths)
    for file, some in passages_of(paths):
        corpus.add(some, file)
    return [row for frame in corpus.frames() for row in zip(frame["doc_id"], frame["passage_text"], strict=True)]


@pytest.mark.parametrize(
    "said",
    [
        {"_id": "d1", "title": "t", "text": "x", "metadata": {}},
        {"metadata": {"id": "no"}, "text": "x", "title": "t", "_id": "d1"},
        {"id": "d1", "contents": "x", "title": "t"},
        {"docid": "d1", "url": "u", "title": "t", "headings": "h", "segment": "x", "start_char": 0},
        {"docid": "page", "pid": "d1", "passage": "x", "title": "t", "spans": "(0,1)"},
        {"docno": "d1", "title": "t", "body": "x"},
        {"doc_id": "d1", "title": "t", "text": None, "contents": "", "body": "x"},
    ],
    ids=["beir", "other order", "anserini", "segment", "msmarco v2", "body", "the first with words"],
)
@pytest.mark.parametrize("form", ["lines", "document", "list"])
def test_json_of_corpora_is_read_under_its_names(write, said, form):
    text = {"lines": json.dumps(said), "document": json.dumps(said, indent=1), "list": json.dumps([said], indent=1)}
    assert rows(write(f"{text[form]}\n")) == [("d1", "t", "x")]


def test_an_id_may_be_a_number_and_zero_is_one(write):
    assert rows(write([{"id": 0, "contents": "x"}, {"id": 7, "contents": ""}])) == [("0", "", "x"), ("7", "", "")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('0\t"Quoted" it is\n1\tno\n', [("0", "", '"Quoted" it is'), ("1", "", "no")]),
        ("\ufeffdocid\ttext\ttitle\r\nd1\tx\tt\r\n", [("d1", "t", "x")]),
        ('id\ttext\ttitle\n1\t"say ""so"""\t"a ""b"""\n', [("1", 'a "b"', 'say "so"')]),
        (f"d1\thttp://a.b/c\tRain\t{LONG}\n", [("d1", "Rain", LONG)]),
        ("pid\tpassage\nd1\t\n", [("d1", "", "")]),
    ],
    ids=["msmarco", "header, mark, crlf", "dpr", "msmarco documents", "no text"],
)
def test_a_table_is_read_by_its_header_or_its_shape(write, text, expected):
    assert rows(write(text)) == expected


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"id": "d1", "text": "x"}\n{"text": "y"}\n', r"file:2: not a passage: no id"),
        ('{"id": "d1", "text": ["x"]}\n', r"file:1: text: expected a text or null, got a list"),
        ('{"id": "d1", "text": "x"}\n{"id": "d2", "te', r"file:2: not a passage: not valid JSON"),
        ('{"id": "d1", "text": "\\ud800"}\n', r"file:1: not a JSON document: not valid JSON"),
        ("d1\tx\nd2 y\n", r"file:2: not a passage: 1 column between tabs where the first line has 2"),
        ("d1 x\n", r"file:1: no tab between an id and a text"),
        ("d1\tone\ttwo\n", r"file:1: 3 columns, and no header that says which is the text"),
        ("d1\tx\nd2\t\xff\n", r"file:2: not a passage: not UTF-8 at byte 4"),
        ("d1\tx\x00\n", r"file:1: a NUL byte"),
    ],
)
def test_what_is_no_passage_is_named_with_its_line(write, text, says):
    with pytest.raises(BadInput, match=says):
        kept([write(text.encode("latin-1"))])


def test_a_title_stands_before_the_text_once():
    assert with_title("Rain", "It falls.") == "Rain\nIt falls."
    assert with_title("Rain", "Rain falls.") == "Rain falls."
    assert with_title(" ", "It falls.") == "It falls."
    assert with_title("Rain", "") == "Rain"


def twin(files, wanted):
    """The same by a dictionary: passages that are wanted, or the first that has a second text."""
    found = {}
    for lines in files:
        for line in lines:
            doc_id, text = line["id"], line["text"]
            if (wanted is None or doc_id in wanted) and text.strip() and found.setdefault(doc_id, text) != text:
                return doc_id
    return list(found.items())


@pytest.mark.parametrize("together", [3, 1000])
def test_parts_hold_what_a_dictionary_would(write, tmp_path, monkeypatch, together):
    monkeypatch.setattr(corpus_files, "TOGETHER", together)
    monkeypatch.setattr(corpus_files, "PART_CHARACTERS", 20 * together)
    monkeypatch.setattr(reading, "MANY_ROWS", 5 * together)
    refused = 0
    for seed in range(25):
        rng = random.Random(seed)
        odd, ids = rng.random() < 0.4, rng.randint(1, 60)
        files = []
        for _ in range(rng.randint(1, 3)):
            numbers = [rng.randrange(ids) for _ in range(rng.randint(1, 40))]
            files.append(
                [{"id": f"d{n}", "text": f"text {n}" if rng.random() > 0.05 * odd else "other"} for n in numbers]
            )
        wanted = None if rng.random() < 0.5 else {f"d{n}" for n in range(0, ids, 2)}
        paths = [write(lines, f"{seed}-{place}.jsonl") for place, lines in enumerate(files)]
        expected = twin(files, wanted)
        with Store(tmp_path / "store").asides("c") as spill:
            if isinstance(expected, str):
                refused += 1
                with pytest.raises(BadInput, match="second text for passage d"):
                    kept(paths, wanted, spill=spill)
            else:
                assert kept(paths, wanted, spill=spill) == expected
    assert 2 < refused < 20


def test_a_second_text_is_named_with_both_lines(write):
    one = write("d1\tx\nd2\ty\nd1\tx\nd2\tz\n", "one.tsv")
    with pytest.raises(
        BadInput, match=r"one.tsv:4: second text for passage d2, .* than \S*one.tsv:2\n  passage text z"
    ):
        kept([one])
    two = [write("d1\tx\n", "two.tsv"), write("d3\tx\nd1\tz\n", "three.tsv")]
    with pytest.raises(BadInput, match=r"three.tsv:2: second text for passage d1, with other values than \S*two.tsv:1"):
        kept(two)


def test_an_id_that_nobody_could_type_is_refused_where_it_is_kept(write):
    path = write([{"id": "a\x1bb", "text": "x"}, {"id": "d1", "text": "y"}])
    with pytest.raises(BadInput, match=r"file:1: doc_id holds the control character"):
        kept([path])
    assert kept([path], {"d1"}) == [("d1", "y")]


def test_distinct_keys_are_found_among_others(monkeypatch):
    monkeypatch.setattr(corpus_files, "_PARTS", 2)
    rng = np.random.default_rng(7)
    parts = [rng.integers(-50, 50, size) for size in (0, 9, 40, 1, 90)]
    keys = np.concatenate(parts)
    there = distinct(iter(parts))
    assert there.tolist() == sorted(set(keys.tolist()))
    assert not are_among(there[:0], keys).any()
    assert are_among(there[::2], keys).tolist() == [key in set(there[::2].tolist()) for key in keys.tolist()]
