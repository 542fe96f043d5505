"""Nugget scores where importances differ: by hand, as the slow twin has them, and as they were released."""

import gzip
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exam_core.actions.importing import import_bank
from exam_core.analysis.choice import Grading, LabelRule
from exam_core.analysis.values import gradebook
from exam_core.measures import MEASURES, OF_GRADES, Measure
from exam_core.measures.gradebook import Counting
from exam_core.measures.sweep import sweep
from exam_core.store import Store
from exam_core.store.names import BankRef
from exam_core.tables import AVOID, OKAY, OTHER, VITAL
from exam_core.wings.neighbours.importing import import_assignments, import_responses
from tests.measures.books import book_of, random_book
from tests.measures.slow import slow_values

SCORES = {
    "NuggetVitalStrict": "strict_vital_score",
    "NuggetVital": "vital_score",
    "NuggetWeightedStrict": "strict_weighted_score",
    "NuggetWeighted": "weighted_score",
    "NuggetAllStrict": "strict_all_score",
    "NuggetAll": "all_score",
}


def values(book, name):
    return sweep(book, [Measure(name)], taus=(1,))[0, 0].tolist()


# One query with two vital nuggets, an okay one, one of another word, and one to avoid. The first run supports the
# first vital and the avoided one and has the others in part; the second supports all but the vital ones.
IMPORTANCE = [[VITAL, VITAL, OKAY, OTHER, AVOID]]
BY_HAND = {
    "NuggetVitalStrict": (1 / 2, 0),
    "NuggetVital": (1.5 / 2, 0),
    "NuggetWeightedStrict": (1 / 2.5, 0.5 / 2.5),
    "NuggetWeighted": (1.75 / 2.5, 0.5 / 2.5),
    "NuggetAllStrict": (1 / 4, 2 / 4),
    "NuggetAll": (2.5 / 4, 2 / 4),
}


@pytest.mark.parametrize(("name", "expected"), BY_HAND.items(), ids=BY_HAND)
def test_importances_count_as_they_say(name, expected):
    book = book_of([[2, 1, 1, 1, 2], [0, 0, 2, 2, 2]], [0, 0], [[1] * 5], [[[0]], [[1]]], importance=IMPORTANCE)
    assert values(book, name) == [[expected[0]], [expected[1]]]


@pytest.mark.parametrize(("name", "expected"), BY_HAND.items(), ids=BY_HAND)
def test_everything_graded_together_has_the_best_grade_of_each_nugget(name, expected):
    # The same grades, each on a passage of its own, and no run that ranks them.
    grades = [[2, 0, 0, 0, 2], [0, 1, 1, 1, 0]]
    book = book_of(grades, [0, 0], [[1] * 5], [[[]]], importance=IMPORTANCE)
    overall = MEASURES[name].overall
    assert overall is not None
    assert overall(book, tau=4).tolist() == [expected[0]]


def test_a_query_without_a_vital_nugget_has_no_vital_score():
    book = book_of([[2], [2]], [0, 1], [[1], [1]], [[[0], [1]]], importance=[[OKAY], [VITAL]])
    np.testing.assert_array_equal(values(book, "NuggetVital"), [[np.nan, 1]])
    assert values(book, "NuggetWeighted") == [[1, 1]]


@given(seed=st.integers(0, 2**32), width=st.sampled_from([1, 3, 11, 66]), depth=st.sampled_from([1, 3, 20]))
def test_values_of_any_importances_are_those_of_the_slow_twin(seed, width, depth):
    rng = np.random.default_rng(seed)
    book = random_book(rng, queries=3, width=width, places=4, passages=5)
    importance = rng.choice([VITAL, OKAY, OTHER, AVOID], book.enabled.shape)
    book = book_of(book.grades, book.pair_query, book.enabled, book.slots.transpose(1, 2, 0), importance=importance)
    measures = [Measure.at(name, depth) for name in SCORES]
    fast = sweep(book, measures, taus=(1,))
    np.testing.assert_allclose(fast, slow_values(book, measures, taus=(1,)), rtol=0, atol=1e-15)


