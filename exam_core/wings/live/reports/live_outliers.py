"""Displaced runs as the text that a live page reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from exam_core.analysis.displacement.outliers import ROWS, Outliers
from exam_core.reports.displacements import called, verdict
from exam_core.wings.live.reports.packing import Numbered, plain, thousandths
from exam_core.wording import rank_texts

PLACES = ("rank", "reference_rank", "rank_displacement", "low", "high")
TESTS = ("p", "p_holm")
COLUMNS = (*PLACES, *TESTS, "flagged")
"""Columns of `outliers: rows` that a live page shows."""


def outlying(
    found: Outliers, runs: Sequence[str], names: Mapping[str, str], notes: Numbered, texts: Numbered
) -> dict[str, Any]:
    """How far each run is displaced, by the runs' places; flags are 1 and 0, undefined ones null.

    Parameters
    ----------
    names : what graders are called, by id
    notes, texts : take the sentences, and the lists of ranks as they are shown, each once
    """
    rows = found.rows.set_index("run_id").reindex(runs)
    flags = rows["flagged"].astype("Int64").astype(object)
    return {
        **{name: plain(rows[name].to_numpy(float)) for name in PLACES},
        "rankTexts": texts.of(rank_texts(rows["rank"].tolist())),
        "referenceRankTexts": texts.of(rank_texts(rows["reference_rank"].tolist())),
        **{name: thousandths(rows[name].to_numpy(float)) for name in TESTS},
        "flagged": [None if flag is None else int(flag) for flag in flags.where(flags.notna(), None)],
        "said": [notes.of(sentence) for sentence in verdict(called(found, names))],
        "notes": [notes.of(note) for note in found.notes],
    }


def headings() -> dict[str, dict[str, str]]:
    """Heading and meaning of each column."""
    return {name: {"label": ROWS[name].label, "help": ROWS[name].explained} for name in COLUMNS}
