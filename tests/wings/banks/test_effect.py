"""What an edit of a bank does: as the edited bank in a fresh store, evaluated from nothing."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from thoroughly import thoroughly

from exam_core.analysis.agreement import agreement
from exam_core.analysis.choice import QuestionChoice
from exam_core.analysis.choosing import choose
from exam_core.analysis.leaderboard import leaderboard
from exam_core.analysis.other_labels import relabelled, side_by_side
from exam_core.analysis.uncertainty import ALPHA, values_of_runs
from exam_core.analysis.values import gradebook
from exam_core.errors import UsageError
from exam_core.numbers.significance_tests import holm, paired_t
from exam_core.question import Question
from exam_core.request import Request
from exam_core.tables import question_id
from exam_core.wings.banks.editing import bank_of, frame_of, merged, reworded
from exam_core.wings.banks.effect import SEPARABLE, Edit, effect, graders_of
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


@pytest.mark.thorough
def test_one_question_off_is_the_board_without_it(before, frames):
    old = questions_of(frames)
    off = some(old, "q2")
    choice = choose(before, asked(bank="genq@2"))
    edited = choice.labelled(asking=QuestionChoice(frozenset([off.question_id])))
    rows, _ = side_by_side(before, choice, before, edited)
    labels = relabelled(*(gradebook(before, one.labelling) for one in (choice, edited)), choice)
    found = effect(before, Edit("genq", 2, old, put(old, off, replace(off, enabled=False))), ASKED, relevant_from=1)
    pd.testing.assert_frame_equal(found.rows[list(rows)], rows)
    pd.testing.assert_frame_equal(found.relabelled, labels)


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
