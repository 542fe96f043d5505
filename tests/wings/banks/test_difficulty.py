"""Question difficulty, against plain loops over the store's frames, and the health of a bank."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from exam_core.analysis.choosing import choose
from exam_core.analysis.leaderboard import leaderboard
from exam_core.errors import UndefinedMeasure, UsageError
from exam_core.formats import Reading
from exam_core.request import Request
from exam_core.store import Store
from exam_core.store.names import BankRef
from exam_core.tables import GRADES, JUDGMENTS, QUESTIONS, RANKINGS
from exam_core.wings.banks.health import (
    HARD,
    KINDS,
    NEGATIVE,
    UNANSWERED,
    UNIVERSAL,
    UNREAD,
    counts_of_kinds,
    difficulty,
    health,
    health_of_words,
    item_rest_correlations,
    questions_of_kinds,
    runs_of_question,
    smallest_correlation,
    unevenness,
    ungraded_bank,
)
from tests.analysis.test_misfits import STRANGE, world
from tests.analysis.test_misfits import both as both
from tests.analysis.twins import Twin
from tests.analysis.worlds import table

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


def test_every_enabled_question_has_a_row_with_its_runs_and_passages(seen):
    _, twin, found = seen
    expected = {(unit, question) for unit in twin.units for question in twin.enabled.get(unit, ())}
    assert set(zip(found.rows["query_id"], found.rows["question_id"], strict=True)) == expected
    choice, twin, found = seen
    for row in found.rows.itertuples():
        n = math.nan if is_unread(twin, row) else len(answering(twin, choice, row.query_id, row.question_id))
        assert (row.runs, row.runs_share) == pytest.approx((n, n / len(twin.runs)), nan_ok=True)
    choice, twin, found = seen
    for row in found.rows.itertuples():
        grades = [grades.get(row.question_id) for grades in twin.grades[row.query_id].values()]
        readable = [grade for grade in grades if grade is not None]
        assert (row.graded, row.passages) == (len(readable), sum(grade >= choice.tau for grade in readable))


def is_unread(twin, row):
    """Whether a question has answers, and none that can be read."""
    grades = [grades[row.question_id] for grades in twin.grades[row.query_id].values() if row.question_id in grades]
    return bool(grades) and all(grade is None for grade in grades)


def test_item_rest_and_kendall_are_those_of_answering_and_the_worst_come_first(seen):
    choice, twin, found = seen
    for row in found.rows.itertuples():
        yes = answering(twin, choice, row.query_id, row.question_id)
        rest = [rest_of(twin, choice, run, row.query_id, row.question_id) for run in twin.runs]
        if len(yes) in (0, len(twin.runs)) or np.ptp(rest) < 1e-9:
            assert math.isnan(row.item_rest)
        else:
            expected = stats.pointbiserialr([run in yes for run in twin.runs], rest).statistic
            assert row.item_rest == pytest.approx(expected)
    choice, twin, found = seen
    official = ["alpha", "beta", "gamma", "one query only"]
    for row in found.rows.itertuples():
        yes = answering(twin, choice, row.query_id, row.question_id)
        expected = stats.kendalltau([run in yes for run in official], [-place for place in range(4)]).statistic
        assert row.kendall == pytest.approx(expected, nan_ok=True)
    rest = seen[2].rows["item_rest"].fillna(0.0).round(9)
    assert rest.is_monotonic_increasing


def rest_of(twin, choice, run, query, question):
    """A run's Cover over all queries, one question left out."""
    shares = []
    for unit in twin.units:
        asked = twin.enabled.get(unit, set()) - ({question} if unit == query else set())
        docs = twin.up_to_rank(run, unit, 5) if choice.labelling.order == "rank" else twin.first(run, unit)[:5]
        if asked:
            shares.append(len(twin.answered_by(unit, docs, choice.tau) & asked) / len(asked))
    return math.fsum(shares) / len(shares)


def test_kinds_follow_from_the_counts_and_are_counted(seen):
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


def test_what_is_not_asked_and_a_grader_of_whole_passages_are_refused(plain_world):
    choice = choose(plain_world, Request(measure="Cover@5", **ASKED))
    with pytest.raises(UsageError, match="no question nothing under query q0"):
        runs_of_question(plain_world, choice, "q0", "nothing")
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


