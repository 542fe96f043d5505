"""Figures that the papers print, as facts: read from `data/published`, nothing computed."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pandas as pd

PUBLISHED = Path(__file__).resolve().parents[2] / "data" / "published"


@lru_cache
def table(name: str) -> pd.DataFrame:
    """One file of printed facts, every cell as the text that is printed; shared, so never to be changed."""
    return pd.read_csv(PUBLISHED / f"{name}.csv", dtype=str, keep_default_na=False)
