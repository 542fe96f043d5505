"""What mends Streamlit: sessions without a browser, unread files, sending at once, scripts, and the first board."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from exam_core.charts.plotly_code import PLOTLY, plotly_code
from pages.mending import leaving, script_bundle, starting
from pages.mending.leaving import Left, Uploads
from pages.shared import data
from tests.dashboards import ROOT, WAYS, opened


@pytest.fixture
def clock(monkeypatch):
    now = SimpleNamespace(at=0.0)
    monkeypatch.setattr(leaving.time, "monotonic", lambda: now.at)
    return now


def session(name, ended):
    return SimpleNamespace(session=SimpleNamespace(id=name, shutdown=lambda: ended.append(name)))


def test_a_session_whose_browser_does_not_come_back_is_ended(clock):
    left, ended = Left(), list[str]()
    for number, name in enumerate(("a", "b")):
        clock.at = 100.0 * number
        left.save(session(name, ended))
    clock.at = leaving.KEPT
    assert left.end_old() == 1
    assert (ended, [info.session.id for info in left.list()]) == (["a"], ["b"])


def test_a_session_whose_browser_comes_back_goes_on(clock):
    left, ended = Left(), list[str]()
    left.save(session("a", ended))
    assert left.get("a").session.id == "a"
    left.delete("a")
    clock.at = 2 * leaving.KEPT
    left.end_old()
    assert (ended, left.get("a")) == ([], None)


def test_of_too_many_sessions_those_that_left_first_are_ended():
    left, ended = Left(), list[str]()
    for number in range(leaving.MOST + 2):
        left.save(session(str(number), ended))
    assert ended == ["0", "1"]


SWEEPING = """
import gc, sys, threading, weakref
from pages.mending import leaving

class Mine:
    own = None

for frozen in (False, True):
    gc.unfreeze()
    if frozen:
        gc.freeze()  # what there was before
    mine = Mine()
    mine.own = mine
    gone = weakref.ref(mine)
    if frozen:
        gc.freeze()
    del mine
    gc.collect()
    assert (gone() is not None) == frozen
    leaving.sweep()
    assert (gone(), gc.get_freeze_count() > 0) == (None, frozen)
sys.setswitchinterval(1e-5)
sweeping = threading.Thread(target=lambda: [leaving.sweep() for _ in range(9)])
sweeping.start()
while sweeping.is_alive():
    assert tuple(sum(range(50)) for _ in range(20)) == (1225,) * 20
sweeping.join()
"""


def test_a_sweep_frees_what_a_session_left_though_it_is_frozen_and_nothing_that_another_thread_is_making():
    # in a process of its own: this one holds thousands of tests, which each sweep looks through
    done = subprocess.run([sys.executable, "-c", SWEEPING], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def sent(name, data=b"x"):
    return UploadedFileRec(name, f"{name}.run", "", data)


def held(keeper, session="a"):
    return list(keeper.file_storage[session])


@pytest.fixture
def keeper():
    return MemoryUploadedFileManager("/upload")


def test_of_many_files_of_a_session_those_that_came_last_are_kept(keeper, monkeypatch):
    Uploads(keeper)
    monkeypatch.setattr(leaving, "MOST_FILES", 3)
    for number in range(5):
        keeper.add_file(session_id="a", file=sent(str(number)))
    keeper.add_file(session_id="b", file=sent("other"))
    assert (held(keeper), held(keeper, "b")) == (["2", "3", "4"], ["other"])
    monkeypatch.setattr(leaving, "TOGETHER", 100)
    keeper.add_file(session_id="a", file=sent("large", b"x" * 99))
    assert held(keeper) == ["4", "large"]


def test_a_file_that_no_page_reads_is_forgotten_and_another_one_stays(keeper, monkeypatch):
    now = SimpleNamespace(at=0.0)
    monkeypatch.setattr(leaving.time, "monotonic", lambda: now.at)
    files = Uploads(keeper)
    for name in ("read", "unread"):
        keeper.add_file(session_id="a", file=sent(name))
    assert [one.file_id for one in keeper.get_files("a", ["read", "none"])] == ["read"]
    now.at = leaving.UNREAD + 1
    keeper.add_file(session_id="a", file=sent("new"))
    files.end_unread()
    assert held(keeper) == ["read", "new"]
    keeper.remove_session_files("a")
    now.at *= 3
    files.end_unread()
    assert (held(keeper), files._unread) == ([], {})


def accepted(listener):
    """Whether a connection that is accepted now sends at once."""
    with socket.create_connection(listener.getsockname()), listener.accept()[0] as one:
        return one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_connections_that_come_afterwards_send_at_once_and_the_listener_stays_open():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        before = accepted(listener)
        starting.send_at_once()
        assert (before, bool(accepted(listener))) == (0, True)


def test_where_a_process_cannot_see_what_it_has_open_nothing_is_done(monkeypatch):
    monkeypatch.setattr(starting, "OPEN", Path("/none"))
    starting.send_at_once()


PAGE = (Path(st.__file__).parent / "static" / "index.html").read_bytes()


def answered(path, method="GET", kind="text/html", **headers):
    """Status, headers and body; 299 and Streamlit's page in two parts where it is Streamlit that answers."""
    sent = []

    async def app(scope, _receive, send):
        packed = b"accept-encoding" in dict(scope["headers"])
        said = [(b"content-type", kind.encode()), (b"content-length", b"%d" % len(PAGE)), (b"packed", b"%d" % packed)]
        await send({"type": "http.response.start", "status": 200 if path == "/page" else 299, "headers": said})
        await send({"type": "http.response.body", "body": PAGE[:500], "more_body": True})
        await send({"type": "http.response.body", "body": PAGE[500:]})

    async def send(message):
        sent.append(message)

    headers = {"accept_encoding": "gzip"} | headers
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "path": path, "method": method, "headers": pairs}
    asyncio.run(script_bundle.Scripts(app)(scope, None, send))  # type: ignore[arg-type]
    said = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], said, b"".join(part["body"] for part in sent[1:])


