"""Files of modes: a damaged one is set aside, and the others stay."""

from exam_core import actions
from exam_core.grading.modes.known import modes_of
from exam_core.grading.modes.papers import MODES
from exam_core.store import Store
from exam_core.store.store import MODES as MODES_FOLDER
from tests.store.test_records import DAMAGES


def test_a_damaged_mode_is_named_and_set_aside_without_the_others(tmp_path):
    store = Store(tmp_path / "store")
    for name in ("mine", "other"):
        actions.add_mode(store, f'name = "{name}"\nprompt = "Rate {{passage}} for {{query}}"', tmp_path / "mode.toml")
    path = next((store.path / MODES_FOLDER).glob("mine-*"))
    for content in (*DAMAGES.values(), path.read_bytes().replace(b"Rate", b"Grade")):
        path.write_bytes(content)
        done = actions.repair(store)
        aside = store.path / ".damaged" / MODES_FOLDER
        assert [(p.path, p.kind) for one in done.checked for p in one.problems] == [(path, "file")], content[:40]
        assert (done.aside[0].parent, path.exists(), len(modes_of(store))) == (aside, False, len(MODES) + 1)