def slow(answered, enabled):
    """Item-rest correlations by plain loops: (Q, S)."""
    width, runs, queries = answered.shape
    found = np.full((queries, width), math.nan)
    for query in range(queries):
        for column in range(width):
            if enabled[query, column]:
                item = [float(answered[column, run, query]) for run in range(runs)]
                rest = [cover(answered, enabled, run, (query, column)) for run in range(runs)]
                if len(set(item)) > 1 and not any(map(math.isnan, rest)) and np.ptp(rest) > 1e-9:
                    found[query, column] = stats.pointbiserialr(item, rest).statistic
    return found


def cover(answered, enabled, run, left_out):
    """Mean over queries of the share of their questions that a run answers, one question left out."""
    shares = []
    for query in range(enabled.shape[0]):
        asked = [column for column in np.flatnonzero(enabled[query]) if (query, column) != left_out]
        if asked:
            shares.append(sum(bool(answered[column, run, query]) for column in asked) / len(asked))
    return math.fsum(shares) / len(shares) if shares else math.nan


def test_a_question_is_correlated_with_the_others_by_hand():
    # One query, three questions (rows), three runs (columns).
    answered = np.array([[1, 1, 0], [1, 0, 0], [0, 0, 1]], bool)[:, :, None]
    found = item_rest_correlations(answered, np.ones((1, 3), bool))
    # first: (1, 1, 0) with shares of the others (1/2, 0, 1/2): r = -0.5
    # second: (1, 0, 0) with (1/2, 1/2, 1/2): constant
    # third: (0, 0, 1) with (1, 1/2, 0): r = -sqrt(3) / 2
    assert found[0] == pytest.approx([-0.5, math.nan, -math.sqrt(3) / 2], nan_ok=True)


@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(1, 5), st.integers(0, 6))
def test_correlations_equal_those_of_scores_added_up_one_by_one(seed, queries, width, runs):
    rng = np.random.default_rng(seed)
    enabled = rng.random((queries, width)) < 0.8
    answered = rng.random((width, runs, queries)) < 0.5
    expected = slow(answered, enabled)
    assert item_rest_correlations(answered, enabled) == pytest.approx(expected, nan_ok=True, abs=1e-9)


@pytest.mark.parametrize("n", [3, 15, 36])
def test_the_smallest_correlation_is_where_the_t_test_has_its_alpha(n):
    r = smallest_correlation(n)
    t = r * math.sqrt((n - 2) / (1 - r * r))
    assert 2 * stats.t.sf(t, n - 2) == pytest.approx(0.05)
    assert np.isnan([smallest_correlation(few) for few in (0, 2)]).all()


PASSAGES = [f"p{number:02}" for number in range(12)]
"""Of the ill bank: the first six are judged relevant, the others not."""
RUNS = {"best": "p00 p01 p02", "good": "p00 p01", "bad": "p06", "worst": "p07", "none": ""}
ILL = {
    "dead": ("Nobody answers this?", ""),
    "broad": ("Is anything so?", " ".join(PASSAGES)),
    "beside": ("Which of the others?", "p07 p08 p09 p10 p11"),
    "words": ("What is the colour of the sky?", "p00 p01 p02"),
    "worded": ("What is the color of the sky?", "p00 p01"),
    "answers": ("Who was first?", "p01 p02 p03 p04 p05"),
    "answered": ("In which year?", "p01 p02 p03 p04 p05"),
    "apart": ("How long is the bridge over the river?", "p00 p03"),
    "told": ("How wide is the bridge over the river?", "p01"),
    "sound": ("Why so?", "p00 p04"),
}
"""Question and the passages that answer it."""


