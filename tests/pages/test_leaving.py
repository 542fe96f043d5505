"""Sessions without a browser wait for it, and are ended."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from types import SimpleNamespace

import pytest

from pages.mending import leaving
from pages.mending.leaving import Left


@pytest.fixture
def clock(monkeypatch):
    now = SimpleNamespace(at=0.0)
    monkeypatch.setattr(leaving.time, "monotonic", lambda: now.at)
    return now


def session(name, ended):
    return SimpleNamespace(session=SimpleNamespace(id=name, shutdown=lambda: ended.append(name)))


def test_a_session_whose_browser_does_not_come_back_is_ended(clock):
    left, ended = Left(), list[str]()
    for number, name in enumerate(("a", "b")):
        clock.at = 100.0 * number
        left.save(session(name, ended))
    clock.at = leaving.KEPT
    assert left.end_old() == 1
    assert (ended, [info.session.id for info in left.list()]) == (["a"], ["b"])


def test_a_session_whose_browser_comes_back_goes_on(clock):
    left, ended = Left(), list[str]()
    left.save(session("a", ended))
    assert left.get("a").session.id == "a"
    left.delete("a")
    clock.at = 2 * leaving.KEPT
    left.end_old()
    assert (ended, left.get("a")) == ([], None)


def test_of_too_many_sessions_those_that_left_first_are_ended():
    left, ended = Left(), list[str]()
    for number in range(leaving.MOST + 2):
        left.save(session(str(number), ended))
    assert ended == ["0", "1"]


class Mine:
    """What can refer to itself, and be looked for."""

    own: Mine


@pytest.mark.parametrize("frozen", [False, True])
def test_what_a_session_left_behind_is_freed_though_the_collector_was_told_to_leave_it_alone(frozen):
    gc.unfreeze()
    if frozen:
        gc.freeze()  # what there was before
    mine = Mine()
    mine.own = mine
    gone = weakref.ref(mine)
    if frozen:
        gc.freeze()
    del mine
    gc.collect()
    assert (gone() is not None) == frozen
    leaving.sweep()
    assert (gone(), gc.get_freeze_count() > 0) == (None, frozen)
    gc.unfreeze()


def test_a_sweep_leaves_alone_what_another_thread_is_making():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    sweeping = threading.Thread(target=lambda: [leaving.sweep() for _ in range(2)])
    try:
        sweeping.start()
        while sweeping.is_alive():
            assert tuple(sum(range(50)) for _ in range(20)) == (1225,) * 20
    finally:
        sweeping.join()
        sys.setswitchinterval(before)
