"""Leases of prompts: no two jobs hold the same, none is held by a job that is gone, and none is left behind."""

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

from exam_core.store import answer_cache as module
from exam_core.store import processes
from exam_core.store.answer_cache import Leases, answer_file
from exam_core.store.processes import Process, is_alive, process
from tests.store.store_samples import rows_of

KEYS = [bytes([number]) * 16 for number in range(10)]


@pytest.fixture
def file(tmp_path):
    return answer_file(tmp_path)


def leases(file):
    return rows_of(file.path, "leases")


def held_by(file, owner, *, age=0.0):
    """The lease of another process on all keys."""
    row = ("other", msgspec.msgpack.encode(owner), time.time() - age, b"".join(KEYS))
    with file.writing() as connection:
        connection.execute("INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?)", row)


ELSEWHERE = Process(1, "another machine", "1")


def test_what_one_job_asks_another_leaves_to_it(file):
    with Leases(file) as one, Leases(file) as other:
        assert one.take(KEYS[:6]) == (set(KEYS[:6]), set())
        assert other.take(KEYS) == (set(KEYS[6:]), set(KEYS[:6]))
        one.release()
        assert other.take(KEYS) == (set(KEYS), set())


def test_only_the_first_so_many_that_are_free_are_leased(file):
    with Leases(file) as one, Leases(file) as other:
        assert one.take(KEYS, 4)[0] == set(KEYS[:4])
        assert other.take(KEYS, 3) == (set(KEYS[4:7]), set(KEYS[:4]))


def test_another_lease_lets_the_first_go_and_a_job_leaves_no_row_behind(file):
    with Leases(file) as one, Leases(file) as other:
        one.take(KEYS[:5])
        one.take(KEYS[5:])
        assert len(leases(file)) == 1
        assert other.take(KEYS)[0] == set(KEYS[:5])
    assert leases(file) == []


def test_of_those_that_want_the_same_at_once_no_two_get_it(file):
    holders = dict.fromkeys(KEYS, 0)
    got, lock, barrier = set[bytes](), threading.Lock(), threading.Barrier(4)

    def work(_):
        with Leases(answer_file(file.path.parent)) as leases:
            for _ in range(25):
                barrier.wait(60)
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

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(4))) == [None] * 4
    assert got == set(KEYS)
    assert leases(file) == []


def test_a_lease_that_is_not_renewed_is_taken_over_and_removed(file, monkeypatch):
    held_by(file, ELSEWHERE, age=module.EXPIRES_AFTER + 10)  # by the clock of another machine
    with Leases(file) as leases:
        assert leases.take(KEYS) == (set(), set(KEYS))
        now = time.monotonic()
        monkeypatch.setattr(module.time, "monotonic", lambda: now + module.EXPIRES_AFTER - 10)
        assert leases.take(KEYS) == (set(), set(KEYS))
        held_by(file, ELSEWHERE)
        monkeypatch.setattr(module.time, "monotonic", lambda: now + module.EXPIRES_AFTER + 10)
        assert leases.take(KEYS) == (set(), set(KEYS))
        monkeypatch.setattr(module.time, "monotonic", lambda: now + 3 * module.EXPIRES_AFTER)
        assert leases.take(KEYS) == (set(KEYS), set())
    assert rows_of(file.path, "leases") == []


def test_a_lease_of_long_ago_is_taken_over_at_once(file):
    held_by(file, ELSEWHERE, age=module.LONG_AGO + 10)
    with Leases(file) as leases:
        assert leases.take(KEYS) == (set(KEYS), set())


def test_a_lease_is_renewed_while_its_job_works(file, monkeypatch):
    monkeypatch.setattr(module, "RENEWALS", module.EXPIRES_AFTER / 0.01)
    with Leases(file) as one:
        one.take(KEYS)
        ((_, _, first, _),) = rows_of(file.path, "leases")
        while rows_of(file.path, "leases")[0][2] == first:
            time.sleep(0.005)


def test_the_lease_of_a_process_that_is_known_to_be_dead_is_taken_over_at_once(file):
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    held_by(file, process(child.pid))
    with Leases(file) as leases:
        assert leases.take(KEYS)[0] == set()
        child.kill()
        child.communicate()
        assert leases.take(KEYS)[0] == set(KEYS)


def test_a_job_that_can_write_no_lease_asks_all_by_itself(tmp_path):
    (tmp_path / "file").write_text("no folder")
    with Leases(answer_file(tmp_path / "file")) as leases:
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
