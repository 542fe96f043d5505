"""What a machine has for grading: devices, memory, models on disk, a way to the model hub."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import requests

HUB = "https://huggingface.co"
NETWORK_TIMEOUT_S = 3.0


@dataclass(frozen=True)
class Card:
    """A CUDA device; memory in bytes."""

    name: str
    memory: int
    free: int


@dataclass(frozen=True)
class CachedModel:
    """A model in the hub's cache; its files' size in bytes."""

    name: str
    size: int


def has_nvidia_driver() -> bool:
    """Whether an NVIDIA driver is installed, told without loading torch."""
    return Path("/proc/driver/nvidia/version").exists() or shutil.which("nvidia-smi") is not None


def cards() -> list[Card]:
    """The CUDA devices that torch can use. Loads torch, which takes seconds.

    Raises ImportError where torch is missing.
    """
    import torch

    if not torch.cuda.is_available():
        return []
    found = []
    for number in range(torch.cuda.device_count()):
        free, memory = torch.cuda.mem_get_info(number)
        found.append(Card(torch.cuda.get_device_name(number), memory, free))
    return found


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def free_memory() -> int | None:
    """Bytes that a new process can have without swapping; None where the system doesn't tell (it isn't Linux)."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    kib = {name: value.split()[0] for name, value in (line.split(":", 1) for line in lines)}
    return int(kib["MemAvailable"]) * 1024 if "MemAvailable" in kib else None


def model_cache() -> Path:
    """The folder where the hub's models are kept: $HF_HUB_CACHE, $HF_HOME/hub, by default below ~/.cache."""
    if folder := os.environ.get("HF_HUB_CACHE"):
        return Path(folder).expanduser()
    caches = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(os.environ.get("HF_HOME") or Path(caches) / "huggingface").expanduser() / "hub"


def cached_models(folder: Path) -> list[CachedModel]:
    """The models in such a folder, by name."""
    found = []
    for entry in sorted(folder.glob("models--*")):
        # Snapshots are links to blobs: what is counted is a file, not the links to it.
        files = [path for path in entry.rglob("*") if path.is_file() and not path.is_symlink()]
        name = "/".join(entry.name.removeprefix("models--").split("--"))
        found.append(CachedModel(name, sum(path.stat().st_size for path in files)))
    return found


def hub_address() -> str:
    """Where models are fetched from: $HF_ENDPOINT, by default the public hub."""
    return (os.environ.get("HF_ENDPOINT") or HUB).rstrip("/")


def network_trouble(address: str, timeout: float = NETWORK_TIMEOUT_S) -> str | None:
    """Why an address can't be reached, in a few words; None: it answers.

    Parameters
    ----------
    timeout : seconds for the connection, and again for its answer
    """
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "TRUE", "YES", "ON"):
        return "HF_HUB_OFFLINE is set"
    try:
        status = requests.head(address, timeout=timeout, allow_redirects=True).status_code
    except requests.Timeout:
        return f"no answer within {timeout:g} s"
    except requests.RequestException as error:
        return f"no connection ({type(error).__name__})"
    return None if status < 400 else f"it answers with status {status}"
