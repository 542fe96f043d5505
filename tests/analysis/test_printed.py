"""The published collections: printed columns, their correlations and their agreement tables."""

import numpy as np
import pytest

from exam_core.actions.exporting import export_store
from exam_core.analysis import printed
from exam_core.analysis.figures import figures_of
from exam_core.errors import ExamboardError
from exam_core.request import Request
from exam_core.store import Store
from exam_core.store.summary import names_of
from exam_core.wording import column_names

from .worlds import store_of

# Spearman, Kendall and n over the printed rows, computed with scipy and rounded to three digits.
CORRELATIONS = {
    "car-y3-published": {
        "tqa Cover@20 verified answers": (0.937, 0.841, 16),
        "genq Cover@20 tau=4": (0.869, 0.687, 16),
        "genq P@20 tau=4": (0.865, 0.738, 16),
        "original EXAM": (0.739, 0.559, 16),
    },
    "dl19-published": {"genq Cover@20 tau=3": (0.645, 0.474, 33), "genq P@20 as printed": (0.757, 0.629, 33)},
    "dl20-published": {"genq Cover@20 tau=4": (0.820, 0.638, 50), "genq P@20 tau=4": (0.938, 0.806, 50)},
}


@pytest.mark.parametrize("collection", CORRELATIONS)
def test_every_printed_column_correlates_as_computed_from_the_printed_rows(printed_store, collection):
    actual = {
        board.title: (round(board.correlation.spearman, 3), round(board.correlation.kendall, 3), board.correlation.n)
        for board in printed.boards(printed_store.snapshot(collection))
    }
    assert actual == CORRELATIONS[collection]


def test_a_printed_column_is_called_by_its_measure_its_questions_and_its_grading(printed_store):
    called = names_of(printed_store.snapshot("car-y3-published"))
    assert {column: called.get(column) for column in CORRELATIONS["car-y3-published"]} == {
        "tqa Cover@20 verified answers": "Cover@20 (textbook questions, verified answers)",
        "genq Cover@20 tau=4": "Cover@20 (generated questions, tau 4)",
        "genq P@20 tau=4": "P@20 (generated questions, tau 4)",
        "original EXAM": None,
    }
    assert column_names({"one": "no JSON", "two": "[]", "three": '{"measure": 3, "bank": "tqa"}'}) == {}


@pytest.mark.parametrize("collection", CORRELATIONS)
def test_published_collections_are_printed(printed_store, collection):
    assert figures_of(printed_store.snapshot(collection)).in_print


def test_published_collections_are_printed_in_an_exported_file_too(printed_store, tmp_path):
    export_store(printed_store, tmp_path / "shared.duckdb", ["dl19-published"])
    assert figures_of(Store(tmp_path / "shared.duckdb").snapshot("dl19-published")).in_print


def test_a_collection_with_grades_is_not_printed(plain_world):
    assert not figures_of(plain_world).in_print


def test_a_collection_of_runs_and_judgments_without_grades_is_not_printed(tmp_path):
    snapshot = store_of(
        tmp_path,
        {
            "rankings": [("run", "q", "a", 1, 1, 1.0, False)],
            "judgments": [("official", "q", "a", 2)],
            "leaderboards": [("official", "run", 1.0)],
        },
    )
    assert not figures_of(snapshot).in_print


def test_the_overall_row_is_the_overall_score(printed_store):
    board = printed.board(printed_store.snapshot("car-y3-published"), "genq Cover@20 tau=4")
    assert (board.overall[0], "_overall_" in set(board.rows["run_id"])) == (0.811, False)
    assert board.rows.set_index("run_id").loc["dangnt-nlp", "mean"] == 0.609


def test_what_is_not_printed_is_undefined(printed_store):
    board = printed.board(printed_store.snapshot("dl19-published"), "genq Cover@20 tau=3")
    assert board.rows[["stderr", "normalised_stderr", "n_queries"]].isna().all(axis=None)


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("genq Cover@20 tau=4", ("genq", "Cover@20", 4, True, 20)),
        ("tqa Cover@20 verified answers", ("tqa", "Cover@20", None, False, 20)),
        ("original EXAM", (None, "original EXAM", None, False, None)),
    ],
)
def test_the_name_of_a_column_says_what_was_measured(printed_store, column, expected):
    board = printed.board(printed_store.snapshot("car-y3-published"), column)
    assert (board.bank, board.measure, board.tau, board.tau_applies, board.depth) == expected


