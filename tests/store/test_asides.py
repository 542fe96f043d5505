"""Rows that are too many for the memory."""

import errno

import pandas as pd
import pyarrow.parquet as pq
import pytest

from exam_core.errors import StoreError
from exam_core.formats import Reading
from exam_core.formats.reading import TOGETHER, in_packs, whole
from exam_core.store import asides
from exam_core.store.grade_segments import parquet
from exam_core.tables import RANKINGS

from .store_samples import rankings

FRAME = rankings(*(("q", f"d{place % 999}", float(place)) for place in range(3 * TOGETHER)))


def parts(*lengths):
    def read():
        start = 0
        for length in lengths:
            yield Reading({"rankings": FRAME[start : start + length].reset_index(drop=True)})
            start += length

    return read


def test_what_is_written_in_parts_is_the_same_to_the_byte(store, monkeypatch):
    group = 2 * TOGETHER
    monkeypatch.setattr(asides, "_GROUP", group)
    monkeypatch.setattr(
        "exam_core.store.grade_segments.pq.write_table",
        lambda table, file, **options: WRITE(table, file, row_group_size=group, **options),
    )
    content = parquet(RANKINGS.arrow(RANKINGS.from_arrow(in_packs(RANKINGS.arrow(FRAME)))))
    with store.asides("c") as aside:
        found = whole(parts(100, TOGETHER, 0, 2 * TOGETHER - 100), aside)
        assert (found.frames, found.aside["rankings"][0].path.read_bytes() == content) == ({}, True)
        again = list(found.parts("rankings"))
        assert [len(part) for part in again] == [100, TOGETHER, 2 * TOGETHER - 100]
        pd.testing.assert_frame_equal(pd.concat(again, ignore_index=True), FRAME)
        store.commit("c", found, source="s")
    pd.testing.assert_frame_equal(store.snapshot("c").frame("rankings"), FRAME)


WRITE = pq.write_table


def test_what_no_import_takes_is_removed(store):
    with store.asides("c") as aside:
        whole(parts(10, 10), aside)
        assert len(list(store.path.rglob("*.part"))) == 1
    assert [path for path in store.path.rglob("*") if path.is_file()] == []


def test_a_full_disk_is_told_and_leaves_nothing(store, monkeypatch):
    def write_table(_self, _table, **_options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pq.ParquetWriter, "write_table", write_table)
    with pytest.raises(StoreError, match="No space left on device"), store.asides("c") as aside:
        whole(parts(10, 10), aside)
    assert [path for path in store.path.rglob("*") if path.is_file()] == []
