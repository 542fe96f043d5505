"""`examboard bank generate`: what is typed, what is said, and what is refused."""

import json
import re

import pytest
from typer.testing import CliRunner

from exam_core.cli.tree import app
from exam_core.errors import ExamboardError
from exam_core.formats import Reading
from exam_core.jobs.records import jobs
from exam_core.store import Store
from exam_core.tables import TABLES
from exam_core.wings.banks.jobs import generation_arguments
from exam_core.wings.banks.prompts import GenerationRequest
from tests.grading.server import Server, says


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("EXAMBOARD_STORE", str(tmp_path / "store"))
    store = Store(tmp_path / "store")
    frame = TABLES["queries"].frame({"query_id": ["q1", "q2"], "query_text": ["what is iron", "what is gold"]})
    store.commit("c", Reading({"queries": frame}), source="queries")
    return store


def generate(*arguments):
    return CliRunner().invoke(app, ["bank", "generate", "c", "--bank", "mine", *map(str, arguments)])


def at(server):
    return ("--model", "m", "--base-url", server.address)


def test_it_says_what_is_new_what_was_there_and_what_was_left_out(store):
    with Server(lambda _text, _times: says('["What is a?", "What is a?", "Why', "length")) as server:
        first = generate(*at(server))
        second = generate(*at(server), "--format", "json")
    assert first.exit_code == 0
    assert "c: bank mine: 2 questions are new in mine@1, from 2 prompts, 2 asked now" in first.stdout
    assert "2 replies were cut off: raise --max-output-tokens" in first.stdout
    assert "left out of replies: cut off 2, repeated 2" in first.stdout
    told = json.loads(second.stdout)
    assert (told["version"], told["added"], told["known"], told["asked"]) == ("mine@1", 0, 2, 0)
    assert told["lost"] == {"cut off": 2, "repeated": 2}
    # The words of its command line make the same request.
    job = jobs(store)[-1]
    assert isinstance(job.request, GenerationRequest)
    assert generation_arguments(job.request) == job.arguments


def test_a_prompt_of_ones_own_is_read_from_a_file(store, tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text("Ask {n} things about {query}.\n", "utf-8")
    with Server(lambda _text, _times: says("1. What is a?\n2. Why?\n")) as server:
        done = generate(*at(server), "--prompt", file, "--questions", 3, "--queries", "q2", "--reason", "a trial")
    assert (done.exit_code, list(server.times)) == (0, ["Ask 3 things about what is gold."])
    creators = store.snapshot("c").frame("questions")["creators"]
    assert {json.loads(one)[0]["prompt"] for one in creators} == {"mine"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"Ask {topic} of {query}", "{topic} is nothing that can be filled in"),
        (b"", "is empty"),
        (b"\xff\xfe", "is not UTF-8"),
    ],
)
def test_a_file_that_is_no_prompt_is_refused(store, tmp_path, content, message):
    del store
    file = tmp_path / "p.txt"
    file.write_bytes(content)
    refused = generate("--model", "m", "--prompt", file)
    assert isinstance(refused.exception, ExamboardError)
    assert message in str(refused.exception)


def test_a_name_that_is_neither_a_prompt_nor_a_file_is_refused(store):
    del store
    refused = generate("--model", "m", "--prompt", "nothing.txt")
    assert "is neither one of trec-dl, car, car-json, nor a file" in str(refused.exception)


def test_a_plan_says_how_much_is_asked_and_stores_no_bank(store):
    with Server(lambda _text, _times: says('["What is a?"]')) as server:
        done = generate(*at(server), "--plan", "--price-in", 1000, "--price-out", 1000)
    assert done.exit_code == 0
    assert "to be asked                 2" in done.stdout
    assert re.search(r"cost at the given price: 0\.\d+, without the replies\n  No prompt was sent", done.stdout)
    assert len(store.snapshot("c").frame("questions")) == 0


@pytest.mark.thorough
def test_a_model_of_this_machine_is_asked_and_its_babble_makes_no_bank(store, model_folder):
    local = ("--model", model_folder, "--device", "cpu", "--beams", 1, "--max-output-tokens", 16, "--format", "json")
    told = json.loads(generate(*local).stdout)
    assert (told["state"], told["done"], told["asked"], told["version"]) == ("done", 2, 2, None)
    assert sum(told["lost"].values()) >= 2
    assert json.loads(generate(*local).stdout)["asked"] == 0
    assert len(store.snapshot("c").frame("questions")) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--model", "m", "--engine", "ray"), "are for grades"),
        (("--model", "m", "--backend", "openai"), "needs --base-url"),
        ((), "--model"),
    ],
)
def test_options_that_do_not_go_together_are_refused(store, arguments, message):
    del store
    refused = generate(*arguments)
    assert isinstance(refused.exception, ExamboardError)
    assert message in str(refused.exception)
