"""The defaults of a choice, and what is refused with which words."""

import pytest

from exam_core.aliases import LEXICAL
from exam_core.analysis.choice import Evaluation, Grading, LabelRule
from exam_core.analysis.choosing import choose, member
from exam_core.analysis.grade_scales import default_tau, largest_label
from exam_core.analysis.leaderboard import leaderboard
from exam_core.analysis.values import gradebook, query_values
from exam_core.errors import UndefinedMeasure, UsageError
from exam_core.measures import Measure
from exam_core.request import Request
from exam_core.store.names import BankRef
from exam_core.tables import GRADES, RANKINGS

from .worlds import store_of, table

P5 = Measure.parse("P@5")
RANKED = table(RANKINGS, [("run", "q", "a", 1, 1, 1.0, False)])


def question(bank, version, name):
    return (bank, version, name, "q", None, None, "?", None, 1.0, True)


def small_world(folder, banks, grades, rankings=RANKED):
    """A store with (bank, version, question) and (grader, question, grade) rows."""
    rows = [question(*bank) for bank in banks]
    frames = {"grades": [(grader, name, "q", "a", grade) for grader, name, grade in grades]}
    frames |= {"questions": rows} if rows else {}
    frames |= {} if rankings is None else {"rankings": rankings}
    return store_of(folder, frames)


def test_what_is_left_open_gets_the_documented_defaults(tmp_path):
    snapshot = small_world(tmp_path, [("genq", 1, "q/1")], [("rater", "q/1", 5)])
    expected = Evaluation(LabelRule(Grading("rater", BankRef("genq", 1))), Measure.at("Cover", 20), 4)
    assert choose(snapshot, Request(measure="Cover@20")) == expected


@pytest.mark.parametrize(
    ("bank", "version"), [("genq", 2), ("genq@2", 2), ("genq@1", 1)], ids=["newest", "pinned newest", "pinned old"]
)
def test_a_bank_is_its_newest_version_unless_one_is_pinned(plain_world, bank, version):
    assert choose(plain_world, Request(measure="P@5", bank=bank)).grading == Grading("rater", BankRef("genq", version))


def test_a_bank_whose_name_has_an_at_sign_is_found(tmp_path):
    snapshot = small_world(tmp_path, [("a@b", 1, "q/1")], [("rater", "q/1", 5)])
    assert choose(snapshot, Request(measure="P@5", bank="a@b")).grading.bank_id == "a@b"


@pytest.mark.parametrize(
    ("options", "grading"),
    [
        ({"bank": "genq"}, Grading("rater", BankRef("genq", 2))),
        ({"bank": "manual"}, Grading("second", BankRef("manual", 1))),
        ({"grader": "rater"}, Grading("rater", BankRef("genq", 2))),
        ({"grader": "second"}, Grading("second", BankRef("manual", 1))),
        ({"grader": "labels"}, Grading("labels")),
        ({"judgments": "official"}, Grading(judgments="official", relevant_from=2)),
        ({"judgments": "official", "relevant_from": 3}, Grading(judgments="official", relevant_from=3)),
    ],
    ids=str,
)
def test_the_only_grader_or_bank_that_fits_is_filled_in(plain_world, options, grading):
    assert choose(plain_world, Request(measure="P@5", **options)).grading == grading


def test_the_only_grader_of_a_collection_without_a_bank_is_filled_in(tmp_path):
    snapshot = small_world(tmp_path, [], [("labels", None, 1)])
    assert choose(snapshot, Request(measure="P@5")).grading == Grading("labels")


def labelled(folder, labels, grader="g", **about):
    grades = table(GRADES, [(grader, None, "q", f"d{place}", label) for place, label in enumerate(labels)])
    return store_of(folder, {"grades": grades}, {grader: about})


@pytest.mark.parametrize(("scale", "tau"), [(1, 1), (2, 1), (3, 2), (4, 3), (5, 4), (6, 5), (100, 5)])
def test_tau_is_one_below_the_largest_grade_by_default(tmp_path, scale, tau):
    assert default_tau(labelled(tmp_path, [1], scale=scale), "g") == tau


def test_the_largest_label_is_the_scales_or_one_beyond_it_that_was_given(tmp_path):
    snapshot = labelled(tmp_path, [4, 0], "Thomas", kind="labels", scale=2)
    choice = choose(snapshot, Request(measure="P@5"))
    assert (choice.tau, largest_label(snapshot, choice.labelling)) == (1, 4)


@pytest.mark.parametrize(
    ("measure", "label_map", "tau"),
    [("P@5", "5=3,4=1", 2), ("P@5", "5=1", 1), ("P@5", "5=90", 5), ("Cover@5", "5=3,4=1", 4), ("nDCG@5", "5=3,4=1", 4)],
)
def test_where_tau_cuts_mapped_labels_it_is_one_below_the_largest_of_them(plain_world, measure, label_map, tau):
    assert choose(plain_world, Request(measure=measure, bank="genq", label_map=label_map)).tau == tau


def test_tau_is_4_for_a_grader_that_does_not_say_its_scale(plain_world):
    assert default_tau(plain_world, "somebody") == 4


