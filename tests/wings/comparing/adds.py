"""What comparing adds to tests of the whole."""

from typing import Any

import numpy as np

from exam_core.measures import Measure
from exam_core.wings.comparing.cutoffs import cutoffs
from exam_core.wings.comparing.grid import grid
from exam_core.wings.comparing.run_pairs import significance
from exam_core.wings.comparing.stability import size_curve, stability

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
        "stability {of} --draws 5 --curve queries",
        "stability {of} --draws 5 --curve bank-size",
    ],
    "swaps": ["swaps {of}", "swaps {of} --pairs"],
    "whatif": ["whatif {of} --drop {question}"],
}
REFUSED_OF_PRINT = {"whatif": "no bank whose questions to edit"}
# Of test_redraws.py and test_unreadable.py.
OF_QUESTIONS = (size_curve,)
OF_UNREADABLE = {
    "significance": lambda *asked: np.array(list(significance(*asked, draws=20).shares.values())),
    "cutoffs": lambda *asked: cutoffs(*asked).rows[["kendall", "stderr", "separable_bars", "separable_t"]],
    "grid": lambda snapshot, choice: grid(snapshot, [choice], [Measure("Cover", 2)]).rows[["spearman", "kendall"]],
    "ranks over draws": lambda *asked: stability(*asked, draws=5).rows[["rank_mean", "first"]],
}
# Of test_every_page.py.
CHARTS = {
    "pages/compare/compare.py": (1, 1, 1, 1),
    "pages/methods/methods.py": (1, 1, 1, 1),
    "pages/reliability/reliability.py": (2, 1, 1, 1),
}
# Of tests of commands, by what they look at.
WITHOUT = ["cutoffs", "significance", "swaps", "stability"]
NUMBERS = ["grid demo --taus"]
GUESSING = [
    "significance small --measure P@1",
    "swaps small --measure P@1 --reference qrels:P@1",
    "stability small --measure P@1 --draws 5",
]
WITHOUT_GRADES = ["cutoffs mine", "grid runs"]
ROUNDED = ["cutoffs", "grid"]
UNREADABLE_PAGES = ["compare", "methods", "reliability"]
SEEDED = {
    "significance demo --bank open --test bootstrap": "rows",
    "significance demo --bank open --test randomisation --pairs": "pairs",
    "significance demo --bank open --test tukey --pairs": "pairs",
    "stability demo --bank open": "rows",
    "stability demo --bank open --curve bank-size": "rows",
    "stability demo --bank open --curve queries": "rows",
    "cutoffs demo --bank open --splits 20": "rows",
}
REFUSED_LINES = {
    "whatif demo --bank open": (2, "Say what to change"),
    "whatif demo --bank open --drop x": (2, "x is not among the bank's questions"),
    "whatif car-y3-published --drop x": (1, "no bank whose questions to edit"),
    "grid demo --taus 6": (2, "--taus 6: choose 1 to 5."),
    "grid demo --taus one": (2, "--taus one: give comma-separated numbers from 1 to 5"),
    "grid demo --taus ,": (2, "--taus ,: give comma-separated numbers from 1 to 5"),
    "cutoffs demo --bank open --judgments official": (2, "Human judgments have no tau"),
    "cutoffs demo --bank open --splits 0": (2, "--splits 0: choose 1 to"),
    "cutoffs dl19-published --measure AP": (1, "AP is not printed in dl19-published. Printed are:"),
    "significance demo --bank open --baseline nobody": (2, "There is no run nobody"),
    "significance demo --bank open --baseline bm25 --pairs": (2, "choose one"),
    "significance demo --bank open --baseline bm25 --test tukey": (2, "leave out --baseline"),
    "stability demo --bank open --top 0": (2, "--top 0"),
    "stability demo --bank open --reference official": (2, "--reference is for curves"),
    "swaps demo --bank open --bin 0": (2, "--bin 0"),
    "swaps demo --bank open --tau all": (2, "one tau"),
    "swaps dl20-published --tau all": (2, "one tau"),
    "swaps dl20-published --measure P@5": (1, "Printed are"),
}
OF_A_MODE = [
    "grid world --measures P@5 --graders a,{} --reference qrels:P@5 --taus 1",
    "swaps world --measure P@5 --grader {} --reference qrels:P@5",
]
BY_JUDGMENTS = ["significance mine --draws 20", "stability mine --draws 20", "swaps mine", "grid mine"]
ANSWERED: dict[str, tuple[str, dict[str, Any]]] = {
    "the grid": ("grid", {"measures": "AP,Cover@20", "taus": [1, 3]}),
    "the printed grid": ("grid", {}),
}
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("grid", {"taus": [1, 7]}, "taus 7: choose 1 to 5."),
    ("grid", {"taus": "1,3"}, "taus='1,3': give whole numbers in a list, or 'all'."),
]
# Of tests of pages.
PAGES_BY_JUDGMENTS = [
    ("compare", "official judgments nDCG@10"),
    ("methods", "mine, nDCG@10, judged relevant from 2"),
    ("reliability", "of 105 pairs of runs differ significantly"),
]
METHODS = ["pages/methods/methods.py"]
TAKES_GRADES = ("pages/compare/compare.py", {"compare_what": "Other questions"})
MOVED_TO = ("methods", "reliability")
FIGURES = {"grid": {"measures": "AP,Cover@20"}}
GIVEN_TWICE = [
    ("grid demo --measure AP --measure P@5", "--measures is given 2 times. Give it once, its values comma-separated"),
    ("grid demo --measures AP --measure P@5", "--measures is given 2 times. Give it once, its values comma-separated"),
    ("grid demo --taus 1 --tau 3", "--taus is given 2 times"),
]
