"""What is said of a live page before it is made, beside the page that is made then."""

import re
from dataclasses import replace

import pytest
from thoroughly import thoroughly

from exam_core.request import Request
from exam_core.store import Store
from exam_core.wings.live.cube import axes_of, cube, first_of, reach_of, seconds_of_one
from exam_core.wings.live.forecast import HUGE, OPTIONS, START, forecast
from exam_core.wings.live.live_page import fixed_size, live_page


def makes_what_was_said(snapshot, asked, axes):
    said, found = forecast(axes, reach_of(snapshot, asked, axes)), cube(snapshot, asked, axes)
    size = len(live_page(found, first_of(snapshot, asked, axes), {}).encode())
    assert said.leaderboards == len(found.boards)
    assert 0.5 < (said.megabytes * 1e6 - fixed_size()) / (size - fixed_size()) < 2


@pytest.mark.parametrize("measures", [("P@5",), *thoroughly(("AP", "RR"))])
def test_what_is_made_is_what_was_said(demo, measures):
    asked = Request(bank="open")
    makes_what_was_said(demo, asked, axes_of(demo, asked, (), measures, ("official",)))


@pytest.mark.thorough
def test_real_data_makes_what_was_said(full_dl19_store):
    dl19 = Store(full_dl19_store).snapshot("dl19")
    makes_what_was_said(dl19, Request(), axes_of(dl19, Request(), ("Sun", "HELM"), ("Cover@20", "P@20"), ()))


@pytest.fixture(scope="module")
def said(demo):
    axes = axes_of(demo, Request(), (), (), ())
    return forecast(axes, reach_of(demo, Request(), axes))


def test_time_is_that_of_a_leaderboard_that_was_computed_for_all_of_them(demo):
    axes = axes_of(demo, Request(bank="open"), (), ("P@5",), ("official", "qrels:AP"))
    assert (seconds_of_one(demo, Request(bank="open"), axes) or 0) > 0
    assert forecast(axes, reach_of(demo, Request(), axes), value=0.2).seconds == pytest.approx(START + 15 * 0.2)


def test_all_choices_together_make_the_page(said):
    for kind, (megabytes, _) in said.each.items():
        assert said.fixed + said.choices[kind] * megabytes <= said.megabytes + 1e-9
    assert said.in_words.startswith(f"{said.leaderboards} leaderboards of 2 grading modes, 7 measures, ")


def test_a_huge_page_is_said_to_be_one_with_the_options_that_make_it_smaller(said):
    assert said.advice == ""
    huge = replace(said, megabytes=HUGE + 1)
    assert re.findall(r"--\w+", huge.advice) == [*OPTIONS.values()]
