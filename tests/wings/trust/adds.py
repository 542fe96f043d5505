"""What trust adds to tests of the whole."""

from __future__ import annotations

from typing import Any

READING = {"fidelity": ["fidelity {of} --draws 20", "fidelity {of} --pairs"]}
GUESSING = ("fidelity small --measure P@1",)
BY_JUDGMENTS = ("fidelity mine",)
BANK = {"bank": "open"}
ANSWERED: dict[str, tuple[str, dict[str, Any]]] = {
    "fidelity": ("fidelity", BANK | {"measure": "P@20", "tau": 3, "draws": 50, "top": 5}),
    "fidelity by drawn signs": ("fidelity", BANK | {"reference": "qrels:AP", "test": "randomisation", "draws": 50}),
    "printed fidelity": ("fidelity", {}),
}
REFUSED: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("fidelity", {"bank": "open", "tau": "all"}, "tau='all': fidelity looks at one tau; choose 1 to 5."),
    ("fidelity", {"bank": "open", "test": "z"}, "test='z': give 't' or 'bootstrap' or 'randomisation'."),
    ("fidelity", {"bank": "open", "top": 1}, "top 1: choose 2 to 1000000."),
)
FIGURES = {"fidelity": {"draws": 20}}
