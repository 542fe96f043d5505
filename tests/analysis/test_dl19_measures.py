"""Every measure of the released DL19 grades, all 37 runs and 43 queries, against ir_measures to 1e-9."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from exam_core.analysis.books import gradebook
from exam_core.analysis.configuration import TAUS, choose
from exam_core.analysis.values import all_values
from exam_core.measures import MEASURES, Measure

from .reference_measures import exported, reference_values, subtopic_qrels

FLAN_T5 = "google/flan-t5-large.QuestionSelfRatedUnanswerablePromptWithChoices"
OF_LABELS = [
    *("P@20", "P@5", "AP", "AP@10", "nDCG", "nDCG@20", "nDCG@10", "Rprec", "RR", "R@20", "R@5", "Bpref"),
    *("Success@1", "Success@10", "Judged@20", "SetP", "SetR", "SetF"),
]
OF_QUESTIONS = ["alpha_nDCG@20", "alpha_nDCG@5", "ERR_IA@20", "ERR_IA@5", "StRecall@20", "StRecall@1"]
OUR_OWN = {"Cover", "nCover", "wCover"}


@pytest.fixture(scope="module")
def files(dl19, tmp_path_factory):
    """The exported labels and runs, read back, by label rank."""
    return {
        rank: exported(
            dl19, choose(dl19, measure="P@20", grader=FLAN_T5, label_rank=rank), tmp_path_factory.mktemp("f")
        )
        for rank in (1, 2)
    }


def parsed(spellings):
    return [Measure.parse(text) for text in spellings]


def test_every_measure_is_compared_or_our_own():
    assert {measure.name for measure in parsed(OF_LABELS + OF_QUESTIONS)} | OUR_OWN == set(MEASURES)


@pytest.mark.parametrize("label_rank", [1, 2])
@pytest.mark.parametrize("spelling", OF_LABELS)
def test_a_measure_of_labels_is_that_of_ir_measures_at_every_tau(dl19, files, spelling, label_rank):
    choice = choose(dl19, measure=spelling, grader=FLAN_T5, label_rank=label_rank, depth=None)
    theirs = reference_values(gradebook(dl19, choice), [choice.measure], TAUS, *files[label_rank])
    np.testing.assert_allclose(all_values(dl19, choice), theirs, rtol=0, atol=1e-9)


@pytest.mark.parametrize("spelling", OF_QUESTIONS)
def test_a_measure_of_questions_is_that_of_ndeval_with_questions_as_subtopics(dl19, files, spelling):
    choice = choose(dl19, measure=spelling, grader=FLAN_T5)
    qrels, (_, rankings) = subtopic_qrels(dl19, choice), files[1]
    theirs = reference_values(gradebook(dl19, choice), [choice.measure], TAUS, qrels, rankings)
    np.testing.assert_allclose(all_values(dl19, choice), theirs, rtol=0, atol=1e-9)


@pytest.mark.parametrize("spelling", ["P@20", "AP", "nDCG@20", "Rprec", "RR", "Bpref", "SetF"])
def test_human_judgments_have_the_values_of_ir_measures(dl19, files, spelling):
    choice = choose(dl19, measure=spelling, judgments="official", depth=None)
    for relevant_from in (1, 2, 3):
        cut = replace(choice, grading=replace(choice.grading, relevant_from=relevant_from))
        judgments = dl19.frame("judgments").astype({"relevance": int})
        theirs = reference_values(gradebook(dl19, cut), [cut.measure], cut.taus, judgments, files[1][1])
        np.testing.assert_allclose(all_values(dl19, cut), theirs, rtol=0, atol=1e-9)


def test_no_measure_is_trivial_on_this_collection(dl19):
    choice = choose(dl19, measure="P@20", grader=FLAN_T5)
    values = all_values(dl19, choice, [info.at(20) for info in MEASURES.values()])[:, TAUS.index(4)]
    # 37 runs, of which a few are identical; Success and Judged hardly tell the runs apart.
    distinct = {name: len(np.unique(means)) for name, means in zip(MEASURES, values.mean(axis=2).round(9), strict=True)}
    assert {name for name, n in distinct.items() if n < 20} <= {"Success", "Judged"}
