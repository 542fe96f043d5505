"""A server that speaks S3: what goes there comes back the same, and what it refuses is one message."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from exam_core import addresses
from exam_core.store import Store

STARTING = 60.0
Run = Callable[..., Any]


@pytest.fixture(scope="module")
def server():
    """The address of a server of moto's, in which one bucket is."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        until = time.monotonic() + STARTING
        while time.monotonic() < until and process.poll() is None:
            try:
                with urllib.request.urlopen(urllib.request.Request(f"{address}/bucket-a", method="PUT"), timeout=5):
                    break
            except OSError:
                time.sleep(0.1)
        yield address
        process.terminate()


@pytest.fixture
def s3(server, monkeypatch):
    """The bucket, with credentials in the environment as a user has them."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name, value in {
        "AWS_ENDPOINT_URL": server,
        "AWS_ACCESS_KEY_ID": "a-key-of-mine",
        "AWS_SECRET_ACCESS_KEY": "5ecret5ecret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    }.items():
        monkeypatch.setenv(name, value)
    return "s3://bucket-a"


def test_runs_go_there_and_come_back(examboard, demo_store, tmp_path, s3):
    done = examboard(demo_store, "export", "run", "demo", f"{s3}/runs/all the runs.run.gz")
    assert done.out.startswith(f"{s3}/runs/all the runs.run.gz: "), done.err
    done = examboard(tmp_path / "store", "import", "run", f"{s3}/runs/all the runs.run.gz", "--collection", "c")
    assert done.status == 0, done.err
    there, here = (Store(one).snapshot(name) for one, name in ((tmp_path / "store", "c"), (demo_store, "demo")))
    order = "SELECT run_id, query_id, doc_id, rank FROM rankings ORDER BY ALL"
    assert there.query(order).equals(here.query(order))
    assert "5ecret" not in "".join(file.read_text() for file in (tmp_path / "store").rglob("*.json"))


def test_a_large_object_goes_in_parts(tmp_path, s3, server, monkeypatch):
    shares = []
    monkeypatch.setattr(addresses, "_PART", 5 * 2**20)
    monkeypatch.setattr(addresses, "_bar", lambda _: nullcontext(shares.append))
    (tmp_path / "c.tsv").write_text("".join(f"q{number}\t{'word ' * 200}\n" for number in range(20_000)))
    addresses.send(tmp_path / "c.tsv", Path(f"{s3}/c.tsv"))
    with urllib.request.urlopen(f"{server}/bucket-a/c.tsv") as answer:
        assert answer.headers["ETag"].strip('"').endswith("-4")
        assert answer.read() == (tmp_path / "c.tsv").read_bytes()
    assert shares == sorted(shares)
    assert shares[-1] == 1


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            "import run s3://bucket-a/none.run --collection c",
            "s3://bucket-a/none.run: there is no such bucket or object",
        ),
        ("import run s3://no-such-bucket/x.run --collection c", "there is no such bucket or object"),
        ("export run demo s3://no-such-bucket/x.run", "s3://no-such-bucket/x.run: there is no such bucket or object"),
    ],
)
@pytest.mark.usefixtures("s3")
def test_what_is_not_there_is_said(examboard: Run, demo_store: Path, command: str, said: str) -> None:
    done = examboard(demo_store, *command.split())
    assert (done.status, said in done.err) == (1, True), done.err


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}, "access is refused (NoCredentialsError"),
        ({"AWS_ENDPOINT_URL": "http://127.0.0.1:1", "AWS_MAX_ATTEMPTS": "1"}, "can't be reached, or broke off"),
    ],
    ids=["no credentials", "no server"],
)
def test_no_credentials_and_no_server_are_told_apart(examboard, demo_store, s3, monkeypatch, change, said):
    for name, value in change.items():
        monkeypatch.setenv(name, value)
    done = examboard(demo_store, "import", "run", f"{s3}/x.run", "--collection", "c")
    assert done.status == 1
    assert said in done.err
