"""NRP by hand, from the store, and as its paper prints it."""

import csv
import gzip
import shutil
from collections import defaultdict

import numpy as np
import pytest

from exam_core.actions.importing import import_qrels
from exam_core.actions.importing_runs import import_run
from exam_core.declared import read_fields, written
from exam_core.errors import UsageError
from exam_core.store import Store
from exam_core.wings.neighbours import nrp as print_of_nrp
from exam_core.wings.neighbours import texts
from exam_core.wings.neighbours.answer_files import Orders
from exam_core.wings.neighbours.importing import import_orders, import_ranks
from exam_core.wings.neighbours.measures import NRP, NrpOptions, nrp_board
from exam_core.wings.neighbours.measures import nrp as nrp_of
from exam_core.wings.neighbours.nrp import DOCUMENT, expert_agreement, nrp, rankers

HEAD = "model,prompt,qid,answer_number,rank_zero_based,documents_including_answer\n"
ROWS = "a,p,q1,1,0,5\na,p,q1,2,1,5\na,p,q2,1,2,10\na,o,q1,1,4,5\nb,p,q1,1,2,5\nb,p,q2,1,9,10\n"


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


@pytest.fixture
def small(store, tmp_path):
    """Two systems, one of them with two prompts, on two queries."""
    (tmp_path / "r.csv").write_text(HEAD + ROWS)
    import_ranks(store, "c", tmp_path / "r.csv", ranker="x")
    return store.snapshot("c")


@pytest.fixture(scope="module")
def clef21(nrp_store):
    store = Store(nrp_store)
    yield store.snapshot("clef21")
    del store


def test_boards_of_runs_and_of_systems_are_means_over_queries_by_any_convention(small):
    # a p: q1 (1 + 0.8)/2 = 0.9, q2 0.8; b p: 0.6 and 0.1; a o: 0.2
    rows = nrp(small).rows
    assert rows[["run_id", "n_queries", "n_answers"]].values.tolist() == [["a p", 2, 3], ["b p", 2, 2], ["a o", 1, 1]]
    assert rows["mean"].tolist() == pytest.approx([0.85, 0.35, 0.2])
    # two queries: t with one degree of freedom, 12.7062, times 0.1 / 2
    assert rows["mean"][0] - rows["low"][0] == pytest.approx(12.7062 * 0.05, abs=1e-4)
    assert rows["high"][0] == 1.0  # where NRP ends
    assert rows["low"].isna().tolist() == [False, False, True]
    # a: q1 (1 + 0.8 + 0.2)/3, q2 0.8
    rows = nrp(small).systems
    assert rows[["system", "n_prompts", "n_answers"]].values.tolist() == [["a", 2, 4], ["b", 1, 2]]
    assert rows["mean"].tolist() == pytest.approx([(2 / 3 + 0.8) / 2, 0.35])
    found = nrp(small, convention="one-based")
    assert found.rows["mean"].tolist() == pytest.approx([0.85 - 0.15, 0.35 - 0.15, 0.0])
    assert "r from 1" in found.notes[0] or "1 - 1/n" in found.notes[0]


def test_what_can_not_be_answered_is_refused_in_a_sentence(small, store, tmp_path):
    with pytest.raises(UsageError, match="choose released, one-based, documents"):
        nrp(small, convention="other")  # type: ignore[arg-type]
    import_ranks(store, "c", tmp_path / "r.csv", ranker="y")
    with pytest.raises(UsageError, match="choose with --ranker"):
        nrp(store.snapshot("c"))


def test_the_32_means_are_those_of_the_released_ranks(clef21, shared_data):
    with gzip.open(shared_data / "data/nrp/nrp_ranks.csv.gz", "rt") as file:
        values = defaultdict(list)
        for row in csv.DictReader(file):
            value = 1 - int(row["rank_zero_based"]) / int(row["documents_including_answer"])
            values[row["model"], row["prompt"]].append(value)
    rows = nrp(clef21).rows
    found = {(row.system, row.prompt): row.mean for row in rows.itertuples()}
    assert len(found) == 32
    assert found == pytest.approx({run: np.mean(of_run) for run, of_run in values.items()}, abs=1e-6)
    assert set(rows["n_answers"]) == {500}
    of_prompt = {system: mean for (system, prompt), mean in found.items() if prompt == "multimedqa"}
    named = ("tiiuae_falcon-7b-instruct", "meta-llama_Llama-2-7b-chat-hf", "chatgpt")
    assert [round(of_prompt[name], 4) for name in named] == [0.9881, 0.9948, 0.9989]


