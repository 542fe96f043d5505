"""What survives a power loss: what is in a file once the file is flushed, and its name once its folder is."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_known: set[Path] = set()
"""Folders whose own names this process has flushed."""


def flush(path: Path) -> None:
    """Let what is in a file survive a power loss, or the names in a folder: those that came, and that others went."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folder(folder: Path) -> None:
    """Make a folder, with those above it, unless it is there; when this returns its name survives a power loss."""
    new = [file for file in (folder, *folder.parents) if not file.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for path in reversed(new):
        flush(path.parent)
    if folder not in _known:
        # Another process may have made it just now, and not have flushed it yet.
        for path in folder.parents:
            with suppress(OSError):  # what is far above may be closed to us, and was there before
                flush(path)
        _known.add(folder)


def move(path: Path, target: Path) -> None:
    """Move a file to another folder; when this returns it is there after a power loss, too."""
    make_folder(target.parent)
    path.replace(target)
    flush(target.parent)
    flush(path.parent)
