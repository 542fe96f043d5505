"""circularity on the command line."""

import json

import pytest
from thoroughly import thoroughly


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
