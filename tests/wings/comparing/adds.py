"""What comparing adds to tests of the whole."""

from functools import partial

import numpy as np

from exam_core.measures import Measure
from exam_core.wings.comparing.analysis.bank_size import size_curve
from exam_core.wings.comparing.analysis.leave_one_out import leave_one_out
from exam_core.wings.comparing.analysis.mode_grid import grid
from exam_core.wings.comparing.analysis.rank_bootstrap import stability
from exam_core.wings.comparing.analysis.run_differences import significance
from exam_core.wings.comparing.analysis.tau_comparison import cutoffs

READING = {
    "grid": ["grid {of}"],
    "cutoffs": ["cutoffs {of} --draws 20 --splits 5"],
    "significance": [
        "significance {of} --draws 20",
        "significance {of} --draws 20 --pairs",
        "significance {of} --baseline {run}",
    ],
    "stability": [
        "stability {of} --draws 20",
        "stability {of} --draws 20 --of questions",
        "stability {of} --draws 20 --of both",
        "stability {of} --draws 5 --curve queries",
        "stability {of} --draws 5 --curve bank-size",
        "stability {of} --leave-one-out",
    ],
    "swaps": ["swaps {of}", "swaps {of} --pairs"],
    "whatif": ["whatif {of} --drop {question}"],
}
REFUSED_OF_PRINT = {"whatif": "no bank whose questions to edit"}
# Of test_redraws.py and test_unreadable.py.
OF_QUESTIONS = (leave_one_out, size_curve, partial(stability, of="questions"))
OF_UNREADABLE = {
    "significance": lambda *asked: np.array(list(significance(*asked, draws=20).shares.values())),
    "questions left out": lambda *asked: leave_one_out(*asked).rows[["kendall", "rank_change"]],
    "cutoffs": lambda *asked: cutoffs(*asked).rows[["kendall", "stderr", "separable_bars", "separable_t"]],
    "grid": lambda snapshot, choice: grid(snapshot, [choice], [Measure("Cover", 2)]).rows[["spearman", "kendall"]],
    "ranks over draws": lambda *asked: stability(*asked, of="both", draws=5).rows[["rank_mean", "first"]],
}
# Of test_every_page.py.
CHARTS = {
    "pages/compare/compare.py": (1, 1, 1, 1),
    "pages/methods/methods.py": (1, 1, 1, 1),
    "pages/how_sure/how_sure.py": (2, 1, 1, 1),
}