def test_columns_are_listed_in_the_order_of_print(printed_store):
    columns = printed.columns(printed_store.snapshot("car-y3-published"))
    assert columns == ["tqa Cover@20 verified answers", "genq Cover@20 tau=4", "genq P@20 tau=4"]


@pytest.mark.parametrize(
    ("options", "column"),
    [
        ({"bank": "genq", "measure": "Cover@20", "tau": 4}, "genq Cover@20 tau=4"),
        ({"bank": "genq", "measure": "Cover@20", "tau": None}, "genq Cover@20 tau=4"),
        ({"bank": None, "measure": "P@20", "tau": 4}, "genq P@20 tau=4"),
        ({"bank": "tqa", "measure": "Cover@20", "tau": 4}, "tqa Cover@20 verified answers"),
        ({"bank": "genq P@20 tau=4", "measure": "Cover@20", "tau": None}, "genq P@20 tau=4"),
    ],
    ids=str,
)
def test_a_printed_column_is_found_by_bank_measure_and_tau(printed_store, options, column):
    assert printed.find_column(printed_store.snapshot("car-y3-published"), **options) == column


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"bank": "genq", "measure": "Cover@20", "tau": 3}, "genq Cover@20 tau=3 is not printed"),
        ({"bank": None, "measure": "Cover@10", "tau": None}, "Cover@10 is not printed"),
        ({"bank": None, "measure": "Cover@20", "tau": None}, "Cover@20 is printed more than once"),
    ],
    ids=str,
)
def test_a_column_that_is_not_printed_is_refused_with_those_that_are(printed_store, options, words):
    listed = (
        "Printed are: tqa Cover@20 verified answers; genq Cover@20 tau=4; genq P@20 tau=4. "
        "Choose one by --measure and --tau, and --bank if several are left; or give its name as --bank."
    )
    with pytest.raises(ExamboardError) as refusal:
        printed.find_column(printed_store.snapshot("car-y3-published"), **options)
    assert str(refusal.value) == f"{words} in car-y3-published. {listed}"


def test_systems_without_a_score_stand_in_no_board(tmp_path):
    rows = [("mine", "a", 1.0, 0.5, 0.1), ("mine", "rank only", 2.0, None, None), ("mine", "c", 3.0, 0.25, 0.05)]
    board = printed.board(store_of(tmp_path, {"leaderboards": rows}), "mine")
    assert board.rows[["run_id", "stderr"]].to_numpy().tolist() == [["a", 0.1], ["c", 0.05]]


@pytest.mark.parametrize("facts", [None, '{"measure": "nDCG@10"}'])
def test_a_list_that_stands_alone_is_meant_where_none_is_named(tmp_path, facts):
    snapshot = store_of(tmp_path, {"leaderboards": [("mine", "a", 1.0, 0.5, 0.1, facts)]})
    assert printed.find_column(snapshot, bank=None, measure="Cover@20", tau=None) == "mine"


def test_what_is_known_of_a_column_comes_from_its_rows(tmp_path):
    facts = '{"bank": "genq", "measure": "P@20", "tau": 3, "grading": "by hand"}'
    snapshot = store_of(tmp_path, {"leaderboards": [("mine", "a", 1.0, 0.5, 0.1, facts)]})
    board = printed.board(snapshot, "mine")
    assert (board.bank, board.measure, board.depth, board.tau) == ("genq", "P@20", 20, 3)
    assert printed.find_column(snapshot, bank="genq", measure="P@20", tau=3) == "mine"
    assert printed.facts(snapshot, "mine").grading == "by hand"


@pytest.mark.parametrize("extra", ["{", "[1]", "null", '"P@20"', '{"measure": 3}', '{"measure": "P"}', '{"tau": "3"}'])
def test_rows_of_another_program_may_say_anything_of_a_column(tmp_path, extra):
    rows = [("genq P@20 tau=3", "a", 1.0, 0.5, 0.1, extra)]
    board = printed.board(store_of(tmp_path, {"leaderboards": rows}), "genq P@20 tau=3")
    assert (board.bank, board.measure, board.tau) == (None, "genq P@20 tau=3", None)


