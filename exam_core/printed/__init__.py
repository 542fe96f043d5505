"""Figures that the papers print, as facts: read from `data/published`, nothing computed."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd

from exam_core.installation import home

PUBLISHED = home() / "data" / "published"


@lru_cache
def table(name: str) -> pd.DataFrame:
    """One file of printed facts, every cell as the text that is printed; shared, so never to be changed."""
    return pd.read_csv(PUBLISHED / f"{name}.csv", dtype=str, keep_default_na=False)


def canonical_names(key: str) -> dict[str, str]:
    """Run names by the shortened or misspelt names of print."""
    aliases = table("system_aliases")
    aliases = aliases[aliases["collection"] == key]
    return dict(zip(aliases["name"], aliases["canonical_name"], strict=True))
