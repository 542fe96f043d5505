"""Length and place at equal judgment: slopes beside a regression and in simulation, own family, what is refused."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau
from thoroughly import thoroughly

from exam_core.actions.tagging import tag_run
from exam_core.analysis.choosing import evaluation_of
from exam_core.errors import UsageError
from exam_core.request import Request
from exam_core.store import Store
from exam_core.tags import SAME_FAMILY
from exam_core.wings.trust.circularity import circularity
from exam_core.wings.trust.taste import effect_interval, effect_sums, family_tags, own_family, taste, taste_sentences

OWN = "lexical.pourpre-idf"


def evaluation(snapshot, **asked):
    return evaluation_of(snapshot, Request(**({"measure": "P@20", "bank": "open", "tau": 3} | asked)), OWN)[0]


def judged_grades(snapshot):
    """Mean grade on the open bank and judgment of each passage that has both."""
    bank = snapshot.frame("questions").query("bank_id == 'open'")["question_id"]
    grades = snapshot.frame("grades")
    grades = grades[grades["question_id"].isin(bank) & grades["grade"].notna()]
    means = grades.groupby(["query_id", "doc_id"])["grade"].mean().reset_index()
    return means.merge(snapshot.frame("judgments")[["query_id", "doc_id", "relevance"]])


def by_dummies(frame):
    """Least squares of the grade on the size with a dummy for each query and judgment."""
    groups = pd.get_dummies(frame["query_id"] + "/" + frame["relevance"].astype(str)).to_numpy(float)
    design = np.column_stack([np.log2(frame["size"]), groups])
    return np.linalg.lstsq(design, frame["grade"].to_numpy(float), rcond=None)[0][0]


def test_the_slope_is_that_of_a_regression_with_a_dummy_for_each_query_and_judgment(demo):
    texts = demo.frame("passages").assign(size=lambda frame: frame["passage_text"].str.split().str.len())
    frame = judged_grades(demo).merge(texts[["doc_id", "size"]])
    frame = frame[frame["size"] > 0]
    result = taste(demo, evaluation(demo), draws=100, seed=0)
    assert result.passages == len(frame)
    assert result.slope == pytest.approx(by_dummies(frame))
    assert result.rows["passages"].sum() == len(frame)


def test_the_leaderboard_at_equal_length_is_that_of_grades_less_what_length_adds(demo):
    result = taste(demo, evaluation(demo), draws=10, seed=0)
    bank = demo.frame("questions").query("bank_id == 'open'")["question_id"]
    grades = demo.frame("grades").dropna(subset=["grade"])
    means = grades[grades["question_id"].isin(bank)].groupby(["query_id", "doc_id"])["grade"].mean().reset_index()
    texts = demo.frame("passages").assign(size=lambda frame: frame["passage_text"].str.split().str.len())
    every = means.merge(texts[["doc_id", "size"]]).query("size > 0")
    length = np.log2(every["size"])
    kendalls = {}
    for slope in (result.slope, *result.slope_interval):
        equal = every.assign(equal=every["grade"] - slope * (length - length.mean()))
        ranked = demo.frame("rankings").query("rank <= 20").merge(equal, on=["query_id", "doc_id"])
        runs = ranked.groupby(["run_id", "query_id"])[["grade", "equal"]].mean().groupby("run_id").mean().round(9)
        kendalls[slope] = kendalltau(runs["grade"], runs["equal"])[0]
    assert result.kendall == pytest.approx(kendalls[result.slope])
    low, high = result.kendall_interval
    assert low <= min(kendalls.values()) + 1e-9
    assert high >= max(kendalls.values()) - 1e-9


@pytest.mark.parametrize(("order", "column"), [("score", "rank"), ("rank", "source_rank")])
def test_a_place_is_the_first_one_that_a_run_gives_within_the_depth(demo, order, column):
    ranked = demo.frame("rankings")
    ranked = ranked[ranked[column] <= 10]
    places = ranked.groupby(["query_id", "doc_id"])[column].min().rename("size").reset_index()
    frame = judged_grades(demo).merge(places)
    result = taste(demo, evaluation(demo, measure="P@10", order=order, depth=10), "position", draws=100, seed=0)
    assert result.passages == len(frame)
    assert result.slope == pytest.approx(by_dummies(frame))
    assert result.rows["most"].max() == 15
    assert np.isnan(result.kendall)
    assert "does not know its place" in result.notes[0]


def test_runs_of_the_graders_family_are_displaced_as_circularity_says(demo, own_store):
    run, other = demo.frame("rankings")["run_id"].unique()[:2]
    assert own_family(demo, evaluation(demo), draws=50, seed=0) is None
    tag_run(store := Store(own_store), "demo", run, [SAME_FAMILY])
    tag_run(store, "demo", other, ["uses an LLM"])
    snapshot = store.snapshot("demo")
    choice = evaluation(snapshot)
    alone = circularity(snapshot, [choice], [SAME_FAMILY], draws=50, seed=0)
    assert own_family(snapshot, choice, draws=50, seed=0).rows.equals(alone.rows)


@pytest.mark.parametrize(("tag", "is_own"), [("flan-t5-large", True), ("uses FLAN-T5-large", True), ("T5", False)])
def test_a_tag_that_names_the_model_says_its_family(tag, is_own):
    snapshot = SimpleNamespace(graders={"g": {"llm": "google/flan-t5-large"}}, tags=(("run", (tag,)),))
    assert family_tags(snapshot, "g") == [tag] * is_own


def test_a_board_at_equal_length_is_the_same_where_length_does_nothing(demo, monkeypatch):
    from exam_core.wings.trust import taste as module

    monkeypatch.setattr(module, "effect_interval", lambda _: (0.0, (0.0, 0.0)))
    result = taste(demo, evaluation(demo), draws=10, seed=0)
    assert (result.kendall, result.kendall_interval, result.places) == (1.0, (1.0, 1.0), 0.0)
    assert "no run moves" in taste_sentences(result, demo)[1]


@pytest.mark.parametrize("slope", [0.15, *thoroughly(0.0)])
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
