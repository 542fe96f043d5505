"""Small files that unpack to very much, and devices without end, are refused before they fill the memory."""

import gzip
import lzma
import subprocess
import sys
from pathlib import Path

import pytest
from thoroughly import thoroughly

from exam_core.formats.sniffing import guess_kind

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
        pytest.param("run", lzma.open, RUN_LINE, b"", id="xz"),
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
