"""grid and cutoffs: their JSON, their forms, and what they say of every collection."""

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from exam_core.demo.printed import COLLECTIONS

Run = Callable[..., Any]
CUTOFFS = ("cutoffs", "demo", "--bank", "manual", "--draws", "50", "--splits", "20")


def test_grid_has_a_row_for_each_mode_tau_and_measure(told: Run) -> None:
    found = told("grid", "demo")
    assert found["measures"] == ["AP", "nDCG@20", "Rprec", "Cover@20"]
    keys = {(row["bank"], row["grader"], row["tau"], row["measure"]) for row in found["rows"]}
    assert len(keys) == len(found["rows"]) == 2 * 5 * 4
    row = "bank grader tau measure spearman kendall n style_spearman style_kendall undefined"
    assert set(found["rows"][0]) == set(row.split())


def test_grid_head_is_the_question_as_used(told: Run) -> None:
    options = ("--bank", "open", "--taus", "5,1", "--measures", "P@5, AP", "--depth", "all", "--missing", "skip")
    found = told("grid", "demo", *options)
    asked = [found[name] for name in ("collection", "bank", "taus", "measures", "reference", "depth")]
    assert asked == ["demo", "open", [1, 5], ["P@5", "AP"], "official", None]
    assert {row["tau"] for row in found["rows"]} == {1, 5}


def test_grid_agrees_with_correlate(told: Run) -> None:
    grid = told("grid", "demo", "--bank", "open", "--measures", "Cover@20")
    twins = told("correlate", "demo", "--bank", "open", "--tau", "all")
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
def test_grid_of_print_has_a_cell_for_each_printed_column(told: Run, collection: str) -> None:
    grid = told("grid", collection)
    columns = told("correlate", collection)
    cells = [row["kendall"] for row in grid["rows"] if row["kendall"] is not None]
    assert sorted(cells) == sorted(one["kendall"] for one in columns)


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("grid", "demo", "--taus", "6"), 2, "--taus 6: choose 1 to 5."),
        (("grid", "demo", "--taus", "one"), 2, "--taus one: give comma-separated numbers from 1 to 5"),
        (("grid", "demo", "--taus", ","), 2, "--taus ,: give comma-separated numbers from 1 to 5"),
        (("grid", "demo", "--measures", "MRR"), 2, "There is no measure MRR."),
        (("grid", "demo", "--graders", "nobody"), 2, "There is no grader nobody."),
        (("grid", "demo", "--bank", "nonesuch"), 2, "There is no bank nonesuch."),
        (("grid", "demo", "--reference", "nonesuch"), 2, "There is no leaderboard nonesuch."),
        (("cutoffs", "demo", "--bank", "open", "--judgments", "official"), 2, "Human judgments have no tau"),
        (("cutoffs", "demo", "--bank", "open", "--reference", "nonesuch"), 2, "There is no leaderboard nonesuch."),
        (("cutoffs", "demo", "--bank", "open", "--splits", "0"), 2, "--splits 0: choose 1 to"),
        (("cutoffs", "dl19-published", "--measure", "AP"), 1, "AP is not printed in dl19-published. Printed are:"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_what_there_is_not_is_refused_in_a_sentence(
    examboard: Run, demo_store: Path, arguments: tuple[str, ...], status: int, message: str
) -> None:
    done = examboard(demo_store, *arguments)
    assert (done.status, done.out) == (status, "")
    assert done.err.startswith(message)


def test_cutoffs_has_the_question_a_row_for_each_tau_and_recommends_one_in_rows_head_and_notes(told: Run) -> None:
    found = told(*CUTOFFS, "--measure", "AP", "--seed", "3")
    assert [row["tau"] for row in found["rows"]] == [1, 2, 3, 4, 5]
    asked = [found[name] for name in ("collection", "bank", "measure", "reference", "draws", "splits", "seed")]
    assert asked == ["demo", "manual", "AP", "official", 50, 20, 3]
    assert set(found["rows"][0]) >= {
        *("spearman", "spearman_low", "spearman_high", "kendall", "kendall_low", "kendall_high", "tau_ap", "n"),
        *("stderr", "separable_bars", "separable_t", "kappa", "kappa_low", "kappa_high", "ungraded", "unreadable"),
        *("wins", "held_out_kendall", "recommended"),
    }
    found = told(*CUTOFFS)
    assert [row["tau"] for row in found["rows"] if row["recommended"]] == [found["recommended"]]
    assert any(f"For the order of the runs, use tau {found['recommended']}:" in note for note in found["notes"])


def test_cutoffs_takes_tau_all_and_weighs_another_tau(told: Run) -> None:
    every = told(*CUTOFFS, "--tau", "all")
    one = told(*CUTOFFS, "--tau", "1")
    assert every["rows"] == one["rows"]
    assert any("(tau 1: " in note for note in one["notes"])


def test_cutoffs_gives_the_same_answer_for_the_same_seed(examboard: Run, demo_store: Path) -> None:
    first, again, other = (examboard(demo_store, *CUTOFFS, "--seed", seed).out for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_cutoffs_of_print_has_the_printed_tau_and_nulls(told: Run, collection: str) -> None:
    found = told("cutoffs", collection)
    columns = told("correlate", collection)
    printed = [one["kendall"] for one in columns if "genq Cover@20 tau=" in one["leaderboard"]]
    assert [row["kendall"] for row in found["rows"] if row["kendall"] is not None] == printed
    assert {row["wins"] for row in found["rows"]} == {None}
    assert found["notes"][0].endswith("there is no other tau, interval or recommendation.")
