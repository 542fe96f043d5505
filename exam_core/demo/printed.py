"""Collections of printed figures: the papers' leaderboards, official ranks and agreement tables.

Sources: EXAM (arXiv 2402.00309), tables 3 and 4, and the unnumbered DL tables; EXAM++ (LLM4Eval 2024),
table 4. Official ranks: the papers' online appendix.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

import pandas as pd

from exam_core.demo.embedded import PUBLISHED
from exam_core.formats import Reading
from exam_core.formats.leaderboards import with_ranks
from exam_core.tables import CONFUSIONS, LEADERBOARDS, OFFICIAL


@dataclass(frozen=True)
class _Column:
    """A printed column: what is measured, of which bank's grades, and what more is known of the grading."""

    bank: str
    measure: str
    tau: int | None = None
    grading: str | None = None

    @property
    def name(self) -> str:
        """The leaderboard's name."""
        tau = f"tau={self.tau}" if self.tau else None
        return " ".join(filter(None, (self.bank, self.measure, tau, self.grading)))

    @property
    def facts(self) -> str:
        """The same as JSON, for the column `extra`."""
        return json.dumps({name: value for name, value in asdict(self).items() if value is not None})


@dataclass(frozen=True)
class _Printed:
    """A collection: its table, the printed columns, the official list."""

    key: str
    columns: dict[str, _Column]
    ranks: dict[str, str]


COLLECTIONS = {
    "car-y3-published": _Printed(
        "car_y3",
        {
            "tqa_exam_cover": _Column("tqa", "Cover@20", grading="verified answers"),
            "genq_exam_cover": _Column("genq", "Cover@20", 4),
            "genq_exam_qrels": _Column("genq", "P@20", 4),
        },
        {OFFICIAL: "official_car_y3", "original EXAM": "official_original_exam_car_y3"},
    ),
    "dl19-published": _Printed(
        "dl19",
        # The printed Qrels column can't be reproduced at any tau, so its name claims none.
        {"exam_cover": _Column("genq", "Cover@20", 3), "exam_qrels": _Column("genq", "P@20", grading="as printed")},
        {OFFICIAL: "official_dl19"},
    ),
    "dl20-published": _Printed(
        "dl20",
        {"exam_cover": _Column("genq", "Cover@20", 4), "exam_qrels": _Column("genq", "P@20", 4)},
        {OFFICIAL: "official_dl20"},
    ),
}


def printed(collection: str) -> Reading:
    """A printed collection's leaderboards and agreement tables, with canonical system names."""
    mine = COLLECTIONS[collection]
    aliases = _table("system_aliases")
    aliases = aliases[aliases["collection"] == mine.key]
    names = dict(zip(aliases["name"], aliases["canonical_name"], strict=True))
    parts = [
        _column(_table(file).assign(score=""), leaderboard_id, "score", names)
        for leaderboard_id, file in list(mine.ranks.items())[:1]
    ]
    board = _table(f"exam_{mine.key}_leaderboard").assign(rank="")
    parts += [_column(board, about.name, column, names, about.facts) for column, about in mine.columns.items()]
    parts += [
        _column(_table(file).assign(score=""), leaderboard_id, "score", names)
        for leaderboard_id, file in list(mine.ranks.items())[1:]
    ]
    frame = with_ranks(pd.concat(parts, ignore_index=True))
    confusions = _confusions(mine.key)
    counts = {
        "leaderboards": frame["leaderboard_id"].nunique(),
        "agreement tables": confusions["confusion_id"].nunique(),
    }
    return Reading({"leaderboards": frame, "confusions": confusions}, counts=counts)


def _table(name: str) -> pd.DataFrame:
    return pd.read_csv(PUBLISHED / f"{name}.csv", dtype=str, keep_default_na=False)


def _column(
    table: pd.DataFrame, leaderboard_id: str, column: str, names: dict[str, str], facts: str | None = None
) -> pd.DataFrame:
    table = table[(table[column] != "") | (table["rank"] != "")]
    return LEADERBOARDS.frame(
        {
            "leaderboard_id": [leaderboard_id] * len(table),
            "run_id": [names.get(name, name) for name in table["system"]],
            "rank": pd.to_numeric(table["rank"]).astype(float),
            "score": pd.to_numeric(table[column]).astype(float),
            "extra": [facts] * len(table),
        }
    )


def _confusions(key: str) -> pd.DataFrame:
    cells = _table("exam_agreement")
    cells = cells[cells["collection"] == key]
    papers = {"seed000": "EXAM, arXiv 2402.00309", "seed004": "EXAM++, LLM4Eval 2024, table 4"}
    names = [
        f"{row.bank} {row.mode}" if row.source == "seed000" else f"EXAM++ {row.mode}" for row in cells.itertuples()
    ]
    return CONFUSIONS.frame(
        {
            "confusion_id": names,
            "grade": cells["predicted_labels"],
            "relevance": cells["judgment_labels"],
            "count": pd.to_numeric(cells["count"]),
            "source": cells["source"].map(papers),
        }
    )
