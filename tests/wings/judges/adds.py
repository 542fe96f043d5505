"""What judges add to tests of the whole."""

from __future__ import annotations

from typing import Any

READING = {
    "across": ["across {of} --draws 20", "across {of} --tau all --draws 20 --coefficient spearman"],
    "taste": ["taste {of} --draws 20"],
}
ELSEWHERE = {"repeats": "wings/judges/test_repeats.py", "alike": "wings/judges/test_alike.py"}
CHARTS = {"pages/judges/across.py": (1, 1, 1, 1)}
ANSWERED: dict[str, tuple[str, dict[str, Any]]] = {
    "across": ("across", {"bank": "open", "draws": 50}),
    "taste": ("taste", {"bank": "open", "draws": 50}),
    "printed taste": ("taste", {}),
    "printed repeats": ("repeats", {}),
    "printed alike": ("alike", {}),
}
REFUSED: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("across", {"others": "nobody"}, "There is no other collection nobody."),
    ("across", {"draws": 0}, "draws 0: choose 1 to 1000000."),
    ("repeats", {"bank": "open"}, "Name two or more grading modes that are repetitions"),
    ("alike", {"graders": "nobody"}, "There is no grader nobody."),
    ("taste", {"draws": 0}, "draws 0: choose 1 to 1000000."),
)
FIGURES = {"across": {"draws": 20}, "taste": {"draws": 20}}
