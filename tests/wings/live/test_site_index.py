"""The index of a folder of live pages."""

from html.parser import HTMLParser

from exam_core.request import Request
from exam_core.wings.live.cube import axes_of, cube
from exam_core.wings.live.site_index import SitePage, files_of, index_page, listed

HOSTILE = '"><img src=x onerror=alert(1)></title><script>alert(1)</script>'


def test_it_counts_what_a_page_has(demo):
    axes = axes_of(demo, Request(bank="open"), (), ("P@5",), ("official",))
    found = listed(cube(demo, Request(bank="open"), axes))
    assert found.counts == {"runs": 15, "queries": 8, "grading modes": 1, "leaderboards": 15}


class Elements(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.elements, self.links = set[str](), list[str | None]()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.add(tag)
        self.links += [value for name, value in attrs if name == "href"]


def test_hostile_names_are_texts_and_links_lead_to_the_pages_alone():
    page = index_page([SitePage(HOSTILE, HOSTILE, {"runs": 1})], HOSTILE, "2026-01-01")
    found = Elements(page)
    assert found.elements.isdisjoint({"img", "script"})
    assert [link.partition("%")[0] for link in found.links if link] == [""]
    assert files_of(page) == {"index.html", f"{HOSTILE}.html"}
    assert files_of(page.replace("Examboard", "another")) == set()
