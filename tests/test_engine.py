"""Shards in threads and on a Ray cluster: in order, equal to the last bit, and ended with the whole."""

import os
import sys
import threading
import time
from functools import partial

import numpy as np
import pytest

from exam_core import engine
from exam_core.engine import ENGINE, WORKERS, Engine
from exam_core.errors import ExamboardError, UndefinedMeasure, UsageError
from exam_core.measures import OF_GRADES, Measure
from exam_core.measures import sweep as sweeping
from exam_core.measures.sweep import sweep
from exam_core.numbers.resampling import bootstrap_counts, bootstrap_means
from tests.measures.books import random_book

BOOK = random_book(np.random.default_rng(3), queries=60, width=4, places=6, passages=5)


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
        ({WORKERS: "3"}, Engine("local", 3)),
        ({"OPENBLAS_NUM_THREADS": ""}, Engine("local", 1)),
        ({ENGINE: "ray", WORKERS: "5"}, Engine("ray", 5)),
        ({ENGINE: "spark"}, "EXAMBOARD_ENGINE=spark: there is no such engine. Set it to local or ray"),
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


def test_what_ray_prints_of_a_lost_machine_is_no_part_of_the_data(capsys):
    out = engine._RayApart(sys.stdout)
    ray = threading.Thread(target=out.write, args=("a raylet died\n",), name="ray_listen_error_messages")
    ray.start()
    ray.join()
    out.write("data\n")
    assert capsys.readouterr() == ("data\n", "a raylet died\n")


@pytest.mark.thorough  # a cluster takes half a minute to start
def test_three_machines_one_of_them_lost_meanwhile_find_the_same_bits(monkeypatch):
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    from tests.grading.raylets import fill, head, kill

    measures = [Measure.at(name, 4) for name in OF_GRADES]
    whole = sweep(BOOK, measures, taus=(1, 3, 5))
    monkeypatch.setattr(sweeping, "AT_ONCE", 4)
    here = drawn(map)
    with head() as machines:
        try:
            monkeypatch.setenv(ENGINE, "ray")
            fill(machines, 3)
            monkeypatch.setenv(WORKERS, "3")
            assert sweep(BOOK, measures, taus=(1, 3, 5)).tobytes() == whole.tobytes()
            assert drawn(engine.current().map) == here
            slowly = engine.current().map(_slowly, range(60))
            assert next(slowly) == 0
            kill(machines)
            assert list(slowly) == list(range(1, 60))
            with pytest.raises(UndefinedMeasure, match=r"^Not defined\.$"):
                list(engine.current().map(_undefined, range(3)))
            with pytest.raises(ExamboardError, match="could not compute this: division by zero\nRun the command again"):
                list(engine.current().map(_divided, range(3)))
        finally:
            ray.shutdown()


def _slowly(shard):
    time.sleep(0.1)
    return shard


def _undefined(_):
    raise UndefinedMeasure("Not defined.")


def _divided(shard):
    return 1 / (shard * 0)
