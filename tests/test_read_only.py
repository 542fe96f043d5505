"""Under EXAMBOARD_READ_ONLY=1 nothing in the store's folder is created or changed: by no page, command or notebook."""

import hashlib
import shutil
from pathlib import Path

import pytest
from cli.conftest import examboard as examboard
from cli.test_every_command import READING
from cli.test_every_command import asked as asked
from dashboards import opened, sentences
from thoroughly import thoroughly

import exam_core as eb
from exam_core.errors import Refused
from pages.shared.menu import PAGES
from tests.wings import added, added_to, rows_added

SAID, SAYS = "EXAMBOARD_READ_ONLY", "Nothing can be changed here and no job can start"
MORE_VIEWS = added_to({}, "MORE_VIEWS")


def hashed(folder):
    """Every file and folder by its path: a hash of what it holds, and when it was changed last."""
    return {
        str(path.relative_to(folder)): (
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
            path.stat().st_mtime_ns,
        )
        for path in [folder, *sorted(folder.rglob("*"))]
    }


@pytest.fixture
def kept(own_store, monkeypatch):
    """A copy of the demo with what wings keep, which is shown read-only from now on."""
    for make in added("in_demo"):
        make(own_store)
    monkeypatch.setenv(SAID, "1")
    return own_store


def walk(pages, store, monkeypatch):
    """Open pages of the demo, with their views, and say what each says."""
    said = {}
    for page in pages:
        for query in ({}, *MORE_VIEWS.get(page, ())):
            test = opened(page, store, monkeypatch, "from app.py", collection="demo", **query)
            assert not test.error, page
            said[page] = said.get(page, "") + sentences(test)
    return said


def test_pages_that_can_write_do_not_and_say_why(kept, monkeypatch):
    before = hashed(kept)
    pages = ["pages/collections/collections.py", "pages/grading/grading.py", *MORE_VIEWS]
    assert {page for page, said in walk(pages, kept, monkeypatch).items() if SAYS not in said} == set()
    assert hashed(kept) == before


@pytest.mark.thorough
def test_no_page_changes_anything(kept, monkeypatch):
    before = hashed(kept)
    walk([page.path for page in PAGES], kept, monkeypatch)
    assert hashed(kept) == before


@pytest.mark.thorough
def test_no_command_that_reads_changes_anything(kept, asked, examboard):
    before = hashed(kept)
    for line in [line for lines in READING.values() for line in lines] + ["check"]:
        assert examboard(kept, *asked(line, "demo")).status in (0, 1)
        assert hashed(kept) == before, line


WRITING = (
    "demo",
    "clean",
    "check --repair",
    "alias demo lexical Words",
    "tags demo bm25 words",
    "import undo --collection demo",
    "import run {file} --collection demo",
    "import topics {file} --collection demo",
    "import qrels {file} --collection more",
    "grade demo --bank open --grader lexical",
    *rows_added("WRITING"),
)


def test_commands_that_write_refuse_in_a_sentence(kept, examboard, tmp_path):
    file = tmp_path / "file.txt"
    file.write_text("q1 0 d1 1\n")
    before = hashed(kept)
    for line in WRITING:
        done = examboard(kept, *line.format(file=file).split())
        assert (done.status, done.out, SAYS in done.err) == (1, "", True), (line, done)
        assert hashed(kept) == before, line


def test_a_notebook_imports_nothing(kept):
    before = hashed(kept)
    with pytest.raises(Refused, match=SAYS):
        eb.open(kept)["demo"].import_run({"q1": {"d1": 1.0}}, name="mine")
    assert hashed(kept) == before


EXPORTING = (
    "export run demo {file}",
    "export duckdb {file}",
    "export qrels demo {file} --bank open",
    "export workbench demo {file}",
    "export values demo {file} --bank open --measure P@5",
    *rows_added("EXPORTING"),
)


@pytest.mark.parametrize("line", [EXPORTING[0], EXPORTING[2], *thoroughly(EXPORTING[1], *EXPORTING[3:])])
def test_an_export_into_the_store_is_refused_by_whatever_way_and_one_elsewhere_is_written(
    line, kept, examboard, tmp_path
):
    before = hashed(kept)
    (tmp_path / "link").symlink_to(kept / "demo")
    for place in (kept / "out", kept / "demo" / "rankings" / "0123456789abcdef", tmp_path / "link" / "out"):
        done = examboard(kept, *line.format(file=place).split())
        assert (done.status, done.out) == (1, ""), (line, done)
        assert "shown read-only" in done.err
        assert hashed(kept) == before
    assert examboard(kept, *line.format(file=tmp_path / "out").split()).status == 0


def test_an_export_does_not_replace_a_file_that_is_the_store(kept, examboard, tmp_path):
    shared = tmp_path / "shared.duckdb"
    assert examboard(kept, "export", "duckdb", str(shared)).status == 0
    before = shared.read_bytes()
    done = examboard(shared, "export", "run", "demo", str(shared))
    assert (done.status, "shown read-only" in done.err, shared.read_bytes() == before) == (1, True, True)


def test_an_export_into_another_store_than_the_one_that_is_shown_is_refused(kept, examboard, tmp_path):
    other = Path(shutil.copytree(kept, tmp_path / "other"))
    done = examboard(kept, "export", "run", "demo", str(other / "out.run"))
    assert (done.status, "shown read-only" in done.err, (other / "out.run").exists()) == (1, True, False)
