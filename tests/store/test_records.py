"""Records of every kind, damaged in every way: each hides itself alone, and `check` names it."""

import json
import shutil
import socket
from collections.abc import Callable

import msgspec
import pytest

from exam_core.actions.job_control import write_progress
from exam_core.actions.repairing import repair
from exam_core.grading.modes.papers import MODES
from exam_core.jobs.ordering import JobRequest, Order
from exam_core.jobs.records import JobProgress, as_row, damaged_jobs, jobs
from exam_core.jobs.watching import table
from exam_core.store import Store
from exam_core.store.aliases_and_tags import ORDER, JobOrder
from exam_core.store.answer_cache import Leases, answer_file
from exam_core.store.checking import check
from exam_core.store.grade_segments import GRADER
from exam_core.store.summary import aliases_of
from tests.store.store_samples import change_record, grades, ids_of
from tests.store.test_flipped_bits import filled
from tests.wings import added_to

DEEP = 10_000
DAMAGES = {
    "empty": b"",
    "zeros": bytes(60),
    "no UTF-8": b'{"a":"\xff\xfe"}',
    "nothing": b"{}",
    "a list": b"[]",
    "null": b"null",
    "too deep": b"[" * DEEP,
    "too deep objects": b'{"a":' * DEEP,
    "half a character": b'{"a":"\\ud800"}',
    "no end": b'{"updated":1e999,"pid":1e999}',
    "no number": b'{"updated":NaN}',
    "thousands of digits": b'{"pid":' + b"9" * 5000 + b"}",
}
WILD = (10**30, 2**31, -1, 1e308, None, "\0", "", [], [[]], {}, {"a": 1})
"""What stands in the place of each value of a record that has a checksum all the same: another program wrote it."""


MANY = 70
"""Changes of a record that are tried; of one with more parts, every second or third."""


def doubled(folder):
    """A store with two records of every kind, of which the first to be damaged is `told`, `ours` or the older one."""
    store = filled(folder)
    for name in ids_of(folder, "grader"):
        store.catalogue.remove(GRADER, name, "c")
    for name in ("ours", "theirs"):
        store.describe_grader("c", name, MODES["self-rating"].described("m", {"precision": "bf16"}))
        store.add_grades("c", name, grades(("q1", "d2", 3), grader=name))
        store.give_alias("c", name, name.upper(), "ann@here")
    store.give_tags("c", {"bm25": ("baseline", "old")}, "ann@here")
    for record in added_to({}, "RECORDS").values():
        record.make(store, "other")
    store.catalogue.put(ORDER, "other", JobOrder("order", msgspec.to_builtins(JobRequest(Order("c")))))
    (store.jobs / "other").mkdir()
    for job in jobs(store):
        write_progress(job, JobProgress(state="running", total=5, done=2, asked=2, seconds=1.0, left=3.0))
        said = json.loads((job.folder / "progress.json").read_bytes())
        # So that its process is looked for by its number.
        said |= {"place": "", "started": "", "host": socket.gethostname()}
        (job.folder / "progress.json").write_text(json.dumps(said), encoding="utf-8")
    return store


def watched(store):
    """How many jobs run, as people and programs see them."""
    assert json.dumps([as_row(job) for job in jobs(store)])
    return int(table(jobs(store))["state"].str.contains("running|lost").sum())


KINDS: dict[str, tuple[int, Callable[[Store], int]]] = {
    **{kind: (0, record.count) for kind, record in added_to({}, "RECORDS").items()},
    "grader": (0, lambda store: len(store.snapshot("c").graders)),
    "alias": (1, lambda store: len(aliases_of(store.snapshot("c")))),
    "tags": (1, lambda store: 1 + len(store.snapshot("c").tags)),
    "order": (0, watched),
    "progress": (0, watched),
}
"""Of each kind which record is damaged, and how much of all records of the kind can be read."""


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return doubled(tmp_path_factory.mktemp("records") / "store")


def put_in_place(store, kind, content):
    """Write content in the place of a record, as if the catalogue had written it; what was there."""
    if kind != "progress":
        return change_record(store.path, kind, content, which=KINDS[kind][0], is_sound=True)
    path = store.jobs / "job" / "progress.json"
    before = path.read_bytes()
    path.write_bytes(content)
    return before


def named(store):
    """The kinds of record that `check` names; of jobs that of the file."""
    found = check(store, jobs=damaged_jobs(store))
    problems = [problem for one in found for problem in one.problems]
    return {problem.record.kind if problem.record else "progress" for problem in problems}


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_record_hides_itself_alone_and_is_named_by_check(store, kind):
    read, before = KINDS[kind][1], put_in_place(store, kind, b"")
    put_in_place(store, kind, before)
    whole = read(store)
    assert named(store) == set()
    for what, content in DAMAGES.items():
        put_in_place(store, kind, content)
        assert 0 < read(store) <= whole, what
        is_one = kind in ("progress", "grader") and content == b"{}"
        assert is_one or named(store) == {kind}, what
    put_in_place(store, kind, before)
    assert (read(store), named(store)) == (whole, set())


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"progress"}))
def test_a_record_of_which_a_bit_is_turned_over_is_set_aside_alone(store, kind, tmp_path):
    copy = Store(shutil.copytree(store.path, tmp_path / "store"))
    which, read = KINDS[kind]
    before = change_record(copy.path, kind, b"", which=which)
    flipped = bytes([*before[:-2], before[-2] ^ 1, *before[-1:]])
    change_record(copy.path, kind, flipped, which=which)
    copy = Store(copy.path)
    assert (0 < read(copy) <= read(store), named(copy)) == (True, {kind})
    assert [path.read_bytes() for path in repair(copy).moved] == [flipped]
    assert (0 < read(copy) <= read(store), named(copy)) == (True, set())


def test_a_folder_in_the_place_of_a_file_is_set_aside(store, tmp_path):
    copy = Store(shutil.copytree(store.path, tmp_path / "store"))
    paths = [next(copy.path.glob(pattern)) for pattern in ("c/judgments/*", "c/grades/*/*-*", "cache/*/*.sqlite")]
    for path in paths:
        path.unlink()
        (path / "folder").mkdir(parents=True)
    repaired = repair(copy)
    assert {path.name for path in repaired.moved} == {path.name for path in paths}
    assert [problem for one in repair(copy).checked for problem in one.problems] == []


def wild(value):
    """A value with each part of it replaced by each of WILD."""
    yield from WILD
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        for part in wild(value[key]):
            yield ({**value, key: part} if isinstance(value, dict) else [*value[:key], part, *value[key + 1 :]])


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_a_record_says_is_taken_or_left_out(store, kind):
    read, before = KINDS[kind][1], put_in_place(store, kind, b"")
    every = list(wild(json.loads(before)))
    for number, changed in enumerate(every[:: 1 + len(every) // MANY]):
        put_in_place(store, kind, msgspec.json.encode(changed))
        assert read(store) > 0, (number, changed)
    put_in_place(store, kind, before)


@pytest.mark.parametrize("content", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_lease_holds_nothing(tmp_path, content):
    file = answer_file(tmp_path)
    with file.writing() as connection:
        connection.execute("INSERT INTO leases VALUES (?, ?, ?, ?)", ("other", content, 1e18, b"1" * 16))
    with Leases(file) as leases:
        mine, _ = leases.take([b"1" * 16])
    assert mine == {b"1" * 16}
