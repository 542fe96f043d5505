"""What an edit of a bank does, and what runs gain that saw half of it: as a fresh store has it."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from thoroughly import thoroughly

from exam_core.analysis.agreement import agreement
from exam_core.analysis.choice import QuestionChoice
from exam_core.analysis.choosing import choose
from exam_core.analysis.leaderboard import leaderboard
from exam_core.analysis.uncertainty import ALPHA, shuffled_places, values_of_runs
from exam_core.analysis.values import counted_values, gradebook
from exam_core.errors import UsageError
from exam_core.numbers.significance_tests import holm, paired_t
from exam_core.question import Question
from exam_core.request import Request
from exam_core.tables import question_id
from exam_core.wings.banks.editing import bank_of, frame_of, merged, reworded
from exam_core.wings.banks.effect import SEPARABLE, Edit, effect, graders_of, hidden
from tests.analysis.planted import QUERIES, RUNS
from tests.analysis.worlds import held, store_of, world

WORLDS = {"plain": (1, False), "facets": (3, True)}
ASKED = Request(measure="Cover@5", grader="rater", tau=2)


def questions_of(frames):
    rows = frames["questions"]
    return bank_of(rows[(rows["bank_id"] == "genq") & (rows["version"] == 2)])


def put(bank, question, *others):
    """The bank with other questions in the place of one."""
    return {one.key: one for key, old in bank.items() for one in ((old,) if key != question.key else others)}


def some(bank, query="q0", number=0):
    return [one for one in bank.values() if one.query_id == query][number]


def switched_off(bank):
    return put(bank, some(bank), replace(some(bank), enabled=False))


def switched_on(bank):
    return {key: replace(one, enabled=True) for key, one in bank.items()}


def deleted(bank):
    return put(bank, some(bank, "q1"))


def weighed(bank):
    return put(bank, some(bank), replace(some(bank), weight=3.0))


def without_a_query(bank):
    return {key: one for key, one in bank.items() if key[0] != "q1"}


def with_a_new_question(bank):
    new = Question("q0", question_id("q0", "new?"), "new?", weight=2.0)
    return {**bank, new.key: new}


def with_a_new_question_of_a_facet(bank):
    new = Question("q0", question_id("q0", "new?", "x"), "new?", facet_id="x")
    return {**bank, new.key: new}


def with_a_new_query(bank):
    new = Question("q new", question_id("q new", "new?"), "new?")
    return {**bank, new.key: new}


def with_a_graded_question_of_no_bank(bank):
    # Somebody graded it before: its grades are in the store.
    new = Question("q2", "genq/q2/None/0 of another", "another?")
    return {**bank, new.key: new}


def with_other_words(bank):
    return put(bank, some(bank), reworded(some(bank), "other words?"))


def merged_and_more(bank):
    one, other = some(bank), some(bank, number=1)
    both = put(put(bank, other), one, merged([one, other], "both?"))
    return with_a_new_question(weighed(switched_off(both)))


EDITS = [
    switched_off,
    switched_on,
    deleted,
    weighed,
    without_a_query,
    with_a_new_question,
    with_a_new_question_of_a_facet,
    with_a_new_query,
    with_a_graded_question_of_no_bank,
    with_other_words,
    merged_and_more,
]


@pytest.fixture(scope="module", params=["facets", *thoroughly("plain")])
def frames(request):
    seed, facets = WORLDS[request.param]
    found = world(seed, facets=facets)
    graded = found["grades"]
    stray = graded[(graded["query_id"] == "q2") & graded["question_id"].notna() & (graded["grader_id"] == "rater")]
    first = stray[stray["question_id"] == stray["question_id"].iloc[0]]
    more = first.assign(question_id="genq/q2/None/0 of another", grade=first["grade"].iloc[::-1].to_numpy())
    return found | {"grades": pd.concat([graded, more], ignore_index=True)}


@pytest.fixture(scope="module")
def before(frames, tmp_path_factory):
    yield from held(tmp_path_factory.mktemp("before") / "store", frames)


@pytest.fixture(scope="module", params=EDITS, ids=lambda edit: edit.__name__)
def edited(request, frames, tmp_path_factory):
    """An edit, and a snapshot of a fresh store in which it was committed as version 3."""
    old = questions_of(frames)
    new = request.param(old)
    rows = pd.concat([frames["questions"], frame_of(new.values(), "genq", 3)], ignore_index=True)
    after = store_of(tmp_path_factory.mktemp("after") / "store", frames | {"questions": rows})
    return Edit("genq", 2, old, new), after


def asked(measure="Cover@5", bank=None, **options):
    return replace(ASKED, measure=measure, bank=bank, **options)


@pytest.mark.parametrize("measure", ["wCover@5", "nDCG@5", *thoroughly("Cover@5", "nCover@5", "P@5", "AP")])
def test_the_new_board_is_that_of_the_edited_bank_from_nothing(before, edited, measure):
    edit, after = edited
    found = effect(before, edit, asked(measure), relevant_from=1).rows.set_index("run_id")
    boards = [
        leaderboard(one, choose(one, asked(measure, bank))).rows.set_index("run_id")
        for one, bank in ((before, "genq@2"), (after, "genq@3"))
    ]
    for side, board in zip(("before", "after"), boards, strict=True):
        for name in ("mean", "rank", "n_queries"):
            assert found[f"{name}_{side}"][board.index].tolist() == pytest.approx(board[name].tolist(), nan_ok=True)


def test_the_figures_are_those_of_the_edited_bank_from_nothing(before, edited):
    edit, after = edited
    found = effect(before, edit, ASKED, relevant_from=1).figures.set_index("figure")
    for side, one, bank in (("before", before, "genq@2"), ("after", after, "genq@3")):
        choice = choose(one, asked(bank=bank))
        board = leaderboard(one, choice).correlation
        expected = {
            "Spearman": board.spearman,
            "Kendall": board.kendall,
            "tau-AP a": board.tau_ap,
            "tau-AP b": board.tau_ap_b,
            "Cohen's kappa": agreement(one, choice.labelling, tau=2, relevant_from=1).kappa,
            SEPARABLE: (holm(paired_t(values_of_runs(one, choice).values)) < ALPHA).sum() // 2,
        }
        assert found[side][list(expected)].tolist() == pytest.approx(list(expected.values()), nan_ok=True)


@pytest.mark.parametrize("label_rank", [1, 2])
def test_the_labels_that_change_are_those_of_the_edited_bank_from_nothing(before, edited, label_rank):
    edit, after = edited
    rows = effect(before, edit, asked("P@5", label_rank=label_rank), relevant_from=1).relabelled
    found = {(one.query_id, one.doc_id): (one.label_before, one.label_after) for one in rows.itertuples()}
    labels = [_labels(one, bank, label_rank) for one, bank in ((before, "genq@2"), (after, "genq@3"))]
    pairs = set(labels[0]) | set(labels[1])
    expected = {pair: tuple(side.get(pair, np.nan) for side in labels) for pair in pairs}
    expected = {pair: both for pair, both in expected.items() if not _same(*both)}
    assert {pair: list(map(str, both)) for pair, both in found.items()} == {
        pair: list(map(str, map(float, both))) for pair, both in expected.items()
    }


def _labels(snapshot, bank, label_rank):
    """Labels of passages by query, from the table of grades."""
    choice = choose(snapshot, asked("P@5", bank, label_rank=label_rank))
    book = gradebook(snapshot, choice.labelling)
    found = {}
    for place, (query, doc) in enumerate(zip(book.pair_query, book.docs, strict=True)):
        grades = sorted((int(grade) for grade in book.grades[place][book.enabled[query]]), reverse=True)
        label = grades[label_rank - 1] if len(grades) >= label_rank else -128
        found[book.query_ids[query], str(doc)] = float(label) if label > -127 else np.nan
    return found


def _same(one, other):
    return one == other or (one != one and other != other)


def test_questions_without_a_grade_are_named(before, frames):
    old = questions_of(frames)
    ungraded = effect(before, Edit("genq", 2, old, with_other_words(old)), ASKED, relevant_from=1).ungraded
    assert ("q0", question_id("q0", "other words?", some(old).facet_id)) in ungraded
    assert not {key for key in ungraded if key[0] == "q2"}


def test_a_change_is_beyond_chance_where_its_interval_leaves_out_nothing(before, frames):
    # Cover of every query halves where each question has an unanswered one beside it.
    old = questions_of(frames)
    twice = dict(old)
    for key, one in old.items():
        again = Question(key[0], f"{key[1]} again", "again?", facet_id=one.facet_id, enabled=one.enabled)
        twice[again.key] = again
    rows = effect(before, Edit("genq", 2, old, twice), ASKED, relevant_from=1).rows
    halved = rows["mean_after"].to_numpy() - rows["mean_before"].to_numpy() / 2
    assert np.nan_to_num(halved) == pytest.approx(np.zeros(len(rows)))
    low, high = rows["change_low"], rows["change_high"]
    assert (rows["beyond_chance"] == ((low > 0) | (high < 0))).all()
    assert ((low <= rows["change"] + 1e-9) & (rows["change"] <= high + 1e-9) | low.isna()).all()


def test_a_new_bank_has_nothing_before_and_the_board_of_its_grades_after(before):
    new = Question("q2", "genq/q2/None/0 of another", "another?")
    found = effect(before, Edit("mine", None, {}, {new.key: new}), ASKED, relevant_from=1)
    assert found.before is None
    assert found.enabled == (0, 1)
    assert found.rows["mean_before"].isna().all()
    assert found.rows["mean_after"].notna().any()


def test_a_bank_of_which_nothing_counts_is_refused(before, frames):
    old = questions_of(frames)
    off = {key: replace(one, enabled=False) for key, one in old.items()}
    with pytest.raises(UsageError, match="No question is left that counts"):
        effect(before, Edit("genq", 2, old, off), ASKED, relevant_from=1)


def test_the_graders_are_those_of_old_and_new_questions(before, frames):
    old = questions_of(frames)
    assert graders_of(before, Edit("genq", 2, old, old)) == ["rater"]
    new = Question("q2", "genq/q2/None/0 of another", "another?")
    assert graders_of(before, Edit("mine", None, {}, {new.key: new})) == ["rater"]


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
        for asking in (QuestionChoice(frozenset(names) - frozenset(public)), QuestionChoice(frozenset(public)))
    )
    shared = set(one) & set(other)
    for run, row in found.iterrows():
        mine = [query for name, query in shared if name == run]
        expected = [np.mean([side[run, query] for query in mine]) if mine else math.nan for side in (one, other)]
        assert row[["public", "hidden"]].tolist() == pytest.approx(expected, nan_ok=True)


def board(snapshot, choice):
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


def test_notes_say_that_random_halves_show_chance_alone_and_which_queries_have_no_two_halves(planted_world, choice):
    assert "show no gain on average" in hidden(planted_world, choice, halves=2).notes[0]
    assert "easier" in hidden(planted_world, choice, halves=2, public=FIRST).notes[0]
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