def test_the_expert_study_comes_out_as_printed(clef21):
    found = expert_agreement(clef21)
    assert (found.n_tasks, round(found.rbo, 2), round(found.kendall, 2)) == (20, 0.84, 0.64)
    last = found.places[(found.places["side"] == "expert") & (found.places["place"] == 5)]
    assert dict(zip(last["kind"], last["items"], strict=True))["gpt2"] == 16
    assert found.flows.groupby("side")["items"].sum().to_dict() == {"expert": 80, "ranker": 80}


def test_the_colbert_run_has_the_released_figures(clef21, shared_data):
    with (shared_data / "data/nrp/expected_colbertv2_relevance.csv").open() as file:
        (expected,) = csv.DictReader(file)
    for measure, name in (("nDCG@10", "ndcg@10"), ("AP", "map"), ("Bpref", "bpref")):
        found = rankers(clef21, qrels=["relevance"], measure=measure)
        assert found.rows["relevance"][0] == pytest.approx(float(expected[name]), abs=1e-6)


def test_rankers_are_compared_by_the_mean_over_qualities(clef21):
    found = rankers(clef21)
    assert set(found.qrels) == {"relevance", "readability", "credibility"}
    assert found.rows["mean"][0] == pytest.approx(found.rows[found.qrels].mean(axis=1)[0])
    assert found.notes == ["credibility: 600 judgments are 3, the label for unknown; they count as 0."]
    assert found.best == "colbertv2.0"


def test_the_best_ranker_is_the_first(store, tmp_path):
    (tmp_path / "q").write_text("q1 0 d1 1\nq1 0 d2 0\nq1 0 d3 3\n")
    for name in ("relevance", "credibility"):
        import_qrels(store, "c", tmp_path / "q", name=name)
    (tmp_path / "r").write_text("q1 Q0 d1 1 9 good\nq1 Q0 d3 2 8 good\nq1 Q0 d2 1 9 bad\nq1 Q0 d1 2 8 bad\n")
    import_run(store, "c", tmp_path / "r")
    found = rankers(store.snapshot("c"))
    assert found.rows["run_id"].tolist() == ["good", "bad"]
    # without the 3, d1 alone is credible: first in one run, second (1 / log2 3) in the other
    assert found.rows["credibility"].tolist() == pytest.approx([1, 1 / np.log2(3)])
    assert list(found.rows) == ["run_id", *found.qrels, "mean"]


def test_agreement_by_hand(small):
    order = Orders("t", "why", ("a_q1_p_1", "b_q1_p_1", "doc"), ("b_q1_p_1", "a_q1_p_1", "doc"))
    found = expert_agreement(small, [order])
    # overlaps 0, 2/2, 3/3; of three pairs one is the other way round
    assert (found.rbo, found.kendall) == pytest.approx((2 / 3, 1 / 3))
    assert found.places[found.places["side"] == "ranker"]["kind"].tolist() == ["a", "b", DOCUMENT]
    assert found.flows.values.tolist() == [
        ["ranker", 1, "a", "b", 1],
        ["ranker", 2, "b", DOCUMENT, 1],
        ["expert", 1, "b", "a", 1],
        ["expert", 2, "a", DOCUMENT, 1],
    ]


def test_orders_of_unknown_answers_say_so(store, tmp_path):
    head = "task_id,query,system_ranking_best_first,expert_ranking_best_first\n"
    (tmp_path / "o.csv").write_text(f"{head}7,why,x y,x y\n")
    import_orders(store, "c", tmp_path / "o.csv")
    found = expert_agreement(store.snapshot("c"))
    assert (found.rbo, found.rows["query_text"].tolist()) == (1, ["why"])
    assert "knows none" in found.notes[-1]


def test_a_task_of_one_item_is_no_part_of_kendalls_mean(small):
    found = expert_agreement(small, [Orders("1", None, ("a",), ("a",)), Orders("2", None, ("a", "b"), ("b", "a"))])
    assert found.kendall == -1
    assert "1 task of one item: Kendall's mean is over the others." in found.notes


