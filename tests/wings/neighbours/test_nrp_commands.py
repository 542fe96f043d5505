"""The commands about generated answers: files in, ranks made, boards and agreement out."""

import json
import shutil
import subprocess
import sys

import pytest

RANKS = "model,prompt,qid,answer_number,rank,documents_including_answer\nm,p,q1,1,1,4\nm,p,q2,1,3,4\n"


def answer(done):
    assert (done.status, done.err) == (0, "")
    return json.loads(done.out)


def test_a_board_has_the_keys_of_the_contract(told):
    found = told("nrp", "demo-answers")
    assert list(found) == ["collection", "ranker", "convention", "rows", "notes"]
    first = ["run_id", "system", "prompt", "mean", "low", "high", "stderr", "n_queries", "n_answers"]
    assert list(found["rows"][0]) == first
    assert {(row["n_queries"], row["n_answers"]) for row in found["rows"]} == {(3, 6)}
    assert (found["ranker"], found["convention"], len(found["rows"])) == ("bm25", "released", 6)


def test_systems_and_queries_can_be_asked_for(told, examboard, demo_store):
    systems = told("nrp", "demo-answers", "--systems")["rows"]
    assert [row["system"] for row in systems] == ["albatross-large", "heron-medium", "wren-small"]
    queries = told("nrp", "demo-answers", "--per-query")["per_query"]
    assert len(queries) == 18
    both = examboard(demo_store, "nrp", "demo-answers", "--per-query", "--systems")
    assert (both.status, "choose one" in both.err) == (2, True)


def test_ranks_say_where_they_start(examboard, tmp_path):
    (tmp_path / "r.csv").write_text(RANKS)
    line = ["import", "ranks", tmp_path / "r.csv", "--collection", "c", "--ranker", "mine"]
    refused = examboard(tmp_path / "s", *line)
    assert (refused.status, "--rank-base 0 or --rank-base 1" in refused.err) == (1, True)
    done = examboard(tmp_path / "s", *line, "--rank-base", 1)
    assert (done.status, done.out) == (0, "c: 1 run, 2 ranks\n")
    rows = answer(examboard(tmp_path / "s", "nrp", "c", "--format", "json"))["rows"]
    assert rows[0]["mean"] == 0.75


def test_answers_are_imported_and_ranked(examboard, demo_store, tmp_path):
    shutil.copytree(demo_store, tmp_path / "s")
    line = {"system": "new", "prompt": "p", "query_id": "demo-06", "sample": 1, "answer": "The Moon raises tides."}
    (tmp_path / "a.jsonl").write_text(json.dumps(line))
    done = examboard(tmp_path / "s", "import", "answers", tmp_path / "a.jsonl", "--collection", "demo-answers")
    assert (done.status, done.out) == (0, "demo-answers: 1 run, 1 answer\n")
    done = examboard(tmp_path / "s", "nrp-rank", "demo-answers", "--by", "bm25")
    assert (done.status, done.out) == (0, "demo-answers: 7 runs, 37 ranks\n")
    found = answer(examboard(tmp_path / "s", "nrp", "demo-answers", "--format", "json"))
    assert len(found["rows"]) == 7
    assert "no answer of new p" in found["notes"][-1]


def test_orders_are_imported_or_read_as_they_are(told, examboard, tmp_path):
    (tmp_path / "o.csv").write_text("task,ranker_order,expert_order\n1,a b c,a c b\n")
    found = told("nrp-expert", "demo-answers", tmp_path / "o.csv")
    # overlaps 1, 1/2, 1; one of three pairs is turned
    assert (found["n_tasks"], found["rbo"]) == (1, pytest.approx(2.5 / 3))
    assert found["kendall"] == pytest.approx(1 / 3)
    done = examboard(tmp_path / "s", "import", "orders", tmp_path / "o.csv", "--collection", "c")
    assert (done.status, done.out) == (0, "c: 1 task, 2 orders\n")
    stored = examboard(tmp_path / "s", "nrp-expert", "c", "--format", "json")
    assert answer(stored)["rbo"] == found["rbo"]


def test_rankers_are_compared_by_all_judgments(told):
    found = told("nrp-rankers", "demo-answers")
    assert (found["measure"], found["judgments"]) == ("nDCG@10", ["relevance"])
    assert found["best"] == found["rows"][0]["run_id"]
    assert {row["run_id"] for row in found["rows"]} == {"tfidf", "bm25", "dph"}


def test_a_mean_that_is_not_defined_is_undefined(examboard, demo_store, tmp_path):
    (tmp_path / "o.csv").write_text("task,ranker_order,expert_order\n1,a,a\n")
    shown = examboard(demo_store, "nrp-expert", "demo-answers", tmp_path / "o.csv").out
    assert "Means: RBO 1.0000, Kendall undefined.\nMeans over 1 task." in shown


@pytest.mark.parametrize(
    ("line", "status", "message"),
    [
        ("nrp demo", 2, "no ranks of generated answers"),
        ("nrp demo-answers --ranker none", 2, "has ranks by bm25"),
        ("nrp-expert demo", 2, "no orders of an expert"),
        ("nrp-rank demo --by bm25", 2, "no generated answers"),
        ("nrp-rank demo-answers --by none", 2, "choose tfidf"),
    ],
)
def test_what_can_not_be_answered_is_one_sentence(examboard, demo_store, line, status, message):
    done = examboard(demo_store, *line.split())
    assert (done.status, done.out, message in done.err) == (status, "", True)


@pytest.mark.thorough
def test_ranking_loads_in_a_process_that_has_loaded_nothing_else():
    # Its measures and the list of all measures name each other.
    subprocess.run([sys.executable, "-c", "import exam_core.wings.neighbours.ranking"], check=True)
