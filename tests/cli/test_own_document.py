"""`--own-document no` gives the values that ir_measures gives for runs without the queries' own documents."""

import ir_measures
import pytest

from exam_core.measures.trec_eval import reference_measure

ARGUANA = {
    "a.run": "q1 Q0 q1 1 9 a\nq1 Q0 d1 2 8 a\nq1 Q0 d2 3 7 a\nq2 Q0 d3 1 5 a\nq2 Q0 q2 2 4 a\nq2 Q0 d1 3 3 a\n",
    "b.run": "q1 Q0 d2 1 9 b\nq1 Q0 q2 2 8 b\nq2 Q0 d1 1 5 b\n",
    "test.qrels": "q1 0 d2 1\nq1 0 q2 1\nq2 0 d1 2\n",
}


@pytest.fixture
def arguana(examboard, once):
    def fill(folder):
        for name, text in ARGUANA.items():
            (folder / name).write_text(text)
        files = [folder / name for name in ARGUANA]
        assert examboard(folder / "store", "import", "files", *files, "--collection", "mine").status == 0

    return once("arguana", fill) / "store"


@pytest.mark.parametrize(
    ("measure", "own_document"), [("nDCG@10", "yes"), *((name, "no") for name in ("nDCG@10", "AP", "RR", "P@2", "R@2"))]
)
def test_the_leaderboard_is_that_of_ir_measures_over_runs_without_them(told, arguana, measure, own_document):
    options = ["--measure", measure, "--relevant-from", "1", "--depth", "10", "--own-document", own_document]
    board = told("leaderboard", "mine", *options, store=arguana)
    qrels = list(ir_measures.read_trec_qrels(ARGUANA["test.qrels"]))
    for row in board["rows"]:
        run = [
            ranked
            for ranked in ir_measures.read_trec_run(ARGUANA[f"{row['run_id']}.run"])
            if own_document == "yes" or ranked.doc_id != ranked.query_id
        ]
        wanted = reference_measure(measure)
        assert row["mean"] == pytest.approx(ir_measures.calc_aggregate([wanted], qrels, run)[wanted], abs=1e-9)
    assert ("own_document" in board) == (own_document == "no")
    assert any("own documents" in note for note in board["notes"]) == (own_document == "no")


def test_a_passage_below_the_own_document_comes_within_depth(told, arguana):
    means = {}
    for own_document in ("yes", "no"):
        options = ["--measure", "P@2", "--relevant-from", "1", "--depth", "2", "--own-document", own_document]
        board = told("leaderboard", "mine", *options, store=arguana)
        means[own_document] = {row["run_id"]: row["mean"] for row in board["rows"]}
        assert board["ungraded"]["slots_missing"] == 0
    # a: d2 of q1 and d1 of q2 move from place 3 to 2; b: nothing changes, q2 is another query's document
    assert means == {"yes": {"a": 0.0, "b": 0.75}, "no": {"a": 0.5, "b": 0.75}}


def test_a_question_says_so_and_another_word_is_refused(told, examboard, arguana):
    result = told("significance", "mine", "--measure", "P@2", "--own-document", "no", store=arguana)
    assert result["own_document"] == "no"
    refused = examboard(arguana, "leaderboard", "mine", "--own-document", "never")
    assert refused.status == 2
    assert "never" in refused.err


def test_collections_beside_each_other_heed_what_is_left_out(told):
    options = ["--measures", "P@20", "--draws", "20", "--others", "demo-nuggets"]
    result = told("across", "demo", "--bank", "open", *options, "--own-document", "no", "--without", "bm25")
    assert (result["own_document"], result["without"]) == ("no", ["bm25"])
    runs = {row["collection"]: row["n"] for row in told("across", "demo", "--bank", "open", *options)["rows"]}
    assert [row["n"] for row in result["rows"] if row["collection"] == "demo"] == [runs["demo"] - 1]
