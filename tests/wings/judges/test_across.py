"""Grading modes on several collections: each value is that of its collection, pools and taus are as by hand."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.simulation.collection import simulate
from benchmarks.simulation.settings import Settings
from exam_core.analysis.agreement import agreement
from exam_core.analysis.choosing import evaluation_of
from exam_core.analysis.comparison import correlations_of
from exam_core.analysis.figures import figures_of
from exam_core.charts.chart_layout import words_of
from exam_core.defaults import DRAWS, SEED
from exam_core.errors import UsageError
from exam_core.formats import Reading
from exam_core.numbers.pooling import pooled_coefficients
from exam_core.printed import table
from exam_core.reports.part import ask_now
from exam_core.request import Request
from exam_core.slides.slide import SlideContext
from exam_core.store import Store
from exam_core.view import View
from exam_core.wings.judges import across as module
from exam_core.wings.judges.across import (
    AcrossRequest,
    across,
    across_figure,
    across_sentences,
    comparable,
    matched_modes,
)
from exam_core.wings.judges.slides import SLIDES
from exam_core.wording import ACROSS

OWN = "lexical.pourpre-idf"
SMALL = {"queries": 30, "passages": 2_000, "runs": 12}
DRAWN, DEFAULT = {"draws": 200, "seed": 0}, {"draws": DRAWS, "seed": SEED}


@pytest.fixture(scope="module")
def worlds(once):
    """Three simulated collections that one grader graded, two with more noise than the first."""

    def build(folder):
        store = Store(folder)
        for name, options in {"a": {"seed": 1}, "b": {"seed": 2, "grading_noise": 2.0}, "c": {"seed": 3}}.items():
            simulate(store, name, Settings(**(SMALL | options)))

    store = Store(once("worlds", build))
    return [store.snapshot(name) for name in "abc"]


@pytest.fixture(scope="module")
def result(worlds):
    """All of them at every tau: a transfer looks for the best among all of a scale."""
    return across(worlds[0], worlds[1:], AcrossRequest(Request(), ("Cover@20", "P@20"), taus=(1, 2, 3, 4, 5)), **DRAWN)


def test_each_value_is_what_its_collection_says_alone(worlds, result):
    for snapshot in worlds:
        mine = result.rows[result.rows["collection"] == snapshot.collection]
        assert len(mine) == 10
        for row in mine.to_dict("records"):
            request = Request(row["measure"], tau=row["tau"])
            choice, _ = evaluation_of(snapshot, request, figures_of(snapshot).series()[0])
            [alone] = correlations_of(snapshot, [choice])
            agreed = figures_of(snapshot).agreement(request.but(grader=choice.grading.grader))
            assert row["kendall"] == alone.correlation.kendall
            assert (row["spearman_low"], row["spearman_high"]) == alone.intervals["spearman"]
            assert (row["kappa"], row["kappa_low"]) == (agreed.kappa, agreed.kappa_interval[0])


def test_kappa_counts_as_relevant_what_the_request_says(worlds):
    request = Request(relevant_from=1)
    rows = across(worlds[0], [], AcrossRequest(request, ("Cover@20",), taus=(4,)), **DRAWN).rows
    series = figures_of(worlds[0]).series()[0]
    requests = [Request("Cover@20", grader=series, tau=4, relevant_from=each) for each in (1, 2)]
    kappas = [figures_of(worlds[0]).agreement(request).kappa for request in requests]
    assert rows["kappa"].tolist() == kappas[:1] != kappas[1:]


def test_a_pooled_value_is_that_of_the_collections_intervals(worlds, result):
    key = {"measure": "P@20", "tau": 4}
    truths = [
        correlations_of(snapshot, [evaluation_of(snapshot, Request(**key), figures_of(snapshot).series()[0])[0]])[0]
        for snapshot in worlds
    ]
    ends = np.array([(t.truths["kendall"].middle, t.truths["kendall"].low, t.truths["kendall"].high) for t in truths])
    [row] = result.pooled.query("measure == 'P@20' and tau == 4 and coefficient == 'kendall'").to_dict("records")
    expected = pooled_coefficients(*ends.T)
    assert (row["value"], row["low"], row["high"], row["collections"]) == (*expected[:3], 3)


def test_a_tau_of_another_collection_costs_what_the_boards_say_and_sentences_name_it(result):
    curves = result.rows.pivot(index=["collection", "measure"], columns="tau", values="kendall").round(9)
    assert len(result.transfer) == 2 * 3 * 2
    for row in result.transfer.to_dict("records"):
        chosen, looked_at = (curves.loc[(row[name], row["measure"])] for name in ("chosen_on", "looked_at"))
        assert (row["tau"], row["best_tau"]) == (chosen.idxmax(), looked_at.idxmax())
        assert row["lost"] == pytest.approx(looked_at.max() - looked_at[row["tau"]])
        assert row["lost"] >= 0
        assert row["lost_low"] <= row["lost"] <= row["lost_high"] or row["lost"] == 0
    kept, cost = across_sentences(result)[0], across_sentences(result)[-1]
    assert f"on 3 collections, over {result.rows['n'].iloc[0]} runs, pooled" in kept
    lost = result.transfer[result.transfer["measure"] == "P@20"]["lost"]
    assert (
        f"by {lost.max():.3f} compared with the best tau there. A tau chosen elsewhere costs {lost.mean():.3f}" in cost
    )
    figure = across_figure(result)
    assert [trace.name for trace in figure.data] == ["a", "b", "c", "pooled"]
    assert sum(len(trace.x) for trace in figure.data[:3]) == len(result.rows)


def test_the_slide_compares_the_collections_that_the_store_has_beside_it(worlds):
    figures = figures_of(worlds[0])
    series = tuple(figures.series()[:1])
    [row] = [row for row in SLIDES if row.title == ACROSS]
    assert (row.can_be_of(worlds[0], series), row.of_store) == (True, True)
    view = View(ACROSS, series, Request("P@20"), address={"across_tau": ["every tau"], "across_by": ["Spearman"]})
    slide = row.make(SlideContext(view, figures, ask_now, lambda: worlds[1:]))
    alone = across(worlds[0], worlds[1:], AcrossRequest(Request("P@20"), ("P@20",), series, (1, 2, 3, 4, 5)), **DEFAULT)
    assert slide.table.equals(alone.rows)
    assert slide.takeaway == across_sentences(alone, "spearman")[0]
    assert words_of(slide.figure).startswith("Spearman of")
    with pytest.raises(UsageError, match="No other collection"):
        row.make(SlideContext(view, figures, ask_now))


def test_a_tau_beyond_the_other_collections_grades_is_said_and_not_applied(worlds, monkeypatch):
    monkeypatch.setattr(module, "taus_of", lambda snapshot, *_, **__: [4, 5] if snapshot.collection == "a" else [1, 2])
    result = across(worlds[0], worlds[1:2], AcrossRequest(Request(), ("P@20",)), **DRAWN)
    assert result.transfer.empty
    assert sum("is beyond the grades on" in note for note in result.notes) == 2


def test_a_mode_that_is_the_reference_of_a_collection_says_nothing_there(demo_store):
    store = Store(demo_store)
    demo, nuggets = (store.snapshot(name) for name in ("demo", "demo-nuggets"))
    result = across(demo, [nuggets], AcrossRequest(Request(bank="open"), ("Cover@20",), [OWN]), **DRAWN)
    assert "demo-nuggets: Lexical match is the reference there, and left out." in result.notes
    assert result.rows["collection"].tolist() == ["demo"]


def test_a_collection_without_runs_takes_part_with_kappa(worlds, tmp_path):
    frames = {name: worlds[1].frame(name) for name in ("queries", "passages", "questions", "grades", "judgments")}
    Store(tmp_path).commit("alone", Reading(frames, dict(worlds[1].graders)), source="made")
    alone = Store(tmp_path).snapshot("alone")
    assert comparable([alone]) == [alone]
    result = across(worlds[0], [alone], AcrossRequest(Request(), ("P@20",), taus=(4,)), **DRAWN)
    _, row = result.rows.to_dict("records")
    choice, _ = evaluation_of(alone, Request("P@20", tau=4), figures_of(alone).series()[0])
    assert row["kappa"] == agreement(alone, choice.labelling, tau=4, relevant_from=2).kappa
    assert pd.isna(row["kendall"])
    assert "Cohen's kappa" in across_sentences(result, "kappa")[0]
    assert "on 2 collections, pooled" in across_sentences(result, "kappa")[0]
    assert "alone has no runs: kappa alone is known there." in result.notes
    assert len(across_figure(result, "kappa").data) == 3


def test_modes_are_one_by_prompt_and_model_or_by_name(worlds):
    assert list(matched_modes(worlds).values()) == [dict.fromkeys("abc", figures_of(worlds[0]).series()[0])]
    assert matched_modes(worlds, ["nobody"]) == {}
    assert matched_modes(worlds[:1], first="a") == {
        next(iter(matched_modes(worlds))): {"a": figures_of(worlds[0]).series()[0]}
    }


def test_printed_collections_take_part_with_what_is_printed(demo_store):
    store = Store(demo_store)
    snapshots = [store.snapshot(name) for name in store.collections() if name.endswith("published")]
    assert [snapshot.collection for snapshot in comparable(snapshots)] == [s.collection for s in snapshots]
    measures = ("Cover@20", "P@20", "AP", "nDCG@20", "Rprec")
    result = across(snapshots[0], snapshots[1:], AcrossRequest(Request(), measures), **DRAWN)
    assert result.rows["printed"].all()
    printed = table("exampp_table3")
    printed = printed[printed["spearman"] != ""]
    mine = result.rows[result.rows["n"].isna()]
    assert sorted(mine["kendall"]) == sorted(printed["kendall"].astype(float))
    assert mine["mode"].nunique() == printed["method"].nunique()
    correlate = {
        (snapshot.collection, row.leaderboard): row.correlation.kendall
        for snapshot in snapshots
        for row in figures_of(snapshot).correlations(Request())
    }
    boards = result.rows[result.rows["n"].notna()]
    assert len(boards) == 7
    assert set(boards["kendall"].round(9)) <= {round(value, 9) for value in correlate.values()}
    assert pd.isna(boards["kendall_low"]).all()
    assert across_sentences(result) == [
        "None of these grading modes can be compared on a second collection. Printed figures stand here as printed."
    ]
