"""`examboard check` and `clean` at a terminal."""

import json
import os
import shutil
import time
from pathlib import Path

import pytest


@pytest.fixture
def store(demo_store, tmp_path):
    return Path(shutil.copytree(demo_store, tmp_path / "store"))


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


def test_what_is_damaged_is_named_until_it_is_set_aside_and_the_rest_is_there(examboard, told, store):
    before = told("leaderboard", "demo", "--bank", "open", store=store)
    path = damage(store)
    refused = examboard(store, "list")
    assert (refused.status, f"{path} is damaged" in refused.err) == (1, True)
    done = examboard(store, "check", "--format", "json")
    ((problem,),) = (one["problems"] for one in json.loads(done.out)["collections"] if not one["sound"])
    assert (done.status, problem["file"], problem["problem"]) == (1, str(path), "damaged")
    assert "judgments" in problem["consequence"]
    assert "again" in problem["remedy"]
    aside = store / ".damaged" / path.relative_to(store)
    assert examboard(store, "check", "--repair").status == 1
    assert (path.exists(), aside.exists(), examboard(store, "check").status) == (False, True, 0)
    assert told("leaderboard", "demo", "--bank", "open", store=store)["rows"] == before["rows"]


def test_a_store_that_does_not_say_how_it_is_laid_out_is_named_and_can_be_opened_after_its_repair(examboard, store):
    path = store / ".layout"
    content = bytearray(path.read_bytes())
    content[3] ^= 1
    path.write_bytes(content)
    refused = examboard(store, "list")
    assert (refused.status, str(path) in refused.err, "examboard check" in refused.err) == (1, True, True)
    done = examboard(store, "check", "--format", "json")
    (found,) = json.loads(done.out)["collections"]
    assert (done.status, found["collection"], found["problems"][0]["file"]) == (1, "", str(path))
    assert "check --repair" in found["problems"][0]["remedy"]
    repaired = json.loads(examboard(store, "check", "--repair", "--format", "json").out)
    assert repaired["set_aside"] == [str(store / ".damaged" / ".layout")]
    assert {one["collection"] for one in repaired["collections"]} > {"", "demo"}
    assert (examboard(store, "list").status, examboard(store, "check").status) == (0, 0)


def test_clean_removes_what_nobody_lists_and_is_a_day_old(examboard, told, store):
    rest = store / "demo" / "judgments" / "0123456789abcdef.parquet"
    new = store / "demo" / "judgments" / "fedcba9876543210.parquet"
    for path in (rest, new):
        path.write_bytes(b"half an import")
    os.utime(rest, (time.time() - 90_000,) * 2)
    listed = told("clean", "--dry-run", store=store)
    assert (listed["removed"], [row["file"] for row in listed["rows"]]) == (False, [str(rest)])
    assert rest.exists()
    assert "1 file" in examboard(store, "clean").out
    assert (rest.exists(), new.exists()) == (False, True)
    assert "There is nothing to remove." in examboard(store, "clean").out
