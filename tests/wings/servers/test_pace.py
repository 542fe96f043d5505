"""Limits per minute, on a clock of our own."""

import threading

import pytest

from exam_core.wings.servers.remote import Pace


@pytest.mark.parametrize(
    ("requests", "tokens", "each"),
    [(60, None, 10), (600, None, 10), (None, 6000, 100), (90, 6000, 100), (30, 6000, 10)],
)
def test_no_minute_holds_more_than_the_limits(requests, tokens, each):
    pace, starts, lock = Pace(requests, tokens, lambda: 5.0), [], threading.Lock()

    def reserve():
        for _ in range(200):
            start = 5.0 + pace.reserve(each)
            with lock:
                starts.append(start)

    threads = [threading.Thread(target=reserve) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    starts.sort()
    fullest = max(sum(start <= other < start + 59.999 for other in starts) for start in starts)
    assert fullest == min(requests or 10**9, (tokens or 10**9) // each)


def test_a_pace_that_was_not_used_for_a_while_saves_nothing_up():
    time = 5.0
    pace = Pace(60, None, lambda: time)
    pace.reserve(1)
    time += 1000
    assert [pace.reserve(1), pace.reserve(1), pace.reserve(1)] == [0, 1, 2]


def test_without_limits_nobody_waits_until_someone_is_told_to():
    pace = Pace(None, None, lambda: 0.0)
    assert [pace.reserve(10**6), pace.reserve(10**6)] == [0, 0]
    pace.hold(30)
    pace.hold(20)
    assert pace.reserve(1) == 30
