"""Answers, ranks and orders come into a collection, are replaced, and are taken back."""

import json

import pytest

from exam_core.actions.undoing import undo_import, undo_imports
from exam_core.actions.uploading import outline_of_upload
from exam_core.errors import BadInput, UsageError
from exam_core.store.summary import run_ids
from exam_core.wings.neighbours.importing import import_answers, import_orders, import_ranks
from exam_core.wings.neighbours.ranking import ranked_answers, rankers_of
from tests.actions.test_uploading import content, import_upload, preview_upload, upload
from tests.actions.test_uploading import graded as graded
from tests.wings.neighbours.test_responses_actions import replace_texts

HEAD = "model,prompt,qid,answer_number,rank_zero_based,documents_including_answer,monot5_score\n"
ROWS = "m,p,q1,2,1,4,-2.5\nm,p,q1,1,0,4,-0.5\nm,p,q2,1,3,4,\n"


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_ranks_become_values_with_their_parts_and_are_read_back_as_they_were(store, tmp_path):
    done = import_ranks(store, "c", write(tmp_path / "r.csv", HEAD + ROWS))
    frame = store.snapshot("c").frame("scores")
    assert done.counts == {"runs": 1, "ranks": 3}
    # q1: (1 - 1/4 + 1 - 0/4) / 2; q2: 1 - 3/4
    assert frame[["method", "run_id", "query_id", "value"]].values.tolist() == [
        ["NRP(ranker=monot5)", "m p", "q1", 0.875],
        ["NRP(ranker=monot5)", "m p", "q2", 0.25],
    ]
    assert json.loads(frame["parts"].iloc[0]) == {
        "system": "m",
        "prompt": "p",
        "ranker": "monot5",
        "samples": [[1, 0, 4, -0.5], [2, 1, 4, -2.5]],
    }


def test_what_was_stored_is_read_back_as_it_was(store, tmp_path):
    import_ranks(store, "c", write(tmp_path / "r.csv", HEAD + ROWS), ranker="mine")
    found = ranked_answers(store.snapshot("c"), "mine")
    assert (found.runs, found.queries, found.run_ids) == ((("m", "p"),), ("q1", "q2"), ["m p"])
    assert (found.query.tolist(), found.sample.tolist(), found.rank.tolist()) == ([0, 0, 1], [1, 2, 1], [0, 1, 3])
    assert (found.size.tolist(), str(found.score.tolist())) == ([4, 4, 4], "[-0.5, -2.5, nan]")


def test_two_rankers_stand_side_by_side_and_an_import_can_be_undone(store, tmp_path):
    file = write(tmp_path / "r.csv", HEAD + ROWS)
    import_ranks(store, "c", file)
    import_ranks(store, "c", file, ranker="bm25")
    assert rankers_of(store.snapshot("c")) == ["bm25", "monot5"]
    undo_import(store, "c", None)
    assert rankers_of(store.snapshot("c")) == ["monot5"]


def test_a_file_replaces_what_it_said_before_and_another_must_not_contradict_it(store, tmp_path):
    import_ranks(store, "c", write(tmp_path / "r.csv", HEAD + ROWS))
    changed = HEAD + ROWS.replace("q2,1,3", "q2,1,2")
    with pytest.raises(BadInput, match=r"query_id q2: value is 0\.25 there and 0\.5 here"):
        import_ranks(store, "c", write(tmp_path / "other.csv", changed))
    assert import_ranks(store, "c", write(tmp_path / "r.csv", changed)).changed
    assert store.snapshot("c").frame("scores")["value"].tolist() == [0.875, 0.5]


@pytest.mark.parametrize("ranker", ["a,b", "a(b)", "a=b"])
def test_a_ranker_whose_name_could_not_be_read_back_is_refused(store, tmp_path, ranker):
    with pytest.raises(UsageError, match="without brackets"):
        import_ranks(store, "c", write(tmp_path / "r.csv", HEAD + ROWS), ranker=ranker)


def test_ranks_without_a_name_of_their_ranker_ask_for_it(store, tmp_path):
    file = write(tmp_path / "r.csv", HEAD.replace("monot5_", "") + ROWS)
    with pytest.raises(UsageError, match="--ranker"):
        import_ranks(store, "c", file)
    assert import_ranks(store, "c", file, ranker="mine").changed


def test_orders_of_an_expert_are_kept_with_their_query(store, tmp_path):
    head = "task_id,query,system_ranking_best_first,expert_ranking_best_first\n"
    done = import_orders(store, "c", write(tmp_path / "o.csv", f"{head}7,why,a b,b a\n"))
    frame = store.snapshot("c").frame("scores")
    assert done.counts == {"tasks": 1, "orders": 2}
    assert frame[["method", "run_id", "query_id"]].values.tolist() == [
        ["order", "ranker", "7"],
        ["order", "expert", "7"],
    ]
    assert [json.loads(parts) for parts in frame["parts"]] == [
        {"items": ["a", "b"], "query": "why"},
        {"items": ["b", "a"], "query": "why"},
    ]


@pytest.mark.parametrize(
    "columns",
    ["rank_zero_based,rank_one_based,documents", "rank_zero_based,documents_including_answer,documents"],
    ids=["two ranks", "two lengths"],
)
def test_a_table_that_says_a_number_twice_is_refused(store, tmp_path, columns):
    path = write(tmp_path / "r.csv", f"model,prompt,qid,answer_number,{columns}\nm,p,q1,1,0,2,10\n")
    with pytest.raises(BadInput, match="are columns for the same number"):
        import_ranks(store, "c", path, ranker="x")


def test_other_texts_of_a_run_are_refused_until_they_are_meant_and_leave_other_runs(store, tmp_path):
    replace_texts(store, tmp_path, import_answers)


WROTE = {"answer_text": "So.", "nuggets": [{"text": "n", "importance": "vital", "assignment": "support"}]}


@pytest.mark.parametrize(
    ("kind", "said"), [("responses", {"text": "So.", "documents": {"d": "Why."}}), ("assignments", WROTE)]
)
def test_what_systems_wrote_is_known_previewed_imported_and_undone(graded, kind, said):
    assert isinstance(said, dict)
    file = upload("wrote.jsonl", json.dumps({"qid": "q1", "run_id": "a"} | said))
    assert outline_of_upload(file).kind == kind
    before = content(graded.snapshot("mine"))
    found = preview_upload(graded, file, "mine", kind, "named")
    assert found.rows["query_id"].tolist() == ["q1"]
    assert content(graded.snapshot("mine")) == before
    done = import_upload(graded, file, "mine", kind, "named")
    assert (done.counts, run_ids(graded.snapshot("mine"))) == (found.counts, ["bm25", "dense", "named"])
    undo_imports(graded, done.collection, done.import_ids)
    assert content(graded.snapshot("mine")) == before
