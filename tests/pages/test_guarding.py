"""Whose requests pass, who may do what, and errors that nobody expected; without a server."""

from __future__ import annotations

import asyncio
import re
from types import SimpleNamespace

import pytest
import streamlit as st
from dashboards import opened, sentences
from starlette.datastructures import Headers
from starlette.requests import Request
from streamlit.testing.v1 import AppTest

from exam_core import __version__, rights
from exam_core.errors import Refused
from exam_core.rights import Visitor
from exam_core.secrecy import without_secrets
from pages.shared import guarding, recording, visiting, wings
from tests.wings import added_to

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


def test_where_nobody_signs_in_a_visitor_acts_for_whoever_runs_it(monkeypatch):
    monkeypatch.delenv("EXAMBOARD_ROLES", raising=False)
    assert rights.visitor() is None


@pytest.fixture(params=["a file of roles", "a provider"])
def unable(request, monkeypatch, tmp_path):
    """Signing in is configured, and no wing knows how it is done."""
    found = wings.declared
    monkeypatch.setattr(wings, "declared", lambda name: iter(() if name == "SIGN_IN" else found(name)))
    if request.param == "a file of roles":
        monkeypatch.setenv("EXAMBOARD_ROLES", str(tmp_path / "roles.toml"))
    else:
        monkeypatch.setattr(visiting, "get_secrets_auth_section", lambda: {"client_id": "examboard"})


@pytest.mark.usefixtures("unable")
def test_where_people_should_sign_in_and_cannot_nobody_is_let_in(store, monkeypatch):
    test = opened("pages/grading/grading.py", store, monkeypatch, "from app.py")
    assert (len(test.button), len(test.selectbox), len(test.get("file_uploader"))) == (0, 0, 0)
    assert ["nobody is let in" in one.value for one in test.text] == [True]
    for right in ("read", "review", "edit", None):
        with pytest.raises(Refused):
            rights.require(right)
    with pytest.raises(Refused, match="nobody is let in"):
        visiting.carried(lambda: "a file")()
    assert visiting.upload_refusal("a-session", Request({"type": "http", "headers": []}))


@pytest.fixture
def viewer():
    """Whoever opens a page is a viewer."""
    rights.known_by(lambda: Visitor("bob@example.org", "viewer"))
    yield
    rights.known_by(visiting.who_acts)


PAGES_THAT_WRITE = added_to(
    {"pages/collections/collections.py": "editor", "pages/grading/grading.py": "editor"}, "PAGES_THAT_WRITE"
)
WRITING = {"Import", "Plan", "Start", "Stop", "Go on", "Draw", "Add note", "Begin", "Grade by words", "Pin this view"}


@pytest.mark.usefixtures("viewer")
@pytest.mark.parametrize("page", PAGES_THAT_WRITE)
def test_a_viewer_is_told_which_role_writing_takes_and_is_offered_nothing_that_writes(page, store, monkeypatch):
    test = opened(page, store, monkeypatch, "from app.py", collection="demo")
    assert not test.error
    offered = {one.label for one in test.button if not one.disabled} & WRITING
    assert (offered, len(test.get("file_uploader"))) == (set(), 0)
    assert f"needs the role {PAGES_THAT_WRITE[page]}" in sentences(test)


OWN = {"Host": "127.0.0.1:8501", "Origin": "http://127.0.0.1:8501"}


@pytest.mark.parametrize(
    ("headers", "address", "is_so"),
    [
        (OWN, "127.0.0.1", True),
        ({"Host": "localhost:8501", "Origin": "http://localhost:8501"}, "localhost", True),
        ({"Host": "[::1]:8501", "Origin": "http://[::1]:8501"}, "::1", True),
        (OWN, "0.0.0.0", False),
        (OWN, None, False),
        ({}, "127.0.0.1", False),
        ({"Host": OWN["Host"]}, "127.0.0.1", False),
        (OWN | {"Host": "evil.test:8501"}, "127.0.0.1", False),
        (OWN | {"Origin": "https://board.example.org"}, "127.0.0.1", False),
        (OWN | {"Host": "127.0.0.1.evil.test"}, "127.0.0.1", False),
        (OWN | {"Host": "127.0.0.1@evil.test"}, "127.0.0.1", False),
        (OWN | {"Host": "[::1"}, "127.0.0.1", False),
        *((OWN | {name: "x"}, "127.0.0.1", False) for name in ("X-Forwarded-For", "Forwarded", "Via", "CF-Ray")),
    ],
)
def test_who_opened_a_page_by_another_name_or_a_proxy_is_not_alone(headers, address, is_so, monkeypatch):
    monkeypatch.setattr(visiting.st, "context", SimpleNamespace(headers=Headers(headers)))
    monkeypatch.setattr(visiting.st, "get_option", {"server.address": address}.get)
    assert visiting.is_alone() == is_so
    monkeypatch.setenv("EXAMBOARD_ROLES", "roles.toml")
    assert not visiting.is_alone()


