"""Collections that are not graded: every page has an answer by the judgments, or says in a sentence what brings one."""

import re
import shutil
from pathlib import Path

import pytest
from analysis.worlds import store_of
from analysis.worlds import table as made
from dashboards import button, charts, labels, opened, scrolled_to, sentences, table
from thoroughly import thoroughly

from exam_core.actions.job_control import create_job, write_progress
from exam_core.jobs.ordering import JobRequest, Order
from exam_core.jobs.records import JobProgress
from exam_core.store import Store
from exam_core.store.summary import graders
from exam_core.tables import JUDGMENTS, RANKINGS
from tests.wings import added, added_to, rows_added

LACKING = {"Add passage texts", "Upload a bank", "Upload grades"}.union(*added("LACKING"))
"""Buttons beside what runs and judgments lack for more."""
OPENED = rows_added("OPENED")
"""Buttons of wings that lead to a form: a field of it, and what stands unfolded then."""
BOARD = "pages/leaderboard/leaderboard.py"


def shown(test):
    return sentences(test).replace("\\", "")


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("home", "official judgments"),
        ("leaderboard", "mine, nDCG@10, judged relevant from 2"),
        ("outliers", "by official judgments nDCG@10"),
        *rows_added("PAGES_BY_JUDGMENTS"),
    ],
)
def test_a_page_has_an_answer_by_the_judgments(page, expected, judged_store, monkeypatch):
    test = opened(page, judged_store, monkeypatch, collection="mine", methods_part="Run by run")
    assert charts(test)
    assert expected in shown(test)
    assert "no grades" not in shown(test)
    assert "grading mode in the bar" not in shown(test)


def test_a_board_of_judgments_begins_with_scores_as_they_are_and_names_the_best_run(judged_store, monkeypatch):
    test = opened("leaderboard", judged_store, monkeypatch, collection="mine")
    best = table(test, "stderr").iloc[0]
    assert f"Best: {best['run_id']}, nDCG@10 {best['mean']:.3f} ± {best['stderr']:.3f} over " in shown(test)
    assert "Kendall" not in shown(test)
    assert test.session_state["scores"] == "raw"


def test_runs_that_all_tie_are_said_to_with_a_smaller_depth_as_a_button(tmp_path, monkeypatch):
    ranked = [("a", "q1", doc, rank) for rank, doc in enumerate(("d1", "d2", "d3", "d4", "d5", "d6"), 1)]
    ranked += [("b", "q1", doc, 7 - rank) for _, _, doc, rank in ranked]
    rows = [(run, query, doc, rank, rank, 9.0 - rank, False) for run, query, doc, rank in ranked]
    judged = [("official", "q1", "d1", 2)]
    frames = {"rankings": made(RANKINGS, rows), "judgments": made(JUDGMENTS, judged)}
    store_of(tmp_path / "store", frames, {})
    test = opened("leaderboard", tmp_path / "store", monkeypatch, measure="P")
    assert "All 2 runs have the same P@10, 0.100" in shown(test)
    button(test, "Try depth 5").click().run()
    assert "Best: a, P@5 0.200 over 1 query" in shown(test)


@pytest.mark.parametrize(
    ("query", "says"), [("q1", "Best: a and 1 other, tied, P@1 1.000 over 1 query"), ("q2", "No run has a mean of P@1")]
)
def test_a_first_place_that_runs_share_is_not_one_run_s_and_none_is_the_best_without_a_mean(
    tmp_path, monkeypatch, query, says
):
    ranked = [(run, "q1", doc, 1, 1, 1.0, False) for run, doc in (("a", "d0"), ("b", "d0"), ("c", "d1"))]
    frames = {"rankings": made(RANKINGS, ranked), "judgments": made(JUDGMENTS, [("official", query, "d0", 2)])}
    store_of(tmp_path / "store", frames, {})
    assert says in shown(opened("leaderboard", tmp_path / "store", monkeypatch, measure="P", depth="1"))


WHY = added_to({"agreement": "This page compares grades with human judgments."}, "NEEDS_GRADES")


@pytest.mark.parametrize("page", ["agreement", *thoroughly(*list(WHY)[1:])])
def test_a_page_that_takes_grades_says_what_to_bring_first_with_one_button(page, judged_store, monkeypatch):
    test = opened(page, judged_store, monkeypatch, collection="mine")
    assert f"{WHY[page]} 212 of 212 passages have no text for a grader to read." in shown(test)
    assert labels(test) & LACKING == {"Add passage texts"}


