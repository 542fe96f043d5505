"""Where gradebooks of a collection are kept in files, and which of them nobody opens any more."""

from __future__ import annotations

from pathlib import Path

from exam_core.store.files import files_in

FOLDER = "gradebooks"
"""Folder of a collection: whoever may not read the collection may not read these either."""


def stale_books(folder: Path, fingerprint: str) -> list[Path]:
    """Gradebooks of a collection as it was once, and what killed processes left of one."""
    books = files_in(folder / FOLDER, "*.book")
    return [path for path in books if not path.name.startswith(f"{fingerprint}-")] + files_in(
        folder / FOLDER, ".*.part"
    )
