"""Support of citations: counted by hand on two runs, by a grader that left some citations out."""

import json

import numpy as np
import pytest

from exam_core.actions.importing_runs import import_run
from exam_core.errors import UsageError
from exam_core.store import Store
from exam_core.store.evidence import cited_work, statements
from exam_core.store.summary import graded_banks, graders, summary
from exam_core.tables import GRADES
from exam_core.wings.neighbours.citations import choose_citation_grader, support
from exam_core.wings.neighbours.importing import import_responses

# Run a says two sentences on q and one on r; run b one on q, which cites nothing.
ANSWERS = [
    {"run_id": "a", "topic_id": "q", "answer": [("One.", ["d1", "d2"]), ("Two.", ["d3"]), ("Three.", [])]},
    {"run_id": "a", "topic_id": "r", "answer": [("Four.", ["d1", "d4"])]},
    {"run_id": "b", "topic_id": "q", "answer": [("Five.", [])]},
]
# d2 was not asked about; what was said of d4 can't be read.
GRADED = {("One.", "q", "d1"): 2, ("Two.", "q", "d3"): 1, ("Four.", "r", "d1"): 0, ("Four.", "r", "d4"): None}


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    folder = tmp_path_factory.mktemp("support")
    store = Store(folder / "store")
    lines = [one | {"answer": [{"text": text, "citations": cited} for text, cited in one["answer"]]} for one in ANSWERS]
    (folder / "answers").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    (folder / "run").write_text("q Q0 d1 1 1.0 other\n")
    import_responses(store, "c", folder / "answers")
    import_run(store, "c", folder / "run")
    said = statements(store.snapshot("c")).set_index("statement")["statement_id"]
    rows = [("judge", said[text], query, doc_id, grade) for (text, query, doc_id), grade in GRADED.items()]
    frame = GRADES.frame(dict(zip(GRADES.names[:5], map(list, zip(*rows, strict=True)), strict=True)))
    store.describe_grader("c", "judge", {"kind": "support", "scale": 2})
    store.add_grades("c", "judge", frame)
    return store.snapshot("c")


@pytest.fixture(scope="module")
def found(snapshot):
    return support(snapshot, "judge")


def test_precision_is_of_known_citations_and_recall_of_sentences(found):
    rows = found.rows.set_index("run_id")
    # a on q: citations 1 and 1/2; sentences 1, 1/2 and 0. a on r: the only known citation is worth 0.
    assert rows.loc["a", ["precision", "recall"]].tolist() == [(3 / 4 + 0) / 2, (1 / 2 + 0) / 2]
    assert rows.loc["a", "precision_stderr"] == pytest.approx(np.std([3 / 4, 0], ddof=1) / 2**0.5)
    assert np.isnan(rows.loc["b", "precision"])
    assert rows.loc["b", "recall"] == 0
    counts = ["n_queries", "sentences", "citing", "full", "partial", "none", "unread", "ungraded"]
    assert rows[counts].to_dict("split")["data"] == [[2, 4, 3, 1, 1, 1, 1, 1], [1, 1, 0, 0, 0, 0, 0, 0]]


def test_the_first_citation_alone_can_be_looked_at(snapshot):
    row = support(snapshot, "judge", cited="first").rows.set_index("run_id").loc["a"]
    assert row[["precision", "unread", "ungraded"]].tolist() == [(3 / 4 + 0) / 2, 0, 0]


def test_what_is_left_out_is_said(found):
    assert found.notes == [
        "1 citation of 1 passage not asked about yet: they are left out. Grade again, or bring texts with: examboard "
        "import passages FILE",
        "1 citation whose answer can't be read: they are left out.",
    ]


def test_what_is_missing_is_what_sentences_cite_and_nobody_asked(snapshot):
    left, all_of = cited_work(snapshot, "judge"), cited_work(snapshot, "another")
    pairs, questions = left.pairs.iloc[left.pair], left.questions.iloc[left.question]
    assert (pairs["doc_id"].tolist(), questions["question_text"].tolist(), left.graded) == (["d2"], ["One."], 4)
    assert (len(all_of.pair), all_of.graded) == (5, 0)


def test_such_a_grader_is_none_of_a_board(snapshot):
    assert choose_citation_grader(snapshot, None) == "judge"
    assert (graders(snapshot), graded_banks(snapshot), summary(snapshot)["graders"]) == ([], {}, [])


def test_a_collection_without_citations_is_refused(tmp_path):
    store = Store(tmp_path / "store")
    (tmp_path / "run").write_text("q Q0 d1 1 1.0 other\n")
    import_run(store, "c", tmp_path / "run")
    with pytest.raises(UsageError, match="No run of c cites a passage"):
        support(store.snapshot("c"), "judge")
