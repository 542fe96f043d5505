"""The page Grading: what is graded, what a job would do, real jobs from the button to the grades, and outcomes."""

import shutil
import time
from functools import partial

import pytest
from analysis.worlds import table as rows_of
from dashboards import charts, opened, sentences, table

from exam_core.actions import job_control
from exam_core.actions.exporting import export_store
from exam_core.actions.job_control import create_job, write_progress
from exam_core.errors import StoreError
from exam_core.formats import Reading
from exam_core.grading.options import GradingOptions
from exam_core.jobs import records
from exam_core.jobs.grade_coverage import coverage, unreadable_answers
from exam_core.jobs.ordering import JobRequest, Order
from exam_core.jobs.records import RUNNING, JobProgress
from exam_core.store import Store
from exam_core.store.aliases_and_tags import ORDER
from exam_core.tables import GRADES, JUDGMENTS, PASSAGES, QUESTIONS
from pages.parts.job_form import STARTED
from tests.store.store_samples import change_record

PAGE = "pages/grading/grading.py"
SECONDS = 90
HOSTILE = "<script>alert(1)</script> **bold** [x](javascript:y) $x$"


@pytest.fixture
def copy(demo_store, tmp_path):
    """A copy of the embedded collections to grade in."""
    return shutil.copytree(demo_store, tmp_path / "copy")


@pytest.fixture
def odd(tmp_path):
    """A store whose only grader gave answers that are no plain words, to a question without a text."""
    frames = {
        "passages": rows_of(PASSAGES, [("d", "some words")]),
        "judgments": rows_of(JUDGMENTS, [("o", "q", "d", 1)]),
        "questions": rows_of(QUESTIONS, [("b", 1, "k", "q", None, None, None, None, 1.0, True)]),
        "grades": rows_of(GRADES, [(HOSTILE, "k", "q", "d", None, HOSTILE * 20)]),
    }
    Store(tmp_path / "odd").commit("odd", Reading(frames, {HOSTILE: {"scale": 5}}), source="odd")
    return tmp_path / "odd"


def on_demo(demo_store, monkeypatch, way="alone", **query):
    return opened(PAGE, demo_store, monkeypatch, way, collection="demo", bank="open", **query)


def button(test, label):
    return next((found for found in test.button if found.label == label), None)


def newest(demo_store):
    return records.jobs(Store(demo_store))[0]


def wait_for(job):
    """Until a job has come to its end."""
    until = time.monotonic() + SECONDS
    while job.progress().state in RUNNING:
        assert time.monotonic() < until, job.log
        time.sleep(0.1)


def command(test):
    """The command line that does the same as the form."""
    return next(code.value for code in test.code if code.value.startswith("examboard grade"))


def test_what_is_graded_is_that_of_the_store_and_the_form_says_what_a_job_would_do(demo_store, monkeypatch):
    test = on_demo(demo_store, monkeypatch)
    rows = coverage(Store(demo_store).snapshot("demo"), "open")
    columns = ["grader_id", "graded", "missing", "unreadable"]
    assert table(test, "missing").equals(rows.assign(grader_id="Lexical match")[columns])
    first = [element.value for element in test.main if element.type == "header"][:1]
    assert first == ["New job"]
    # 1,053 passages under 8 queries, 10 questions each; 439 of them in some run's first 20
    assert "This job would make 10,530 grades. In the top 20 of a run: 4,390; these come first" in sentences(test)
    assert "so far" not in sentences(test)
    graded = rows["graded"].iloc[0]
    assert f"0 of {graded:,} grades are unreadable (0.0%)." in sentences(test)
    (chart,) = charts(test)
    assert chart.alt.startswith(f"Lexical match. {graded:,} grades. 0: ")


def test_a_mode_is_explained_with_its_source(demo_store, monkeypatch):
    said = sentences(on_demo(demo_store, monkeypatch, grading_mode="helm"))
    assert "The model says whether the passage answers the query." in said
    assert "Source: EXAM++, appendix A: HELM, after Liang et al. 2022." in said


