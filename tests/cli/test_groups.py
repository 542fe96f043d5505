"""`--groups yes`: runs with one tag `group:NAME` are one system of a leaderboard."""

import pytest


@pytest.fixture
def grouped(examboard, own_store):
    for run in ("lsa-8", "lsa-40"):
        assert examboard(own_store, "tags", "demo", run, "group:lsa").status == 0
    return own_store


ASKED = ("demo", "--bank", "open", "--measure", "Cover@20", "--tau", "3")


def test_a_group_is_a_row_with_its_spread_and_nothing_changes_without_the_option(told, grouped, demo_store):
    rows = {row["run_id"]: row for row in told("leaderboard", *ASKED, "--groups", "yes", store=grouped)["rows"]}
    alone = told("leaderboard", *ASKED, store=grouped)
    assert alone == told("leaderboard", *ASKED, store=demo_store)
    first, second = (row["mean"] for row in alone["rows"] if row["run_id"] in ("lsa-8", "lsa-40"))
    assert rows["lsa"]["mean"] == pytest.approx((first + second) / 2)
    assert rows["lsa"]["spread"] == pytest.approx(abs(first - second) / 2**0.5)
    assert (rows["lsa"]["n_runs"], rows["bm25"]["n_runs"], rows["bm25"]["spread"]) == (2, 1, None)
    [correlated] = told("correlate", *ASKED, "--groups", "yes", store=grouped)
    assert correlated["n"] == len(alone["rows"]) - 1


@pytest.mark.parametrize(
    ("line", "status", "why"),
    [
        ("leaderboard dl19-published --groups yes", 2, "printed figures only"),
        ("correlate dl19-published --groups yes", 2, "printed figures only"),
        ("leaderboard demo --bank open --groups yes", 2, "No run of demo is in a group."),
        ("correlate demo --bank open --groups yes", 2, "No run of demo is in a group."),
        ("leaderboard demo --bank open --groups maybe", 2, "maybe"),
    ],
)
def test_what_has_no_groups_is_refused(examboard, demo_store, line, status, why):
    done = examboard(demo_store, *line.split())
    assert done.status == status
    assert why in done.err


def test_circularity_tests_no_groups_unless_they_are_named(told, examboard, grouped):
    line = ("circularity", "demo", "--bank", "open", "--draws", "20")
    assert "that is evaluated has a tag" in examboard(grouped, *line).err
    assert told(*line, "--tag", "group:lsa", store=grouped)["tags"] == {"group:lsa": ["lsa-40", "lsa-8"]}
