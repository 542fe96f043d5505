"""`examboard grade` with a small trained T5, through the real classes of transformers, to a leaderboard."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
from thoroughly import thoroughly
from typer.testing import CliRunner

from exam_core.cli.tree import app
from exam_core.grading.modes.papers import MODES
from exam_core.store import Store

GRADER = "tiny-flan-t5.self-rating"


@pytest.fixture
def store(own_store, monkeypatch):
    """The demo collection, for a test to grade."""
    monkeypatch.setenv("EXAMBOARD_STORE", str(own_store))
    return own_store


def examboard(*arguments, status=0):
    done = CliRunner().invoke(app, [*map(str, arguments)])
    assert done.exit_code == status, done.output + str(done.exception)
    return done.stdout


def grade(*arguments, model, limit=40):
    limited = [] if limit is None else ["--limit", limit]
    answer = examboard("grade", "demo", "--model", model, "--device", "cpu", "--format", "json", *limited, *arguments)
    return dict(json.loads(answer))


def rows(store, grader=GRADER):
    sql = "SELECT question_id, query_id, doc_id, grade, answer FROM grades WHERE grader_id = ? ORDER BY ALL"
    frame = Store(store).snapshot("demo").query(sql, [grader]).astype(object)
    return list(frame.where(frame.notna(), None).itertuples(index=False, name=None))


def test_a_plan_stores_no_grade_and_what_is_graded_makes_a_leaderboard_and_a_job_that_can_be_repeated(
    store, model_folder
):
    planned = grade("--bank", "open", "--plan", "--price", 2, model=model_folder)
    # It asks some to know the speed, all of them where that is quick.
    assert planned["missing"] == planned["cached"] + planned["new"] == 40 > planned["new"]
    assert planned["cost"] == pytest.approx(planned["seconds"] / 1800)
    assert rows(store) == []
    done = grade("--bank", "open", model=model_folder, limit=43)
    assert (done["state"], done["done"], done["asked"], done["grader"]) == ("done", 43, planned["new"] + 3, GRADER)
    assert len(rows(store)) == 43
    board = json.loads(examboard("leaderboard", "demo", "--bank", "open", "--grader", GRADER, "--format", "json"))
    # What nobody graded is unknown, not zero: these are grades of one query's first passages.
    assert {row["n_queries"] for row in board["rows"]} == {1}
    job, *_ = json.loads(examboard("jobs", "--format", "json"))
    assert (job["state"], job["done"], job["total"]) == ("done", 43, 43)
    words = job["command"].split()
    assert words[:3] == ["examboard", "grade", "demo"]
    assert {"--bank", "open", "--limit", "43", "--model", str(model_folder)} <= set(words)
    name, so_far, again, *_ = examboard("jobs").splitlines()
    assert (name, so_far[:10], again) == (f"{job['job']}  done", "  43 of 43", f"  {job['command']}")


def test_a_grader_has_the_name_that_it_is_given(store, model_folder):
    done = grade("--bank", "open", "--grader", "mine", "--mode", "nugget-rating", model=model_folder, limit=5)
    assert (done["grader"], len(rows(store, "mine"))) == ("mine", 5)


def test_the_lexical_grader_grades_without_a_model_and_what_it_has_not_graded_only(store):
    lexical = ("grade", "demo", "--bank", "open", "--grader", "lexical")
    before = len(rows(store, "lexical.pourpre-idf"))
    planned = json.loads(examboard(*lexical, "--plan", "--format", "json"))
    some = json.loads(examboard(*lexical, "--limit", 10, "--format", "json"))
    assert (some["done"], some["graded"], some["bank"]) == (10, planned["graded"], "open@1")
    assert f"{planned['missing'] - 10:,} grades by shared words" in (said := examboard(*lexical))
    assert "--grader lexical.pourpre-idf, or --grader lexical in short" in said
    assert "nothing to grade" in examboard(*lexical)
    assert len(rows(store, "lexical.pourpre-idf")) == before + planned["missing"]


@pytest.mark.parametrize(
    "mode", ["qa", "squad2", "thomas", *thoroughly("qa-llm", "nugget-rating", "faggioli-b", "helm", "sun")]
)
def test_every_mode_grades_on_its_scale(store, model_folder, extractive_folder, mode):
    model = extractive_folder if mode == "squad2" else model_folder
    done = grade("--bank", "manual", "--grader", mode, model=model, limit=12)
    assert (done["done"], done["failed"]) == (12, 0)
    graded = rows(store, f"{model.name}.{mode}")
    largest = {"nugget-rating": 5, "thomas": 2}.get(mode, 1)
    assert all(row[3] is None or 0 <= row[3] <= largest for row in graded)
    assert {row[0] is None for row in graded} == {MODES[mode].item == "passage"}


@pytest.mark.thorough
def test_marked_answers_are_verified_by_another_model(store, model_folder, extractive_folder):
    done = grade(
        "--bank", "manual", "--grader", "squad2-llm", "--verifier", model_folder, model=extractive_folder, limit=12
    )
    assert done["grader"] == "tiny-squad2.squad2-llm.verified-by-tiny-flan-t5"
    assert len(rows(store, done["grader"])) == 12


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--grader", "thomas", "--mode", "sing"], "No grading mode sing"),
        (["--bank", "open", "--grader", "qa"], "no answer key for 80 questions"),
        (["--bank", "open", "--grader", "lexical.pourpre-idf"], "asks no model: leave --model out"),
        (["--bank", "open", "--grader", "mine", "--mode", "lexical"], "are called lexical.pourpre-idf"),
        (["--bank", "open", "--grader", "lexicl"], "no such grading mode. There are: lexical, self-rating, nugget-"),
        (["--bank", "open", "--grader", "a,b", "--mode", "self-rating"], "reads this as a and b"),
        ([], "There are: open, manual"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_does_not_go_together_is_refused_before_any_model_is_loaded(examboard, store, arguments, message):
    done = examboard(store, "grade", "demo", "--model", "nowhere", *arguments)
    assert (done.status, message in done.err) == (2, True)


def _started(store, model):
    command = [sys.executable, "-m", "exam_core", "--store", str(store), "grade", "demo", "--bank", "open"]
    return subprocess.Popen(
        [*command, "--model", str(model), "--device", "cpu", "--limit", "150", "--batch-tokens", "2048"],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.thorough
def test_killed_or_stopped_and_run_again_it_ends_as_if_run_once(store, model_folder, demo_store, tmp_path, monkeypatch):
    for number in (signal.SIGKILL, signal.SIGINT):
        process = _started(store, model_folder)
        before = len(rows(store))
        while len(rows(store)) == before and process.poll() is None:
            time.sleep(0.3)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
        assert process.returncode in (-signal.SIGKILL, 130, 0)
        assert "Traceback" not in said
    states = {job["state"] for job in json.loads(examboard("jobs", "--format", "json"))}
    assert "lost" in states
    grade("--bank", "open", model=model_folder, limit=max(1, 150 - len(rows(store))))
    once = tmp_path / "once"
    shutil.copytree(demo_store, once)
    monkeypatch.setenv("EXAMBOARD_STORE", str(once))
    grade("--bank", "open", model=model_folder, limit=len(rows(store)))
    assert rows(once) == rows(store)
