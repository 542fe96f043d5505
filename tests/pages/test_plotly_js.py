"""How the browser gets our copy of Plotly, and what it takes where that can't be had."""

import pytest

from exam_core.charts.plotly_code import PLOTLY, plotly_code
from pages.mending import script_bundle

GLOBAL = b"window.Plotly=x"


def test_our_copy_is_sent_as_it_is_after_a_line_for_the_browser():
    line, _, sent = script_bundle.script().decode().partition("\n")
    assert (line[:3], sent) == ("//#", plotly_code())


@pytest.mark.parametrize(
    ("files", "more"),
    [
        ({}, []),
        ({"PlotlyChart.a.js": "export default 1", "Other.a.js": GLOBAL.decode()}, []),
        ({"PlotlyChart.a.js": GLOBAL.decode()}, ["PlotlyChart.a.js"]),
    ],
    ids=["no file", "not global, or another name", "Streamlit's own"],
)
def test_streamlits_own_copy_comes_after_ours_where_it_can_be_used(tmp_path, files, more):
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    assert script_bundle.libraries(tmp_path) == [PLOTLY.name, *more]
