"""Whether this machine has what Examboard needs, and what to do where it hasn't."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from exam_core.errors import ExamboardError
from exam_core.installation import pip_install
from exam_core.store import Store
from exam_core.wings.doctor.grading import machine

GIB = 2**30
LITTLE_MEMORY = 6 * GIB
"""Below this, FLAN-T5-large in fp32 (3.1 GB of weights) may not fit beside its batches."""
LITTLE_DISK = 5 * GIB
OLDEST_PYTHON = (3, 11)


class State(StrEnum):
    """How bad it is: a warning limits what can be done, a problem stops the dashboard."""

    OK = "ok"
    WARN = "warn"
    PROBLEM = "problem"


@dataclass(frozen=True)
class Finding:
    """One line of the doctor's report; `remedy` is empty where there is nothing to do."""

    what: str
    state: State
    finding: str
    remedy: str = ""


@dataclass(frozen=True)
class Package:
    """A package with the oldest version that will do; `extra` is the group that installs it, empty for the core."""

    name: str
    oldest: str
    purpose: str
    extra: str = ""


PACKAGES = (
    Package("duckdb", "2.0", "the store"),
    Package("ir-measures", "0.4", "the measures' names"),
    Package("matplotlib", "3.10", "figures for papers"),
    Package("msgspec", "0.21", "reading JSON"),
    Package("numpy", "2.3", "the measures"),
    Package("pandas", "3.0", "tables"),
    Package("plotly", "7.0", "charts"),
    Package("pyarrow", "22", "the store's files"),
    Package("rapidfuzz", "3.14", "answer verification, near duplicates"),
    Package("requests", "2.32", "grading by way of a server"),
    Package("rich", "14", "progress bars"),
    Package("scikit-learn", "1.8", "the demo and outliers"),
    Package("scipy", "1.17", "statistics"),
    Package("snowballstemmer", "3.0", "the lexical grader"),
    Package("segno", "1.6", "QR codes of links"),
    Package("streamlit", "1.67", "the dashboard"),
    Package("typer", "0.29", "the command line"),
    Package("torch", "2.13", "grading with T5", "grader"),
    Package("transformers", "5.0", "grading with T5", "grader"),
    Package("ctranslate2", "4.8", "faster grading on a CPU", "int8"),
    Package("ray", "2.60", "grading on several machines", "ray"),
)


def examine(store: Path, *, address: str | None = None) -> list[Finding]:
    """Everything that is looked at, in the order of the report.

    Parameters
    ----------
    store : folder or .duckdb file; it need not exist yet
    address : of the model hub; None: the one that the environment names
    """
    return [
        _python(),
        *(_package(package) for package in PACKAGES),
        *_devices(),
        _memory(),
        _models(),
        _network(address or machine.hub_address()),
        *_store(store),
    ]


def is_usable(findings: list[Finding]) -> bool:
    """Whether the dashboard can be used."""
    return all(finding.state is not State.PROBLEM for finding in findings)


def _python() -> Finding:
    oldest = ".".join(map(str, OLDEST_PYTHON))
    running = f"{sys.version.split()[0]} at {sys.executable}"
    if sys.version_info < OLDEST_PYTHON:
        return Finding("python", State.PROBLEM, running, f"Install Python {oldest} or newer.")
    return Finding("python", State.OK, running)


def _package(package: Package) -> Finding:
    what = f"package {package.name}"
    state = State.WARN if package.extra else State.PROBLEM
    install = pip_install(package.extra)
    try:
        installed = version(package.name)
    except PackageNotFoundError:
        return Finding(what, state, f"missing; needed for {package.purpose}", f"Run: {install}")
    if _numbers(installed) < _numbers(package.oldest):
        return Finding(
            what, State.WARN, f"{installed}, older than {package.oldest}; for {package.purpose}", f"Run: {install} -U"
        )
    return Finding(what, State.OK, f"{installed}; for {package.purpose}")


