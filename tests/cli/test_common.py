"""How results are printed."""

import sys

import pandas as pd
import pytest

from exam_core.cli.common import OutputForm, fitting, shown


@pytest.mark.parametrize(
    ("width", "shown"),
    [(35, "run_id mean interval rank"), (34, "run_id mean rank"), (18, "run_id rank"), (3, "run_id")],
)
def test_a_table_has_the_columns_that_fit_and_names_the_others(width, shown):
    rows = pd.DataFrame({"run_id": ["bm25"], "mean": [0.5], "interval": [(0.25, 0.75)], "rank": [1]})
    found, told = fitting(rows, width)
    assert list(found) == shown.split()
    left_out = [name for name in rows if name not in shown.split()]
    assert [line.endswith(f": {', '.join(left_out)}.") for line in told] == [True] * bool(left_out)


def test_elsewhere_than_on_a_terminal_a_table_has_all_columns_and_rows(monkeypatch):
    rows = pd.DataFrame({f"a long name {number}": range(2_000) for number in range(200)})
    assert (fitting(rows)[0] is rows, shown(rows, OutputForm.TABLE, long=False)[0] is rows) == (True, True)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert [len(part) for part in shown(rows, OutputForm.TABLE, long=False)] == [1_000, 1]
