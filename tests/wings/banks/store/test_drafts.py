"""Drafts on disk."""

import pytest

from exam_core.errors import StoreError
from exam_core.store import Store
from exam_core.store.layout import LAYOUT, say_layout
from exam_core.wings.banks.store.drafts import begin, draft_path, growing, remove
from tests.faults.test_faults import broken
from tests.faults.test_faults import pytestmark as needs_strace


def test_a_draft_is_neither_changed_nor_removed_in_a_store_that_a_later_version_took(tmp_path):
    store = Store(tmp_path / "store")
    draft = draft_path(store.path, "c", "draft")
    begin(draft, b'{"bank":"b"}')
    say_layout(store.path, LAYOUT + 1)
    before = draft.read_bytes()
    with pytest.raises(StoreError, match="later version"), growing(draft):
        pass
    with pytest.raises(StoreError, match="later version"):
        remove(draft)
    assert draft.read_bytes() == before


@needs_strace
def test_some_faults_and_every_power_loss_leave_a_draft_as_before_or_as_after():
    assert broken("--of", "draft edit", "--apart", "13") == []