def _numbers(spelled: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", spelled)[:2]]


def _devices() -> Iterator[Finding]:
    processors = machine.processors()
    yield Finding("processors", State.OK, f"{processors} to use")
    if not machine.has_nvidia_driver():
        yield Finding(
            "gpu",
            State.WARN,
            "none: no NVIDIA driver. T5 grades a few prompts per second on a CPU",
            "Grade on a machine with an NVIDIA card, or begin without a model: grade C --grader lexical.",
        )
        return
    try:
        cards = machine.cards()
    except ImportError:
        yield Finding("gpu", State.WARN, "an NVIDIA driver, but no torch to use it", f"Run: {pip_install('grader')}")
        return
    if not cards:
        yield Finding(
            "gpu",
            State.WARN,
            "an NVIDIA driver, but torch finds no card",
            "Install the CUDA build of torch, and look at what `nvidia-smi` says and at CUDA_VISIBLE_DEVICES.",
        )
    for number, card in enumerate(cards):
        free = f"{card.name}, {_size(card.free)} of {_size(card.memory)} free"
        if card.free < LITTLE_MEMORY:
            yield Finding(f"gpu cuda:{number}", State.WARN, free, "End what else runs on it (see `nvidia-smi`).")
        else:
            yield Finding(f"gpu cuda:{number}", State.OK, free)


def _memory() -> Finding:
    free = machine.free_memory()
    if free is None:
        return Finding("memory", State.OK, "this system doesn't say how much is free")
    if free < LITTLE_MEMORY:
        return Finding(
            "memory",
            State.WARN,
            f"{_size(free)} free; google/flan-t5-large takes about {_size(LITTLE_MEMORY)}",
            "End other programs, or grade with google/flan-t5-base.",
        )
    return Finding("memory", State.OK, f"{_size(free)} free")


def _models() -> Finding:
    folder = machine.model_cache()
    models = machine.cached_models(folder)
    if not models:
        return Finding(
            "models",
            State.WARN,
            f"none in {folder}",
            "The first grading fetches its model. Without network: run `hf download google/flan-t5-large` elsewhere "
            "and name the copied folder in HF_HOME.",
        )
    listed = ", ".join(f"{model.name} ({_size(model.size)})" for model in models)
    return Finding("models", State.OK, f"{listed}; in {folder}")


def _network(address: str) -> Finding:
    trouble = machine.network_trouble(address)
    if trouble:
        return Finding(
            "network",
            State.WARN,
            f"{address}: {trouble}",
            "Only new models need it. Behind a proxy set HTTPS_PROXY; for another hub set HF_ENDPOINT.",
        )
    return Finding("network", State.OK, f"{address} answers")


def _store(store: Path) -> Iterator[Finding]:
    try:
        collections = len(Store(store).collections())
    except (ExamboardError, OSError) as error:
        yield Finding("store", State.PROBLEM, str(error), "Name another folder with --store or EXAMBOARD_STORE.")
        return
    if store.is_file():
        yield Finding("store", State.OK, f"{store}: a single file, to be read only; {collections} collections")
        return
    folder = next(path for path in (store.absolute(), *store.absolute().parents) if path.exists())
    yield _writable(store, folder, collections)
    free = shutil.disk_usage(folder).free
    if free < LITTLE_DISK:
        yield Finding("disk", State.WARN, f"{_size(free)} free at {folder}", "Make room, or move the store.")
    else:
        yield Finding("disk", State.OK, f"{_size(free)} free at {folder}")


def _writable(store: Path, folder: Path, collections: int) -> Finding:
    """Whether something can be written there; `folder` is the store, or what would hold it."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        return Finding(
            "store",
            State.WARN,
            f"{store} can't be written ({error.strerror}): it can be looked at, but nothing imported or graded",
            "Change the folder's permissions, or name another with --store or EXAMBOARD_STORE.",
        )
    if not store.exists():
        return Finding("store", State.OK, f"{store} does not exist yet; the first import makes it")
    return Finding("store", State.OK, f"{store}: {collections} collections")


def _size(size: int) -> str:
    return f"{size / GIB:.1f} GiB"
