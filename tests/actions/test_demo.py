"""The demo: built once, it stays; and it holds what the documentation promises."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from exam_core.actions.demo import build_demo
from exam_core.demo.demo_collection import MANUAL, OPEN
from exam_core.store import Snapshot, Store
from exam_core.store.summary import summary

from .action_files import content


@pytest.fixture(scope="module")
def built(demo_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store with the demo built once; tests only read it or build it again."""
    return Store(shutil.copytree(demo_store, tmp_path_factory.mktemp("demo") / "store"))


def test_building_the_demo_again_changes_nothing_and_says_how_far_it_is(built: Store) -> None:
    before, shares = set(built.path.rglob("*")), list[float]()
    changed = [done.changed for done in build_demo(built, progress=shares.append)]
    assert (set(changed), set(built.path.rglob("*"))) == ({False}, before)
    assert (shares, shares[-1]) == (sorted(shares), 1.0)


def test_the_demo_is_the_same_in_every_store(built: Store, tmp_path: Path) -> None:
    other = Store(tmp_path / "other")
    build_demo(other)
    contents = [{name: content(store.snapshot(name)) for name in store.collections()} for store in (built, other)]
    assert contents[0] == contents[1]
    assert {"car-y3-published", "demo", "dl19-published", "dl20-published"} <= set(contents[1])


def shortest_answer_keys(demo: Snapshot) -> pd.Series:
    """Of the manual bank, by query."""
    questions = demo.frame("questions").query("bank_id == @MANUAL")
    return questions.groupby("query_id")["gold_answers"].agg(lambda lists: min(len(one) for one in lists))


def rankings_of(demo: Snapshot) -> dict[str, tuple[object, ...]]:
    """What each run returned, without its name."""
    columns = ["query_id", "doc_id", "rank", "score"]
    return {
        run_id: tuple(run.sort_values(["query_id", "rank"])[columns].itertuples(index=False, name=None))
        for run_id, run in demo.frame("rankings").groupby("run_id")
    }


def with_gaps(demo: Snapshot) -> list[object]:
    """Rankings whose ranks do not count from 1 without a gap."""
    groups = demo.frame("rankings").groupby(["run_id", "query_id"])["rank"]
    return [name for name, ranks in groups if sorted(ranks) != list(range(1, len(ranks) + 1))]


UNGRADED = """SELECT count(*) AS n FROM (SELECT r.query_id, r.doc_id, q.question_id FROM rankings r
    JOIN questions q USING (query_id) WHERE r.rank <= 20 EXCEPT SELECT query_id, doc_id, question_id FROM grades)"""


def test_it_holds_what_the_documents_promise(built: Store) -> None:
    demo = built.snapshot("demo")
    queries, passages, questions = (demo.frame(name) for name in ("queries", "passages", "questions"))
    judgments, rankings = demo.frame("judgments"), demo.frame("rankings")
    assert len(queries) >= 8
    assert queries[["query_text", "title", "subtopic"]].notna().all(axis=None)
    assert (queries["title"] == "The Integumentary System").sum() == 1
    judged = judgments.groupby("query_id").size()
    assert (len(judged), judged.min() >= 24) == (len(queries), True)
    assert set(judgments["relevance"]) == {0, 1, 2, 3}
    opened = questions[questions["bank_id"] == OPEN].groupby("query_id").size()
    assert opened.to_dict() == dict.fromkeys(queries["query_id"], 10)
    keys = shortest_answer_keys(demo)
    assert (len(keys), keys.min() >= 1) == (len(queries), True)
    assert questions["question_id"].is_unique
    assert rankings["run_id"].nunique() >= 12
    assert pd.Series(rankings_of(demo)).value_counts().tolist()[:2] == [3, 1]  # three runs are identical
    longest = rankings.groupby("run_id")["rank"].max()
    assert longest[longest < 20].index.tolist() == ["bm25-top4"]
    assert with_gaps(demo) == []
    assert (passages["passage_text"].str.strip() == "").sum() == 1
    words = passages["passage_text"].str.split().str.len()
    assert (words.between(1_800, 2_200).sum(), (words > 2_200).sum()) == (1, 0)
    assert demo.query(UNGRADED)["n"].tolist() == [0]
    assert set(demo.frame("leaderboards")["run_id"]) == set(rankings["run_id"])
    assert set(summary(demo)["banks"]) == {OPEN, MANUAL}
