"""What each query adds to a displacement."""

import pandas as pd
import pytest

from exam_core.wings.explanations.explanation import contributions_alternative, contributions_figure

QUERIES = pd.DataFrame(
    {
        "query_id": ["<i>q1", "q2", "q3"],
        "query_text": ["what?", None, "x" * 200],
        "value": [0.5, 0.2, 0.1],
        "neighbours": [0.1, 0.3, 0.1],
        "difference": [0.4, -0.1, 0.0],
        "contribution": [0.4 / 3, -0.1 / 3, 0.0],
    }
)


def test_bars_are_what_the_queries_add():
    bars = contributions_figure(QUERIES, "run").data[0]
    assert list(bars.x) == pytest.approx([0.4 / 3, -0.1 / 3, 0])
    assert [name for name, *_ in bars.customdata] == ["&lt;i&gt;q1", "q2", "q3"]
    assert list(bars.text) == ["+0.133", "-0.033", "+0.000"]
    assert bars.marker.color[0] != bars.marker.color[1]


def test_bars_have_the_words_of_their_query():
    names = contributions_figure(QUERIES, "run").layout.yaxis.ticktext
    assert names[:2] == ("what?", "q2")
    assert len(names[2]) < 40


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (QUERIES, "run is ahead of its neighbours on 1 of 3 queries and behind on 1. Query <i>q1 moves it most."),
        (QUERIES.head(0), "There are no queries."),
    ],
    ids=["queries", "none"],
)
def test_contributions_in_words(rows, words):
    assert contributions_alternative(rows, "run") == words
