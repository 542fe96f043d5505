"""Half of a bank hidden: by hand on a planted collection, and against two boards of the halves."""

import math

import numpy as np
import pytest
from scipy import stats

from exam_core.analysis.choice import QuestionChoice
from exam_core.analysis.choosing import choose
from exam_core.analysis.uncertainty import shuffled_places
from exam_core.analysis.values import counted_values, gradebook
from exam_core.errors import UsageError
from exam_core.request import Request
from exam_core.wings.banks.effect import hidden
from tests.analysis.planted import QUERIES, RUNS

FIRST = [f"{query}/{at}" for query in QUERIES for at in range(5)]
"""The first five of the ten questions of every query."""


@pytest.fixture(scope="module")
def choice(planted_world):
    return choose(planted_world, Request(bank="bank", tau=3))


def test_a_run_gains_what_it_scores_on_the_public_half_beyond_the_hidden_one(planted_world, choice):
    found = hidden(planted_world, choice, halves=20, public=FIRST).rows.set_index("run_id")
    for number, run in enumerate(RUNS):
        # run r answers the first r + 1 questions of every query
        public, others = min(number + 1, 5) / 5, max(number - 4, 0) / 5
        assert found.loc[run, ["public", "hidden", "gain"]].tolist() == pytest.approx([public, others, public - others])


def test_runs_that_answer_public_questions_alone_gain_more_than_chance(planted_world, choice):
    found = hidden(planted_world, choice, halves=199, public=FIRST, saw=[RUNS[4]])
    row = found.rows.iloc[0]
    assert (row["run_id"], row["gain"], row["saw"]) == (RUNS[4], 1, True)
    # no random half of 120 questions has all 60 that it answers
    assert row["p"] == 1 / 200
    others = [min(number + 1, 5) / 5 - max(number - 4, 0) / 5 for number in range(8) if number != 4]
    assert found.advantage.value == pytest.approx(1 - sum(others) / 7)
    assert found.advantage.p == 1 / 200
    assert found.advantage.interval[0] < 0 < found.advantage.interval[1] < found.advantage.value
    assert (found.public, found.n_queries, found.saw) == (60, 12, [RUNS[4]])


@pytest.mark.parametrize("missing", ["zero", "skip"])
def test_halves_are_two_boards_over_the_queries_that_have_both(random_world, missing):
    choice = choose(random_world, Request(measure="P@5", grader="rater", bank="genq", tau=2, missing=missing))
    names = sorted({name for names in gradebook(random_world, choice.labelling).question_ids for name in names})
    public = names[::2]
    found = hidden(random_world, choice, halves=3, public=public).rows.set_index("run_id")
    one, other = (
        board(random_world, choice.labelled(asking=asking))
        for asking in (QuestionChoice(only=frozenset(public)), QuestionChoice(drop=frozenset(public)))
    )
    shared = set(one) & set(other)
    for run, row in found.iterrows():
        mine = [query for name, query in shared if name == run]
        expected = [np.mean([side[run, query] for query in mine]) if mine else math.nan for side in (one, other)]
        assert row[["public", "hidden"]].tolist() == pytest.approx(expected, nan_ok=True)


def board(snapshot, choice):
    """Values by run and query; a query that does not count for a run is left out."""
    values = counted_values(snapshot, choice)
    return {
        (run, query): values.values[row, column]
        for row, run in enumerate(values.run_ids)
        for column, query in enumerate(values.query_ids)
        if not math.isnan(values.values[row, column])
    }


def test_random_halves_are_drawn_within_each_query_and_averaged(planted_world, choice):
    found = hidden(planted_world, choice, halves=7, seed=3)
    rng, book = np.random.default_rng(3), gradebook(planted_world, choice.labelling)
    gains, taus = {run: [] for run in RUNS}, []
    for _ in range(7):
        places = shuffled_places(book.enabled, rng)
        sides = []
        for picked in (places < 5, places >= 5):
            answered = {
                run: [
                    sum(picked[q, book.question_ids[q].index(f"{query}/{at}")] for at in range(number + 1)) / 5
                    for q, query in enumerate(book.query_ids)
                ]
                for number, run in enumerate(RUNS)
            }
            sides.append({run: np.mean(values) for run, values in answered.items()})
        for run in RUNS:
            gains[run].append(sides[0][run] - sides[1][run])
        taus.append(stats.kendalltau(*([side[run] for run in RUNS] for side in sides)).statistic)
    rows = found.rows.set_index("run_id")
    for run in RUNS:
        low, high = np.percentile(gains[run], [2.5, 97.5])
        assert rows.loc[run, "gain"] == pytest.approx(np.mean(gains[run]))
        assert rows.loc[run, "gain_interval"] == pytest.approx((low, high))
        assert math.isnan(rows.loc[run, "p"])
    assert found.kendall.value == pytest.approx(np.mean(taus))


def test_the_same_seed_gives_the_same_answer_and_another_seed_another(planted_world, choice):
    one, same, other = (hidden(planted_world, choice, halves=5, seed=seed).rows for seed in (1, 1, 2))
    assert one.equals(same)
    assert not one["gain"].equals(other["gain"])


def test_the_largest_gain_comes_first(planted_world, choice):
    assert hidden(planted_world, choice, halves=2, public=FIRST).rows["gain"].round(9).is_monotonic_decreasing


def test_it_is_said_that_random_halves_show_chance_alone(planted_world, choice):
    assert "show no gain on average" in hidden(planted_world, choice, halves=2).notes[0]
    assert "easier" in hidden(planted_world, choice, halves=2, public=FIRST).notes[0]


def test_queries_that_have_no_two_halves_are_left_out_and_counted(planted_world, choice):
    found = hidden(planted_world, choice, halves=2, public=FIRST[:5])
    assert (found.n_queries, found.public) == (1, 5)
    assert found.notes[0] == "11 queries without a question in each half: left out."


REFUSED = {
    "an unknown run": ({"saw": ["nobody"]}, "--saw nobody: there is no such run"),
    "all runs": ({"saw": RUNS}, "none to compare with"),
    "an unknown question": ({"public": ["x"]}, "Not among the bank's questions: x"),
    "no question": ({"public": []}, "No query has a question in each half"),
    "all questions": ({"public": [f"{q}/{at}" for q in QUERIES for at in range(10)]}, "No query has a question"),
    "no draw": ({"halves": 0}, "--hidden 0"),
    "too many draws": ({"halves": 10_001}, "--hidden 10001"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_compared_is_refused(planted_world, choice, case):
    asked, words = REFUSED[case]
    with pytest.raises(UsageError, match=words):
        hidden(planted_world, choice, **({"halves": 2} | asked))
