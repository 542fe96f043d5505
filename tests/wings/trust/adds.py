"""What trust adds to tests of the whole."""

from __future__ import annotations

from typing import Any

ELSEWHERE = {
    "circularity": "wings/trust/cli/test_circularity.py",
    "votes": "wings/trust/cli/test_votes.py",
}
READING = {"fidelity": ["fidelity {of} --draws 20", "fidelity {of} --pairs"]}
GUESSING = ("fidelity small --measure P@1", "votes small --draws 5")
OF_A_MODE = ("fidelity world --measure P@5 --grader {}",)
BY_JUDGMENTS = ("fidelity mine",)
BANK = {"bank": "open"}
ANSWERED: dict[str, tuple[str, dict[str, Any]]] = {
    "fidelity": ("fidelity", BANK | {"measure": "P@20", "tau": 3, "draws": 50, "top": 5}),
    "fidelity by drawn signs": ("fidelity", BANK | {"reference": "qrels:AP", "test": "randomisation", "draws": 50}),
    "printed fidelity": ("fidelity", {}),
    "votes": ("votes", BANK | {"relevant_from": 1, "draws": 50}),
    "printed votes": ("votes", {}),
    "printed circularity": ("circularity", {"measures": "P@20"}),
}
REFUSED: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("fidelity", {"bank": "open", "tau": "all"}, "tau='all': fidelity looks at one tau; choose 1 to 5."),
    ("fidelity", {"bank": "open", "test": "z"}, "test='z': give 't' or 'bootstrap' or 'randomisation'."),
    ("fidelity", {"bank": "open", "top": 1}, "top 1: choose 2 to 1000000."),
    ("votes", {"draws": 0}, "draws 0: choose 1 to 1000000."),
    ("votes", {"graders": "nobody"}, "There is no grading mode nobody"),
    ("circularity", {"bank": "open"}, "No run of demo that is evaluated has a tag."),
)
FIGURES = {"fidelity": {"draws": 20}, "votes": {"draws": 20}}
