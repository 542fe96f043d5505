"""Rows that are too many for the memory."""

import errno
import random
from operator import itemgetter
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from exam_core.errors import Problems, StoreError
from exam_core.formats import Reading, reading
from exam_core.formats.reading import TOGETHER, Rows, in_packs
from exam_core.store import asides
from exam_core.store.grade_segments import parquet
from exam_core.tables import RANKINGS

from .store_samples import rankings

FRAME = rankings(*(("q", f"d{place % 999}", float(place)) for place in range(3 * TOGETHER)))


def parts(*lengths):
    start = 0
    for length in lengths:
        yield FRAME[start : start + length].reset_index(drop=True)
        start += length


def test_what_is_written_in_parts_is_the_same_to_the_byte(store, monkeypatch):
    group = 2 * TOGETHER
    monkeypatch.setattr(asides, "_GROUP", group)
    monkeypatch.setattr(
        "exam_core.store.grade_segments.pq.write_table",
        lambda table, file, **options: WRITE(table, file, row_group_size=group, **options),
    )
    content = parquet(RANKINGS.arrow(RANKINGS.from_arrow(in_packs(RANKINGS.arrow(FRAME)))))
    with store.asides("c") as aside:
        found = Reading()
        found.take("rankings", parts(100, TOGETHER, 0, 2 * TOGETHER - 100), aside)
        assert (found.frames, found.spills["rankings"][0].path.read_bytes() == content) == ({}, True)
        again = list(found.parts("rankings"))
        assert (len(again), found.rows("rankings")) == (1, len(FRAME))
        pd.testing.assert_frame_equal(pd.concat(again, ignore_index=True), FRAME)
        store.commit("c", found, source="s")
    pd.testing.assert_frame_equal(store.snapshot("c").frame("rankings"), FRAME)


WRITE = pq.write_table


def test_what_no_import_takes_is_removed(store):
    with store.asides("c") as aside:
        Reading().take("rankings", parts(10, 10), aside)
        assert len(list(store.path.rglob("*.part"))) == 1
    assert [path for path in store.path.rglob("*") if path.is_file()] == []


def test_a_full_disk_is_told_and_leaves_nothing(store, monkeypatch):
    def write_table(_self, _table, **_options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pq.ParquetWriter, "write_table", write_table)
    with pytest.raises(StoreError, match="No space left on device"), store.asides("c") as aside:
        Reading().take("rankings", parts(10, 10), aside)
    assert [path for path in store.path.rglob("*") if path.is_file()] == []


def made(rng):
    """Rows of rankings, each with its line: often repeated, sometimes with another score, together or apart."""
    rows = [
        (rng.choice("ab"), f"q{rng.randint(1, 3)}", f"d{rng.randint(1, 6)}", 0, rng.randint(1, 4), score, False)
        for score in rng.choices([0.1, 0.1 + 1e-10, 2.0, -1e300, 5e300], k=rng.randint(1, 30))
    ]
    if rng.random() < 0.8:  # a passage has one score, and one rank
        rows = [(*row[:4], len(row[2]) + ord(row[2][1]) % 3, float(ord(row[2][1]) % 2), False) for row in rows]
    if rng.random() < 0.5:
        rows.sort(key=itemgetter(0, 1))
    if rng.random() < 0.2:
        at = rng.randrange(len(rows))
        rows[at] = (*rows[at][:2], rng.choice([" ", "d\x1b"]), *rows[at][3:])
    return [(line // 2 + 1, row) for line, row in enumerate(rows)]


def plainly(rows):
    """The slow twin: what is kept of rows, ranks and all, and the lines of others."""
    first, merged, wrong = {}, 0, set()
    for line, row in rows:
        if not row[2].strip() or not row[2].isprintable():
            wrong.add(line)
        there = first.setdefault(row[:3], (line, row))
        if there[1] != row:
            wrong.add(line)
        merged += there != first[row[:3]] or there[1] is not row
    kept = [row for _, row in first.values()]
    with np.errstate(over="ignore"):
        key = {row: (float(np.float32(row[5])), row[2]) for row in kept}
    above = {row: sum(other[:2] == row[:2] and key[other] >= key[row] for other in kept) for row in kept}
    return (sorted(wrong), None) if wrong else (merged, [(*row[:3], above[row], *row[4:6]) for row in kept])


@pytest.mark.parametrize(
    ("name", "many"), [("MANY_ROWS", 1000), ("MANY_ROWS", 8), ("MANY_BYTES", 800)], ids=["in memory", "rows", "bytes"]
)
def test_rows_are_merged_refused_and_ranked_as_plain_python_does(store, monkeypatch, name, many):
    monkeypatch.setattr(reading, name, many)
    monkeypatch.setattr(reading, "TOGETHER", 3)
    monkeypatch.setattr(asides, "_BATCH", 5)
    odd, apart = 0, 0
    for seed in range(20):
        lines = made(random.Random(seed))
        with store.asides("c") as aside:
            problems = Problems(Path("a.run"))
            rows = Rows(RANKINGS, problems, aside)
            for line, row in lines:
                rows.add(line, *row)
            frames = list(rows.decide("line"))
        if problems.problems:
            found = sorted({problem.line for problem in problems.problems}), None
        else:
            frame = pd.concat(frames).drop(columns=["cut", "extra"])
            found = rows.merged, list(frame.itertuples(index=False, name=None))
            apart += len(frames) > 1
        assert found == plainly(lines)
        odd += found[1] is None
    assert (2 < odd < 17, apart > 2) == (True, many != 1000)