def test_the_command_is_that_of_the_form_for_which_an_address_chooses_neither_model_nor_server(demo_store, monkeypatch):
    elsewhere = dict.fromkeys(("grading_model", "grading_base_url"), "http://elsewhere")
    test = on_demo(demo_store, monkeypatch, **elsewhere)
    assert command(test) == "examboard grade demo --bank open --grader self-rating"
    test.text_input("grading_model").set_value("my model")
    test.selectbox("grading_device").select("cpu")
    test.number_input("grading_beams").set_value(1)
    test.selectbox("grading_unreadable").select("paper")
    test.number_input("grading_limit").set_value(7).run()
    assert command(test) == (
        "examboard grade demo --bank open --grader self-rating --model 'my model' --device cpu --beams 1 "
        "--unreadable paper --limit 7"
    )
    assert "This job would make 7 grades." in sentences(test)
    assert "The grades are shown as Self-rating, my-model." in sentences(test)


@pytest.mark.parametrize(
    ("mode", "reason"),
    [("qa", "no answer key for 80 questions"), ("self-rating", None)],
    ids=["no answer key", "nothing"],
)
def test_what_prevents_grading_is_said_and_nothing_can_be_started(demo_store, monkeypatch, mode, reason):
    test = on_demo(demo_store, monkeypatch, grading_mode=mode)
    assert (reason or "") in sentences(test)
    assert [button(test, name).disabled for name in ("Plan", "Start")] == [bool(reason)] * 2


def test_unreadable_answers_are_shown_letter_for_letter_and_questions_without_a_text_prevent_grading(odd, monkeypatch):
    test = opened(PAGE, odd, monkeypatch)
    said = sentences(test)
    assert "No text is known of 1 question of odd, the first is k." in said
    assert "examboard import bank FILE --collection odd" in said
    assert ("1 of 1 grade is unreadable (100.0%)." in said, "<script>" in said) == (True, False)
    (shown,) = table(test, "answer")["answer"]
    (whole,) = unreadable_answers(Store(odd).snapshot("odd"), HOSTILE, "b")["answer"]
    assert shown == f"{whole[:300]}…"


def test_a_store_of_one_file_is_read_only_and_says_so(demo_store, tmp_path, monkeypatch):
    file = tmp_path / "demo.duckdb"
    export_store(Store(demo_store), file, ["demo"])
    test = on_demo(file, monkeypatch)
    assert "To grade, open a store that is a folder" in sentences(test)
    assert button(test, "Start") is None


# Jobs: the record of one that ended, and real processes


def test_a_job_that_failed_says_why_and_can_go_on(copy, monkeypatch):
    job = create_job(Store(copy), JobRequest(Order("demo", bank="open")))
    write_progress(job, JobProgress(state="failed", message=f"No model {HOSTILE}", total=10, done=4))
    (job.folder / "log.txt").write_text(f"{HOSTILE}\n", encoding="utf-8")
    test = on_demo(copy, monkeypatch)
    assert "✗ failed · 4 of 10" in sentences(test)
    assert "<script>" not in sentences(test)
    assert HOSTILE in [code.value for code in test.code]
    assert button(test, "Go on")


def test_a_job_that_paused_shows_why_and_goes_on_as_it_is_or_with_another_reading(copy, monkeypatch):
    job = create_job(Store(copy), JobRequest(Order("demo", "self-rating", GradingOptions("m"), bank="open")))
    write_progress(job, JobProgress(state="paused", total=9, message="61 of the first 100 answers", reads="chat"))
    started = []
    monkeypatch.setattr(job_control, "start_job", lambda _store, request, _confirmed: started.append(request) or job)
    test = on_demo(copy, monkeypatch)
    assert "61 of the first 100 answers" in sentences(test)
    for label in ("Read as chat", "Go on anyway"):
        button(test, label).click().run()
    assert [(one.order.reading, one.order.go_on) for one in started] == [("chat", False), ("auto", True)]


def test_a_job_that_is_done_can_neither_be_stopped_nor_go_on(copy, monkeypatch):
    why = {"reasons": {"length": 1}, "examples": {"length": HOSTILE}, "prompt_tokens": 1234, "notes": ["It was cut."]}
    write_progress(
        create_job(Store(copy), JobRequest(Order("demo"))), JobProgress(state="done", total=4, done=4, **why)
    )
    test = on_demo(copy, monkeypatch)
    assert all(
        words in sentences(test)
        for words in ("1 × length", "“Longest answer (tokens)” 4096", "It was cut.", "1,234 tokens")
    )
    assert "<script>" not in sentences(test)
    assert [button(test, name) for name in ("Stop", "Go on")] == [None] * 2


