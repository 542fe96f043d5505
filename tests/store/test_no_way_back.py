"""Many write and many read at once: what a reader has seen once, or what was acknowledged, it sees from then on."""

import threading

from exam_core.store import Store
from tests.store.store_samples import grades, rankings, reading

WRITERS, READERS, COMMITS = 2, 2, 8


def test_a_reader_never_goes_back_in_time(tmp_path):
    folder, acknowledged, wrong, ended = tmp_path / "store", set[str](), list[set[str]](), threading.Event()
    first = reading(rankings(("q1", "d1", 1.0), run="first"))
    Store(folder).commit("c", first, source="run:first", owns=[("rankings", "first")])
    Store(folder).describe_grader("c", "ours", {"mode": "self-rating"})

    def write(writer):
        store = Store(folder)
        for number in range(COMMITS):
            name = f"run{writer}.{number}"
            found = reading(rankings(("q1", "d1", number), run=name))
            store.commit("c", found, source=f"run:{name}", owns=[("rankings", name)])
            acknowledged.add(name)
            passage = f"{writer}.{number}"
            store.add_grades("c", "ours", grades(("q1", passage, 3), grader="ours"))
            acknowledged.add(passage)

    def read():
        store, seen = Store(folder), set[str]()
        while not ended.is_set():
            known = set(acknowledged)
            snapshot = store.snapshot("c")
            now = set(snapshot.frame("rankings")["run_id"]) | set(snapshot.frame("grades")["doc_id"])
            if missing := (seen | known) - now:
                wrong.append(missing)
            seen = now

    readers = [threading.Thread(target=read) for _ in range(READERS)]
    writers = [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
    for thread in (*readers, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    ended.set()
    for thread in readers:
        thread.join()
    assert (wrong, len(acknowledged)) == ([], 2 * WRITERS * COMMITS)
