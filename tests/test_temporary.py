"""Where temporary files can't be written, the message names their folder, and not what was to be read or written."""

import tempfile
from pathlib import Path

import duckdb
import pytest

from exam_core.actions.uploading import Upload, outline_of_upload
from exam_core.errors import StoreError
from exam_core.formats.lines import settled
from exam_core.formats.writing import write_lines
from exam_core.store.database import Database
from exam_core.store.files import write_once


def piped():
    with settled(Path("/dev/null")):
        pass


@pytest.mark.parametrize(
    "work",
    [
        piped,
        lambda: outline_of_upload(Upload("a.run", b"q Q0 d 1 1 r")).kind,
        lambda: write_lines(Path("/dev/null"), [b"a"]),
    ],
    ids=["read from a pipe", "uploaded", "printed"],
)
def test_a_folder_for_temporary_files_that_cannot_be_written_is_named(work, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", "/dev/null")
    with pytest.raises(StoreError, match=r"^/dev/null: temporary .* \(Not a directory\).\n.* TMPDIR"):
        work()


def test_so_is_one_that_is_full_while_an_import_is_tried_there(monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", "/proc")
    with pytest.raises(StoreError, match=r"^/proc: temporary files"):
        write_once(Path("/proc/examboard-rehearsal-1/c/rankings/1.parquet"), b"")


def test_so_is_one_without_room_for_what_duckdb_puts_there():
    database = Database(lambda options: duckdb.connect(config=options | {"max_temp_directory_size": "1MiB"}))
    with pytest.raises(StoreError, match="TMPDIR"), database.narrow("16MiB") as cursor:
        cursor.execute("SELECT i::VARCHAR || repeat('a', 99) FROM range(500_000) t(i) ORDER BY 1 DESC").fetchone()
