"""Figures for a paper: as wide as they are asked for, readable as files, and letter for letter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest

from exam_core.analysis.figures import figures_of
from exam_core.asked import Asked
from exam_core.charts.paper.drawing import Drawing, Words, text_width
from exam_core.charts.paper.drawing import Path as Line
from exam_core.charts.paper.files import pdf, svg
from exam_core.charts.paper.leaderboard import Sheet, paper_leaderboard
from exam_core.charts.scale import Scale, scale_of
from exam_core.errors import UsageError
from exam_core.reports.figures import leaderboard_file, sheet_of, tikz
from exam_core.reports.picture import picture_of, plain_picture
from exam_core.store import Store

ODD = ["a_b & c%", "<script>", "(round) \\ back", "x" * 60, "bell\x07", "日本"]


def board(names: list[str], **columns: object) -> Mapping[str, pd.DataFrame]:
    given = {"run_id": names, "mean": [0.1 * place for place in range(len(names))], "stderr": 0.01}
    rows = pd.DataFrame(given | columns)
    return {"mode_1": rows.assign(normalised=rows["mean"], normalised_stderr=rows["stderr"])}


def drawn(names: list[str], width: float = 241.0, **columns: object) -> Drawing:
    return paper_leaderboard(board(names, **columns), names, Sheet(width), scale=Scale("raw"))


def test_all_that_is_drawn_lies_on_the_sheet() -> None:
    drawing = drawn(ODD)
    points = [point for item in drawing.items if not isinstance(item, Words) for point in item.points]
    assert [(x, y) for x, y in points if not (0 <= x <= drawing.width and 0 <= y <= drawing.height)] == []
    texts = [item for item in drawing.items if isinstance(item, Words)]
    upright = [one for one in texts if one.turned and one.anchor == "end"]
    assert [one.text for one in upright if one.y - text_width(one.text, one.size) < 0] == []
    level = [one for one in texts if one.anchor == "start"]
    assert [one.text for one in level if one.x + text_width(one.text, one.size) > drawing.width] == []


def test_a_width_in_millimetres_is_that_of_the_files(demo_store: Path) -> None:
    figures = figures_of(Store(demo_store).snapshot("demo"))
    found = figures.compare(("lexical.pourpre-idf",), Asked(bank="open", tau=3))
    picture = picture_of(figures, found, Asked(bank="open", tau=3))
    made = {kind: leaderboard_file(picture, kind, sheet_of(84.5, 8)) for kind in ("svg", "pdf", "tex")}
    assert ElementTree.fromstring(made["svg"]).attrib["width"] == "239.53pt"
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ", made["pdf"])
    assert box is not None
    assert box[1] == b"239.53"
    assert made["tex"].count(b"\\draw") > 15


def test_a_mark_stands_at_its_score() -> None:
    drawing = drawn(["low", "middle", "high"], mean=[0.0, 0.5, 1.0], stderr=float("nan"))
    marks = [item for item in drawing.items if not isinstance(item, Words) and item.closed][:3]
    low, middle, high = (sum(y for _, y in one.points) / len(one.points) for one in marks)
    assert middle - low == pytest.approx(high - middle)
    assert low < middle


def test_a_run_without_a_score_leaves_a_gap() -> None:
    whole, gap = (drawn(["a", "b", "c"], mean=means, stderr=float("nan")) for means in ([1, 2, 3.0], [1, None, 3.0]))
    assert len(whole.items) - len(gap.items) == 1  # a mark
    two = {"one": board(["a", "b", "c"])["mode_1"], "two": board(["a", "c"])["mode_1"]}
    lines = []
    for boards in ({**two, "two": two["one"]}, two):
        items = paper_leaderboard(boards, ["a", "b", "c"], Sheet()).items
        lines.append(sum(isinstance(item, Line) and bool(item.dash) for item in items))
    assert lines == [3, 1]  # that of the legend and two between three runs; none leads to a run without a score


def test_a_run_beyond_the_axis_is_a_mark_at_its_end_with_name_and_number() -> None:
    names = [f"r{place}" for place in range(7)]
    boards = board(names, mean=[0.8, 0.84, 0.88, 0.92, 0.96, 1.0, 0.0], reference_rank=1.0)
    drawing = paper_leaderboard(boards, names, Sheet(), scale=scale_of(boards, names, "raw"))
    assert "r6 0.00" in [item.text for item in drawing.items if isinstance(item, Words)]
    marks = [item.points for item in drawing.items if not isinstance(item, Words) and item.closed]
    assert [len(outline) for outline in marks[5:7]] == [24, 3]  # a circle, and a triangle
    assert min(y for _, y in marks[6]) < min(y for outline in marks[:6] for _, y in outline)


def test_svg_is_well_formed_and_shows_names_letter_for_letter() -> None:
    root = ElementTree.fromstring(svg(drawn(ODD), 'A "B" <c>'))
    texts = {element.text for element in root.iter() if element.tag.endswith("text")}
    assert {"a_b & c%", "<script>", "(round) \\ back", "bell ", "日本"} <= texts
    assert not [element for element in root.iter() if element.tag.endswith("script")]


def test_every_object_of_a_pdf_stands_where_its_table_says() -> None:
    made = pdf(drawn(ODD))
    start = int(re.findall(rb"startxref\n(\d+)\n", made)[0])
    places = [int(place) for place in re.findall(rb"(\d{10}) 00000 n", made[start:])]
    assert [made[place:].startswith(b"%d 0 obj" % number) for number, place in enumerate(places, 1)] == [True] * 5
    stream = made.partition(b"stream\n")[2].partition(b"\nendstream")[0]
    assert b"/Length %d " % len(stream) in made
    assert rb"(\(round\) \\ back) Tj" in stream


def test_tikz_escapes_what_latex_would_act_upon() -> None:
    text = tikz(drawn(ODD))
    assert [words for words in (r"{a\_b \& c\%}", r"{$<$script$>$}", r"\textbackslash{}") if words not in text] == []
    assert text.splitlines()[0].startswith("% Scores with standard errors of 6 runs")
    assert (text.count("{"), text.splitlines()[-1]) == (text.count("}"), r"\end{tikzpicture}")


@pytest.mark.parametrize("names", [[], ["one"], [f"run{place}" for place in range(120)]], ids=["none", "one", "many"])
def test_any_number_of_runs_can_be_drawn(names: list[str]) -> None:
    assert ElementTree.fromstring(svg(drawn(names, 170.0))).attrib["width"] == "170pt"


def test_other_kinds_are_refused_before_anything_is_drawn(demo_store: Path) -> None:
    figures = figures_of(Store(demo_store).snapshot("car-y3-published"))
    with pytest.raises(UsageError, match=r"\.svg, \.pdf, \.tex, not as \.png"):
        leaderboard_file(plain_picture(figures.compare(figures.series(), Asked()), None), "png", Sheet())


def test_a_command_writes_the_figure(demo_store: Path, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from exam_core.cli.tree import app

    target = tmp_path / "demo.svg"
    asked = ["--store", str(demo_store), "export", "figure", "demo", str(target), "--bank", "open", "--width", "178"]
    assert CliRunner().invoke(app, asked).exit_code == 0
    assert 'width="504.57pt"' in target.read_text(encoding="utf-8")
