"""`examboard open`: the dashboard from wherever one is."""

import os
import platform
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from threading import Thread

import pytest
from visitors import Seen, visiting

from benchmarks.dashboard import free_port
from exam_core.cli import keeping_errors, open_command
from exam_core.errors import ExamboardError

ROOT = Path(__file__).parents[2]
IS_GLIBC = platform.libc_ver()[0] == "glibc"


@pytest.fixture
def taken():
    """A port that somebody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        one.listen()
        yield one.getsockname()[1]


def test_it_serves_the_collection_from_any_folder_opens_the_browser_and_leaves_nothing_behind(demo_store, tmp_path):
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}.part && mv {opened}.part {opened}\n', encoding="utf-8")
    browser.chmod(0o755)
    (tmp_path / "mine").symlink_to(demo_store)
    said = os.environ | {"BROWSER": str(browser), "PYTHONPATH": str(ROOT), "EXAMBOARD_STORE": "mine"}
    said.pop("MALLOC_ARENA_MAX", None)
    command = [sys.executable, "-m", "exam_core", "open", "demo"]
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=tmp_path, env=said, text=True, **pipe) as process:
        address = process.stdout.readline().removeprefix("Examboard: ").strip()
        assert process.stdout.readline() == f"Store: {tmp_path / 'mine'}\n"
        with urllib.request.urlopen(address, timeout=60) as page:
            assert page.status == 200
        process.stdout.readline()
        while not opened.exists():
            assert process.poll() is None
            time.sleep(0.01)
        heaps = _heaps_of_threads(_server_of(process)) if IS_GLIBC else 0
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 0
    assert heaps == 0, "threads of the server share one heap"
    assert errors.endswith("\nThe dashboard has ended.\n")  # before it may stand that somebody took the port
    assert opened.read_text(encoding="utf-8").strip() == address
    assert address.endswith("/?collection=demo")
    with socket.socket() as one, pytest.raises(ConnectionRefusedError):
        one.connect(("127.0.0.1", int(address.split(":")[2].split("/")[0])))


class Welcoming(BaseHTTPRequestHandler):
    """Has a page at every address, as Streamlit has."""

    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_said):
        """Say nothing."""


@pytest.fixture
def outrun(monkeypatch):
    """The first port that is tried: it is free, but another server answers there before ours begins."""
    port, start = free_port(), open_command._start
    monkeypatch.setattr(open_command, "PORT", port)
    with ExitStack() as others:

        def late(*said):
            monkeypatch.setattr(open_command, "_start", start)
            other = others.enter_context(ThreadingHTTPServer((open_command.HOST, port), Welcoming))
            others.callback(other.shutdown)
            Thread(target=other.serve_forever).start()
            return start(*said)

        monkeypatch.setattr(open_command, "_start", late)
        yield port


ANSWERING = """
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
class Answers(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(204)
        self.end_headers()
port = int(sys.argv[sys.argv.index("--server.port") + 1])
try:
    HTTPServer(("127.0.0.1", port), Answers).serve_forever()
except OSError:
    sys.exit(f"Port {port} is not available")
"""
"""In place of Streamlit, which takes seconds to begin, and says the same of a port that is not free."""


def test_where_another_server_was_quicker_ours_takes_the_next_port(tmp_path, outrun, capfd, monkeypatch):
    (tmp_path / "app.py").touch()
    (tmp_path / "streamlit.py").write_text(ANSWERING, encoding="utf-8")
    monkeypatch.setattr(open_command, "HOME", tmp_path)
    options = {"server.address": open_command.HOST}
    with open_command._serving(None, tmp_path / "store", options, {}) as (server, port):
        assert server.poll() is None
        assert port > outrun
    assert f"Port {outrun} is not available\n" in capfd.readouterr().err


def test_where_another_server_was_quicker_on_the_port_that_is_asked_for_it_is_not_taken_for_ours(demo_store, outrun):
    with pytest.raises(ExamboardError, match="The dashboard could not start"):
        open_command._serving(outrun, demo_store, {"server.address": open_command.HOST}, {}).__enter__()


def _server_of(process):
    """The process that a command started first; after it comes the browser."""
    return int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii").split()[0])


def _heaps_of_threads(process):
    """How many heaps glibc made beside the first: 64 MiB each, at a multiple of that, of which the end is not used."""
    size, found = 1 << 26, 0
    lines = [line.split() for line in Path(f"/proc/{process}/maps").read_text(encoding="utf-8").splitlines()]
    areas = [(*(int(end, 16) for end in area.split("-")), allowed) for area, allowed, *_ in lines]
    for (start, middle, used), (after, end, unused) in pairwise(areas):
        found += start % size == 0 and middle == after and end == start + size and (used, unused) == ("rw-p", "---p")
    return found


@pytest.mark.thorough
@pytest.mark.skipif(not IS_GLIBC, reason="another C library than glibc")
def test_threads_of_the_server_have_heaps_of_their_own_where_somebody_says_so(demo_store):
    command = [sys.executable, "-m", "exam_core", "--store", str(demo_store), "open", "--no-browser"]
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, cwd=ROOT, env=os.environ | {"MALLOC_ARENA_MAX": "8"}, text=True, **pipe) as process:
        process.stdout.readline()
        heaps = _heaps_of_threads(_server_of(process))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
    assert heaps > 1


@pytest.mark.parametrize(
    ("given", "query"),
    [(["mydata"], "leaderboard?collection=mydata"), (["mydata/x.qrels", "mydata/topics.tsv"], "?collection=mydata")],
    ids=["a folder", "files without a run"],
)
def test_a_folder_or_files_are_imported_and_shown(examboard, tmp_path, monkeypatch, given, query):
    folder = tmp_path / "mydata"
    folder.mkdir()
    for name, text in {"a.run": "q1 Q0 d1 1 2 a\n", "x.qrels": "q1 0 d1 2\n", "topics.tsv": "q1\twhy is it\n"}.items():
        (folder / name).write_text(text, encoding="utf-8")
    asked = []
    monkeypatch.setattr(open_command, "run", lambda _port, store, query, **_options: asked.append((store, query)))
    monkeypatch.chdir(tmp_path)
    examboard(tmp_path / "store", "open", *given)
    examboard(tmp_path / "store", "open", "mydata")  # the collection by now
    assert asked == [(tmp_path / "store", query), (tmp_path / "store", "?collection=mydata")]


def test_an_exported_file_is_opened_as_the_store(examboard, demo_store, tmp_path, monkeypatch):
    examboard(demo_store, "export", "duckdb", tmp_path / "shared.duckdb", "--collection", "dl19-published")
    asked = []
    monkeypatch.setattr(open_command, "run", lambda _port, store, query, **_options: asked.append((store, query)))
    examboard(tmp_path / "store", "open", tmp_path / "shared.duckdb")
    assert asked == [(tmp_path / "shared.duckdb", "")]


def test_a_collection_that_is_not_there_is_said_before_anything_starts(examboard, demo_store):
    done = examboard(demo_store, "open", "dl99")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("There is no collection dl99. There are: car-y3-published, demo,")


def test_a_port_that_is_asked_for_and_taken_is_refused_in_a_sentence(examboard, demo_store, taken):
    done = examboard(demo_store, "open", "--port", taken)
    assert (done.status, done.out) == (2, "")
    assert done.err == f"--port {taken}: another program listens on it, or it may not be used.\n"


def test_without_a_port_the_next_free_one_is_taken(monkeypatch, taken):
    monkeypatch.setattr(open_command, "PORT", taken)
    assert taken < open_command._free_port(None, open_command.HOST) < taken + open_command.TRIED


def test_an_installation_without_the_dashboard_says_how_to_get_it(examboard, demo_store, monkeypatch, tmp_path):
    monkeypatch.setattr(open_command, "HOME", tmp_path)
    done = examboard(demo_store, "open")
    assert (done.status, done.out) == (1, "")
    assert "this installation has the command line alone" in done.err


def test_a_server_that_ends_at_once_is_said_to(examboard, demo_store, monkeypatch, tmp_path):
    (tmp_path / "app.py").touch()
    (tmp_path / "streamlit.py").write_text("raise SystemExit(3)", encoding="utf-8")
    monkeypatch.setattr(open_command, "HOME", tmp_path)
    done = examboard(demo_store, "open", "--no-browser")
    assert (done.status, done.out) == (1, "")
    assert done.err == "The dashboard could not start (exit status 3); see above.\n"


@pytest.mark.parametrize("name", ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"])
def test_on_linux_a_browser_is_opened_only_where_it_has_a_window(name, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    assert open_command._has_screen({name: ":0"})
    assert not open_command._has_screen({"TERM": "xterm"})


BROKEN = """import streamlit as st
if __name__ == "__main__":
    raise RuntimeError("this page is broken")
else:
    from pages.shared import guarding, recording
    app = st.App(__file__, middleware=guarding.MIDDLEWARE, lifespan=guarding.opened, on_script_error=recording.tell)
"""


def test_an_error_of_a_page_is_in_the_log_that_is_named_under_the_id_that_the_page_shows(tmp_path, monkeypatch, capsys):
    (tmp_path / "app.py").write_text(BROKEN, encoding="utf-8")
    (tmp_path / ".streamlit").symlink_to(ROOT / ".streamlit")
    monkeypatch.setattr(open_command, "HOME", tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    seen, store = Seen(), tmp_path / "store"
    with open_command._serving(None, store, {"server.address": open_command.HOST}, {}) as (_, port):
        file = store / ".logs" / f"dashboard-{port}.log"
        assert not file.exists()  # nothing is written where nothing went wrong
        with visiting(port, "tau=3", "", seen):
            (shown,) = seen.errors
    (name,) = re.findall(r"\*\*error (\w{8})\*\*", shown)
    kept = file.read_text(encoding="utf-8")
    assert f" ERROR {name} page='Home' address=/?tau=3 by=" in kept
    assert "  RuntimeError: this page is broken\n" in kept
    assert (kept in capsys.readouterr().err, file.stat().st_mode & 0o077) == (True, 0)


def kept(said, path):
    """Let somebody say something, and keep it."""
    out, into = os.pipe()
    keeping = keeping_errors.Keeping(os.fdopen(out, "rb"), path)
    keeping.start()
    with os.fdopen(into, "wb") as line:
        line.write(said)
    keeping.join()


def test_the_log_does_not_grow_and_has_no_secrets(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(keeping_errors, "LARGEST", 1000)
    monkeypatch.setenv("OPENAI_API_KEY", "told-in-the-environment")
    kept(b"".join(b"line %d of told-in-the-environment\n" % place for place in range(500)), tmp_path / "a" / "log")
    files = sorted((tmp_path / "a").iterdir())
    assert [path.name for path in files] == ["log", "log.1", "log.2", "log.3"]
    assert all(path.stat().st_size <= 1000 for path in files)
    assert files[0].read_text().endswith("line 499 of ***\n")
    assert capsys.readouterr().err.startswith("line 0 of ***\nline 1 of ***\n")


def test_a_log_that_cannot_be_kept_is_said_once_and_stops_nothing(tmp_path, capsys):
    (tmp_path / "file").touch()
    kept(b"one\ntwo\n", tmp_path / "file" / "log")
    assert capsys.readouterr().err == f"one\n{tmp_path}/file/log: errors can't be kept here (File exists).\ntwo\n"


def test_no_log_is_kept_in_a_store_that_is_read_only(tmp_path):
    assert open_command._errors_file(tmp_path, 8501, {"EXAMBOARD_READ_ONLY": "1"}) is None
