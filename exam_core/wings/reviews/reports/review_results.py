"""What reviews say as JSON, and beside a leaderboard."""

from __future__ import annotations

from typing import Any

import pandas as pd

from exam_core.reports.json_objects import listed
from exam_core.results import attributes
from exam_core.wings.reviews.analysis.agreement import ReviewAgreement
from exam_core.wings.reviews.analysis.corrected import Corrected

CORRECTED = ("corrected", "corrected_low", "corrected_high", "all_low", "all_high", "shrunk", "corrected_rank")


def with_corrected(rows: pd.DataFrame, found: Corrected) -> pd.DataFrame:
    """A leaderboard's rows with what humans would have found beside them."""
    beside = found.rows.rename(columns={"rank": "corrected_rank"})[["run_id", *CORRECTED]]
    return rows.merge(beside, on="run_id", how="left", validate="one_to_one")


def corrected_answer(answer: dict[str, Any], found: Corrected) -> dict[str, Any]:
    """A leaderboard's JSON object with what humans would have found in its rows, and of which reviews."""
    notes = [*answer["notes"], *found.notes]
    return answer | {"rows": with_corrected(answer["rows"], found), "reviews": found.as_object(), "notes": notes}


def corrected_lines(found: Corrected) -> list[str]:
    """What stands under a leaderboard that reviews correct."""
    told = "by the reviews' best guess" if found.settled else "the grader's"
    return [
        f"As humans would grade: {found.n:,} passages reviewed by {found.reviewers:,} "
        f"{'people' if found.reviewers > 1 else 'person'} ({found.design}). The grader is off by {-found.level:+.3f} "
        f"on average; half-width of the intervals {found.half_width:.3f}, of all runs at once "
        f"{found.half_width_all:.3f}. The order is {told}.",
        *found.notes,
    ]


def review_agreement_answer(
    found: ReviewAgreement, *, collection: str, per_query: bool = False, per_question: bool = False
) -> dict[str, Any]:
    """Agreement of reviews as one JSON object; with `per_query` and `per_question`, these rows too."""
    asked = ("bank", "grader", "judgments", "tau", "relevant_from", "label_rank", "label_map", "epsilon")
    answer = {"collection": collection} | attributes(found, *asked, "reviewers", "n", "rows", "confusion", "anchoring")
    answer |= {"replacing": {"tests": found.tests, "rows": found.replacing}, "notes": found.notes}
    return answer | listed(found, per_query=per_query, per_question=per_question)
