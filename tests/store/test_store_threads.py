"""Many threads read one snapshot at once, as the sessions of a dashboard do."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pandas as pd
import pytest

from exam_core.store.cells import CellSource, read_cells
from exam_core.store.summary import summary

from .store_samples import grades, judgments, passages, rankings, reading

THREADS, QUERIES, DOCS = 8, 40, 25


@pytest.fixture
def snapshot(store):
    """Eight graders, each with its own grade for everything, and two sources, so that tables unite."""
    pairs = [(f"q{query}", f"d{doc}") for query in range(QUERIES) for doc in range(DOCS)]
    for half in (0, 1):
        mine = pairs[half::2]
        parts = [
            grades(*((*pair, n - 2 if n > 1 else None) for pair in mine), grader=f"g{n}", question=None)
            for n in range(THREADS)
        ]
        ranked = rankings(*((*pair, float(-place)) for place, pair in enumerate(mine)), run=f"run{half}")
        judged = judgments(*((*pair, half) for pair in mine))
        content = reading(pd.concat(parts, ignore_index=True), ranked, judged, passages(*{d for _, d in mine}))
        store.commit("c", content, source=f"half {half}")
    return store.snapshot("c")


def at_once(work):
    """The result of each thread's work, started at the same moment and done three times."""
    start = Barrier(THREADS)

    def one(number):
        start.wait()
        return [work(number) for _ in range(3)]

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(one, range(THREADS)))


def test_eight_threads_get_the_right_answer_to_eight_questions(snapshot):
    sql = "SELECT count(*) AS n, sum(grade) AS total FROM grades WHERE grader_id = ?"
    answers = at_once(lambda number: snapshot.query(sql, [f"g{number}"]).fillna(-1).to_numpy().tolist())
    pairs = QUERIES * DOCS
    expected = [[[pairs, (number - 2) * pairs if number > 1 else -1]] for number in range(THREADS)]
    assert answers == [[one] * 3 for one in expected]


def test_eight_threads_read_the_cells_of_eight_graders(snapshot):
    def values(number):
        cells = read_cells(snapshot, CellSource(bank=None, grader_id=f"g{number}", depth=20))
        return set(np.unique(cells.grades).tolist())

    unreadable = -127
    expected = [{number - 2 if number > 1 else unreadable} for number in range(THREADS)]
    assert at_once(values) == [[one] * 3 for one in expected]


def test_eight_threads_open_and_count_the_collection(store, snapshot):
    expected = summary(snapshot)
    assert at_once(lambda _number: summary(store.snapshot("c"))) == [[expected] * 3] * THREADS
