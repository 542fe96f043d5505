"""Where a grader's scale ends, and who says so."""

import pytest

from exam_core.formats import Reading
from exam_core.store import Store
from exam_core.store.scales import Scale, scale
from exam_core.tables import GRADES, JUDGMENTS
from tests.analysis.worlds import table

FILE = {"kind": "labels", "scale": 9}
"""A label file; what it says of its scale is the largest label, or what an earlier version made of it."""
RATED = {"kind": "direct", "rated": True}
"""Labels of a graded file."""
USED = {0: 50, 1: 30, 2: 20, 3: 10}
"""Labels as graders give them who use all of 0 to 3."""


def store(folder, labels, judged=None, about=FILE, **described):
    """A snapshot of graders whose labels were given so often, beside such judgments."""
    rows = [
        (grader, None, "q", f"d{value}.{number}", value)
        for grader, counts in labels.items()
        for value, count in counts.items()
        for number in range(count)
    ]
    frames = {"grades": table(GRADES, rows)}
    for name, counts in (judged or {}).items():
        said = [(name, "q", f"d{v}.{n}", v) for v, count in counts.items() for n in range(count)]
        frames.setdefault("judgments", table(JUDGMENTS, said))
    graders = dict.fromkeys(labels, about) | described
    held = Store(folder)
    held.commit("c", Reading(frames, graders), source="s")
    return held.snapshot("c")


@pytest.mark.parametrize(
    ("labels", "judged", "found"),
    [
        pytest.param(USED, {}, (3, "labels", 0), id="what is common"),
        pytest.param(USED | {10: 1}, {}, (3, "labels", 1), id="one slip"),
        pytest.param({0: 2000, 1: 2000, 2: 398, 3: 25}, {}, (2, "labels", 25), id="less than a hundredth"),
        pytest.param(USED | {10: 1}, USED, (3, "judgments", 1), id="one slip beside judgments"),
        pytest.param(USED | {5: 1, -1: 1}, USED | {9: 1}, (3, "judgments", 2), id="slips on both sides"),
        pytest.param({0: 50, 1: 30, 2: 20}, USED, (3, "judgments", 0), id="the last label is never used"),
        pytest.param({0: 50, 1: 30}, USED, (1, "labels", 0), id="labels 0 and 1"),
        pytest.param({0: 50, 1: 30, 2: 20}, USED | {4: 10}, (2, "labels", 0), id="a default tau that none reaches"),
        pytest.param(USED | {4: 9, 5: 8}, USED, (5, "labels", 0), id="beyond the judgments"),
        pytest.param({0: 1, 3: 1}, {}, (3, "labels", 0), id="too few to tell a slip"),
        pytest.param({0: 4}, {}, (1, "labels", 0), id="nothing but 0"),
        pytest.param({-2: 4}, USED, (1, "labels", 4), id="nothing but what is below 0"),
    ],
)
def test_a_scale_that_nobody_declares_is_that_of_the_judgments_or_of_common_labels(tmp_path, labels, judged, found):
    snapshot = store(tmp_path, {"g": labels}, {"official": judged} if judged else None)
    mine = scale(snapshot, "g")
    assert (mine, mine.outside) == (Scale("g", *found[:2], labels), found[2])


def test_a_grader_that_never_uses_its_last_label_has_the_scale_of_another_one_that_does(tmp_path):
    snapshot = store(tmp_path, {"mild": {0: 50, 1: 30, 2: 20}, "g": USED, "rated": USED | {5: 20}, "yes": {0: 9, 1: 9}})
    assert [scale(snapshot, name).largest for name in ("mild", "g", "rated", "yes")] == [3, 3, 5, 1]


@pytest.mark.parametrize(
    ("grader", "about", "found"),
    [
        ("mine", {"kind": "labels", "scale": 4, "scale_from": "declared"}, (4, "declared")),
        ("Thomas", {"kind": "labels", "scale": 2}, (2, "declared")),
        ("Thomas", {"kind": "labels", "scale": 3, "scale_from": "declared"}, (3, "declared")),
        ("graded here", RATED | {"scale": 2, "mode": "Thomas"}, (2, "declared")),
        ("file", RATED | {"scale": 2, "prompt_info": {"prompt_class": "Thomas"}}, (2, "declared")),
        ("file", RATED | {"scale": 5, "prompt_info": {"prompt_class": "Mine"}}, (3, "labels")),
        ("file", {"kind": "direct", "scale": 1, "rated": False}, (1, "declared")),
        ("unknown", {}, (3, "labels")),
        ("odd", {"kind": "labels", "scale": "three", "scale_from": "declared"}, (3, "labels")),
    ],
)
def test_a_declared_scale_counts_whatever_the_labels_are(tmp_path, grader, about, found):
    snapshot = store(tmp_path, {grader: USED}, about=about)
    assert (scale(snapshot, grader).largest, scale(snapshot, grader).source) == found
