"""Files that are sent to sessions: few, and none that no page reads."""

from types import SimpleNamespace

import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from pages.mending import leaving
from pages.mending.leaving import Uploads


def sent(name, data=b"x"):
    return UploadedFileRec(name, f"{name}.run", "", data)


def held(keeper, session="a"):
    return list(keeper.file_storage[session])


@pytest.fixture
def keeper():
    return MemoryUploadedFileManager("/upload")


def test_of_many_files_of_a_session_those_that_came_last_are_kept(keeper, monkeypatch):
    Uploads(keeper)
    monkeypatch.setattr(leaving, "MOST_FILES", 3)
    for number in range(5):
        keeper.add_file(session_id="a", file=sent(str(number)))
    keeper.add_file(session_id="b", file=sent("other"))
    assert (held(keeper), held(keeper, "b")) == (["2", "3", "4"], ["other"])
    monkeypatch.setattr(leaving, "TOGETHER", 100)
    keeper.add_file(session_id="a", file=sent("large", b"x" * 99))
    assert held(keeper) == ["4", "large"]


def test_a_file_that_no_page_reads_is_forgotten_and_another_one_stays(keeper, monkeypatch):
    now = SimpleNamespace(at=0.0)
    monkeypatch.setattr(leaving.time, "monotonic", lambda: now.at)
    files = Uploads(keeper)
    for name in ("read", "unread"):
        keeper.add_file(session_id="a", file=sent(name))
    assert [one.file_id for one in keeper.get_files("a", ["read", "none"])] == ["read"]
    now.at = leaving.UNREAD + 1
    keeper.add_file(session_id="a", file=sent("new"))
    files.end_unread()
    assert held(keeper) == ["read", "new"]
    keeper.remove_session_files("a")
    now.at *= 3
    files.end_unread()
    assert (held(keeper), files._unread) == ([], {})
