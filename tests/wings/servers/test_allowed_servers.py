"""Where the key goes, and which servers a visitor of the dashboard can have asked."""

import json
import logging
import os
import socket

import pytest
from grading.server import Server, always, fails, says, sends

from exam_core.actions import job_control
from exam_core.errors import GraderError, UsageError
from exam_core.grading.options import GradingOptions
from exam_core.grading.prompt import Prompt
from exam_core.jobs import records
from exam_core.jobs.ordering import JobRequest, Order
from exam_core.store import Store
from exam_core.wings.servers import allowed_servers
from exam_core.wings.servers.remote import Remote
from exam_core.wings.servers.replies import ServerTerms

KEY = "sk-a+Secret/0123456789"
INNER = [
    *["127.0.0.1", "127.8.8.8", "10.1.2.3", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"],
    *["224.0.0.1", "255.255.255.255", "240.0.0.1", "192.0.2.1", "::", "::1", "fe80::1", "fe80::1%lo", "fd00::1"],
    *["fec0::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::a9fe:a9fe"],
    *["2002:7f00:1::1", "2001:db8::1"],
]
SPELLINGS = ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "localhost", "LOCALHOST.", "[::1]", "0"]


@pytest.fixture(autouse=True)
def _environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for name in ("OPENAI_BASE_URL", "EXAMBOARD_SERVERS", "EXAMBOARD_JOB"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def visited(monkeypatch):
    """This process is a job that the dashboard started."""
    monkeypatch.setenv("EXAMBOARD_JOB", "20260131-101500-1f3a")


def ask(base_url):
    model = Remote("m", base_url, ServerTerms(timeout=5.0, retries=0))
    return [answer.text for _, answer in filter(None, model.answers([Prompt(head="a")]))]


def leading_to(*addresses):
    """A way to resolve names: the first time to the first address, and so on; then always to the last."""
    left = list(addresses)

    def resolve(_host, port, *_, **__):
        address = left.pop(0) if len(left) > 1 else left[0]
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        return [(family, socket.SOCK_STREAM, 6, "", (address, port or 80))]

    return resolve


def test_only_the_server_that_the_environment_names_gets_the_key_whatever_the_path(monkeypatch):
    with Server(always(says("4"))) as server:
        assert ask(server.address) == ["4"]
    assert "Authorization" not in server.requests[0].headers
    assert KEY not in str(server.requests)
    with Server(always(says("4"))) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_port}/another/path/")
        ask(server.address)
    assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_takes_no_key_along(status, monkeypatch):
    with Server(always(says("4"))) as other:
        moved = sends(b"", status, Location=f"{other.address}/chat/completions")
        with Server(always(moved)) as server:
            monkeypatch.setenv("OPENAI_BASE_URL", server.address)
            with pytest.raises(GraderError, match="moved to"):
                ask(server.address)
    assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"
    assert other.requests == []


@pytest.mark.parametrize(
    ("named", "asked", "is_for_it"),
    [
        (None, "https://api.openai.com/v1", True),
        ("", "https://API.OpenAI.com:443", True),
        (None, "http://api.openai.com/v1", False),
        (None, "https://api.openai.com:8443/v1", False),
        (None, "https://api.openai.com.evil.test/v1", False),
        (None, "https://api.openai.com@evil.test/v1", False),
        (None, "https://evil.test/api.openai.com", False),
        (None, "https://evil.test#@api.openai.com/", False),
        (None, "https://evil.test\\@api.openai.com/", True),  # is asked without what stands before the @
        ("https://h/v1", "https://api.openai.com/v1", False),
        ("http://h:80/v1", "http://h", True),
        ("http://h:8000/v1", "http://h:8001/v1", False),
        ("http://me:pw@h/v1", "http://h/v1", True),
        ("no address", "https://api.openai.com/v1", False),
        ("no address", "no address", False),
    ],
)
def test_scheme_host_and_port_say_whose_the_key_is(named, asked, is_for_it, monkeypatch):
    if named is not None:
        monkeypatch.setenv("OPENAI_BASE_URL", named)
    assert allowed_servers.has_the_key(asked) == is_for_it


def test_a_server_that_wants_a_key_which_is_not_for_it_is_told_apart():
    with Server(always(fails(401, "who are you"))) as server, pytest.raises(GraderError) as caught:
        ask(server.address)
    for words in (
        f"{server.address} wants a key",
        "OPENAI_API_KEY is set for https://api.openai.com/v1",
        "set OPENAI_BASE_URL to its address and OPENAI_API_KEY to its key",
    ):
        assert words in str(caught.value)
    assert KEY not in str(caught.value)


def test_an_address_of_this_machine_or_a_private_network_is_not_public():
    assert [address for address in INNER if allowed_servers.is_public(address)] == []
    for address in ("8.8.8.8", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"):
        assert allowed_servers.is_public(address)


@pytest.mark.usefixtures("visited")
@pytest.mark.parametrize("host", SPELLINGS)
def test_a_job_of_the_dashboard_asks_no_server_of_this_machine(host):
    with Server(always(says("secret"))) as server, pytest.raises(UsageError, match="EXAMBOARD_SERVERS") as caught:
        ask(f"http://me:pw@{host}:{server.server_port}/v1")
    assert server.requests == []
    assert "pw" not in str(caught.value)


@pytest.mark.usefixtures("visited")
def test_a_name_that_leads_into_a_private_network_is_refused_and_one_that_does_so_later_is_sent_nothing(monkeypatch):
    monkeypatch.setattr(socket, "getaddrinfo", leading_to("169.254.169.254"))
    with pytest.raises(UsageError, match="is on this machine or in a private network"):
        ask("http://metadata.test/v1")
    with Server(always(says("secret"))) as server:
        monkeypatch.setattr(socket, "getaddrinfo", leading_to("8.8.8.8", "127.0.0.1"))
        with pytest.raises(GraderError, match="can't be reached"):
            ask(f"http://rebound.test:{server.server_port}/v1")
    assert server.requests == []


@pytest.mark.usefixtures("visited")
def test_no_proxy_asks_a_visitors_server(monkeypatch):
    with Server(always(says("secret"))) as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.server_port}")
        monkeypatch.setattr(socket, "getaddrinfo", leading_to("8.8.8.8", "127.0.0.1"))
        with pytest.raises(GraderError, match="can't be reached"):
            ask("http://rebound.test:9/v1")
    assert proxy.requests == []


