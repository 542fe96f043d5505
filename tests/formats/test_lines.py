"""Lines of plain and compressed files."""

import bz2
import gzip
import hashlib
import lzma
import os
import threading

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from exam_core.errors import BadInput, Problems
from exam_core.formats.column_names import naming
from exam_core.formats.lines import file_hash, numbered_lines, settled, text_lines
from tests.formats.conftest import PACKED, zstd

LINES = [(1, b"one"), (2, b"two # not a comment"), (4, b"four")]
TEXT = "one\ntwo # not a comment\n\nfour\n"
INCOMPRESSIBLE = b"".join(hashlib.sha256(str(n).encode()).hexdigest().encode() + b"\n" for n in range(5000))


@pytest.mark.parametrize("suffix", PACKED)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(TEXT, id="lf"),
        pytest.param(TEXT.replace("\n", "\r\n"), id="crlf"),
        pytest.param("\ufeff" + TEXT, id="bom"),
        pytest.param("\ufeff" + TEXT.replace("\n", "\r\n"), id="bom-crlf"),
        pytest.param(TEXT.rstrip("\n"), id="no-last-line-end"),
        pytest.param(TEXT + "\n \t\r\n", id="blank-lines-at-the-end"),
    ],
)
def test_lines_are_the_same_however_the_file_is_stored(write, text, suffix):
    assert list(numbered_lines(write(text, "file" + suffix))) == LINES


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zstd])
def test_compression_is_recognised_by_content_and_not_by_name(write, pack):
    assert list(numbered_lines(write(pack(TEXT.encode()), "file.txt"))) == LINES


def test_a_plain_file_may_be_called_gz(tmp_path):
    path = tmp_path / "plain.gz"
    path.write_text(TEXT)
    assert list(numbered_lines(path)) == LINES


@pytest.mark.parametrize("pack", [gzip.compress, zstd])
def test_a_packed_file_may_have_several_members(write, pack):
    assert list(numbered_lines(write(pack(b"one\n") + pack(b"two\n")))) == [(1, b"one"), (2, b"two")]


@pytest.mark.parametrize(
    ("start", "what"),
    [
        (b"ARROW1\0\0", "is an Arrow file"),
        (b"\x80\x04\x95", "is a pickle of Python"),
        (b"\x93NUMPY\x01", "is an array of NumPy"),
        (b"\x89HDF\r\n\x1a\n", "is HDF5"),
        (b"SQLite format 3\0", "is a database of SQLite"),
        (b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml", "is a spreadsheet or a document"),
        (b"PK\x03\x04" + bytes(26) + b"a.run", "is an archive"),
        (b"a.run".ljust(257, b"\0") + b"ustar\0", "is an archive"),
        (b"%PDF-1.7\n", "is a document"),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_what_holds_no_text_is_named_by_how_it_begins(write, refusal, start, what, pack):
    path = write(pack(start + bytes(300)), "a.run")
    assert refusal(list, numbered_lines(path)).startswith(f"{path}: {what}; ")


def test_a_parquet_file_is_json_lines_and_a_damaged_one_is_named(write, tmp_path, refusal):
    path = tmp_path / "qrels.parquet"
    rows = [{"qid": str(row), "docid": f"d{row}", "label": row % 3} for row in range(5000)]
    pq.write_table(pa.Table.from_pylist(rows), path)
    assert [msgspec.json.decode(line) for _, line in numbered_lines(path)] == rows
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], whole[:100] + bytes(500) + whole[600:], b"PAR1" + bytes(300)):
        assert "is damaged" in refusal(list, numbered_lines(write(damaged, "bad.parquet")))


def test_a_byte_order_mark_is_kept_beyond_the_first_line(write):
    assert list(numbered_lines(write("a\n\ufeffb\n")))[1] == (2, "\ufeffb".encode())


@pytest.mark.parametrize(
    "pack", [gzip.compress, bz2.compress, lzma.compress, zstd], ids=["gzip", "bzip2", "xz", "zstd"]
)
def test_compressed_data_that_breaks_off_is_refused(write, refusal, pack):
    path = write(pack(INCOMPRESSIBLE)[:-20_000])
    assert "the compressed data breaks off or is damaged" in refusal(list, numbered_lines(path))


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress], ids=["gzip", "xz"])
def test_damaged_compressed_data_is_refused(write, refusal, pack):
    packed = bytearray(pack(INCOMPRESSIBLE))
    packed[40:60] = b"\xff" * 20
    assert "the compressed data breaks off or is damaged" in refusal(list, numbered_lines(write(bytes(packed))))


