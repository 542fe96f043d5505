"""Records of batches, damaged in every way: each is named, and set aside alone."""

import pytest

from exam_core import actions
from exam_core.errors import StoreError
from exam_core.store import Store
from exam_core.store.checking import check
from exam_core.wings.servers.store.ledger import Ledger
from tests.store.test_records import DAMAGES


def test_a_damaged_record_of_a_batch_is_named_and_set_aside_without_the_others(tmp_path):
    store = Store(tmp_path / "store")
    ledger = Ledger(store.answers("m", {"model": "m"}).folder / "batches")
    kept, batch = ledger.begin([b"1" * 16]), ledger.begin([b"2" * 16])
    path, whole = ledger.path(batch), ledger.path(batch).read_bytes()
    for content in (*DAMAGES.values(), whole[:-30], whole.replace(b'"keys":"3', b'"keys":"4')):
        path.write_bytes(content)
        with pytest.raises(StoreError, match="batch"):
            ledger.open()
        (problem,) = (problem for one in check(store) for problem in one.problems)
        assert (problem.path, "paid again" in problem.remedy) == (path, True), content[:40]
        assert (len(actions.repair(store).aside), ledger.open()) == (1, [kept])
