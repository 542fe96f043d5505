"""Displacement of tagged runs in sentences."""

from __future__ import annotations

import math
from typing import Any

from exam_core.analysis.displacement.outliers import ALL
from exam_core.wings.trust.analysis.circularity import Circularity


def circularity_sentences(found: Circularity) -> list[str]:
    """What each tag's runs show by scores: all methods together where they share a measure, else how many do."""
    sentences = []
    for tag in found.tags:
        mine = found.rows[found.rows["tag"] == tag]
        together, each = mine[mine["method"] == ALL], mine[mine["method"] != ALL]
        if len(together) and math.isnan(together["score_displacement"].iloc[0]):
            up, down = int((each["score_low"] > 0).sum()), int((each["score_high"] < 0).sum())
            sentences.append(
                f"{_who(together.iloc[0].to_dict())}: promoted by {up} and demoted by {down} of {len(each)} methods, "
                "by the intervals of their scores."
            )
        else:
            sentences.append(_sentence((together if len(together) else each).iloc[0].to_dict(), found.reference))
    return sentences


def _sentence(row: dict[str, Any], reference: str) -> str:
    moved, low, high = (row[f"score_{name}"] for name in ("displacement", "low", "high"))
    by = "all methods together" if row["method"] == ALL else row["method"]
    if math.isnan(moved):
        return f"{_who(row)}: the displacement by {by} is undefined."
    size = f"{_who(row)}: {moved:+.3f} in score against {reference}, by {by}"
    if math.isnan(low):
        return f"{size}; no interval."
    verdict = "promoted" if low > 0 else "demoted" if high < 0 else "not significantly displaced"
    return f"{size}, 95% interval {low:+.3f} to {high:+.3f}: {verdict}."


def _who(row: dict[str, Any]) -> str:
    return f"{row['tag']} ({row['n_tagged']} of {row['n_tagged'] + row['n_others']} runs)"
