"""What one flipped bit does to any file of a store: it is named, or it changes nothing; it never makes other data.

python -m tests.store.test_flipped_bits 10000
"""

import itertools
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import msgspec

from exam_core.actions.repairing import repair
from exam_core.errors import StoreError, UsageError
from exam_core.jobs.ordering import JobRequest, Order
from exam_core.jobs.records import job
from exam_core.store import Store
from exam_core.store.aliases_and_tags import ORDER, JobOrder
from exam_core.store.answer_cache import CachedAnswer
from exam_core.store.checking import check
from exam_core.tables import TABLES
from tests.store.store_samples import grades, judgments, passages, queries, rankings, reading
from tests.wings import added_to

ABOUT = {"model": "m"}


def filled(folder):
    store = Store(folder)
    whole = reading(queries(q1="Why?"), passages("d1", "d2"), grades(("q1", "d1", 3), ("q1", "d2", 1)))
    store.commit("c", whole, source="workbench:c.jsonl", file="c.jsonl")
    store.commit("c", reading(judgments(("q1", "d1", 2))), source="qrels:official", file="qrels.txt")
    store.commit("c", reading(rankings(("q1", "d1", 2.5), ("q1", "d2", 1.5))), source="run:bm25", file="bm25.run")
    store.describe_grader("c", "ours", {"mode": "self-rating", "llm": "m"})
    store.add_grades("c", "ours", grades(("q1", "d1", 4), grader="ours"))
    store.answers("m", ABOUT).add({bytes(16): CachedAnswer("5")})
    store.give_alias("c", "ours", "Ours", "ann@here")
    store.give_tags("c", {"bm25": ("baseline",)}, "ann@here")
    for record in added_to({}, "RECORDS").values():
        record.make(store, "told")
    store.catalogue.put(ORDER, "job", JobOrder("order", msgspec.to_builtins(JobRequest(Order("c")))))
    (store.jobs / "job").mkdir(parents=True)
    return store


def parts():
    """What readers can ask of it, by name."""
    asked = {name: lambda store, name=name: store.snapshot("c").frame(name).to_json() for name in TABLES}
    asked["graders"] = lambda store: repr(store.snapshot("c").graders)
    asked["sources"] = lambda store: repr(store.snapshot("c").sources)
    asked["names"] = lambda store: repr((store.snapshot("c").aliases, store.snapshot("c").tags))
    asked |= {kind: record.read for kind, record in added_to({}, "RECORDS").items()}
    asked["answers"] = lambda store: store.answers("m", ABOUT).find([bytes(16)])
    asked["order"] = lambda store: asked_for(job(store, "job"))
    return asked


def asked_for(found):
    """What a job was asked for; StoreError where its record says that it is damaged."""
    if found.damage:
        raise StoreError(found.damage)
    return found.request


def observed(folder, names=()):
    """All that readers find in it, or some of that; what is refused is an error in its place."""
    asked, found = parts(), {}
    try:
        store = Store(folder)
    except StoreError as error:  # How it is laid out can't be read.
        return dict.fromkeys(names or asked, error)
    for name in names or asked:
        try:
            found[name] = asked[name](store)
        except (StoreError, UsageError) as error:
            found[name] = error
    return found


def files(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def later(paths):
    """Give files a time that they never had: many writes fit into one tick of a file system's clock."""
    for path in paths:
        os.utime(path, ns=(time.time_ns(), next(_TIMES)))


def readers(folder):
    """Which answers read a file, by the file: seen by what is opened while each answer is made."""
    found = {path: [] for path in files(folder)}
    for name in parts():
        later(found)
        _OPENED.clear()
        observed(folder, [name])
        for path in found:
            if str(path) in _OPENED:
                found[path].append(name)
    return found


_TIMES = itertools.count(time.time_ns(), 1_000_000)
_OPENED = set()


def _note_what_is_opened(event, arguments):
    if event == "open":
        _OPENED.add(str(arguments[0]))
    elif event == "sqlite3.connect":
        _OPENED.add(str(arguments[0]).removeprefix("file:").partition("?")[0])


def flip(path, bit):
    content = bytearray(path.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


def outcomes(folder, count, seed):
    """What so many single flips did, each undone before the next; files take turns, so that each kind has its share."""
    filled(folder)
    sys.addaudithook(_note_what_is_opened)
    reads, whole = readers(folder), observed(folder)
    rng, found = random.Random(seed), Counter[str]()
    turns = itertools.cycle(path for path in reads if path.stat().st_size)
    for path in itertools.islice(turns, count):
        before = path.read_bytes()
        flip(path, rng.randrange(8 * len(before)))
        later([path])
        found[outcome(folder, path, reads[path], whole)] += 1
        path.write_bytes(before)
        later([path])
    assert observed(folder) == whole, "A flip that is undone leaves nothing behind."
    return found


def outcome(folder, path, names, whole):
    """What a flip in a file did to the answers that read it."""
    now = observed(folder, names) if names else {}
    differs = [name for name in now if now[name] != whole[name]]
    if not differs:
        return "nothing"
    if all(isinstance(now[name], StoreError | UsageError) for name in differs):
        return "named where it is read"
    if any(problem.path == path for one in check(Store(folder)) for problem in one.problems):
        return "left out, and named by check"
    return f"OTHER DATA: {path.relative_to(folder)}: {differs}"


def test_a_flipped_bit_is_named_or_changes_nothing(tmp_path):
    found = outcomes(tmp_path / "store", 36, seed=1)
    assert not [name for name in found if name.startswith("OTHER")]
    assert found["named where it is read"] > 12


def test_what_is_damaged_is_set_aside_and_the_rest_can_be_read(tmp_path):
    folder = tmp_path / "store"
    filled(folder)
    whole = observed(folder)
    (path,) = (folder / "c" / "judgments").iterdir()
    flip(path, 8 * 30)
    (answers,) = (folder / "cache").rglob("*.sqlite")
    flip(answers, 100)
    store = Store(folder)
    damaged = {one.collection: len(one.problems) for one in check(store)}
    assert damaged == {"c": 1, "cache": 1}
    assert len(repair(store).moved) == 2
    assert [one.problems for one in check(Store(folder))] == [[]]
    now = observed(folder)
    assert {name for name in whole if now[name] != whole[name]} == {"judgments", "answers", "sources"}
    assert now["answers"] == {}
    store.commit("c", reading(judgments(("q1", "d1", 2))), source="qrels:official", file="qrels.txt")
    assert observed(folder)["judgments"] == whole["judgments"]


def test_what_cannot_be_read_is_named_and_stays_where_it_is(tmp_path):
    folder = tmp_path / "store"
    store = filled(folder)
    (path,) = (folder / "c" / "judgments").iterdir()
    path.rename(tmp_path / "kept")
    path.symlink_to(path)  # opening it fails, as it does without the right to read
    done = repair(store)
    assert [(problem.path, problem.kind) for one in done.checked for problem in one.problems] == [(path, "unreadable")]
    assert (done.moved, path.is_symlink()) == ([], True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        for what, times in outcomes(Path(made) / "store", int(sys.argv[1]), seed=2).most_common():
            print(f"{times:>8,}  {what}")
