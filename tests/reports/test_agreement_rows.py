"""Agreement as a 2 x 2 table, as one row, and as a row for each query."""

import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from exam_core.analysis.agreement import GRID, Agreement
from exam_core.analysis.agreement_matrices import agreement_lines, agreement_rows, per_query_rows
from exam_core.table_text import as_text

QUERY_FIELDS = ["query_id", "n", "tp", "fp", "fn", "tn", "kappa", "precision", "recall", "f1"]
FOUND = Agreement(
    tau=4,
    relevant_from=2,
    label_rank=1,
    confusion=np.array([[1, 2], [3, 4]]),
    graded={},
    kappa=-0.1,
    n=10,
    notes=["a note"],
    kappa_interval=(-0.25, 0.05),
    linear_kappa=0.5,
    multiclass_kappa=0.4,
    precision=1 / 3,
    recall=0.25,
    f1=2 / 7,
    observed_agreement=0.4,
    gwet_ac1=-0.1881,
    pabak=-0.2,
    per_query=pd.DataFrame(
        [["q1", 4, 0, 0, 0, 4, *[np.nan] * 4], ["q2", 6, 1, 2, 3, 0, *[0.5] * 4]], columns=QUERY_FIELDS
    ),
    scale_notes=["on scales"],
)


def test_the_table_is_the_2x2_table():
    assert as_text(agreement_rows(FOUND, "table"), "table").splitlines() == [
        "predicted  judged >= 2  judged < 2",
        ">= 4                 1           2",
        "< 4                  3           4",
    ]


def test_latex_has_kappa_its_interval_and_n_in_the_first_row_and_signs_that_latex_can_set():
    assert as_text(agreement_rows(FOUND, "latex"), "latex").splitlines()[3:7] == [
        r"predicted & judged $\geq$ 2 & judged $<$ 2 & kappa & 95\% interval & n \\",
        r"\midrule",
        r"$\geq$ 4 & 1 & 2 & -0.100 & -0.250 to 0.050 & 10 \\",
        r"$<$ 4 & 3 & 4 &  &  &  \\",
    ]


def test_what_is_undefined_is_a_dash_in_latex_and_a_word_below_the_table():
    undefined = replace(FOUND, kappa=np.nan, kappa_interval=None)
    assert r"1 & 2 & - & - & 10" in as_text(agreement_rows(undefined, "latex"), "latex")
    assert agreement_lines(undefined)[0] == "Cohen's kappa undefined, 95% interval undefined (n = 10)"


def test_csv_is_one_row_with_everything_in_full_precision():
    row = pd.read_csv(io.StringIO(as_text(agreement_rows(FOUND, "csv"), "csv"))).iloc[0]
    of_graded = ["linear_kappa", "quadratic_kappa", "krippendorff_alpha", "multiclass_kappa"]
    assert list(row.index) == [*GRID.names, "observed_agreement", "gwet_ac1", "pabak", *of_graded, "label_map"]
    asked = ["kappa", "kappa_low", "kappa_high", "n", "precision", "tp", "fp", "fn", "tn"]
    assert row[asked].tolist() == [-0.1, -0.25, 0.05, 10, 1 / 3, 1, 2, 3, 4]


def test_csv_leaves_an_undefined_interval_and_label_rank_empty():
    text = as_text(agreement_rows(replace(FOUND, label_rank=None, kappa_interval=None), "csv"), "csv")
    assert text.splitlines()[1].startswith("4,2,,1,2,3,4,-0.1,,,")


@pytest.mark.parametrize("form", ["csv", "latex"])
def test_files_of_each_query_end_with_all_together(form):
    rows = agreement_rows(FOUND, form, per_query=True)
    assert rows.columns.tolist() == QUERY_FIELDS
    assert (rows["query_id"].tolist(), rows["kappa"].iloc[-1], rows["n"].iloc[-1]) == (["q1", "q2", "all"], -0.1, 10)
    alone = per_query_rows(replace(FOUND, per_query=FOUND.per_query.head(0)))
    assert alone[["query_id", "n"]].to_numpy().tolist() == [["all", 10]]


def test_the_lines_under_the_table_have_the_coefficients_and_the_notes():
    assert agreement_lines(FOUND) == [
        "Cohen's kappa -0.100, 95% interval -0.250 to 0.050 (n = 10)",
        "Raw agreement 0.400, Gwet's AC1 -0.188, PABAK -0.200",
        "Precision 0.333, recall 0.250, F1 0.286",
        "Of the graded matrix: kappa over all classes 0.400, linear kappa 0.500, quadratic kappa undefined, "
        "Krippendorff's alpha (ordinal) undefined",
        "a note",
        "on scales",
    ]
