"""The NVIDIA cards of this machine."""

from __future__ import annotations

import shutil
from pathlib import Path


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
