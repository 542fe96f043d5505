"""`examboard gullible` with the demo's lexical grader and a small trained T5; `bench gullibility`."""

import json

import numpy as np
import pytest
from thoroughly import thoroughly

from exam_core.grading.modes.lexical_grader import GRADER_ID
from exam_core.store import Store
from exam_core.wings.trust.probes import probes_of
from tests.cli.test_grade_commands import examboard
from tests.cli.test_grade_commands import store as store

LEXICAL = ("gullible", "demo", "--bank", "open", "--grader", GRADER_ID, "--sample", 24)


def test_the_lexical_grader_takes_the_question_for_an_answer_and_no_praise(store):
    answer = json.loads(examboard(*LEXICAL, "--format", "json"))
    rises = {row["perturbation"]: row["rises"] for row in answer["rows"]}
    # Its keys are words of the questions: a passage that repeats them all has the largest grade.
    assert rises["question"] == rises["words"] > 0.9
    assert (rises["instruction"], rises["doubled"]) == (0, 0)
    (probe,) = probes_of(Store(store), "demo")
    graded = Store(store).snapshot("demo").query("SELECT * FROM grades WHERE grader_id = ?", [GRADER_ID])
    stored = graded.set_index(["query_id", "doc_id", "question_id"])["grade"]
    items = list(zip(probe.query_id, probe.doc_id, probe.question_id, strict=True))
    assert list(probe.grades["original"]) == [int(stored[item]) for item in items]
    assert set(probe.grades["question"]) == {5}


@pytest.mark.thorough
@pytest.mark.parametrize("mode", ["self-rating", *thoroughly("qa-llm", "sun")])
def test_a_model_is_asked_once_and_never_again(store, model_folder, mode):
    bank = ["--bank", "manual"] if mode != "sun" else []
    asked = ("--grader", mode, "--model", model_folder, "--beams", 1, "--sample", 2, "--format", "json")
    first = examboard("gullible", "demo", *bank, *asked)
    planned = json.loads(examboard("gullible", "demo", *bank, *asked, "--plan"))
    row = json.loads(first)["rows"][0]
    assert planned["missing"] == planned["cached"] == 5 * (row["grades"] + row["unreadable"])
    assert (row["rises"] is None) == (row["grades"] == 0)
    assert examboard("gullible", "demo", *bank, *asked) == first
    (latest, *_) = json.loads(examboard("jobs", "--format", "json"))
    assert (latest["state"], latest["asked"], latest["command"].split()[1]) == ("done", 0, "gullible")
    assert list(Store(store).snapshot("demo").graders) == [GRADER_ID]


def test_intervals_hold_a_known_bias():
    rows = json.loads(examboard("bench", "gullibility", "--samples", 400))["rows"]
    known = [(row["rises"], row["net"]) for row in rows if row["bias"] + row["accidents"] > 0]
    # 30 settings of 400 probes: the standard error of their mean is 0.2%.
    assert all(0.94 < mean < 0.96 for mean in np.mean(known, axis=0))
    assert all(row["rises"] == row["net"] == 1 for row in rows if row["bias"] + row["accidents"] == 0)
