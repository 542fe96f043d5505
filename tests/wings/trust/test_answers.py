"""What a notebook answers on trust is what the command line answers."""

from exam_core.actions.tagging import tag_run
from tests.notebook.test_answers import BANK, as_typed, typed


def test_displacements_of_tagged_runs_are_those_of_the_command_line(own_collection, monkeypatch):
    for run, known in (("bm25", ["llm", "saw the bank"]), ("lsa-40", ["llm"])):
        tag_run(own_collection._store, "demo", run, known)
    words = BANK | {"tau": 3, "measures": ["P@20", "Cover@20"], "reference": "qrels:P@20", "draws": 50}
    for options in (words, words | {"tag": ["llm"]}):
        answer = own_collection.circularity(**options)
        assert answer.json() == typed(
            monkeypatch, own_collection._store.path, "circularity", "demo", *as_typed(options)
        )
        assert answer.rows.attrs["units"]["rank_low"] == "ranks"
        assert answer.notes[0].startswith("llm (2 of 15 runs): promoted by ")
        assert "llm by open P@20 (tau 3)" in answer.figure().layout.meta["description"]
    assert own_collection.tags().json() == typed(monkeypatch, own_collection._store.path, "tags", "demo")
    assert own_collection.tags().rows["tag"].tolist() == ["llm", "saw the bank", "llm"]
    runs = own_collection.tags().tables["runs"].set_index("run_id")["tags"]
    assert (runs["bm25"], runs["random"], len(runs)) == (["llm", "saw the bank"], [], 15)