def test_a_list_of_ranks_is_a_board_in_that_order(printed_store):
    board = printed.board(printed_store.snapshot("dl19-published"), "official")
    assert np.diff(board.rows["rank"]).min() >= 0


@pytest.mark.parametrize(
    ("tau", "relevant_from", "confusion", "kappa"),
    [
        # The printed 6 x 4 matrix re-cut; the printed lenient and strict tables have the same counts.
        (1, 1, [[2361, 1920], [429, 1642]], 0.290),
        (4, 1, [[2099, 1445], [691, 2117]], 0.337),
        # 11 | 52 + 13 + 20; 430 + 5 + 17 + 5 + 52 | the rest of 6,352
        (5, 3, [[11, 85], [509, 5747]], None),
    ],
    ids=["lenient", "strict", "5 and 3"],
)
def test_the_printed_matrix_of_car_y3_can_be_cut_anywhere(printed_store, tau, relevant_from, confusion, kappa):
    snapshot = printed_store.snapshot("car-y3-published")
    agreement = printed.agreement(snapshot, bank="genq", tau=tau, relevant_from=relevant_from)
    rounded = None if kappa is None else round(agreement.kappa, 3)
    assert (agreement.confusion.tolist(), rounded, agreement.kappa_interval) == (confusion, kappa, None)


@pytest.mark.parametrize(
    ("collection", "bank", "tau", "relevant_from", "confusion"),
    [
        ("dl19-published", "genq", 1, 2, [[1627, 1809], [874, 4950]]),
        ("dl19-published", "genq", 4, 2, [[1439, 1356], [1062, 5403]]),
        ("dl20-published", None, 1, 2, [[1203, 3313], [463, 6407]]),
        ("dl20-published", "genq", 4, 2, [[1029, 2437], [637, 7283]]),
        ("car-y3-published", "tqa", 1, 1, [[553, 452], [2237, 3110]]),
        ("car-y3-published", "EXAM++", 4, 1, [[1910, 1117], [880, 2445]]),
    ],
)
def test_a_printed_2x2_table_is_found_by_its_cut(printed_store, collection, bank, tau, relevant_from, confusion):
    snapshot = printed_store.snapshot(collection)
    agreement = printed.agreement(snapshot, bank=bank, tau=tau, relevant_from=relevant_from)
    assert agreement.confusion.tolist() == confusion


@pytest.mark.parametrize(("tau", "relevant_from"), [(3, 2), (4, 1), (5, 3)])
def test_a_cut_that_is_not_printed_is_refused_with_the_cuts_there_are(printed_store, tau, relevant_from):
    listed = r"tau 1, judged ≥ 2 \(genq lenient\); tau 4, judged ≥ 2 \(genq strict\)"
    with pytest.raises(ExamboardError, match=listed) as refusal:
        printed.agreement(printed_store.snapshot("dl19-published"), bank="genq", tau=tau, relevant_from=relevant_from)
    assert refusal.value.exit_status == 1, "bad input, and not wrong usage"


def test_a_bank_without_a_printed_table_is_refused_with_the_tables_there_are(printed_store):
    with pytest.raises(ExamboardError, match=r"no agreement table for bank nope. There are: genq lenient, genq strict"):
        printed.agreement(printed_store.snapshot("dl19-published"), bank="nope", tau=4, relevant_from=2)


def test_a_comparison_of_printed_columns_has_the_printed_kappas(printed_store):
    snapshot = printed_store.snapshot("car-y3-published")
    columns = ["genq Cover@20 tau=4", "tqa Cover@20 verified answers"]
    actual = figures_of(snapshot).compare(columns, Request(tau=4, relevant_from=2)).agreements.round(3)
    assert actual[["series", "tau", "relevant_from", "kappa"]].to_numpy().tolist() == [
        [columns[0], 4, 2, 0.269],
        [columns[1], 1, 1, 0.077],
    ]


def test_where_runs_tie_in_the_reference_tau_ap_a_is_undefined_and_a_note_names_tau_ap_b(printed_store):
    snapshot = printed_store.snapshot("car-y3-published")  # two pairs of systems share their official rank
    for one in figures_of(snapshot).correlations(Request()):
        assert np.isnan(one.correlation.tau_ap)
        assert not np.isnan(one.correlation.tau_ap_b)
        assert (
            "Runs tie in the official ranking: tau-AP a takes its order as true and is undefined. tau-AP b allows ties."
            in one.notes
        )
