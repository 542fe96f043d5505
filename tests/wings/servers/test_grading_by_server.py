"""`examboard grade` with a model behind an address: budgets, several answers, options that only a server takes."""

import json
from dataclasses import replace

import pytest
from grading.server import Server, completion, sends
from typer.testing import CliRunner

from exam_core.cli.tree import app
from exam_core.errors import UsageError
from exam_core.grading.options import GradingOptions
from exam_core.jobs import ordering
from exam_core.jobs.ordering import Order
from tests.cli.test_grade_commands import examboard, rows
from tests.cli.test_grade_commands import store as store

pytestmark = pytest.mark.usefixtures("store")


def counting(says):
    """A server's answers, each with 50 tokens sent and 3 answered."""
    return lambda text, _time: sends(completion(says(text), usage={"prompt_tokens": 50, "completion_tokens": 3}))


def served(server, *arguments, status=0):
    asked = ("grade", "demo", "--bank", "open", "--backend", "openai", "--base-url", server.address, "--model", "m")
    return examboard(*asked, *arguments, status=status)


def test_a_budget_ends_a_job_with_a_status_of_its_own_and_a_higher_one_goes_on(store):
    prices = ("--price-in", 1_000, "--price-out", 10_000, "--max-output-tokens", 10)  # 0.08 a prompt
    with Server(counting(lambda _text: "4")) as server:
        said = served(server, *prices, "--budget", 1.5, status=3)
        assert "The budget of 1.50 allows no further prompt" in said
        asked = len(server.requests)
        assert 0 < 0.08 * asked <= 1.5
        # What the first job spent is spent: the same again asks nothing more.
        assert "by earlier jobs" in served(server, *prices, "--budget", 1.5, status=3)
        assert len(server.requests) == asked
        done = json.loads(served(server, *prices, "--budget", 10, "--limit", 5, "--format", "json"))
        sent = len(server.requests)
        planned = json.loads(served(server, *prices, "--plan", "--format", "json"))
        unknown = json.loads(served(server, *prices[:4], "--plan", "--format", "json"))
        said = served(server, *prices[:4], "--plan")
        assert len(server.requests) == sent  # a plan asks nobody: what is known of answers is from the jobs before
    assert (done["state"], done["prompt_tokens"], done["reasons"]) == ("done", 250, {})
    assert done["spent"] == pytest.approx(0.4)
    assert len(rows(store, "m.self-rating.10-output-tokens.chat-2")) == asked + 5
    assert (planned["tokens"], planned["answer_tokens"]) == (50 * planned["new"], 3 * planned["new"])
    assert planned["cost"] == pytest.approx(0.08 * planned["new"])
    assert unknown["cost"] == pytest.approx(unknown["tokens"] / 1_000)
    assert (unknown["cached"], unknown["answer_tokens"], unknown["prompts_per_second"]) == (0, None, None)
    assert ", without the answers\n  No prompt was sent for this plan" in said


def test_several_answers_make_one_grade_and_more_of_them_ask_only_the_new_ones(store):
    turns = {}

    def says(text):
        turns[text] = turns.get(text, -1) + 1
        return ("5", "1", "no idea", "1", "3")[turns[text] % 5]

    with Server(counting(says)) as server:
        three = json.loads(served(server, "--samples", 3, "--limit", 4, "--concurrency", 1, "--format", "json"))
        five = json.loads(served(server, "--samples", 5, "--limit", 4, "--concurrency", 1, "--format", "json"))
        by = ("--samples", 5, "--samples-by", "median", "--limit", 4, "--format", "json")
        median = json.loads(served(server, *by))
        last = ("--samples-by", "last", "--limit", 4, "--format", "json")
        alone = [json.loads(served(server, "--samples", n, *last)) for n in (4, 5)]
        assert "temperature" not in server.requests[0].body
    assert [one["asked"] for one in (three, five, median, *alone)] == [12, 8, 0, 0, 0]
    grades = [[grade for *_, grade, _ in rows(store, f"m.self-rating.chat-2.{n}")] for n in ("3-samples", "5-samples")]
    # of 5 and 1 the lower one; of 5, 1, 1, 3 the most frequent one, and the lower one in the middle
    assert grades == [[1] * 4, [1] * 4]
    assert [grade for *_, grade, _ in rows(store, "m.self-rating.chat-2.5-samples-median")] == [1] * 4
    names = [f"m.self-rating.chat-2.{n}-samples-last" for n in (4, 5)]
    assert [[grade for *_, grade, _ in rows(store, name)] for name in names] == [[1] * 4, [3] * 4]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--samples", 3, "--temperature", 0), "--temperature 0 gives the same one again"),
        (("--extra", "{"), "--extra is not JSON"),
        (("--extra", "[1]"), "--extra is not a JSON object"),
        (("--extra", '{"messages": []}'), "--extra has messages, which the grading mode sets"),
        (("--extra", '{"a": NaN}'), "NaN is not a number of JSON"),
        (("--budget", 3), "Give both prices"),
        (("--price-in", 3), "Give both prices"),
        (("--base-url", ""), "needs --base-url"),
        (("--engine", "ray"), "needs no Ray"),
    ],
)
def test_options_of_a_server_that_can_not_be_meant_are_refused(options, message):
    asked = ("grade", "demo", "--bank", "open", "--backend", "openai", "--base-url", "http://127.0.0.1:9/v1")
    done = CliRunner().invoke(app, [*map(str, (*asked, "--model", "m", *options))])
    assert isinstance(done.exception, UsageError)
    assert message in str(done.exception)


def test_options_of_a_server_go_with_one():
    done = CliRunner().invoke(app, ["grade", "demo", "--bank", "open", "--temperature", "0.5", "--budget", "3"])
    assert "--temperature, --budget: goes with --backend openai" in str(done.exception)


@pytest.mark.parametrize("mode", ["self-rating", "own.toml"])
def test_an_address_is_a_servers(mode):
    options = GradingOptions("m", base_url="http://127.0.0.1:9/v1")
    assert ordering.completed(Order("demo", mode, options)).options == replace(options, backend="openai")
