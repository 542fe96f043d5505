"""Where the project's own data lies."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "data"
PUBLISHED = DATA / "published"
TOPICS = DATA / "demo" / "topics"
