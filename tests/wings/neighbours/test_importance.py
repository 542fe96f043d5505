"""What the order of runs owes to which nuggets are vital, counted by hand on two runs and one query."""

import json

import numpy as np
import pytest

from exam_core.analysis.choice import Grading, LabelRule
from exam_core.store import Store
from exam_core.store.names import BankRef
from exam_core.wings.neighbours.importing import import_assignments
from exam_core.wings.neighbours.nuggets import importance_effect

LABELLING = LabelRule(Grading("nuggetizer", BankRef("nuggets", 1)))
IMPORTANCE = ["vital", "okay", "okay", "failed"]
SAID = {
    "a": ["support", "not_support", "not_support", "support"],
    "b": ["partial_support", "support", "support", "support"],
}


def made(folder, importance):
    lines = [
        {
            "qid": "q",
            "run_id": run_id,
            "answer_text": run_id,
            "nuggets": [
                {"text": f"n{place}", "importance": word, "assignment": label}
                for place, (word, label) in enumerate(zip(importance, labels, strict=True))
            ],
        }
        for run_id, labels in SAID.items()
    ]
    (folder / "assigned").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    import_assignments(Store(folder / "store"), "c", folder / "assigned")
    return Store(folder / "store").snapshot("c")


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    return made(tmp_path_factory.mktemp("importance"), IMPORTANCE)


# One vital nugget: a 1, b 1/2 (strict 0). All three vital: a 1/3, b 2.5/3 (strict 2/3). Exchanged: a 0, b 1.
BOARDS = {
    False: {"vital_score": [1, 0.5], "all_vital": [1 / 3, 2.5 / 3], "flipped": [0, 1]},
    True: {"vital_score": [1, 0], "all_vital": [1 / 3, 2 / 3], "flipped": [0, 1]},
}


@pytest.mark.parametrize("strict", BOARDS)
def test_boards_under_other_labels_are_those_counted_by_hand(snapshot, strict):
    found = importance_effect(snapshot, LABELLING, strict=strict, draws=20)
    assert found.rows["run_id"].tolist() == ["a", "b"]
    for name, expected in BOARDS[strict].items():
        assert found.rows[name].tolist() == pytest.approx(expected, abs=1e-15), name
    assert found.variants["kendall"].tolist()[:2] == [-1, -1]


def test_a_shuffle_makes_each_nugget_vital_as_often(snapshot):
    # a leads where its own nugget is the vital one, in a third of the shuffles: 1,000 of 3,000, give or take 4 sigma.
    found = importance_effect(snapshot, LABELLING, draws=3000)
    first = found.rows.set_index("run_id")["first"]
    assert first["a"] * 3000 == pytest.approx(1000, abs=4 * np.sqrt(3000 * 2 / 9))
    assert first.sum() == pytest.approx(1)
    assert found.variants["kendall"].iloc[2] == pytest.approx(2 * first["a"] - 1)


def test_without_okay_nuggets_there_is_nothing_to_shuffle(tmp_path):
    found = importance_effect(made(tmp_path, ["vital"] * 4), LABELLING, draws=5)
    assert found.notes == ["The bank has no okay nugget, so there is nothing to exchange or to shuffle."]
