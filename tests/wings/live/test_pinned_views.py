"""Pinned views as choices of a live page."""

from dataclasses import replace

import pytest

from exam_core.analysis.figures import figures_of
from exam_core.request import Request
from exam_core.store import Store
from exam_core.view import View
from exam_core.wings.live.cube import Axes, LiveMode, axes_of
from exam_core.wings.live.views import choice_of, with_views

LEXICAL = "lexical.pourpre-idf"
ASKED = Request()
VIEW = View("Leaderboard", (LEXICAL,), Request(bank="open@1", measure="Cover@20", tau=2))


@pytest.fixture(scope="module")
def axes(demo):
    return axes_of(demo, ASKED, (), ("Cover@20",), ("official",), ("random",))


def test_a_view_of_what_is_offered_adds_nothing(demo, axes):
    assert with_views(demo, ASKED, axes, [VIEW, replace(VIEW, without=("random",))])[::2] == (axes, [])


def test_a_view_adds_what_it_needs_and_its_choice_is_what_it_shows(demo):
    axes = axes_of(demo, ASKED, (), ("Cover@20",), ("official",), (), ("manual",))
    wanted = VIEW.asked.but(measure="P@5", label_rank=4, reference="qrels:AP")
    view = replace(VIEW, asked=wanted, without=("random", "bm25"), raw=True, own_order=True, address={"runs": ["lsa*"]})
    reached, shown, said = with_views(demo, ASKED, axes, [view])
    assert (shown, said) == ([view], [])
    assert reached == Axes(
        [LiveMode(LEXICAL, "manual"), LiveMode(LEXICAL, "open@1")],
        ("P@5", "Cover@20"),
        label_ranks=(1, 2, 3, 4),
        references=["official", "qrels:AP"],
        left_out=((), ("bm25", "random")),
    )
    places = {"modes": [1], "measure": 0, "tau": 1, "labelRank": 3, "reference": 1, "leftOut": 1}
    assert choice_of(demo, ASKED, reached, view) == places | {"view": "raw", "order": "own", "runs": "lsa*"}


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"page": "Compare"}, "nothing like the page Compare"),
        ({"series": ()}, "no grading mode"),
        ({"series": ("nobody",)}, "no grader nobody"),
        ({"without": ("nobody",)}, "no such run"),
        ({"asked": VIEW.asked.but(depth=10, measure="P@5")}, "its depth is 10, and the page's is 20"),
        ({"asked": VIEW.asked.but(label_map="5=3")}, "its label map is 5=3"),
        ({"asked": VIEW.asked.but(measure="POURPRE")}, "does not use grades"),
        ({"asked": VIEW.asked.but(reference="nothing")}, "no leaderboard nothing"),
        ({"asked": VIEW.asked.but(relevant_from=3)}, "not 3"),
        ({"asked": VIEW.asked.but(groups="yes")}, "its groups is yes, and the page's is no"),
        ({"address": {"own_document": ["no"]}}, "queries' own documents"),
    ],
)
def test_a_view_that_can_not_be_shown_is_left_out_and_says_why(demo, axes, other, why):
    reached, shown, [said] = with_views(demo, ASKED, axes, [replace(VIEW, title="It", **other)])
    assert (reached, shown) == (axes, [])
    assert said.startswith("The view 'It' is left out: ")
    assert why in said


def test_a_view_whose_words_name_a_run_that_must_not_be_named_is_left_out_and_its_filter_names_none(demo, axes):
    hidden = demo.without(["bm25-twin-a"], named=False)
    assert with_views(hidden, ASKED, axes, [replace(VIEW, note="see BM25-twin-a")])[1] == []
    view = replace(VIEW, without=("bm25-twin-a",), address={"runs": ["-bm25-twin-a -lsa"]})
    assert with_views(hidden, ASKED, axes, [view])[1]
    assert choice_of(hidden, ASKED, axes, view)["runs"] == "-lsa"


def test_a_view_is_shown_at_the_one_tau_that_gives_every_mode_its_own(two_graders):
    snapshot = Store(two_graders).snapshot("demo")
    strict, lenient = figures_of(snapshot).series()[:2]
    asked = Request(bank="open", measure="P@20", tau=2, own_taus=((strict, 3), (lenient, 3)))
    view = View("Leaderboard", (strict, lenient), asked, address={})
    reference = "grades:P@20:bank=open:grader=nuggetizer:tau=4"
    axes = axes_of(snapshot, ASKED, (), ("P@20",), (reference,))
    reached, shown, _ = with_views(snapshot, ASKED, axes, [view])
    assert shown == [view]
    assert reached.taus[choice_of(snapshot, ASKED, reached, view)["tau"]] == 3
    apart = replace(view, asked=asked.but(own_taus=((strict, 3), (lenient, 2))))
    assert "no single tau" in with_views(snapshot, ASKED, axes, [apart])[2][0]
