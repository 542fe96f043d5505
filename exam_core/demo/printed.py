"""Collections of printed figures: the papers' leaderboards, official ranks and agreement tables.

Sources: EXAM (arXiv 2402.00309), tables 3 and 4, and the unnumbered DL tables; EXAM++ (LLM4Eval 2024),
table 4. Official ranks: the papers' online appendix.
"""

from __future__ import annotations

import json
from typing import Any

import pandas as pd

from exam_core.formats import Reading
from exam_core.formats.leaderboards import with_ranks
from exam_core.printed import canonical_names, table
from exam_core.tables import CONFUSIONS, LEADERBOARDS, OFFICIAL

COLLECTIONS = {"car-y3-published": "car_y3", "dl19-published": "dl19", "dl20-published": "dl20"}
"""What files of printed facts call each collection."""
RANKS = {"original EXAM": "official_original_exam_car_y3"}
"""Files of leaderboards of which ranks alone are printed."""
PAPERS = {"seed000": "EXAM, arXiv 2402.00309", "seed004": "EXAM++, LLM4Eval 2024, table 4"}


def printed(collection: str) -> Reading:
    """A printed collection's leaderboards and agreement tables, with canonical system names."""
    key = COLLECTIONS[collection]
    known = table("figure_settings")
    known = known[(known["collection"] == key) & (known["paper"] == "EXAM") & (known["leaderboard"] != "")]
    parts = [_ranks(OFFICIAL, f"official_{key}", key)]
    for column, name in zip(known["subject"], known["leaderboard"], strict=True):
        parts.append(_ranks(name, RANKS[name], key) if name in RANKS else _scores(name, column, key))
    frame = with_ranks(pd.concat(parts, ignore_index=True))
    confusions = _confusions(key)
    counts = {
        "leaderboards": frame["leaderboard_id"].nunique(),
        "agreement tables": confusions["confusion_id"].nunique(),
    }
    return Reading({"leaderboards": frame, "confusions": confusions}, counts=counts)


def _ranks(name: str, file: str, key: str) -> pd.DataFrame:
    rows = table(file)
    return _board(name, rows["system"], key, {"rank": rows["rank"].astype(float)})


def _scores(name: str, column: str, key: str) -> pd.DataFrame:
    rows = table(f"exam_{key}_leaderboard")
    rows = rows[rows[column] != ""]
    return _board(name, rows["system"], key, {"score": rows[column].astype(float), "extra": [_facts(name)] * len(rows)})


def _board(name: str, systems: pd.Series, key: str, columns: dict[str, Any]) -> pd.DataFrame:
    runs = systems.replace(canonical_names(key))
    return LEADERBOARDS.frame({"leaderboard_id": [name] * len(runs), "run_id": runs, **columns})


def _facts(name: str) -> str:
    """What the name of a printed column says of it: bank, measure, and tau or what else is known of the grading."""
    bank, measure, more = name.split(" ", 2)
    tau = more.removeprefix("tau=")
    return json.dumps({"bank": bank, "measure": measure} | ({"grading": more} if tau == more else {"tau": int(tau)}))


def _confusions(key: str) -> pd.DataFrame:
    cells = table("exam_agreement")
    cells = cells[cells["collection"] == key]
    return CONFUSIONS.frame(
        {
            "confusion_id": cells["bank"].where(cells["source"] == "seed000", "EXAM++") + " " + cells["mode"],
            "grade": cells["predicted_labels"],
            "relevance": cells["judgment_labels"],
            "count": pd.to_numeric(cells["count"]),
            "source": cells["source"].map(PAPERS),
        }
    )
