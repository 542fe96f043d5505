"""Papers without leaderboards: their printed figures beside ours."""

import shutil

import pytest

from exam_core.actions.importing_runs import import_run
from exam_core.analysis.printed.reproduction import EQUAL, reproduction
from exam_core.store import Store


def row(found, figure):
    return found.rows.set_index("figure").loc[figure]


@pytest.fixture(scope="module")
def study(nrp_store):
    return reproduction(Store(nrp_store).snapshot("clef21"))


def test_the_nrp_papers_figures_come_out_but_one_that_has_a_reason(study):
    assert (study.known_as, study.basis, len(study.rows)) == ("clef21", "ranks", 12)
    differs = study.rows[study.rows["verdict"] != EQUAL]
    assert differs["figure"].tolist() == ["mean NRP of ChatGPT (GPT-3.5-turbo-0613)"]
    assert differs["reason"].str.contains("0.9989").tolist() == [True]
    assert "11 of 12 printed figures reproduce" in study.sentence
    assert round(row(study, "mean NRP of Falcon 7B")["ours"], 4) == 0.9881


def test_what_the_released_ranks_do_not_give_is_named(study):
    said = " ".join(study.notes)
    assert "ColBERTv2 alone" in said
    assert "figures 1 and 2" in said


def test_the_papers_swapped_labels_are_the_reason_where_monot5_has_a_run(nrp_store, tmp_path):
    shutil.copytree(nrp_store, tmp_path / "store")
    store = Store(tmp_path / "store")
    judged = store.snapshot("clef21").query("SELECT query_id, min(doc_id) AS d FROM judgments GROUP BY query_id")
    lines = [f"{query} Q0 {doc} 1 1 monot5" for query, doc in judged.itertuples(index=False)]
    (tmp_path / "r.run").write_text("\n".join(lines))
    import_run(store, "clef21", tmp_path / "r.run")
    found = reproduction(store.snapshot("clef21"))
    mine = found.rows[found.rows["about"] == "ranking models"]
    assert mine["printed"].tolist() == ["0.645", "0.813", "0.722"]
    assert mine["reason"].str.contains("swapped").tolist() == [True, False, True]


def test_the_pourpre_papers_own_numbers_follow_from_each_other(demo_store):
    found = reproduction(Store(demo_store).snapshot("demo-nuggets"))
    assert found.rows[["figure", "printed", "ours", "verdict"]].values.tolist() == [
        ["match score of the example", "0.75", 0.75, "equal"],
        ["pairs of runs", "1431", 1431.0, "equal"],
        ["percent below 0.02", "59.3", 100 * 48 / 81, "equal"],
    ]
    assert (found.known_as, found.basis) == ("pourpre", "rules")
    assert any("need the definition runs" in note for note in found.notes)
