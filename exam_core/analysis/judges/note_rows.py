"""Notes on passages as a table, and as JSON lines."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pandas as pd

from exam_core.analysis.shared_columns import PASSAGE, QUERY
from exam_core.note import Note
from exam_core.results import ResultTable, text

NOTES = ResultTable(
    "notes: rows",
    "Notes on passages, oldest first",
    QUERY,
    PASSAGE,
    text("text", "Note", "In the author's words.", width="large"),
    text("author", "By"),
    text("created", "When", "Time (UTC, ISO 8601)."),
    text("note_id", "Note ID"),
)


def notes_table(notes: Sequence[Note]) -> pd.DataFrame:
    """`NOTES` of notes."""
    return NOTES.of([tuple(getattr(note, name) for name in NOTES.names) for note in notes])


def notes_lines(notes: Sequence[Note]) -> str:
    """A note on each line, as JSON; empty without notes."""
    return "".join(f"{msgspec.json.encode(note).decode()}\n" for note in notes)
