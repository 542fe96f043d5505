"""The guide to the live page says what is so; its commands run in `tests/test_how_to.py`."""

from pathlib import Path

GUIDE = (Path(__file__).parents[3] / "docs" / "how-to" / "share-a-live-page.md").read_text(encoding="utf-8")
