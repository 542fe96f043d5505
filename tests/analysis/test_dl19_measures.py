"""Every measure of the released DL19 grades, all 37 runs and 43 queries, against ir_measures to 1e-9."""

import numpy as np
import pytest
from thoroughly import thoroughly

from exam_core.analysis.choice import TAUS
from exam_core.analysis.choosing import choose
from exam_core.analysis.values import all_values, gradebook
from exam_core.measures import OF_GRADES, Measure
from exam_core.request import Request
from tests.measures.slow import TWINS

from .reference_measures import exported, reference_values, subtopic_qrels

FLAN_T5 = "google/flan-t5-large.QuestionSelfRatedUnanswerablePromptWithChoices"
OF_LABELS = [
    *("P@20", "P@5", "AP", "AP@10", "nDCG", "nDCG@20", "nDCG@10", "Rprec", "RR", "R@20", "R@5", "Bpref"),
    *("Success@1", "Success@10", "Judged@20", "SetP", "SetR", "SetF", "infAP"),
]
OF_QUESTIONS = ["alpha_nDCG@20", "alpha_nDCG@5", "ERR_IA@20", "ERR_IA@5", "StRecall@20", "StRecall@1"]


def parsed(spellings):
    return [Measure.parse(text) for text in spellings]


@pytest.fixture(scope="module")
def run_files(dl19, tmp_path_factory):
    return exported(dl19, choose(dl19, Request(measure="P@20", grader=FLAN_T5)), tmp_path_factory.mktemp("runs"))[1]


@pytest.fixture(scope="module", params=[1, *thoroughly(2)], ids="label rank {}".format)
def of_labels(request, dl19, tmp_path_factory):
    """Our values and theirs of all measures of labels, by spelling."""
    choice = choose(dl19, Request(measure="P@20", grader=FLAN_T5, label_rank=request.param, depth=None))
    files = exported(dl19, choice, tmp_path_factory.mktemp("files"))
    theirs = reference_values(gradebook(dl19, choice.labelling), parsed(OF_LABELS), [2, 4], *files)
    ours = all_values(dl19, choice, parsed(OF_LABELS))[:, [TAUS.index(2), TAUS.index(4)]]
    return dict(zip(OF_LABELS, zip(ours, theirs, strict=True), strict=True))


@pytest.fixture(scope="module", params=[4, *thoroughly(1, 2, 3, 5)], ids="tau {}".format)
def of_questions(request, dl19, run_files):
    """Our values and theirs of all measures of questions, by spelling; the questions are ndeval's subtopics."""
    choice = choose(dl19, Request(measure="Cover@20", grader=FLAN_T5))
    qrels, tau = subtopic_qrels(dl19, choice), request.param
    theirs = reference_values(gradebook(dl19, choice.labelling), parsed(OF_QUESTIONS), [tau], qrels, run_files)
    ours = all_values(dl19, choice, parsed(OF_QUESTIONS))[:, [TAUS.index(tau)]]
    return dict(zip(OF_QUESTIONS, zip(ours, theirs, strict=True), strict=True))


def test_every_measure_that_another_tool_has_is_compared():
    shared = {name for name, twin in TWINS.items() if twin.reference}
    assert {measure.name for measure in parsed(OF_LABELS + OF_QUESTIONS)} == shared


@pytest.mark.parametrize("spelling", OF_LABELS)
def test_a_measure_of_labels_is_that_of_ir_measures(of_labels, spelling):
    ours, theirs = of_labels[spelling]
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)


@pytest.mark.parametrize("spelling", OF_QUESTIONS)
def test_a_measure_of_questions_is_that_of_ndeval(of_questions, spelling):
    ours, theirs = of_questions[spelling]
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)


@pytest.mark.parametrize("relevant_from", [2, *thoroughly(1, 3)])
def test_human_judgments_have_the_values_of_ir_measures(dl19, run_files, relevant_from):
    choice = choose(dl19, Request(measure="P@20", judgments="official", relevant_from=relevant_from, depth=None))
    judgments = dl19.frame("judgments").astype({"relevance": int})
    theirs = reference_values(gradebook(dl19, choice.labelling), parsed(OF_LABELS), choice.taus, judgments, run_files)
    np.testing.assert_allclose(all_values(dl19, choice, parsed(OF_LABELS)), theirs, rtol=0, atol=1e-9)


def test_no_measure_is_trivial_on_this_collection(dl19):
    choice = choose(dl19, Request(measure="P@20", grader=FLAN_T5))
    values = all_values(dl19, choice, [Measure.at(info.name, 20) for info in OF_GRADES.values()])[:, TAUS.index(4)]
    # 37 runs, of which a few are identical; Success and Judged hardly tell the runs apart.
    distinct = {
        name: len(np.unique(means)) for name, means in zip(OF_GRADES, values.mean(axis=2).round(9), strict=True)
    }
    assert {name for name, n in distinct.items() if n < 20} <= {"Success", "Judged"}
