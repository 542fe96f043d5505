"""Modes of one's own: a file grades like any mode, is listed, and goes with its grades."""

import json
from pathlib import Path

import msgspec
import pytest
from dashboards import sentences, table

from exam_core.formats import Reading
from exam_core.grading.modes.known import modes_of
from exam_core.grading.modes.mode import ModeInput
from exam_core.grading.modes.papers import MODES
from exam_core.grading.options import BACKENDS
from exam_core.jobs import records
from exam_core.readings.unread import why_unreadable
from exam_core.store import Store
from exam_core.wings.modes import actions
from exam_core.wings.modes.mode_reading import read_mode, read_mode_file
from tests.actions.test_grading_jobs import frames
from tests.grading.server import Server, says
from tests.pages.test_grading import button, on_demo, wait_for
from tests.pages.test_grading import copy as copy
from tests.store.store_samples import change_record

MINE = '''name = "my-support"
about = "Ours: how far the passage supports the question."
source = "Our lab's guidelines, 2026"
system = "You are strict."
prompt = """
Support for {question} of {query}?
Passage: {passage}
"""
reading = "chat"

[words]
"full support" = 2
"partial support" = 1
"no support" = 0
'''


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path / "store")
    made.commit("c", Reading(frames(docs=2)), source="a")
    return made.path


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "my.toml"
    path.write_text(MINE)
    return path


def test_a_mode_that_is_printed_and_read_again_is_the_same(examboard, store, tmp_path):
    file = tmp_path / "again.toml"
    file.write_text(examboard(store, "mode", "show", "faggioli-b-few").out)
    assert "faggioli-b-few: grades 0 to 1" in examboard(store, "mode", "add", file).out
    file.write_text(file.read_text().replace("Passage: {passage}\n\nAnswer", "Text: {passage}\n\nAnswer"))
    assert "faggioli-b-few-" in examboard(store, "mode", "add", file).out
    change_record(store, "mode", b"damaged")
    done = examboard(store, "mode", "list", "--format", "json")
    assert (" is damaged.\n" in done.err, len(json.loads(done.out))) == (True, len(MODES))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("prompt", "promt"), ["my.toml:5: there is no key promt", "Did you mean prompt?"]),  # codespell:ignore
        (("{passage}", "{pasage}"), ["my.toml:7: {pasage} is no placeholder", "Write {passage}."]),
        (("{passage}", "the passage"), ["my.toml:5: prompt has no {passage}"]),
        (('"chat"', '"caht"'), ["my.toml:9: reading is 'caht'", "Did you mean chat?"]),
        (("my-support", "my support"), ["my.toml:1: name is"]),
        (('name = "my-support"', 'name = "m"\nscale = 200'), ["my.toml:2: scale is 200", "1 to 100"]),
        (('"no support" = 0', '"no support" = 0\n[x'), ["my.toml:15: this is not TOML"]),
        (
            ('reading = "chat"', "pattern = '(\\d'"),
            ["my.toml:9: pattern is not a regular expression (missing )", "'Score: "],
        ),
        (('reading = "chat"', "pattern = '[0-5]'"), ["my.toml:9: pattern has no group"]),
        (('reading = "chat"', "pattern = '(a)(b)'"), ["my.toml:9: pattern has more than one group"]),
        (('reading = "chat"', "pattern = '(?=a)(b)'"), ["my.toml:9: pattern is no", "no look-around"]),
        (('"chat"', "\"flan-t5\"\npattern = '(a)'"), ["my.toml:10: pattern says how a grade is read"]),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else "",
)
def test_what_is_wrong_with_a_mode_is_said_with_its_line(examboard, store, mine, change, says):
    mine.write_text(MINE.replace(*change))
    done = examboard(store, "mode", "add", mine)
    assert done.status == 1
    assert [one for one in says if one not in done.err] == []


def test_no_file_no_mode_and_no_model_are_said(examboard, store, mine):
    assert "No such file" in examboard(store, "grade", "c", "--mode", "gone.toml").err
    assert "There is no mode nowhere" in examboard(store, "mode", "show", "nowhere").err
    assert "names no model. Name a model" in examboard(store, "grade", "c", "--mode", mine).err
    mine.write_bytes(b"\xff")
    assert "my.toml:1: this is not text in UTF-8" in examboard(store, "mode", "add", mine).err


