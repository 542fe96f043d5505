"""The method grid: its styles by hand, each cell against the leaderboard's own correlation, print, real DL19."""

from dataclasses import replace

import numpy as np
import pytest

from exam_core.analysis import values
from exam_core.analysis.choice import TAUS
from exam_core.analysis.choosing import choose
from exam_core.analysis.leaderboard import leaderboard
from exam_core.defaults import DEFAULT_MEASURES
from exam_core.errors import UsageError
from exam_core.measures import Measure
from exam_core.request import Request
from exam_core.wings.comparing import of_figures
from exam_core.wings.comparing.grid import GRID, NEEDS_QUESTIONS, NO_ORDER, NOT_PRINTED, grid, grid_choices, styles
from tests.analysis.test_choose import LEXICAL, P5, small_world
from tests.analysis.test_printed import CORRELATIONS
from tests.analysis.worlds import question, ranking, store_of

MEASURES = [Measure.parse(name) for name in DEFAULT_MEASURES]
COVER = [Measure.parse("Cover@20")]


def made(snapshot, measures=MEASURES, *, taus=TAUS, graders=(), **options):
    return grid(snapshot, grid_choices(snapshot, Request(**options), measures, graders), measures, taus=taus)


STYLES = {
    # some of MAP in table 3 of EXAM++, Spearman
    "as in the paper": ([0.931, 0.933, 0.980, 0.710, 0.435], ["near", "near", "best", "", "low"]),
    "0.05 below is near": ([0.98, 0.93, 0.929], ["best", "near", ""]),
    "0.05 below whatever the last bit": ([0.60, 0.55, 0.5499], ["best", "near", ""]),
    "0.5 is not poor": ([0.8, 0.5, 0.4999], ["best", "", "low"]),
    "poor is not near": ([0.52, 0.49], ["best", "low"]),
    "the best of poor ones is marked": ([0.3, 0.28, -0.6], ["best", "low", "low"]),
    "ties are all best": ([0.7, 0.7, 0.7 - 1e-12], ["best", "best", "best"]),
    "undefined has no style": ([np.nan, 0.7, np.nan], ["", "best", ""]),
    "all undefined": ([np.nan, np.nan], ["", ""]),
    "no cells": ([], []),
}


def test_styles_follow_the_rules_of_the_paper():
    found = {name: styles(np.array(column)) for name, (column, _) in STYLES.items()}
    assert found == {name: expected for name, (_, expected) in STYLES.items()}


def test_every_cell_is_the_correlation_of_its_leaderboard(random_world, monkeypatch):
    monkeypatch.setattr(values, "HELD", 0)  # a quarter of the runs after the other
    found = made(random_world)
    cells = 0
    for row in found.rows[found.rows["undefined"] != NEEDS_QUESTIONS].itertuples():
        choice = choose(random_world, Request(measure=row.measure, bank=row.bank, grader=row.grader, tau=row.tau))
        twin = leaderboard(random_world, replace(choice, reference="official")).correlation
        np.testing.assert_allclose([row.spearman, row.kendall], [twin.spearman, twin.kendall], atol=1e-9)
        assert row.n == twin.n
        cells += 1
    # two graders of questions at 5 taus, labels up to 2 under the three measures that need no questions
    assert cells == 2 * 5 * 4 + 2 * 3


@pytest.mark.parametrize("missing", ["zero", "skip"])
def test_the_rules_of_the_averaging_are_those_of_the_leaderboard(plain_world, missing):
    found = made(plain_world, COVER, missing=missing, label_rank=2, depth=30)
    for choice in grid_choices(plain_world, Request(missing=missing, label_rank=2, depth=30), COVER, ["rater"]):
        mine = found.rows[found.rows["grader"] == "rater"]
        for tau, kendall in zip(mine["tau"], mine["kendall"], strict=True):
            twin = leaderboard(plain_world, replace(choice, tau=tau)).correlation
            assert kendall == pytest.approx(twin.kendall, nan_ok=True)


def test_a_mode_is_a_bank_and_a_grader_and_graders_of_passages_come_last(plain_world):
    rows = made(plain_world, COVER).rows
    modes = list(dict.fromkeys(zip(rows["bank"].fillna(""), rows["grader"], strict=True)))
    assert sorted(modes[:2]) == [("genq", "rater"), ("manual", "second")]
    assert modes[2:] == [("", "labels")]
    assert set(made(plain_world, bank="manual").rows["grader"]) == {"second", "labels"}
    assert set(made(plain_world, bank="genq@1", graders=["rater"]).rows["bank"]) == {"genq@1"}


def test_rows_have_all_fields_a_style_wherever_there_is_a_best_and_notes_on_what_is_left_out_or_undefined(plain_world):
    found = made(plain_world)
    rows, of_labels = found.rows, found.rows["grader"] == "labels"
    assert list(rows.columns) == GRID.names
    for _, column in rows.dropna(subset=["spearman"]).groupby("measure"):
        best = column["spearman"][column["style_spearman"] == "best"]
        assert best.tolist() == pytest.approx([column["spearman"].max()] * len(best))
        assert len(best) > 0
    assert sorted(set(rows["tau"][of_labels])) == [1, 2]
    assert "The scale of labels ends at 2: there are no rows for larger taus." in found.notes
    cells = rows[of_labels & (rows["measure"] == "Cover@20")]
    assert set(cells["undefined"]) == {NEEDS_QUESTIONS}
    assert cells[["spearman", "kendall", "n"]].isna().all(axis=None)
    assert "Cover@20: undefined for modes that label whole passages (labels)." in found.notes
    by_rater = rows[(rows["grader"] == "rater") & (rows["measure"] == "nDCG@20")]
    assert by_rater["kendall"].nunique() == 1
    assert "Tau does not apply to nDCG@20: its value is the same at every tau." in found.notes


