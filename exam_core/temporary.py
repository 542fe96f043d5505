"""Temporary files: what is needed for a moment, in the folder that the system has for it, and what it means if full."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from exam_core.errors import StoreError

_PREFIX = "examboard-"


@contextmanager
def temporary_folder(what: str) -> Iterator[Path]:
    """A folder that is removed at the end; its name says what it is for. Raises StoreError where none can be made."""
    with filling():
        temporary = tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{what}-", ignore_cleanup_errors=True)
    with temporary as folder:
        yield Path(folder)


@contextmanager
def temporary_file() -> Iterator[BinaryIO]:
    """A file without a name, which is gone at the end. Raises StoreError where it can't be made or written.

    Whatever else may raise OSError meanwhile is to be caught within.
    """
    with filling(), tempfile.TemporaryFile() as file:
        yield file


@contextmanager
def filling() -> Iterator[None]:
    """Raise StoreError where temporary files can't be written."""
    try:
        yield
    except OSError as error:
        raise no_room(error.strerror or str(error)) from None


def no_room(why: str) -> StoreError:
    """That temporary files can't be written, and what to do."""
    place = tempfile.tempdir or os.environ.get("TMPDIR") or "/tmp"
    return StoreError(
        f"{place}: temporary files can't be written ({why}).\n"
        "Free space there, or name another folder in the environment variable TMPDIR. Nothing was stored."
    )


def is_temporary(path: Path) -> bool:
    """Whether a file lies in such a folder."""
    return str(path.resolve()).startswith(os.path.realpath(tempfile.gettempdir()) + f"/{_PREFIX}")