PATTERN = MINE.partition("reading =")[0] + "pattern = '(?i)total = *(\\S+)$'\n"
NO_SUPPORT = "\n[words]\nfull = 2\nnone = 0\n"


@pytest.mark.parametrize(
    ("file", "answers"),
    [
        (
            PATTERN,
            {
                "Rating: 3 Total = 4": 4,
                "<think>total = 1</think>total = 4": 4,
                "total =6": "off the scale",
                "total = 4.5": "between two grades",
                "total = all": "no grade in it",
                "Rating: 4": "no grade in it",
                "I'm sorry, I can't help": "refusal",
            },
        ),
        (PATTERN.replace("$", ""), {"total = 4 total = 4": 4, "total = 4 total = 3": "several grades"}),
        (PATTERN + NO_SUPPORT, {"Total = FULL": 2, "total = none": 0, "none": "no grade in it"}),
    ],
    ids=["numbers", "several matches", "words"],
)
def test_a_pattern_says_where_grades_stand(file, answers):
    mode = read_mode(file, Path("my.toml"))
    assert read_mode(mode.toml, Path("again.toml")) == mode
    about = mode.described("m", {}) | {"rated": True}
    found = {answer: mode.read(answer, ModeInput("passage")) for answer in answers}
    assert {answer: verdict.reason or verdict.grade for answer, verdict in found.items()} == answers
    unread = {
        answer: why_unreadable(answer, about, mode.scale) for answer, verdict in found.items() if verdict.unreadable
    }
    assert unread == {answer: said for answer, said in answers.items() if isinstance(said, str)}


def test_a_pattern_takes_no_longer_than_the_answer_is_long():
    mode = read_mode(PATTERN.replace("(\\S+)$", "((?:a+)+)$"), Path("my.toml"))
    assert mode.read("total = " + "a" * 100_000 + "!", ModeInput("passage")).grade is None


def test_modes_without_a_pattern_keep_their_names(mine):
    assert read_mode_file(mine).called == "my-support-32983c7e"


@pytest.mark.skipif("openai" not in BACKENDS, reason="a server answers")
def test_a_pattern_of_a_mode_and_rules_of_a_command_are_refused_together(examboard, store, mine):
    mine.write_text(PATTERN)
    for rule in (("--reading", "flan-t5"), ("--unreadable", "paper")):
        refused = examboard(store, "grade", "c", "--mode", mine, "--model", "m", *rule)
        assert "leave --reading and --unreadable out" in refused.err


