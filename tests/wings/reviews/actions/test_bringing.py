"""Files of reviews, brought together with others."""

import pytest

from exam_core.actions.bringing import FileOrder, import_files
from exam_core.errors import BadInput
from tests.actions.test_bringing import FOLDER
from tests.actions.test_bringing import bring as bring
from tests.actions.test_bringing import written as written


def test_reviews_alone_are_told_the_collections_that_exist(bring, store, tmp_path):
    bring(FOLDER)
    (tmp_path / "r.csv").write_text("query_id,doc_id,answer,reviewer\nq1,d1,1,Ann\n", encoding="utf-8")
    with pytest.raises(
        BadInput, match=r"reviews need the collection that they are about\. There is no coll.* There are: c\."
    ):
        import_files(store, "zzz", [FileOrder(tmp_path / "r.csv", "reviews")])
    assert store.collections() == ["c"]