def test_a_broken_off_file_names_the_line_after_the_last_whole_one(write):
    path = write(gzip.compress(INCOMPRESSIBLE)[:-20_000])
    last = 0
    with pytest.raises(BadInput) as refused:
        for last, _ in numbered_lines(path):  # noqa: B007
            pass
    assert f"{path}:{last + 1}: the compressed data breaks off" in str(refused.value)


@pytest.mark.parametrize("name", ["missing.txt", "."], ids=["missing", "folder"])
def test_what_is_no_file_is_refused_with_a_remedy(tmp_path, refusal, name):
    message = refusal(list, numbered_lines(tmp_path / name))
    assert (message.startswith(f"{tmp_path / name}: can't be read"), "Check the path." in message) == (True, True)


def test_progress_rises_to_one(write):
    told = []
    list(numbered_lines(write(INCOMPRESSIBLE), told.append))
    assert (told == sorted(told), told[-1]) == (True, 1.0)


def test_a_line_that_is_not_utf8_is_named_with_the_byte_and_the_others_are_read(write):
    problems = Problems(write(b"fine\ncaf\xe9\nfine too\n"))
    assert list(text_lines(problems.path, problems)) == [(1, "fine"), (3, "fine too")]
    assert [(problem.line, problem.what) for problem in problems.problems] == [(2, "not UTF-8 at byte 4")]


def test_the_hash_is_of_the_file_as_it_lies_on_disk(write):
    path = write(TEXT, "file.gz")
    assert file_hash(path) == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_nul_byte_is_refused(write, refusal):
    path = write(b"one\ntwo\0\n")
    assert f"{path}:2: a NUL byte" in refusal(list, numbered_lines(path))


def test_a_line_of_more_than_a_mebibyte_is_refused_in_a_text(write, refusal):
    path = write(b"one\n" + b"x" * (2**20 + 1) + b"\n")
    assert f"{path}:2: a line of more than 1 MiB" in refusal(list, text_lines(path, Problems(path)))


def test_lines_that_end_with_cr_alone_are_refused(write):
    problems = Problems(write("1\ta\r2\tb\r3\tc\r"))
    list(text_lines(problems.path, problems))
    assert problems.problems[0].what.startswith("a carriage return within the line")


@pytest.mark.parametrize(("text", "unfinished"), [("a\nb", 2), ("a\nb\n", 0), ("a\nb\r\n", 0)])
@pytest.mark.parametrize("suffix", PACKED)
def test_a_last_line_without_a_line_end_is_noticed(write, text, unfinished, suffix):
    problems = Problems(write(text, f"file{suffix}"))
    list(text_lines(problems.path, problems))
    assert problems.unfinished == unfinished


def test_a_stream_of_very_much_is_refused(tmp_path, refusal, monkeypatch):
    monkeypatch.setattr("exam_core.formats.lines.LONGEST_STREAM", 10)
    os.mkfifo(tmp_path / "pipe")
    threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(b"line\n" * 10,), daemon=True).start()
    assert "delivers more than" in refusal(settled(tmp_path / "pipe").__enter__)


def test_a_file_that_cant_be_read_once_more_for_its_hash_is_named(tmp_path):
    with pytest.raises(BadInput, match="none: can't be read"):
        file_hash(tmp_path / "none")


@pytest.mark.parametrize("before", [0, 1, 65_500, 65_530, 65_536])
def test_a_name_in_json_is_ours_wherever_pieces_of_the_file_end(write, before):
    path = write('{"' + "x" * before + '": "qid\\": ", "qid" : "q1"}\n')
    with naming({"qid": ("query_id",)}, path):
        assert next(numbered_lines(path))[1].endswith(b'": "qid\\": ", "query_id" : "q1"}')
    assert next(numbered_lines(path))[1].endswith(b'"qid" : "q1"}')


def test_a_header_gets_our_names_and_no_other_column_has_them(write):
    path = write("query_id\tTopic Nr\ttext\na\tb\tTopic Nr\n".encode("utf-16"))
    with naming({"topic nr": ("query_id",)}, path):
        assert [line for _, line in numbered_lines(path)] == [b"other query_id\tquery_id\ttext", b"a\tb\tTopic Nr"]
