"""What modes of one's own add to tests of the whole."""

from __future__ import annotations

from pathlib import Path

from exam_core.store import Store
from exam_core.wings.modes.actions import add_mode
from exam_core.wings.modes.mode_files import MODE
from tests.wings import Record

READING = {"mode list": ["mode list"]}
ELSEWHERE = {"mode show": "wings/modes/test_mode_commands.py", "mode add": "wings/modes/test_mode_commands.py"}


def _add(store: Store, name: str) -> object:
    text = f'name = "{name}"\nprompt = "Rate {{passage}} for {{query}}"'
    return add_mode(store, text, Path(f"{name}.toml"))


RECORDS = {
    "mode": Record(
        _add,
        lambda store: len(store.catalogue.read(MODE).values),
        lambda store: store.catalogue.read(MODE).values.get("told"),
        lambda store: _add(store, "told"),
    )
}