@pytest.mark.usefixtures("visited")
@pytest.mark.parametrize("variable", ["EXAMBOARD_SERVERS", "OPENAI_BASE_URL"])
def test_a_server_that_the_environment_names_is_asked(variable, monkeypatch):
    with Server(always(says("4"))) as server:
        others = "http://10.0.0.5:8000/v1, " if variable == "EXAMBOARD_SERVERS" else ""
        monkeypatch.setenv(variable, others + server.address)
        assert ask(server.address) == ["4"]
        with pytest.raises(UsageError, match="EXAMBOARD_SERVERS"):
            ask(server.address.replace("127.0.0.1", "localhost"))
    assert (KEY in str(server.requests)) == (variable == "OPENAI_BASE_URL")


@pytest.fixture
def environments(monkeypatch):
    """The environments of the jobs that are started; none of them runs."""
    found: list[dict[str, str]] = []

    class Child:
        pid = os.getpid()

        def __init__(self, _command, *, env, **_):
            found.append(env)

        def poll(self): ...

    monkeypatch.setattr(job_control.subprocess, "Popen", Child)
    return found


def asking(base_url):
    return JobRequest(Order("demo", options=GradingOptions("m", backend="openai", base_url=base_url)))


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/v1", "http://169.254.169.254/latest"])
def test_the_dashboard_starts_no_job_that_asks_a_server_of_its_network(tmp_path, address):
    store = Store(tmp_path)
    with pytest.raises(UsageError, match="is on this machine or in a private network"):
        job_control.start_job(store, asking(address))
    assert records.jobs(store) == []


def test_the_dashboard_starts_a_job_at_a_server_that_its_environment_names(tmp_path, environments, monkeypatch):
    monkeypatch.setenv("EXAMBOARD_SERVERS", "http://127.0.0.1:9/v1")
    job = job_control.start_job(Store(tmp_path), asking("http://127.0.0.1:9/v1"))
    assert [env["EXAMBOARD_JOB"] for env in environments] == [job.id]


@pytest.mark.usefixtures("visited")
def test_no_refusal_has_the_key_or_a_password(caplog):
    caplog.set_level(logging.DEBUG)
    said = []
    for address in ("http://me:pw@127.0.0.1/v1?k=pw", "http://me:pw@no-such-name.invalid/v1"):
        with pytest.raises(UsageError) as caught:
            ask(address)
        said.append(str(caught.value))
        assert "\n" not in said[-1]
    assert "leads to no server" in said[1]
    assert [secret for secret in (KEY, "pw") if secret in json.dumps(said) + caplog.text] == []


@pytest.mark.parametrize("path", ["/v1", "/v1 http://10.0.0.5", "/v1,http://10.0.0.5"])
def test_a_confirmed_server_of_this_machine_is_named_to_its_job_and_no_other(tmp_path, environments, monkeypatch, path):
    job_control.start_job(Store(tmp_path), asking(f"http://127.0.0.1:9{path}"), ["http://127.0.0.1:9/v1"])
    (environment,) = environments
    assert environment["EXAMBOARD_SERVERS"] == "http://127.0.0.1:9"
    assert "EXAMBOARD_SERVERS" not in os.environ
    monkeypatch.setenv("EXAMBOARD_SERVERS", environment["EXAMBOARD_SERVERS"])
    assert not allowed_servers.is_named("http://10.0.0.5")


@pytest.mark.parametrize(
    ("confirmed", "address"),
    [
        ("http://127.0.0.1:9/v1", "http://127.0.0.1:10/v1"),
        ("http://127.0.0.1:9/v1", "https://127.0.0.1:9/v1"),
        ("http://127.0.0.1:9/v1", "http://localhost:9/v1"),
        ("http://169.254.169.254", "http://169.254.169.254/latest"),
        ("http://10.0.0.5", "http://10.0.0.5/v1"),
        ("http://2130706433:9", "http://2130706433:9/v1"),
    ],
)
def test_a_confirmation_is_for_one_origin_of_this_machine(tmp_path, environments, confirmed, address):
    with pytest.raises(
        UsageError, match=r"Start it again with: (?:EXAMBOARD_STORE=\S+ )?EXAMBOARD_SERVERS=\S+ examboard open$"
    ):
        job_control.start_job(Store(tmp_path), asking(address), [confirmed])
    assert environments == []


def test_a_server_of_this_machine_is_asked_by_no_proxy(monkeypatch):
    monkeypatch.delenv("NO_PROXY")
    with Server(always(says("4"))) as server, Server(always(says("0"))) as proxy:
        monkeypatch.setenv("http_proxy", proxy.address.removesuffix("/v1"))
        assert ask(server.address) == ["4"]
    assert proxy.requests == []
