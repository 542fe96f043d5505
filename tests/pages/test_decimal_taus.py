"""Pages of grades with decimals: a grading mode has a box of its own, whose tau need not be a whole number."""

from pathlib import Path

import pytest
from analysis.worlds import decimal_world
from dashboards import opened, sentences, table
from streamlit.testing.v1 import AppTest

from exam_core.analysis.choosing import choose
from exam_core.analysis.leaderboard import leaderboard
from exam_core.request import Request
from exam_core.store import Store
from pages.shared.menu import PAGES

LEADERBOARD = "pages/leaderboard/leaderboard.py"
OF_LABELS = {"bank": "genq", "modes": ["labels"], "measure": "P", "depth": "5", "tau_labels": "1.5", "scores": "raw"}


@pytest.fixture(scope="module")
def exact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("exact")
    decimal_world(path)
    return path


def said_of(test: AppTest) -> str:
    """The sentences without the backslashes of Markdown."""
    return sentences(test).replace("\\", "")


def test_the_leaderboard_is_that_of_the_command_and_the_box_moves_by_halves(
    exact: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = opened(LEADERBOARD, exact, monkeypatch, **OF_LABELS)
    box = test.number_input(key="tau_labels")
    assert (box.value, box.step, box.max) == (1.5, 0.5, 2)
    assert "P@5, tau = 1.5<" in said_of(test)
    snapshot = Store(exact).snapshot("world")
    board = leaderboard(snapshot, choose(snapshot, Request("P@5", grader="labels", tau=1.5, depth=5)))
    shown = table(test, "mean").set_index("run_id")["mean"]
    assert board.rows.set_index("run_id")["mean"].to_dict() == pytest.approx(shown.to_dict())
    box.set_value(2.0).run()
    assert "P@5, tau = 2<" in said_of(test)


@pytest.mark.parametrize(
    "page", [page.path for page in PAGES if "tau" in page.of_grades.split() and page.path != LEADERBOARD]
)
def test_every_page_takes_such_a_tau(page: str, exact: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = opened(page, exact, monkeypatch, **OF_LABELS)
    assert len(sentences(test)) > 0


def test_the_slider_of_the_first_page_moves_by_halves(exact: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = opened(PAGES[0].path, exact, monkeypatch, **OF_LABELS)
    slider = test.slider(key="home_tau_labels")
    assert (slider.value, slider.step, slider.max) == (1.5, 0.5, 2)
    slider.set_value(0.5).run()
    assert test.number_input(key="tau_labels").value == 0.5


def test_what_is_no_tau_in_an_address_is_named(exact: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = opened(LEADERBOARD, exact, monkeypatch, **OF_LABELS | {"tau_labels": "7.5"})
    assert "There is no tau of labels (grades 0-2) 7.5; shown is 1." in said_of(test)
