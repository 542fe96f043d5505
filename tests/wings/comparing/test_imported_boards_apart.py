"""Runs of an imported board are tested as those of the judgments that it was made of."""

import pandas as pd

from exam_core.analysis.choosing import choose, leave_out
from exam_core.wings.comparing import run_pairs as tests
from tests.analysis.test_imported_boards import BASE, JUDGED, OURS
from tests.analysis.test_imported_boards import snapshot as snapshot
from tests.analysis.test_imported_boards import store as store


def test_its_runs_are_tested_as_those_of_the_judgments(snapshot):
    computed = tests.significance(snapshot, choose(snapshot, JUDGED), draws=200)
    imported = tests.of_values(snapshot, OURS, draws=200)
    # What is imported may be in percent: no bounds are known for its intervals.
    rows = imported.rows.assign(low=imported.rows["low"].clip(0.0), high=imported.rows["high"].clip(upper=1.0))
    pd.testing.assert_frame_equal(rows, computed.rows, atol=1e-9)
    pd.testing.assert_frame_equal(imported.pairs, computed.pairs, atol=1e-9)
    computed, imported = (tests.against(snapshot, what, BASE, draws=200) for what in (choose(snapshot, JUDGED), OURS))
    pd.testing.assert_frame_equal(imported.rows, computed.rows, atol=1e-9)
    assert BASE not in set(tests.of_values(leave_out(snapshot, [BASE]), OURS, draws=50).rows["run_id"])
