"""Generated responses: what is read, and what is refused with its line."""

import gzip
import json

import pytest

from exam_core.errors import BadInput
from exam_core.wings.neighbours.response_files import Response, Sentence, read_responses


def write(path, *lines):
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines), "utf-8")
    return path


def read(path, *lines):
    return read_responses(write(path / "r.jsonl", *lines))


def test_a_line_is_a_response_and_nothing_that_it_says_is_lost(tmp_path):
    found = read(tmp_path, {"query_id": 7, "run_id": "a", "text": "Schön.\nZwei", "more": [1]})
    assert found == [Response("a", "7", "Schön.\nZwei", extra='{"more":[1]}')]


def track(*sentences, **more):
    answer = [{"text": text, "citations": citations} for text, citations in sentences]
    return {"topic_id": 7, "topic": "why", "run_id": "a", "references": ["d1", "d2"], "answer": answer} | more


def test_sentences_of_the_rag_track_name_the_passages_that_they_cite(tmp_path):
    (found,) = read(tmp_path, track(("One.", [1, 0, 1]), ("Two.", []), ("", []), ("Three.", ["d9"]), length=3))
    assert (found.run_id, found.query_id, found.query_text, found.text) == ("a", "7", "why", "One. Two. Three.")
    named = [(sentence.text, list(sentence.citations)) for sentence in found.sentences]
    assert named == [("One.", ["d2", "d1"]), ("Two.", []), ("Three.", ["d9"])]
    assert (found.unlisted, json.loads(found.extra or "")) == (("d9",), {"references": ["d1", "d2"], "length": 3})


