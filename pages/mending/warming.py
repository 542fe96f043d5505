"""The first board, made once while nobody waits for it: Python, DuckDB and Plotly take their time at the first one."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from threading import Thread

LOADED_LATER = ("exam_core.reports.board_lines", "PIL.Image")
"""What the Leaderboard loads besides, once it has a chart."""


@contextmanager
def meanwhile() -> Iterator[None]:
    """Rehearse while the server begins to listen; it does not end before the rehearsal."""
    thread = Thread(target=_rehearse, name="rehearsal")
    thread.start()
    try:
        yield
    finally:
        thread.join()


def _rehearse() -> None:
    from pages.shared import data, wings

    with suppress(Exception):  # Whoever visits meets it again, and is told.
        data.rehearse()
    for name in (*LOADED_LATER, *(item for names in wings.declared("LOADED_LATER") for item in names)):
        import_module(name)
    inspect.stack()  # Streamlit looks at it before its first element; what Python reads for it is kept.
