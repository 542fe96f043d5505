"""Question difficulty: against plain loops over the store's frames."""

import math

import numpy as np
import pytest
from scipy import stats

from exam_core.analysis.choosing import choose
from exam_core.analysis.leaderboard import leaderboard
from exam_core.errors import UndefinedMeasure, UsageError
from exam_core.request import Request
from exam_core.wings.banks.health import (
    HARD,
    KINDS,
    NEGATIVE,
    UNANSWERED,
    UNIVERSAL,
    UNREAD,
    counts_of_kinds,
    difficulty,
    questions_of_kinds,
    runs_of_question,
)
from tests.analysis.test_misfits import STRANGE, world
from tests.analysis.test_misfits import both as both
from tests.analysis.twins import Twin

ASKED = {"grader": "rater", "bank": "genq", "tau": 2}


@pytest.fixture(scope="module", params=["score", "rank"])
def seen(request, random_world):
    """A choice, its slow twin, and what is said of its questions."""
    choice = choose(random_world, Request(measure="Cover@5", order=request.param, **ASKED))
    return choice, Twin(random_world, choice), difficulty(random_world, choice)


def answering(twin, choice, query, question):
    """The runs that answer a question within five passages."""
    by_rank = choice.labelling.order == "rank"
    return [
        run
        for run in twin.runs
        if question
        in twin.answered_by(
            query, twin.up_to_rank(run, query, 5) if by_rank else twin.first(run, query)[:5], choice.tau
        )
    ]


def test_every_enabled_question_has_a_row(seen):
    _, twin, found = seen
    expected = {(unit, question) for unit in twin.units for question in twin.enabled.get(unit, ())}
    assert set(zip(found.rows["query_id"], found.rows["question_id"], strict=True)) == expected


def test_runs_are_those_that_answer_it(seen):
    choice, twin, found = seen
    for row in found.rows.itertuples():
        n = math.nan if is_unread(twin, row) else len(answering(twin, choice, row.query_id, row.question_id))
        assert (row.runs, row.runs_share) == pytest.approx((n, n / len(twin.runs)), nan_ok=True)


def is_unread(twin, row):
    """Whether a question has answers, and none that can be read."""
    grades = [grades[row.question_id] for grades in twin.grades[row.query_id].values() if row.question_id in grades]
    return bool(grades) and all(grade is None for grade in grades)


def test_passages_are_those_of_the_query_that_reach_tau(seen):
    choice, twin, found = seen
    for row in found.rows.itertuples():
        grades = [grades.get(row.question_id) for grades in twin.grades[row.query_id].values()]
        readable = [grade for grade in grades if grade is not None]
        assert (row.graded, row.passages) == (len(readable), sum(grade >= choice.tau for grade in readable))


def test_item_rest_is_the_correlation_with_cover_of_the_other_questions(seen):
    choice, twin, found = seen
    for row in found.rows.itertuples():
        yes = answering(twin, choice, row.query_id, row.question_id)
        rest = [rest_of(twin, choice, run, row.query_id, row.question_id) for run in twin.runs]
        if len(yes) in (0, len(twin.runs)) or np.ptp(rest) < 1e-9:
            assert math.isnan(row.item_rest)
        else:
            expected = stats.pointbiserialr([run in yes for run in twin.runs], rest).statistic
            assert row.item_rest == pytest.approx(expected)


def rest_of(twin, choice, run, query, question):
    """A run's Cover over all queries, one question left out."""
    shares = []
    for unit in twin.units:
        asked = twin.enabled.get(unit, set()) - ({question} if unit == query else set())
        docs = twin.up_to_rank(run, unit, 5) if choice.labelling.order == "rank" else twin.first(run, unit)[:5]
        if asked:
            shares.append(len(twin.answered_by(unit, docs, choice.tau) & asked) / len(asked))
    return math.fsum(shares) / len(shares)


def test_kendall_is_that_of_answering_with_the_official_order(seen):
    choice, twin, found = seen
    official = ["alpha", "beta", "gamma", "one query only"]
    for row in found.rows.itertuples():
        yes = answering(twin, choice, row.query_id, row.question_id)
        expected = stats.kendalltau([run in yes for run in official], [-place for place in range(4)]).statistic
        assert row.kendall == pytest.approx(expected, nan_ok=True)


def test_the_worst_questions_come_first(seen):
    rest = seen[2].rows["item_rest"].fillna(0.0).round(9)
    assert rest.is_monotonic_increasing


def test_kinds_follow_from_the_counts(seen):
    _, twin, found = seen
    for row in found.rows.itertuples():
        if is_unread(twin, row):
            assert row.kind == UNREAD
        elif row.passages == 0:
            assert row.kind == UNANSWERED
        elif row.runs == 0:
            assert row.kind == HARD
        elif row.runs == len(twin.runs):
            assert row.kind == UNIVERSAL
        elif row.item_rest < -1e-9:
            assert row.kind == NEGATIVE
        else:
            assert row.kind == ("discriminating" if row.item_rest >= found.told_from_zero else "weak")


