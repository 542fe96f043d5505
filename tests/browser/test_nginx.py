"""The dashboard behind Debian's nginx, with the configuration of docs/how-to/nginx.conf."""

import http.client
import os
import shutil
import socket
import ssl
import subprocess
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from browser.dashboard import shaken

from benchmarks.dashboard import free_port, serving
from pages.mending import script_bundle

pytestmark = [pytest.mark.browser, pytest.mark.thorough]
ROOT = Path(__file__).parents[2]
NAME = "board.example.org"
AROUND = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/examboard.conf;
}}
"""


@dataclass
class Proxy:
    """Where it listens, and what it wrote down."""

    port: int
    plain: int
    log: Path

    def ask(self, path, method="GET", body=None, **headers):
        """An answer over HTTPS."""
        line = http.client.HTTPSConnection("127.0.0.1", self.port, context=ssl._create_unverified_context(), timeout=20)
        sent = {"Host": NAME} | {name.replace("_", "-"): value for name, value in headers.items()}
        with closing(line):
            line.request(method, path, body, sent)
            answer = line.getresponse()
            return answer, answer.read()


@pytest.fixture(scope="module")
def proxy(demo_store, tmp_path_factory):
    """Nginx in front of a dashboard that is served under the name of the configuration."""
    nginx = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
    if nginx is None:
        pytest.skip("no nginx on this machine: apt-get install nginx")
    folder = tmp_path_factory.mktemp("nginx")
    key, certificate = folder / "key.pem", folder / "fullchain.pem"
    made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}"]
    subprocess.run(
        ["openssl", *made, "-keyout", str(key), "-out", str(certificate)], check=True, stderr=subprocess.DEVNULL
    )
    port, plain = free_port(), free_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STREAMLIT_SERVER_ALLOWED_HOSTS", f"{NAME} 127.0.0.1")
        patch.setenv("EXAMBOARD_READ_ONLY", "1")
        with serving(demo_store) as found:
            said = (ROOT / "docs/how-to/nginx.conf").read_text(encoding="utf-8")
            for ours, theirs in (
                ("http://127.0.0.1:8501", found.address),
                ("listen 80;", f"listen 127.0.0.1:{plain};"),
                ("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;"),
                ("/etc/ssl/examboard", str(folder)),
                ("/var/log/nginx", str(folder)),
            ):
                assert ours in said
                said = said.replace(ours, theirs)
            (folder / "examboard.conf").write_text(said)
            (folder / "nginx.conf").write_text(AROUND.format(folder=folder))
            process = subprocess.Popen([nginx, "-p", str(folder), "-c", str(folder / "nginx.conf")])
            try:
                _wait_for(process, port)
                yield Proxy(port, plain, folder / "examboard.log")
            finally:
                process.terminate()
                process.wait(20)


def _wait_for(process, port):
    until = time.monotonic() + 20
    while True:
        assert process.poll() is None
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            assert time.monotonic() < until
            time.sleep(0.05)


def handshake(proxy, origin):
    """The status that a websocket's handshake gets."""
    with (
        socket.create_connection(("127.0.0.1", proxy.port), timeout=20) as line,
        ssl._create_unverified_context().wrap_socket(line) as secured,
    ):
        return shaken(secured, NAME, origin)


def test_pages_and_their_websocket_come_through(proxy):
    answer, body = proxy.ask("/leaderboard?collection=demo")
    assert (answer.status, b'<div id="root">' in body) == (200, True)
    assert handshake(proxy, f"https://{NAME}") == "101"


def test_scripts_are_sent_packed(proxy):
    name = next(script_bundle.SCRIPTS.glob("index.*.js")).name
    assert proxy.ask(f"/static/js/{name}", Accept_Encoding="gzip")[0].headers["Content-Encoding"] == "gzip"


def test_the_guard_sees_the_name_and_the_origin_that_the_browser_sent(proxy):
    assert handshake(proxy, "https://evil.test") == "403"
    assert handshake(proxy, f"http://{NAME}.evil.test") == "403"
    assert proxy.ask("/", Host="evil.test")[0].status == 403


def test_headers_stand_once_and_cookies_are_for_https_alone(proxy):
    answer, _ = proxy.ask("/_stcore/health")
    for name in ("Content-Security-Policy", "X-Frame-Options", "X-Content-Type-Options", "Strict-Transport-Security"):
        assert len(answer.headers.get_all(name) or []) == 1, name
    cookies = proxy.ask("/_stcore/host-config")[0].headers.get_all("Set-Cookie") or []
    cookies += answer.headers.get_all("Set-Cookie") or []
    assert cookies
    assert [one for one in cookies if "secure" not in one.lower()] == []


def test_what_is_closed_stays_closed_and_health_is_told(proxy):
    assert [proxy.ask(path)[0].status for path in ("/_stcore/metrics", "/_stcore/agent/openapi.json")] == [404, 404]
    assert proxy.ask("/healthz")[1].endswith(b'"store":"readable"}')


def test_a_file_that_is_too_large_is_refused_by_nginx_and_any_where_the_store_is_read_only(proxy):
    upload = "/_stcore/upload_file/a-session/a-file"
    assert proxy.ask(upload, "PUT", None, Content_Length=str(52 << 20))[0].status == 413
    assert proxy.ask(upload, "PUT", b"x")[0].status == 403


def test_no_part_of_an_address_after_the_question_mark_is_written_down(proxy):
    proxy.ask("/oauth2callback?code=hidden&state=hidden")
    written = proxy.log.read_text()
    assert ("GET /oauth2callback" in written, "hidden" in written) == (True, False)


def test_plain_http_leads_to_https(proxy):
    line = http.client.HTTPConnection("127.0.0.1", proxy.plain, timeout=20)
    with closing(line):
        line.request("GET", "/leaderboard?tau=3", headers={"Host": NAME})
        answer = line.getresponse()
    assert (answer.status, answer.headers["Location"]) == (301, f"https://{NAME}/leaderboard?tau=3")
