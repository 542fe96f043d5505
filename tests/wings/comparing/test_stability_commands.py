"""significance, stability, swaps: their options, their JSON keys, and what they say of every collection."""

import json

import pandas as pd
import pytest
from thoroughly import thoroughly

from exam_core.wings.comparing.run_pairs import Significance
from exam_core.wings.comparing.stability import significance_lines
from tests.cli.test_importing_commands import demo as demo

DEMO = ("demo", "--bank", "open", "--tau", "3")
QUESTION = ["collection", "bank", "grader", "judgments", "measure", "tau", "depth", "label_rank"]
PUBLISHED = ["car-y3-published", "dl19-published", "dl20-published"]
ASKED = {
    "significance": ("significance",),
    "pairs": ("significance", "--pairs"),
    "queries": ("stability", "--draws", "50"),
    "bank size": ("stability", "--curve", "bank-size", "--draws", "5"),
    "number of queries": ("stability", "--curve", "queries", "--draws", "5"),
    "swaps": ("swaps",),
    "swapped pairs": ("swaps", "--pairs"),
}
KEYS = {
    "significance": ["leaderboard", "test", "alpha", "draws", "seed", "rows", "separable_share", "notes"],
    "pairs": ["leaderboard", "test", "alpha", "draws", "seed", "rows", "separable_share", "notes", "pairs"],
    "bank size": ["leaderboard", "curve", "subsets", "seed", "reference", "rows", "notes"],
    "swaps": [
        *("leaderboard", "reference", "n", "n_pairs", "swaps", "tied_once", "differences_of", "largest"),
        *("separable_swaps", "rows", "pairs", "notes"),
    ],
    "queries": ["leaderboard", "draws", "seed", "top_k", "rows", "notes"],
}
KEYS |= {"number of queries": KEYS["bank size"], "swapped pairs": KEYS["swaps"]}


def asked(examboard, store, what, *options):
    command, *own = ASKED[what]
    return examboard(store, command, *options, *own)


def answer(done):
    assert done.status == 0, done.err
    return json.loads(done.out)


@pytest.mark.parametrize("what", ASKED)
def test_json_is_one_object_with_the_question_rows_and_notes(examboard, demo_store, what):
    found = answer(asked(examboard, demo_store, what, *DEMO, "--format", "json"))
    assert list(found) == [*QUESTION, *KEYS[what]]
    assert len(found["rows"]) > 0


def test_a_table_shows_the_first_pairs_and_how_to_get_all(examboard, demo_store):
    # 15 runs make 105 pairs
    done = examboard(demo_store, "significance", *DEMO, "--pairs")
    assert "The first 40 of 105; --format csv or json prints all." in done.out
    full = examboard(demo_store, "significance", *DEMO, "--pairs", "--format", "csv").out
    assert len(full.splitlines()) == 106


def test_the_width_of_the_bins_can_be_chosen(told):
    rows = told("swaps", *DEMO, "--bin", "0.1")["rows"]
    assert [row["high"] - row["low"] for row in rows] == pytest.approx([0.1] * len(rows))


@pytest.mark.parametrize("collection", [PUBLISHED[0], *thoroughly(*PUBLISHED[1:])])
@pytest.mark.parametrize("what", [what for what in ASKED if ASKED[what][0] != "swaps"])
def test_printed_figures_have_nothing_to_draw_or_test_and_one_sentence_says_so(examboard, demo_store, collection, what):
    found = answer(asked(examboard, demo_store, what, collection, "--format", "json"))
    assert (found["collection"], found["rows"], len(found["notes"])) == (collection, [], 1)
    assert "Only printed figures are known" in asked(examboard, demo_store, what, collection).out


def test_a_baseline_lists_every_other_run(told):
    found = told("significance", *DEMO, "--baseline", "bm25")
    assert list(found)[len(QUESTION) :] == [
        *("leaderboard", "baseline", "test", "alpha", "draws", "seed", "rows", "notes")
    ]
    assert len(found["rows"]) == 14
    assert all(row["wins"] + row["ties"] + row["losses"] == row["n_queries"] == 8 for row in found["rows"])
    assert "bm25" not in [row["run_id"] for row in found["rows"]]


JUDGED = ("--judgments", "official", "--measure", "nDCG@10")


def test_a_leaderboard_that_was_imported_by_query_is_tested(demo, tmp_path):
    file = tmp_path / "board.txt"
    demo("export", "leaderboard", "demo", file, *JUDGED, "--form", "run-measure-topic-value")
    demo("import", "leaderboard", file, "--name", "judged", "--collection", "demo")
    tested = json.loads(demo("significance", "demo", "--leaderboard", "judged", "--format", "json").out)
    board = json.loads(demo("leaderboard", "demo", *JUDGED, "--format", "json").out)
    means = {row["run_id"]: row["mean"] for row in board["rows"]}
    assert {row["run_id"]: row["mean"] for row in tested["rows"]} == pytest.approx(means)
    beside = demo("significance", "demo", "--leaderboard", "judged", "--baseline", "bm25", "--format", "json")
    assert len(json.loads(beside.out)["rows"]) == 14


def test_a_leaderboard_without_values_by_query_is_not_tested(demo, tmp_path):
    path = tmp_path / "board.csv"
    path.write_text("run,AP\nbm25,0.1\n")
    demo("import", "leaderboard", path, "--name", "n", "--collection", "demo")
    refused = demo("significance", "demo", "--leaderboard", "n")
    assert (refused.status, "n has no values by query" in refused.err) == (2, True)


def test_it_says_how_many_runs_the_first_one_is_better_than():
    pairs = pd.DataFrame({"run_a": ["a", "a", "b"], "run_b": ["b", "c", "c"], "separable": [False, True, True]})
    lines = significance_lines(Significance("n", "t", 9, 0, pd.DataFrame(), pairs, {}))
    assert lines[2] == "a is significantly better than 1 of 2 other runs."
