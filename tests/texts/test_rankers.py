"""Lexical rankers: formulas by hand, and where an answer stands among documents."""

import math

import numpy as np
import pytest

from exam_core.texts.rankers import RANKERS, Counted, bm25, dph, places, terms, tfidf

TEXTS = ["rain rain cloud", "sun", "rain and sun sun sun"]
"""Lengths without stop words 3, 1 and 4; mean 8/3."""


def test_terms_are_stems_without_stop_words_as_often_as_they_occur():
    assert terms("The clouds and the Cloud") == ["cloud", "cloud"]


def test_a_query_is_counted_in_each_text():
    counted = Counted.of("rain, rain and snow?", TEXTS)
    assert (counted.wanted.tolist(), counted.counts.tolist()) == ([2, 1], [[2, 0], [0, 0], [1, 0]])
    assert (counted.lengths.tolist(), counted.mean_length) == ([3, 1, 4], pytest.approx(8 / 3))


def test_bm25_by_hand():
    # df 2 of 3: ln(1 + 1.5 / 2.5); first: 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / (8/3)))
    idf, factor = math.log(1.6), 1.2 * (0.25 + 0.75 * 9 / 8)
    assert bm25(Counted.of("rain", TEXTS))[:2] == pytest.approx([idf * 4.4 / (2 + factor), 0])


def test_tfidf_by_hand():
    # Robertson's frequency 1.2 * 2 / (2 + 1.2 * (0.25 + 0.75 * 9/8)), times log2(3/2 + 1)
    expected = 2.4 / (2 + 1.2 * (0.25 + 0.75 * 9 / 8)) * math.log2(2.5)
    assert tfidf(Counted.of("rain", TEXTS))[0] == pytest.approx(expected)


def test_dph_by_hand():
    # first text: tf 2 of 3, f = 2/3; the collection has 3; norm (1/3)^2 / 3
    surprise = 2 * math.log2(2 * (8 / 3) / 3 * (3 / 3)) + 0.5 * math.log2(2 * math.pi * 2 / 3)
    found = dph(Counted.of("rain", TEXTS))
    assert found[:2] == pytest.approx([surprise / 27, 0])


def test_a_text_of_one_term_alone_adds_nothing_to_dph():
    assert dph(Counted.of("sun", TEXTS))[1] == 0


@pytest.mark.parametrize("ranker", RANKERS)
def test_an_answer_is_ranked_with_the_documents_and_no_other_answer(ranker):
    answers = ["rain rain cloud sky", "snow", "cloud"]
    ranks, scores = places(ranker, "why does rain fall", TEXTS, answers)
    alone = [places(ranker, "why does rain fall", TEXTS, [answer]) for answer in answers]
    assert ranks.tolist() == [int(found[0][0]) for found in alone]
    assert scores.tolist() == [float(found[1][0]) for found in alone]
    # the statistics are of the documents and the answer: a slow twin ranks the four texts
    for place, answer in enumerate(answers):
        all_four = RANKERS[ranker](Counted.of("why does rain fall", [*TEXTS, answer]))
        assert ranks[place] == sum(one >= all_four[-1] for one in all_four[:-1])


def test_a_document_with_the_answers_score_stands_before_it():
    # nothing matches: all three documents have 0, too
    assert places("bm25", "snow", TEXTS, ["ice"])[0].tolist() == [3]
    assert places("bm25", "rain", TEXTS, [TEXTS[0]])[0].tolist() == [1]


@pytest.mark.parametrize("ranker", RANKERS)
def test_empty_texts_and_queries_have_finite_scores(ranker):
    for query, texts in (("", TEXTS), ("rain", ["", ""]), ("the", ["the"])):
        assert np.isfinite(RANKERS[ranker](Counted.of(query, texts))).all()
    assert places(ranker, "rain", [], ["rain fell"])[0].tolist() == [0]
