"""Records of every kind, damaged in every way: each hides itself alone, and `check` names it."""

import json
import shutil
import socket
from collections.abc import Callable

import msgspec
import pytest

from exam_core.actions import repair
from exam_core.actions.job_control import write_progress
from exam_core.grading.modes.papers import MODES
from exam_core.jobs.job_progress import JobProgress
from exam_core.jobs.order import Order, Request
from exam_core.jobs.records import as_row, damaged_jobs, jobs
from exam_core.jobs.watching import table
from exam_core.store import Store
from exam_core.store.answer_cache import answer_file
from exam_core.store.checking import check
from exam_core.store.files import content_name, sealed, write_once
from exam_core.store.leases import Leases
from exam_core.store.summary import aliases_of
from tests.store.store_samples import grades
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
"""What stands in the place of each value of a record that is sealed all the same: another program wrote it."""


MANY = 200
"""Changes of a record that are tried; of one with more parts, every second or third."""


def doubled(folder):
    """A store with two records of every kind, of which the first to be damaged is `told`, `ours` or the older one."""
    store = filled(folder)
    shutil.rmtree(folder / "c" / "graders")
    for name in ("ours", "theirs"):
        store.describe_grader("c", name, MODES["self-rating"].described("m", {"precision": "bf16"}))
        store.add_grades("c", name, grades(("q1", "d2", 3), grader=name))
        store.give_alias("c", name, name.upper(), "ann@here")
    store.give_tags("c", {"bm25": ("baseline", "old")}, "ann@here")
    for record in added_to({}, "RECORDS").values():
        record.make(store, "other")
    write_once(store.jobs / "other" / "order.json", sealed(msgspec.json.encode(Request(Order("c")))))
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


KINDS: dict[str, tuple[str, Callable[[Store], int]]] = {
    **{kind: (record.path, record.count) for kind, record in added_to({}, "RECORDS").items()},
    "grader": ("c/graders/ours.json", lambda store: len(store.snapshot("c").graders)),
    "alias": ("c/aliases/000002-*.json", lambda store: len(aliases_of(store.snapshot("c")))),
    "tags": ("c/tags/000002-*.json", lambda store: 1 + len(store.snapshot("c").tags)),
    "order": ("jobs/job/order.json", watched),
    "progress": ("jobs/job/progress.json", watched),
}
"""Of each kind a file, and how much of all records of the kind can be read."""


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store whose records tests damage, and put back."""
    return doubled(tmp_path_factory.mktemp("records") / "store")


def damage_of(path, content, *, hashed=False):
    """Write content in a record's place, or in that of its last line; the file that has it now.

    Parameters
    ----------
    hashed : its name has a hash of what it says, which it says then
    """
    before = path.read_bytes()
    if path.suffix == ".jsonl":
        *above, _ = before.splitlines(keepends=True)
        content = b"".join([*above, content, b"\n"])
    if hashed and content.startswith(b"{") and content.endswith(b"}"):
        path = path.rename(path.with_name(f"{path.name[:6]}-{content_name(content)}.json"))
    # A file is never changed in place: another one comes with another time, which a tick of the clock may not tell.
    path.unlink()
    path.write_bytes(content)
    return path


def named(store):
    """The names of the files that `check` names."""
    return {problem.path.name for one in check(store, jobs=damaged_jobs(store)) for problem in one.problems}


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_record_hides_itself_alone_and_is_named_by_check(store, kind):
    pattern, read = KINDS[kind]
    path = sorted(store.path.glob(pattern))[0]
    before, whole = path.read_bytes(), read(store)
    assert named(store) == set()
    for what, content in DAMAGES.items():
        path = damage_of(path, content)
        left = read(store)
        assert 0 < left <= whole, what
        empty = path.suffix == ".jsonl" and not content  # a last line that is lost without a trace is not known of
        is_one = kind in ("progress", "grader") and content == b"{}"
        assert empty or is_one or {path.name, path.parent.name} & named(store), what
    path = damage_of(path, b"")
    path.write_bytes(before)
    assert (read(store), named(store)) == (whole, set())


def test_a_folder_in_the_place_of_a_file_is_set_aside(store, tmp_path):
    copy = Store(shutil.copytree(store.path, tmp_path / "store"))
    paths = [sorted(copy.path.glob(pattern))[0] for pattern, _ in KINDS.values()]
    paths = [path for path in paths if path.name != "progress.json"]  # it is the job's, as its order is
    paths += [next(copy.path.glob(pattern)) for pattern in ("c/judgments/*", "c/grades/*/*-*", "cache/*/*.sqlite")]
    for path in paths:
        path.unlink()
        (path / "folder").mkdir(parents=True)
    repaired = repair(copy)
    assert {path.name for path in repaired.aside} == {path.name.replace("order.json", "job") for path in paths}
    assert [problem for one in repair(copy).checked for problem in one.problems] == []


def wild(value):
    """A value with each part of it replaced by each of WILD."""
    yield from WILD
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        for part in wild(value[key]):
            yield ({**value, key: part} if isinstance(value, dict) else [*value[:key], part, *value[key + 1 :]])


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_a_record_says_is_taken_or_left_out(store, kind):
    pattern, read = KINDS[kind]
    path = sorted(store.path.glob(pattern))[0]
    before = path.read_bytes()
    said = json.loads(before.splitlines()[-1] if path.suffix == ".jsonl" else before)
    said = {name: value for name, value in said.items() if name not in ("check", "after")}
    every = list(wild(said))
    for number, changed in enumerate(every[:: 1 + len(every) // MANY]):
        content = msgspec.json.encode(changed)
        is_sealed = kind not in ("alias", "tags", "progress") and isinstance(changed, dict) and changed
        path = damage_of(path, sealed(content) if is_sealed else content, hashed=kind in ("alias", "tags"))
        assert read(store) > 0, (number, changed)
    damage_of(path, b"").write_bytes(before)


@pytest.mark.parametrize("content", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_lease_holds_nothing(tmp_path, content):
    file = answer_file(tmp_path)
    with file.writing() as connection:
        connection.execute("INSERT INTO leases VALUES (?, ?, ?, ?)", ("other", content, 1e18, b"1" * 16))
    with Leases(file) as leases:
        mine, _ = leases.take([b"1" * 16])
    assert mine == {b"1" * 16}
