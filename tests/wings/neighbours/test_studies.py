"""Papers without leaderboards: their printed figures, and ours of them."""

import shutil

import pytest

from exam_core.actions.importing_runs import import_run
from exam_core.store import Store
from exam_core.wings.neighbours import nrp, texts


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
    return figures_of(nrp.STUDY, Store(nrp_store).snapshot("clef21"))


def test_the_nrp_papers_figures_come_out_but_one_that_has_a_reason(study):
    found, differs, _ = study
    assert len(found) == 12
    assert [one.figure for one in differs] == ["mean NRP of ChatGPT (GPT-3.5-turbo-0613)"]
    assert "0.9989" in differs[0].reason[0]
    assert [round(one.ours, 4) for one in found if one.figure == "mean NRP of Falcon 7B"] == [0.9881]


def test_what_the_released_ranks_do_not_give_is_named(study):
    assert "ColBERTv2 alone" in study[2]
    assert "figures 1 and 2" in study[2]


def test_the_papers_swapped_labels_are_the_reason_where_monot5_has_a_run(nrp_store, tmp_path):
    shutil.copytree(nrp_store, tmp_path / "store")
    store = Store(tmp_path / "store")
    judged = store.snapshot("clef21").query("SELECT query_id, min(doc_id) AS d FROM judgments GROUP BY query_id")
    lines = [f"{query} Q0 {doc} 1 1 monot5" for query, doc in judged.itertuples(index=False)]
    (tmp_path / "r.run").write_text("\n".join(lines))
    import_run(store, "clef21", tmp_path / "r.run")
    found, differs, _ = figures_of(nrp.STUDY, store.snapshot("clef21"))
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
