"""Several browsers at once see the command line's numbers."""

import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from benchmarks.dashboard import CHROMIUM
from benchmarks.users import benchmark

pytestmark = [pytest.mark.browser, pytest.mark.thorough]


@pytest.mark.skipif(shutil.which(CHROMIUM) is None, reason="no Chromium on this machine: apt-get install chromium")
def test_three_users_at_once_see_right_numbers_and_no_error(dl19_store):
    with ThreadPoolExecutor(1) as thread:  # in this thread the other tests' browser has its event loop
        found = thread.submit(benchmark, dl19_store, "dl19", users=3, seconds=6).result()
    assert (found["wrong"], found["errors"]) == ([], 0)
    assert found["moves"] >= 3
