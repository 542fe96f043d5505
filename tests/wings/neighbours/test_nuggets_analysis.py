"""Nugget scores of runs: what is counted, what was said of each nugget, and which nuggets are vital."""

import json

import numpy as np
import pytest

from exam_core.actions.importing import import_labels
from exam_core.analysis import caveats
from exam_core.analysis.choice import Evaluation, Grading, LabelRule
from exam_core.analysis.leaderboard import leaderboard
from exam_core.errors import UndefinedMeasure, UsageError
from exam_core.measures import Measure
from exam_core.store import Store
from exam_core.store.names import BankRef
from exam_core.wings.neighbours.importing import import_assignments
from exam_core.wings.neighbours.nuggets import importance_effect, nuggets, nuggets_of

NUGGETS = {
    "q1": [("Rain", "vital"), ("Wind", "okay"), ("Frogs", "avoid"), ("Hail", "failed")],
    "q2": [("Snow", "okay"), ("Sleet", "okay")],
}
SAID = {
    # a: vital supported, okay contradicted, an avoided one supported, an odd one in part; q2: one read, one not
    "a": {"q1": ["support", "contradiction", "support", "partial_support"], "q2": ["not_support", "sorry"]},
    # b answers q1 alone
    "b": {"q1": ["partial_support", "support", "not_support", None]},
}
LABELLING = LabelRule(Grading("nuggetizer", BankRef("nuggets", 1)))


def stored(folder, answers):
    """A collection with assignments: run, query and nuggets as (text, importance, label)."""
    lines = [
        {
            "qid": query_id,
            "run_id": run_id,
            "answer_text": f"{run_id} on {query_id}",
            "nuggets": [
                {"text": text, "importance": importance, "assignment": label} for text, importance, label in nuggets
            ],
        }
        for run_id, query_id, nuggets in answers
    ]
    (folder / "assigned").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    store = Store(folder / "store")
    import_assignments(store, "c", folder / "assigned")
    return store.snapshot("c")


def labelled_as(said):
    """The answers of runs that have these labels on `NUGGETS`."""
    return [
        (run_id, query_id, [(*nugget, label) for nugget, label in zip(NUGGETS[query_id], labels, strict=True)])
        for run_id, answers in said.items()
        for query_id, labels in answers.items()
    ]


def of_importance(importance):
    """The answers of two runs to one query whose nuggets have these importances."""
    names = [f"n{place}" for place in range(len(importance))]
    return [(run_id, "q", zip(names, importance, labels, strict=True)) for run_id, labels in OF_ONE_QUERY.items()]


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    return stored(tmp_path_factory.mktemp("nuggets"), labelled_as(SAID))


@pytest.fixture(scope="module")
def found(snapshot):
    return nuggets(snapshot, LABELLING)


def rows(frame, *columns):
    chosen = frame[list(columns)] if columns else frame
    return chosen.astype(object).where(chosen.notna(), None).to_numpy().tolist()


def test_a_score_is_the_mean_over_the_queries_in_which_a_nugget_counts(found):
    # a: vital 1 of 1 on q1 and none on q2; weighted 1 of 1.5 and 0; all (q1: of 3 without the avoided) 1.5 of 3 and 0.
    # b: vital half; weighted 0.5 + 0.5 of 1.5 and 0; all 1.5 of 3 and 0.
    scores = found.rows.set_index("run_id")
    expected = {
        "strict_vital_score": (1, 0),
        "vital_score": (1, 0.5),
        "strict_weighted_score": (1 / 1.5 / 2, 0.5 / 1.5 / 2),
        "weighted_score": (1 / 1.5 / 2, 1 / 1.5 / 2),
        "strict_all_score": (1 / 3 / 2, 1 / 3 / 2),
        "all_score": (1.5 / 3 / 2, 1.5 / 3 / 2),
    }
    for name, (a, b) in expected.items():
        assert scores[name][["a", "b"]].tolist() == pytest.approx([a, b], abs=1e-15), name
    assert scores["n_queries"].tolist() == [2, 2]
    vital = found.queries.pivot(index="run_id", columns="query_id", values="vital_score")
    np.testing.assert_array_equal(vital.to_numpy(), [[1, np.nan], [0.5, np.nan]])


def test_every_nugget_of_every_run_is_counted_once_and_what_is_odd_apart_and_in_notes(found):
    columns = ("run_id", "support", "partial_support", "not_support", "unread", "unassigned", "contradicted", "avoid")
    assert rows(found.rows, *columns) == [["a", 1, 1, 2, 1, 0, 1, 1], ["b", 1, 1, 0, 1, 2, 0, 0]]
    assert rows(found.dirty) == [["a", "sorry", 1], ["b", "", 1]]
    assert found.notes == [
        "Unreadable: 2 of 8 answers of nuggetizer on the passages of these rankings (25.0%). They count as no "
        "answer; values that rest on them alone are 0.",
        "1 nugget neither vital nor okay: only the scores of all nuggets count them.",
        "1 query without a vital nugget: left out of the vital scores.",
        "2 times a nugget has no label for a run and is left out of its score. A run without any label for a "
        "query scores 0 there.",
        "1 contradicted nuggets: counted apart; they lower no score.",
        "1 supported nuggets to avoid: counted apart; they lower no score.",
    ]


