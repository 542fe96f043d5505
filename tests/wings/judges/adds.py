"""What judges add to tests of the whole."""

from __future__ import annotations

from typing import Any

READING = {"across": ["across {of} --draws 20", "across {of} --tau all --draws 20 --coefficient spearman"]}
ELSEWHERE = {"repeats": "wings/judges/test_repeats.py", "alike": "wings/judges/test_alike.py"}
CHARTS = {"pages/judges/across.py": (1, 1, 1, 1)}
ANSWERED: dict[str, tuple[str, dict[str, Any]]] = {
    "across": ("across", {"bank": "open", "draws": 50}),
    "printed repeats": ("repeats", {}),
    "printed alike": ("alike", {}),
}
REFUSED: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("across", {"others": "nobody"}, "There is no other collection nobody."),
    ("across", {"draws": 0}, "draws 0: choose 1 to 1000000."),
    ("repeats", {"bank": "open"}, "Name two or more grading modes that are repetitions"),
    ("alike", {"graders": "nobody"}, "There is no grader nobody."),
)
FIGURES = {"across": {"draws": 20}}
APART = {
    "Repetitions": "a slide of grades that were given twice: tests/wings/judges/test_repeats.py",
    "Between modes": "a slide of several modes: tests/wings/judges/test_alike.py",
}
