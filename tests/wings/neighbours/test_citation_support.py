"""Support of citations, counted by hand: by grades of questions, and by a grader of citations."""

import json

import numpy as np
import pandas as pd
import pytest

from exam_core.actions.importing import import_bank, import_labels
from exam_core.actions.importing_runs import import_run
from exam_core.analysis.choice import Grading, LabelRule
from exam_core.errors import UndefinedMeasure, UsageError
from exam_core.formats import Reading
from exam_core.store import Store
from exam_core.store.evidence import cited_work, statements
from exam_core.store.names import BankRef
from exam_core.store.summary import graded_banks, graders, summary
from exam_core.tables import GRADES
from exam_core.wings.neighbours.citations import choose_citation_grader, citations, support
from exam_core.wings.neighbours.importing import import_responses

LABELLING = LabelRule(Grading("g", BankRef("b", 1)))
# Sentences of run a are passages a/q#0 to a/q#2; run b has one sentence, which cites nothing.
ANSWERS = [
    {"run_id": "a", "answer": [("One.", ["d1", "d2"]), ("Two.", ["d3", "d9"]), ("Three.", ["d3"])]},
    {"run_id": "b", "answer": [("Four.", [])]},
]
# Grades on questions x and y; d9 was never graded, d2 could not be read on y; z is switched off.
GRADED = {
    "a/q#0": {"x": 4, "y": 5, "z": 5},  # x: d1 answers; y: d1 does not, d2 can't be read
    "a/q#1": {"x": 5, "y": 0},  # x: d3 does not, d9 unknown
    "a/q#2": {"x": 0, "y": 4},  # y: d3 does not
    "b/q#0": {"x": 5, "y": 3},  # x: nothing is cited
    "d1": {"x": 4, "y": 0},
    "d2": {"x": 0, "y": None},
    "d3": {"x": 1, "y": 3},
}


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    folder = tmp_path_factory.mktemp("citations")
    store = Store(folder / "store")
    lines = [
        {
            "topic_id": "q",
            "run_id": one["run_id"],
            "answer": [{"text": text, "citations": cited} for text, cited in one["answer"]],
        }
        for one in ANSWERS
    ]
    (folder / "answers").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    items = [{"question_id": name, "question_text": name} for name in "xy"]
    items.append({"question_id": "z", "question_text": "z", "enabled": False})
    (folder / "bank").write_text(json.dumps({"query_id": "q", "items": items}), "utf-8")
    (folder / "run").write_text("q Q0 d1 1 1.0 other\n")
    import_responses(store, "c", folder / "answers", parts="sentences")
    import_bank(store, "c", folder / "bank", bank="b")
    import_run(store, "c", folder / "run")
    rows = [("g", name, "q", doc_id, grade) for doc_id, own in GRADED.items() for name, grade in own.items()]
    columns = zip(*rows, strict=True)
    frame = GRADES.frame(dict(zip(GRADES.names[:2] + GRADES.names[2:5], map(list, columns), strict=True)))
    store.commit("c", Reading({"grades": frame}, {"g": {"scale": 5}}), source="grades")
    return store.snapshot("c")


@pytest.fixture(scope="module")
def found(snapshot):
    return citations(snapshot, LABELLING, 4)


def test_claims_are_supported_not_supported_unknown_or_uncited_and_counted_by_run(found):
    rows = found.claims[["doc_id", "question_id", "status", "supporting", "ungraded"]].to_numpy().tolist()
    assert rows == [
        ["a/q#0", "x", "supported", ["d1"], []],
        ["a/q#0", "y", "unknown", [], ["d2"]],
        ["a/q#1", "x", "unknown", [], ["d9"]],
        ["a/q#2", "y", "unsupported", [], []],
        ["b/q#0", "x", "uncited", [], []],
    ]
    rows = found.rows.set_index("run_id")
    counts = ["claims", "cited", "supported", "unsupported", "unknown"]
    assert rows[counts].to_dict("split")["data"] == [[4, 4, 1, 1, 2], [1, 0, 0, 0, 0]]
    shares = rows[["cited_share", "supported_share", "claims_supported"]].to_numpy()
    np.testing.assert_array_equal(shares, [[1, 1 / 2, 1 / 4], [0, np.nan, 0]])
    assert found.notes == [
        "2 claims unknown: 2 passages they cite have no readable grade on the question. They count neither as "
        "supported nor as not supported, but among all claims.",
        "1 run without generated passages, which are left out.",
    ]


def test_another_tau_makes_other_claims(snapshot):
    # tau 3: d3 answers y, b claims y as well, and nothing else changes.
    rows = citations(snapshot, LABELLING, 3).rows.set_index("run_id")
    assert rows[["claims", "supported", "unsupported"]].to_dict("split")["data"] == [[4, 2, 0], [2, 0, 0]]


