"""Stores of version 1: read as they are, and taken over once, when they are first written to."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from exam_core.errors import StoreError
from exam_core.jobs.ordering import JobRequest, Order
from exam_core.jobs.records import jobs
from exam_core.store import Store
from exam_core.store.checking import check
from exam_core.store.files import content_name
from exam_core.store.version_1 import FOLDER, LAYOUT, MOVING
from tests.store.store_samples import ids_of, passages, reading, shown

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "store-1.0.0"
WRITES = """
import sys
from exam_core.store import Store
Store(sys.argv[1]).give_alias("demo", "person", sys.argv[2], "ann@here")
"""


@pytest.fixture
def old(tmp_path):
    return Path(shutil.copytree(GOLDEN, tmp_path / "store"))


def paths(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def sealed(content):
    return b'%s,"check":"%s"}' % (content[:-1], content_name(content[:-1]).encode())


def test_who_only_reads_changes_nothing(old):
    before = {path: (old / path).read_bytes() for path in paths(old)}
    store = Store(old)
    assert (store.collections(), len(store.snapshot("demo").sources)) == (["demo"], 4)
    assert [one.problems for one in check(store)] == [[]]
    assert {path: (old / path).read_bytes() for path in paths(old)} == before


def test_the_first_who_writes_takes_all_over_and_the_old_records_are_kept(old):
    before, there = shown(Store(old).snapshot("demo")), paths(old)
    fingerprint = Store(old).snapshot("demo").fingerprint
    Store(old).give_alias("demo", "person", "Somebody", "ann@here")
    store = Store(old)
    assert (shown(store.snapshot("demo")), store.snapshot("demo").fingerprint) == (before, fingerprint)
    assert dict(store.snapshot("demo").aliases)["person"] == "Somebody"
    kept = {path.removeprefix(f"{FOLDER}/") for path in paths(old) if path.startswith(FOLDER)}
    assert {path.split("/")[1] for path in kept} >= {"imports", "aliases", "tags", "reviews"}
    assert there - kept == paths(old) - {f"{FOLDER}/{path}" for path in kept} - {"catalogue.sqlite"}
    assert ids_of(old, MOVING) == []


def test_version_1_refuses_what_was_taken_over(old):
    Store(old).give_alias("demo", "person", "Somebody", "ann@here")
    said = json.loads((old / LAYOUT).read_bytes())
    assert (said["layout"], said["check"]) == (2, content_name(b'{"layout":2'))


def test_two_processes_take_a_store_over_once(old):
    writers = [subprocess.Popen([sys.executable, "-c", WRITES, str(old), name], cwd=ROOT) for name in ("one", "two")]
    assert [writer.wait() for writer in writers] == [0, 0]
    assert [one.problems for one in check(Store(old))] == [[]]
    assert len(ids_of(old, "alias")) == 3
    assert ids_of(old, "import") == sorted(set(ids_of(old, "import")))


def test_what_was_left_to_be_moved_is_moved_by_the_next_who_writes(old, monkeypatch):
    with monkeypatch.context() as killed:
        killed.setattr("exam_core.store.version_1.move", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            Store(old).give_alias("demo", "person", "one", "ann@here")
    assert dict(Store(old).snapshot("demo").aliases)["person"] == "one"
    Store(old).give_alias("demo", "person", "two", "ann@here")
    assert list((old / "demo" / "aliases").glob("*.json")) == []
    assert len(ids_of(old, "alias")) == 3


DAMAGED = {
    "an import": ("demo/imports/0*.json", b'"run:kept"', b'"run:kepu"', "import"),
    "an alias": ("demo/aliases/*.json", b"A person", b"A perron", "alias"),
    "a review": ("demo/reviews/*.jsonl", b"Ann", b"Bnn", "review"),
    "a queue": ("demo/reviews/queues/*.json", b"Ann", b"Bnn", "queue"),
    "a story": (".stories/demo/*.json", b'"Talk"', b'"Tall"', "story"),
}


@pytest.mark.parametrize(("pattern", "before", "after", "kind"), DAMAGED.values(), ids=DAMAGED)
@pytest.mark.parametrize("is_taken_over", [False, True], ids=["read as it is", "taken over"])
def test_a_record_that_was_damaged_before_is_named_and_no_other_data(old, pattern, before, after, kind, is_taken_over):
    path = next(path for path in old.glob(pattern) if before in path.read_bytes())
    path.write_bytes(path.read_bytes().replace(before, after, 1))
    if is_taken_over:
        Store(old).give_alias("demo", "lexical", "Words", "ann@here")
    named = {problem.record.kind for one in check(Store(old)) for problem in one.problems if problem.record}
    assert named == {kind}


def test_reviews_of_which_lines_are_missing_are_named(old):
    (path,) = old.glob("demo/reviews/*.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], *lines[2:]]))
    (problem,) = (problem for one in check(Store(old)) for problem in one.problems)
    assert "missing above" in problem.sentence
    path.write_bytes(lines[0] + lines[1][:-20])  # a kill cut the last line off
    assert [one.problems for one in check(Store(old))] == [[]]


def test_orders_of_jobs_are_taken_over(old):
    request = JobRequest(Order("demo", bank="open"))
    for name, file, content in (
        ("20260101-000000-aaaa", "order.json", sealed(msgspec.json.encode(request))),
        ("20250101-000000-bbbb", "request.json", b'["demo","--bank","open"]'),
    ):
        (old / "jobs" / name).mkdir(parents=True)
        (old / "jobs" / name / file).write_bytes(content)
        (old / "jobs" / name / "progress.json").write_bytes(b'{"state":"done"}')
    for _ in range(2):
        later, earlier = jobs(Store(old))
        assert (later.request, later.progress().state) == (request, "done")
        assert (earlier.request, earlier.arguments) == (None, ["demo", "--bank", "open"])
        Store(old).give_alias("demo", "person", "Somebody", "ann@here")


@pytest.mark.parametrize("content", [b"", b"{", b'{"layout":"two"}', b"\xff"])
def test_a_layout_that_cant_be_read_is_named(tmp_path, content):
    (tmp_path / LAYOUT).write_bytes(content)
    with pytest.raises(StoreError, match=r"can.t be read"):
        Store(tmp_path).collections()


def test_a_catalogue_that_is_gone_is_never_taken_for_an_empty_store(store):
    store.commit("c", reading(passages("d1")), source="a")
    (store.path / "catalogue.sqlite").unlink()
    with pytest.raises(StoreError, match=r"catalogue\.sqlite: is gone"):
        Store(store.path).collections()
    with pytest.raises(StoreError, match=r"catalogue\.sqlite: is gone"):
        store.collections()
