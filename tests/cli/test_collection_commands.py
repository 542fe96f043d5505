"""Small commands: alias, tags, templates, the list of imports and undo, check and clean."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from exam_core.actions.import_plans import import_files, plan_import
from exam_core.formats.registry import known_kinds
from exam_core.formats.sniffing import guess_kind
from exam_core.store import Store


def test_a_table_for_latex_has_both_names(demo_store, examboard):
    both = examboard(demo_store, "alias", "demo", "--format", "latex").out
    assert "Lexical match & lexical.pourpre-idf" in both


def test_a_grader_is_named_on_the_command_line(two_graders, tmp_path, examboard, told):
    store = shutil.copytree(two_graders, tmp_path / "store")
    done = examboard(store, "alias", "demo", "nuggetizer", "AutoNuggetizer")
    listed = told("alias", "demo", store=store)
    refused = examboard(store, "alias", "demo", "lexical.pourpre-idf", "autonuggetizer")
    without = examboard(store, "alias", "demo", "nuggetizer")

    assert done.out.strip() == "demo: nuggetizer is called AutoNuggetizer now; it was Nuggetizer."
    assert listed["rows"] == [
        {"alias": "Lexical match", "grader": "lexical.pourpre-idf", "given": False},
        {"alias": "AutoNuggetizer", "grader": "nuggetizer", "given": True},
    ]
    assert (refused.status, told("alias", "demo", store=store)) == (2, listed)
    assert "nuggetizer is called AutoNuggetizer already" in refused.err
    assert without.status == 2
    assert "To name nuggetizer" in without.err


def test_tags_are_listed_and_taken_back(examboard, tagged):
    listed = examboard(tagged, "tags", "demo", "--format", "csv").out
    assert listed.split() == ["run_id,tag", "bm25,llm", "bm25,saw", "the", "bank", "lsa-40,llm"]
    assert examboard(tagged, "tags", "demo", "lsa-40", "").out == "demo: lsa-40 is tagged nothing now; before, llm.\n"
    assert "lsa-40 is tagged llm now" in examboard(tagged, "tags", "demo", "--undo").out


@pytest.mark.parametrize(
    ("options", "why"),
    [(["bm25"], "To give bm25 tags"), (["bm25", "x", "--undo"], "choose one of them"), (["nobody", "x"], "no run")],
)
def test_a_wrong_use_of_tags_is_refused(examboard, tagged, options, why):
    done = examboard(tagged, "tags", "demo", *options)
    assert (done.status, why in done.err) == (2, True)


@pytest.fixture
def files(examboard, tmp_path):
    """A file of each kind, as the command writes it."""
    found = {}
    for kind in known_kinds().values():
        path = found[kind.key] = tmp_path / kind.file_name
        assert examboard(tmp_path / "store", "template", kind.key, path).status == 0
        assert path.read_text("utf-8") == kind.template
    return found


def test_templates_of_all_kinds_are_imported_together_and_give_a_board(examboard, files, tmp_path):
    assert {kind: guess_kind(path) for kind, path in files.items()} == {kind: kind for kind in files}
    store = Store(tmp_path / "store")
    plan = plan_import(store, "c", list(files.values()))
    found = import_files(store, plan)
    assert (found.refused, found.strange) == ("", [])
    assert [part.changed for part in found.parts] == [True] * len(files)
    board = examboard(tmp_path / "store", "leaderboard", "c", "--judgments", "official", "--measure", "P@20").out
    assert board.splitlines()[1].startswith("bm25 ")


def test_templates_are_listed_and_printed_and_refusals_name_them(examboard, tmp_path):
    listed = examboard(tmp_path / "store", "template").out.splitlines()
    assert [line.split()[0] for line in listed] == list(known_kinds())
    assert examboard(tmp_path / "store", "template", "run", "-").out == known_kinds()["run"].template
    assert "There are: run, qrels" in examboard(tmp_path / "store", "template", "runs").err
    (tmp_path / "bank.csv").write_text("q1,What is it?,vital\nq1,Who said so?,okay\n", "utf-8")
    refused = examboard(tmp_path / "store", "import", "bank", tmp_path / "bank.csv", "--bank", "b", "--collection", "c")
    assert ":1: no column for query_id" in refused.err
    assert "examboard template bank" in refused.err


@pytest.fixture
def store(tmp_path, examboard):
    """A store into which two editions of a qrels file were imported."""
    for number in (1, 2):
        (tmp_path / f"{number}.qrels").write_text(f"q1 0 d1 {number}\n", encoding="utf-8")
        examboard(tmp_path / "store", "import", "qrels", tmp_path / f"{number}.qrels", "--collection", "c")
    return tmp_path / "store"


def relevance(store):
    return int(Store(store).snapshot("c").frame("judgments")["relevance"].iloc[0])


def test_an_undo_of_the_last_import_or_of_one_by_its_id_brings_back_what_was_replaced(store, examboard, told):
    (row,) = told("import", "list", "--collection", "c", store=store)
    assert (row["file"], row["counts"]["judgments"], row["id"][:6]) == ("2.qrels", 1, "000002")
    done = examboard(store, "import", "undo", "--collection", "c")
    assert (done.status, relevance(store)) == (0, 1)
    assert "Data that it replaced count again: 1.qrels" in done.out
    (row,) = told("import", "list", "--collection", "c", store=store)
    assert examboard(store, "import", "undo", row["id"], "--collection", "c").status == 0
    assert Store(store).collections() == []


@pytest.mark.parametrize("arguments", [["9", "--collection", "c"], ["--collection", "other"], []])
def test_an_undo_of_nothing_is_wrong_usage_and_changes_nothing(store, examboard, arguments):
    assert (examboard(store, "import", "undo", *arguments).status, relevance(store)) == (2, 2)


def damage(store):
    """Turn a bit over in the judgments of the demo."""
    path = next((store / "demo" / "judgments").glob("*.parquet"))
    content = bytearray(path.read_bytes())
    content[40] ^= 1
    path.write_bytes(content)
    return path


def test_a_sound_store_is_said_to_be_sound(examboard, told, demo_store):
    found = told("check")
    assert {one["collection"]: (one["sound"], one["problems"]) for one in found["collections"]}["demo"] == (True, [])
    assert "Everything is as it was written." in examboard(demo_store, "check").out


def test_what_is_damaged_is_named_until_it_is_set_aside_and_the_rest_is_there(examboard, told, own_store):
    before = told("leaderboard", "demo", "--bank", "open", store=own_store)
    path = damage(own_store)
    refused = examboard(own_store, "list")
    assert (refused.status, f"{path} is damaged" in refused.err) == (1, True)
    done = examboard(own_store, "check", "--format", "json")
    ((problem,),) = (one["problems"] for one in json.loads(done.out)["collections"] if not one["sound"])
    assert (done.status, problem["file"], problem["problem"]) == (1, str(path), "damaged")
    assert "judgments" in problem["consequence"]
    assert "again" in problem["remedy"]
    aside = own_store / ".damaged" / path.relative_to(own_store)
    assert examboard(own_store, "check", "--repair").status == 1
    assert (path.exists(), aside.exists(), examboard(own_store, "check").status) == (False, True, 0)
    assert told("leaderboard", "demo", "--bank", "open", store=own_store)["rows"] == before["rows"]


def test_what_can_be_read_of_a_damaged_catalogue_is_saved(examboard, own_store):
    path = own_store / "catalogue.sqlite"
    before = examboard(own_store, "import", "list", "--collection", "demo").out
    with closing(sqlite3.connect(path)) as connection:
        sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_records_1'"
        (page,) = connection.execute(sql).fetchone()
    content = bytearray(path.read_bytes())
    content[(page - 1) * 4096 : page * 4096] = bytes(4096)
    path.write_bytes(content)
    refused = examboard(own_store, "list")
    assert (refused.status, f"{path}: is damaged" in refused.err, "check --repair" in refused.err) == (1, True, True)
    done = examboard(own_store, "check", "--format", "json")
    (found,) = json.loads(done.out)["collections"]
    assert (done.status, found["collection"], found["problems"][0]["file"]) == (1, "", str(path))
    repaired = json.loads(examboard(own_store, "check", "--repair", "--format", "json").out)
    assert repaired["set_aside"] == [str(own_store / ".damaged" / "catalogue.sqlite")]
    assert {one["collection"] for one in repaired["collections"]} > {"", "demo"}
    assert (examboard(own_store, "list").status, examboard(own_store, "check").status) == (0, 0)
    assert examboard(own_store, "import", "list", "--collection", "demo").out == before


def test_clean_removes_what_nobody_lists_and_is_a_day_old(examboard, told, own_store):
    rest = own_store / "demo" / "judgments" / "0123456789abcdef.parquet"
    new = own_store / "demo" / "judgments" / "fedcba9876543210.parquet"
    for path in (rest, new):
        path.write_bytes(b"half an import")
    os.utime(rest, (time.time() - 90_000,) * 2)
    listed = told("clean", "--dry-run", store=own_store)
    assert (listed["removed"], [row["file"] for row in listed["rows"]]) == (False, [str(rest)])
    assert rest.exists()
    assert "1 file" in examboard(own_store, "clean").out
    assert (rest.exists(), new.exists()) == (False, True)
    assert "There is nothing to remove." in examboard(own_store, "clean").out


def test_a_backup_is_a_store(examboard, told, own_store, tmp_path):
    done = told("backup", str(tmp_path / "copy"), store=own_store)
    assert done == {"folder": str(tmp_path / "copy"), "bytes": done["bytes"]}
    assert done["bytes"] > 10_000
    assert told("list", store=tmp_path / "copy") == told("list", store=own_store)
    assert "name a folder that does not exist yet" in examboard(own_store, "backup", str(tmp_path)).err


def test_a_store_of_an_earlier_version_says_once_what_is_no_longer_read(examboard):
    store = Path(__file__).parents[1] / "golden" / "store-1.0.0"
    done = examboard(store, "check")
    assert done.status == 0
    assert done.out.count(f"{store}/demo/notes: notes on passages of an earlier version.") == 1
    assert done.out.count(f"{store}/.drafts: drafts of question banks of an earlier version.") == 1


def test_columns_that_a_command_for_a_kind_names_are_kept_for_files_of_the_same_header(tmp_path, examboard):
    for name, row in {"a": "q1,d1,2", "b": "q2,d1,1", "c": "q3,d1,1"}.items():
        (tmp_path / f"{name}.csv").write_text(f"frage,text_nr,urteil\n{row}\n")
    named = ("--as", "query=frage,doc=text_nr,label=urteil")
    assert examboard(tmp_path / "named", "import", "qrels", tmp_path / "a.csv", "--collection", "c", *named).status == 0
    again = examboard(tmp_path / "named", "import", "qrels", tmp_path / "b.csv", "--collection", "d")
    note = "columns as named for an earlier file of this header: frage is query_id"
    assert (again.out, f"b.csv: {note}" in again.err) == ("d: 1 query, 1 judgment\n", True)
    assert f"c.csv: {note}" in examboard(tmp_path / "named", "import", tmp_path / "c.csv", "--collection", "e").out
