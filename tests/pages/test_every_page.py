"""Every page on every embedded collection, alone and through app.py."""

import pytest
from dashboards import WAYS, at_tab, charts, opened, sentences
from thoroughly import thoroughly

from exam_core.demo.printed import COLLECTIONS
from pages.shared import wings
from pages.shared.menu import PAGES
from tests.wings import added_to

CHARTS = added_to(
    {
        "pages/home/home.py": (1, 1, 1, 1),
        "pages/collections/collections.py": (0, 0, 0, 0),
        "pages/leaderboard/leaderboard.py": (1, 1, 1, 1),
        "pages/agreement/agreement.py": (2, 1, 1, 1),
        "pages/outliers/outliers.py": (1, 1, 1, 1),
        "pages/search/search.py": (0, 0, 0, 0),
        "pages/passages/passages.py": (0, 0, 0, 0),
        "pages/grading/grading.py": (1, 0, 0, 0),
    },
    "CHARTS",
)
"""How many charts a page shows of the demo, CAR Y3, DL19 and DL20."""
OF_PRINT = added_to(
    {
        "pages/collections/collections.py": "Figures as printed in the papers",
        "pages/passages/passages.py": "Printed figures come without passages",
        "pages/grading/grading.py": "without passages to grade",
    },
    "OF_PRINT",
)
"""What a page says where there are printed figures alone."""
OF_DEMO = added_to({}, "OF_DEMO")
"""What a page says where nothing was printed, nothing is a nugget, or nothing was generated."""


BARS = {"Agreement": ("agreement", "agreement_tab"), "Grading": ("grading", "grading_tabs")}
BARS |= {"Reliability": ("reliability", "stability_view"), "Outliers": ("outliers", "outliers_tabs")}
"""The page of a tab by its title, and the key of its tabs."""
ADDED = [tab for tabs in wings.declared("TABS") for tab in tabs]


@pytest.mark.parametrize("tab", ADDED, ids=lambda tab: tab.name)
def test_every_tab_that_a_wing_adds_can_be_opened(dl19_store, monkeypatch, tab):
    page, key = BARS[tab.page]
    test = at_tab(opened(page, dl19_store, monkeypatch, collection="dl19"), key, tab.name)
    assert not test.exception
    assert "Unexpected error" not in sentences(test)


def test_every_page_is_here():
    assert set(CHARTS) == {page.path for page in PAGES}


@pytest.mark.parametrize("collection", ["demo", *list(COLLECTIONS)[:1], *thoroughly(*list(COLLECTIONS)[1:])])
@pytest.mark.parametrize("page", CHARTS)
def test_a_page_shows_the_same_alone_and_through_the_app(page, collection, store, monkeypatch):
    place = ["demo", *COLLECTIONS].index(collection)
    # The demo tells both ways; collections differ in what they hold.
    ways = WAYS if place == 0 else WAYS[:1] * 2
    tests = [opened(page, store, monkeypatch, way, collection=collection) for way in dict.fromkeys(ways)]
    tests = tests * (2 // len(tests))
    assert [(len(test.error), len(charts(test))) for test in tests] == [(0, CHARTS[page][place])] * 2
    alone, through = tests
    assert sentences(alone) == sentences(through)
    assert [(one.label, one.value) for one in alone.metric] == [(one.label, one.value) for one in through.metric]
    assert all(mine.value.equals(other.value) for mine, other in zip(alone.dataframe, through.dataframe, strict=True))
    assert (OF_PRINT if place else OF_DEMO).get(page, "") in sentences(alone)


@pytest.mark.parametrize("page", [page for page in CHARTS if page != "pages/home/home.py"])
def test_a_page_of_an_empty_store_says_what_to_do(page, tmp_path, monkeypatch):
    assert opened(page, tmp_path, monkeypatch, "from app.py").code[0].value == "examboard demo"