def test_a_finished_job_leads_to_its_own_grades_and_a_plan_to_none(copy, monkeypatch):
    create = partial(create_job, Store(copy))
    order = Order("demo", bank="open")
    write_progress(create(JobRequest(order)), JobProgress(state="done", total=4, done=4))

    def links():
        test = opened(PAGE, copy, monkeypatch, "from app.py", collection="demo")
        return [item.proto.url for item in test.get("link_button") if item.proto.label == "See the leaderboard"]

    assert links() == ["leaderboard?collection=demo&bank=open&modes=flan-t5-large.self-rating"]
    write_progress(create(JobRequest(order, plan=True)), JobProgress(state="done"))
    assert links() == []


def test_a_running_job_is_shown_with_its_share_and_stopped(copy, monkeypatch):
    job = create_job(Store(copy), JobRequest(Order("demo", bank="open")))
    write_progress(job, JobProgress(state="running", total=100, done=25, asked=20, seconds=10, left=40))
    test = on_demo(copy, monkeypatch)
    assert test.get("progress")[0].proto.value == 25
    assert "▶ running · 25 of 100 · 2.0 prompts/s · 40 s left" in sentences(test)
    assert "This job runs already" in sentences(test)
    test.session_state[STARTED] = job.id
    assert "Started; see below." in sentences(test.run())
    assert table(test, "arguments")["arguments"].tolist() == ["Self-rating, bank open"]
    button(test, "Stop").click().run()
    assert job.stopping
    assert button(test, "Stop").disabled
    assert table(test, "arguments")["state"].tolist() == ["■ stopping"]


def test_another_job_can_be_looked_at(copy, monkeypatch):
    for total in (4, 5):
        job = create_job(Store(copy), JobRequest(Order("demo")))
        write_progress(job, JobProgress(state="done", total=total, done=total))
        Store(copy).catalogue.put(ORDER, f"2020010{total}-000000-aaaa", job.order)
        job.folder.rename(job.folder.with_name(f"2020010{total}-000000-aaaa"))
    test = on_demo(copy, monkeypatch)
    assert "✓ done · 5 of 5" in sentences(test)
    test.selectbox("grading_job").select_index(1).run()
    assert "✓ done · 4 of 4" in sentences(test)


def test_jobs_of_other_collections_are_counted_and_not_listed(copy, monkeypatch):
    for name in ("demo", "elsewhere", "elsewhere"):
        write_progress(create_job(Store(copy), JobRequest(Order(name))), JobProgress(state="done"))
    test = on_demo(copy, monkeypatch)
    assert table(test, "arguments")["collection"].tolist() == ["demo"]
    assert button(test, "2 jobs of elsewhere")


# Outcomes


def test_a_damaged_record_of_a_job_is_shown_with_what_to_do(copy, monkeypatch):
    job = create_job(Store(copy), JobRequest(Order("demo", bank="open")))
    change_record(copy, "order", b"")
    test = on_demo(copy, monkeypatch)
    assert table(test, "job")["state"].tolist() == ["! damaged"]
    assert f"Its folder can be removed: {job.folder}" in sentences(test)
    assert button(test, "Go on") is None


def test_a_job_whose_record_cannot_be_written_is_refused_in_one_message(copy, monkeypatch):
    def full(*_):
        raise StoreError("No job was started: order.json: can't be written (No space left on device).")

    test = on_demo(copy, monkeypatch)
    monkeypatch.setattr(job_control, "start_job", full)
    button(test, "Start").click().run()
    assert "No job was started: order.json" in sentences(test)


def test_a_stop_that_cannot_be_written_is_refused_in_one_message(copy, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device", "jobs/1/stop")

    write_progress(
        create_job(Store(copy), JobRequest(Order("demo", bank="open"))), JobProgress(state="running", total=10, done=4)
    )
    test = on_demo(copy, monkeypatch)
    monkeypatch.setattr(job_control, "stop_job", full)
    button(test, "Stop").click().run()
    assert "jobs/1/stop: No space left on device. The job was not asked to stop." in sentences(test)