def test_counts_of_kinds_are_those_of_the_rows_of_each_kind_alone(seen):
    rows = seen[2].rows
    counts = counts_of_kinds(rows)
    assert (sum(counts.values()), list(counts)) == (len(rows), [kind for kind in KINDS if kind in counts])
    for kind, n in counts.items():
        assert questions_of_kinds(rows, [kind])["kind"].tolist() == [kind] * n
    assert len(questions_of_kinds(rows, [])) == len(rows)


def test_queries_are_hardest_first_and_their_share_is_the_mean_cover(random_world):
    choice = choose(random_world, Request(measure="Cover@5", **ASKED))
    found, twin = difficulty(random_world, choice), Twin(random_world, choice)
    assert found.queries["runs_share"].dropna().is_monotonic_increasing
    for row in found.queries.itertuples():
        asked, unit = twin.enabled[row.query_id], row.query_id
        shares = [len(twin.answered_by(unit, twin.first(run, unit)[:5], choice.tau)) / len(asked) for run in twin.runs]
        expected = math.nan if twin.is_unreadable(unit) else math.fsum(shares) / len(shares)
        assert row.runs_share == pytest.approx(expected, nan_ok=True)
        mine = found.rows[found.rows["query_id"] == row.query_id]
        assert (row.questions, row.hard) == (len(mine), (mine["kind"] == HARD).sum())


def test_the_measure_matters_by_its_depth_only(plain_world):
    cover, precision = (
        difficulty(plain_world, choose(plain_world, Request(measure=measure, **ASKED)))
        for measure in ("Cover@5", "P@5")
    )
    assert cover.rows.equals(precision.rows)


def test_without_a_k_all_that_is_read_counts(plain_world):
    all_read = choose(plain_world, Request(measure="AP", depth=5, **ASKED))
    first = choose(plain_world, Request(measure="Cover@5", depth=5, **ASKED))
    assert difficulty(plain_world, all_read).rows.equals(difficulty(plain_world, first).rows)


def test_runs_of_a_question_are_those_that_are_counted(seen, random_world):
    choice, twin, found = seen
    for row in found.rows.itertuples():
        runs = runs_of_question(random_world, choice, row.query_id, row.question_id)
        yes = runs[runs["answered"]]
        assert sorted(yes["run_id"]) == answering(twin, choice, row.query_id, row.question_id)
        for one in yes.itertuples():
            assert twin.grades[row.query_id][one.doc_id][row.question_id] >= choice.tau
            assert one.best >= choice.tau
        assert runs.loc[~runs["answered"], ["place", "doc_id"]].isna().all(axis=None)


def test_the_place_is_that_of_the_first_passage_that_answers(plain_world):
    choice = choose(plain_world, Request(measure="Cover@5", **ASKED))
    twin = Twin(plain_world, choice)
    for row in difficulty(plain_world, choice).rows.itertuples():
        runs = runs_of_question(plain_world, choice, row.query_id, row.question_id)
        for one in runs[runs["answered"]].itertuples():
            grades = [
                twin.grades[row.query_id].get(doc, {}).get(row.question_id)
                for doc in twin.first(one.run_id, row.query_id)[:5]
            ]
            reaching = [place for place, grade in enumerate(grades, 1) if grade is not None and grade >= choice.tau]
            assert one.place == reaching[0]


def test_a_question_that_is_not_asked_is_refused(plain_world):
    choice = choose(plain_world, Request(measure="Cover@5", **ASKED))
    with pytest.raises(UsageError, match="no question nothing under query q0"):
        runs_of_question(plain_world, choice, "q0", "nothing")


def test_a_grader_of_whole_passages_is_refused(plain_world):
    with pytest.raises(UndefinedMeasure, match="labels labels whole passages"):
        difficulty(plain_world, choose(plain_world, Request(measure="P@5", grader="labels")))


def test_the_mean_over_the_questions_of_dl19_is_that_of_its_leaderboard(dl19):
    choice = choose(dl19, Request(measure="Cover@20", bank="genq", tau=4))
    mean = leaderboard(dl19, choice).rows["mean"].mean()
    found = difficulty(dl19, choice)
    # every query of DL19 has ten questions, so that the mean over questions is the mean over queries
    assert found.rows["runs_share"].mean() == pytest.approx(mean)
    assert found.rows["question_text"].notna().all()


def test_a_run_with_none_of_the_queries_makes_no_question_harder(both, tmp_path):
    asked = Request(measure="Cover@5", tau=3)
    found = difficulty(both, choose(both, asked))
    assert (found.n_runs, set(found.rows["runs_share"])) == (1, {1.0})
    strange = world(tmp_path, STRANGE)
    found = difficulty(strange, choose(strange, asked))
    assert found.notes[0] == "None of the 1 runs of world returned anything for the graded queries."
    assert runs_of_question(strange, choose(strange, asked), "1", "1/x").empty
