"""The guard in front of the dashboard: whose requests pass, without a server."""

import asyncio

import pytest
import streamlit as st

from exam_core import __version__
from pages.shared import guarding

LINK = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}


def refusal(path="/", method="GET", kind="http", **headers):
    """Why a request is refused; empty where it is not."""
    sent = {"host": "127.0.0.1:8501"} | {name.replace("_", "-"): value for name, value in headers.items()}
    pairs = [(name.encode(), value.encode("latin-1")) for name, value in sent.items()]
    return guarding.refusal({"type": kind, "path": path, "method": method, "headers": pairs})


def finish(waiting):
    """Run what waits for nothing to its end, without a loop: the browser's tests may have one in this thread."""
    with pytest.raises(StopIteration):
        waiting.send(None)


@pytest.fixture
def option(monkeypatch):
    """Sets options of Streamlit's configuration, as another configuration would."""
    known = {}
    before = st.get_option
    monkeypatch.setattr(st, "get_option", lambda name: known.get(name, before(name)))
    return known.update


HERE = ["localhost", "LOCALHOST:8501", "localhost.", "127.0.0.1", "127.0.0.1:8501", "[::1]:8501", "localhost:9000"]
ELSEWHERE = [
    *["evil.test", "localhost.evil.test", "evil-localhost", "127.0.0.1.evil.test", "127.0.0.2", "0.0.0.0", "[::]"],
    *["", ":8501", "localhost:99999", "localhost:x", "me@localhost", "localhost/x", "localhost?x"],
    *["localhost#x", "localhost\\x", "local host", "[::1", "::1", "2130706433", "127.1", "127.0.0.1,evil.test"],
]


@pytest.mark.parametrize("named", [True, False], ids=["hosts of the configuration", "no hosts configured"])
@pytest.mark.parametrize("host", HERE)
def test_names_of_this_machine_are_served_through_tunnels_too(host, named, option):
    option({} if named else {"server.allowedHosts": []})
    assert refusal(host=host) == ""


@pytest.mark.parametrize("named", [True, False], ids=["hosts of the configuration", "no hosts configured"])
@pytest.mark.parametrize("host", ELSEWHERE)
def test_other_names_are_refused_in_a_sentence(host, named, option):
    option({} if named else {"server.allowedHosts": []})
    assert "can allow that name in server.allowedHosts" in refusal(host=host)
    assert refusal("/_stcore/stream", kind="websocket", host=host)


def test_a_request_names_one_host(option):
    option({"server.allowedHosts": ["*"]})
    for hosts in ([], ["a", "b"]):
        pairs = [(b"host", host.encode()) for host in hosts]
        assert guarding.refusal({"type": "http", "path": "/", "method": "GET", "headers": pairs})


@pytest.mark.parametrize(
    ("allowed", "host", "served"),
    [
        ("board.example", "Board.Example:443", True),
        ("board.example", "localhost", False),
        ("*.example", "board.example", True),
        ("*.example", "example", False),
        ("*.example", "boardexample", False),
        ("*", "any.thing", True),
    ],
)
def test_the_configuration_names_what_is_served(allowed, host, served, option):
    option({"server.allowedHosts": [allowed]})
    assert (refusal(host=host) == "") == served


def test_another_origin_passes_where_the_configuration_names_it(option):
    assert refusal(origin="https://board.example")
    option({"server.corsAllowedOrigins": ["https://board.example"]})
    assert refusal(origin="https://board.example") == ""
    assert refusal(origin="http://board.example")


@pytest.mark.parametrize(
    "sent",
    [
        {"sec_fetch_site": "same-origin", "sec_fetch_mode": "cors", "sec_fetch_dest": "empty"},
        {"sec_fetch_site": "none", "sec_fetch_mode": "navigate", "sec_fetch_dest": "document"},
        {"origin": "http://127.0.0.1:8501", "sec_fetch_site": "same-origin"},
        {},
    ],
)
def test_the_dashboards_own_requests_pass(sent):
    for path in ("/", "/grading", "/media/a", "/_stcore/upload_file/a/b"):
        assert refusal(path, "GET" if "origin" not in sent else "PUT", **sent) == ""


def test_a_link_leads_to_a_page_and_to_nothing_else(option):
    assert refusal("/grading", **LINK) == ""
    assert refusal("/grading", "POST", **LINK)
    for path in ("/media/a", "/_stcore/health", "/component/a"):
        assert refusal(path, **LINK)
    option({"server.baseUrlPath": "board"})
    assert refusal("/board/grading", **LINK) == ""
    assert refusal("/board/media/a", **LINK)


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("dest", ["iframe", "frame", "embed", "object", "image", "script", "empty"])
def test_other_pages_embed_nothing(site, dest):
    assert refusal("/", **(LINK | {"sec-fetch-site": site, "sec-fetch-dest": dest}))


def test_what_is_let_in_is_passed_on_untouched():
    """Neither bodies nor a websocket's messages go through our hands."""
    passed = []

    async def app(*parts):
        passed.append(parts)

    async def nothing(*_): ...

    for kind in ("websocket", "lifespan"):
        scope = {"type": kind, "path": "/", "headers": [(b"host", b"localhost")]}
        finish(guarding.Guard(app)(scope, nothing, nothing))
        assert passed.pop() == (scope, nothing, nothing)


@pytest.mark.parametrize("headless", [True, False])
def test_the_browser_opens_where_the_server_is_not_headless(headless, option, monkeypatch):
    went = []
    monkeypatch.setattr(guarding, "open_browser", went.append)
    option({"server.headless": headless})

    async def serve():
        async with guarding.opened(None):  # type: ignore[arg-type]
            pass

    asyncio.run(serve())
    assert [url.startswith("http://127.0.0.1:") for url in went] == ([] if headless else [True])


def answered(path, method="GET", **headers):
    """Status and body of an answer that the guard gives itself, or 299 where it passes the request on."""
    sent = []

    async def app(_scope, _receive, send):
        await send({"type": "http.response.start", "status": 299, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def send(message):
        sent.append(message)

    pairs = [(name.encode(), value.encode()) for name, value in ({"host": "localhost"} | headers).items()]
    scope = {"type": "http", "path": path, "method": method, "headers": pairs}
    finish(guarding.Guard(app)(scope, None, send))  # type: ignore[arg-type]
    return sent[0]["status"], sent[1]["body"]


@pytest.mark.parametrize(
    "path", ["/_stcore/metrics", "/_stcore/metrics/", "/_stcore/agent/interact", "/_stcore/agent/mcp"]
)
@pytest.mark.parametrize("base", ["", "/board"])
def test_what_nobody_needs_is_not_there(path, base):
    assert answered(base + path, "POST")[0] == 404


def test_files_are_taken_where_data_may_be_changed(monkeypatch):
    monkeypatch.delenv("EXAMBOARD_ROLES", raising=False)
    assert answered(f"{guarding.UPLOADS}any/a-file", "PUT")[0] == 299
    monkeypatch.setenv("EXAMBOARD_READ_ONLY", "1")
    assert answered(f"{guarding.UPLOADS}any/a-file", "PUT")[0] == 403


@pytest.mark.parametrize("is_there", [True, False])
def test_a_monitor_hears_of_version_and_store_and_of_nothing_in_it(is_there, store, monkeypatch, tmp_path):
    broken = tmp_path / "file.duckdb"
    broken.write_bytes(b"not a store")
    monkeypatch.setenv("EXAMBOARD_STORE", str(store if is_there else broken))
    told = guarding.health()
    assert told == {"version": __version__, "store": "readable" if is_there else "not readable"}
