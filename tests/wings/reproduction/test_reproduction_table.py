"""How many printed figures reproduce, in words; counted by hand."""

import pandas as pd

from exam_core.wings.reproduction.reproduction import ROWS, Reproduction
from exam_core.wings.reproduction.slides import counts_in_words, reasons_table

FIGURES = pd.DataFrame(
    [
        ("E", "t1", "a", "f1", "0.50", 0.50, 0.0, "equal", "", ""),
        ("E", "t1", "a", "f2", "0.50", 0.505, 0.005, "differs", "rounding", "s"),
        ("E", "t1", "a", "f3", "0.50", 0.6, 0.1, "differs", "", ""),
        ("E", "t2", "b", "f4", "7", 8.0, 1.0, "differs", "rounding", "s"),
        ("E", "t2", "b", "f5", "0.1", 0.1, 0.0, "equal by another rule", "rounding", "s"),
    ],
    columns=["paper", "printed_in", "about", "figure", "printed", "ours", "difference", "verdict", "reason", "source"],
).assign(by_stated_rule=float("nan"), setting="")
FOUND = Reproduction("x", "dl19", "grades", ROWS.of(FIGURES))


def test_the_counts_say_what_was_compared_what_is_equal_and_how_far_the_rest_is():
    assert counts_in_words(FOUND) == [
        "Compared: 5 printed figures of 2 columns or tables: 4 scores, shares or coefficients, 1 count.",
        "Equal to the printed digits: 1, with the rule that the paper states.",
        "Equal to the printed digits by another rule (column Setting): 1.",
        "Different: 3. Within 0.005 of print: 1 of the 2 that are not counts. The reason is known for 2 of 3.",
    ]


def test_the_counts_of_the_sentence_add_up():
    assert FOUND.sentence == (
        "Of 5 printed figures: 1 equal to the last digit, 1 equal by another tau or label rank than the paper states, "
        "3 differ (1 by at most 0.005); the reason is known for 2 of them."
    )


def test_reasons_come_with_how_many_figures_they_explain():
    told = reasons_table(FOUND)[["figures", "reason"]].to_numpy().tolist()
    assert told == [[3, "rounding"], [1, "No reason is known."]]
