"""An import of generated answers says that none of its queries is one of the collection."""

import json

from exam_core.actions.importing import import_qrels
from exam_core.wings.neighbours.importing import import_responses


def test_responses_to_none_of_the_collections_queries_say_so(store, tmp_path):
    qrels, responses = tmp_path / "x.qrels", tmp_path / "responses.jsonl"
    qrels.write_text("1 0 d1 2\n2 0 d1 1\n")
    made = [{"query_id": query, "run_id": "made", "text": "x"} for query in ("001", "002")]
    responses.write_text("".join(f"{json.dumps(one)}\n" for one in made))
    import_qrels(store, "c", qrels)
    notes = import_responses(store, "c", responses).notes
    assert [one for one in notes if one.startswith("Run made: none of its queries is a query of the collection")]
