"""Modes that a store keeps: a damaged one is set aside, and the others stay."""

import msgspec

from exam_core import actions
from exam_core.grading.modes.known import modes_of
from exam_core.grading.modes.papers import MODES
from exam_core.store import Store
from tests.store.store_samples import change_record
from tests.store.test_records import DAMAGES


def test_a_damaged_mode_is_named_and_set_aside_without_the_others(tmp_path):
    for number, content in enumerate((*DAMAGES.values(), b"")):
        store = Store(tmp_path / str(number))
        for name in ("mine", "other"):
            actions.add_mode(
                store, f'name = "{name}"\nprompt = "Rate {{passage}} for {{query}}"', tmp_path / "mode.toml"
            )
        whole = change_record(store.path, "mode", content)
        if not content:
            change_record(store.path, "mode", whole.replace(b"Rate", b"Grade"))
        store = Store(store.path)
        done = actions.repair(store)
        (problem,) = (problem for one in done.checked for problem in one.problems)
        assert problem.record, content[:40]
        assert (problem.record.kind, "mode add" in problem.remedy, len(done.aside)) == ("mode", True, 1), content[:40]
        assert len(modes_of(store)) == len(MODES) + 1


def test_a_mode_under_another_modes_name_is_left_out(tmp_path):
    store = Store(tmp_path / "store")
    actions.add_mode(store, 'name = "mine"\nprompt = "Rate {passage} for {query}"', tmp_path / "mode.toml")
    whole = change_record(store.path, "mode", b"")
    changed = msgspec.json.encode(msgspec.json.decode(whole).replace("Rate", "Grade"))
    change_record(store.path, "mode", changed, is_sound=True)
    assert len(modes_of(Store(store.path))) == len(MODES)