def test_answers_ranked_with_no_document_are_said_to_have_no_value(store, tmp_path):
    (tmp_path / "r.csv").write_text(f"{HEAD}a,p,q1,1,0,1\n")
    import_ranks(store, "c", tmp_path / "r.csv", ranker="x")
    found = nrp(store.snapshot("c"), convention="documents")
    assert np.isnan(found.rows["mean"]).all()
    assert found.notes[1:] == [
        "1 answer ranked with no document: there is no value, and the mean is over other queries."
    ]


# the first, the second and the last of four documents and the answer
RANKS, SIZES = np.array([0, 1, 4]), np.array([5, 5, 5])


@pytest.mark.parametrize(
    ("convention", "expected"), [("released", [1, 0.8, 0.2]), ("one-based", [0.8, 0.6, 0]), ("documents", [1, 0.75, 0])]
)
def test_each_convention_counts_places_and_documents_in_its_own_way(convention, expected):
    assert nrp_of(RANKS, SIZES, convention) == pytest.approx(expected)


def test_the_standard_error_is_that_of_clusters_of_one_size():
    generator = np.random.default_rng(5)
    answers = generator.random((12, 10)) + generator.random((12, 1))
    board = nrp_board(answers.mean(axis=1)[None], np.full((1, 12), 10))
    # cluster-robust: sums of each cluster's residuals, squared, by n squared, times Q/(Q - 1)
    sums = (answers - answers.mean()).sum(axis=1)
    assert board["stderr"][0] == pytest.approx(np.sqrt((sums**2).sum() / 120**2 * 12 / 11))


def test_the_measures_options_are_read_and_written():
    options = read_fields(NrpOptions, "ranker=monot5,convention=one-based")
    assert options == NrpOptions("one-based", "monot5")
    assert f"{NRP.name}{written(options)}" == "NRP(convention=one-based,ranker=monot5)"
    assert NRP.compute(RANKS, SIZES, (np.array([0, 0, 0]), np.array([0, 0, 1])), (1, 2), options) == pytest.approx(
        np.array([[0.7, 0]])
    )


def figures_of(study, snapshot):
    """Ours by what each figure is, those that print differs from, and what is missing."""
    [paper] = study
    assert paper.takes(snapshot)
    found, notes = paper.figures(snapshot)
    digits = {one.figure: len(one.printed.partition(".")[2]) for one in found}
    differs = [one for one in found if f"{one.ours:.{digits[one.figure]}f}" != one.printed]
    return found, differs, " ".join(notes)


@pytest.fixture(scope="module")
def study(nrp_store):
    return figures_of(print_of_nrp.STUDY, Store(nrp_store).snapshot("clef21"))


def test_the_nrp_papers_figures_come_out_but_one_that_has_a_reason_and_what_is_missing_is_named(study):
    found, differs, _ = study
    assert len(found) == 12
    assert [one.figure for one in differs] == ["mean NRP of ChatGPT (GPT-3.5-turbo-0613)"]
    assert "0.9989" in differs[0].reason[0]
    assert [round(one.ours, 4) for one in found if one.figure == "mean NRP of Falcon 7B"] == [0.9881]
    assert "ColBERTv2 alone" in study[2]
    assert "figures 1 and 2" in study[2]


def test_the_papers_swapped_labels_are_the_reason_where_monot5_has_a_run(nrp_store, tmp_path):
    shutil.copytree(nrp_store, tmp_path / "store")
    store = Store(tmp_path / "store")
    judged = store.snapshot("clef21").query("SELECT query_id, min(doc_id) AS d FROM judgments GROUP BY query_id")
    lines = [f"{query} Q0 {doc} 1 1 monot5" for query, doc in judged.itertuples(index=False)]
    (tmp_path / "r.run").write_text("\n".join(lines))
    import_run(store, "clef21", tmp_path / "r.run")
    found, differs, _ = figures_of(print_of_nrp.STUDY, store.snapshot("clef21"))
    assert [one.printed for one in found if one.about == "ranking models"] == ["0.645", "0.813", "0.722"]
    assert ["swapped" in one.reason[0] for one in differs if one.about == "ranking models"] == [True, False, True]


def test_the_pourpre_papers_own_numbers_follow_from_each_other(demo_store):
    found, differs, notes = figures_of(texts.STUDY, Store(demo_store).snapshot("demo-nuggets"))
    assert [(one.figure, one.printed, one.ours) for one in found] == [
        ("match score of the example", "0.75", 0.75),
        ("pairs of runs", "1431", 1431.0),
        ("percent below 0.02", "59.3", 100 * 48 / 81),
    ]
    assert (differs, "need the definition runs" in notes) == ([], True)
