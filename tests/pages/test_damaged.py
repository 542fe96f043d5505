"""What is damaged in a store is said on the page, which shows all else."""

from dashboards import opened, sentences

from exam_core.store import Store
from tests.store.store_samples import change_record

PAGE = "pages/leaderboard/leaderboard.py"


def said(test):
    """All that the page says, without Markdown's escapes."""
    return sentences(test).replace("\\", "")


def test_a_record_that_is_left_out_is_said_on_every_page_until_it_is_back(own_store, monkeypatch):
    own = Store(own_store)
    own.give_alias("demo", "lexical.pourpre-idf", "Words", "ann@here")
    before = change_record(own.path, "alias", b"\xff", is_sound=True)
    test = opened(PAGE, own.path, monkeypatch, collection="demo")
    assert len(test.dataframe) > 0
    assert "catalogue.sqlite: alias 1 of demo can't be read" in said(test)
    change_record(own.path, "alias", before, is_sound=True)
    test.run()
    assert ("alias 1 of demo" in said(test), "Words" in said(test)) == (False, True)
