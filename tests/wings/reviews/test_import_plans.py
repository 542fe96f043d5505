"""Files of reviews, brought together with others."""

import pytest

from exam_core.actions.import_plans import ImportPlan, PlannedFile, import_files
from exam_core.errors import BadInput
from tests.actions.test_import_plans import FOLDER
from tests.actions.test_import_plans import bring as bring
from tests.actions.test_import_plans import written as written


def test_reviews_alone_are_told_the_collections_that_exist(bring, store, tmp_path):
    bring(FOLDER)
    (tmp_path / "r.csv").write_text("query_id,doc_id,answer,reviewer\nq1,d1,1,Ann\n", encoding="utf-8")
    with pytest.raises(
        BadInput, match=r"reviews need the collection that they are about\. There is no coll.* There are: c\."
    ):
        import_files(store, ImportPlan("zzz", [PlannedFile(tmp_path / "r.csv", "reviews")]))
    assert store.collections() == ["c"]
