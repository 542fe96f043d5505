"""Our copy of Plotly: that it is the one that was meant, of the right version, and has all that charts need."""

import hashlib
import re
from pathlib import Path

import plotly
import pytest

from exam_core import charts
from pages.mending import plotly_js

TEXT = plotly_js.OWN.read_text(encoding="utf-8")
BROUGHT = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
PLOTLY = b"window.Plotly=x"


def test_our_copy_is_the_file_that_its_readme_names():
    said = plotly_js.OWN.with_name("README.md").read_text(encoding="utf-8")
    assert hashlib.sha256(plotly_js.OWN.read_bytes()).hexdigest() in said
    assert plotly_js.OWN.name in said


def test_our_copy_has_the_version_of_the_python_packages_own():
    version = r"plotly\.js (?:\(.*?\) )?v(\S+)"
    assert re.findall(version, TEXT[:200]) == re.findall(version, BROUGHT.read_text(encoding="utf-8")[:200])


def test_every_kind_of_trace_that_charts_are_made_of_is_in_our_copy():
    code = "\n".join(path.read_text(encoding="utf-8") for path in Path(charts.__file__).parent.rglob("*.py"))
    made = {name.lower() for name in re.findall(r"\bgo\.([A-Z]\w+)\(", code)} - {"figure"}
    made |= set(re.findall(r'"type": "(\w+)",\s+"(?:x|y|z)"', code))
    known = set(re.findall(r'moduleType:"trace",name:"(\w+)"', TEXT))
    assert {"heatmap", "scatter"} <= made <= known


def test_our_copy_is_sent_as_it_is_after_a_line_for_the_browser():
    line, _, sent = plotly_js.script().decode().partition("\n")
    assert (line[:3], sent) == ("//#", TEXT)


@pytest.mark.parametrize(
    ("files", "more"),
    [
        ({}, []),
        ({"PlotlyChart.a.js": "export default 1", "Other.a.js": PLOTLY.decode()}, []),
        ({"PlotlyChart.a.js": PLOTLY.decode()}, ["PlotlyChart.a.js"]),
    ],
    ids=["no file", "not global, or another name", "Streamlit's own"],
)
def test_streamlits_own_copy_comes_after_ours_where_it_can_be_used(tmp_path, files, more):
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    assert plotly_js.libraries(tmp_path) == [plotly_js.OWN.name, *more]
