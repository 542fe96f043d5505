"""Whether this machine has what Examboard needs, and what to do where it hasn't."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from exam_core.errors import ExamboardError
from exam_core.installation import pip_install
from exam_core.store import Store


def cards() -> list[tuple[str, int, int]] | None:
    """Of each card that torch finds its name, its free bytes and all; None without an NVIDIA driver.

    Torch, which takes seconds to load, is asked only where there is a driver; without torch there is no card.
    """
    if not (Path("/proc/driver/nvidia/version").exists() or shutil.which("nvidia-smi")):
        return None
    try:
        import torch
    except ImportError:
        return []
    return [(torch.cuda.get_device_name(n), *torch.cuda.mem_get_info(n)) for n in range(torch.cuda.device_count())]


OK, WARN, PROBLEM = "ok", "warn", "problem"
"""A warning limits what can be done, a problem stops the dashboard."""
GIB, LITTLE = 2**30, 6 * 2**30
"""Bytes; below the second, FLAN-T5-large in fp32 (3.1 GB of weights) may not fit beside its batches."""
PACKAGES = {
    "": "duckdb>=2.0 ir-measures>=0.4 matplotlib>=3.10 msgspec>=0.21 numpy>=2.3 pandas>=3.0 plotly>=7.0 pyarrow>=22 "
    "rapidfuzz>=3.14 rich>=14 scikit-learn>=1.8 scipy>=1.17 segno>=1.6 snowballstemmer>=3.0 "
    "streamlit>=1.67 typer>=0.29",
    "grader": "torch>=2.13 transformers>=5.0",
    "ray": "ray>=2.60",
    "servers": "openai>=3.57",
}
"""By the extra that installs them, the packages with the oldest versions that will do."""


class Finding(NamedTuple):
    """One line of the report; `remedy` is empty where there is nothing to do."""

    what: str
    state: str
    finding: str
    remedy: str = ""


def examine(store: Path) -> list[Finding]:
    """Python, packages, devices, memory and the store, a folder or .duckdb file that need not exist yet."""
    python = Finding("python", OK, f"{sys.version.split()[0]} at {sys.executable}")
    packages = (_package(line, extra) for extra, lines in PACKAGES.items() for line in lines.split())
    return [python, *packages, *_devices(), *_memory(), _store(store)]


def _package(line: str, extra: str) -> Finding:
    name, oldest = line.split(">=")
    try:
        installed = version(name)
    except PackageNotFoundError:
        missing = f"missing; needed for the extra {extra}" if extra else "missing"
        return Finding(f"package {name}", WARN if extra else PROBLEM, missing, f"Run: {pip_install(extra)}")
    if [int(n) for n in re.findall(r"\d+", installed)[:2]] < [int(n) for n in oldest.split(".")]:
        return Finding(f"package {name}", WARN, f"{installed}, older than {oldest}", f"Run: {pip_install(extra)} -U")
    return Finding(f"package {name}", OK, installed)


def _devices() -> Iterator[Finding]:
    rows = cards()
    if rows is None:
        remedy = "Grade on a machine with an NVIDIA card, or begin without a model: grade C --grader lexical."
        yield Finding("gpu", WARN, "no NVIDIA driver: T5 grades a few prompts per second on a CPU", remedy)
    elif not rows:
        remedy = f"Install torch's CUDA build ({pip_install('grader')}); look at `nvidia-smi` and CUDA_VISIBLE_DEVICES."
        yield Finding("gpu", WARN, "an NVIDIA driver, but torch is missing or finds no card", remedy)
    for number, (name, free, memory) in enumerate(rows or ()):
        text = f"{name}, {free / GIB:.1f} GiB of {memory / GIB:.1f} GiB free"
        remedy = "End what else runs on it (see `nvidia-smi`)." if free < LITTLE else ""
        yield Finding(f"gpu cuda:{number}", WARN if remedy else OK, text, remedy)


def _memory() -> Iterator[Finding]:
    """What a new process can have without swapping; nothing where the system, which is not Linux, doesn't tell."""
    try:
        free = int(re.findall(r"MemAvailable:\s*(\d+) kB", Path("/proc/meminfo").read_text(encoding="ascii"))[0]) * 1024
    except (OSError, IndexError):
        return
    remedy = "End other programs, or grade with google/flan-t5-base." if free < LITTLE else ""
    yield Finding("memory", WARN if remedy else OK, f"{free / GIB:.1f} GiB free", remedy)


def _store(store: Path) -> Finding:
    other = "name another with --store or EXAMBOARD_STORE."
    try:
        text = f"{store}: {len(Store(store).collections())} collections"
        if store.is_file():
            return Finding("store", OK, f"{text}; a single file, to be read only")
        folder = next(path for path in (store.absolute(), *store.absolute().parents) if path.exists())
    except (ExamboardError, OSError) as error:
        return Finding("store", PROBLEM, str(error), f"Choose a folder: {other}")
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        text = f"{store} can't be written ({error.strerror})"
        return Finding("store", WARN, text, f"Change its permissions, or {other}")
    return Finding("store", OK, text if store.exists() else f"{store} does not exist yet; the first import makes it")
