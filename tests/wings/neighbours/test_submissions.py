"""Submissions of TREC BioGen and iKAT in one object are the responses of their run, with what they cite."""

import json

import pytest

from exam_core.errors import BadInput
from exam_core.formats.format import Opening
from exam_core.formats.registry import recognised
from exam_core.wings.neighbours.response_files import read_responses

BIOGEN = {"topic_id": "101", "answer": "Rest helps [12, 34,5, 6]. So does water.", "references": ["12", "34", "5", "6"]}
PASSAGE = {"id": "d:1", "text": "Rome is old.", "score": 0.5}
TURN = {
    "turn_id": "1-1_1",
    "responses": [{"rank": 2, "text": "No."}, {"rank": 1, "text": "Go to Rome.", "passage_provenance": [PASSAGE]}],
}


@pytest.fixture
def submission(tmp_path):
    def write(**said):
        path = tmp_path / "run.json"
        path.write_text(json.dumps({"run_name": "base", **said}))
        return path

    return write


def test_a_sentence_of_biogen_cites_the_first_three_of_its_brackets(submission):
    path = submission(team_id="t", results=[BIOGEN])
    assert recognised(Opening(path)).read is read_responses
    (response,) = read_responses(path)
    assert (response.run_id, response.query_id, response.text) == ("base", "101", "Rest helps. So does water.")
    assert [list(one.citations) for one in response.sentences] == [["12", "34", "5"], []]


def test_the_first_response_of_a_turn_of_ikat_is_taken_with_its_passages(submission):
    path = submission(run_type="automatic", turns=[TURN])
    assert recognised(Opening(path)).read is read_responses
    (response,) = read_responses(path)
    assert (response.query_id, response.text, response.documents[0].text) == ("1-1_1", "Go to Rome.", "Rome is old.")
    assert response.sentences[0].citations == {"d:1": 0.5}


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ({"turns": [{"turn_id": "7", "responses": []}]}, "turn 7 has no response"),
        ({"turns": [{"turn_id": "7"}]}, "turn 7 has no response"),
        ({"results": [1]}, "a list of other things than responses"),
        ({"results": [{"topic_id": "1", "answer": 5}]}, "answer"),
        ({"results": [{"topic_id": "1"}]}, "text is missing"),
    ],
)
def test_what_is_no_response_in_it_is_refused(submission, said, says):
    with pytest.raises(BadInput, match=says):
        read_responses(submission(**said))
