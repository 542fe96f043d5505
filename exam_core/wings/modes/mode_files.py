"""Modes of grading that people made, as the texts of their files; the store does not look into them."""

from __future__ import annotations

import msgspec

from exam_core.store.catalogue import RecordKind
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
