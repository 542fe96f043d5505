"""Modes that a store keeps: a damaged one is set aside, and the others stay."""

import msgspec

from exam_core.grading.modes.known import modes_of
from exam_core.grading.modes.papers import MODES
from exam_core.store import Store
from exam_core.wings.modes import actions
from tests.store.store_samples import change_record


def test_a_mode_under_another_modes_name_is_left_out(tmp_path):
    store = Store(tmp_path / "store")
    actions.add_mode(store, 'name = "mine"\nprompt = "Rate {passage} for {query}"', tmp_path / "mode.toml")
    whole = change_record(store.path, "mode", b"")
    changed = msgspec.json.encode(msgspec.json.decode(whole).replace("Rate", "Grade"))
    change_record(store.path, "mode", changed, is_sound=True)
    assert len(modes_of(Store(store.path))) == len(MODES)
