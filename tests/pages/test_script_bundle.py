"""Scripts that are named early, and the first board that is made for nobody."""

import asyncio
import threading
from pathlib import Path

import pytest
import streamlit as st

from exam_core.charts.plotly_code import PLOTLY
from pages.mending import script_bundle, starting
from pages.shared import data
from tests.dashboards import WAYS, opened

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
