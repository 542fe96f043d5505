"""Each query's correlation of runs and shrunk coefficients on the demo: as scipy has them, disagreement first."""

import numpy as np
import pytest
from scipy import stats

from exam_core.analysis.agreement_matrices import agreement_rows, disagreement_sentence
from exam_core.analysis.choosing import choose
from exam_core.analysis.figures import figures_of
from exam_core.analysis.passage_evidence import correlations_of
from exam_core.analysis.references import needed_reference
from exam_core.analysis.values import counted_values
from exam_core.request import Request
from exam_core.store import Store
from tests.store.store_samples import passages, reading

ASKED = Request("P@20", bank="open", tau=3)


@pytest.fixture(scope="module")
def snapshot(demo_store):
    store = Store(demo_store)
    yield store.snapshot("demo")
    del store


def test_each_query_has_the_correlations_of_scipy(snapshot):
    choice = choose(snapshot, ASKED)
    mine = counted_values(snapshot, choice)
    theirs = needed_reference(snapshot, "qrels:P@20", choice).values
    correlation = correlations_of(snapshot, ASKED)
    assert (correlation.reference, correlation.runs) == ("qrels:P@20:relevant_from=2", len(mine.run_ids))
    rows = [theirs.run_ids.index(run) for run in mine.run_ids]
    for row in correlation.rows.itertuples():
        ours = mine.values[:, mine.query_ids.index(row.query_id)]
        judged = theirs.values[rows, theirs.query_ids.index(row.query_id)]
        if np.isnan(row.kendall):
            assert min(np.ptp(ours), np.ptp(judged)) == 0
        else:
            assert row.kendall == pytest.approx(stats.kendalltau(ours, judged).statistic, abs=1e-9)
            assert row.spearman == pytest.approx(stats.spearmanr(ours, judged).statistic, abs=1e-9)
    assert correlation.rows["kendall"].notna().sum() >= 5


def test_queries_where_grader_and_judges_part_come_first(snapshot):
    agreement = figures_of(snapshot).agreement(ASKED)
    shrunk = agreement.per_query["kappa_shrunk"].dropna()
    assert shrunk.is_monotonic_increasing
    assert (shrunk.max() - shrunk.min()) < np.ptp(agreement.per_query["kappa"].dropna())
    assert agreement.per_query["query_id"].iloc[0] in disagreement_sentence(agreement)
    assert (agreement.per_query["kendall_shrunk_low"].dropna() <= agreement.per_query["kendall_shrunk"].dropna()).all()


def test_all_queries_together_have_no_shrunk_kappa(snapshot):
    rows = agreement_rows(figures_of(snapshot).agreement(ASKED), "csv", per_query=True).set_index("query_id")
    assert rows.loc["all", ["kappa_shrunk", "kendall"]].isna().all()


def test_a_collection_without_runs_says_so(tmp_path):
    store = Store(tmp_path)
    store.commit("c", reading(passages("d1")), source="a")
    correlation = correlations_of(store.snapshot("c"), Request())
    assert (len(correlation.rows), correlation.notes) == (0, ["There are no runs: no correlation of runs by query."])