def test_runs_alone_lack_judgments_and_the_bar_shows_no_empty_box_of_modes(judged_store, monkeypatch):
    test = opened(BOARD, judged_store, monkeypatch, collection="runs")
    assert "No human judgments yet." in shown(test)
    assert "Add judgments" in labels(test)
    assert ".st-key-modes, .st-key-modes_by_name" in sentences(test)  # hidden
    assert "Choose at least one" not in shown(test)


def test_agreement_of_what_nobody_judged_asks_for_judgments(two_graders, monkeypatch):
    test = opened("pages/agreement/agreement.py", two_graders, monkeypatch, collection="demo")
    assert "This page compares grades with human judgments. No human judgments yet." in shown(test)
    assert labels(test) & (LACKING | {"Add judgments"}) == {"Add judgments"}


@pytest.mark.parametrize("page", ["home", *thoroughly("grading", "collections")])
def test_what_is_missing_for_more_is_a_list_with_buttons(page, judged_store, monkeypatch):
    test = opened(page, judged_store, monkeypatch, collection="mine")
    assert labels(test) >= LACKING
    assert "Add passage texts and questions first." in shown(test)
    graded = opened(page, judged_store, monkeypatch, collection="graded")
    assert not labels(graded) & LACKING


def test_words_grade_at_once_and_the_board_is_by_these_grades_then(judged_store, tmp_path, monkeypatch):
    own = Path(shutil.copytree(judged_store, tmp_path / "store"))
    job = create_job(Store(own), JobRequest(Order("ready", bank="open"), plan=True))
    write_progress(job, JobProgress(state="done", left=2400))
    judged = opened(BOARD, own, monkeypatch, collection="ready")
    test = opened("pages/home/home.py", own, monkeypatch, collection="ready")
    assert labels(test) >= {
        "Grade by words, at once",
        "Grade here: this machine, about 40 min",
        *(one for one, *_ in OPENED),
    }
    assert "examboard grade ready --bank open" in "\n".join(one.value for one in test.code)
    button(test, "Grade by words, at once").click().run()
    assert graders(Store(own).snapshot("ready")) == ["lexical.pourpre-idf"]
    assert "grades by shared words" in shown(test)
    assert test.session_state["modes"] == ["lexical.pourpre-idf"]
    anew = opened(BOARD, own, monkeypatch, collection="ready")
    assert judged.run().session_state["reference"] == anew.session_state["reference"], (
        "a link is silent on what is usual"
    )


def test_on_grading_words_grade_by_one_click_and_the_others_open_the_form_where_they_are_chosen(
    judged_store, tmp_path, monkeypatch
):
    own = Path(shutil.copytree(judged_store, tmp_path / "store"))
    test = opened("pages/grading/grading.py", own, monkeypatch, "from app.py", collection="ready")

    def asks_an_address():
        return {one.label for one in test.text_input} >= {"Base URL of the server"}

    for label, field, expected in (*OPENED, ("Grade here", "by", False)):
        button(test, label).click().run()
        assert (asks_an_address(), scrolled_to(test)) == (expected, [f"grading_{field}"])
    button(test, "Grade by words, at once").click().run()
    assert graders(Store(own).snapshot("ready")) == ["lexical.pourpre-idf"]
    assert ("grades by shared words" in shown(test), scrolled_to(test)) == (True, ["graded_by_words"])


def test_the_usual_depth_is_that_of_the_collection(judged_store, monkeypatch):
    test = opened(BOARD, judged_store, monkeypatch, collection="mine")
    assert test.number_input(key="depth").value == 10
    test.selectbox(key="collection").set_value("graded").run()
    assert test.number_input(key="depth").value == 20


def test_a_run_that_a_link_names_is_ringed_and_its_rank_is_said(judged_store, monkeypatch):
    test = opened(BOARD, judged_store, monkeypatch, collection="graded", leaderboard_run="lsa-8")
    said = shown(test)
    assert re.search(
        r"lsa-8: tied (8|9|10|11)th of 15 by Lexical match; not ranked officially. It is ringed below.", said
    )
    (trace,) = charts(test)[0].figure["data"]
    ringed = [run for run, width in zip(trace["x"], trace["marker"]["line"]["width"], strict=True) if width]
    assert ringed == ["lsa-8"]


@pytest.mark.parametrize(("page", "view"), list(added("TAKES_GRADES")))
def test_a_view_that_takes_questions_or_grades_has_the_one_button(page, view, judged_store, monkeypatch):
    test = opened(page, judged_store, monkeypatch, collection="mine", **view)
    assert labels(test) & (LACKING | {"Draw a queue"}) == {"Add passage texts"}
