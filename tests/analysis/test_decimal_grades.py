"""Grades with decimals: a tau cuts them as it cuts whole grades of which each says whether the decimal reaches it."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
import pytrec_eval

from exam_core.actions.exporting import export_workbench
from exam_core.analysis.agreement import agreement
from exam_core.analysis.choosing import choose, own_taus
from exam_core.analysis.figures import figures_of
from exam_core.analysis.leaderboard import leaderboard, title
from exam_core.analysis.passage_evidence import PassageSearch, labels_of, passage, search
from exam_core.analysis.values import all_values, by_query, gradebook
from exam_core.errors import UsageError
from exam_core.formats.workbench import read_workbench
from exam_core.measures import Measure
from exam_core.request import Request
from exam_core.store import Snapshot
from exam_core.store.scales import decimals
from exam_core.store.sharing import export_duckdb
from exam_core.store.store import Store
from tests.thoroughly import thoroughly

from .worlds import GRADERS, decimal_world, store_of, world

TAUS = ("0.5", "3.3", *thoroughly("1.3", "2.1", "2.9", "4.7"))
OF_QUESTIONS = ("Cover@3", "nCover@3", "wCover@3", "P@5", "AP", "RR", "Rprec")
OF_LABELS = ("P@5", "AP", "RR")


def cut_world(path: Path, decimal: Snapshot, tau: str) -> Snapshot:
    """The same with whole grades: the largest where a grade reaches tau, as decimal fractions have it, and else 0."""
    frames, grades = world(1), decimal.frame("grades")
    exact = [
        float(row.grade) if pd.isna(row.decimal) else row.decimal for row in grades.dropna(subset="grade").itertuples()
    ]
    reach = [Decimal(repr(value)) >= Decimal(tau) for value in exact]
    cut = grades["grade"].astype("Int8")
    cut[cut.notna()] = np.where(reach, 5, 0)
    frames["grades"] = grades.assign(grade=cut, decimal=np.nan)
    return store_of(path, frames, GRADERS | {"labels": {"scale": 5}})


@pytest.fixture(scope="module")
def decimal(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return decimal_world(tmp_path_factory.mktemp("decimal"))


@pytest.mark.parametrize("tau", TAUS)
def test_a_tau_counts_the_decimals_that_reach_it(decimal: Snapshot, tmp_path: Path, tau: str) -> None:
    twin = cut_world(tmp_path, decimal, tau)
    for grader, bank, measures in (("rater", "genq", OF_QUESTIONS), ("labels", None, OF_LABELS)):
        for measure in measures:
            asked = Request(measure, bank=bank, grader=grader, tau=float(tau))
            ours, theirs = choose(decimal, asked), choose(twin, asked.but(tau=3))
            pd.testing.assert_frame_equal(by_query(decimal, ours), by_query(twin, theirs), check_exact=True)
            assert title(ours).endswith(f"tau={tau}")


@pytest.mark.parametrize("tau", ["0.5", *thoroughly("1.3")])
def test_agreement_is_of_the_decimals_and_its_matrix_of_whole_labels(
    decimal: Snapshot, tmp_path: Path, tau: str
) -> None:
    twin = cut_world(tmp_path, decimal, tau)
    labelling = choose(decimal, Request("P@5", grader="labels", tau=float(tau))).labelling
    ours = agreement(decimal, labelling, tau=float(tau), relevant_from=1)
    theirs = agreement(twin, choose(twin, Request("P@5", grader="labels")).labelling, tau=3, relevant_from=1)
    np.testing.assert_array_equal(ours.confusion, theirs.confusion)
    assert (ours.kappa, ours.kappa_interval, ours.f1) == (theirs.kappa, theirs.kappa_interval, theirs.f1)
    assert ours.graded == agreement(decimal, labelling, tau=1, relevant_from=1).graded


def test_whole_taus_and_measures_without_tau_read_whole_grades(decimal: Snapshot, plain_world: Snapshot) -> None:
    for measure, tau in (("Cover@3", 3), ("P@5", 4), ("nDCG@5", 2.5), ("P(rel=2)@5", 2.5)):
        asked = Request(measure, bank="genq", grader="rater", tau=tau)
        ours, theirs = (by_query(known, choose(known, asked)) for known in (decimal, plain_world))
        pd.testing.assert_frame_equal(ours, theirs, check_exact=True)


@pytest.mark.parametrize("depth", [5, *thoroughly(2, None)])
def test_gains_with_decimals_are_those_of_trec_eval(decimal: Snapshot, depth: int | None) -> None:
    # In tenths they are whole numbers, and nDCG does not depend on the unit.
    measure = f"nDCG(grades=decimal){'@5' if depth == 5 else '@2' if depth else ''}"
    choice = choose(decimal, Request(measure, grader="labels", depth=None))
    grades = decimal.query("SELECT *, coalesce(decimal, grade) AS exact FROM grades WHERE grader_id = 'labels'")
    known = grades.dropna(subset="grade")
    qrels: dict[str, dict[str, int]] = {}
    for query, doc, exact in zip(known["query_id"], known["doc_id"], known["exact"], strict=True):
        qrels.setdefault(query, {})[doc] = round(10 * exact)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {f"ndcg_cut.{depth}" if depth else "ndcg"})
    compared = 0
    for run, rankings in decimal.frame("rankings").groupby("run_id"):
        ranked = {
            query: {row.doc_id: -float(row.rank) for row in rows.itertuples()}
            for query, rows in rankings.groupby("query_id")
        }
        theirs = evaluator.evaluate(ranked)
        values = by_query(decimal, choice).set_index(["run_id", "query_id"])["value"]
        for query in set(theirs) & set(ranked):
            ours = values.get((run, query), np.nan)
            if not np.isnan(ours):
                compared += 1
                assert ours == pytest.approx(next(iter(theirs[query].values())), abs=1e-9)
    assert compared > 10


@pytest.mark.parametrize("label_rank", [1, 2])
def test_gains_of_questions_are_those_of_the_n_th_best_decimal(decimal: Snapshot, label_rank: int) -> None:
    asked = Request("nDCG(grades=decimal,dcg=exp-log2)@5", bank="genq", grader="rater", label_rank=label_rank)
    choice = choose(decimal, asked)
    book = gradebook(decimal, choice.labelling)
    assert book.decimals is not None
    assert gradebook(decimal, choose(decimal, asked.but(measure="nDCG@5")).labelling).decimals is None
    np.testing.assert_array_equal(np.floor(book.decimals), book.grades)
    labels = [
        sorted(np.where(book.enabled[query], row, -1))[-label_rank] if label_rank <= row.size else -1
        for query, row in zip(book.pair_query, book.decimals, strict=True)
    ]
    gains = np.exp2(np.maximum(labels, 0)) - 1
    discounts = 1 / np.log2(np.arange(2, 7))
    values = all_values(decimal, choice)[0, 0]
    for run in range(len(book.run_ids)):
        for query in np.flatnonzero(~np.isnan(values[run])):
            pairs = book.slots[:5, run, query]
            gain = (np.where(pairs >= 0, gains[pairs], 0) * discounts[: len(pairs)]).sum()
            best = np.sort(gains[book.pair_query == query])[::-1][:5]
            ideal = (best * discounts[: len(best)]).sum()
            assert values[run, query] == pytest.approx(gain / ideal if ideal else 0)


def test_a_mode_of_whole_grades_has_whole_gains_and_says_so(plain_world: Snapshot) -> None:
    asked = Request("nDCG(grades=decimal)@5", bank="genq", grader="rater")
    board, whole = (
        leaderboard(plain_world, choose(plain_world, asked.but(measure=name))) for name in (asked.measure, "nDCG@5")
    )
    pd.testing.assert_frame_equal(board.rows, whole.rows)
    assert "nDCG(grades=decimal)@5: rater has no labels with decimals; its whole labels are taken." in board.notes


def test_several_measures_at_once_are_what_each_is(decimal: Snapshot) -> None:
    measures = [Measure.parse(name) for name in ("Cover@3", "nDCG@5", "P(rel=2)@5", "P@5", "nDCG(grades=decimal)@5")]
    choice = choose(decimal, Request("P@5", bank="genq", grader="rater", tau=2.5))
    together = all_values(decimal, choice, measures)
    for measure, values in zip(measures, together, strict=True):
        alone = all_values(decimal, choose(decimal, Request(str(measure), bank="genq", grader="rater", tau=2.5)))
        np.testing.assert_array_equal(values, alone[0])


def test_a_mode_of_whole_grades_counts_from_the_next_one_and_says_so(plain_world: Snapshot) -> None:
    half, four = (
        leaderboard(plain_world, choose(plain_world, Request("Cover@3", bank="genq", grader="rater", tau=tau)))
        for tau in (3.5, 4)
    )
    pd.testing.assert_frame_equal(half.rows, four.rows)
    assert "rater gives whole grades: tau 3.5 counts those of 4 and more." in half.notes
    assert decimals(plain_world) == {}


def test_a_tau_of_decimals_says_how_labels_are_shown(decimal: Snapshot) -> None:
    board = leaderboard(decimal, choose(decimal, Request("P@5", grader="labels", tau=1.5)))
    assert [note for note in board.notes if note.startswith("Tau 1.5 cuts the decimal grades of labels.")]
    assert [mode for mode, _ in own_taus(decimal, ["rater", "labels"])] == ["rater", "labels"]


@pytest.mark.parametrize("tau", [-0.5, 5.5, 0])
def test_what_is_no_tau_is_refused(decimal: Snapshot, tau: float) -> None:
    with pytest.raises(UsageError, match=f"--tau {tau}: choose 1 to 5"):
        choose(decimal, Request("P@5", grader="labels", tau=tau))
    with pytest.raises(UsageError, match="labels of a label map are whole numbers"):
        choose(decimal, Request("P@5", grader="labels", tau=1.5, label_map="2=1"))


def test_a_reference_may_have_such_a_tau(decimal: Snapshot) -> None:
    asked = Request("P@5", grader="labels", tau=1.5, reference="grades:P@5:grader=labels:tau=1.5")
    [same] = figures_of(decimal).correlations(asked)
    assert same.correlation.kendall == pytest.approx(1)


def test_passages_show_whole_labels_and_stand_in_the_cells_of_their_decimals(decimal: Snapshot) -> None:
    labelling = choose(decimal, Request("P@5", grader="labels", tau=1.5)).labelling
    labels = labels_of(decimal, labelling).to_pandas()
    assert set(labels["label"]) == {0, 1, 2}
    found = search(decimal, PassageSearch(cells=("tp", "fp"), tau=1.5, relevant_from=1), labelling, size=500).rows
    counts = agreement(decimal, labelling, tau=1.5, relevant_from=1).confusion
    assert len(found) == counts[0].sum()
    assert (found["label"] == 1).any()
    row = found[found["label"] == 1].iloc[0]
    known = passage(decimal, row["query_id"], row["doc_id"], bank="genq", tau=2.5)
    [label] = known.labels["decimal"].tolist()
    assert label >= 1.5
    exact = known.grades["decimal"].fillna(known.grades["grade"].astype(float))
    assert (known.grades["answered"] == (exact >= 2.5)).all()


def test_a_large_collection_read_in_parts_has_the_same_grades(
    decimal: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    from exam_core.store import cells

    source = cells.CellSource(None, "labels", None, 5, "score", 0.5)
    whole = cells.read_cells(decimal, source)
    monkeypatch.setattr(cells, "GRADES_AT_ONCE", 40)
    parts = list(cells.cells_in_parts(decimal, source))
    assert len(parts) > 1
    np.testing.assert_array_equal(np.concatenate([part.grades for part in parts]), whole.grades)


def test_files_of_before_have_no_decimals(
    plain_world: Snapshot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from exam_core.store import commits

    write: Any = commits.parquet
    monkeypatch.setattr(
        "exam_core.store.commits.parquet",
        lambda rows: write(rows.drop_columns(["decimal"]) if "decimal" in rows.column_names else rows),
    )
    before = store_of(tmp_path / "before", world(1))
    monkeypatch.undo()
    pd.testing.assert_frame_equal(before.frame("grades"), plain_world.frame("grades"))
    assert Store(tmp_path / "before").snapshot("world").frame("grades")["decimal"].isna().all()


def test_decimals_survive_exports(decimal: Snapshot, tmp_path: Path) -> None:
    export_duckdb([decimal], tmp_path / "all.duckdb")
    pd.testing.assert_frame_equal(
        Store(tmp_path / "all.duckdb").snapshot("world").frame("grades"), decimal.frame("grades")
    )
    export_workbench(decimal, tmp_path / "graded.jsonl.gz")
    again = read_workbench(tmp_path / "graded.jsonl.gz").frames["grades"]
    key = ["question_id", "query_id", "doc_id", "grade"]
    columns = [*key, "decimal"]
    before, after = (
        frame.assign(question_id=frame["question_id"].fillna(""))[columns]
        .dropna(subset="decimal")
        .sort_values(columns, ignore_index=True)
        for frame in (decimal.frame("grades"), again)
    )
    pd.testing.assert_frame_equal(before, after)


def test_an_exported_file_of_before_has_no_decimals(decimal: Snapshot, tmp_path: Path) -> None:
    export_duckdb([decimal], tmp_path / "old.duckdb")
    with duckdb.connect(str(tmp_path / "old.duckdb")) as connection:
        connection.execute("ALTER TABLE world.grades DROP COLUMN decimal")
    old = Store(tmp_path / "old.duckdb").snapshot("world").frame("grades")
    pd.testing.assert_frame_equal(old.drop(columns="decimal"), decimal.frame("grades").drop(columns="decimal"))
    assert old["decimal"].isna().all()
