"""Votes of graders: against a twin that loops over passages, at both ends, and the figures of DL19."""

from collections import defaultdict
from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from exam_core.analysis.choosing import with_ensembles
from exam_core.analysis.figures import figures_of
from exam_core.errors import UsageError
from exam_core.numbers.resampling import bootstrap_counts
from exam_core.request import Request
from exam_core.wings.trust.votes import voters, votes
from tests.analysis.electorate import electorate

GRADERS = {"a": "1100110?101-", "b": "101101100110", "c": "111000101101"}

JUDGED = "21032-012302"

DEFAULT = {"HELM": 1, "NuggetSelfRatedPrompt": 4, "Thomas": 1}

"""Default taus of some modes of DL19: one below the scale's end, at least 1."""


def slow_votes(snapshot, cuts):
    """The figures by loops over dictionaries: accuracy and error correlation over common, judged passages."""
    labels, judged = defaultdict(dict), {}
    readable = "SELECT * FROM grades WHERE grade IS NOT NULL AND list_contains($1, grader_id)"
    for row in snapshot.query(readable, [list(cuts)]).itertuples():
        labels[row.query_id, row.doc_id][row.grader_id] = row.grade >= cuts[row.grader_id]
    for row in snapshot.frame("judgments").itertuples():
        judged[row.query_id, row.doc_id] = row.relevance >= 2
    common = {key: found for key, found in labels.items() if len(found) == len(cuts)}
    used = [key for key in common if key in judged]
    right = {name: [common[key][name] == judged[key] for key in used] for name in cuts}
    pairs = [np.corrcoef(right[one], right[other])[0, 1] for one, other in combinations(cuts, 2)]
    majority = [(2 * sum(common[key].values()) > len(cuts)) == judged[key] for key in used]
    kappas = [
        cohen_kappa_score([v[one] for v in common.values()], [v[other] for v in common.values()])
        for one, other in combinations(cuts, 2)
    ]
    r = sum(pairs) / len(pairs)
    return {
        "accuracy": [sum(hits) / len(used) for hits in (*right.values(), majority)],
        "correlation": pairs,
        "kappa": kappas,
        "votes": len(cuts) / (1 + (len(cuts) - 1) * r),
        "judged": len(used),
        "common": len(common),
    }


def check(snapshot, cuts):
    found, slow = votes(snapshot, list(cuts), Request(), draws=20), slow_votes(snapshot, cuts)
    assert found.rows["accuracy"].tolist() == pytest.approx(slow["accuracy"])
    assert found.pairs["error_correlation"].tolist() == pytest.approx(slow["correlation"])
    assert found.pairs["kappa"].tolist() == pytest.approx(slow["kappa"])
    assert found.votes == pytest.approx(slow["votes"])
    assert (found.passages, found.judged) == (slow["common"], slow["judged"])


def test_the_figures_are_those_of_loops_over_passages(tmp_path):
    check(electorate(tmp_path, GRADERS, JUDGED), dict.fromkeys(GRADERS, 1))


def test_the_figures_of_real_grades_are_those_of_loops_over_passages(dl19):
    check(dl19, DEFAULT)


def test_the_majority_is_the_grading_mode_of_that_name(dl19):
    found = votes(dl19, list(DEFAULT), Request(), draws=20)
    own = figures_of(dl19, found.majority).agreement(Request(grader=found.majority, tau=1))
    last = found.rows.iloc[-1]
    assert (own.confusion.trace() / own.n, own.kappa) == pytest.approx((last["accuracy"], last["kappa"]))
    assert own.kappa_interval == pytest.approx((last["kappa_low"], last["kappa_high"]))


def test_intervals_are_percentiles_over_draws_of_queries(tmp_path):
    found = votes(electorate(tmp_path, GRADERS, JUDGED), ["a", "b"], Request(), draws=7, seed=5)
    # a and b are right on so many of q0's and q1's passages that both grade, that can be read and are judged
    places = [i for i in range(12) if GRADERS["a"][i] in "01" and GRADERS["b"][i] in "01" and JUDGED[i] != "-"]
    right = [[(GRADERS["a"][i] == "1") == (JUDGED[i] >= "2") for i in places if i % 2 == query] for query in (0, 1)]
    counts = bootstrap_counts(2, 7, 5)
    drawn = [(n @ [sum(hits) for hits in right]) / (n @ [len(hits) for hits in right]) for n in counts]
    expected = np.percentile(drawn, [2.5, 97.5]).tolist()
    assert found.rows.loc[0, ["accuracy_low", "accuracy_high"]].tolist() == pytest.approx(expected)


def test_without_judgments_graders_agree_with_each_other_alone(tmp_path):
    found = votes(electorate(tmp_path, GRADERS), ["a", "b"], Request())
    assert found.pairs["kappa"].notna().all()
    assert found.rows["accuracy"].isna().all()
    assert np.isnan([found.votes, found.gain, *found.votes_interval]).all()
    assert any("has a judgment in official" in note for note in found.notes)


def test_one_grader_is_one_vote_and_is_asked_for_company(tmp_path):
    found = votes(electorate(tmp_path, GRADERS, JUDGED), ["b"], Request())
    assert (found.votes, len(found.rows), len(found.pairs)) == (1, 1, 0)
    assert found.notes[0].startswith("b is the only grading mode that votes")


def test_an_ensemble_does_not_vote_by_default(tmp_path):
    snapshot = electorate(tmp_path, GRADERS, JUDGED)
    assert voters(with_ensembles(snapshot, ["majority(a,b)"])) == ["a", "b", "c"]


@pytest.mark.parametrize("graders", [[], ["a", "a@1"]])
def test_each_votes_once(tmp_path, graders):
    with pytest.raises(UsageError, match="Name the grading modes that vote, each once"):
        votes(electorate(tmp_path, GRADERS, JUDGED), graders, Request())
