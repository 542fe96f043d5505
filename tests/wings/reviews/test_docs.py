"""A message of reviews says what the benchmark measured."""

import json

from exam_core.wings.reviews.corrected import ONCE
from tests.test_docs import ROOT


def test_what_a_note_says_of_intervals_is_what_the_benchmark_measured():
    rows = json.loads((ROOT / "benchmarks" / "reviews-dl19.json").read_text(encoding="utf-8"))["rows"]
    twice, once = ([row for row in rows if bool(row["twice"]) == several] for several in (True, False))
    held, together = ([row[key] for row in twice] for key in ("holds", "holds_all"))
    assert (min(held) >= 0.93, max(held) <= 0.97, min(together) >= 0.9) == (True, True, True)
    shares = [row["holds"] for row in once if row["n"] == 800]
    assert f"{min(shares):.0%} to {max(shares):.0%}" in ONCE
