"""Modes of grading that people made, as the texts of their files; the store does not look into them."""

from __future__ import annotations

from exam_core.errors import StoreError
from exam_core.store.files import files_in, folder_name, plain_name, write_once
from exam_core.store.layout import refuse_later
from exam_core.store.store import Store

MODES = ".modes"
"""Where they lie: a file for each, named as graders call it."""


def keep_mode(store: Store, called: str, text: str) -> None:
    """Keep a mode's file; when this returns it is on disk.

    Raises
    ------
    StoreError : it can't be written
    """
    if store.is_file:
        raise StoreError(f"{store.path} is a single-file store and read only; add a mode to a folder.")
    refuse_later(store.path)
    write_once(store.path / MODES / f"{folder_name(called)}.toml", text.encode())


def mode_texts(store: Store) -> dict[str, str]:
    """The texts of the modes that are kept, by how graders call them; one that is gone is left out."""
    if store.is_file:
        return {}
    found = {}
    for path in files_in(store.path / MODES, "[!.]*.toml"):
        try:
            found[plain_name(path.stem)] = path.read_bytes().decode("utf-8", "replace")
        except OSError:
            continue
    return dict(sorted(found.items()))
