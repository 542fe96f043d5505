"""Files that appear whole or not at all, or go into a pipe."""

import os
import threading
from pathlib import Path

import pytest

from exam_core.formats.lines import numbered_lines
from exam_core.formats.writing import whole_folder, write_lines


@pytest.mark.parametrize("name", ["out", "out.gz", "out.xz", "new/folder/out", "n" * 255])
def test_written_lines_read_back(tmp_path, name):
    write_lines(tmp_path / name, [b"one", b"two"])
    assert list(numbered_lines(tmp_path / name)) == [(1, b"one"), (2, b"two")]


@pytest.mark.parametrize(("name", "magic"), [("out.gz", b"\x1f\x8b"), ("out.xz", b"\xfd7zXZ"), ("out", b"one\n")])
def test_the_name_decides_how_lines_are_packed(tmp_path, name, magic):
    write_lines(tmp_path / name, [b"one"])
    assert (tmp_path / name).read_bytes().startswith(magic)


def test_the_same_lines_make_the_same_gzip_file(tmp_path, monkeypatch):
    write_lines(tmp_path / "out.gz", [b"one"])
    before = (tmp_path / "out.gz").read_bytes()
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    write_lines(tmp_path / "out.gz", [b"one"])
    assert (tmp_path / "out.gz").read_bytes() == before


def _interrupted():
    yield b"one"
    raise KeyboardInterrupt


def test_an_interrupted_write_leaves_the_old_file(write):
    path = write("old\n")
    with pytest.raises(KeyboardInterrupt):
        write_lines(path, _interrupted())
    assert (path.read_text(), list(path.parent.iterdir())) == ("old\n", [path])


def test_a_place_that_can_not_be_written_is_refused(write, refusal):
    file = write("a file, no folder")
    assert "can't be written" in refusal(write_lines, file / "out", iter([b"one"]))


def test_a_link_is_followed_and_what_is_replaced_hands_its_permissions_on(tmp_path, write):
    path, link = write("old\n"), tmp_path / "link"
    path.chmod(0o600)
    link.symlink_to(path)
    write_lines(link, [b"new"])
    assert (link.is_symlink(), path.read_text(), path.stat().st_mode & 0o777) == (True, "new\n", 0o600)


def test_a_file_that_may_not_be_written_is_left_as_it_is(write, refusal, monkeypatch):
    path = write("old\n")
    monkeypatch.setattr(os, "access", lambda *_: False)  # as for who may replace it, but not write it
    assert "can't be written (Permission denied)" in refusal(write_lines, path, iter([b"new"]))
    assert path.read_text() == "old\n"


def test_a_pipe_is_given_the_lines_and_a_full_device_is_named(tmp_path, refusal):
    os.mkfifo(tmp_path / "pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    write_lines(tmp_path / "pipe", [b"one"])
    reader.join()
    assert read == [b"one\n"]
    assert "can't be written (No space left on device)" in refusal(write_lines, Path("/dev/full"), iter([b"one"]))


def filled(path, name, error=None):
    """Write a folder that holds one file, where an old one may be replaced."""
    with whole_folder(path, lambda _: ("old",)) as aside:
        (aside / name).write_text(name)
        if error:
            raise error


def test_a_folder_takes_the_place_of_one_that_is_known_and_leaves_nothing_else(tmp_path):
    for name in ("old", "new"):
        filled(tmp_path / "out", name)
    assert [path.relative_to(tmp_path).as_posix() for path in sorted(tmp_path.rglob("*"))] == ["out", "out/new"]


@pytest.mark.parametrize("fails", [KeyboardInterrupt, ValueError])
def test_an_interrupted_folder_leaves_the_old_one(tmp_path, fails):
    filled(tmp_path / "out", "old")
    with pytest.raises(fails):
        filled(tmp_path / "out", "half", fails)
    assert [path.relative_to(tmp_path).as_posix() for path in sorted(tmp_path.rglob("*"))] == ["out", "out/old"]


def test_what_somebody_put_into_a_folder_meanwhile_is_kept(tmp_path, refusal):
    def write():
        with whole_folder(tmp_path / "out", lambda _: ("old",)) as aside:
            (aside / "new").write_text("new")
            (tmp_path / "out" / "mine").write_text("mine")

    filled(tmp_path / "out", "old")
    assert "out: holds mine, which this export did not write" in refusal(write)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["mine", "old"]


def test_a_folder_that_can_not_be_put_into_its_place_leaves_the_old_one(tmp_path, refusal, monkeypatch):
    filled(tmp_path / "out", "old")
    rename = Path.rename

    def fails(path, target):
        if path.name == "new":
            raise OSError(28, "No space left on device")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", fails)
    assert "out: can't be written (No space left on device)" in refusal(filled, tmp_path / "out", "new")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["old"]


def test_a_folder_does_not_replace_a_file(write, refusal):
    assert "is not a folder" in refusal(filled, write("a file"), "new")
