"""Examples in documents of the source run as they stand."""

from __future__ import annotations

import doctest
from pathlib import Path

TRUE_MEANS = Path(__file__).parents[1] / "exam_core" / "numbers" / "true_means" / "README.md"


def test_examples_of_the_readme_run() -> None:
    found = doctest.testfile(str(TRUE_MEANS), module_relative=False)
    assert (found.failed, found.attempted) == (0, 9)
