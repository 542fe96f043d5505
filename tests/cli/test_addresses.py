"""Addresses: files come from object storage and go there, whole or not at all, and only for the command line."""

import gzip
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fsspec.registry import _registry

from exam_core import addresses
from exam_core.addresses import as_printed, is_address, local_store
from exam_core.cli.common import progress_bar
from exam_core.errors import BadInput, UsageError
from exam_core.formats.lines import settled
from exam_core.formats.writing import write_lines
from exam_core.store import Store

RUN = "q1 Q0 d1 1 2.0 a\nq2 Q0 d2 1 1.0 a\n"
TOPICS = "q1\twhy?\nq2\thow?\n"
Run = Callable[..., Any]


def put(files, place, content):
    files.pipe_file(f"/{place}", content.encode() if isinstance(content, str) else content)
    return f"memory://{place}"


def test_files_of_all_kinds_come_from_addresses(examboard, tmp_path, memory):
    run, topics = put(memory, "b/bm25.run.gz", gzip.compress(RUN.encode())), put(memory, "b/topics.tsv", TOPICS)
    done = examboard(tmp_path / "store", "import", run, topics, "--collection", "c")
    assert (done.status, done.err) == (0, "")
    snapshot = Store(tmp_path / "store").snapshot("c")
    assert set(snapshot.frame("queries")["query_text"]) == {"why?", "how?"}
    assert [source["file"] for source in snapshot.sources] == ["topics.tsv", "bm25.run.gz"]


def test_a_run_can_be_named_after_its_address(examboard, tmp_path, memory):
    done = examboard(
        tmp_path / "store", "import", "run", put(memory, "b/rm3.run", RUN), "--name-from", "file", "--collection", "c"
    )
    assert set(Store(tmp_path / "store").snapshot("c").frame("rankings")["run_id"]) == {"rm3"}, done.err


def test_what_is_wrong_in_a_file_is_said_of_its_address(examboard, tmp_path, memory):
    address = put(memory, "b/bm25.run", RUN + "q3 d3\n")
    done = examboard(tmp_path / "store", "import", "run", address, "--collection", "c")
    assert done.status == 1
    assert done.err.startswith("memory://b/bm25.run:3: ")
    assert not (tmp_path / "store" / "c").exists()


def test_what_comes_from_an_address_takes_a_collection(examboard, tmp_path, memory):
    done = examboard(tmp_path / "store", "import", put(memory, "b/bm25.run", RUN))
    assert (done.status, done.err) == (2, "Say with --collection NAME where the files go.\n")


@pytest.mark.usefixtures("memory")
def test_a_store_goes_out_and_comes_back(examboard, tmp_path, demo_store):
    done = examboard(demo_store, "export", "duckdb", "memory://b/shared.duckdb", "--collection", "demo")
    assert done.out == "memory://b/shared.duckdb: demo\n", done.err
    done = examboard(tmp_path / "store", "import", "duckdb", "memory://b/shared.duckdb")
    assert done.status == 0, done.err
    assert len(Store(tmp_path / "store").snapshot("demo").frame("grades"))


def test_an_address_is_imported_before_it_is_shown(examboard, demo_store):
    done = examboard(demo_store, "open", "s3://b/x.run")
    assert (done.status, done.err) == (2, "s3://b/x.run: import it first: examboard import ADDRESS --collection NAME\n")


def test_it_is_known_whether_a_file_is_there(memory, monkeypatch, tmp_path):
    monkeypatch.setattr(addresses, "_bar", progress_bar)
    put(memory, "b/queue.csv", "answers")
    there = [Path("memory://b/queue.csv"), Path("memory://b/other.csv"), tmp_path, tmp_path / "other"]
    assert list(map(addresses.is_taken, there)) == [True, False, True, False]


def test_nothing_is_posted_to_a_web_server(examboard, demo_store):
    done = examboard(demo_store, "export", "run", "demo", "https://127.0.0.1:1/demo.run")
    assert done.err.startswith("https://127.0.0.1:1/demo.run: nothing can be written there. ")


def breaks(error):
    def fail(*_all: object, **_more: object) -> Any:
        raise error

    return fail


