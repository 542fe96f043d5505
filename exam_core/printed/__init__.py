"""Figures that the papers print, as facts: read from `data/published`, nothing computed."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Any

import pandas as pd

from exam_core.installation import home
from exam_core.tables import OVERALL

PUBLISHED = home() / "data" / "published"
COLLECTIONS = ("car_y3", "dl19", "dl20")
KNOWN_SHARE = 0.5
"""Share of a collection's systems that a paper's list must have for the collection to be the paper's."""
KNOWN_SYSTEMS = 5
"""And how many at least: names such as `1` or `bm25` occur everywhere."""
_MEASURES = {"map": "AP", "ndcg@20": "nDCG@20", "rprec": "Rprec", "cover@20": "Cover@20"}
"""Measures by their names in table 3 of EXAM++."""


@lru_cache
def table(name: str) -> pd.DataFrame:
    """One file of printed facts, every cell as the text that is printed; shared, so never to be changed."""
    return pd.read_csv(PUBLISHED / f"{name}.csv", dtype=str, keep_default_na=False)


def canonical_names(key: str) -> dict[str, str]:
    """Run names by the shortened or misspelt names of print."""
    aliases = table("system_aliases")
    aliases = aliases[aliases["collection"] == key]
    return dict(zip(aliases["name"], aliases["canonical_name"], strict=True))


def known_collection(systems: Collection[str]) -> str | None:
    """Which of the papers' collections systems belong to, recognised by their names; None if to none."""
    groups = {key: set(systems) & known_systems(key) for key in COLLECTIONS}
    best = max(groups, key=lambda key: len(groups[key]))
    enough = len(groups[best]) >= max(KNOWN_SYSTEMS, KNOWN_SHARE * len(set(systems)))
    return best if enough else None


def known_systems(key: str) -> set[str]:
    """The systems of a paper's collection, by the names of their runs."""
    names = canonical_names(key)
    printed = [*table(f"exam_{key}_leaderboard")["system"], *table(f"official_{key}")["system"]]
    return {names.get(name, name) for name in printed} - {OVERALL}


def coefficients_of(key: str) -> list[dict[str, Any]]:
    """Coefficients of a collection that a paper prints without the leaderboards: mode, measure, tau (or None) and both.

    Source: EXAM++ (LLM4Eval 2024), table 3, which is of CAR-Y3.
    """
    if key != "car_y3":
        return []
    return [
        {
            "mode": row["method"].replace("_few", " few-shot"),
            "measure": _MEASURES[row["measure"]],
            "tau": int(row["tau"]) if row["tau"] else None,
            **{name: float(row[name]) for name in ("spearman", "kendall")},
        }
        for row in table("exampp_table3").to_dict("records")
        if row["spearman"]
    ]