def test_a_collection_without_citations_is_refused(tmp_path):
    store = Store(tmp_path / "store")
    (tmp_path / "bank").write_text('{"query_id": "q", "items": [{"question_id": "x", "question_text": "x"}]}')
    (tmp_path / "run").write_text("q Q0 d1 1 1.0 other\n")
    import_bank(store, "c", tmp_path / "bank", bank="b")
    import_run(store, "c", tmp_path / "run")
    frame = pd.DataFrame([("g", "x", "q", "d1", 4)], columns=GRADES.names[:5])
    reading = Reading({"grades": GRADES.frame(frame.to_dict("list"))}, {"g": {"scale": 5}})
    store.commit("c", reading, source="grades")
    with pytest.raises(UsageError, match="No run of c cites a passage"):
        citations(store.snapshot("c"), LABELLING, 4)


def test_labels_of_whole_passages_have_no_claims(tmp_path):
    (tmp_path / "labels").write_text("q 0 d 1\n")
    import_labels(Store(tmp_path / "store"), "c", tmp_path / "labels", grader="Sun")
    with pytest.raises(UndefinedMeasure, match="labels whole passages"):
        citations(Store(tmp_path / "store").snapshot("c"), LabelRule(Grading("Sun")), 1)


# Run a says two sentences on q and one on r; run b one on q, which cites nothing.
RATED_ANSWERS = [
    {"run_id": "a", "topic_id": "q", "answer": [("One.", ["d1", "d2"]), ("Two.", ["d3"]), ("Three.", [])]},
    {"run_id": "a", "topic_id": "r", "answer": [("Four.", ["d1", "d4"])]},
    {"run_id": "b", "topic_id": "q", "answer": [("Five.", [])]},
]
# d2 was not asked about; what was said of d4 can't be read.
RATED = {("One.", "q", "d1"): 2, ("Two.", "q", "d3"): 1, ("Four.", "r", "d1"): 0, ("Four.", "r", "d4"): None}


@pytest.fixture(scope="module")
def rated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("support")
    store = Store(folder / "store")
    lines = [
        one | {"answer": [{"text": text, "citations": cited} for text, cited in one["answer"]]} for one in RATED_ANSWERS
    ]
    (folder / "answers").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    (folder / "run").write_text("q Q0 d1 1 1.0 other\n")
    import_responses(store, "c", folder / "answers")
    import_run(store, "c", folder / "run")
    said = statements(store.snapshot("c")).set_index("statement")["statement_id"]
    rows = [("judge", said[text], query, doc_id, grade) for (text, query, doc_id), grade in RATED.items()]
    frame = GRADES.frame(dict(zip(GRADES.names[:5], map(list, zip(*rows, strict=True)), strict=True)))
    store.describe_grader("c", "judge", {"kind": "support", "scale": 2})
    store.add_grades("c", "judge", frame)
    return store.snapshot("c")


@pytest.fixture(scope="module")
def of_judge(rated):
    return support(rated, "judge")


def test_precision_is_of_known_citations_and_recall_of_sentences_and_what_is_left_out_is_said(of_judge):
    rows = of_judge.rows.set_index("run_id")
    # a on q: citations 1 and 1/2; sentences 1, 1/2 and 0. a on r: the only known citation is worth 0.
    assert rows.loc["a", ["precision", "recall"]].tolist() == [(3 / 4 + 0) / 2, (1 / 2 + 0) / 2]
    assert rows.loc["a", "precision_stderr"] == pytest.approx(np.std([3 / 4, 0], ddof=1) / 2**0.5)
    assert np.isnan(rows.loc["b", "precision"])
    assert rows.loc["b", "recall"] == 0
    counts = ["n_queries", "sentences", "citing", "full", "partial", "none", "unread", "ungraded"]
    assert rows[counts].to_dict("split")["data"] == [[2, 4, 3, 1, 1, 1, 1, 1], [1, 1, 0, 0, 0, 0, 0, 0]]
    assert of_judge.notes == [
        "1 citation of 1 passage not asked about yet: they are left out. Grade again, or bring texts with: examboard "
        "import passages FILE",
        "1 citation whose answer can't be read: they are left out.",
    ]


def test_the_first_citation_alone_can_be_looked_at(rated):
    row = support(rated, "judge", cited="first").rows.set_index("run_id").loc["a"]
    assert row[["precision", "unread", "ungraded"]].tolist() == [(3 / 4 + 0) / 2, 0, 0]


def test_what_is_missing_is_what_sentences_cite_and_nobody_asked(rated):
    left, all_of = cited_work(rated, "judge"), cited_work(rated, "another")
    pairs, questions = left.pairs.iloc[left.pair], left.questions.iloc[left.question]
    assert (pairs["doc_id"].tolist(), questions["question_text"].tolist(), left.graded) == (["d2"], ["One."], 4)
    assert (len(all_of.pair), all_of.graded) == (5, 0)


def test_such_a_grader_is_none_of_a_board(rated):
    assert choose_citation_grader(rated, None) == "judge"
    assert (graders(rated), graded_banks(rated), summary(rated)["graders"]) == ([], {}, [])


def test_a_collection_without_citations_has_no_support(tmp_path):
    store = Store(tmp_path / "store")
    (tmp_path / "run").write_text("q Q0 d1 1 1.0 other\n")
    import_run(store, "c", tmp_path / "run")
    with pytest.raises(UsageError, match="No run of c cites a passage"):
        support(store.snapshot("c"), "judge")
