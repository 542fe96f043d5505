"""Where the project's own data lies."""

from __future__ import annotations

from exam_core.printed import PUBLISHED as PUBLISHED

DEMO = PUBLISHED.with_name("demo")
TOPICS = DEMO / "topics"
NUGGETS = DEMO / "nuggets"
ANSWERS = DEMO / "answers.jsonl"