@pytest.fixture(scope="module")
def failed(tmp_path_factory):
    """AutoNuggetizer's formula gives 0 for q1, where all labels are unreadable, and (0.5 + 0) / 2 for q2."""
    said = {"a": {"q1": ["failed", "failed", None, ""], "q2": ["partial_support", "not_support"]}}
    return stored(tmp_path_factory.mktemp("failed"), labelled_as(said))


def test_an_answer_whose_labels_are_all_unreadable_scores_0(failed):
    found = nuggets(failed, LABELLING)
    assert rows(found.queries, "query_id", "strict_all_score", "all_score") == [["q1", 0, 0], ["q2", 0, 0.25]]
    assert rows(found.rows, "all_score", "n_queries", "unread") == [[0.125, 2, 3]]
    # 3 of the answers on nuggets that count; the avoided one counts nowhere
    assert found.notes[0].startswith("Unreadable: 3 of 5 answers")
    assert found.notes[0].endswith("values that rest on them alone are 0.")


def test_a_leaderboard_of_nuggets_says_so_as_well_and_loses_no_query(failed):
    choice = Evaluation(LABELLING, Measure("NuggetAll"), 1)
    board = leaderboard(failed, choice)
    assert rows(board.rows, "mean", "n_queries") == [[0.125, 2]]
    assert board.overall[0] == 0.125
    assert board.notes[0] == nuggets(failed, LABELLING).notes[0]
    assert not any("eft out" in note for note in board.notes)
    assert caveats.few_queries(failed, choice) is None


def test_a_few_unreadable_labels_of_nuggets_are_said_too(rag24_store):
    snapshot = Store(rag24_store).snapshot("rag24")
    board = leaderboard(snapshot, Evaluation(LABELLING, Measure("NuggetVital"), 1))
    assert board.notes[0].startswith("Unreadable: 25 of 6,143 answers of nuggetizer")


@pytest.fixture
def of_a(snapshot):
    return nuggets_of(snapshot, LABELLING, "a", "q1")


def test_what_was_said_of_each_nugget_is_listed_by_importance(of_a):
    assert rows(of_a.nuggets, "question_text", "importance", "label", "grade", "rank", "doc_id") == [
        ["Rain", "vital", "support", 2, 1, "a/q1"],
        ["Wind", "okay", "contradiction", 0, 1, "a/q1"],
        ["Hail", "failed", "partial_support", 1, 1, "a/q1"],
        ["Frogs", "avoid", "support", 2, 1, "a/q1"],
    ]
    assert rows(of_a.passages) == [[1, "a/q1", "a on q1"]]


def test_a_nugget_that_nobody_looked_for_has_no_label(snapshot):
    missing = nuggets_of(snapshot, LABELLING, "b", "q2")
    assert rows(missing.nuggets, "question_text", "label", "grade") == [["Snow", None, None], ["Sleet", None, None]]
    assert len(missing.passages) == 0


@pytest.mark.parametrize(("run_id", "query_id", "said"), [("c", "q1", "no run c"), ("a", "q3", "no query q3")])
def test_an_unknown_run_or_query_is_refused(snapshot, run_id, query_id, said):
    with pytest.raises(UsageError, match=said):
        nuggets_of(snapshot, LABELLING, run_id, query_id)


def test_labels_of_whole_passages_have_no_nuggets(tmp_path):
    (tmp_path / "labels").write_text("q 0 d 1\n")
    store = Store(tmp_path / "store")
    import_labels(store, "c", tmp_path / "labels", grader="Sun")
    with pytest.raises(UndefinedMeasure, match="labels whole passages"):
        nuggets(store.snapshot("c"), LabelRule(Grading("Sun")))


IMPORTANCE = ["vital", "okay", "okay", "failed"]
OF_ONE_QUERY = {
    "a": ["support", "not_support", "not_support", "support"],
    "b": ["partial_support", "support", "support", "support"],
}


@pytest.fixture(scope="module")
def one_query(tmp_path_factory):
    return stored(tmp_path_factory.mktemp("importance"), of_importance(IMPORTANCE))


# One vital nugget: a 1, b 1/2 (strict 0). All three vital: a 1/3, b 2.5/3 (strict 2/3). Exchanged: a 0, b 1.
BOARDS = {
    False: {"vital_score": [1, 0.5], "all_vital": [1 / 3, 2.5 / 3], "flipped": [0, 1]},
    True: {"vital_score": [1, 0], "all_vital": [1 / 3, 2 / 3], "flipped": [0, 1]},
}


@pytest.mark.parametrize("strict", BOARDS)
def test_boards_under_other_labels_are_those_counted_by_hand(one_query, strict):
    found = importance_effect(one_query, LABELLING, strict=strict, draws=20)
    assert found.rows["run_id"].tolist() == ["a", "b"]
    for name, expected in BOARDS[strict].items():
        assert found.rows[name].tolist() == pytest.approx(expected, abs=1e-15), name
    assert found.variants["kendall"].tolist()[:2] == [-1, -1]


def test_without_okay_nuggets_there_is_nothing_to_shuffle(tmp_path):
    found = importance_effect(stored(tmp_path, of_importance(["vital"] * 4)), LABELLING, draws=5)
    assert found.notes == ["The bank has no okay nugget, so there is nothing to exchange or to shuffle."]
