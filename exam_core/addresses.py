"""Addresses (`s3://bucket/key`) where a path is expected: they are refused, since files and folders alone are read."""

from __future__ import annotations

import re
from pathlib import Path

from exam_core.errors import UsageError, visible
from exam_core.secrecy import without_secrets

_FORM = re.compile(r"([a-z][a-z0-9+.-]+):/+(.+)", re.DOTALL)
"""An address, also as a Path has it: s3:/bucket/key."""


def local_path(path: Path) -> Path:
    """The path; UsageError for an address. A file of such a name is given by its full path."""
    if match := _FORM.fullmatch(str(path)):
        shown = visible(without_secrets(f"{match[1]}://{re.split('[?#]', match[2])[0]}"), line_ends=False)
        raise UsageError(f"{shown}: addresses aren't read or written. Mount the storage as a folder, or copy the file.")
    return path
