"""Agreement of labels with judgments: every cut, each query, facets, and printed counts."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, precision_recall_fscore_support

from exam_core.analysis import printed
from exam_core.analysis.agreement import (
    CELLS,
    GRID,
    UNJUDGED,
    _scale_notes,
    agreement_grid,
    contingency,
    grid_notes,
    relevances_of_pairs,
)
from exam_core.analysis.choice import TAUS
from exam_core.analysis.choosing import choose
from exam_core.analysis.values import gradebook
from exam_core.request import Request
from exam_core.store import Store
from exam_core.tables import UNREADABLE
from tests.analysis.twins import agreement_of

from .twins import Twin
from .worlds import store_of, world

RATER = {"measure": "P@1", "bank": "genq", "grader": "rater"}


def judged_world(path, judgments, *, queries=("q",), ranked=None, grader="labels"):
    """A store of direct labels 0, 1, 2 for passages a, b, c of each query."""
    return store_of(
        path,
        {
            "grades": [(grader, None, query, doc, label) for query in queries for label, doc in enumerate("abc")],
            "rankings": [("run", unit, "a", 1, 1, 1.0, False) for unit in ranked or queries],
            "judgments": [("official", *row) for row in judgments],
        },
    )


def labels_of(snapshot, **options):
    return choose(snapshot, Request(measure="P@1", grader="labels", **options))


def test_each_pair_has_the_relevance_of_its_judgment_or_none(plain_world):
    choice = choose(plain_world, Request(**RATER))
    book, rows = gradebook(plain_world, choice.labelling), plain_world.frame("judgments")
    judged = {(row.query_id, row.doc_id): row.relevance for row in rows.itertuples()}
    names = [(book.query_ids[query], doc) for query, doc in zip(book.pair_query, map(str, book.docs), strict=True)]
    expected = [judged.get(name, UNJUDGED) for name in names]
    assert relevances_of_pairs(plain_world, choice.labelling, "official").tolist() == expected


def test_neither_tau_nor_measure_nor_label_rank_joins_the_judgments_again(tmp_path):
    store_of(tmp_path, world(1))
    held = Store(tmp_path)  # results are kept as long as somebody has the store
    snapshot = held.snapshot("world")
    choice = choose(snapshot, Request(**RATER))
    other = choose(snapshot, Request(**(RATER | {"measure": "Cover@20"}), tau=2, label_rank=3))
    first, second = (relevances_of_pairs(snapshot, one.labelling, "official") for one in (choice, other))
    assert first is second


def test_shared_relevances_cannot_be_overwritten(plain_world):
    with pytest.raises(ValueError, match="read-only"):
        relevances_of_pairs(plain_world, choose(plain_world, Request(**RATER)).labelling, "official")[0] = 3


def test_a_judgment_of_a_page_counts_for_each_of_its_ranked_facets(tmp_path):
    snapshot = judged_world(tmp_path, [("q", "c", 3), ("q", "a", 0)], ranked=["q/x", "q/y"])
    assert agreement_of(snapshot, labels_of(snapshot, tau=2), relevant_from=2).confusion.tolist() == [[2, 0], [0, 2]]


def test_a_facets_own_judgment_comes_before_that_of_its_page(tmp_path):
    snapshot = judged_world(tmp_path, [("q", "c", 3), ("q/x", "c", 0)], ranked=["q/x", "q/y"])
    # c has label 2: judged 0 for facet x, and 3 for facet y
    assert agreement_of(snapshot, labels_of(snapshot, tau=2), relevant_from=2).confusion.tolist() == [[1, 1], [0, 0]]


def test_a_slash_in_a_query_that_no_run_ranks_makes_no_facet(tmp_path):
    snapshot = judged_world(tmp_path, [("q", "c", 3)], queries=("q", "q/x"), ranked=["q"])
    assert agreement_of(snapshot, labels_of(snapshot), relevant_from=2).n == 1


@pytest.mark.parametrize("label_rank", [1, 2, 5, 40])
def test_counts_leave_out_the_unjudged_and_the_unreadable(random_world, label_rank):
    choice = choose(random_world, Request(**RATER, label_rank=label_rank))
    label = gradebook(random_world, choice.labelling).labels(label_rank)
    judged = relevances_of_pairs(random_world, choice.labelling, "official") != UNJUDGED
    counted = contingency(random_world, choice.labelling, "official")
    actual = (int(counted.counts.sum()), counted.unreadable)
    assert actual == ((judged & (label > UNREADABLE)).sum(), (judged & (label <= UNREADABLE)).sum())


def test_unreadable_passages_are_counted_in_a_note(random_world):
    choice = choose(random_world, Request(**RATER))
    unreadable = contingency(random_world, choice.labelling, "official").unreadable
    agreement = agreement_of(random_world, choice, relevant_from=2)
    assert f"{unreadable:,} judged passages have no readable label and are left out." in agreement.notes


def labels_and_relevances(snapshot, choice):
    """The label and the relevance of each passage that has both, by the slow twin."""
    pairs = Twin(snapshot, choice).graded_matrix(snapshot.frame("judgments"))
    return np.array(list(pairs.elements())).T


@pytest.mark.parametrize("tau", TAUS)
def test_precision_recall_and_kappa_are_those_of_scikit_learn(random_world, tau):
    choice = choose(random_world, Request(**RATER, tau=tau))
    label, relevance = labels_and_relevances(random_world, choice)
    predicted, judged = label >= tau, relevance >= 1
    precision, recall, f1, _ = precision_recall_fscore_support(judged, predicted, average="binary")
    agreement = agreement_of(random_world, choice, relevant_from=1)
    expected = [cohen_kappa_score(predicted, judged), precision, recall, f1]
    assert [agreement.kappa, agreement.precision, agreement.recall, agreement.f1] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("label_map", [None, "5=3,4=1", "5=3,4=2,3=2,2=1"])
def test_kappas_of_the_graded_matrix_are_those_of_scikit_learn_over_both_whole_scales(random_world, label_map):
    choice = choose(random_world, Request(**RATER, label_map=label_map))
    label, relevance = labels_and_relevances(random_world, choice)
    agreement = agreement_of(random_world, choice, relevant_from=1)
    assert agreement.multiclass_kappa == pytest.approx(cohen_kappa_score(label, relevance), abs=1e-12)
    for weights in ("linear", "quadratic"):
        every = range(-2, max(label.max(), relevance.max()) + 1)
        expected = cohen_kappa_score(label, relevance, weights=weights, labels=every)
        assert getattr(agreement, f"{weights}_kappa") == pytest.approx(expected, abs=1e-12)


def test_scales_that_end_differently_have_a_note(plain_world):
    agreement = agreement_of(plain_world, choose(plain_world, Request(**RATER)), relevant_from=1)
    assert agreement.scale_notes[0].startswith("Labels run from 0 to 5, judgments from -2 to 3: weighted kappa")
    [of_scale] = _scale_notes(np.array([0, 1, 2, 5]), np.array([0, 3]), 2)
    assert of_scale.startswith("Labels run from 0 to 2, "), "a slip beyond the scale does not change the scale"


def test_one_query_has_no_interval_and_a_note_and_equal_scales_have_none(tmp_path):
    snapshot = judged_world(tmp_path, [("q", "a", 0), ("q", "b", 2), ("q", "c", 1)])
    agreement = agreement_of(snapshot, labels_of(snapshot), relevant_from=1)
    assert (agreement.kappa_interval, agreement.scale_notes) == (None, [])
    assert "too few passages are not relevant" in agreement.notes[-1]


def test_no_judged_passage_leaves_everything_undefined_with_a_note(tmp_path):
    snapshot = judged_world(tmp_path, [("q", "never labelled", 1)])
    agreement = agreement_of(snapshot, labels_of(snapshot), relevant_from=1)
    names = ("kappa", "linear_kappa", "krippendorff_alpha", "precision", "recall", "f1")
    assert np.isnan([getattr(agreement, name) for name in names]).all()
    assert (agreement.n, len(agreement.per_query)) == (0, 0)
    assert "Kappa is undefined: there are no passages, or all have the same label and judgment." in agreement.notes


@pytest.mark.parametrize(("options", "tau"), [({"label_map": "5=3,4=1"}, 4), ({"label_map": "5=0"}, 1)], ids=str)
def test_a_tau_that_no_mapped_label_reaches_leaves_kappa_undefined_and_says_which_would_do(random_world, options, tau):
    agreement = agreement_of(random_world, choose(random_world, Request(**RATER, **options, tau=tau)), relevant_from=2)
    undefined = ["kappa", "precision", "recall", "f1"]
    assert agreement.per_query[undefined].isna().all(axis=None)
    undefined += ["observed_agreement", "gwet_ac1", "pabak"]
    assert np.isnan([getattr(agreement, name) for name in undefined]).all()
    assert (agreement.kappa_interval, agreement.confusion[0].tolist(), agreement.n > 0) == (None, [0, 0], True)
    assert agreement.notes[-1] in (
        "Labels 4=1,5=3 end at 3: none can reach tau 4, and kappa, precision, recall and all else of the 2 x 2 "
        "table are undefined. Tau 3 or less can be reached.",
        "Labels 5=0 end at 0: none can reach tau 1, and kappa, precision, recall and all else of the 2 x 2 "
        "table are undefined. No tau can be reached: every label is 0.",
    )


def test_a_tau_above_every_label_of_a_label_file_leaves_kappa_undefined(tmp_path):
    snapshot = judged_world(tmp_path, [("q", "a", 0), ("q", "b", 2), ("q", "c", 1)])
    agreement = agreement_of(snapshot, labels_of(snapshot, tau=3), relevant_from=1)
    assert np.isnan([agreement.kappa, agreement.precision, agreement.recall, agreement.f1]).all()
    assert agreement.notes[-1].startswith("The labels of labels end at 2: none can reach tau 3")
    assert not np.isnan(agreement.quadratic_kappa)


def test_a_label_beyond_the_scale_can_be_cut_where_that_is_asked_for_and_has_no_row_in_a_grid(tmp_path):
    # a, b and c have labels 0, 1 and 2, on a scale that says 1
    frames = {
        "grades": [("Sun", None, "q", doc, label) for label, doc in enumerate("abc")],
        "judgments": [("official", "q", doc, 1) for doc in "abc"],
    }
    snapshot = store_of(tmp_path, frames, {"Sun": {"kind": "labels", "scale": 1}})
    agreement = agreement_of(snapshot, choose(snapshot, Request(measure="P@1", grader="Sun", tau=2)), relevant_from=1)
    assert (agreement.kappa, agreement.precision, agreement.confusion.tolist()) == (0.0, 1.0, [[1, 0], [2, 0]])
    grid = agreement_grid(snapshot, choose(snapshot, Request(measure="P@1", grader="Sun")).labelling)
    assert grid["tau"].tolist() == [1]


def test_a_query_has_the_agreement_that_it_has_alone(random_world):
    choice = choose(random_world, Request(**RATER, tau=3))
    twin, judgments = Twin(random_world, choice), random_world.frame("judgments")
    for row in agreement_of(random_world, choice, relevant_from=1).per_query.itertuples():
        twin_of_query = Twin(random_world, choice)
        twin_of_query.grades = {row.query_id: twin.grades[row.query_id]}
        counts = dict.fromkeys(CELLS, 0)
        for (label, relevance), n in twin_of_query.graded_matrix(judgments).items():
            counts[("tp" if relevance >= 1 else "fp") if label >= 3 else ("fn" if relevance >= 1 else "tn")] += n
        assert {name: getattr(row, name) for name in CELLS} == counts


def test_the_queries_have_the_counts_of_the_whole_and_none_is_without_passages(random_world):
    agreement = agreement_of(random_world, choose(random_world, Request(**RATER)), relevant_from=2)
    assert agreement.per_query[[*CELLS, "n"]].sum().tolist() == [*agreement.confusion.ravel().tolist(), agreement.n]
    assert agreement.per_query["n"].min() > 0


def same_cut(row, agreement):
    interval = agreement.kappa_interval or (np.nan, np.nan)
    retrieval = (agreement.precision, agreement.recall, agreement.f1)
    expected = [*agreement.confusion.ravel(), agreement.kappa, *interval, *retrieval, agreement.n]
    return np.array_equal(row[GRID.names[3:]].to_numpy(float), np.array(expected, float), equal_nan=True)


def test_a_row_of_the_grid_is_the_agreement_at_its_cut(random_world):
    choice = choose(random_world, Request(**RATER))
    for _, row in agreement_grid(random_world, choice.labelling).iterrows():
        at = replace(choice, tau=int(row["tau"])).labelled(label_rank=int(row["label_rank"]))
        assert same_cut(row, agreement_of(random_world, at, relevant_from=int(row["relevant_from"])))


def test_the_grid_has_each_tau_each_positive_relevance_and_each_label_rank_once(random_world):
    grid = agreement_grid(random_world, choose(random_world, Request(**RATER)).labelling, label_ranks=(1, 3))
    expected = [(tau, cut, rank) for rank in (1, 3) for cut in (1, 2, 3) for tau in TAUS]
    assert list(grid[["tau", "relevant_from", "label_rank"]].itertuples(index=False, name=None)) == expected


def test_the_grid_of_mapped_labels_ends_at_the_largest_of_them(random_world):
    choice = choose(random_world, Request(**RATER, label_map="5=3,4=1"))
    grid = agreement_grid(random_world, choice.labelling, label_ranks=(1,))
    for _, row in grid.iterrows():
        assert same_cut(
            row,
            agreement_of(random_world, replace(choice, tau=int(row["tau"])), relevant_from=int(row["relevant_from"])),
        )
    notes = grid_notes(random_world, choice.labelling, label_ranks=(1,))
    assert sorted(set(grid["tau"])) == [1, 2, 3]
    assert {
        "Labels end at 3: there is no larger tau.",
        "Labels are mapped: 4=1,5=3; a grade that the map leaves out counts 0.",
    } <= set(notes)


def test_where_no_mapped_label_is_above_0_the_grid_is_undefined_and_says_so(random_world):
    choice = choose(random_world, Request(**RATER, label_map="5=0"))
    assert agreement_grid(random_world, choice.labelling, label_ranks=(1,))["kappa"].isna().all()
    assert "Kappa is undefined in 3 of 3 rows: no label reaches tau 1." in grid_notes(
        random_world, choice.labelling, label_ranks=(1,)
    )


def test_a_grader_of_whole_passages_has_label_rank_1_alone_and_a_note(random_world):
    choice = choose(random_world, Request(measure="P@1", grader="labels"))
    assert set(agreement_grid(random_world, choice.labelling)["label_rank"]) == {1}
    assert "The grader labels whole passages, so only label rank 1 exists." in grid_notes(
        random_world, choice.labelling
    )


def test_a_grid_says_where_kappa_is_undefined(tmp_path):
    snapshot = judged_world(tmp_path, [("q", "a", 1), ("q", "b", 1)])
    # Labels 0 and 1, both judged 1: at tau 1 one is found; from tau 2 on kappa is 0, for the judges say yes to all.
    notes = grid_notes(snapshot, labels_of(snapshot).labelling)
    assert [note for note in notes if "undefined" in note] == []
    only = judged_world(tmp_path / "only", [("q", "c", 1)])
    undefined = "Kappa is undefined in 2 of 2 rows: there are no passages, or all have the same label and judgment."
    assert undefined in grid_notes(only, labels_of(only).labelling)


def test_a_grid_of_judgments_without_a_positive_one_is_empty_and_says_so(tmp_path):
    snapshot = judged_world(tmp_path, [("q", "a", 0), ("q", "b", -2)])
    assert agreement_grid(snapshot, labels_of(snapshot).labelling).empty
    assert "No passage that has a label is judged 1 or more, so no judgment threshold applies." in grid_notes(
        snapshot, labels_of(snapshot).labelling
    )


@pytest.mark.parametrize("bank", ["genq", None])
def test_a_printed_matrix_has_a_grid_without_label_rank_and_intervals(printed_store, bank):
    snapshot = printed_store.snapshot("car-y3-published")
    grid, notes = printed.agreement_grid(snapshot, bank=bank)
    for _, row in grid.iterrows():
        options = {"tau": int(row["tau"]), "relevant_from": int(row["relevant_from"])}
        assert same_cut(row, printed.agreement(snapshot, bank=bank, **options))
    assert (len(grid), grid[["label_rank", "kappa_low", "kappa_high"]].isna().all(axis=None)) == (15, True)
    assert notes == ["From a printed table; there are no queries to draw an interval from."]


def test_printed_2x2_tables_have_a_grid_of_their_own_cuts(printed_store):
    grid, notes = printed.agreement_grid(printed_store.snapshot("dl19-published"), bank="genq")
    assert grid[[*CELLS, "tau"]].to_numpy().tolist() == [[1627, 1809, 874, 4950, 1], [1439, 1356, 1062, 5403, 4]]
    assert "Only 2 x 2 tables are printed, so there is no other tau or threshold." in notes


def test_a_printed_2x2_table_has_precision_and_no_weighted_kappa(printed_store):
    agreement = printed.agreement(printed_store.snapshot("dl19-published"), bank="genq", tau=4, relevant_from=2)
    assert agreement.precision == 1439 / (1439 + 1356)
    assert np.isnan([agreement.linear_kappa, agreement.quadratic_kappa, agreement.krippendorff_alpha]).all()
