"""Which runs a filter hides."""

import pytest

from exam_core.hiding import hidden_runs, telling_words

RUNS = ("idst_bert_p1", "idst_bert_r1", "p_exp", "BM25base", "bm25tuned_prf")


@pytest.mark.parametrize(
    ("words", "hidden"),
    [
        ("", ""),
        (" - * ", ""),
        ("bm25", "idst_bert_p1 idst_bert_r1 p_exp"),
        ("idst bm25", "p_exp"),
        ("p_*", "idst_bert_p1 idst_bert_r1 BM25base bm25tuned_prf"),
        ("-bm25", "BM25base bm25tuned_prf"),
        ("-p_* -base", "p_exp BM25base"),
        ("bert -_p1", "idst_bert_p1 p_exp BM25base bm25tuned_prf"),
        ("nothing", ""),
    ],
)
def test_a_filter_hides_runs_by_words_of_their_names(words, hidden):
    assert hidden_runs(words, RUNS) == tuple(hidden.split())
    assert hidden_runs(telling_words(words, RUNS), RUNS) == tuple(hidden.split())


@pytest.mark.parametrize(
    ("words", "left"),
    [("-secret idst* -BM25", "idst* -BM25"), ("bert SECRET*", "bert"), ("secret -bm25", ""), ("-secret", "")],
)
def test_words_that_no_run_has_are_taken_out_of_a_filter(words, left):
    assert telling_words(words, RUNS) == left
