"""Every reader takes or refuses whatever comes: what was found once, and some seconds of new inputs."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from exam_core.formats.registry import known_formats

ROOT = Path(__file__).parents[2]
FOUND = sorted((Path(__file__).parent / "fuzzed").iterdir())
SCRIPT = ROOT / "benchmarks" / "fuzz.py"
spec = importlib.util.spec_from_file_location("fuzz", SCRIPT)
fuzz = importlib.util.module_from_spec(spec)
spec.loader.exec_module(fuzz)


@pytest.mark.parametrize("path", FOUND, ids=[path.stem for path in FOUND])
@pytest.mark.parametrize("row", known_formats(), ids=lambda row: f"{row.kind.key}-{row.written}")
def test_what_was_found_once_is_taken_or_refused(row, path):
    signals = fuzz.signal.getsignal(fuzz.signal.SIGPROF)
    try:
        assert fuzz.finding(row, path) == ""
    finally:
        fuzz.signal.signal(fuzz.signal.SIGPROF, signals)


@pytest.mark.thorough  # CI does the same for longer (make fuzz)
def test_some_seconds_of_damaged_files_find_nothing(tmp_path):
    command = [sys.executable, str(SCRIPT), "--seconds", "2", "--seed", "1", "--folder", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout[-2000:]


@pytest.mark.parametrize("row", known_formats(), ids=lambda row: f"{row.kind.key}-{row.written}")
def test_every_reader_can_read_one_of_the_files_that_are_damaged(row, tmp_path):
    assert any(fuzz.reads(row, tmp_path / "file", content) for content in fuzz.TEXTS)
