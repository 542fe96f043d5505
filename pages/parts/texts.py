"""Columns of texts, which not every collection has."""

from __future__ import annotations

from typing import Any

TEXTS = ("query_text", "question_text", "facet", "question_id", "text")


def shown(rows: Any, *names: str) -> Any:
    """The named columns (all by default) without those of texts that no row has."""
    kept = [name for name in names or rows.columns if name not in TEXTS or rows[name].notna().any()]
    return rows[kept]
