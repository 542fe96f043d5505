"""The demo's live page in docs/ is the one that the source makes; `make live-page` makes it anew."""

import base64
import gzip
import json
import re
from pathlib import Path

import pytest

from exam_core.wings.live import cube
from exam_core.wings.live.cli import SiteOptions
from exam_core.wings.live.demo_page import OFFERED, demo_page

PAGE = Path(__file__).parents[3] / "docs" / "demo.html"


@pytest.fixture(scope="module")
def kept():
    return PAGE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def part(demo):
    """The same page with one bank, one measure and fewer taus and label ranks, made now."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cube, "TAUS", cube.TAUS[:4])
        patch.setattr(cube, "RANKS", cube.RANKS[:1])
        return demo_page(demo, SiteOptions(["demo"], OFFERED.file, ["RR"], ["open"])).decode()


def packed(page, name):
    text = page.partition(f'<script type="application/gzip" id="{name}">')[2].partition("</script>")[0]
    return json.loads(gzip.decompress(base64.b64decode(text)))


def test_it_is_small(kept):
    assert len(kept.encode()) < 4_000_000


@pytest.mark.parametrize(
    "element", ["style", "script", 'script type="application/gzip" id="plotly"', 'p class="quiet"']
)
def test_its_code_is_that_of_the_source(kept, part, element):
    parts = [re.findall(f"<{element}>(.*?)</{element.split()[0]}>", page, re.DOTALL) for page in (kept, part)]
    assert parts[0] == parts[1], "docs/demo.html is stale: make live-page"


def test_its_numbers_are_those_of_the_analyses(kept, part):
    whole, now = packed(kept, "data"), packed(part, "data")
    mode = [one["id"] for one in whole["modes"]].index(now["modes"][0]["id"])
    measure = [one["id"] for one in whole["measures"]].index("RR")
    assert len(now["at"]) == 4
    for place, number in now["at"].items():
        _, _, *rest = place.split(",")
        board = whole["boards"][whole["at"][",".join(map(str, (mode, measure, *rest)))]]
        for name in ("title", "mean", "stderr", "rank", "tier"):
            assert board[name] == pytest.approx(now["boards"][number][name], abs=1e-9), "make live-page"


@pytest.mark.thorough
def test_it_is_made_anew_byte_for_byte(demo):
    assert demo_page(demo) == PAGE.read_bytes()
