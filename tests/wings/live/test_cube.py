"""The cube of a live page beside the analyses that are asked one by one."""

from dataclasses import replace

import numpy as np
import pytest
from analysis.worlds import store_of, table, world

from exam_core.analysis.choosing import choose
from exam_core.analysis.comparison import correlations_of
from exam_core.analysis.leaderboard import leaderboard
from exam_core.errors import NothingToChoose, UsageError
from exam_core.request import JUDGED, Request
from exam_core.tables import GRADES, LEADERBOARDS, QUESTIONS, RANKINGS
from exam_core.wings.live.cube import INTERVALS, Axes, LiveMode, axes_of, cube, first_of
from exam_core.wings.live.data import first_methods, live_data

MEASURES = ("Cover@20", "P@20", "nDCG@20")

REFERENCES = ("official", "qrels:nDCG@10")


@pytest.fixture(scope="module")
def found(demo):
    axes = axes_of(demo, Request(), (), MEASURES, REFERENCES)
    return cube(demo, Request(), replace(axes, taus=(2, 4), label_ranks=(1, 2)))


def asked_at(found, place):
    mode, measure, tau, rank = place[:4]
    axes = found.axes
    return Request(
        bank=axes.modes[mode].bank,
        grader=axes.modes[mode].grader,
        measure=axes.measures[measure],
        tau=axes.taus[tau],
        label_rank=axes.label_ranks[rank],
    )


def test_every_choice_has_the_board_that_is_asked_for_alone(demo, found):
    for place, number in list(found.at.items())[::3]:
        alone = leaderboard(demo, choose(demo, asked_at(found, place)))
        kept = found.boards[number].board
        columns = ["run_id", "mean", "stderr", "normalised", "normalised_stderr", "rank", "n_queries"]
        assert kept.rows[columns].equals(alone.rows[columns])
        # A tau that is said is the one that is chosen: boards of measures without one serve all taus.
        assert found.boards[number].tau == (alone.tau if alone.tau_applies else None)
        assert (" tau=" in found.boards[number].title) == alone.tau_applies


def test_a_tau_beyond_a_mode_s_scale_is_its_usual_one_and_no_row_of_every_tau(tmp_path):
    snapshot = store_of(tmp_path, world(1))
    axes = axes_of(snapshot, Request(), ("rater", "labels"), ("P@5",), ("official",))
    found = cube(snapshot, Request(), replace(axes, label_ranks=(1,)))
    taus = {mode: [found.boards[found.at[at, 0, tau, 0]].tau for tau in range(5)] for at, mode in enumerate("rl")}
    assert (taus["r"], taus["l"]) == ([1, 2, 3, 4, 5], [1, 2, 1, 1, 1])
    assert first_of(snapshot, Request(), axes)["tau"] == 3  # the place of tau 4
    data = live_data(found)
    assert [mode["largestTau"] for mode in data["modes"]] == [5, 2]
    assert data["boards"][0]["title"] == "rater P@5 (tau 1)"


@pytest.mark.parametrize(
    ("bank", "modes", "left_out", "named"),
    [
        ("nothing", (), (), "nothing"),
        (None, ("nobody",), (), "nobody"),
        (None, (), ("open", "b@3"), "b"),
        (None, (), ("open", "c"), "c"),
    ],
)
def test_what_there_is_not_is_refused_by_name(demo, bank, modes, left_out, named):
    with pytest.raises(UsageError, match=named):
        axes_of(demo, Request(bank=bank), modes, (), (), left_out)


def test_choices_that_differ_in_nothing_that_counts_are_one_board(found):
    ndcg = {number for place, number in found.at.items() if found.axes.measures[place[1]] == "nDCG@20"}
    cover = {number for place, number in found.at.items() if found.axes.measures[place[1]] == "Cover@20"}
    modes, taus, ranks = (len(listed) for listed in (found.axes.modes, found.axes.taus, found.axes.label_ranks))
    assert (len(ndcg), len(cover)) == (modes * ranks, modes * taus)


