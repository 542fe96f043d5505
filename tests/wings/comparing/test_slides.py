"""Slides of Compare and of how sure the order is, against what the analyses say themselves."""

import pytest

from exam_core.analysis.contents import names_of
from exam_core.analysis.figures import figures_of
from exam_core.errors import UsageError
from exam_core.request import Request
from exam_core.slides.slide import SlideContext
from exam_core.store import Store
from exam_core.view import View
from exam_core.wings.comparing import cutoff_charts
from exam_core.wings.comparing import slides as compare
from exam_core.wings.comparing.run_pairs import against, every_pair, run_pair
from exam_core.wings.comparing.two_boards import versus
from exam_core.wings.comparing.whatif import bank_questions, whatif

MODE = "lexical.pourpre-idf"
ASKED = Request("Cover@20", "open@1", tau=3, reference="official")
SLIDES = {
    name: row
    for row in (*compare.SLIDES, *compare.RELIABILITY_SLIDES, *cutoff_charts.SLIDES)
    for name in (row.title, *row.former)
}


def demo(store, page, **own):
    address = {name: [value] for name, value in own.items()}
    return figures_of(Store(store).snapshot("demo")), View(page, (MODE,), ASKED, address=address)


def slide_of(figures, view):
    return SLIDES[view.page].make(SlideContext(view, figures, lambda made, *asked, **more: made(*asked, **more)))


@pytest.mark.parametrize(
    ("view", "said"),
    [("Fewer questions", "questions"), ("Fewer queries", "queries"), ("Rank swaps", "pairs of 15 runs")],
)
def test_the_slide_of_stability_is_of_the_view_that_was_pinned(demo_store, view, said):
    assert said in slide_of(*demo(demo_store, "Stability", stability_view=view)).takeaway


def test_the_slide_of_compare_sets_two_leaderboards_side_by_side_as_the_page_begins(demo_store):
    figures, view = demo(demo_store, "Compare")
    slide = slide_of(figures, view)
    found = versus(
        figures.snapshot, *(figures.of(ASKED.but(grader=MODE, measure=name)) for name in ("Cover@20", "P@20"))
    )
    kendall = found.correlation.set_index("coefficient")["value"]["kendall"]
    assert slide.takeaway == (
        "A, Lexical match Cover@20, tau 3, and B, Lexical match P@20, tau 3, correlate with a Kendall's tau of "
        f"{kendall:.2f}. They order {len(found.flips)} of 105 pairs of 15 runs differently, none significantly on "
        "both sides."
    )
    assert slide.ticks["Kendall"] == kendall
    assert slide.table["rank_b"].tolist() == found.rows["rank_b"].tolist()


def test_each_side_of_compare_is_as_it_was_chosen(demo_store):
    figures, view = demo(demo_store, "Compare", compare_a_measure="AP", compare_a_depth="5", compare_b_tau="1")
    left, right = ASKED.but(grader=MODE, measure="AP@5", depth=5), ASKED.but(grader=MODE, measure="P@20", tau=1)
    found = versus(figures.snapshot, figures.of(left), figures.of(right))
    assert slide_of(figures, view).table["mean_a"].tolist() == found.rows["mean_a"].tolist()
    assert slide_of(figures, view).table["mean_b"].tolist() == found.rows["mean_b"].tolist()
    same = slide_of(*demo(demo_store, "Compare", compare_b_measure="as on the left"))
    assert "A and B are the same leaderboard" in same.takeaway


def test_two_runs_are_compared_with_their_test_and_wins(demo_store):
    figures, view = demo(
        demo_store, "Compare", compare_what="Two runs", compare_run_a="random", compare_run_b="any-word"
    )
    slide = slide_of(figures, view)
    found = run_pair(figures.snapshot, figures.of(ASKED.but(grader=MODE)), "random", "any-word")
    p = found.tests.set_index("test")["p"]["t"]
    assert f"random is {-found.difference:.3f} below any-word" in slide.takeaway
    assert f"of 8 queries it wins {found.wins}, ties {found.ties} and loses {found.losses}." in slide.takeaway
    assert f"p = {p:.4f}: significant)" in slide.takeaway
    assert list(slide.ticks.values()) == [found.mean_a, found.mean_b, found.difference]


