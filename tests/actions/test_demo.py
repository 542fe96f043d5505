"""The demo: built once, it stays; and it holds what the documentation promises."""

from pathlib import Path

import pandas as pd
import pytest

from exam_core.actions.demo import build_demo
from exam_core.demo.collection import MANUAL, OPEN
from exam_core.store import Snapshot, Store
from exam_core.store.summary import summary

from .action_files import content


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store with the demo built once; tests only read it or build it again."""
    store = Store(tmp_path_factory.mktemp("demo") / "store")
    build_demo(store)
    return store


@pytest.fixture(scope="module")
def demo(built: Store) -> Snapshot:
    """The demo collection."""
    return built.snapshot("demo")


def test_building_the_demo_again_changes_nothing(built: Store) -> None:
    before = set(built.path.rglob("*"))
    changed = [done.changed for done in build_demo(built)]
    assert (set(changed), set(built.path.rglob("*"))) == ({False}, before)


def test_the_demo_is_the_same_in_every_store(built: Store, tmp_path: Path) -> None:
    other = Store(tmp_path / "other")
    build_demo(other)
    contents = [{name: content(store.snapshot(name)) for name in store.collections()} for store in (built, other)]
    assert contents[0] == contents[1]


def test_the_demo_brings_the_printed_collections(built: Store) -> None:
    assert {"car-y3-published", "demo", "dl19-published", "dl20-published"} <= set(built.collections())


def test_progress_rises_to_one(built: Store) -> None:
    shares: list[float] = []
    build_demo(built, progress=shares.append)
    assert (shares, shares[-1]) == (sorted(shares), 1.0)


def test_there_are_at_least_eight_queries(demo: Snapshot) -> None:
    assert len(demo.frame("queries")) >= 8


def test_every_query_has_its_text_title_and_subtopic(demo: Snapshot) -> None:
    assert demo.frame("queries")[["query_text", "title", "subtopic"]].notna().all(axis=None)


def test_one_query_is_titled_the_integumentary_system(demo: Snapshot) -> None:
    assert (demo.frame("queries")["title"] == "The Integumentary System").sum() == 1


def test_every_query_has_at_least_24_judged_passages(demo: Snapshot) -> None:
    judged = demo.frame("judgments").groupby("query_id").size()
    assert (len(judged), judged.min() >= 24) == (len(demo.frame("queries")), True)


def test_judgments_are_0_to_3_and_all_occur(demo: Snapshot) -> None:
    assert set(demo.frame("judgments")["relevance"]) == {0, 1, 2, 3}


def test_every_query_has_ten_open_questions(demo: Snapshot) -> None:
    questions = demo.frame("questions")
    counts = questions[questions["bank_id"] == OPEN].groupby("query_id").size()
    assert counts.to_dict() == dict.fromkeys(demo.frame("queries")["query_id"], 10)


def test_every_query_has_manual_questions_with_an_answer_key(demo: Snapshot) -> None:
    questions = demo.frame("questions")
    keys = questions[questions["bank_id"] == MANUAL].groupby("query_id")["gold_answers"]
    shortest = keys.agg(lambda lists: min(len(one) for one in lists))
    assert (len(shortest), shortest.min() >= 1) == (len(demo.frame("queries")), True)


def test_question_ids_are_unique(demo: Snapshot) -> None:
    assert demo.frame("questions")["question_id"].is_unique


def test_there_are_at_least_twelve_runs(demo: Snapshot) -> None:
    assert demo.frame("rankings")["run_id"].nunique() >= 12


def rankings_of(demo: Snapshot) -> dict[str, tuple[object, ...]]:
    """What each run returned, without its name."""
    columns = ["query_id", "doc_id", "rank", "score"]
    return {
        run_id: tuple(run.sort_values(["query_id", "rank"])[columns].itertuples(index=False, name=None))
        for run_id, run in demo.frame("rankings").groupby("run_id")
    }


def test_three_runs_are_identical(demo: Snapshot) -> None:
    assert pd.Series(rankings_of(demo)).value_counts().tolist()[:2] == [3, 1]


def test_one_run_stops_early(demo: Snapshot) -> None:
    longest = demo.frame("rankings").groupby("run_id")["rank"].max()
    assert longest[longest < 20].index.tolist() == ["bm25-top4"]


def test_ranks_of_every_ranking_count_from_1_without_a_gap(demo: Snapshot) -> None:
    groups = demo.frame("rankings").groupby(["run_id", "query_id"])["rank"]
    assert [name for name, ranks in groups if sorted(ranks) != list(range(1, len(ranks) + 1))] == []


def test_one_passage_is_empty(demo: Snapshot) -> None:
    assert (demo.frame("passages")["passage_text"].str.strip() == "").sum() == 1


def test_one_passage_has_about_2000_words(demo: Snapshot) -> None:
    words = demo.frame("passages")["passage_text"].str.split().str.len()
    assert (words.between(1_800, 2_200).sum(), (words > 2_200).sum()) == (1, 0)


def test_every_first_20_of_every_run_is_graded_on_every_question(demo: Snapshot) -> None:
    ungraded = demo.query(
        "SELECT count(*) AS n FROM (SELECT r.query_id, r.doc_id, q.question_id FROM rankings r "
        "JOIN questions q USING (query_id) WHERE r.rank <= 20 "
        "EXCEPT SELECT query_id, doc_id, question_id FROM grades)"
    )
    assert ungraded["n"].tolist() == [0]


def test_the_official_leaderboard_ranks_every_run(demo: Snapshot) -> None:
    assert set(demo.frame("leaderboards")["run_id"]) == set(demo.frame("rankings")["run_id"])


def test_the_summary_names_both_banks(demo: Snapshot) -> None:
    assert set(summary(demo)["banks"]) == {OPEN, MANUAL}
