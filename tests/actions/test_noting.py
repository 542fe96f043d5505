"""Notes on passages: on disk when the verb returns, removed and brought back, and no part of any figure."""

import pytest

from exam_core import actions
from exam_core.errors import UsageError
from exam_core.people import LONGEST_NOTE
from exam_core.store import Store
from exam_core.store.notes import NOTES, notes_of

TEXT = "Answers the *other* question\n=1+1 \u2028 <b>"


@pytest.fixture
def own(own_store):
    return Store(own_store)


@pytest.fixture
def about(own):
    query, doc = own.snapshot("demo").frame("judgments").loc[0, ["query_id", "doc_id"]]
    return query, doc


def test_a_note_is_there_for_whoever_opens_the_store_and_changes_no_fingerprint(own, about):
    before = own.snapshot("demo").fingerprint
    first = actions.add_note(own, "demo", about, author=" Ann ", text=f" {TEXT} ")
    second = actions.add_note(own, "demo", about, author="Bo", text="short")
    assert notes_of(Store(own.path), "demo") == [first, second]
    assert (first.author, first.text, (first.query_id, first.doc_id)) == ("Ann", TEXT, about)
    assert own.snapshot("demo").fingerprint == before


def test_a_note_that_is_removed_can_be_brought_back_where_it_stood(own, about):
    first, second = (actions.add_note(own, "demo", about, author=who, text="x") for who in ("Ann", "Bo"))
    actions.remove_note(own, "demo", first.note_id)
    actions.remove_note(own, "demo", first.note_id)
    assert notes_of(own, "demo") == [second]
    actions.restore_note(own, "demo", first.note_id)
    assert notes_of(own, "demo") == [first, second]
    (path,) = (path for path in (own.path / "demo" / NOTES).iterdir() if b"Ann" in path.read_bytes())
    assert path.read_bytes().count(b"\n") == 3, "removing twice is written once, and nothing is taken out of the file"


def test_half_a_line_that_a_kill_left_hides_no_note(own, about):
    first = actions.add_note(own, "demo", about, author="Ann", text="x")
    (path,) = (own.path / "demo" / NOTES).iterdir()
    with path.open("ab") as file:
        file.write(b'{"note_id": "a')
    second = actions.add_note(own, "demo", about, author="Ann", text="y")
    assert notes_of(own, "demo") == [first, second]


@pytest.mark.parametrize(
    ("author", "text", "passage", "said"),
    [
        ("", "x", None, "Say who writes"),
        ("Ann", " ", None, "The note is empty"),
        ("Ann", "x" * (LONGEST_NOTE + 1), None, "at most 10,000 fit"),
        ("A\x1b", "x", None, "characters that can't be seen"),
        ("Ann", "x", "nothing", "demo has no passage nothing"),
    ],
)
def test_what_is_no_note_is_refused_and_nothing_is_written(own, about, author, text, passage, said):
    with pytest.raises(UsageError, match=said):
        actions.add_note(own, "demo", (about[0], passage or about[1]), author=author, text=text)
    assert not (own.path / "demo" / NOTES).exists()


def test_a_note_that_nobody_wrote_can_be_neither_removed_nor_restored(own):
    for verb in (actions.remove_note, actions.restore_note):
        with pytest.raises(UsageError, match="demo has no note 'x'"):
            verb(own, "demo", "x")
