"""`examboard check` and `clean` at a terminal."""

import json
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path


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
