"""Our copy of Plotly: that it is the one that was meant, of the right version, and has all that charts need."""

import hashlib
import re
from pathlib import Path

import plotly

import exam_core
from exam_core.charts.plotly_code import PLOTLY, plotly_code

BROUGHT = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"


def test_our_copy_is_the_file_that_its_readme_names():
    said = PLOTLY.with_name("README.md").read_text(encoding="utf-8")
    assert hashlib.sha256(PLOTLY.read_bytes()).hexdigest() in said
    assert PLOTLY.name in said


def test_our_copy_has_the_version_of_the_python_packages_own():
    version = r"plotly\.js (?:\(.*?\) )?v(\S+)"
    assert re.findall(version, plotly_code()[:200]) == re.findall(version, BROUGHT.read_text(encoding="utf-8")[:200])


def test_every_kind_of_trace_that_charts_are_made_of_is_in_our_copy():
    rooms = Path(exam_core.__file__).parent.rglob("charts/*.py")
    code = "\n".join(path.read_text(encoding="utf-8") for path in rooms)
    made = {name.lower() for name in re.findall(r"\bgo\.([A-Z]\w+)\(", code)} - {"figure"}
    made |= set(re.findall(r'"type": "(\w+)",\s+"(?:x|y|z)"', code))
    known = set(re.findall(r'moduleType:"trace",name:"(\w+)"', plotly_code()))
    assert {"heatmap", "scatter"} <= made <= known
