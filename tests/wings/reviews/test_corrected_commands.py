"""A corrected board by command, in a notebook and on its page: its keys, and what is refused."""

import json
import shutil

import pytest
from dashboards import charts, opened, sentences, table

from benchmarks.wings.reviews.campaigns import SETTINGS
from exam_core.analysis.choosing import choose
from exam_core.analysis.leaderboard import leaderboard
from exam_core.request import Request
from exam_core.store import Store
from exam_core.wings.reviews.queue import Draw
from tests.notebook.test_answers import typed
from tests.wings.reviews.reviewing import reviewed

BOARD = ("leaderboard", "demo", "--bank", "open", "--measure", "P@20", "--tau", "3", "--corrected")


@pytest.fixture(scope="module")
def held(demo_store, tmp_path_factory):
    path = shutil.copytree(demo_store, tmp_path_factory.mktemp("reviewed") / "store")
    reviewed(path, "demo", Request(bank="open"), Draw(n=150))
    return path


def test_rows_have_the_keys_of_the_contract_and_the_object_says_of_which_reviews(examboard, held):
    answer = json.loads(examboard(held, *BOARD, "--format", "json").out)
    keys = "corrected corrected_low corrected_high all_low all_high shrunk corrected_rank mean"
    assert set(answer["rows"][0]) >= set(keys.split())
    for row in answer["rows"]:
        assert row["all_low"] <= row["corrected_low"] <= row["shrunk"] <= row["corrected_high"] <= row["all_high"]
    assert answer["reviews"]["n"] == 150
    assert "150 drawn by gain (seed 0)" in answer["reviews"]["design"]


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
    done = examboard(demo_store, "bench", "reviews", "demo", "--bank", "open", "--campaigns", "1", "--by", "gain")
    rows = json.loads(done.out)["rows"]
    assert len(rows) == len(SETTINGS) * 4
    assert {row["sampler"] for row in rows} == {"gain"}
    assert examboard(demo_store, "bench", "reviews", "demo", "--by", "luck").status == 2


@pytest.mark.parametrize("tau", [3, "all"])
def test_a_corrected_board_is_that_of_the_command_line_and_says_what_its_columns_are(own_collection, monkeypatch, tau):
    reviewed(own_collection._store.path, "demo", Request(bank="open"), Draw(n=60))
    answer = own_collection.leaderboard(bank="open", measure="P@20", tau=tau, corrected=True)
    words = ("leaderboard", "demo", "--bank", "open", "--measure", "P@20", "--tau", str(tau), "--corrected")
    assert answer.json() == typed(monkeypatch, own_collection._store.path, *words)
    assert {"corrected", "corrected_low", "corrected_high", "shrunk", "corrected_rank"} <= set(answer.rows)
    assert set(answer.rows) == set(answer.rows.attrs["headings"])
    assert any(note.startswith("As humans would grade: 60 passages reviewed by") for note in answer.notes)


PAGE = "pages/reviews/reviews.py"
ASKED = Request(measure="P@20", bank="open", tau=3)
ASKS = {"collection": "demo", "bank": "open", "tau": "3", "measure": "P", "review_view": "Corrected leaderboard"}


@pytest.fixture(scope="module")
def reviewed_demo(demo_store, tmp_path_factory):
    """The demo with every passage reviewed by the judges."""
    path = shutil.copytree(demo_store, tmp_path_factory.mktemp("reviewed") / "store")
    reviewed(path, "demo", ASKED, Draw(n=100_000, by="uniform"))
    return path


def test_the_page_shows_the_board_of_the_humans(reviewed_demo, monkeypatch):
    test = opened(PAGE, reviewed_demo, monkeypatch, **ASKS)
    rows = table(test, "corrected").set_index("run_id")
    humans = leaderboard(
        Store(reviewed_demo).snapshot("demo"),
        choose(Store(reviewed_demo).snapshot("demo"), Request("P@20", judgments="official")),
    )
    expected = humans.rows.set_index("run_id")["mean"]
    # One passage of the demo has no text, so that nobody can review it; only this run holds it.
    assert rows["corrected"].drop("random").to_dict() == pytest.approx(expected.drop("random").to_dict(), abs=1e-9)
    assert "passages of the lists have no text" in sentences(test)
    assert "as humans would grade" in charts(test)[0].alt
    assert "2 reviewers" in sentences(test)
