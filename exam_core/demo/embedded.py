"""Where the project's own data lies."""

from __future__ import annotations

from exam_core.printed import PUBLISHED as PUBLISHED

DATA = PUBLISHED.parent
TOPICS = DATA / "demo" / "topics"
NUGGETS = DATA / "demo" / "nuggets"
ANSWERS = DATA / "demo" / "answers.jsonl"