@pytest.mark.parametrize("reference", REFERENCES)
def test_intervals_are_those_of_each_board_alone(demo, found, reference):
    for place, number in list(found.at.items())[::7]:
        [alone] = correlations_of(demo, [choose(demo, asked_at(found, place).but(reference=reference))])
        one = found.boards[number]
        assert (
            one.beside[reference].notes
            == leaderboard(demo, choose(demo, asked_at(found, place).but(reference=reference))).notes
        )
        assert one.beside[reference].correlation.kendall == pytest.approx(alone.correlation.kendall, abs=1e-12)
        for name in INTERVALS:
            kept, wanted = one.truths[reference].get(name), alone.truths.get(name)
            assert (kept is None) == (wanted is None)
            assert kept is None or np.allclose(
                (kept.low, kept.middle, kept.high), (wanted.low, wanted.middle, wanted.high), atol=1e-12
            )


def test_what_is_named_is_offered_and_nothing_else(demo):
    assert axes_of(demo, Request(bank="open@1"), (), ("P@5",), ()).modes == [LiveMode("lexical.pourpre-idf", "open@1")]
    axes = axes_of(demo, Request(bank="open"), ("lexical",), ("P@5",), ())
    assert axes == Axes(
        [LiveMode("lexical.pourpre-idf", "open")],
        ["P@5"],
        label_ranks=(1, 2, 3),
        references=["official", "qrels:nDCG@10"],
    )


def test_a_measure_that_no_mode_has_is_not_offered_and_refused_by_name(demo):
    of_passages = (f"{JUDGED}official",)
    assert "Cover@20" not in axes_of(demo, Request(), of_passages, (), ()).measures
    with pytest.raises(NothingToChoose, match="no questions, which this measure needs"):
        axes_of(demo, Request(), of_passages, ("P@5", "Cover@20"), ())


def test_a_page_of_a_small_depth_has_kappa(demo):
    axes = replace(axes_of(demo, Request(depth=3), ("lexical",), ("P@3",), ("official",)), taus=(4,), label_ranks=(1,))
    modes = range(len(axes.modes))
    assert {*cube(demo, Request(depth=3), axes).agreements} == {(mode, 0, 0) for mode in modes}


@pytest.mark.parametrize(("tied", "notes"), [(True, 1), (False, 0)])
def test_a_note_says_why_tau_ap_a_is_undefined_where_runs_tie_in_the_reference(tmp_path, tied, notes):
    runs, ranks = ("r1", "r2", "r3"), (1.5, 1.5, 3.0) if tied else (1.0, 2.0, 3.0)
    frames = {
        "questions": table(QUESTIONS, [("b", 1, n, "q", None, None, "?", None, 1.0, True) for n in ("one", "two")]),
        "grades": table(GRADES, [("g", "one", "q", "d1", 5), ("g", "one", "q", "d2", 5), ("g", "two", "q", "d1", 5)]),
        "rankings": table(RANKINGS, [(run, "q", f"d{n}", 1, 1, 1.0, False) for n, run in enumerate(runs, 1)]),
        "leaderboards": table(LEADERBOARDS, [("official", *one) for one in zip(runs, ranks, strict=True)]),
    }
    snapshot = store_of(tmp_path / "store", frames)
    found = cube(snapshot, Request(), axes_of(snapshot, Request(), (), ("Cover@5",), ("official",), ("b",)))
    shown = live_data(found)
    beside = shown["boards"][found.at[0, 0, 3, 0]]["beside"][0]
    assert beside["tau_ap_b"] is not None
    assert (beside["tau_ap"] is None) == tied
    assert sum("Runs tie in the official ranking" in shown["notes"][note] for note in beside["notes"]) == notes


def test_the_first_choice_has_a_methods_paragraph_for_each_bank(demo, found):
    first = first_methods(found, first_of(demo, Request(), found.axes))
    assert len(first) == len({mode.bank for mode in found.axes.modes}) == 2
