"""Figures for a paper: as wide as they are asked for, readable as files, and letter for letter."""

import re
from concurrent.futures import ThreadPoolExecutor
from xml.etree import ElementTree

import pandas as pd
import pytest

from exam_core.analysis.figures import figures_of
from exam_core.charts.chart_layout import ScoreAxis, scale_of
from exam_core.errors import UsageError
from exam_core.reports.part import picture_of, plain_picture
from exam_core.request import Request
from exam_core.store import Store
from exam_core.wings.paper_figures.paper import (
    SETTINGS,
    Sheet,
    leaderboard_file,
    paper_figure,
    pgfplots,
    saved,
    sheet_of,
)

ODD = ["a_b & c%", "<script>", "(round) \\ back", "$x^2$", "bell\x07", "日本"]


def board(names, **columns):
    given = {"run_id": names, "mean": [0.1 * place for place in range(len(names))], "stderr": 0.01}
    rows = pd.DataFrame(given | {"reference_rank": 1.0} | columns)
    return rows.assign(normalised=rows["mean"], normalised_stderr=rows["stderr"])


def figure(names, width=241.0, **columns):
    return paper_figure({"_mode": board(names, **columns)}, names, Sheet(width), scale=ScoreAxis("raw"))


def test_a_width_in_millimetres_is_that_of_the_files(demo_store):
    figures = figures_of(Store(demo_store).snapshot("demo"))
    found = figures.compare(("lexical.pourpre-idf",), Request(bank="open", tau=3))
    picture = picture_of(figures, found, Request(bank="open", tau=3))
    made = {kind: leaderboard_file(picture, kind, sheet_of(84.5, 8)) for kind in ("svg", "pdf", "tex")}
    assert ElementTree.fromstring(made["svg"]).attrib["width"].startswith("239.527")
    assert b"/MediaBox [ 0 0 239.527" in made["pdf"]
    assert b"width=210.7bp" in made["tex"]  # the rest is for the numbers and the title on the left


def test_a_run_without_a_score_and_a_run_that_is_not_ranked_end_a_line():
    boards = {
        "one": board(["a", "b", "c", "d"], reference_rank=[1, 2, 3, None]),
        "two": board(["a", "c", "d"], reference_rank=[1, 2, 3]),
    }
    one, two = (rows for _, rows in paper_figure(boards, ["a", "b", "c", "d"], Sheet(), scale=ScoreAxis("raw")).series)
    assert list(one["y"].fillna(-1).round(1)) == [0, 0.1, 0.2, -1, 0.3]
    assert two["y"].notna().tolist() == [True, False, False, False, True, True]
    assert (one["x"] - one.index == -0.125).all()
    assert list((one["high"] - one["low"]).dropna().round(3)) == [0.02] * 4


def test_a_run_beyond_the_axis_is_a_triangle_at_its_end_with_name_and_number():
    names = [f"r{place}" for place in range(7)]
    boards = {"mode": board(names, mean=[0.8, 0.84, 0.88, 0.92, 0.96, 1.0, 0.0])}
    scale = scale_of(boards, names, "raw")
    made = paper_figure(boards, names, Sheet(), scale=scale)
    assert scale.span is not None
    last = made.series[0][1].iloc[-1]
    assert (last["end"], last["above"], pd.isna(last["y"])) == (scale.span[0], 0, True)
    assert ">r6 0.00</text>" in saved(made, "svg").decode()
    assert f"at (axis cs:6,{scale.span[0]:.6g}) {{r6 0.00}};" in pgfplots(made)


def test_svg_shows_names_letter_for_letter_on_the_sheet():
    root = ElementTree.fromstring(saved(figure(ODD), "svg", ['A "B" <c>']))
    texts = {one.text: one.attrib for one in root.iter() if one.tag.endswith("text")}
    assert {"a_b & c%", "<script>", "(round) \\ back", "$x^2$", "bell ", "日本", "_mode"} <= set(texts)
    assert not [one for one in root.iter() if one.tag.endswith("script")]
    assert """'A "B" <c>', 'STIXGeneral'""" in texts["_mode"]["style"]
    width, height = map(float, root.attrib["viewBox"].split()[2:])
    places = {text: (float(at.get("x", 0)), float(at.get("y", 0))) for text, at in texts.items()}
    assert {text: at for text, at in places.items() if not (0 <= at[0] <= width and 0 <= at[1] <= height)} == {}


def test_pdf_brings_its_font_and_ranks_have_the_best_on_top():
    boards = {"mode": board(ODD, rank=range(1, 7), rank_low=1.0, rank_high=6.0)}
    made = paper_figure(boards, ODD, Sheet(), scale=ScoreAxis("ranks"))
    assert re.search(rb"/FontFile2 .*/FontName /[A-Z]{6}\+STIXGeneral", saved(made, "pdf"), re.DOTALL)
    assert "y dir=reverse" in pgfplots(made)


@pytest.mark.parametrize("kind", ["svg", "pdf"])
def test_equal_figures_are_equal_files_and_leave_nothing_behind(kind, capfd):
    from matplotlib import rcParams

    before = {name: rcParams[name] for name in SETTINGS}
    figures = [figure(ODD) for _ in range(2)]  # not in the threads: pandas sets the warnings of the process there
    with ThreadPoolExecutor(2) as threads:
        made = set(threads.map(lambda drawn: saved(drawn, kind), figures))
    assert (len(made), b"date" in made.pop().lower()) == (1, False)
    assert {name: rcParams[name] for name in SETTINGS} == before
    assert capfd.readouterr() == ("", "")


def test_latex_escapes_what_it_would_act_upon():
    text = pgfplots(figure([*ODD, "a, b"]))
    assert [
        words for words in (r"{a\_b \& c\%}", r"{$<$script$>$}", r"\textbackslash{}", "{a, b}") if words not in text
    ] == []
    assert text.splitlines()[0].startswith("% Scores with standard errors of 7 runs")
    assert r"\usepackage{pgfplots}" in text
    assert (text.count("{"), text.splitlines()[-1]) == (text.count("}"), r"\end{tikzpicture}")


@pytest.mark.parametrize("names", [[], ["one"], [f"run{place}" for place in range(120)]], ids=["none", "one", "many"])
def test_any_number_of_runs_can_be_drawn(names):
    made = figure(names, 170.0, stderr=float("nan"))
    assert ElementTree.fromstring(saved(made, "svg")).attrib["width"] == "170pt"
    assert f"xticklabels={{{','.join(f'{{{name}}}' for name in names)}}}" in pgfplots(made)


def test_other_kinds_are_refused_before_anything_is_drawn(demo_store):
    figures = figures_of(Store(demo_store).snapshot("car-y3-published"))
    with pytest.raises(UsageError, match=r"\.svg, \.pdf, \.tex, not as \.png"):
        leaderboard_file(plain_picture(figures.compare(figures.series(), Request()), None), "png", Sheet())


def test_a_command_writes_the_figure(demo_store, tmp_path):
    from typer.testing import CliRunner

    from exam_core.cli.tree import app

    target = tmp_path / "demo.svg"
    asked = ["--store", str(demo_store), "export", "figure", "demo", str(target), "--bank", "open", "--width", "178"]
    assert CliRunner().invoke(app, [*asked, "--font", "'Linux Libertine O', serif"]).exit_code == 0
    written = target.read_text(encoding="utf-8")
    assert 'width="504.566' in written
    assert "font-family: 'Linux Libertine O', serif, 'STIXGeneral'" in written
