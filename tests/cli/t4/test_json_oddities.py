"""JSON as jq and Java write it."""

import pytest

from exam_core.store import Store


@pytest.fixture
def bring(of_report):
    return of_report("t4/json-oddities")


@pytest.mark.parametrize("kind", ["topics", "files"])
def test_indented_objects_one_below_the_other_are_as_many_queries(bring, kind, tmp_path):
    assert bring(kind, "concat.json").status == 0
    queries = Store(tmp_path / "store").snapshot("c").frame("queries")
    assert dict(zip(queries["query_id"], queries["query_text"], strict=True)) == {"1": "bread", "2": "yeast"}


def test_half_a_character_is_refused_at_its_line_and_advised_to_no_other_kind(bring):
    done = bring("passages", "surrogate.jsonl", "--all")
    assert done.status == 1
    assert "surrogate.jsonl:1: not a passage: an incomplete character" in done.err
    assert "It looks like" not in done.err