SAID = {"topic_id": "7", "run_id": "a"}
SENTENCE = {"text": "Soda helps.", "citations": ["d2", "d1"]}
FORMS = {
    "RAG 2024": {**SAID, "references": ["d1", "d2"], "answer": [{**SENTENCE, "citations": [1, 0]}]},
    "RAG 2025": {
        "references": ["d1", "d2"],
        "answer": [{"citations": [1, 0], "text": "Soda helps."}],
        "metadata": {"narrative": "why", "narrative_id": 7, "run_id": "a", "team_id": "t"},
    },
    "NeuCLIR": {"request_id": "7", "run_id": "a", "collection_ids": ["made/1"], "sentences": [SENTENCE]},
    "RAGTIME": {"responses": [{"citations": {"d2": 0.5, "d1": 1}, "text": "Soda helps."}], "metadata": SAID},
    "objects": {
        **SAID,
        "references": [{"docid": "d2"}, {"docid": "d1"}],
        "report": [{"text": "Soda helps.", "citations": [{"doc_id": "d2", "score": 0.5}, {"id": "d1"}]}],
    },
    "both, as Auto-Judge writes them": {**SAID, "answer": [SENTENCE], "responses": [SENTENCE], "text": "Soda  helps."},
    "by team": {"metadata": {"topic_id": 7, "team_id": "a"}, "sentences": [SENTENCE]},
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("way", ["lines", "a list", "one document", "gz", "BOM and CRLF"])
def test_a_form_is_read_however_its_file_is_written(tmp_path, form, way):
    said = FORMS[form]
    texts = {
        "lines": json.dumps(said),
        "a list": json.dumps([said], indent=1),
        "one document": json.dumps(dict(reversed(said.items())), indent=2),
        "gz": json.dumps(said),
        "BOM and CRLF": f"\ufeff\r\n{json.dumps(said)}\r\n",
    }
    raw = texts[way].encode()
    (tmp_path / "r").write_bytes(gzip.compress(raw) if way == "gz" else raw)
    (found,) = read_responses(tmp_path / "r")
    assert (found.run_id, found.query_id, found.text) == ("a", "7", "Soda helps.")
    assert [list(sentence.citations) for sentence in found.sentences] == [["d2", "d1"]]
    assert found.unlisted == ()


def test_scores_of_citations_and_what_else_a_sentence_says_are_kept(tmp_path):
    cites = [{"id": "d1", "score": 0.5, "quote": "x"}, "d2"]
    (found,) = read(tmp_path, {**SAID, "answer": [{"text": "Soda.", "citations": cites, "evaldata": {"x": 1}}, "So."]})
    first, second = found.sentences
    assert first == Sentence("Soda.", {"d1": 0.5, "d2": None}, {"evaldata": {"x": 1}, "citations": cites})
    assert first.kept["scores"] == [0.5, None]
    assert second.kept == {"text": "So.", "citations": []}


def test_documents_come_with_their_texts_and_are_held_once(tmp_path):
    soda = {"id": "d1", "text": "Soda.", "title": "Bread", "url": "x"}
    lines = [
        {**SAID, "responses": [SENTENCE], "documents": {"d1": soda, "d2": {"id": "d2", "title": "No text"}}},
        {
            **SAID,
            "topic_id": 8,
            "responses": [{"text": "x", "citations": [3]}],
            "documents": [soda, {"id": 3, "text": "y"}],
        },
    ]
    one, two = read(tmp_path, *lines)
    assert one.documents[0] is two.documents[0]
    assert one.documents[0].text == "Bread\nSoda."
    assert json.loads(one.documents[0].extra or "") == {"title": "Bread", "url": "x"}
    assert json.loads(one.extra or "") == {"documents": {"d2": {"id": "d2", "title": "No text"}}}
    assert list(two.sentences[0].citations) == ["3"]


DOCUMENT = {**SAID, "topic_id": "q0", "run_id": "b", "text": "x", "documents": {"d": "one"}}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", r"r\.jsonl:3: not a response(.|\n)*A response is an object such as"),
        ({"query_id": "q", "run_id": "a"}, r":3: not a response: text is missing"),
        ({"run_id": "a", "text": "x"}, r":3: not a response: query_id is missing"),
        ({"query_id": "q", "text": "x"}, r":3: no run_id(.|\n)*--run"),
        ({"query_id": "q", "run_id": "a", "text": " \n"}, r":3: an empty text"),
        ({"query_id": "q0", "run_id": "a", "text": "x"}, r":3: second response of run a to query q0.*line 1"),
        (f'{{"query_id": "q", "run_id": "a", "text": "x", "m": {"[" * 1000 + "]" * 1000}}}', ":3: .*nested too deep"),
        ('{"query_id": "q", "run_id": "a", "text": "x", "more": 1e999}', ":3: .*out of range"),
        ('{"query_id": "q", "run_id": "a", "text": "x", "text": "y"}', ":3: .*text is named twice"),
        ({"query_id": "q\x1b", "run_id": "a", "text": "x"}, r":3: query_id holds the control character U\+001B"),
        ({"query_id": "q", "run_id": "\u00a0", "text": "x"}, r":3: run_id is blank"),
        (track(("x", [2])), r":3: answer 1: cites 2, and there are 2 references, from 0"),
        (track(("x", [-1])), r":3: answer 1: cites -1"),
        (track(("x", ["a\x1b"])), r":3: answer 1: the cited passage's id holds the control character"),
        (track(("x", [{"score": 1}])), r":3: answer 1: a passage without an id"),
        (track(("x", [1.5])), r":3: answer\[0\]\.citations\[0\]: expected .*, got a number"),
        (track(("x", {"d1": "high"})), r":3: answer\[0\]\.citations.*: expected .*a number.*, got a text"),
        (track(("x", [True])), r":3: answer\[0\]\.citations\[0\]: expected .*, got true or false"),
        (track(answer=7), r":3: answer: expected .*, got a whole number"),
        (track(), r":3: an empty text"),
        (track(("x", []), text="y"), r":3: .*answer and text say different things"),
        (track(("x", []), metadata={"narrative_id": 8}), r":3: .*topic_id 7 and metadata.narrative_id 8 differ"),
        (track(("x", []), metadata="x"), r":3: metadata: expected .*, got a text"),
        (track(("x", []), run_id=None), r":3: no run_id"),
        (track(("x", []), documents={"d": "two"}), r":3: document d has another text than in line 2"),
        (track(("x", []), documents={"d": {"id": "e", "text": "x"}}), r":3: documents: id e stands under d"),
        ('{"topic_id": "q", "answer": [{"text": "x"', r":3: not a response: not valid JSON"),
    ],
)
def test_what_is_no_response_is_refused_with_its_line(tmp_path, line, message):
    with pytest.raises(BadInput, match=message):
        read(tmp_path, {"query_id": "q0", "run_id": "a", "text": "first"}, DOCUMENT, line)


def test_one_name_names_a_run_whatever_its_lines_say_and_never_those_of_two_systems(tmp_path):
    lines = [{"query_id": "q0", "run_id": "a", "text": "x"}, {"query_id": "q1", "text": "y"}]
    found = read_responses(write(tmp_path / "r.jsonl", *lines), run_id="mine")
    assert [response.run_id for response in found] == ["mine", "mine"]
    lines.append({"query_id": "q2", "run_id": "b", "text": "z"})
    with pytest.raises(BadInput, match=r"r\.jsonl: holds 2 runs \(a, b\), and --run mine names one"):
        read_responses(write(tmp_path / "r.jsonl", *lines), run_id="mine")


def test_ten_thousand_sentences_are_read(tmp_path):
    (found,) = read(tmp_path, track(*[("Rain falls.", [0])] * 10_000))
    assert len(found.sentences) == 10_000
