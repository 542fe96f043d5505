"""Length at equal judgment: the slope beside a regression, in simulation, and what is refused."""

import numpy as np
import pandas as pd
import pytest

from exam_core.analysis.choosing import evaluation_of
from exam_core.errors import UsageError
from exam_core.request import Request
from exam_core.wings.judges.taste import effect_interval, effect_sums, taste, taste_sentences

OWN = "lexical.pourpre-idf"


def evaluation(snapshot, **asked):
    return evaluation_of(snapshot, Request(**({"measure": "P@20", "bank": "open", "tau": 3} | asked)), OWN)[0]


def by_dummies(frame):
    """Least squares of the grade on the length with a dummy for each query and judgment."""
    groups = pd.get_dummies(frame["query_id"] + "/" + frame["relevance"].astype(str)).to_numpy(float)
    design = np.column_stack([np.log2(frame["words"]), groups])
    return np.linalg.lstsq(design, frame["grade"].to_numpy(float), rcond=None)[0][0]


def test_the_slope_is_that_of_a_regression_with_a_dummy_for_each_query_and_judgment(demo):
    bank = demo.frame("questions").query("bank_id == 'open'")["question_id"]
    grades = demo.frame("grades")
    grades = grades[grades["question_id"].isin(bank) & grades["grade"].notna()]
    means = grades.groupby(["query_id", "doc_id"])["grade"].mean().reset_index()
    texts = demo.frame("passages").assign(words=lambda frame: frame["passage_text"].str.split().str.len())
    frame = means.merge(texts[["doc_id", "words"]]).merge(demo.frame("judgments")[["query_id", "doc_id", "relevance"]])
    frame = frame[frame["words"] > 0]
    result = taste(demo, evaluation(demo), draws=100, seed=0)
    assert result.passages == len(frame)
    assert result.slope == pytest.approx(by_dummies(frame))
    assert result.rows["passages"].sum() == len(frame)


def test_a_board_at_equal_length_is_the_same_where_length_does_nothing(demo, monkeypatch):
    from exam_core.wings.judges import taste as module

    monkeypatch.setattr(module, "effect_interval", lambda _: (0.0, (0.0, 0.0)))
    result = taste(demo, evaluation(demo), draws=10, seed=0)
    assert (result.kendall, result.places) == (1.0, 0.0)
    assert "no run moves" in taste_sentences(result, demo)[1]


@pytest.mark.parametrize("slope", [0.0, 0.15])
def test_a_slope_lies_in_its_interval_in_95_of_100_samples_and_none_is_rarely_flagged(slope):
    rng, inside, queries, each = np.random.default_rng(11), 0, 30, 40
    query = np.repeat(np.arange(queries), each)
    for _ in range(500):
        relevance = rng.integers(0, 3, len(query))
        length = rng.normal(6, 0.8, len(query)) + rng.normal(0, 0.3, queries)[query]
        own = slope + rng.normal(0, 0.1, queries)
        grade = relevance + own[query] * length + rng.normal(0, 1, len(query))
        sums = effect_sums(grade, length, query * 3 + relevance, query, queries)
        _, (low, high) = effect_interval(sums)
        inside += low <= slope <= high
    assert 0.93 <= inside / 500 <= 0.99


def test_what_can_not_be_looked_at_is_refused(demo):
    with pytest.raises(UsageError, match="no taste to look for"):
        taste(demo, evaluation(demo, judgments="official"), draws=10, seed=0)
