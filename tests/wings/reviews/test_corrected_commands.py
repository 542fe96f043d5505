"""`leaderboard --corrected`: the keys of the contract, and what it refuses."""

import json
import shutil

import pytest

from benchmarks.wings.reviews.campaigns import SETTINGS
from exam_core.request import Request
from exam_core.wings.reviews.queue import Draw
from tests.wings.reviews.reviewing import reviewed

BOARD = ("leaderboard", "demo", "--bank", "open", "--measure", "P@20", "--tau", "3", "--corrected")


@pytest.fixture(scope="module")
def held(demo_store, tmp_path_factory):
    path = shutil.copytree(demo_store, tmp_path_factory.mktemp("reviewed") / "store")
    reviewed(path, "demo", Request(bank="open"), Draw(n=150))
    return path


def test_rows_have_the_keys_of_the_contract_and_the_object_says_of_which_reviews(examboard, held):
    answer = json.loads(examboard(held, *BOARD, "--format", "json").out)
    assert set(answer["rows"][0]) >= {
        "corrected",
        "corrected_low",
        "corrected_high",
        "all_low",
        "all_high",
        "shrunk",
        "corrected_rank",
        "mean",
    }
    for row in answer["rows"]:
        assert row["all_low"] <= row["corrected_low"] <= row["shrunk"] <= row["corrected_high"] <= row["all_high"]
    assert answer["reviews"]["n"] == 150
    assert "150 drawn by gain (seed 0)" in answer["reviews"]["design"]


def test_all_taus_are_corrected_each_for_itself(examboard, held):
    answers = json.loads(examboard(held, *BOARD[:-2], "all", "--corrected", "--format", "json").out)
    assert [one["tau"] for one in answers] == [1, 2, 3, 4, 5]
    assert len({one["rows"][0]["mean"] for one in answers}) > 1


@pytest.mark.parametrize("form", ["table", "csv", "latex"])
def test_every_form_has_the_corrected_means(examboard, held, form):
    done = examboard(held, *BOARD, "--format", form)
    assert done.status == 0
    assert "corrected" in done.out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("demo", "--bank", "open", "--measure", "AP"), "not a sum over passages"),
        (("demo", "--bank", "open"), "one unseen passage can decide"),
        (("demo", "--judgments", "official", "--measure", "P@20"), "Human judgments are not grades"),
        (("car-y3-published", "--bank", "genq", "--measure", "P@20", "--tau", "4"), "printed figures only"),
    ],
)
def test_what_can_not_be_corrected_is_refused_with_a_reason(examboard, held, options, said):
    done = examboard(held, "leaderboard", *options, "--corrected")
    assert done.status == 2
    assert said in done.err
    assert not done.out


def test_without_reviews_it_says_how_to_get_some(examboard, demo_store):
    done = examboard(demo_store, *BOARD)
    assert done.status == 2
    assert "review queue demo" in done.err


def test_the_benchmark_has_a_row_for_each_setting_sampler_and_size(examboard, demo_store):
    done = examboard(
        demo_store, "bench", "reviews", "demo", "--bank", "open", "--campaigns", "1", "--by", "uniform,gain"
    )
    rows = json.loads(done.out)["rows"]
    assert len(rows) == len(SETTINGS) * 2 * 4
    assert {row["sampler"] for row in rows} == {"uniform", "gain"}
    assert examboard(demo_store, "bench", "reviews", "demo", "--by", "luck").status == 2
