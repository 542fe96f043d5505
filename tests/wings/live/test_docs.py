"""The guide to the live page says what is so; its commands run in `tests/test_how_to.py`."""

from pathlib import Path

from exam_core.wings.live.forecast import HUGE

GUIDE = (Path(__file__).parents[3] / "docs" / "how-to" / "share-a-live-page.md").read_text(encoding="utf-8")


def test_what_the_guide_says_of_large_pages_is_so():
    assert f"A page of more than {HUGE:.0f} MB opens slowly" in GUIDE
