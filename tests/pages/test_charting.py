"""Charts that stay while their figure changes: what is sent, and when Streamlit's own are taken."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from dashboards import charts, opened
from streamlit.testing.v1 import AppTest

from pages.shared import plotly_js

PLOTLY = "window.Plotly=x"


def leaderboard(store: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    return opened("pages/leaderboard.py", store, monkeypatch, collection="demo")


def component(test: AppTest) -> Any:
    return next(element.proto for element in test.get("bidi_component"))


def test_streamlit_has_plotly_where_our_charts_take_it_from() -> None:
    assert (plotly_js.SCRIPTS / (plotly_js.library() or "missing")).is_file()


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"PlotlyChart.a.js": "export default 1"},
        {"PlotlyChart.a.js": PLOTLY, "PlotlyChart.b.js": PLOTLY},
        {"Other.a.js": PLOTLY},
    ],
    ids=["no file", "not global", "two files", "another name"],
)
def test_plotly_is_not_guessed(tmp_path: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    assert plotly_js.library(tmp_path) is None


def test_another_tau_is_another_figure_of_the_same_chart(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = leaderboard(store, monkeypatch)
    before, identity = charts(test)[0].figure, component(test).id
    slider = test.slider(key="tau")
    slider.set_value(slider.value - 1).run()
    assert charts(test)[0].figure["data"] != before["data"]
    assert component(test).id == identity


def test_charts_that_are_clicked_stay_too(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = leaderboard(store, monkeypatch)
    kinds = [len(test.get(kind)) for kind in ("bidi_component", "plotly_chart")]
    name = test.selectbox(key="leaderboard_run").options[0]
    test.selectbox(key="leaderboard_run").select(name).run()
    assert (kinds, [len(test.get(kind)) for kind in ("bidi_component", "plotly_chart")]) == ([1, 0], [2, 0])


def test_without_plotly_every_chart_is_streamlits_own(
    store: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    kept = charts(leaderboard(store, monkeypatch))
    monkeypatch.setattr(plotly_js, "library", partial(plotly_js.library, tmp_path))
    test = leaderboard(store, monkeypatch)
    assert (len(test.get("plotly_chart")), charts(test)[0].figure["data"]) == (1, kept[0].figure["data"])
