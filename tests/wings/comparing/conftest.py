"""A small method grid, which is written in several forms."""

import numpy as np
import pandas as pd
import pytest

from exam_core.wings.comparing.grid import NEEDS_QUESTIONS, NO_ORDER, Grid, styled_grid


@pytest.fixture
def grid() -> Grid:
    """Two measures at two taus, and a grader of passages, with what is undefined and what needs questions."""
    rows = pd.DataFrame(
        [
            ("a_bank", "rater", 1, "AP", 0.98, 0.9, 7, ""),
            ("a_bank", "rater", 1, "Cover@20", np.nan, np.nan, 7, NO_ORDER),
            ("a_bank", "rater", 2, "AP", 0.94, 0.7, 7, ""),
            ("a_bank", "rater", 2, "Cover@20", 0.4, 0.6, 8, ""),
            (None, "50% labels", 1, "AP", 0.3, -0.2, 7, ""),
            (None, "50% labels", 1, "Cover@20", np.nan, np.nan, None, NEEDS_QUESTIONS),
        ],
        columns=["bank", "grader", "tau", "measure", "spearman", "kendall", "n", "undefined"],
    )
    return styled_grid("c", None, ["AP", "Cover@20"], rows, [])