class NoCredentialsError(Exception):
    """As botocore has it."""


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (PermissionError("Access Denied"), "access is refused (PermissionError: Access Denied)"),
        (NoCredentialsError("Unable to locate credentials"), "AWS_PROFILE"),
        (ConnectionError("https://h/x?X-Amz-Signature=5ecret5ecret"), "(ConnectionError: https://h/x)"),
        (FileNotFoundError("b"), "there is no such bucket or object"),
        (NotImplementedError(), "nothing can be written there"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_what_goes_wrong_is_one_message(examboard, demo_store, memory, monkeypatch, error, said):
    monkeypatch.setattr(type(memory), "put_file", breaks(error))
    done = examboard(demo_store, "export", "run", "demo", "memory://b/demo.run")
    assert (done.status, done.err.partition(": ")[0]) == (1, "memory://b/demo.run")
    assert said in done.err
    assert "5ecret" not in done.err


def test_a_file_that_breaks_off_is_refused(examboard, tmp_path, memory, monkeypatch):
    address = put(memory, "b/bm25.run", RUN)
    info = memory.info("/b/bm25.run")
    monkeypatch.setattr(type(memory), "info", lambda *_: info | {"size": 1000})
    done = examboard(tmp_path / "store", "import", "run", address, "--collection", "c")
    assert "broke off after 34 of 1,000 bytes" in done.err
    assert not (tmp_path / "store" / "c").exists()


def test_a_folder_and_an_endless_file_are_refused(memory, monkeypatch):
    monkeypatch.setattr(addresses, "_bar", progress_bar)
    put(memory, "b/x/long", b"x" * 200)
    with pytest.raises(BadInput, match=r"is a folder\. Name its files\."), settled(Path("memory://b/x")):
        pass
    with pytest.raises(BadInput, match="has more than 0 GiB"), settled(Path("memory://b/x/long"), 100):
        pass


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("file:///etc/hostname", "file:// leads to this machine. Name the file by its path."),
        ("memory://b/x", "memory:// leads to this machine"),
        ("s3://KEY:5ecret@b/x.run", "has a password in it"),
        ("nosuch://b/x", "nosuch:// is not known"),
        ("https://h:1/x.run?token=5ecret", "https://h:1/x.run: can't be reached"),
        ("simplecache::s3://b/x", "simplecache::s3:/b/x: can't be read (No such file or directory)"),
    ],
)
def test_other_addresses_are_refused(examboard, tmp_path, address, said):
    done = examboard(tmp_path / "store", "import", "run", address, "--collection", "c")
    assert done.status == 1
    assert said in done.err
    assert "5ecret" not in done.err


def test_a_package_that_is_missing_is_named(examboard, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "s3fs", None)
    monkeypatch.delitem(_registry, "s3", raising=False)  # another test has loaded it
    done = examboard(tmp_path / "store", "import", "run", "s3://b/x.run", "--collection", "c")
    assert "Install s3fs to access S3" in done.err
    assert "pip install 'examboard[s3]'" in done.err


@pytest.mark.parametrize("act", [lambda path: settled(path).__enter__(), lambda path: write_lines(path, [b"x"])])
def test_who_is_not_the_command_line_reads_and_writes_none(monkeypatch, memory, act):
    monkeypatch.setattr(addresses, "_bar", None)
    put(memory, "b/x", "x")
    with pytest.raises(BadInput, match="only the command line reads and writes addresses"):
        act(Path("memory://b/x"))


def test_the_command_line_alone_lets_itself_read_addresses():
    root = Path(addresses.__file__).parents[1]
    files = [root / "app.py", *(root / "pages").rglob("*.py"), *(root / "exam_core").rglob("*.py")]
    assert [file.name for file in files if "addresses.allow(" in file.read_text()] == ["main.py"]


@pytest.mark.parametrize("path", ["s3://b/store", "gs://b"])
def test_a_store_lives_on_a_file_system(examboard, tmp_path, path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = examboard(path, "list")  # type: ignore[arg-type]
    assert (done.status, done.err.partition(",")[0]) == (2, f"{path}: a store lives on a file system")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UsageError):
        local_store(Path(path))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("s3://b/k", "s3://b/k"),
        ("https://u:5ecret5ecret@h/x?key=5ecret", "https://***@h/x"),
        ("az://container@account/x", "az://***@account/x"),
    ],
)
def test_an_address_is_printed_without_secrets(path, expected):
    assert is_address(Path(path))
    assert as_printed(Path(path)) == expected


@pytest.mark.parametrize("path", ["runs/bm25.run", "C:/x", "/tmp/s3:/x", "-", "a:b/c", "s3:"])
def test_other_paths_are_no_addresses(path):
    assert not is_address(Path(path))
