"""The index of a folder of live pages."""

from dataclasses import replace
from html.parser import HTMLParser

import pandas as pd

from exam_core.analysis.choosing import choose
from exam_core.analysis.comparison import correlations_of
from exam_core.request import Request
from exam_core.wings.live.cube import axes_of, cube, first_of
from exam_core.wings.live.site_index import SitePage, files_of, index_page, listed

HOSTILE = '"><img src=x onerror=alert(1)></title><script>alert(1)</script>'


def test_its_numbers_are_those_of_the_choice_that_the_page_opens_with(demo):
    asked = Request(bank="open", measure="P@5", tau=2, label_rank=2)
    axes = replace(axes_of(demo, asked, (), ("P@5",), ("official",)), taus=(2, 4), label_ranks=(1, 2))
    found = listed(cube(demo, asked, axes), first_of(demo, asked, axes))
    [alone] = correlations_of(demo, [choose(demo, asked.but(reference="official"))])
    assert found.choice == "P@5, tau 2, label rank 2, beside the official ranking"
    for name in ("spearman", "kendall", "tau_ap_b"):
        assert found.headline[name].tolist() == [getattr(alone.correlation, name)]
    assert found.counts == {"runs": 15, "queries": 8, "grading modes": 1, "leaderboards": 4}


class Elements(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.elements, self.links = set[str](), list[str | None]()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.add(tag)
        self.links += [value for name, value in attrs if name == "href"]


def test_hostile_names_are_texts_and_links_lead_to_the_pages_alone():
    about = SitePage(HOSTILE, HOSTILE, {"runs": 1}, HOSTILE, pd.DataFrame({"series": [HOSTILE], "kendall": [0.5]}))
    page = index_page([about], HOSTILE, "2026-01-01")
    found = Elements(page)
    assert found.elements.isdisjoint({"img", "script"})
    assert [link.partition("%")[0] for link in found.links if link] == [""]
    assert files_of(page) == {"index.html", f"{HOSTILE}.html"}
    assert files_of(page.replace("Examboard", "another")) == set()