def test_where_all_systems_are_equal_a_correlation_is_undefined_and_says_so(tmp_path):
    runs = ["a", "b", "c"]
    frames = {
        "questions": [question("x", "q")],
        "grades": [("rater", "x", "q", run, 5) for run in runs],
        "rankings": [row for run in runs for row in ranking(run, "q", [run])],
        "leaderboards": [("official", run, float(rank)) for rank, run in enumerate(runs, 1)],
    }
    found = made(store_of(tmp_path, frames), COVER, taus=[4])
    row = found.rows.iloc[0]
    assert np.isnan([row["spearman"], row["kendall"]]).all()
    assert (row["n"], row["undefined"], row["style_spearman"]) == (3, NO_ORDER, "")
    assert any("all runs have the same score" in note for note in found.notes)


def test_a_reference_can_be_computed_from_judgments(plain_world):
    found = made(plain_world, COVER, reference="qrels:P@5", graders=["rater"])
    choice = choose(plain_world, Request(measure="Cover@20", grader="rater", tau=3))
    twin = leaderboard(plain_world, replace(choice, reference="qrels:P@5")).correlation
    assert found.rows["kendall"][2] == pytest.approx(twin.kendall)


def test_what_does_not_go_together_is_refused_in_a_sentence(plain_world):
    with pytest.raises(UsageError, match="no grades by these graders on bank genq"):
        made(plain_world, bank="genq", graders=["second"])
    with pytest.raises(UsageError, match="reads more passages than --depth 10"):
        made(plain_world, depth=10)


@pytest.mark.parametrize("collection", CORRELATIONS)
def test_every_printed_column_gives_a_cell(printed_store, collection):
    found = of_figures.grid(printed_store.snapshot(collection))
    cells = found.rows[found.rows["undefined"] == ""]
    figures = sorted((round(row.spearman, 3), round(row.kendall, 3), row.n) for row in cells.itertuples())
    assert figures == sorted(CORRELATIONS[collection].values())


def test_a_printed_cell_stands_at_its_bank_measure_and_tau_and_others_say_what_is_printed(printed_store):
    rows = of_figures.grid(printed_store.snapshot("car-y3-published")).rows
    cells = rows[rows["undefined"] == ""].fillna({"bank": "", "grader": "", "tau": 0})
    assert sorted(zip(cells["bank"], cells["grader"], cells["tau"], cells["measure"], strict=True)) == [
        ("", "original EXAM", 0, "original EXAM"),
        ("genq", "", 4, "Cover@20"),
        ("genq", "", 4, "P@20"),
        ("tqa", "verified answers", 0, "Cover@20"),
    ]
    rows = of_figures.grid(printed_store.snapshot("car-y3-published"), [*COVER, Measure.parse("P@20")], bank="tqa").rows
    assert rows["undefined"].tolist() == ["", NOT_PRINTED]
    assert rows["kendall"].isna().tolist() == [False, True]
    found = of_figures.grid(printed_store.snapshot("dl20-published"), [Measure.parse("AP")])
    assert len(found.rows) == 0
    assert found.notes == ["None of these figures is printed. Printed are: genq Cover@20 tau=4; genq P@20 tau=4."]


def test_all_nine_modes_of_dl19_are_in_the_grid_each_up_to_the_end_of_its_scale(dl19):
    # Thomas has 13 labels from 3 to 5, beyond its scale, which add no tau.
    rows = made(dl19).rows
    modes = rows.groupby("grader")["tau"].max().to_dict()
    assert {mode: tau for mode, tau in modes.items() if tau < 5} == {
        **dict.fromkeys(["FagB", "FagB_few", "HELM", "Sun", "Sun_few"], 1),
        "Thomas": 2,
    }
    assert len(modes) == 9


def test_labels_beyond_the_scale_add_no_row(tmp_path):
    snapshot = beyond_the_scale(tmp_path)
    found = made(snapshot, [Measure.parse("P@1")])
    twins = [leaderboard(snapshot, choose(snapshot, Request(measure="P@1", tau=tau))).correlation for tau in (1, 2)]
    assert found.rows["tau"].tolist() == [1, 2]
    assert found.rows["kendall"].tolist() == pytest.approx([twin.kendall for twin in twins], nan_ok=True)
    assert "The scale of Thomas ends at 2: there are no rows for larger taus." in found.notes


def beyond_the_scale(path):
    """Three runs, each with a passage of its own, which Thomas labels 1, 2 and 4."""
    runs = {"a": 4, "b": 2, "c": 1}
    frames = {
        "grades": [("Thomas", None, "q", run, label) for run, label in runs.items()],
        "rankings": [row for run in runs for row in ranking(run, "q", [run])],
        "leaderboards": [("official", run, float(rank)) for rank, run in enumerate(runs, 1)],
    }
    return store_of(path, frames, {"Thomas": {"kind": "labels", "scale": 2}})


def test_lexical_means_the_lexical_grader(tmp_path):
    grades = [(name, question, 5) for name in (LEXICAL, "rater") for question in ("q/1", "q/2")]
    snapshot = small_world(tmp_path, [("genq", 1, "q/1"), ("genq", 1, "q/2")], grades)
    assert [choice.grading.grader for choice in grid_choices(snapshot, Request(""), [P5], ["lexical"])] == [LEXICAL]