@pytest.mark.parametrize(("grader", "tau"), [("rater", 4), ("labels", 1)])
def test_a_choice_takes_the_default_tau_of_its_grader(plain_world, grader, tau):
    assert choose(plain_world, Request(measure="P@5", grader=grader)).tau == tau


REFUSED = {
    "version too new": ({"bank": "genq@3"}, "versions 1 to 2, not 3"),
    "version 0": ({"bank": "genq@0"}, "versions 1 to 2, not 0"),
    "version that is not a number": ({"bank": "genq@new"}, "no bank genq@new. There are: genq, manual"),
    "grader of another bank": ({"bank": "manual", "grader": "rater"}, "no grades on bank manual; it graded genq"),
    "label rank of labels": (
        {"grader": "labels", "label_rank": 2},
        "this grader labels whole passages, so its label rank is 1",
    ),
    "label rank of judgments": ({"judgments": "official", "label_rank": 2}, "--label-rank needs questions"),
    "missing": ({"bank": "genq", "missing": "nan"}, "--missing nan: choose zero or skip"),
    "order": ({"bank": "genq", "order": "random"}, "--order random: choose score or rank"),
    "pool": ({"bank": "genq", "ncover_pool": "all"}, "--ncover-pool all: choose graded or ranked"),
}


@pytest.mark.parametrize(("options", "words"), REFUSED.values(), ids=REFUSED)
def test_a_choice_that_cannot_be_met_is_refused_with_what_there_is(plain_world, options, words):
    with pytest.raises(UsageError) as refusal:
        choose(plain_world, Request(**({"measure": "P@5"} | options)))
    assert words in str(refusal.value)


def test_lexical_means_the_lexical_grader_wherever_one_is_named_unless_another_has_that_name(tmp_path):
    grades = [(name, question, 5) for name in (LEXICAL, "rater") for question in ("q/1", "q/2")]
    banks = [("genq", 1, "q/1"), ("genq", 1, "q/2")]
    snapshot = small_world(tmp_path / "short", banks, grades)
    assert choose(snapshot, Request(measure="Cover@20", grader="lexical")).grading.grader == LEXICAL
    assert member(snapshot, "lexical@2") == (LEXICAL, 2)
    with pytest.raises(UsageError, match="There is no grader lex"):
        choose(snapshot, Request(measure="Cover@20", grader="lex"))
    other = small_world(tmp_path / "other", banks, [*grades, ("lexical", "q/1", 5)])
    assert choose(other, Request(measure="Cover@20", grader="lexical")).grading.grader == "lexical"


@pytest.mark.parametrize(
    ("banks", "grades", "words"),
    [
        (
            1,
            [("one", "q/1", 5), ("two", "q/1", 5)],
            "more than one grader on bank genq; choose with --grader: one, two",
        ),
        (0, [("one", None, 1), ("two", None, 1)], "more than one grader; choose with --grader: one, two"),
        (1, [("labels", None, 1)], "Nothing is graded on bank genq yet. Choose with --grader: labels"),
    ],
    ids=["of a bank", "of whole passages", "none of the bank"],
)
def test_where_no_grader_or_several_fit_those_there_are_are_listed(tmp_path, banks, grades, words):
    snapshot = small_world(tmp_path, [("genq", 1, "q/1")][:banks], grades)
    with pytest.raises(UsageError, match=words):
        choose(snapshot, Request(measure="P@5"))


def test_a_collection_without_grades_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"world has no grades"):
        choose(store_of(tmp_path, {"rankings": RANKED}), Request(measure="P@5"))


def test_a_collection_without_runs_is_refused_with_the_command_that_adds_them(tmp_path):
    snapshot = small_world(tmp_path, [("genq", 1, "q/1")], [("rater", "q/1", 5)], rankings=None)
    with pytest.raises(UsageError, match=r"world has no runs. Add them with: .* import run FILE"):
        leaderboard(snapshot, choose(snapshot, Request(measure="P@5")))


@pytest.mark.parametrize("measure", ["Cover@5", "nCover@5", "P@5"])
def test_a_version_that_nobody_graded_is_refused_rather_than_shown_empty(tmp_path, measure):
    banks = [("genq", 1, "q/1"), ("genq", 2, "q/2")]
    snapshot = small_world(tmp_path, banks, [("rater", "q/2", 5)])
    with pytest.raises(UsageError, match=r"rater has no grades on version 1 of bank genq"):
        gradebook(snapshot, choose(snapshot, Request(measure=measure, bank="genq@1")).labelling)


def test_grades_of_questions_in_no_bank_are_refused_with_the_command_that_adds_it(tmp_path):
    snapshot = small_world(tmp_path, [], [("rater", "q/1", 5)])
    with pytest.raises(UsageError, match=r"are in no bank. Add it with: .* import bank FILE"):
        gradebook(snapshot, choose(snapshot, Request(measure="P@5")).labelling)


def test_cover_of_whole_passage_labels_is_undefined_with_a_sentence(plain_world):
    choice = choose(plain_world, Request(measure="Cover@5", grader="labels"))
    with pytest.raises(UndefinedMeasure, match=r"needs exam questions"):
        query_values(plain_world, choice)
