"""Stories as values: put in order, worded anew, taken out and brought back."""

from functools import reduce

import pytest

from exam_core.errors import UsageError
from exam_core.request import Request
from exam_core.view import View
from exam_core.wings.stage.story import LONGEST_NOTE, MOST_VIEWS, Story, check_story_name


def view(name):
    return View("Leaderboard", ("Sun",), Request(), title=name, view_id=name)


def told(*names):
    return reduce(Story.with_view, map(view, names), Story("s"))


def order(story):
    return "".join(one.view_id for one in story.views)


@pytest.mark.parametrize(
    ("name", "by", "after"),
    [("c", -1, "acb"), ("a", 1, "bac"), ("a", -1, "abc"), ("c", 5, "abc"), ("c", -5, "cab"), ("b", 0, "abc")],
)
def test_a_view_moves_and_stays_within_the_story(name, by, after):
    assert order(told("a", "b", "c").moved(name, by)) == after


def test_what_was_taken_out_comes_back_where_it_stood_the_last_first():
    less = told("a", "b", "c", "d").without_view("b").without_view("c")
    assert order(less) == "ad"
    assert order(less.restored()) == "acd"
    whole = less.restored().restored()
    assert whole == told("a", "b", "c", "d")
    with pytest.raises(UsageError, match="Nothing was taken out"):
        whole.restored()


def test_a_view_that_somebody_else_took_out_is_said_to_be_gone():
    with pytest.raises(UsageError, match="no such view any more"):
        told("a").without_view("a").moved("a", 1)


def test_words_are_trimmed_and_too_long_ones_refused():
    story = told("a").reworded("a", " Title ", " Note\n")
    [one] = story.views
    assert (one.title, one.note, one.said("as computed")) == ("Title", "Note", "as computed")
    assert story.reworded("a", "", "", " Mine ").views[0].said("as computed") == "Mine"
    assert story.reworded("a", "", "", "").views[0].said("as computed") == ""
    assert story.reworded("a", " ", "").views[0].heading == "Leaderboard"
    with pytest.raises(UsageError, match="4,001 characters"):
        story.reworded("a", "", "x" * (LONGEST_NOTE + 1))


def test_a_story_is_full_at_last():
    full = told(*map(str, range(MOST_VIEWS)))
    with pytest.raises(UsageError, match="no more fit"):
        full.with_view(view("x"))


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".x", "a b", "x" * 41, "ä"])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(UsageError, match="not a name of a story"):
        check_story_name(name)
