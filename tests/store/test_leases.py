"""Leases of prompts: no two jobs hold the same, none is held by a job that is gone, and none is left behind."""

import os
import subprocess
import sys
import threading
import time

import msgspec
import pytest

from exam_core.store import leases as module
from exam_core.store import processes
from exam_core.store.leases import Leases
from exam_core.store.processes import Process, is_alive, process

KEYS = [bytes([number]) * 16 for number in range(10)]


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def held_by(folder, owner, *, age=0.0):
    """The lease of another process on all keys."""
    folder.mkdir(exist_ok=True)
    path = folder / "other.1.abc.lease"
    path.write_bytes(msgspec.msgpack.encode({"owner": owner, "keys": b"".join(KEYS)}))
    os.utime(path, (time.time() - age,) * 2)
    return path


ELSEWHERE = Process(1, "another machine", "1")


def test_what_one_job_asks_another_leaves_to_it(tmp_path):
    with Leases(tmp_path) as one, Leases(tmp_path) as other:
        assert one.take(KEYS[:6]) == (set(KEYS[:6]), set())
        assert other.take(KEYS) == (set(KEYS[6:]), set(KEYS[:6]))
        one.release()
        assert other.take(KEYS) == (set(KEYS), set())


def test_only_the_first_so_many_that_are_free_are_leased(tmp_path):
    with Leases(tmp_path) as one, Leases(tmp_path) as other:
        assert one.take(KEYS, 4)[0] == set(KEYS[:4])
        assert other.take(KEYS, 3) == (set(KEYS[4:7]), set(KEYS[:4]))


def test_another_lease_lets_the_first_go_and_a_job_leaves_no_file_behind(tmp_path):
    with Leases(tmp_path) as one, Leases(tmp_path) as other:
        one.take(KEYS[:5])
        one.take(KEYS[5:])
        assert len(files(tmp_path)) == 1
        assert other.take(KEYS)[0] == set(KEYS[:5])
    assert files(tmp_path) == []


def test_of_those_that_want_the_same_at_once_no_two_get_it(tmp_path):
    holders = dict.fromkeys(KEYS, 0)
    got, lock, barrier = set[bytes](), threading.Lock(), threading.Barrier(4)

    def work():
        with Leases(tmp_path) as leases:
            for _ in range(25):
                barrier.wait()
                mine, _ = leases.take(KEYS)
                with lock:
                    for key in mine:
                        holders[key] += 1
                        assert holders[key] == 1
                    got.update(mine)
                with lock:
                    for key in mine:
                        holders[key] -= 1
                leases.release()

    failed = []

    def guarded():
        try:
            work()
        except BaseException as error:
            failed.append(error)
            barrier.abort()

    threads = [threading.Thread(target=guarded) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert got == set(KEYS)
    assert files(tmp_path) == []


def test_a_lease_that_is_not_renewed_is_taken_over_and_removed(tmp_path):
    held_by(tmp_path, ELSEWHERE, age=module.EXPIRES_AFTER - 10)
    with Leases(tmp_path) as leases:
        assert leases.take(KEYS) == (set(), set(KEYS))
        held_by(tmp_path, ELSEWHERE, age=module.EXPIRES_AFTER + 10)
        assert leases.take(KEYS) == (set(KEYS), set())
    assert files(tmp_path) == []


def test_a_lease_is_renewed_while_its_job_works(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "RENEWALS", module.EXPIRES_AFTER / 0.01)
    with Leases(tmp_path) as one, Leases(tmp_path) as other:
        one.take(KEYS)
        held_by_one = next(tmp_path.iterdir())
        os.utime(held_by_one, (0, 0))
        while held_by_one.stat().st_mtime == 0:
            time.sleep(0.005)
        assert other.take(KEYS) == (set(), set(KEYS))


def test_the_lease_of_a_process_that_is_known_to_be_dead_is_taken_over_at_once(tmp_path):
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    held_by(tmp_path, process(child.pid))
    with Leases(tmp_path) as leases:
        assert leases.take(KEYS)[0] == set()
        child.kill()
        child.communicate()
        assert leases.take(KEYS)[0] == set(KEYS)
    assert files(tmp_path) == []


@pytest.mark.parametrize("name", ["half.1.abc.part", "odd.lease"])
def test_rests_of_a_killed_job_hold_nothing_and_are_removed_when_they_are_old(tmp_path, name):
    (tmp_path / name).write_bytes(b"\x81\xa4")
    with Leases(tmp_path) as leases:
        assert leases.take(KEYS)[0] == set(KEYS)
        assert name in files(tmp_path)
        os.utime(tmp_path / name, (0, 0))
        leases.take(KEYS)
    assert files(tmp_path) == []


def test_a_job_that_can_write_no_lease_asks_all_by_itself(tmp_path):
    (tmp_path / "file").write_text("no folder")
    with Leases(tmp_path / "file") as leases:
        assert leases.take(KEYS, 3) == (set(KEYS[:3]), set())


def test_a_process_is_told_from_one_that_gets_its_number_later():
    me = process()
    if not me.place:
        pytest.skip("this system doesn't say when a process began")
    assert is_alive(me) is True
    assert is_alive(Process(me.pid, me.place, "1")) is False
    assert is_alive(Process(me.pid, "another start of the machine", me.started)) is None


def test_where_the_system_says_nothing_of_processes_nothing_is_claimed(monkeypatch):
    monkeypatch.setattr(processes, "here", lambda: "")
    assert is_alive(process()) is None
