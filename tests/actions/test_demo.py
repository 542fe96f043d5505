"""The demo: built once, it stays; and it holds what the documentation promises."""

import json
from pathlib import Path

import pandas as pd
import pytest

from exam_core.actions.demo import build_demo
from exam_core.demo.collection import MANUAL, OPEN
from exam_core.demo.embedded import NUGGETS
from exam_core.formats.banks.nuggetizer import read_nuggets
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
    assert (changed, set(built.path.rglob("*"))) == ([False] * 7, before)


def test_the_demo_is_the_same_in_every_store(built: Store, tmp_path: Path) -> None:
    other = Store(tmp_path / "other")
    build_demo(other)
    contents = [{name: content(store.snapshot(name)) for name in store.collections()} for store in (built, other)]
    assert contents[0] == contents[1]


def test_the_demo_brings_the_printed_collections(built: Store) -> None:
    names = ["car-y3-published", "demo", "demo-answers", "demo-nuggets", "dl19-published", "dl20-published"]
    assert built.collections() == names


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


@pytest.fixture(scope="module")
def answers(built: Store) -> Snapshot:
    """The collection of generated answers."""
    return built.snapshot("demo-nuggets")


def test_four_systems_answer_and_one_leaves_a_query_out(answers: Snapshot) -> None:
    counts = answers.frame("rankings").groupby("run_id").size()
    assert counts.to_dict() == {"gen-brief": 2, "gen-careful": 3, "gen-chatty": 3, "gen-confused": 3}


def test_answers_as_they_were_assigned_are_those_that_cite(answers: Snapshot) -> None:
    lines = (NUGGETS / "assignments.jsonl").read_text(encoding="utf-8").splitlines()
    assigned = {f"{line['run_id']}/{line['qid']}": line["answer_text"] for line in map(json.loads, lines)}
    texts = answers.frame("passages").set_index("doc_id")["passage_text"]
    assert {doc_id: texts[doc_id] for doc_id in assigned} == assigned


def test_the_nuggets_are_those_of_the_file_that_has_them_alone(answers: Snapshot) -> None:
    alone = read_nuggets(NUGGETS / "nuggets.jsonl", bank_id="nuggets").frames["questions"]
    pd.testing.assert_frame_equal(answers.frame("questions"), alone)


def test_every_cited_passage_has_a_text_and_grades(answers: Snapshot) -> None:
    found = answers.query(
        "SELECT count(*) AS n, count(passage_text) AS known, count(graded.doc_id) AS graded FROM pool "
        "LEFT JOIN passages USING (doc_id) LEFT JOIN "
        "(SELECT DISTINCT query_id, doc_id FROM grades WHERE grader_id LIKE 'lexical%') graded USING (query_id, doc_id)"
    )
    pool = len(answers.frame("pool"))
    assert found.to_numpy().tolist() == [[pool, pool, pool]]


def test_the_answers_show_every_kind_of_label_and_importance(answers: Snapshot) -> None:
    labels = answers.query("SELECT DISTINCT answer FROM grades WHERE grader_id = 'nuggetizer' ORDER BY 1")["answer"]
    assert labels.tolist() == ["contradiction", "not_support", "partial_support", "support", "unclear"]
    assert set(answers.frame("questions")["importance"]) == {"vital", "okay", "avoid"}


def test_the_answers_of_the_demo_are_ranked_when_it_is_built(built: Store) -> None:
    scores = built.snapshot("demo-answers").frame("scores")
    assert scores["method"].value_counts().to_dict() == {"NRP(ranker=bm25)": 18, "order": 6}
    answers = built.snapshot("demo-answers").frame("rankings")["extra"].notna().sum()
    assert answers == 3 * 2 * 2 * 3
