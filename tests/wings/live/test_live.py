"""`examboard export site`, and `export report` as a live page."""

import base64
import gzip
import re
from pathlib import Path

import pytest
from thoroughly import thoroughly

from exam_core.cli import report_command
from exam_core.store import Store
from exam_core.wings.live import cli, cube
from tests.wings.live.adds import few

LIVE, PRINTED = 'id="choices"', "drawExamboardFigure"


@pytest.fixture(name="few")
def _few(monkeypatch):
    few(monkeypatch)


def test_a_page_opens_with_the_measure_that_is_named_first(demo_store, monkeypatch):
    monkeypatch.setenv("EXAMBOARD_STORE", str(demo_store))
    named = cli.SiteOptions(collections=["demo"], file=Path("x"), measure=["P@20", "Cover@20"])
    plan = cli.plan_of(named, Store(demo_store).snapshot("demo"))
    assert (plan.request.measure, cube.first_of(plan.snapshot, plan.request, plan.axes)["measure"]) == ("P@20", 0)


def unpacked(page):
    """A page with what lies compressed in it."""
    packed = re.findall(r'type="application/gzip" id="(?!plotly)[\w-]+">([^<]*)<', page)
    assert packed
    return page + "".join(gzip.decompress(base64.b64decode(one)).decode() for one in packed)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("command", ["site", *thoroughly("report")])
def test_of_a_run_that_is_left_out_the_file_has_nothing(examboard, demo_store, tmp_path, monkeypatch, command):
    monkeypatch.setattr(cube, "USUAL", ("Cover@20",))
    line = f"export {command} demo {tmp_path / 'r'} --bank open --without bm25-twin-a --without random".split()
    assert examboard(demo_store, *line).status == 0
    text = unpacked((tmp_path / "r").read_text())
    assert [name in text for name in ("bm25-flat", "bm25-twin-a", '"random"')] == [True, False, False]
    assert "We evaluate 13 runs of demo, without 2 runs, on 8 queries" in text
    assert "<dd>demo, without 2 runs, fingerprint " in text


@pytest.mark.usefixtures("few")
def test_a_report_is_the_live_page_that_opens_with_the_choice(examboard, demo_store, tmp_path, monkeypatch):
    monkeypatch.setattr(cube, "USUAL", ("RR",))
    done = examboard(demo_store, *f"export report demo {tmp_path / 'r'} --bank open --measure P@5 --tau 2".split())
    assert done.out.startswith(f"{tmp_path / 'r'}: 6 leaderboards, ")
    text = (tmp_path / "r").read_text()
    assert [LIVE in text, "export report demo r --measure P@5 --bank open --tau 2" in text] == [True, True]
    assert "open P@5 tau=2" in text.partition("<caption>")[2].partition("</caption>")[0]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("demo --bank open --static", ""),
        ("car-y3-published", "no grades or judgments of runs"),
        ("demo --bank open --relevant-from 3", "kappa for a judgment threshold of 1 or 2"),
    ],
)
def test_where_nothing_can_be_chosen_the_report_is_for_print_and_says_why(examboard, demo_store, tmp_path, line, why):
    collection, *options = line.split()
    done = examboard(demo_store, "export", "report", collection, tmp_path / "r", *options)
    assert (done.status, why in done.err, bool(why) == ("for print" in done.err)) == (0, True, True)
    assert [one in (tmp_path / "r").read_text() for one in (LIVE, PRINTED)] == [False, True]


def test_without_a_report_for_print_the_reason_is_the_refusal(examboard, demo_store, tmp_path, monkeypatch):
    monkeypatch.setattr(report_command, "_STATIC", None)
    done = examboard(demo_store, "export", "report", "car-y3-published", tmp_path / "r")
    assert (done.status, "no grades or judgments of runs" in done.err) == (2, True)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.usefixtures("few")
def test_several_collections_make_a_folder_whose_index_leads_to_each(examboard, demo_store, tmp_path, monkeypatch):
    monkeypatch.setattr(cube, "TAUS", (4,))
    for measure in ("P@5", "RR"):  # the second time over the first
        done = examboard(demo_store, "export", "site", "demo", "demo-nuggets", tmp_path / "pages", "--measure", measure)
        assert done.out.startswith(f"{tmp_path / 'pages'}: 2 live pages, ")
    index = (tmp_path / "pages" / "index.html").read_text()
    links = re.findall('href="(.*?)"', index)
    assert links == ["demo.html", "demo-nuggets.html"]
    assert sorted(path.name for path in (tmp_path / "pages").iterdir()) == sorted([*links, "index.html"])
    assert "15 runs, 8 queries, 2 grading modes, 2 leaderboards" in index
    assert [path.name for path in tmp_path.iterdir()] == ["pages"]


@pytest.mark.parametrize("put", ["CNAME", "index.html"])
def test_a_folder_with_what_is_no_live_page_is_left_alone(examboard, demo_store, tmp_path, put):
    (tmp_path / put).write_text("<h1>mine</h1>")
    done = examboard(demo_store, *f"export site demo demo-nuggets {tmp_path} --measure RR".split())
    assert (done.status, f"holds {put}, which this export did not write" in done.err) == (1, True)
    assert [path.name for path in tmp_path.iterdir()] == [put]


@pytest.mark.parametrize(
    ("names", "why"),
    [
        ("demo car-y3-published", "no grades or judgments of runs"),
        ("demo nobody", "nobody"),
        ("demo index", "take another one's place"),
        ("demo Demo", "take another one's place"),
    ],
)
def test_nothing_is_written_where_one_of_several_can_not_be(examboard, demo_store, tmp_path, names, why):
    done = examboard(demo_store, "export", "site", *names.split(), tmp_path / "pages")
    assert (done.status != 0, why in done.err, [*tmp_path.iterdir()]) == (True, True, [])


def test_a_folder_is_not_printed(examboard, demo_store):
    done = examboard(demo_store, *"export site demo demo-nuggets - --measure RR".split())
    assert (done.status, "Name a folder" in done.err) == (2, True)


@pytest.mark.usefixtures("few")
def test_a_page_says_how_it_was_made_and_how_large_it_is_and_another_of_the_same_data_is_the_same(
    examboard, demo_store, tmp_path
):
    texts = []
    for name in ("one", "two"):
        (file := tmp_path / name / "a page.html").parent.mkdir()
        done = examboard(demo_store, "export", "site", "demo", file, *"--measure P@5 --bank open --passages".split())
        assert done.status == 0, done.err
        texts.append(file.read_text())
    assert "3 leaderboards, " in done.out
    assert " MB" in done.out
    assert "examboard export site demo &#x27;a page.html&#x27; --measure P@5 --bank open --passages" in texts[0]
    assert texts[0].count('id="passages-') > 8
    assert texts[0] == texts[1]