@pytest.mark.skipif("openai" not in BACKENDS, reason="a server answers")
def test_a_mode_of_ones_own_grades_is_listed_and_goes_with_its_grades(examboard, store, mine, tmp_path, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Server(lambda text, _: says("**Partial support**" if "d0" in text else "Label: no support")) as server:
        asked = ("grade", "c", "--mode", mine, "--backend", "openai", "--base-url", server.address, "--model", "m")
        done = json.loads(examboard(store, *asked, "--format", "json").out)
        sent = [request.body["messages"] for request in server.requests]
    assert (done["done"], done["unreadable"]) == (24, 0)
    called, grader = done["grader"].split(".")[1], done["grader"]
    assert grader == f"m.{called}.chat-2"
    assert {messages[0]["content"] for messages in sent} == {"You are strict."}
    assert "Support for what of q1/a? of query q1?" in " ".join(messages[1]["content"] for messages in sent)
    grades = Store(store).snapshot("c").frame("grades")
    assert dict(zip(grades["doc_id"], grades["grade"], strict=True)) == {"d0": 1, "d1": 0}
    assert called in {row["mode"] for row in json.loads(examboard(store, "mode", "list", "--format", "json").out)}
    said = examboard(store, "cite", "c", "--grader", grader, "--tau", "1").out
    assert f"mode {called}; Our lab's guidelines, 2026" in said
    for kind, file in (("duckdb", "c.duckdb"), ("workbench", "c.jsonl.gz")):
        out = tmp_path / file
        assert examboard(store, "export", kind, *(("c",) if kind == "workbench" else ()), out).status == 0
        other = tmp_path / kind
        brought = ("import", kind, out, *(("--collection", "c", "--bank", "bank") if kind == "workbench" else ()))
        assert examboard(other, *brought).status == 0
        name = next(iter(Store(other).snapshot("c").graders))
        again = tmp_path / f"{kind}.toml"
        again.write_text(examboard(other, "mode", "show", name, "--collection", "c").out)
        assert called in examboard(other, "mode", "add", again).out


def test_a_mode_under_another_modes_name_is_left_out(tmp_path):
    store = Store(tmp_path / "store")
    actions.add_mode(store, 'name = "mine"\nprompt = "Rate {passage} for {query}"', tmp_path / "mode.toml")
    whole = change_record(store.path, "mode", b"")
    changed = msgspec.json.encode(msgspec.json.decode(whole).replace("Rate", "Grade"))
    change_record(store.path, "mode", changed, is_sound=True)
    assert len(modes_of(Store(store.path))) == len(MODES)


PROMPT = "grading_own_text_self-rating"


def written(test, old, new):
    """The form with a prompt of one's own."""
    test.toggle("grading_own").set_value(True).run()
    prompt = test.text_area(PROMPT)
    return prompt.set_value(prompt.value.replace(old, new)).run()


def test_a_prompt_of_ones_own_begins_as_the_papers_and_what_is_wrong_with_it_is_said(copy, monkeypatch):
    test = on_demo(copy, monkeypatch)
    test.toggle("grading_own").set_value(True).run()
    assert test.text_area(PROMPT).value.startswith("Can the question be answered")
    assert "The grades are shown as Self-rating, FLAN-T5-L." in sentences(test)
    assert "Nothing is changed yet" in sentences(test)
    written(test, "{passage}", "{pasage}")
    line = test.text_area(PROMPT).value[: test.text_area(PROMPT).value.index("{pasage}")].count("\n") + 1
    assert f"Line {line}: {{pasage}} is no placeholder; write {{passage}}." in sentences(test)
    assert not {"Nothing was stored.", "The prompt has no {passage}"} & set(sentences(test).splitlines())
    assert (button(test, "Start").disabled, len(test.button_group("grading_by").options) > 1) == (True, True)
    written(test, "{pasage}", "")
    assert "The prompt has no {passage}; put {passage} once where the passage belongs." in sentences(test)
    written(test, "Context: ", "Passage: {passage}")
    assert "The grades are shown as my prompt, FLAN-T5-L." in sentences(test)
    button(test, "Add the mode").click().run()
    chosen = test.selectbox(key="grading_mode").value
    assert chosen.startswith("my-prompt-")
    assert not test.toggle("grading_own").value


def test_a_prompt_is_seen_filled_tried_and_graded_with_and_nothing_is_asked_twice(copy, monkeypatch):
    with Server(lambda *_: says("4"), models=["m"]) as server:
        monkeypatch.setenv("EXAMBOARD_SERVERS", server.address)
        test = on_demo(copy, monkeypatch)
        test.button_group("grading_by").set_value("openai").run()
        test.text_input("grading_base_url").set_value(server.address)
        test.number_input("grading_limit").set_value(3).run()
        written(test, "choose one", "take one")
        passages = set(Store(copy).snapshot("demo").frame("passages")["passage_text"])
        (shown,) = (code.value for code in test.code if "take one" in code.value)
        assert any(shown.endswith(f"Context: {passage}") for passage in passages)
        button(test, "Try on three passages").click().run()
        tried = table(test, "answer")
        assert (tried["grade"].tolist(), set(tried["passage"]) <= passages) == ([4, 4, 4], True)
        button(test, "Start").click().run()
        (job,) = records.jobs(Store(copy))
        wait_for(job)
        asked = {request.text for request in server.requests}
        assert len(asked) == len(server.requests) <= 5
    assert job.progress().done == 3
