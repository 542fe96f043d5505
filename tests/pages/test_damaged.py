"""What is damaged in a store is said on the page, which shows all else."""

from dashboards import opened, sentences

from exam_core.store import Store

PAGE = "pages/leaderboard/leaderboard.py"


def said(test):
    """All that the page says, without Markdown's escapes."""
    return sentences(test).replace("\\", "")


def test_a_record_that_is_left_out_is_said_on_every_page_until_it_is_back(own_store, monkeypatch):
    own = Store(own_store)
    own.give_alias("demo", "lexical.pourpre-idf", "Words", "ann@here")
    (path,) = (own.path / "demo" / "aliases").iterdir()
    before = path.read_bytes()
    path.write_bytes(b"\xff")
    test = opened(PAGE, own.path, monkeypatch, collection="demo")
    assert len(test.dataframe) > 0
    assert f"{path.name}: is no alias of a grader" in said(test)
    path.write_bytes(before)
    test.run()
    assert ("is no alias" in said(test), "Words" in said(test)) == (False, True)