@pytest.fixture(scope="module")
def ill(tmp_path_factory):
    """A snapshot of the ill bank: q1 has its questions, q2 one that no passage was graded on."""
    questions = [("ill", 1, f"q1/{name}", "q1", None, None, words, None, 1.0, True) for name, (words, _) in ILL.items()]
    questions += [
        ("ill", 1, "q1/off", "q1", None, None, "Why so so?", None, 1.0, False),
        ("ill", 1, "q2/new", "q2", None, None, "Why so?", None, 1.0, True),
    ]
    grades = [
        ("rater", f"q1/{name}", "q1", doc, 5 if doc in docs.split() else 0)
        for name, (_, docs) in ILL.items()
        for doc in PASSAGES
    ]
    judged = [("official", "q1", doc, 2 if doc < "p06" else 0) for doc in PASSAGES]
    ranked = [
        (run, "q1", doc, place, place, 10.0 - place, False)
        for run, docs in RUNS.items()
        for place, doc in enumerate([*docs.split(), *(["p11"] if run == "none" else [])], 1)
    ]
    frames = {
        "questions": table(QUESTIONS, questions),
        "grades": table(GRADES, grades),
        "judgments": table(JUDGMENTS, judged),
        "rankings": table(RANKINGS, ranked),
    }
    store = Store(tmp_path_factory.mktemp("ill"))
    store.commit("ill", Reading(frames, {"rater": {"scale": 5}}), source="ill")
    yield store.snapshot("ill")
    del store


@pytest.fixture(scope="module")
def found(ill):
    return health(ill, choose(ill, Request()))


def test_health_is_item_analysis_and_pairs_in_nearly_the_same_words_with_what_differs(ill, found):
    assert found.rows.equals(difficulty(ill, choose(ill, Request())).rows)
    kinds = found.rows.set_index("question_id")["kind"]
    assert (kinds["q1/dead"], kinds["q1/broad"], kinds["q1/beside"]) == ("unanswered", "universal", "negative")
    # 28 letters and blanks of 29 and 28 are the same
    row = found.pairs.iloc[0]
    assert len(found.pairs) == 1
    assert (row["question_id"], row["other_id"], row["only_one"], row["only_other"]) == (
        *("q1/words", "q1/worded"),
        *("colour", "color"),
    )
    assert row["alike"] == pytest.approx(2 * 28 / 57)
    loose = health(ill, choose(ill, Request()), alike=0.8).pairs
    assert loose["other_id"].tolist() == ["q1/worded", "q1/told"]


def test_a_bank_without_grades_says_what_its_words_say(ill):
    assert ungraded_bank(ill, Request(bank="ill")) is None
    found = health_of_words(ill, BankRef("ill", 1))
    assert found.notes[0].startswith("Nothing is graded on bank ill@1 yet")
    assert (found.pairs["other_id"].tolist(), len(found.rows)) == (["q1/worded"], 0)


def test_a_bank_that_nobody_graded_is_known(tmp_path):
    rows = [("new", 1, "q1/x", "q1", None, None, "Who?", None, 1.0, True)]
    store = Store(tmp_path)
    store.commit("c", Reading({"questions": table(QUESTIONS, rows)}), source="x")
    snapshot = store.snapshot("c")
    assert ungraded_bank(snapshot, Request()) == BankRef("new", 1)
    assert ungraded_bank(snapshot, Request(grader="somebody")) is None


UNEVEN = {
    "even": ({"a": 5, "b": 5}, []),
    "one query": ({"a": 5}, []),
    "nothing": ({}, []),
    "a little": ({"a": 5, "b": 6, "c": 5}, ["Queries have 5 to 6 questions; the median is 5."]),
    "much": ({"a": 10, "b": 10, "c": 2, "d": 30}, ["c (2), d (30)"]),
}


@pytest.mark.parametrize("case", UNEVEN)
def test_uneven_numbers_of_questions_are_said(case):
    sizes, expected = UNEVEN[case]
    said = unevenness(sizes)
    assert len(said) == len(expected)
    assert all(part in sentence for part, sentence in zip(expected, said, strict=True))


def test_the_released_dl19_bank_is_as_its_document_says(dl19):
    found = health(dl19, choose(dl19, Request(bank="genq", tau=4)))
    counts = counts_of_kinds(found.rows)
    assert [counts[kind] for kind in ("unanswered", "universal", "discriminating", "negative")] == [60, 56, 182, 19]
    assert found.pairs[["only_one", "only_other"]].to_numpy().tolist() == [["an rn", "a bsn"]]
