"""grid and cutoffs: their JSON, their forms, and what they say of every collection."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from exam_core.demo.printed import COLLECTIONS

Run = Callable[..., Any]
CUTOFFS = ("cutoffs", "demo", "--bank", "manual", "--draws", "50", "--splits", "20")


def answer(done: Any) -> Any:
    assert done.status == 0, done.err
    return json.loads(done.out)


def test_grid_has_a_row_for_each_mode_tau_and_measure(examboard: Run, demo_store: Path) -> None:
    found = answer(examboard(demo_store, "grid", "demo", "--format", "json"))
    assert found["measures"] == ["AP", "nDCG@20", "Rprec", "Cover@20"]
    keys = {(row["bank"], row["grader"], row["tau"], row["measure"]) for row in found["rows"]}
    assert len(keys) == len(found["rows"]) == 2 * 5 * 4
    assert set(found["rows"][0]) == {
        *("bank", "grader", "tau", "measure", "spearman", "kendall", "n"),
        *("style_spearman", "style_kendall", "undefined"),
    }


def test_grid_head_is_the_question_as_used(examboard: Run, demo_store: Path) -> None:
    options = ("--bank", "open", "--taus", "5,1", "--measures", "P@5, AP", "--depth", "all", "--missing", "skip")
    found = answer(examboard(demo_store, "grid", "demo", *options, "--format", "json"))
    assert {name: found[name] for name in ("collection", "bank", "taus", "measures", "reference", "depth")} == {
        "collection": "demo",
        "bank": "open",
        "taus": [1, 5],
        "measures": ["P@5", "AP"],
        "reference": "official",
        "depth": None,
    }
    assert {row["tau"] for row in found["rows"]} == {1, 5}


def test_grid_agrees_with_correlate(examboard: Run, demo_store: Path) -> None:
    grid = answer(examboard(demo_store, "grid", "demo", "--bank", "open", "--measures", "Cover@20", "--format", "json"))
    twins = answer(examboard(demo_store, "correlate", "demo", "--bank", "open", "--tau", "all", "--format", "json"))
    found = [[row["spearman"], row["kendall"], row["n"]] for row in grid["rows"]]
    assert found == [[pytest.approx(one["spearman"]), pytest.approx(one["kendall"]), one["n"]] for one in twins]


def test_grid_as_a_table_marks_the_best_and_explains_the_marks(examboard: Run, demo_store: Path) -> None:
    printed = examboard(demo_store, "grid", "demo").out
    head = printed.splitlines()[0].split()
    assert head[:7] == ["bank", "grader", "tau", "MAP", "(first", "20)", "S"]
    assert "**0.993**" in printed
    assert "**best** of its column, *within 0.05 of it*, (below 0.5)" in printed


def test_grid_as_csv_has_the_long_rows(examboard: Run, demo_store: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(examboard(demo_store, "grid", "demo", "--format", "csv").out)))
    assert len(rows) == 40
    assert {row["style_kendall"] for row in rows} == {"best", "near", "low", ""}


def test_grid_for_latex_is_a_booktabs_table(examboard: Run, demo_store: Path) -> None:
    printed = examboard(demo_store, "grid", "demo", "--format", "latex").out.strip()
    assert printed.startswith(r"\begin{tabular}")
    assert printed.endswith(r"\end{tabular}")
    assert r"\textbf{\textit{0.993}}" in printed


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_grid_of_print_has_a_cell_for_each_printed_column(examboard: Run, demo_store: Path, collection: str) -> None:
    grid = answer(examboard(demo_store, "grid", collection, "--format", "json"))
    columns = answer(examboard(demo_store, "correlate", collection, "--format", "json"))
    cells = [row["kendall"] for row in grid["rows"] if row["kendall"] is not None]
    assert sorted(cells) == sorted(one["kendall"] for one in columns)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--taus", "6"), "--taus 6: choose 1 to 5."),
        (("--taus", "one"), "--taus one: give comma-separated numbers from 1 to 5"),
        (("--taus", ","), "--taus ,: give comma-separated numbers from 1 to 5"),
        (("--measures", "MRR"), "There is no measure MRR."),
        (("--graders", "nobody"), "There is no grader nobody."),
        (("--bank", "nonesuch"), "There is no bank nonesuch."),
        (("--reference", "nonesuch"), "There is no leaderboard nonesuch."),
    ],
    ids=["tau out of range", "tau in words", "no tau", "measure", "grader", "bank", "reference"],
)
def test_grid_refuses_what_there_is_not(
    examboard: Run, demo_store: Path, options: tuple[str, ...], message: str
) -> None:
    done = examboard(demo_store, "grid", "demo", *options)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(message)


def test_cutoffs_has_the_question_a_row_for_each_tau_and_notes(examboard: Run, demo_store: Path) -> None:
    found = answer(examboard(demo_store, *CUTOFFS, "--measure", "AP", "--seed", "3", "--format", "json"))
    assert [row["tau"] for row in found["rows"]] == [1, 2, 3, 4, 5]
    head = {name: found[name] for name in ("collection", "bank", "measure", "reference", "draws", "splits", "seed")}
    assert head == {
        "collection": "demo",
        "bank": "manual",
        "measure": "AP",
        "reference": "official",
        "draws": 50,
        "splits": 20,
        "seed": 3,
    }
    assert set(found["rows"][0]) >= {
        *("spearman", "spearman_low", "spearman_high", "kendall", "kendall_low", "kendall_high", "tau_ap", "n"),
        *("stderr", "separable_bars", "separable_t", "kappa", "kappa_low", "kappa_high", "ungraded", "unreadable"),
        *("wins", "held_out_kendall", "recommended"),
    }


def test_cutoffs_recommends_one_tau_in_rows_head_and_notes(examboard: Run, demo_store: Path) -> None:
    found = answer(examboard(demo_store, *CUTOFFS, "--format", "json"))
    assert [row["tau"] for row in found["rows"] if row["recommended"]] == [found["recommended"]]
    assert any(f"For the order of the runs, use tau {found['recommended']}:" in note for note in found["notes"])


def test_cutoffs_takes_tau_all_and_weighs_another_tau(examboard: Run, demo_store: Path) -> None:
    every = answer(examboard(demo_store, *CUTOFFS, "--tau", "all", "--format", "json"))
    one = answer(examboard(demo_store, *CUTOFFS, "--tau", "1", "--format", "json"))
    assert every["rows"] == one["rows"]
    assert any("(tau 1: " in note for note in one["notes"])


def test_cutoffs_gives_the_same_answer_for_the_same_seed(examboard: Run, demo_store: Path) -> None:
    first, again, other = (examboard(demo_store, *CUTOFFS, "--seed", seed).out for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_cutoffs_of_print_has_the_printed_tau_and_nulls(examboard: Run, demo_store: Path, collection: str) -> None:
    found = answer(examboard(demo_store, "cutoffs", collection, "--format", "json"))
    columns = answer(examboard(demo_store, "correlate", collection, "--format", "json"))
    printed = [one["kendall"] for one in columns if "genq Cover@20 tau=" in one["leaderboard"]]
    assert [row["kendall"] for row in found["rows"] if row["kendall"] is not None] == printed
    assert {row["wins"] for row in found["rows"]} == {None}
    assert found["notes"][0].endswith("there is no other tau, interval or recommendation.")


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("demo", "--bank", "open", "--judgments", "official"), 2, "Human judgments have no tau"),
        (("demo", "--bank", "open", "--reference", "nonesuch"), 2, "There is no leaderboard nonesuch."),
        (("demo", "--bank", "open", "--splits", "0"), 2, "--splits 0: choose 1 to"),
        (("dl19-published", "--measure", "AP"), 1, "AP is not printed in dl19-published. Printed are:"),
    ],
    ids=["judgments", "reference", "splits", "not printed"],
)
def test_cutoffs_refuses_in_a_sentence(
    examboard: Run, demo_store: Path, arguments: tuple[str, ...], status: int, message: str
) -> None:
    done = examboard(demo_store, "cutoffs", *arguments)
    assert (done.status, done.out) == (status, "")
    assert done.err.startswith(message)
