"""Shards in threads: in order, equal to the last bit, and ended with the whole."""

import os
import threading
import time
from functools import partial

import numpy as np
import pytest

from exam_core import engine
from exam_core.engine import WORKERS, Engine
from exam_core.errors import UndefinedMeasure, UsageError
from exam_core.numbers.resampling import bootstrap_counts, bootstrap_means


def drawn(each):
    """The bytes of means whose draws are cut into shards."""
    boards = np.random.default_rng(5).random((3, 6, 25)).round(1)
    shards = np.array_split(bootstrap_counts(25, 200), 20)
    return np.concatenate(list(each(partial(bootstrap_means, boards), shards))).tobytes()


@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize("shards", [0, 1, 3, 40])
def test_what_is_found_comes_in_the_order_of_the_shards(workers, shards):
    def found(shard):
        time.sleep(0.001 * (shard % 3))
        return shard * shard

    assert list(Engine(workers=workers).map(found, range(shards))) == [n * n for n in range(shards)]


def test_what_is_drawn_is_the_same_to_the_last_bit_however_many_compute():
    assert {drawn(Engine(workers=workers).map) for workers in (2, 4)} == {drawn(map)}


def test_one_shard_and_shards_of_shards_stay_in_their_thread():
    def inner(_):
        return set(Engine(workers=2).map(lambda _: threading.get_ident(), range(3)))

    assert list(Engine(workers=2).map(lambda _: threading.get_ident(), [0])) == [threading.get_ident()]
    outer = Engine(workers=2).map(lambda _: (inner(_), {threading.get_ident()}), range(5))
    assert all(within == itself for within, itself in list(outer)[1:])


def test_an_error_comes_as_it_is_and_who_stops_asking_stops_the_rest():
    begun = []

    def work(shard):
        begun.append(shard)
        time.sleep(0.002)
        if shard == 2:
            raise UndefinedMeasure("Not defined.")

    with pytest.raises(UndefinedMeasure, match="Not defined"):
        list(Engine(workers=2).map(work, range(500)))
    asking = Engine(workers=2).map(work, range(10, 500))
    next(asking)
    asking.close()  # as Ctrl-C does
    assert len(begun) < 20


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({WORKERS: "3"}, Engine(3)),
        ({"OPENBLAS_NUM_THREADS": ""}, Engine(1)),
        ({WORKERS: "0"}, "EXAMBOARD_WORKERS=0: set it to a whole number from 1 on"),
        ({WORKERS: "two"}, "EXAMBOARD_WORKERS=two: set it"),
    ],
    ids=str,
)
def test_the_environment_says_what_computes(monkeypatch, environment, expected):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    if isinstance(expected, Engine):
        assert engine.current() == expected
        return
    with pytest.raises(UsageError) as said:
        engine.current()
    assert expected in str(said.value)


def test_where_matrices_are_multiplied_in_one_thread_each_processor_has_a_worker(monkeypatch):
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    engine.multiply_in_one_thread()
    assert engine.current().workers == len(os.sched_getaffinity(0))
