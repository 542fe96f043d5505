"""The comparison on the demo and on published figures: its numbers are those of the analysis."""

import pandas as pd
from dashboards import at_tab, charts, opened, sentences, table

from exam_core.analysis.choosing import choose
from exam_core.analysis.figures import figures_of
from exam_core.request import Request
from exam_core.store import Store
from exam_core.wings.comparing.of_figures import columns_beside
from exam_core.wings.comparing.run_pairs import run_pair
from exam_core.wings.comparing.two_boards import flipped_passages, versus
from exam_core.wings.comparing.whatif import bank_questions, whatif, whatif_summary
from exam_core.wording import plain_names

PAGE = "pages/compare/compare.py"

RUNS = "Two runs"


def _is_versus(test, expected):
    of = {"Coefficients and pairs": "total", "Flipped pairs of runs": "run_b", "All runs": "displacement"}
    frames = {"total": expected.pairs, "run_b": expected.flips, "displacement": expected.rows}
    for tab, column in of.items():
        mine = table(at_tab(test, "compare_tab", tab), column)
        pd.testing.assert_frame_equal(mine, frames[column][mine.columns], check_dtype=False)
        if tab == "Coefficients and pairs":
            values = table(test, "coefficient")["value"], expected.correlation["value"]
            pd.testing.assert_series_equal(*values, check_names=False, check_index=False, check_dtype=False)


def test_a_side_as_on_the_left_is_said_to_be_equal_and_follows_the_control_bar(demo_store, monkeypatch, demo):
    test = opened(PAGE, demo_store, monkeypatch, collection="demo", bank="open", compare_b_measure="as on the left")
    assert "A and B are the same leaderboard" in test.info[0].value
    test.selectbox(key="compare_b_tau").set_value("1").run()
    test.slider(key="tau").set_value(5).run()
    _is_versus(test, versus(demo, *(choose(demo, Request(measure="Cover@20", bank="open", tau=tau)) for tau in (5, 1))))


def test_two_printed_columns_are_compared(demo_store, monkeypatch):
    columns = ["genq Cover@20 tau=4", "tqa Cover@20 verified answers"]
    sides = dict(zip(("compare_a_column", "compare_b_column"), columns, strict=True))
    test = opened(PAGE, demo_store, monkeypatch, collection="car-y3-published", **sides)
    _is_versus(test, columns_beside(figures_of(Store(demo_store).snapshot("car-y3-published")), *columns))


def test_two_runs_are_compared_query_by_query(demo_store, monkeypatch, demo):
    runs = {"compare_run_a": "any-word", "compare_run_b": "random"}
    test = opened(PAGE, demo_store, monkeypatch, collection="demo", bank="open", tau="3", compare_what=RUNS, **runs)
    expected = run_pair(demo, choose(demo, Request(measure="Cover@20", bank="open", tau=3)), "any-word", "random")
    assert table(test, "p")["p"].tolist() == expected.tests["p"].tolist()
    pd.testing.assert_frame_equal(table(test, "value_a"), expected.rows, check_dtype=False)
    assert [metric.value for metric in test.metric] == [
        f"{expected.mean_a:.3f}",
        f"{expected.mean_b:.3f}",
        f"{expected.difference:+.3f}",
        f"[{expected.low:.3f}, {expected.high:.3f}]",
        f"{expected.effect:.3f}",
        f"[{expected.effect_low:.3f}, {expected.effect_high:.3f}]",
        f"{expected.rank_biserial:.3f}",
        f"{expected.wins} / {expected.ties} / {expected.losses}",
    ]


def test_run_names_are_shown_letter_for_letter_and_a_single_query_leaves_the_tests_undefined(labelled, monkeypatch):
    test = opened(PAGE, labelled, monkeypatch, measure="P", compare_what=RUNS)
    assert "A is &lt;b&gt;*bold*&lt;/b&gt;, B is plain" in sentences(test)
    assert charts(test)[0].figure["data"][0]["name"] == "&lt;b&gt;*bold*&lt;/b&gt; is better"
    assert table(test, "p")["p"].isna().all()
    assert [metric.value for metric in test.metric][3:5] == ["[undefined, undefined]", "undefined"]


def test_questions_are_switched_off_on_the_page(demo_store, monkeypatch, demo):
    test = opened(
        PAGE, demo_store, monkeypatch, collection="demo", bank="open", tau="3", compare_what="Other questions"
    )
    assert "Choose questions" in sentences(test)
    choice = choose(demo, Request(measure="Cover@20", bank="open", tau=3, reference="official"))
    off = bank_questions(demo, choice)["question_id"][:2].tolist()
    test.multiselect(key="whatif_off").set_value(off).run()
    expected = whatif(demo, choice, drop=off)
    mine = table(test, "mean_before")  # in the tab that is open first
    pd.testing.assert_frame_equal(mine, expected.rows[mine.columns], check_dtype=False)
    assert all(plain_names(line) in sentences(test) for line in whatif_summary(expected)[:1])


def test_each_side_has_its_own_measure_tau_depth_and_label_rank(demo_store, monkeypatch, demo):
    sides = {"compare_b_depth": "5", "compare_b_label_rank": "2", "compare_b_measure": "P", "compare_b_tau": "3"}
    sides |= {"compare_a_measure": "AP", "compare_a_tau": "2"}
    test = opened(PAGE, demo_store, monkeypatch, collection="demo", bank="open", **sides)
    first = choose(demo, Request(measure="AP@20", bank="open", tau=2))
    second = choose(demo, Request(measure="P@5", bank="open", tau=3, depth=5, label_rank=2))
    _is_versus(test, versus(demo, first, second))
    found, known = flipped_passages(demo, first, second)
    at_tab(test, "compare_tab", "Flipped passages")
    assert f"Both sides label {known:,} passages. Relevant on one side only: {len(found):,}" in sentences(test)


def test_cover_is_compared_with_precision_at_first_and_what_the_sides_are_made_of_is_folded(
    demo_store, monkeypatch, demo
):
    test = opened(PAGE, demo_store, monkeypatch, collection="demo", bank="open", tau="3")
    (folded,) = [one for one in test.expander if one.label.startswith("Change A or B")]
    assert not folded.proto.expanded
    sides = {one.key for one in folded.selectbox}
    assert len(sides) >= 10
    assert len(charts(test)) == 1
    assert not {one.key for one in test.selectbox if (one.key or "").startswith("compare_")} - sides
    _is_versus(
        test, versus(demo, *(choose(demo, Request(measure=name, bank="open", tau=3)) for name in ("Cover@20", "P@20")))
    )
