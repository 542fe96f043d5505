"""Modes of grading that people made, as the texts of their files; the store does not look into them."""

from __future__ import annotations

from pathlib import Path

from exam_core.store.files import files_in, folder_name, write_once
from exam_core.store.layout import refuse_later
from exam_core.store.store import MODES, Store


def keep_mode(store: Store, called: str, text: str) -> None:
    """Keep a mode's file; when this returns it is on disk. Raises StoreError where it can't be written."""
    store.refuse_file("add a mode to a folder")
    refuse_later(store.path)
    write_once(store.path / MODES / f"{folder_name(called)}.toml", text.encode())


def mode_files(store: Store) -> list[Path]:
    """The files of the modes that are kept; a single file keeps none."""
    return [] if store.is_file else files_in(store.path / MODES, "[!.]*.toml")
