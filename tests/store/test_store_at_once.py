"""Several at the same moment: of those who commit one wins, the other is told; many threads read one snapshot."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pandas as pd
import pytest

from exam_core.errors import BadInput, StoreError
from exam_core.store import Store, commits
from exam_core.store.cells import CellSource, read_cells
from exam_core.store.commits import ABANDONED_AFTER, Origin

from .store_samples import grades, judgments, passages, rankings, reading

ROUNDS = 12


def at_once(*works):
    """What each of the works returned or raised, begun at the same moment."""
    start = threading.Barrier(len(works))

    def one(work):
        start.wait()
        try:
            return work()
        except (BadInput, StoreError) as error:
            return error

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(one, works))


@pytest.mark.parametrize("collection", [f"c{number}" for number in range(ROUNDS)])
def test_of_two_contradicting_imports_one_is_refused(tmp_path, collection):
    one, other = Store(tmp_path / "store"), Store(tmp_path / "store")
    found = at_once(
        lambda: one.commit(collection, reading(grades(("q1", "d1", 1))), source="one"),
        lambda: other.commit(collection, reading(grades(("q1", "d1", 2))), source="other"),
    )
    assert sorted(type(said).__name__ for said in found) == ["BadInput", "Committed"]


def test_a_contradiction_that_came_while_an_import_was_written_is_found(store):
    waiting = store.prepare("c", reading(grades(("q1", "d1", 1))), Origin("slow"))
    store.commit("c", reading(grades(("q1", "d1", 2))), source="quick")
    with pytest.raises(BadInput, match="grade is 2 there and 1 here"):
        store.commit_together([waiting])


def test_of_two_imports_of_one_file_the_later_has_restored_nothing(store):
    both = [store.prepare("c", reading(judgments(("q1", "d1", 1))), Origin("same")) for _ in range(2)]
    both[1].written = dict(both[0].written)  # both looked before either had written
    done = [store.commit_together([one])[0] for one in both]
    assert [(one.changed, one.healed) for one in done] == [(True, 0), (False, 0)]


def test_of_two_editions_of_judgments_the_last_to_be_committed_counts(store):
    first = store.prepare("c", reading(judgments(("q1", "d1", 1))), Origin("qrels"), owns=[("judgments", "official")])
    last = store.prepare("c", reading(judgments(("q1", "d1", 2))), Origin("qrels"), owns=[("judgments", "official")])
    for prepared in (last, first):
        store.commit_together([prepared])
    assert store.snapshot("c").frame("judgments")["relevance"].tolist() == [1]


def old(path):
    long_ago = time.time() - 2 * ABANDONED_AFTER
    for file in path.rglob("*.parquet"):
        os.utime(file, (long_ago, long_ago))


def test_an_import_that_was_stopped_for_a_day_deletes_nothing_of_another(store, monkeypatch):
    stopped = store.prepare("c", reading(passages("d1")), Origin("stopped"))
    Store(store.path).commit("c", reading(passages("d2")), source="meanwhile")
    touch = commits.touch
    monkeypatch.setattr(commits, "touch", lambda paths: (touch(paths), old(store.path))[0])
    store.commit_together([stopped])
    assert sorted(store.snapshot("c").frame("passages")["doc_id"]) == ["d1", "d2"]


def test_an_import_whose_files_were_cleaned_up_meanwhile_is_told_so(store):
    stopped = store.prepare("c", reading(passages("d1")), Origin("stopped"))
    old(store.path)
    Store(store.path).commit("c", reading(passages("d2")), source="meanwhile")
    with pytest.raises(StoreError, match=r"stopped: .* were cleaned up.*\nImport it again"):
        store.commit_together([stopped])


def test_collections_of_one_file_are_all_refused_when_the_last_contradicts(store):
    store.commit("d", reading(grades(("q1", "d1", 1))), source="old")
    contents = {"c": reading(passages("d1")), "d": reading(grades(("q1", "d1", 2)))}
    with pytest.raises(BadInput):
        store.commit_together([store.prepare(name, content, Origin("new")) for name, content in contents.items()])
    assert store.collections() == ["d"]


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


def by_threads(work):
    """The result of each thread's work, begun at the same moment and done three times."""
    return at_once(*(partial(lambda number: [work(number) for _ in range(3)], number) for number in range(THREADS)))


def test_eight_threads_get_the_right_answer_to_eight_questions(snapshot):
    sql = "SELECT count(*) AS n, sum(grade) AS total FROM grades WHERE grader_id = ?"
    answers = by_threads(lambda number: snapshot.query(sql, [f"g{number}"]).fillna(-1).to_numpy().tolist())
    pairs = QUERIES * DOCS
    expected = [[[pairs, (number - 2) * pairs if number > 1 else -1]] for number in range(THREADS)]
    assert answers == [[one] * 3 for one in expected]


def test_eight_threads_read_the_cells_of_eight_graders(snapshot):
    def values(number):
        cells = read_cells(snapshot, CellSource(bank=None, grader_id=f"g{number}", depth=20))
        return set(np.unique(cells.grades).tolist())

    unreadable = -127
    expected = [{number - 2 if number > 1 else unreadable} for number in range(THREADS)]
    assert by_threads(values) == [[one] * 3 for one in expected]
