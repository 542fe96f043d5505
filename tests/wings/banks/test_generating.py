"""Questions that a model writes become a version of a bank: what is asked, what is stored, and what is counted."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from exam_core.actions.job_control import create_job
from exam_core.errors import GraderError, UsageError
from exam_core.formats import Reading
from exam_core.grading.options import GradingOptions
from exam_core.grading.prompt import ModelAnswer
from exam_core.jobs import records, watching
from exam_core.jobs.ordering import JobRequest, Order
from exam_core.question import Question
from exam_core.store import Store, aliases_and_tags
from exam_core.store.answer_cache import FILE
from exam_core.store.summary import banks
from exam_core.tables import TABLES, question_id
from exam_core.wings.banks import generating, replies
from exam_core.wings.banks.editing import frame_of
from exam_core.wings.banks.generating import WritingTask, generate
from exam_core.wings.banks.prompts import LONGEST, PROMPTS, GenerationOrder, GenerationRequest, own_prompt, prompt_named
from exam_core.wings.banks.versions import questions_of
from tests.grading.server import TRICKLES, Server, fails, hangs_up, says
from tests.store.store_samples import change_record, rows_of

ORDER = GenerationOrder("c", "mine", options=GradingOptions("fake"))

TEXTS = {"q1": "what is iron", "q2": "what is {n} gold", "q3": None}

A, B = "What is a?", "Why is b?"


class Writer:
    """Writes what it is told to, by a word of the prompt."""

    def __init__(self, **says):
        self.about: dict[str, Any] = {"model": "fake"}
        self.says, self.stopped = says, set[str]()
        self.asked: list[str] = []

    def lengths(self, prompts):
        return [len(prompt.head.split()) for prompt in prompts]

    def answers(self, prompts):
        for place, prompt in enumerate(prompts):
            self.asked.append(prompt.head)
            word = next((word for word in self.says if word in prompt.head), "")
            text = self.says.get(word, json.dumps([A, B]))
            yield place, ModelAnswer(text, failure="" if text else "no", stopped=word in self.stopped)


@pytest.fixture
def store(tmp_path):
    """A store with two queries that have a text, and one that has none."""
    store = Store(tmp_path / "store")
    frame = TABLES["queries"].frame({"query_id": list(TEXTS), "query_text": list(TEXTS.values())})
    store.commit("c", Reading({"queries": frame}), source="queries")
    return store


def bank_of_parts(store):
    """A bank with facets, of which one has no words of its own."""
    rows = [
        Question("q1", "q1/x/1", "What is x?", facet_id="q1/Early%20days", facet_text=None),
        Question("q1", "q1/y/1", "What is y?", facet_id="y", facet_text="Rust"),
    ]
    store.commit("c", Reading({"questions": frame_of(rows, "car", 1)}), source="bank")


def written(store, version, bank="mine"):
    found = questions_of(store.snapshot("c"), bank, version)
    return sorted((question.query_id, question.text) for question in found.values())


def test_questions_become_a_new_bank_with_the_ids_of_the_authors_and_who_wrote_them(store):
    done = generate(WritingTask(store, ORDER, model=Writer()))
    assert (done.state, done.version, done.added, done.known) == ("done", "mine@1", 4, 0)
    assert written(store, 1) == [(query, text) for query in ("q1", "q2") for text in (A, B)]
    found = questions_of(store.snapshot("c"), "mine", 1)["q1", question_id("q1", A)]
    assert json.loads(str(found.creators))[0] | {"creation_date": ""} == {
        "is_human": False,
        "llm_model": "fake",
        "creation_date": "",
        "prompt": "trec-dl",
    }
    version = store.snapshot("c").frame("versions").iloc[0]
    assert version["reason"] == "4 questions written by fake, prompt trec-dl"


def test_a_query_is_asked_for_in_its_own_words_and_one_without_is_left_out(store):
    model = Writer()
    task = WritingTask(store, replace(ORDER, questions=7), model=model)
    generate(task)
    assert task.without_text == 1
    assert [head.count("what is iron") for head in model.asked] == [2, 0]
    assert "Break the query 'what is {n} gold' into" in model.asked[1]
    assert all("Generate 7 concise" in head for head in model.asked)


def test_new_questions_join_the_newest_version_and_those_that_are_there_stay_as_they_are(store):
    there = [Question("q1", question_id("q1", A), A, weight=2.0), Question("q2", "own", "why  is B?")]
    store.commit("c", Reading({"questions": frame_of(there, "mine", 1)}), source="bank")
    done = generate(WritingTask(store, replace(ORDER, reason="more"), model=Writer()))
    assert (done.version, done.added, done.known) == ("mine@2", 2, 2)
    found = questions_of(store.snapshot("c"), "mine", 2)
    assert [found[one.key] for one in there] == there
    assert store.snapshot("c").frame("versions")["reason"].tolist() == ["more"]


def test_the_second_time_nothing_is_asked_and_no_version_made(store):
    generate(WritingTask(store, ORDER, model=Writer()))
    model = Writer()
    done = generate(WritingTask(store, ORDER, model=model))
    assert (model.asked, done.version, done.added, done.known) == ([], "mine@1", 0, 4)
    assert len(store.snapshot("c").frame("versions")) == 1


@pytest.mark.parametrize("again", [False, True], ids=["asked now", "from the cache"])
def test_what_may_be_cut_off_is_left_out_and_counted_also_where_the_reply_is_known(store, again):
    model = Writer(iron=f"1. {A}\n2. {B}")
    model.stopped = {"iron"}
    if again:
        generate(WritingTask(store, replace(ORDER, bank="other"), model=model))
    done = generate(WritingTask(store, ORDER, model=model))
    assert written(store, 1) == [("q1", A), ("q2", A), ("q2", B)]
    assert (done.lost, done.cut) == ({replies.CUT: 1}, 1)


def test_a_reply_without_questions_is_counted_and_the_others_are_stored(store):
    done = generate(WritingTask(store, ORDER, model=Writer(iron="I can't.")))
    assert (done.unreadable, done.lost, done.added) == (1, {replies.NOTHING: 1}, 2)


def test_where_no_reply_holds_a_question_there_is_no_bank(store):
    done = generate(WritingTask(store, ORDER, model=Writer(what="I can't.")))
    assert (done.version, done.added) == ("", 0)
    assert banks(store.snapshot("c")) == []


def test_a_prompt_that_gets_no_reply_is_said_and_asked_again(store):
    done = generate(WritingTask(store, ORDER, model=Writer(iron=None)))
    assert (done.failed, done.failures, done.added) == (1, {"no": 1}, 2)
    assert "1 of 2 prompts got no reply (no)" in done.message
    model = Writer()
    assert generate(WritingTask(store, ORDER, model=model)).version == "mine@2"
    assert len(model.asked) == 1


def test_a_job_that_is_stopped_keeps_its_replies_and_leaves_the_bank_alone(store):
    model = Writer()
    done = generate(WritingTask(store, ORDER, model=model), stopped=lambda: len(model.asked) == 1)
    assert (done.state, done.version, banks(store.snapshot("c"))) == ("stopped", "", [])
    again = Writer()
    assert generate(WritingTask(store, ORDER, model=again)).added == 4
    assert len(again.asked) == 1


def test_subtopics_are_the_facets_that_a_bank_knows(store):
    bank_of_parts(store)
    model = Writer()
    task = WritingTask(store, replace(ORDER, prompt="car"), model=model)
    done = generate(task)
    assert [(one.query_id, one.facet_id, one.subtopic) for one in task.wanted] == [
        ("q1", "q1/Early%20days", "Early days"),
        ("q1", "y", "Rust"),
    ]
    assert (task.without_text, done.added) == (2, 4)
    assert ("q1", question_id("q1", A, "y")) in questions_of(store.snapshot("c"), "mine", 1)


def test_subtopics_are_those_of_the_queries_where_no_bank_knows_facets(store):
    columns = {"query_id": ["p1", "p2"], "title": ["Skin", None], "subtopic": ["Hair", None], "query_text": ["s", "t"]}
    store.commit("c", Reading({"queries": TABLES["queries"].frame(columns)}), source="more")
    model = Writer()
    generate(WritingTask(store, replace(ORDER, prompt="car"), model=model))
    assert len(model.asked) == 1
    assert "between 'Skin' with a specific focus on the subtopic 'Hair'" in model.asked[0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"prompt": "nobody"}, "There is no prompt nobody. There are: trec-dl, car, car-json"),
        ({"prompt": "car"}, "needs subtopics, and none is known"),
        ({"queries": "q1,q9"}, "has no query q9"),
        ({"queries": "q3"}, "No text is known of 1 query"),
        ({"collection": "nobody"}, "nobody"),
        ({"template": "no field"}, "write {query} there"),
    ],
)
def test_what_can_not_be_asked_is_refused_in_one_message(store, changes, message):
    with pytest.raises(UsageError) as refused:
        WritingTask(store, replace(ORDER, **changes), model=Writer())
    assert message in str(refused.value)


@pytest.mark.parametrize(
    "changes", [*({"bank": bank} for bank in ("", "a@2", "a\nb")), {"reason": "x" * 1001}, {"reason": "a\x1b[31m"}]
)
def test_a_bank_or_a_reason_that_can_not_be_kept_is_refused_before_a_job_begins(store, changes):
    with pytest.raises(UsageError, match="--reason" if "reason" in changes else None):
        generating.prepare_generation(store, GenerationRequest(replace(ORDER, **changes)))
    assert records.jobs(store) == []


def test_the_prompts_are_those_that_the_papers_print():
    assert PROMPTS["trec-dl"].words("x") == (
        "Break the query 'x' into concise questions that must be answered. Generate 10 concise insightful questions "
        "that reveal whether information relevant for 'x' was provided, showcasing a deep understanding of the subject "
        "matter. Avoid basic or introductory-level inquiries. Keep the questions short and in a Python list format."
    )
    explore = (
        "Explore the connection between 'x' with a specific focus on the subtopic 'y'. Generate insightful questions "
        "that delve into advanced aspects of 'y', showcasing a deep understanding of the subject matter. Avoid basic "
        "or introductory-level inquiries. Give the question set in "
    )
    assert PROMPTS["car"].words("x", "y") == explore + "a Python list format."
    assert PROMPTS["car-json"].words("x", "y").removeprefix(explore) == (
        'the following JSON format:\n```json\n{"questions":[question_text_1, question_text_2,...]}\n```'
    )


def test_a_template_is_filled_in_once_and_braces_of_other_kinds_stay():
    prompt = own_prompt("mine", 'Ask {n} of {query}, as {"a": [1]} or {{query}} {}.')
    assert prompt.words("the {n} of {query}", n=3) == 'Ask 3 of the {n} of {query}, as {"a": [1]} or {query} {}.'
    assert not prompt.wants_subtopics


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{query} {topic}", "{topic} is nothing that can be filled in"),
        ("Ask away", "write {query} there"),
        ("{{query}}", "write {query} there"),
        ("{query}\n\0", "line 2 holds the control character U+0000"),
        ("{query}" + "x" * LONGEST, "20,000 are the most"),
    ],
)
def test_a_template_that_can_not_be_used_is_refused(template, message):
    with pytest.raises(UsageError) as refused:
        prompt_named("mine", template)
    assert message in str(refused.value)


def test_a_record_holds_either_order_and_says_its_command(store):
    writing = GenerationRequest(replace(ORDER, template="Why {query}?", schema=True), price=2.0)
    jobs = [create_job(store, wanted) for wanted in (writing, JobRequest(Order("c", bank="b")))]
    assert [job.request for job in jobs] == [writing, JobRequest(Order("c", bank="b"))]
    assert [job.words for job in jobs] == [("bank", "generate"), ("grade",)]
    assert jobs[0].arguments[-4:] == ["Why {query}?", "--schema", "--price", "2.0"]
    assert sorted(watching.table(jobs)["what"]) == ["grade", "write questions"]
    assert records.as_row(jobs[0])["command"].startswith("examboard bank generate c --bank mine --model fake")


@pytest.mark.parametrize("content", [b"", b"{", b'{"order": {}}', b"[1]", b"\xff"])
def test_a_damaged_record_is_said_and_stops_nothing(store, content):
    job = create_job(store, GenerationRequest(ORDER))
    change_record(store.path, "order", content)
    job = records.job(Store(store.path), job.id)
    assert (job.arguments, job.progress().state) == ([], "damaged")
    assert watching.table([job])["state"].tolist() == ["! damaged"]


def request(server, **changes):
    options = GradingOptions("m", backend="openai", base_url=server.address, concurrency=changes.pop("concurrency", 4))
    return GenerationRequest(replace(ORDER, options=options, **changes))


def test_a_server_that_misbehaves_costs_tries_and_no_question(store):
    def plan(text, times):
        if "response_format" in server.requests[-1].body:
            return fails(400, "no response_format here")
        if times == 2:
            return fails(429, "slow down", Retry_After="0")
        if times == 3:
            return hangs_up
        if "iron" in text:
            return says(f"Sure! Here:\n```python\n{[A, B]!r}\n```")
        return says(f'["{A}", "Wh', "length")

    with Server(plan) as server:
        job, task = generating.prepare_generation(store, request(server, schema=True, concurrency=1))
        done = generating.generate_bank(job, task)
    assert written(store, 1) == [("q1", A), ("q1", B), ("q2", A)]
    assert (done.lost, done.cut) == ({replies.CUT: 1}, 1)
    assert (job.progress().state, job.progress().questions) == ("done", 3)


def test_a_model_that_thinks_and_asks_about_the_tag_of_thoughts_loses_no_question(store):
    asked = ["What does </think> mean?", B]
    said_of = {"iron": f"<think>\n1. {A}\n</think>\n\n{json.dumps(asked)}", "gold": "<think>\nFirst I"}
    with Server(lambda text, _times: says(next(said for word, said in said_of.items() if word in text))) as server:
        done = generating.generate_bank(*generating.prepare_generation(store, request(server)))
        again = generating.generate_bank(*generating.prepare_generation(store, request(server)))
    assert written(store, 1) == sorted(("q1", text) for text in asked)
    assert done.lost == again.lost == {replies.THOUGHTS: 1}
    assert len(server.requests) == 2


def test_a_server_that_knows_no_such_model_is_said_in_the_record(store):
    with Server(lambda _text, _times: fails(404, "no such model"), models=["other"]) as server:
        job, task = generating.prepare_generation(store, request(server))
        with pytest.raises(GraderError, match="has no model 'm'"):
            generating.generate_bank(job, task)
    assert (job.progress().state, banks(store.snapshot("c"))) == ("failed", [])


def process(store, server, *arguments):
    command = ["bank", "generate", "c", "--bank", "mine", "--model", "m", "--base-url", server.address, *arguments]
    environment = {name: value for name, value in os.environ.items() if name != records.JOB}
    return subprocess.Popen(
        [sys.executable, "-m", "exam_core", "--store", str(store.path), *command],
        cwd=Path(__file__).parents[3],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def many(store, count):
    ids = [f"r{n}" for n in range(count)]
    frame = TABLES["queries"].frame({"query_id": ids, "query_text": [f"what is {one}" for one in ids]})
    store.commit("c", Reading({"queries": frame}), source="more")


def test_a_job_that_is_killed_and_started_again_asks_only_what_it_was_asking(store):
    many(store, 10)
    enough = threading.Event()

    def plan(_text, _times):
        if len(server.requests) == 6:
            enough.set()
        return TRICKLES["headers"] if len(server.requests) >= 6 and not killed.is_set() else says(json.dumps([A, B]))

    killed = threading.Event()
    with Server(plan) as server:
        first = process(store, server, "--concurrency", "1")
        assert enough.wait(60)
        # The fifth reply is on disk before the sixth is waited for; the sixth never comes.
        cache = store.path / "cache"
        until = time.monotonic() + 60
        while sum(len(rows_of(path, "answers")) for path in cache.glob(f"*/{FILE}")) < 5:
            assert time.monotonic() < until
            time.sleep(0.02)
        first.send_signal(signal.SIGKILL)
        first.communicate()
        killed.set()
        assert banks(store.snapshot("c")) == []
        second = process(store, server)
        _, said = second.communicate(timeout=120)
        assert second.returncode == 0, said
    assert sorted(server.times.values()) == [1] * 11 + [2]
    assert len(written(store, 1)) == 24


@pytest.mark.thorough
def test_two_jobs_at_once_ask_nothing_twice_and_make_one_version(store):
    many(store, 10)
    with Server(lambda _text, _times: says(json.dumps([A, B]))) as server:
        both = [process(store, server, "--concurrency", "2") for _ in range(2)]
        said = [one.communicate(timeout=120)[1] for one in both]
        assert [one.returncode for one in both] == [0, 0], said
    assert set(server.times.values()) == {1}
    assert len(written(store, 1)) == 24
    assert len(store.snapshot("c").frame("versions")) == 1


def test_a_record_of_an_earlier_version_keeps_what_its_defaults_meant(store):
    job = create_job(store, GenerationRequest(GenerationOrder("c", "b", options=GradingOptions("m", max_tokens=512))))
    assert job.order
    said = deepcopy(job.order.request)
    said["order"]["max_output_tokens"] = 4096
    del said["order"]["options"]["samples"]
    store.catalogue.put(aliases_and_tags.ORDER, job.id, aliases_and_tags.JobOrder("generation", said))
    job = records.job(store, job.id)
    assert job.request
    assert job.request.order.options == GradingOptions("m", max_output_tokens=4096)
