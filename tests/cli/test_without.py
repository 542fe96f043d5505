"""Runs that a command leaves out."""

import json

import pytest

DEMO = ("demo", "--bank", "open", "--tau", "3")


def rows(found):
    return {row["run_id"]: row for row in json.loads(found.out)["rows"]}


def test_the_others_are_ranked_and_re_normalised_without_them(examboard, demo_store):
    whole = rows(examboard(demo_store, "leaderboard", *DEMO, "--format", "json"))
    worst = min(whole, key=lambda run: whole[run]["mean"])
    found = examboard(demo_store, "leaderboard", *DEMO, "--without", worst, "--format", "json")
    left = rows(found)
    assert set(whole) - set(left) == {worst}
    assert min(row["normalised"] for row in left.values()) == 0
    assert {run: row["mean"] for run, row in left.items()} == {run: whole[run]["mean"] for run in left}
    assert json.loads(found.out)["without"] == [worst]


def test_correlations_are_over_the_others(examboard, demo_store):
    found = examboard(demo_store, "correlate", *DEMO, "--without", "bm25", "--without", "lsa-8", "--format", "json")
    (one,) = json.loads(found.out)
    assert (one["n"], "Left out as asked: bm25, lsa-8." in " ".join(one["notes"])) == (13, True)


@pytest.mark.parametrize("command", ["outliers", "holes", "cutoffs", "significance", "swaps", "stability"])
def test_every_command_that_evaluates_can_leave_runs_out(examboard, demo_store, command):
    tau = () if command == "cutoffs" else DEMO[3:]
    found = examboard(demo_store, command, *DEMO[:3], *tau, "--without", "bm25", "--format", "json")
    assert found.status == 0
    assert '"bm25"' not in found.out.partition('"rows"')[2]


def test_a_run_that_is_not_there_is_refused_by_name(examboard, demo_store):
    found = examboard(demo_store, "leaderboard", *DEMO, "--without", "bm52")
    assert found.status == 2
    assert "--without bm52: demo has no such run. It has: " in found.err
