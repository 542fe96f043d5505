"""Runs and judgments alone: commands evaluate by the judgments, and say what is missing where that does not do."""

import json

import ir_measures
import pytest

from exam_core.store import Store
from tests.wings import rows_added

BY_OFFICIAL = {"judgments": "official", "bank": None, "grader": None, "tau": None}


def test_a_leaderboard_is_by_the_official_judgments(told, judged_store):
    board = told("leaderboard", "mine", store=judged_store)
    assert {name: board[name] for name in BY_OFFICIAL} == BY_OFFICIAL
    snapshot = Store(judged_store).snapshot("mine")
    judged, runs = snapshot.frame("judgments"), snapshot.frame("rankings")
    qrels = {}
    for row in judged.itertuples():
        qrels.setdefault(row.query_id, {})[row.doc_id] = int(row.relevance)
    measure = ir_measures.nDCG @ 10
    for run_id, run in runs.groupby("run_id"):
        ranked = {}
        for row in run.itertuples():
            ranked.setdefault(row.query_id, {})[row.doc_id] = float(row.score)
        expected = ir_measures.calc_aggregate([measure], qrels, ranked)[measure]
        assert next(one["mean"] for one in board["rows"] if one["run_id"] == run_id) == pytest.approx(
            expected, abs=1e-9
        )


def test_labels_alone_are_evaluated_by_a_measure_of_labels(examboard, told, tmp_path):
    for name, text in {"a.run": "q1 Q0 d1 1 2.5 a\n", "llm.qrels": "q1 0 d1 2\n"}.items():
        (tmp_path / name).write_text(text)
    store = tmp_path / "store"
    assert (
        examboard(store, "import", "files", tmp_path / "a.run", tmp_path / "llm.qrels", "--collection", "mine").status
        == 0
    )
    board = told("leaderboard", "mine", store=store)
    assert (board["grader"], board["measure"]) == ("llm", "P@20")


@pytest.mark.parametrize(
    "command",
    [
        "correlate mine",
        "outliers mine --draws 20",
        "leaderboard mine --measure P@5 --reference qrels:AP",
        *rows_added("BY_JUDGMENTS"),
    ],
)
def test_whatever_takes_values_by_query_is_answered_by_the_judgments(told, judged_store, command):
    found = told(*command.split(), store=judged_store)
    for one in found if isinstance(found, list) else [found]:
        assert "official" in json.dumps(one)
        assert one.get("rows", [one])


@pytest.mark.parametrize("command", ["agreement mine", "leaderboard runs", *rows_added("WITHOUT_GRADES")])
def test_what_takes_grades_says_what_brings_them(examboard, judged_store, command):
    done = examboard(judged_store, *command.split())
    name = command.split()[1]
    assert (done.status, done.out) == (2, "")
    assert f"{name} has no grades. Grade its passages with: examboard grade {name}" in done.err


def test_a_measure_is_by_default_one_that_the_judgments_have(told, judged_store):
    mine = told("leaderboard", "mine", store=judged_store)["rows"]
    graded = told("leaderboard", "demo", "--judgments", "official")
    assert graded["measure"] == "nDCG@10"
    means = [{row["run_id"]: row["mean"] for row in rows} for rows in (mine, graded["rows"])]
    assert means[0] == pytest.approx(means[1])


def test_correlations_are_with_another_measure_of_the_judgments(told, judged_store):
    for asked, reference in (([], "AP"), (["--measure", "AP"], "nDCG@10")):
        (found,) = told("correlate", "mine", *asked, store=judged_store)
        assert found["reference"] == f"qrels:{reference}:judgments=official:relevant_from=2"


def test_judgments_of_0_and_1_are_relevant_from_1(examboard, told, tmp_path):
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 2.0 a\nq1 Q0 d2 2 1.0 a\n")
    (tmp_path / "a.qrels").write_text("q1 0 d1 1\nq1 0 d2 0\n")
    for kind in ("run", "qrels"):
        assert examboard(tmp_path / "s", "import", kind, tmp_path / f"a.{kind}", "--collection", "c").status == 0
    board = told("leaderboard", "c", "--measure", "P@2", store=tmp_path / "s")
    assert (board["title"], board["rows"][0]["mean"]) == ("official judgments P@2 relevant from 1", 0.5)
