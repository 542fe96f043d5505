"""Several browsers at once see the command line's numbers."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from exam_core.bench.users import benchmark

pytestmark = pytest.mark.browser


def test_three_users_at_once_see_right_numbers_and_no_error(dl19_store: Path, chromium: Browser) -> None:
    assert chromium.is_connected()
    found = benchmark(dl19_store, "dl19", users=3, seconds=6)
    assert (found["wrong"], found["errors"]) == ([], 0)
    assert found["moves"] >= 3
