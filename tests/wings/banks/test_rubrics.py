"""Rubrics with signed weights: as banks, and what is refused."""

import json

import pytest

from exam_core.errors import BadInput
from exam_core.formats.reading import Reading
from exam_core.formats.registry import reader

HEALTH = {
    "example_tags": ["theme:x"],
    "prompt": [{"role": "user", "content": "May I eat dough?"}],
    "prompt_id": "p1",
    "rubrics": [
        {"criterion": "Says no.", "points": 7, "tags": ["axis:accuracy"]},
        {"criterion": "Says yes.", "points": -6, "tags": []},
        {"criterion": "Says no.", "points": 7, "tags": []},
        {"criterion": "Says nothing.", "points": -0.0, "tags": ["x"]},
    ],
}
RESEARCH = {
    "sample_id": 7,
    "prompt": "Why does bread rise?",
    "domain": "Food",
    "rubrics": [{"criterion": "Names yeast.", "weight": 5.0, "axis": "Explicit"}, {"title": "Names soda."}],
}


def read(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    found = reader("bank", path)(path, bank_id="b")
    assert isinstance(found, Reading)
    return found


def rows(found, *columns):
    frame = found.frames["questions"]
    return list(frame.astype(object).where(frame.notna(), None)[list(columns)].itertuples(index=False, name=None))


def test_a_negative_weight_says_what_is_to_be_avoided(tmp_path):
    found = read(tmp_path / "r", json.dumps(HEALTH))
    assert rows(found, "query_id", "kind", "weight", "importance", "enabled") == [
        ("p1", "claim", 7, None, True),
        ("p1", "claim", 6, "avoid", True),
        ("p1", "claim", 7, None, True),
        ("p1", "claim", 0, "avoid", True),
    ]
    assert [name.rpartition("#")[2] for (name,) in rows(found, "question_id")][2] == "2"
    assert found.frames["queries"]["query_text"].tolist() == ["May I eat dough?"]
    assert found.notes == ["Questions to avoid that are switched on: 2. They are graded, and count in Rubric alone."]


def test_a_conversation_is_the_query_s_text_with_who_says_what(tmp_path):
    talk = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes?"}, {"role": "user", "content": 3}]
    found = read(tmp_path / "r", json.dumps(HEALTH | {"prompt": talk}))
    assert found.frames["queries"]["query_text"].tolist() == ["user: Hi\n\nassistant: Yes?"]


def test_what_else_a_criterion_says_is_kept(tmp_path):
    found = read(tmp_path / "r", json.dumps([HEALTH, RESEARCH]))
    kept = [json.loads(extra)["rubrics"] for (extra,) in rows(found, "extra")]
    assert kept[0]["item"] == {"tags": ["axis:accuracy"]}
    assert kept[0]["bank"] == {"example_tags": ["theme:x"], "prompt": HEALTH["prompt"]}
    assert kept[4] == {"item": {"axis": "Explicit"}, "bank": {"domain": "Food"}}
    assert rows(found, "query_id", "question_text", "weight")[4:] == [("7", "Names yeast.", 5), ("7", "Names soda.", 1)]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"rubrics": []}, "2: not a rubric of a query: query_id is missing"),
        ({"qid": "q", "rubrics": [{"criterion": " "}]}, "2: rubrics 1: a criterion without words"),
        ({"qid": "q", "rubrics": [{"criterion": "x", "weight": "5"}]}, "2: rubrics 1: weight: expected a number"),
        ({"qid": "q", "rubrics": "x"}, "2: rubrics: expected a list, got a text"),
        ({"qid": "p1", "rubrics": []}, "2: .*second rubric of query p1; the first is line 1"),
        ('{"qid": "q", "rubrics": [{"criterion": "x", "weight": 1e999}]}', "2: .*out of range"),
        ('{"qid": "q", "rubrics": [{"criterion": "x"}', "2: not a rubric of a query: not valid JSON"),
    ],
)
def test_what_is_no_rubric_is_refused_with_its_line(tmp_path, line, said):
    text = f"{json.dumps(HEALTH)}\n{line if isinstance(line, str) else json.dumps(line)}\n"
    with pytest.raises(BadInput, match=said):
        read(tmp_path / "r", text)