def failing():
    from pages.shared import recording

    try:
        raise KeyError("no such run\n2026-01-01 ERROR 00000000 https://ann:hunter22@host/v1")
    except KeyError as error:
        recording.tell(error)


@pytest.mark.parametrize(
    ("who", "by"),
    [
        (None, "'whoever runs it'"),
        (Visitor("bob@example.org", "viewer"), "'bob@example.org'"),
        (Visitor(), "'nobody who signed in'"),
    ],
    ids=["whoever runs it", "somebody who signed in", "nobody"],
)
def test_an_error_is_recorded_with_page_address_and_user_under_the_id_that_the_page_names(who, by, capsys, monkeypatch):
    monkeypatch.setattr(rights, "_known", lambda: who)
    test = AppTest.from_function(failing)
    test.query_params["collection"] = "demo"
    test.query_params["access_token"] = "told-in-secret"
    test.run()
    (shown,) = test.error
    (name,) = re.findall(r"\*\*error ([0-9a-f]{8})\*\*", shown.value)
    said = capsys.readouterr().err
    head, *lines = said[said.index(f" ERROR {name} ") :].splitlines()
    assert head.startswith(f" ERROR {name} page='Home' address=/?collection=demo&access_token=*** by=")
    assert by in head.partition(" by=")[2]
    assert lines[0] == "  Traceback (most recent call last):"
    # No text of an error looks like another one's beginning.
    assert all(line.startswith("  ") for line in lines)
    assert not {"hunter22", "told-in-secret"} & set(re.split(r"[^\w-]", said))


def test_an_error_before_streamlit_is_answered_with_its_id_and_recorded_without_what_follows_the_question_mark(capsys):
    sent = []

    async def broken(*_):
        raise RuntimeError("no room")

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "path": "/oauth2callback", "query_string": b"code=abc", "method": "GET"}
    scope["headers"] = [(b"host", b"localhost")]
    asyncio.run(guarding.Guard(broken)(scope, None, send))  # type: ignore[arg-type]
    said = capsys.readouterr().err
    (name,) = re.findall(r"error (\w{8}) in the dashboard's log", sent[1]["body"].decode())
    assert (sent[0]["status"], f" ERROR {name} request=GET /oauth2callback\n" in said) == (500, True)
    assert ("RuntimeError: no room" in said, "abc" in said) == (True, False)


def test_a_long_error_is_recorded_without_its_middle(capsys):
    recording.record(ValueError("begins" + "x" * 10**6 + "ends"))
    said = capsys.readouterr().err
    assert ("begins" in said, "ends\n" in said, len(said) < 2 * recording.LONGEST) == (True, True, True)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("GET https://ann:pass@host:80/v1", "GET https://***@host:80/v1"),
        ("Authorization: Bearer abc.def-ghi", "Authorization: Bearer ***"),
        ("with sk-abcdefghijkl and eyJhbGciOi.J9eyJz", "with *** and ***"),
        ("/oauth2callback?code=ab&state=cd&page=1", "/oauth2callback?code=***&state=***&page=1"),
        ("{'cookie': '_streamlit_user=abc'}", "{'cookie': ***"),
        ("keyed by told-in-the-environment!", "keyed by ***!"),
        ("tau=3, state = 2, ann@example.org of key q1", "tau=3, state = 2, ann@example.org of key q1"),
    ],
)
def test_a_log_has_no_secrets(text, rest, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "told-in-the-environment")
    assert without_secrets(text) == rest
