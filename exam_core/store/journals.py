"""Writing down what people say, a line each, on disk before it is acknowledged."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from exam_core.errors import StoreError
from exam_core.flushing import make_folder
from exam_core.store.append_only import add, held


def hashed(name: str) -> str:
    """A person's name may be anything: the file has a hash of it."""
    return hashlib.sha256(name.encode()).hexdigest()[:12]


def append(path: Path, contents: Sequence[bytes]) -> None:
    """Write lines at the end of a file; when this returns they are on disk."""
    try:
        make_folder(path.parent)
        with held(path, "a+b") as file:
            add(file, path, contents)
    except OSError as error:
        raise StoreError(f"{path}: can't be written ({error.strerror}). Check the free space.") from None
