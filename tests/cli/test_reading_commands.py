"""list, leaderboard, correlate, agreement: the contract of their options and JSON keys."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.wings import rows_added

Run = Callable[..., Any]
OPEN = ("leaderboard", "demo", "--bank", "open", "--measure", "Cover@20", "--tau", "3")
AGREEMENT = ("agreement", "demo", "--bank", "open")
OPEN_AP = ("leaderboard", "demo", "--bank", "open", "--measure", "AP", "--tau", "3", "--depth", "10")


def test_list_has_the_keys_of_the_contract(told):
    held = "collection queries passages distinct_passages questions grades runs judgments banks graders scale"
    assert set(told("list")[0]) == {*held.split(), "scale_from", "leaderboards", *rows_added("COUNTED")}


def test_list_of_an_empty_store_says_what_to_do(examboard, tmp_path):
    assert "examboard demo" in examboard(tmp_path, "list").out


def test_average_precision_is_headed_by_how_much_is_read(told, examboard, demo_store):
    board = told(*OPEN_AP)
    (entry,) = told("correlate", *OPEN_AP[1:])
    assert (board["measure"], board["title"]) == ("AP", "open AP (first 10) tau=3")
    assert entry["leaderboard"] == "open AP (first 10) tau=3"
    assert ". A depth of all reads whole rankings." in examboard(demo_store, *OPEN_AP).out


def test_all_passages_together_are_named_by_their_measure(examboard, demo_store):
    texts = [examboard(demo_store, *OPEN[:4], "--measure", name).out for name in ("Cover@20", "nCover@20", "ERR_IA@20")]
    found = [next((line for line in text.splitlines() if line.startswith("All graded")), None) for text in texts]
    # At tau 4, seven of the eight queries have a question that some passage answers.
    assert found[1:] == ["All graded passages together: nCover 0.875", None]
    assert str(found[0]).startswith("All graded passages together: Cover 0.")


@pytest.mark.parametrize("command", ["leaderboard", "correlate", *rows_added("ROUNDED")])
def test_means_can_be_rounded_as_trec_eval_prints_them(examboard: Run, demo_store: Path, command: str) -> None:
    done = examboard(demo_store, command, "demo", "--bank", "open", "--measure", "P@20", "--rounded", "trec_eval")
    assert (done.status, "--rounded" in done.out) == (0, False)


def test_judgments_have_no_tau_and_all_taus_are_a_list_of_five(told):
    assert told("leaderboard", "demo", "--measure", "P@20", "--judgments", "official")["tau"] is None
    boards = told("leaderboard", "demo", "--bank", "open", "--measure", "P@20", "--tau", "all")
    assert [board["tau"] for board in boards] == [1, 2, 3, 4, 5]


def test_a_table_ends_with_the_correlation(examboard, demo_store):
    assert "Against official: Spearman" in examboard(demo_store, *OPEN).out


def test_agreement_names_what_was_asked_and_has_a_kappa_inside_its_interval_and_each_query(told):
    found = told(*AGREEMENT, "--per-query")
    asked = [found[name] for name in ("collection", "bank", "grader", "judgments", "label_map")]
    assert asked == ["demo", "open", "lexical.pourpre-idf", "official", None]
    low, high = found["kappa_interval"]
    assert -1 <= low < found["kappa"] < high <= 1
    assert sum(row["tp"] for row in found["per_query"]) == found["confusion"][0][0]


def test_agreement_of_each_query_stands_in_the_table(examboard, demo_store):
    lines = examboard(demo_store, *AGREEMENT, "--per-query").out.splitlines()
    named = [line.split()[0] for line in lines if line.startswith(("demo-", "all"))]
    assert (sorted(named[:-1]), named[-1]) == ([f"demo-0{number}" for number in range(1, 9)], "all")


def test_a_grid_has_every_tau_cut_and_label_rank(told):
    found = told(*AGREEMENT, "--grid")
    asked = (found["collection"], found["bank"], found["tau"], found["relevant_from"], found["label_rank"])
    assert asked == ("demo", "open", [1, 2, 3, 4, 5], [1, 2, 3], [1, 2, 5])
    assert (len(found["rows"]), isinstance(found["notes"], list)) == (45, True)


@pytest.mark.parametrize("collection", ["car-y3-published", "dl19-published"])
def test_agreement_of_printed_counts_names_the_bank_of_the_table(told, collection):
    found = told("agreement", collection, "--per-query")
    names = ("collection", "bank", "grader", "judgments", "label_map", "label_rank", "kappa_interval", "per_query")
    assert [found[name] for name in names] == [collection, "genq", None, None, None, None, None, []]
    assert "there are no queries" in found["notes"][0]


def test_agreement_of_mapped_labels_says_the_map_and_cuts_below_the_largest(told, examboard, demo_store):
    mapped = (*AGREEMENT, "--label-map", "5=3,4=1")
    found = told(*mapped)
    assert (found["label_map"], found["tau"], set(found["graded"])) == ("4=1,5=3", 2, {"3", "1", "0"})
    assert "Labels are mapped: 4=1,5=3" in examboard(demo_store, *mapped).out
    assert "4=1,5=3" in examboard(demo_store, *mapped, "--format", "csv").out
    grid = told(*mapped, "--grid")
    assert (grid["label_map"], grid["tau"]) == ("4=1,5=3", [1, 2, 3])
