"""What explanations add to tests of the whole."""

from typing import Any

READING = {"outliers": ["outliers {of} --draws 20", "outliers {of} --draws 20 --run {run}"]}
REFUSED_LINES = {
    "outliers demo --bank open --top 0": (2, "--top 0: choose 1 to"),
    "outliers demo --bank open --run bm52": (2, "There is no run bm52. There are: bm25"),
    "outliers car-y3-published --run nobody": (2, "ranks no run nobody"),
}
ANSWERED: dict[str, tuple[str, dict[str, Any]]] = {
    "a run explained": ("outliers", {"bank": "open", "run": "any-word", "draws": 20, "top": 2})
}
