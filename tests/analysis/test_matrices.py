"""The matrices of agreement as tables, the papers' cuts, and which passages a cell stands for."""

import pytest

from exam_core.analysis import printed
from exam_core.analysis.agreement_matrices import (
    BINARY,
    CUTS,
    binary_cells,
    counts_alternative,
    cuts_in,
    graded_cells,
    is_graded,
    nearest_cut,
    relevant_counts,
    with_sums,
)


@pytest.fixture(scope="module")
def car(printed_store):
    return printed_store.snapshot("car-y3-published")


@pytest.fixture(scope="module")
def genq(car):
    return printed.agreement(car, bank="genq", tau=4, relevant_from=1)


def test_the_graded_matrix_has_the_sums_that_the_paper_prints(genq):
    # EXAM, graded table of CAR-Y3: row totals, largest rating first
    table = with_sums(graded_cells(genq))
    assert table["label"].tolist() == ["5", "4", "3", "2", "1", "0", "all"]
    assert table["all"].tolist() == [96, 3448, 155, 337, 245, 2071, 6352]


def test_the_2x2_table_is_the_confusion_with_its_sums(genq):
    (tp, fp), (fn, tn) = genq.confusion.tolist()
    table = with_sums(binary_cells(genq))
    assert table.columns.tolist() == ["label", "judged ≥ 1", "judged < 1", "all"]
    assert table["judged ≥ 1"].tolist() == [tp, fn, tp + fn]
    assert table["all"].tolist() == [tp + fp, fn + tn, genq.n]


def test_shares_of_a_label_and_of_a_judgment_each_add_up_to_1(genq):
    cells = graded_cells(genq)
    assert cells.groupby("label")["of_label"].sum().round(9).eq(1).all()
    assert cells.groupby("relevance")["of_relevance"].sum().round(9).eq(1).all()


def test_an_empty_label_has_no_shares(car):
    cells = binary_cells(printed.agreement(car, bank="genq", tau=4, relevant_from=1))
    empty = cells.assign(n=0)
    assert counts_alternative(empty).startswith("Label ≥ 4: 0 judged ≥ 1, 0 judged < 1.")


def test_the_lines_run_behind_the_relevant_labels_and_judgments(genq):
    # 5 and 4 of six labels; 3, 2 and 1 of four judgments
    assert relevant_counts(genq) == (2, 3)


def test_a_2x2_table_in_print_is_not_graded(car, genq):
    assert is_graded(genq)
    assert not is_graded(printed.agreement(car, bank="tqa", tau=1, relevant_from=1))


@pytest.mark.parametrize(
    ("collection", "bank", "expected"),
    [
        ("car-y3-published", "genq", [cut.name for cut in CUTS]),
        ("car-y3-published", "tqa", [BINARY.name]),
        ("car-y3-published", "EXAM++", ["CAR strict"]),
        ("dl20-published", "genq", ["DL strict", "DL lenient"]),
    ],
)
def test_those_cuts_are_offered_that_are_printed(printed_store, collection, bank, expected):
    snapshot = printed_store.snapshot(collection)
    grid, _ = printed.agreement_grid(snapshot, bank=bank)
    cuts = cuts_in(grid)
    assert [cut.name for cut in cuts] == expected
    assert [nearest_cut(grid, cut.tau, cut.relevant_from) for cut in cuts] == [
        (cut.tau, cut.relevant_from) for cut in cuts
    ]


def test_a_cut_that_is_not_printed_is_known(car):
    assert nearest_cut(printed.agreement_grid(car, bank="tqa")[0], 4, 2) == (1, 1)
