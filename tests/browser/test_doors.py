"""Nobody else works the dashboard: no other name, no page of another site, no frame; in a real browser and by hand."""

import socket
import threading
import urllib.error
import urllib.request
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest
from browser.dashboard import open_page, shaken, soon
from playwright.sync_api import expect
from thoroughly import thoroughly

from benchmarks.dashboard import serving
from pages.shared.help_texts import HOME

pytestmark = pytest.mark.browser
REFUSED, OPENED = "403", "101"
REFUSED_PAGE = "chrome-error://chromewebdata/"
SENTENCE = "This dashboard is not served under the name"
TRY_WEBSOCKET = """url => new Promise(resolve => {
    const socket = new WebSocket(url, ["streamlit"]);
    socket.onopen = () => resolve("open");
    socket.onerror = () => resolve("refused");
})"""
PATHS = ["/", "/leaderboard", "/_stcore/health", "/_stcore/host-config", "/media/no-such-file", "/no-such-page"]


def asked(url, method="GET", **headers):
    """Status and headers of an answer."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=sent, method=method)) as answer:
            return answer.status, dict(answer.headers)
    except urllib.error.HTTPError as error:
        return error.code, dict(error.headers)


def handshake(url, origin, host=None):
    """The status that a websocket's handshake gets."""
    here = urlsplit(url)
    with socket.create_connection((here.hostname, here.port), timeout=20) as line:
        return shaken(line, host or here.netloc, origin)


@contextmanager
def another_site(page):
    """The address of another server of this machine that serves a page."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *_args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as site:
        threading.Thread(target=site.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{site.server_port}"
        site.shutdown()


def port(server):
    return urlsplit(server.url).port or 0


# In a real browser, for which evil.test is this machine


def test_a_web_site_whose_name_leads_here_sees_and_works_nothing(page, server):
    here = f"evil.test:{port(server)}"
    answer = page.goto(f"http://{here}/grading?collection=demo")
    assert answer is not None
    assert answer.status == 403
    assert f"{SENTENCE} '{here}'" in answer.text()
    assert page.evaluate(TRY_WEBSOCKET, f"ws://{here}/_stcore/stream") == "refused"
    for path in PATHS:
        assert page.evaluate("async path => (await fetch(path)).status", path) == 403


@pytest.mark.parametrize("name", ["evil.test", "127.0.0.1", "localhost"])
def test_a_page_of_another_server_opens_no_websocket(page, server, name):
    with another_site("a page") as site:
        page.goto(site.replace("127.0.0.1", name))
        assert page.evaluate(TRY_WEBSOCKET, f"{server.url}/_stcore/stream".replace("http", "ws")) == "refused"


@pytest.mark.parametrize("name", ["evil.test", *thoroughly("127.0.0.1")])
def test_a_page_of_another_server_cannot_frame_the_dashboard(page, server, name):
    with another_site(f"<iframe src='{server.url}/grading?collection=demo&embed=true'></iframe>") as site:
        page.goto(site.replace("127.0.0.1", name))
        assert soon(page, lambda: page.frames[1].url, REFUSED_PAGE.__eq__) == REFUSED_PAGE
        expect(page.frame_locator("iframe").get_by_test_id("stApp")).to_have_count(0)


def test_a_link_of_another_site_opens_the_dashboard_also_by_the_other_name_of_this_machine(page, server):
    with another_site(f"<a href='http://localhost:{port(server)}/grading?collection=demo'>a link</a>") as site:
        page.goto(site.replace("127.0.0.1", "evil.test"))
        page.get_by_text("a link").click()
        page.get_by_role("heading", name="Grading", level=1).wait_for()


# By hand


@pytest.mark.parametrize(
    ("origin", "host", "status"),
    [
        ("http://localhost:{port}", "localhost:{port}", OPENED),
        ("http://[::1]:{port}", "[::1]:{port}", OPENED),
        (None, "127.0.0.1:{port}", OPENED),
        ("http://localhost:3000", "localhost:{port}", REFUSED),
        ("http://127.0.0.1:{port}", "localhost:{port}", REFUSED),
        ("https://evil.test", "127.0.0.1:{port}", REFUSED),
        ("http://evil.test:{port}", "evil.test:{port}", REFUSED),
        ("http://127.0.0.1:{port}", "evil.test:{port}", REFUSED),
        ("null", "127.0.0.1:{port}", REFUSED),
        (None, "evil.test:{port}", REFUSED),
    ],
)
def test_a_websocket_opens_for_the_dashboards_own_pages_only(server, origin, host, status):
    origin = origin and origin.format(port=port(server))
    assert handshake(server.url, origin, host.format(port=port(server))) == status


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_forbids_frames_and_guessing(server, path):
    for headers in [asked(server.url + path)[1], asked(server.url + path, Host="evil.test")[1]]:
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-frame-options"] == "DENY"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"


@pytest.mark.parametrize("path", ["/media/some-file", "/_stcore/upload_file/a/b", "/_stcore/host-config"])
@pytest.mark.parametrize("method", ["GET", "PUT", "POST", "DELETE", "OPTIONS"])
def test_files_are_neither_read_nor_sent_by_another_page(server, path, method):
    for origin in ("http://localhost:3000", "https://evil.test", "null"):
        status, headers = asked(server.url + path, method, Origin=origin)
        assert (status, "access-control-allow-origin" in headers) == (403, False)


@pytest.mark.thorough
def test_whoever_runs_it_may_serve_it_under_another_name(demo_store, page, monkeypatch):
    monkeypatch.setenv("STREAMLIT_SERVER_ALLOWED_HOSTS", "evil.test board.example 127.0.0.1")
    with serving(demo_store) as found:
        # A proxy that hands the name on, and takes HTTPS off.
        assert handshake(found.address, "https://board.example", "board.example") == OPENED
        assert handshake(found.address, "https://evil.test", "board.example") == REFUSED
        assert asked(found.address, Host="board.example")[0] == 200
        assert asked(found.address, Host="another.example")[0] == 403
        open_page(page, found.address.replace("127.0.0.1", "evil.test"), "", "?collection=demo")
        expect(page.get_by_role("heading", name=HOME, level=1)).to_be_visible()
