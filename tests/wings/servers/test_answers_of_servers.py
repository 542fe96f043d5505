"""Answers of models behind an address, from files to a board: JSON, and other forms of a 4."""

import json
import socket
import subprocess
import sys
import time
from contextlib import suppress

import pytest
from thoroughly import thoroughly

from exam_core.formats import Reading
from exam_core.store import Store
from tests import newcomer
from tests.actions.action_files import workbench
from tests.actions.test_grading_jobs import frames
from tests.grading.server import Server, says


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path / "store")
    made.commit("c", Reading(frames(docs=2)), source="a")
    return made.path


def test_own_files_become_grades_a_leaderboard_kappa_and_a_correlation(examboard, tmp_path, monkeypatch):
    def answer(*command):
        return json.loads(examboard(tmp_path / "store", *command, "--format", "json").out)

    monkeypatch.setenv("OPENAI_API_KEY", "key")
    folder = newcomer.write(tmp_path / "mydata", 10_000)
    assert examboard(tmp_path / "store", "import", *sorted(folder.iterdir())).status == 0
    with newcomer.rater() as address:
        model = ("--backend", "openai", "--base-url", address, "--model", "rater")
        graded = examboard(tmp_path / "store", "grade", "mydata", *model)
    assert (graded.status, "unreadable" in graded.out) == (0, False)
    board = answer("leaderboard", "mydata")
    assert {row["run_id"]: row["mean"] for row in board["rows"]} == {"bm25": 1.0, "dense": 1.0}
    judged = ("--reference", "qrels:nDCG@10", "--measure", "P@10")
    assert answer("correlate", "mydata", *judged)[0]["kendall"] == pytest.approx(1.0)
    assert answer("agreement", "mydata", "--relevant-from", 1)["kappa"] == pytest.approx(1.0)


def test_the_command_pauses_with_its_own_status(examboard, store, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    Store(store).commit("c", Reading(frames()), source="a")
    with Server(lambda text, _: says("4" if len(text) % 3 else "Rating: 4")) as server:
        asked = ("grade", "c", "--backend", "openai", "--base-url", server.address, "--model", "m")
        refused = examboard(store, *asked, "--unreadable", "authors")
        assert "add --reading flan-t5" in refused.err
        server.plan = lambda _text, _time: says("Rating: 4")
        paused = examboard(store, *asked, "--reading", "flan-t5")
        assert (paused.status, "--go-on" in paused.out) == (4, True)
        rows = examboard(store, "jobs", "--format", "csv").out
        assert "paused" in rows
        assert examboard(store, *asked).status == 0
        assert examboard(store, *asked, "--reading", "flan-t5", "--go-on").status == 0
    board = examboard(store, "leaderboard", "c", "--grader", "m.self-rating", "--tau", 1)
    assert "Most often: grade among other words. --reading chat reads it" in board.out + board.err
    grades = Store(store).snapshot("c").frame("grades")
    assert set(grades["grade"][grades["grader_id"] == "m.self-rating.chat-2"]) == {4}
    assert len(server.requests) == 3 * 30 * 4


def test_a_plan_asks_no_server(examboard, store, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Server(lambda _text, _time: says("4")) as server:
        asked = ("grade", "c", "--backend", "openai", "--base-url", server.address, "--model", "m")
        assert "to be asked                24" in examboard(store, *asked, "--plan").out
        assert server.requests == []


@pytest.fixture(scope="module")
def chat(shared_data):
    """The server of the reports, which answers as chat models and gateways do; where it can be asked."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = [sys.executable, str(shared_data / "reports/chat_server.py"), str(port)]
    with subprocess.Popen(program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            for _ in range(200):
                with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.05)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.kill()


@pytest.mark.parametrize(
    "style",
    [
        "full",
        *thoroughly("min16", "loading"),
        "copy-choice",
        *thoroughly("bold", "rating", "json", "harmony", "thinktag", "thinking", "fullwidth", "half"),
        *thoroughly("gpt-5-mini", "o3-mini"),
    ],
)
def test_a_4_is_read_however_a_model_writes_it(examboard, tmp_path, chat, style):
    store = tmp_path / "store"
    examboard(store, "import", "workbench", workbench(tmp_path / "graded.jsonl"), "--collection", "c", "--bank", "b")
    bank = tmp_path / "bank.csv"
    bank.write_text("query_id,question_text\nq1,Why?\n")
    examboard(store, "import", "bank", bank, "--collection", "c", "--bank", "mine")
    asked = ("--bank", "mine", "--backend", "openai", "--base-url", chat, "--model", style)
    asked += ("--grader", "g", "--mode", "self-rating")
    assert examboard(store, "grade", "c", *asked).status == 0
    board = examboard(
        store, "leaderboard", "c", "--bank", "mine", "--grader", "g", "--measure", "Cover@20", "--format", "json"
    )
    assert {row["mean"] for row in json.loads(board.out)["rows"]} == {1}