def test_all_pairs_are_counted_and_those_beside_a_baseline(demo_store):
    figures, view = demo(demo_store, "Compare", compare_what="All pairs of runs")
    choice = figures.of(ASKED.but(grader=MODE))
    told = every_pair(figures.snapshot, choice).pairs["separable"].sum()
    assert f"{told or 'none'} of 105 pairs of 15 runs differ significantly" in slide_of(figures, view).takeaway
    _, view = demo(demo_store, "Compare", compare_what="All pairs of runs", compare_baseline="random")
    slide, beside = slide_of(figures, view), against(figures.snapshot, choice, "random")
    assert "of 14 runs are significantly better than random" in slide.takeaway
    assert slide.table["p_holm"].tolist() == beside.rows["p_holm"].tolist()


def test_what_other_questions_change_is_counted(demo_store):
    figures, view = demo(demo_store, "Compare", compare_what="Other questions")
    choice = figures.of(ASKED.but(grader=MODE))
    off = bank_questions(figures.snapshot, choice)["question_id"].tolist()[:12]
    with pytest.raises(UsageError, match="No question is switched off"):
        slide_of(figures, view)
    slide = slide_of(figures, View("Compare", (MODE,), ASKED, address={**view.address, "whatif_off": off}))
    found = whatif(figures.snapshot, choice, drop=off)
    moved = (found.rows["rank_change"] != 0).sum()
    assert slide.takeaway.startswith(f"Without 12 of 80 questions (B), {moved} of 15 runs change rank")
    assert list(slide.ticks.values()) == [found.before.correlation.kendall, found.after.correlation.kendall]


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ({"compare_what": "Everything"}, "Compare has no view Everything. There are: Two leaderboards"),
        ({"compare_a_measure": "Best"}, "There is no measure Best"),
        ({"compare_b_depth": "deep"}, "depth of a side: deep is not a number from 0 to 9,999,999."),
        ({"compare_b_depth": "9" * 5000}, "depth of a side: 9+ is not a number"),
        ({"compare_a_mode": "nobody"}, "There is no grader nobody"),
        ({"compare_what": "Two runs", "compare_run_a": "nobody"}, "There is no run nobody"),
        ({"compare_what": "Two runs", "compare_run_a": "lsa", "compare_run_b": "lsa"}, "are the same run"),
    ],
)
def test_what_an_address_has_made_up_is_refused_by_the_slide_of_compare(demo_store, own, said):
    with pytest.raises(UsageError, match=said):
        slide_of(*demo(demo_store, "Compare", **own))


@pytest.mark.parametrize("what", ["Two runs", "All pairs of runs", "Other questions"])
def test_of_print_what_takes_queries_is_refused(demo_store, what):
    figures = figures_of(Store(demo_store).snapshot("car-y3-published"))
    view = View("Compare", tuple(figures.series()), Request("", tau=4), address={"compare_what": [what]})
    with pytest.raises(UsageError, match="without values by query to test"):
        slide_of(figures, view)


def test_the_figures_behind_the_cutoffs_name_the_grading_mode_as_the_chart_does(demo_store):
    figures, view = demo(demo_store, "Cutoffs")
    assert set(slide_of(figures, view).table["series"]) == {names_of(figures.snapshot)[MODE]}


def test_the_slide_of_correlation_is_of_the_method_that_was_picked(demo_store):
    figures, view = demo(
        demo_store, "Correlation", correlation_method=f"open, {MODE}, tau 1", correlation_measure="P@20"
    )
    board = figures.boards(ASKED.but(grader=MODE, tau=1, measure="P@20"))[0]
    kendall = board.correlation.kendall
    said = f"P@20 of Lexical match (tau 1) correlates with the official ranking: Kendall {kendall:.3f}."
    assert slide_of(figures, view).takeaway.startswith(said)
