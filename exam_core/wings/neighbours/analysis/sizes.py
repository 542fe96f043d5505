"""How large the models behind generated answers are, where that is known."""

from __future__ import annotations

import numpy as np
import pandas as pd

from exam_core.printed import table
from exam_core.results import ResultTable, number, text
from exam_core.store import Snapshot
from exam_core.wings.neighbours.analysis.ranked import answers_with_texts

SIZES = ResultTable(
    "nrp: sizes",
    "Parameters of the models behind generated answers",
    text("system", "System", pinned=True),
    number(
        "parameters", "Parameters", "Parameters of the model; a dash where unknown.", "parameters", form="localized"
    ),
    text("source", "Known from", width="large"),
)
FROM_FILE = "the imported file, column parameters"
UNKNOWN = "not known: add a column parameters to the file"
_STATED = """
SELECT DISTINCT parts->>'$.system' AS system, try_cast(extra->>'$.parameters' AS DOUBLE) AS parameters FROM scores
WHERE extra->>'$.parameters' IS NOT NULL AND parts->>'$.system' IS NOT NULL
"""
_OF_TEXTS = """
SELECT doc_id, try_cast(extra->>'$.parameters' AS DOUBLE) AS parameters FROM passages
WHERE extra->>'$.parameters' IS NOT NULL
"""


def sizes(snapshot: Snapshot, systems: tuple[str, ...]) -> pd.DataFrame:
    """Parameters of each system's model: as the imported files say, else as the NRP paper's eight models are known.

    Returns
    -------
    `SIZES` in the order of `systems`; NaN where nobody says, or files contradict each other
    """
    stated = snapshot.query(_STATED)
    if len(texts := snapshot.query(_OF_TEXTS)):
        of_texts = answers_with_texts(snapshot)[["doc_id", "system"]].merge(texts, on="doc_id")
        stated = pd.concat([stated, of_texts[["system", "parameters"]].drop_duplicates()])
    said: dict[str, set[float]] = {}
    for row in stated.dropna().itertuples():
        said.setdefault(row.system, set()).add(row.parameters)
    printed = {row["system"]: row for row in table("nrp_models").to_dict("records")}
    rows = []
    for system in systems:
        if len(found := said.get(system, set())) == 1:
            rows.append((system, next(iter(found)), FROM_FILE))
        elif found:
            rows.append((system, np.nan, "files say " + " and ".join(f"{value:g}" for value in sorted(found))))
        elif system in printed:
            known = printed[system]
            rows.append((system, float(known["parameters"] or "nan"), known["source"]))
        else:
            rows.append((system, np.nan, UNKNOWN))
    return SIZES.of(rows)
