"""Addresses in the place of paths: one message says what to do, and nothing is stored, sent or made."""

from pathlib import Path

import pytest

from exam_core.addresses import local_path
from exam_core.errors import UsageError

REFUSED = "addresses aren't read or written. Mount the storage as a folder, or copy the file."


@pytest.mark.parametrize(
    "command",
    [
        "import run s3://b/x.run --collection c",
        "import s3://b/x.run",
        "import duckdb s3://b/x.run",
        "open s3://b/x.run",
        "export run demo s3://b/x.run",
        "export duckdb s3://b/x.run",
        "review queue demo --bank open --grader lexical.pourpre-idf s3://b/x.run",
    ],
)
def test_an_address_is_refused_where_a_file_is_expected(examboard, demo_store, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    done = examboard(demo_store, *command.split())
    assert (done.status, done.err) == (2, f"s3://b/x.run: {REFUSED}\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["s3://b/store", "gs://b"])
def test_a_store_lies_in_a_folder(examboard, tmp_path, path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = examboard(path, "list")
    assert (done.status, done.err) == (2, f"{path}: {REFUSED}\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("path", "shown"),
    [("https://u:5ecret5ecret@h/x?key=5ecret", "https://***@h/x"), ("az://container@account/x", "az://***@account/x")],
)
def test_an_address_is_printed_without_secrets(path, shown):
    with pytest.raises(UsageError) as refused:
        local_path(Path(path))
    assert str(refused.value) == f"{shown}: {REFUSED}"


@pytest.mark.parametrize("path", ["runs/bm25.run", "C:/x", "/tmp/s3:/x", "-", "a:b/c", "s3:"])
def test_other_paths_are_no_addresses(path):
    assert local_path(Path(path)) == Path(path)
