"""What a user sees of addresses, endless files, damage, interruptions and impossible numbers: one message."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from thoroughly import thoroughly

from exam_core.addresses import local_path
from exam_core.errors import UsageError
from exam_core.formats.sniffing import guess_kind
from tests.wings import rows_added

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


UNPACKED = 32 * 2**20
MEMORY = 512 * 1024
SECONDS = 5
RUN_LINE = b"q1 Q0 d1 1 1.0 r\n"


def bomb(path, unit, pack, start=b""):
    """A small file that unpacks to 32 MiB of a repeated piece."""
    block = unit * (2**20 // len(unit))
    with pack(path, "wb") as file:  # type: ignore[attr-defined]
        file.write(start)
        for _ in range(UNPACKED // len(block)):
            file.write(block)
    return path


WATCHED = """
import re, time
from pathlib import Path
from exam_core.cli import main
try:
    main()
finally:
    peak = re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]
    print(peak, time.process_time())
"""


def imported(tmp_path, *arguments):
    """Exit status and message of an import, and whether it kept to the memory and time."""
    command = [sys.executable, "-c", WATCHED, "--store", tmp_path / "store", "import", *arguments]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    peak, seconds = done.stdout.split()[-2:]
    return done.returncode, done.stderr, int(peak) < MEMORY, float(seconds) < SECONDS


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux alone tells the memory")
@pytest.mark.parametrize(
    ("kind", "pack", "unit", "start"),
    [
        pytest.param("topics", gzip.open, b"\0", b"", id="zeros", marks=pytest.mark.thorough),
        pytest.param("run", gzip.open, b"\n", b"", id="newlines", marks=pytest.mark.thorough),
        pytest.param("run", gzip.open, RUN_LINE, b"", id="valid lines"),
        pytest.param(
            "bank",
            gzip.open,
            b'{"question_id":"a"},',
            b'{"query_id":"q","items":[',
            id="one line of JSON",
            marks=pytest.mark.thorough,
        ),
        pytest.param("run", lzma.open, RUN_LINE, b"", id="xz", marks=pytest.mark.thorough),
    ],
)
def test_a_small_file_that_unpacks_to_very_much_is_refused(tmp_path, kind, pack, unit, start):
    path = bomb(tmp_path / "bomb", unit, pack, start)
    options = ["--bank", "b"] if kind == "bank" else []
    status, said, in_memory, in_time = imported(tmp_path, kind, path, "--collection", "c", *options)
    assert f"{path}:1: the compressed data unpacks to hundreds of times its size" in said
    assert (status, in_memory, in_time) == (1, True, True)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs the devices of Linux")
@pytest.mark.parametrize("device", ["/dev/zero", *thoroughly("/dev/urandom")])
def test_a_device_without_end_is_refused(tmp_path, device):
    status, said, in_memory, in_time = imported(tmp_path, "topics", device, "--collection", "c")
    assert (said.startswith(f"{device}:"), "a NUL byte" in said) == (True, True)
    assert (status, in_memory, in_time) == (1, True, True)


def test_the_kind_of_a_bomb_is_guessed_from_its_first_lines(tmp_path):
    assert guess_kind(bomb(tmp_path / "bomb", RUN_LINE, gzip.open)) == "run"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux alone tells the memory")
def test_a_run_that_says_one_line_a_million_times_is_one_line(tmp_path):
    (tmp_path / "r.run").write_bytes(RUN_LINE * 1_000_000)
    status, said, in_memory, in_time = imported(tmp_path, "run", tmp_path / "r.run", "--collection", "c")
    assert (status, in_memory, in_time) == (0, True, True), said


Run = Callable[..., Any]
ROOT = Path(__file__).parents[2]


@pytest.fixture
def damaged(tmp_path, examboard):
    """A store with two collections, of which one has a torn file."""
    store = tmp_path / "store"
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 2.0 a\n")
    for name in ("sound", "torn"):
        examboard(store, "import", "run", tmp_path / "a.run", "--collection", name)
    (file,) = (store / "torn" / "rankings").iterdir()
    os.truncate(file, 40)
    return store


def test_list_goes_on_beside_a_damaged_collection_and_names_it(examboard, damaged):
    done = examboard(damaged, "list", "--format", "json")
    listed = [row["collection"] for row in json.loads(done.out)]
    assert (done.status, listed) == (1, ["sound"])
    assert (
        "is damaged. Import a.run again (undo its import first where that is refused), or restore it from a copy."
        in done.err
    )


def test_importing_the_source_again_heals_the_collection(examboard, damaged):
    # in a process of its own: this one remembers what the file held
    line = [sys.executable, "-m", "exam_core", "--store", damaged, "import", "run", damaged.parent / "a.run"]
    done = subprocess.run([*map(str, line), "--collection", "torn"], cwd=ROOT, capture_output=True, text=True)
    assert "(already there; 1 damaged or missing file restored)" in done.stdout
    assert examboard(damaged, "list").status == 0


def test_an_import_that_is_undone_heals_what_importing_it_again_can_t(examboard, damaged):
    (topics := damaged.parent / "topics.tsv").write_text("q1\tWhy?\n")
    examboard(damaged, "import", "topics", topics, "--collection", "sound")
    (file,) = (damaged / "sound" / "queries").iterdir()
    os.truncate(file, 40)
    assert "Import topics.tsv again (undo its import first where that is refused)" in examboard(damaged, "list").err
    assert examboard(damaged, "import", "undo", "--collection", "sound").status == 0
    assert examboard(damaged, "import", "topics", topics, "--collection", "sound").status == 0
    assert "topics.tsv" not in examboard(damaged, "check").out


@pytest.mark.parametrize("depth", ["2147483648", "9" * 30])
def test_a_depth_out_of_range_is_refused(examboard, demo_store, depth):
    done = examboard(demo_store, "leaderboard", "demo", "--depth", depth, "--measure", "AP", "--judgments", "official")
    assert (done.status, f"--depth {depth}: " in done.err) == (2, True)


@pytest.mark.parametrize("command", ["leaderboard demo --tau", "correlate demo --depth", *rows_added("NUMBERS")])
def test_a_number_of_thousands_of_digits_is_refused(examboard: Run, demo_store: Path, command: str) -> None:
    done = examboard(demo_store, *command.split(), "1" * 5000)
    assert (done.status, f"{command.split()[-1]} 111" in done.err) == (2, True)


@pytest.mark.parametrize("milliseconds", [400, *thoroughly(200, 700)])
def test_an_interruption_while_the_command_loads_is_no_traceback(tmp_path, milliseconds):
    program = "from exam_core.__main__ import main; print('here', flush=True); main()"
    command = [sys.executable, "-c", program, "--store", str(tmp_path / "store"), "demo"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "here\n"  # Python itself has started, which writes a traceback until then
    time.sleep(milliseconds / 1000)
    process.send_signal(signal.SIGINT)
    said = "".join(process.communicate())
    assert ("Traceback" in said, process.returncode in (-signal.SIGINT, 130, 1, 0)) == (False, True)


def test_nothing_is_loaded_before_a_command_can_be_interrupted_without_a_traceback():
    """Python itself writes one while it starts; what follows until `__main__` should take no time."""
    said = "import sys; known = set(sys.modules); import exam_core; print(*sorted(set(sys.modules) - known))"
    done = subprocess.run([sys.executable, "-S", "-c", said], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "exam_core\n"
