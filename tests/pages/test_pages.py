"""Pages under Streamlit's AppTest, alone and from app.py, on real small data."""

from pathlib import Path

import pytest
from dashboards import charts
from streamlit.testing.v1 import AppTest

from exam_core.formats.labels import read_labels
from exam_core.formats.reading import Reading
from exam_core.formats.trec import read_qrels, read_run
from exam_core.store import Store

ROOT = Path(__file__).parents[2]
SECONDS = 60


def opened(file: str, store: Path, monkeypatch: pytest.MonkeyPatch, **query: str) -> AppTest:
    monkeypatch.setenv("EXAMBOARD_STORE", str(store))
    monkeypatch.chdir(ROOT)
    test = AppTest.from_file(str(ROOT / file), default_timeout=SECONDS)
    for name, value in query.items():
        test.query_params[name] = value
    return test.run()


def shown(test: AppTest) -> str:
    """All sentences of the page."""
    return "\n".join(str(element.value) for kind in ("markdown", "info", "caption") for element in test.get(kind)) + (
        "\n".join(element.proto.body for element in test.get("html"))
    )


def test_a_collection_without_grades_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.qrels").write_text("q1 0 d1 2\n")
    reading = read_qrels(tmp_path / "x.qrels", qrels_id="official")
    Store(tmp_path / "store").commit("bare", reading, source="test")
    assert "There are no runs to rank." in shown(
        opened("pages/leaderboard/leaderboard.py", tmp_path / "store", monkeypatch)
    )


def test_a_run_name_is_shown_letter_for_letter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.run").write_text("q1 Q0 d1 1 2.0 <b>*bold*</b>\n")
    (tmp_path / "x.qrels").write_text("q1 0 d1 2\n")
    run = read_run(tmp_path / "x.run")
    judged = read_qrels(tmp_path / "x.qrels", qrels_id="official")
    store = Store(tmp_path / "store")
    store.commit("odd", Reading(run.frames | judged.frames), source="test")
    store.commit("odd", read_labels(tmp_path / "x.qrels", grader_id="Sun"), source="labels")
    test = opened("pages/leaderboard/leaderboard.py", tmp_path / "store", monkeypatch, measure="P")
    assert "&lt;b&gt;*bold*" in str(charts(test)[0].figure)


def test_cover_of_a_grader_of_passages_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.run").write_text("q1 Q0 d1 1 2.0 a\n")
    (tmp_path / "x.qrels").write_text("q1 0 d1 1\n")
    store = Store(tmp_path / "store")
    store.commit("labels", read_run(tmp_path / "x.run"), source="run")
    store.commit("labels", read_labels(tmp_path / "x.qrels", grader_id="Sun"), source="labels")
    said = shown(opened("pages/leaderboard/leaderboard.py", tmp_path / "store", monkeypatch))
    assert "Sun labels whole passages: it has no questions, which this measure needs." in said
