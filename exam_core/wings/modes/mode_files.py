"""Modes of grading that people made, as the texts of their files; the store does not look into them."""

from __future__ import annotations

import msgspec

from exam_core.store.catalogue import RecordKind
from exam_core.store.store import Store
from exam_core.store.version_1 import OldFiles

MODE = RecordKind(
    "mode",
    str,
    "Jobs can't grade by this mode; grades by it count as before.",
    "Set it aside (check --repair) and add the mode again (mode add FILE). "
    "Where there are grades by it, mode show NAME --collection C prints its file.",
)
KINDS = (MODE,)
BEFORE = (OldFiles("mode", ".modes/*.toml", read=lambda content, _: msgspec.json.encode(content.decode())),)


def keep_mode(store: Store, called: str, text: str) -> None:
    """Keep a mode's file; when this returns it is on disk. Raises StoreError where it can't be written."""
    store.refuse_file("add a mode to a folder")
    store.catalogue.put(MODE, called, text)


def mode_texts(store: Store) -> dict[str, str]:
    """The texts of the modes that are kept, by what graders call them; those that are damaged are left out."""
    return store.catalogue.read(MODE).values
