"""Displacement of tagged runs on the demo: by slow loops, by all methods together, and what can't be told."""

import shutil

import numpy as np
import pytest
from scipy import stats

from exam_core.actions.tagging import tag_runs
from exam_core.analysis.choosing import choose
from exam_core.analysis.figures import figures_of
from exam_core.analysis.outliers import ALL
from exam_core.analysis.references import needed_reference
from exam_core.analysis.values import counted_values
from exam_core.errors import UsageError
from exam_core.numbers.resampling import bootstrap_counts
from exam_core.request import Request
from exam_core.store import Store
from exam_core.wings.trust.circularity import circularity
from exam_core.wings.trust.slides import circularity_sentences
from tests.exam_numbers.test_group_displacement import slow_rank, slow_score

TAGGED = {"bm25": ["saw the bank", "llm"], "lsa-40": ["llm"], "tfidf": ["llm"]}
JUDGED = "qrels:nDCG@10"


@pytest.fixture(scope="module")
def snapshot(demo_store, tmp_path_factory):
    path = tmp_path_factory.mktemp("tagged")
    shutil.copytree(demo_store, path, dirs_exist_ok=True)
    store = Store(path)
    known = {
        run for run in TAGGED if run in figures_of(store.snapshot("demo")).boards(ASKED)[0].rows["run_id"].tolist()
    }
    tag_runs(store, "demo", {run: tags for run, tags in TAGGED.items() if run in known})
    yield store.snapshot("demo")
    del store


ASKED = Request("P@20", bank="open", tau=3, reference=JUDGED)


def test_each_method_has_the_displacement_of_a_slow_twin(snapshot):
    choice = choose(snapshot, ASKED)
    found = circularity(snapshot, [choice], draws=50)
    mine, theirs = counted_values(snapshot, choice), needed_reference(snapshot, JUDGED, choice)
    order = theirs.scores[mine.run_ids].to_numpy(float)
    assert set(found.tags) == {"llm", "saw the bank"}
    for row in found.rows.itertuples():
        group = np.isin(mine.run_ids, found.tags[row.tag])
        assert row.score_displacement == pytest.approx(slow_score(mine.values.mean(axis=1), order, group), abs=1e-12)
        assert row.rank_displacement == pytest.approx(slow_rank(mine.values.mean(axis=1), order, group), abs=1e-12)
        assert (row.n_tagged, row.n_others) == (group.sum(), (~group).sum())
        assert row.score_low < row.score_displacement < row.score_high
        assert row.rank_low <= row.rank_high


def test_the_interval_of_places_is_that_of_a_slow_bootstrap(snapshot):
    choice = choose(snapshot, ASKED)
    row = circularity(snapshot, [choice], ["llm"], draws=60, seed=3).rows.iloc[0]
    mine, theirs = counted_values(snapshot, choice), needed_reference(snapshot, JUDGED, choice).values
    judged = theirs.values[[theirs.run_ids.index(run) for run in mine.run_ids]]
    assert mine.query_ids == theirs.query_ids
    group, moved = np.isin(mine.run_ids, ["bm25", "lsa-40", "tfidf"]), []
    for counts in bootstrap_counts(len(mine.query_ids), 60, 3):
        drawn = np.repeat(np.arange(len(counts)), counts)
        sides = (np.array([np.mean(run[drawn]) for run in values]).round(9) for values in (mine.values, judged))
        moved.append(round(slow_rank(*sides, group), 9))
    # Each value stands at the share of the draws below it and half of those that have it.
    places = [(sum(one < value for one in moved) + moved.count(value) / 2, value) for value in sorted(set(moved))]
    n = len(mine.query_ids)
    tail = stats.norm.cdf(-np.sqrt(n / (n - 1)) * stats.t.ppf(0.975, n - 1))
    expected = np.interp([tail * 60, (1 - tail) * 60], *zip(*places, strict=True))
    assert (row.rank_low, row.rank_high) == pytest.approx(tuple(expected))


def test_all_methods_together_are_their_mean_and_scores_only_of_one_measure(snapshot):
    alike = [choose(snapshot, ASKED.but(tau=tau)) for tau in (2, 4)]
    rows = circularity(snapshot, alike, ["llm"], draws=50).rows.set_index("method")
    for name in ("score_displacement", "rank_displacement"):
        assert rows.loc[ALL, name] == pytest.approx(rows.drop(ALL)[name].mean())
    mixed = [choose(snapshot, ASKED.but(measure=measure)) for measure in ("P@20", "Cover@20")]
    found = circularity(snapshot, mixed, ["llm"], draws=50)
    last = found.rows.set_index("method").loc[ALL]
    assert np.isnan([last.score_displacement, last.score_low]).all()
    assert not np.isnan(last.rank_displacement)
    assert "of 2 methods" in circularity_sentences(found)[0]


def test_a_tag_that_nobody_has_is_refused_with_those_that_there_are(snapshot):
    with pytest.raises(UsageError, match=r"has the tag gpt\. There are: llm, saw the bank"):
        circularity(snapshot, [choose(snapshot, ASKED)], ["gpt"])


def test_without_tags_the_answer_says_how_to_give_one(demo_store):
    plain = Store(demo_store).snapshot("demo")
    with pytest.raises(UsageError, match="examboard tags demo"):
        circularity(plain, [choose(plain, ASKED)])


def test_the_same_seed_gives_the_same_answer(snapshot):
    choices = [choose(snapshot, ASKED)]
    first, second = (circularity(snapshot, choices, ["llm"], draws=50, seed=3) for _ in range(2))
    assert first.rows.equals(second.rows)
