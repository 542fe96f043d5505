"""Leaderboards of other tools by command: in, compared query by query, tested, and out."""

from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def demo(examboard, own_store):
    """`demo(command, ...)`: a command on a demo that a test may change."""
    return lambda *words: examboard(own_store, *words)


def test_a_board_goes_out_run_by_run_and_comes_in_as_one(demo, tmp_path):
    judged = ("--judgments", "official", "--measure", "nDCG@10")
    runs = ("bm25", "bm25-flat", "lsa-8")
    files = [tmp_path / f"{run}.eval" for run in runs]
    for run, file in zip(runs, files, strict=True):
        demo("export", "leaderboard", "demo", file, *judged, "--form", "ir_measures", "--run", run)
    done = demo("import", "leaderboard", *files, "--name-from", "file", "--name", "judged", "--collection", "demo")
    assert "1 leaderboard, 3 rows" in done.out
    said = demo("agreement", "demo", "--bank", "open", "--tau", "3", "--reference", "judged", "--per-query").out
    assert "Kendall and Spearman of each query compare the runs with judged, and not with judgments." in said
    again = demo("export", "leaderboard", "demo", "-", "--name", "judged", "--form", "trec_eval")
    assert again.out.count("runid") == 3
    whole = demo("export", "leaderboard", "demo", "-", *judged, "--form", "ir_measures")
    assert (whole.status, "Name it with --run" in whole.err) == (2, True)


def test_what_has_to_be_chosen_or_is_not_there_is_said(demo, tmp_path):
    path = tmp_path / "board.csv"
    path.write_text("run,AP,P@5\nbm25,0.1,0.2\n")
    bring = ("import", "leaderboard", path, "--name", "n", "--collection", "demo")
    refused = demo(*bring)
    assert (refused.status, "AP, P@5" in refused.err, "--column AP" in refused.err) == (1, True, True)
    assert demo(*bring, "--column", "p@5").status == 0
    out = demo("export", "leaderboard", "demo", "-", "--name", "n", "--form", "run-measure-topic-value").out
    assert out.splitlines()[1:] == ["bm25\tP@5\tall\t0.2"]
    assert demo(*bring, "--column", "AP", "--run", "x", "--name-from", "file").status == 2
    refused = demo("agreement", "demo", "--reference", "n")
    assert (refused.status, "n has no values by query" in refused.err) == (2, True)
