"""tags and circularity on the command line."""

import json
import shutil

import pytest
from thoroughly import thoroughly


@pytest.fixture(scope="module")
def folder(demo_store, tmp_path_factory):
    path = tmp_path_factory.mktemp("tagged") / "store"
    shutil.copytree(demo_store / "demo", path / "demo")
    return path


@pytest.fixture
def tagged(examboard, folder):
    examboard(folder, "tags", "demo", "bm25", "llm", "saw the bank")
    examboard(folder, "tags", "demo", "lsa-40", "llm")
    return folder


def test_tags_are_listed_taken_back_and_read_from_their_own_csv(examboard, tagged, tmp_path):
    listed = examboard(tagged, "tags", "demo", "--format", "csv").out
    assert listed.split() == ["run_id,tag", "bm25,llm", "bm25,saw", "the", "bank", "lsa-40,llm"]
    assert examboard(tagged, "tags", "demo", "lsa-40", "").out == "demo: lsa-40 is tagged nothing now; before, llm.\n"
    assert "lsa-40 is tagged llm now" in examboard(tagged, "tags", "demo", "--undo").out
    file = tmp_path / "tags.csv"
    file.write_text(listed, encoding="utf-8")
    assert examboard(tagged, "tags", "demo", "--file", str(file)).out == "demo: these tags are there already.\n"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["bm25"], "Say what tags bm25 has"),
        (["bm25", "x", "--undo"], "choose one of them"),
        (["nobody", "x"], "no run"),
    ],
)
def test_a_wrong_use_of_tags_is_refused(examboard, tagged, options, why):
    done = examboard(tagged, "tags", "demo", *options)
    assert (done.status, why in done.err) == (2, True)


@pytest.mark.parametrize("form", ["table", "json", *thoroughly("csv", "latex", "siunitx")])
def test_displacements_are_printed_in_every_format(examboard, tagged, form):
    asked = "circularity demo --bank open --measures P@20,Cover@20 --reference qrels:P@20 --draws 20".split()
    done = examboard(tagged, *asked, "--format", form)
    assert (done.status, done.err) == (0, "")
    assert "saw the bank" in done.out
    if form == "json":
        found = json.loads(done.out)
        assert (found["reference"], found["measures"]) == ("qrels:P@20", ["P@20", "Cover@20"])
        assert found["tags"] == {"llm": ["bm25", "lsa-40"], "saw the bank": ["bm25"]}
        assert [row["method"] for row in found["rows"][:3]][-1] == "all"


def test_print_says_what_it_lacks(examboard, demo_store):
    done = examboard(demo_store, "circularity", "car-y3-published")
    assert (done.status, "no values by query" in done.out) == (0, True)
