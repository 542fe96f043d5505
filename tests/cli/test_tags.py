"""tags on the command line."""

import pytest


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
    [(["bm25"], "To give bm25 tags"), (["bm25", "x", "--undo"], "choose one of them"), (["nobody", "x"], "no run")],
)
def test_a_wrong_use_of_tags_is_refused(examboard, tagged, options, why):
    done = examboard(tagged, "tags", "demo", *options)
    assert (done.status, why in done.err) == (2, True)