@given(seed=st.integers(0, 2**32), width=st.sampled_from([3, 11, 66]), depth=st.sampled_from([1, 3, 20]))
def test_questions_to_avoid_count_in_rubrics_alone(seed, width, depth):
    rng = np.random.default_rng(seed)
    book = random_book(rng, queries=3, width=width, places=4, passages=5)
    importance = rng.choice([VITAL, AVOID], book.enabled.shape)
    arguments = (book.grades, book.pair_query), (book.slots.transpose(1, 2, 0),)
    avoiding, without = (
        book_of(*arguments[0], on, *arguments[1], weights=book.weights, importance=importance)
        for on in (book.enabled, book.enabled & (importance != AVOID))
    )
    rubric = [Measure.at("Rubric", depth)]
    np.testing.assert_allclose(
        sweep(avoiding, rubric, taus=(1, 4)), slow_values(avoiding, rubric, taus=(1, 4)), rtol=0, atol=1e-12
    )
    others = [Measure.at(name, depth) for name in OF_GRADES if name != "Rubric"]
    np.testing.assert_array_equal(sweep(avoiding, others, taus=(1, 4)), sweep(without, others, taus=(1, 4)))


def test_a_rubric_score_is_that_of_healthbench():
    # Criteria of 7, 5, 10 and -6 points, of which all but the second are met: (7 + 10 - 6) / (7 + 5 + 10). A run that
    # does nothing but what is to be avoided: -6 / 22.
    options = {"weights": [[7, 5, 10, 6]], "importance": [[VITAL, VITAL, OKAY, AVOID]]}
    book = book_of([[1, 0, 1, 1], [0, 0, 0, 1]], [0, 0], [[1] * 4], [[[0]], [[1]]], **options)
    assert values(book, "Rubric") == [[11 / 22], [-6 / 22]]
    assert values(book.without(["q0/3"]), "Rubric") == [[17 / 22], [0]]
    assert values(book.only(["q0/0", "q0/3"]), "Rubric") == [[1 / 7], [-6 / 7]]
    changed = [Counting("q0", "q0/3", enabled=True, weight=6, importance=VITAL)]
    assert values(book.counting(changed), "Rubric") == [[23 / 28], [6 / 28]]


def test_scores_are_the_released_ones_and_those_of_each_file_alone(tmp_path, shared_data):
    """By docs/how-to/work-with-nuggets.md, with two more systems, whose files lack nuggets here and there."""
    folder, store = shared_data / "data/rag24_nuggets", Store(tmp_path / "store")
    import_bank(store, "rag24", folder / "nuggets.jsonl.gz", bank="nuggets")
    import_assignments(store, "rag24", folder / "assignments_gpt-4o.jsonl.gz")
    with gzip.open(folder / "assignments_gpt-4o.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    rng, expected = np.random.default_rng(1), {}
    for system in ("b", "c"):
        for row in rows[:: 5 if system == "b" else 7]:
            kept = [one for one in row["nuggets"] if rng.random() < 0.9]
            labels = rng.choice(["support", "partial_support", "not_support", "failed"], len(kept)).tolist()
            nuggets = [one | {"assignment": label} for one, label in zip(kept, labels, strict=True)]
            expected[system, row["qid"]] = released(nuggets)
            with (tmp_path / system).open("a") as file:
                file.write(json.dumps(row | {"run_id": system, "nuggets": nuggets}) + "\n")
        import_assignments(store, "rag24", tmp_path / system)
    import_responses(store, "rag24", folder / "answers_gpt-4o.jsonl.gz", parts="whole")
    for line in map(json.loads, (folder / "expected_metrics_gpt-4o.jsonl").read_text().splitlines()):
        expected[rows[0]["run_id"], line["qid"]] = [line[key] for key in SCORES.values()]
    book = gradebook(store.snapshot("rag24"), LabelRule(Grading("nuggetizer", BankRef("nuggets", 1))))
    found = sweep(book, [Measure(name) for name in SCORES], taus=(1,))[:, 0]
    ours = {
        (run, query): found[:, r, q].tolist()
        for r, run in enumerate(book.run_ids)
        for q, query in enumerate(book.query_ids)
    }
    means = expected.pop((rows[0]["run_id"], "all"))
    assert len(expected) > 301 + 90
    assert {key: ours[key] for key in expected} == expected
    own = found[:, book.run_ids.index(rows[0]["run_id"])]
    np.testing.assert_allclose(own.mean(axis=1), means, rtol=0, atol=1e-12)


def released(nuggets):
    """The six scores of a line of assignments, as AutoNuggetizer's code counts them."""
    found = []
    for name in SCORES.values():
        worth = {"vital": 1.0, "okay": {"vital": 0.0, "weighted": 0.5, "all": 1.0}[name.split("_")[-2]]}
        other = 1.0 if "all" in name else 0.0
        partial = 0.0 if name.startswith("strict") else 0.5
        weights = [worth.get(one["importance"], other) for one in nuggets]
        gained = [{"support": 1.0, "partial_support": partial}.get(one["assignment"], 0.0) for one in nuggets]
        found.append(sum(w * g for w, g in zip(weights, gained, strict=True)) / sum(weights))
    return found
