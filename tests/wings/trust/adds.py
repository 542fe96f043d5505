"""What trust adds to tests of the whole."""

from __future__ import annotations

from typing import Any

from exam_core.store import Store
from exam_core.wings.trust.gullibility import changes
from exam_core.wings.trust.probes import Probe, Setting, keep_probe, probes_of
from tests.wings import Record

ELSEWHERE = {
    "gullible": "wings/trust/test_gullible_command.py",
    "bench gullibility": "wings/trust/test_gullible_command.py",
    "circularity": "wings/trust/test_circularity.py",
}
READING = {
    "fidelity": ["fidelity {of} --draws 20", "fidelity {of} --pairs"],
    "votes": ["votes demo --bank open --draws 20", "votes demo --bank open --draws 20 --pairs"],
    "taste": ["taste {of} --draws 20", "taste {of} --by position --draws 20"],
}
WITHOUT_ROWS = ("votes demo --bank open --draws 20 --pairs",)
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
    "taste": ("taste", BANK | {"draws": 50}),
    "printed taste": ("taste", {}),
    "printed circularity": ("circularity", {"measures": "P@20"}),
}
REFUSED: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("fidelity", {"bank": "open", "tau": "all"}, "tau all: this analysis looks at one tau; choose 1 to 5."),
    ("fidelity", {"bank": "open", "test": "z"}, "test='z': give 't' or 'bootstrap' or 'randomisation' or 'wilcoxon'."),
    ("fidelity", {"bank": "open", "top": 1}, "top 1: choose 2 to 1000000."),
    ("votes", {"draws": 0}, "draws 0: choose 1 to 1000000."),
    ("taste", {"draws": 0}, "draws 0: choose 1 to 1000000."),
    ("votes", {"graders": "nobody"}, "There is no grading mode nobody"),
    ("circularity", {"bank": "open"}, "No run of demo that is evaluated has a tag."),
)
FIGURES = {"fidelity": {"draws": 20}, "votes": {"draws": 20}, "taste": {"draws": 20}}
WRITING = ("gullible demo --bank open --grader lexical",)


def probe(grader: str) -> Probe:
    """What a grader made of one passage, as it is and perturbed."""
    setting = Setting("genq@1", grader, {"model": "m"}, "official", 1, sample=1, seed=1)
    variants = {"plain": "as it is", "stuffed": "with words of the question"}
    grades: dict[str, tuple[int | None, ...]] = {"plain": (1,), "stuffed": (4,)}
    return Probe(setting, 1, variants, ("q1",), ("d2",), ("q1/a",), grades, {"plain": 0, "stuffed": 0})


def _grades(store: Store) -> int:
    """How many grades of perturbed passages there are, of those that figures are made of."""
    return sum(changes(one, name)[3] for one in probes_of(store, "c") for name in list(one.variants)[1:])


RECORDS = {
    "probe": Record(
        lambda store, name: keep_probe(store, "c", probe(name)),
        _grades,
        lambda store: [repr(one) for one in probes_of(store, "c")],
        lambda store: keep_probe(store, "c", probe("told")),
    )
}


def found_at_seams(_half: str, deep: bytes) -> list[tuple[str, str | bytes]]:
    """What was found once where bytes enter: lists in lists."""
    return [("probe", deep)]
