"""The command notes."""

import json
import shutil

from exam_core import actions
from exam_core.store import Store


def test_notes_are_printed_as_a_table_and_as_json_lines(demo_store, tmp_path, examboard):
    shutil.copytree(demo_store / "demo", tmp_path / "demo", ignore=shutil.ignore_patterns("notes"))
    store = Store(tmp_path)
    query, doc = store.snapshot("demo").frame("judgments").loc[0, ["query_id", "doc_id"]]
    assert "demo has no notes" in examboard(tmp_path, "notes", "demo").out
    assert examboard(tmp_path, "notes", "demo", "--format", "jsonl").out == ""
    note = actions.add_note(store, "demo", (query, doc), author="Ann", text="two\nlines")
    (line,) = examboard(tmp_path, "notes", "demo", "--format", "jsonl").out.splitlines()
    told = {"query_id": query, "doc_id": doc, "text": "two\nlines", "author": "Ann"}
    told |= {"created": note.created, "note_id": note.note_id}
    assert json.loads(line) == told
    assert json.loads(examboard(tmp_path, "notes", "demo", "--format", "json").out)["rows"] == [told]


def test_a_damaged_line_is_named_beside_the_notes_that_can_be_read(demo_store, tmp_path, examboard):
    shutil.copytree(demo_store / "demo", tmp_path / "demo", ignore=shutil.ignore_patterns("notes"))
    query, doc = Store(tmp_path).snapshot("demo").frame("judgments").loc[0, ["query_id", "doc_id"]]
    for text in ("first", "second"):
        actions.add_note(Store(tmp_path), "demo", (query, doc), author="Ann", text=text)
    (path,) = (tmp_path / "demo" / "notes").glob("*.jsonl")
    path.write_bytes(path.read_bytes().replace(b"second", b"sevond"))
    done = examboard(tmp_path, "notes", "demo", "--format", "jsonl")
    assert [json.loads(line)["text"] for line in done.out.splitlines()] == ["first"]
    assert (f"{path}:2: damaged. A review or note is not counted" in done.err, "check --repair" in done.err) == (
        True,
        True,
    )
    examboard(tmp_path, "check", "--repair")
    assert examboard(tmp_path, "notes", "demo").err == ""


def test_a_terminal_gets_no_control_character_of_a_note_and_a_file_gets_all_of_it(
    demo_store, tmp_path, examboard, monkeypatch
):
    shutil.copytree(demo_store / "demo", tmp_path / "demo", ignore=shutil.ignore_patterns("notes"))
    query, doc = Store(tmp_path).snapshot("demo").frame("judgments").loc[0, ["query_id", "doc_id"]]
    actions.add_note(Store(tmp_path), "demo", (query, doc), author="Ann", text="=1\x9b2J")
    for form in ("csv", "json", "jsonl", "table"):
        for on_a_terminal in (True, False):
            monkeypatch.setattr("exam_core.cli.common.sys.stdout.isatty", lambda shown=on_a_terminal: shown)
            out = examboard(tmp_path, "notes", "demo", "--format", form).out
            assert "2J" in out
            assert "\x9b" not in out or (form in ("csv", "jsonl") and not on_a_terminal), (form, on_a_terminal)
    assert "'=1" in examboard(tmp_path, "notes", "demo", "--format", "csv").out
