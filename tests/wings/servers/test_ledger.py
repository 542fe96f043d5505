"""Records of batches, damaged in every way: each is named, and set aside alone."""

import pytest

from exam_core.actions import repairing
from exam_core.errors import StoreError
from exam_core.store import Store
from exam_core.store.checking import check
from exam_core.wings.servers.ledger import Ledger
from tests.store.store_samples import change_record
from tests.store.test_records import DAMAGES


def test_a_damaged_record_of_a_batch_is_named_and_set_aside_without_the_others(tmp_path):
    for number, content in enumerate((*DAMAGES.values(), b"cut", b"other keys")):
        store = Store(tmp_path / str(number))
        folder, other = (store.answers(name, {"model": name}).folder for name in "mn")
        kept, batch, of_other = Ledger(folder).begin([b"1" * 16]), Ledger(folder).begin([b"2" * 16]), Ledger(other)
        whole = change_record(store.path, "batch", b"", which=1)
        damage = {b"cut": whole[:-30], b"other keys": whole.replace(b'"keys":"3', b'"keys":"4')}
        change_record(store.path, "batch", damage.get(content, content), which=1)
        store = Store(store.path)
        with pytest.raises(StoreError, match=f"batch .*{batch.token}"):
            Ledger(folder).open()
        assert of_other.open() == []  # prompts of another model are known
        (problem,) = (problem for one in check(store) for problem in one.problems)
        assert "paid again" in problem.remedy, content[:40]
        assert (len(repairing.repair(store).moved), Ledger(folder).open()) == (1, [kept])
