"""The room of numbers by itself: copied into an empty folder, beside numpy and scipy."""

import doctest
import shutil
import subprocess
import sys
from pathlib import Path

ALONE = """
import pkgutil, sys
sys.modules |= dict.fromkeys(("pandas", "duckdb", "pyarrow", "sklearn", "ir_measures", "plotly"))
import numpy as np
import exam_core.numbers as room
for found in pkgutil.walk_packages(room.__path__, "exam_core.numbers."):
    __import__(found.name)
from exam_core.numbers.true_means import true_correlations
values = np.arange(8)[:, None] / 4 + np.random.default_rng(1).normal(size=(1, 8, 20))
print(room.__file__, true_correlations(values, np.arange(8.0), draws=50).middle.kendall[0] > 0)
"""


ROOM = Path(__file__).parents[2] / "exam_core" / "numbers"


def test_examples_of_the_readme_run() -> None:
    found = doctest.testfile(str(ROOM / "true_means" / "README.md"), module_relative=False)
    assert (found.failed, found.attempted) == (0, 9)


def test_numbers_need_numpy_and_scipy_alone(tmp_path: Path) -> None:
    room = shutil.copytree(ROOM, tmp_path / "exam_core" / "numbers")
    (tmp_path / "exam_core" / "__init__.py").touch()
    done = subprocess.run([sys.executable, "-c", ALONE], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"{room / '__init__.py'} True\n", "")