def test_our_plotly_is_among_streamlits_scripts():
    status, headers, body = answered(f"/base/static/js/{PLOTLY.name}")
    assert (status, body) == (200, script_bundle.script())
    assert ("javascript" in headers["content-type"], "immutable" in headers["cache-control"]) == (True, True)


def test_streamlits_own_scripts_are_answered_by_streamlit():
    status, _, body = answered(f"/static/js/{next(script_bundle.SCRIPTS.glob('*.js')).name}")
    assert (status, body) == (299, PAGE)


def test_the_page_names_what_the_first_chart_needs_after_what_streamlit_names():
    _, headers, body = answered("/page", sec_fetch_dest="document")
    own = f"<script>{script_bundle.STARTING}</script>".encode()
    named = PAGE.replace(b"</head>", own + b"</head>").replace(b">Streamlit<", b">Examboard<")
    root = f'id="root">{script_bundle.COMING}</div><style>{script_bundle.style()}</style>'.encode()
    assert body == named.replace(b'id="root"></div>', root)
    assert (headers["content-length"], headers["packed"]) == (str(len(body)), "0")
    assert (own.count(b'"BidiComponent.'), own.count(PLOTLY.name.encode())) == (1, 1)


def test_an_answer_that_is_no_page_is_sent_on_as_it_is():
    assert answered("/page", sec_fetch_dest="document", kind="text/plain")[2] == PAGE
    assert answered("/page")[2] == PAGE


def test_the_first_board_is_made_before_anybody_asks(demo_store, monkeypatch):
    monkeypatch.setenv("EXAMBOARD_STORE", str(demo_store))
    asked = []
    before = data.ask
    monkeypatch.setattr(data, "ask", lambda what, *more: asked.append(what.__name__) or before(what, *more))
    with starting.rehearsing():
        pass
    assert (asked[:3], set(asked[3:])) == (["_about", "compare", "standing"], set())
    assert "rehearsal" not in {thread.name for thread in threading.enumerate()}


@pytest.mark.parametrize("what", ["no store", "damaged", "too large"])
def test_where_nothing_can_be_rehearsed_the_server_starts(what, demo_store, tmp_path, monkeypatch):
    broken = tmp_path / "store" / "a" / "imports" / "1-a.json"
    broken.parent.mkdir(parents=True)
    broken.write_text("{", encoding="utf-8")
    places = {"no store": tmp_path / "none", "damaged": tmp_path / "store", "too large": demo_store}
    monkeypatch.setenv("EXAMBOARD_STORE", str(places[what]))
    monkeypatch.setattr(data, "REHEARSED", 0)
    asked = []
    monkeypatch.setattr(data, "ask", lambda *parts: asked.append(parts))
    with starting.rehearsing():
        pass
    assert asked == []


@pytest.mark.parametrize("way", WAYS)
def test_the_browser_meets_a_component_before_all_else(demo_store, monkeypatch, way):
    first = opened("pages/leaderboard/leaderboard.py", demo_store, monkeypatch, way).sidebar[0]
    assert first.proto.component_name == "examboard_frame"


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
