"""Commits: what a collection shows after imports of several sources, owners and parts."""

import os
import time

import pandas as pd
import pytest

from exam_core.errors import BadInput, UsageError
from exam_core.formats import Reading
from exam_core.formats.reading import trec_rank
from exam_core.store import Store
from exam_core.store.commits import ABANDONED_AFTER
from exam_core.store.grade_segments import parquet
from exam_core.tables import QUESTIONS, RANKINGS
from tests.analysis.worlds import table

from .store_samples import frame, grades, judgments, leaderboard, passages, queries, rankings, reading, scores, shown

Rows, Texts = list[tuple[str | int, ...]], dict[str, str | None]
OLD = reading(passages("d1", "d2"), grades(("q1", "d1", 3), ("q1", "d2", 1)))
NEW = reading(passages("d2", "d3", text="newer text of {}"), grades(("q1", "d2", 5)))


def listing(store):
    return set(store.path.rglob("*"))


def test_the_same_import_again_changes_nothing_and_says_so(store):
    assert store.commit("c", OLD, source="a").changed
    files, fingerprint = listing(store), store.snapshot("c").fingerprint
    assert not store.commit("c", OLD, source="a").changed
    assert (listing(store), store.snapshot("c").fingerprint) == (files, fingerprint)
    store.commit("other", NEW, source="a")
    assert store.snapshot("c").fingerprint == fingerprint


def test_a_newer_import_replaces_its_source_as_a_whole(store):
    store.commit("c", OLD, source="a")
    store.commit("c", NEW, source="a")
    assert shown(store.snapshot("c"))["passages"] == [list(row) for row in _texts(NEW)]


def test_an_older_import_counts_again_when_it_comes_again(store):
    for version in (OLD, NEW, OLD):
        store.commit("c", version, source="a")
    assert shown(store.snapshot("c"))["passages"] == [list(row) for row in _texts(OLD)]


@pytest.mark.parametrize(
    ("first", "second", "shows"),
    [
        ([("q1", "d1", 3)], [("q2", "d1", 1)], [("q1", "d1"), ("q2", "d1")]),
        ([("q1", "d1", 3), ("q1", "d2", 2)], [("q1", "d2", 2), ("q1", "d3", 0)], [("q1", f"d{n}") for n in (1, 2, 3)]),
        ([("q1", "d1", 3)], [("q1", "d1", 3)], [("q1", "d1")]),
    ],
    ids=["others", "shared rows", "one file under two names"],
)
def test_another_source_adds_its_rows_each_once(store, first, second, shows):
    store.commit("c", reading(grades(*first)), source="a")
    store.commit("c", reading(grades(*second)), source="b")
    rows = store.snapshot("c").frame("grades")
    assert list(zip(rows["query_id"], rows["doc_id"], strict=True)) == shows


def test_united_rows_come_in_the_order_of_their_files(store):
    first = [("q1", f"d{number * 7919 % 50_000}", 3) for number in range(50_000)]
    second = [("q0", f"d{number}", 2) for number in range(1_000)]
    store.commit("c", reading(grades(*first)), source="a")
    store.commit("c", reading(grades(*first[:10], *second)), source="b")
    assert store.snapshot("c").frame("grades")["doc_id"].tolist() == [row[1] for row in first + second]


@pytest.mark.parametrize(
    ("first", "second", "shows"),
    [
        ({"q1": None, "q2": None}, {"q1": "what is tau"}, ["what is tau", "-"]),
        ({"q1": "what is tau"}, {"q1": None}, ["what is tau"]),
        ({"q1": "what is tau"}, {"q1": "what is tau?"}, ["what is tau?"]),
    ],
    ids=["filled in by id", "an unknown one takes none away", "the newest is believed"],
)
def test_of_two_texts_the_newest_known_one_counts(store, first, second, shows):
    store.commit("c", reading(queries(**first)), source="a")
    store.commit("c", reading(queries(**second)), source="b")
    assert store.snapshot("c").frame("queries")["query_text"].fillna("-").tolist() == shows


OWNED = {
    "a run": ("rankings", "bm25", lambda n: rankings(("q1", f"d{n}", 9.0 + n))),
    "judgments": ("judgments", "official", lambda n: judgments(("q1", f"d{n}", n))),
    "labels": ("grades", "Thomas", lambda n: grades(("q1", f"d{n}", n), grader="Thomas", question=None)),
    "a method's values": ("scores", "m", lambda n: scores(("r", "q1", n / 8))),
    "a leaderboard": ("leaderboards", "official", lambda n: leaderboard((f"run{n}", float(n)))),
}


@pytest.mark.parametrize(("table", "name", "make"), OWNED.values(), ids=OWNED)
def test_an_owner_replaces_what_was_there_under_its_name_and_a_later_import_of_everything_takes_nothing_from_it(
    store, table, name, make
):
    store.commit("c", reading(make(1)), source="everything")
    store.commit("c", reading(make(2)), source="own", owns=[(table, name)])
    alone, later = (Store(store.path.with_name(folder)) for folder in ("alone", "later"))
    alone.commit("c", reading(make(2)), source="own")
    assert shown(store.snapshot("c")) == shown(alone.snapshot("c"))
    later.commit("c", reading(make(2)), source="own", owns=[(table, name)])
    before = shown(later.snapshot("c"))
    later.commit("c", reading(make(1)), source="everything")
    assert shown(later.snapshot("c")) == before


def test_an_owner_leaves_other_names_alone(store):
    both = pd.concat([rankings(("q1", "d1", 1.0)), rankings(("q1", "d1", 2.0), run="dense")])
    store.commit("c", reading(both), source="everything")
    store.commit("c", reading(rankings(("q1", "d9", 1.0))), source="own", owns=[("rankings", "bm25")])
    rows = store.snapshot("c").frame("rankings")
    assert sorted(zip(rows["run_id"], rows["doc_id"], strict=True)) == [("bm25", "d9"), ("dense", "d1")]


def test_of_two_owners_the_newest_counts(store):
    for doc_id, source in (("d1", "one"), ("d2", "two"), ("d1", "one")):
        store.commit("c", reading(rankings(("q1", doc_id, 1.0))), source=source, owns=[("rankings", "bm25")])
    assert store.snapshot("c").frame("rankings")["doc_id"].tolist() == ["d1"]


CONTRADICTIONS = {
    "another text of a passage": (passages("d1"), passages("d1", text="another text"), "passages.*d1"),
    "another score of a run": (rankings(("q1", "d1", 9.0)), rankings(("q1", "d1", 8.0)), "score is 9.0 .* 8.0"),
    "another judgment": (judgments(("q1", "d1", 1)), judgments(("q1", "d1", 2)), "relevance is 1 .* 2 here"),
    "another grade": (grades(("q1", "d1", 1)), grades(("q1", "d1", 2)), "grade is 1 there and 2 here"),
    "a grade where none could be read": (grades(("q1", "d1", None)), grades(("q1", "d1", 2)), "q1/a.*None"),
    "no readable grade where there is one": (grades(("q1", "d1", 2)), grades(("q1", "d1", None)), "d1.*None"),
    "another direct label": (
        grades(("q1", "d1", 1), question=None),
        grades(("q1", "d1", 2), question=None),
        "grade is 1 there and 2 here",
    ),
    "another printed score": (leaderboard(("bm25", 0.5)), leaderboard(("bm25", 0.25)), "0.5 there and 0.25"),
    "another value": (
        scores(("r", "q1", 0.5)),
        scores(("r", "q1", 0.25)),
        "method m, run_id r, query_id q1: value is 0.5 there and 0.25 here",
    ),
    "a value where there is none": (scores(("r", "q1", None)), scores(("r", "q1", 0.25)), "value is None there"),
}


@pytest.mark.parametrize(("old", "new", "message"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_a_contradiction_is_refused_and_writes_nothing_but_a_source_may_change_what_it_said(store, old, new, message):
    store.commit("c", reading(old), source="a")
    before = listing(store)
    with pytest.raises(BadInput, match=f"(?s){message}.*Nothing was stored"):
        store.commit("c", reading(new), source="b")
    assert listing(store) == before
    assert store.commit("c", reading(new), source="a").changed


@pytest.mark.parametrize("rows", [25, 3])
def test_a_contradiction_names_the_first_rows_and_says_if_there_are_more(store, rows):
    store.commit("c", reading(grades(*(("q1", f"d{n}", 1) for n in range(rows)))), source="a")
    with pytest.raises(BadInput) as caught:
        store.commit("c", reading(grades(*(("q1", f"d{n}", 2) for n in range(rows)))), source="b")
    text = str(caught.value)
    assert (text.count("grade is 1"), "... and more" in text) == (min(rows, 20), rows > 20)


def test_a_text_may_be_added_to_a_passage_that_had_none(store):
    unknown = passages("d1").assign(passage_text=None, text_hash=None)
    store.commit("c", reading(unknown), source="a")
    store.commit("c", reading(passages("d1")), source="b")
    assert store.snapshot("c").frame("passages")["passage_text"].tolist() == ["text of d1"]


STEPS = {
    "another row": (reading(passages("d1", "d2")), "a"),
    "another value": (reading(passages("d1", text="another")), "a"),
    "another table": (reading(passages("d1"), judgments(("q1", "d1", 1))), "a"),
    "another source": (reading(judgments(("q1", "d1", 1))), "b"),
}


def test_what_an_owner_hides_contradicts_nothing(store):
    store.commit("c", reading(rankings(("q1", "d1", 9.0))), source="own", owns=[("rankings", "bm25")])
    assert store.commit("c", reading(rankings(("q1", "d1", 8.0))), source="everything").changed


@pytest.mark.parametrize(("change", "source"), STEPS.values(), ids=STEPS)
def test_the_fingerprint_changes_when_the_content_does(store, change, source):
    store.commit("c", reading(passages("d1")), source="a")
    before = store.snapshot("c").fingerprint
    store.commit("c", change, source=source)
    assert store.snapshot("c").fingerprint != before


def test_a_snapshot_of_an_old_import_can_still_be_read_when_it_is_superseded(store):
    store.commit("c", OLD, source="a")
    frozen = store.snapshot("c")
    before = shown(frozen)
    long_ago = time.time() - 2 * ABANDONED_AFTER
    for path in store.path.rglob("*.parquet"):
        os.utime(path, (long_ago, long_ago))
    store.commit("c", NEW, source="a")
    store.commit("c", reading(judgments(("q1", "d1", 1))), source="b")
    assert shown(frozen) == before


def test_a_superseded_import_is_collected_in_the_end(store):
    store.commit("c", OLD, source="a")
    superseded = set(store.path.rglob("*.parquet"))
    store.commit("c", NEW, source="a")
    long_ago = time.time() - 2 * ABANDONED_AFTER
    for path in superseded:
        os.utime(path, (long_ago, long_ago))
    store.commit("c", reading(judgments(("q1", "d1", 1))), source="b")
    assert not any(path.exists() for path in superseded)


def test_an_unknown_collection_is_refused_with_the_names_there_are(store):
    store.commit("dl19", OLD, source="a")
    with pytest.raises(UsageError, match=r"no collection dl20. There are: dl19\."):
        store.snapshot("dl20")


def test_an_empty_store_says_how_to_fill_it(store):
    with pytest.raises(UsageError, match="examboard demo"):
        store.snapshot("demo")


def _texts(version):
    found = version.frames["passages"]
    columns = (found["doc_id"], found["passage_text"], found["text_hash"])
    return [(*row, None) for row in zip(*columns, strict=True)]


def test_files_from_before_a_column_was_added_are_read_beside_newer_ones(store, monkeypatch):
    names = "bank_id version question_id query_id question_text weight enabled kind"
    for version in (1, 2):
        asked = frame(QUESTIONS, names, [("b", version, "q1/a", "q1", "Why?", 1.0, True, "claim")])
        with monkeypatch.context() as earlier:
            if version == 1:
                later = [column.name for column in QUESTIONS.later]
                earlier.setattr(
                    "exam_core.store.commits.parquet", lambda table, later=later: parquet(table.drop_columns(later))
                )
            store.commit("c", reading(asked), source=f"bank:b@{version}", owns=[("questions", f"b@{version}")])
    found = store.snapshot("c").query("SELECT version, kind FROM questions ORDER BY version")
    assert [kind if isinstance(kind, str) else None for kind in found["kind"]] == [None, "claim"]


PARTS = [reading(grades(("q1", "d1", 3))), reading(grades(("q2", "d1", 1)))]


def counted(query, grade):
    found = reading(grades((query, "d1", grade)))
    found.counts, found.notes, found.graders = {"grades": 1}, ["a note"], {query: {"scale": 5}}
    return found


def test_parts_show_as_if_they_had_come_as_one_and_change_nothing_when_they_come_again(store):
    store.commit("parts", PARTS, source="s")
    store.commit("whole", reading(grades(("q1", "d1", 3), ("q2", "d1", 1))), source="s")
    before = store.snapshot("parts")
    assert shown(before) == shown(store.snapshot("whole"))
    assert not store.commit("parts", iter(PARTS), source="s").changed
    assert store.snapshot("parts").fingerprint == before.fingerprint


def test_parts_are_one_import_with_summed_counts_each_note_once_and_all_graders(store):
    store.commit("c", [counted("q1", 3), counted("q2", 4)], source="s")
    snapshot = store.snapshot("c")
    (about,) = snapshot.sources
    assert (about["counts"], about["notes"]) == ({"grades": 2}, ["a note"])
    assert sorted(snapshot.graders) == ["q1", "q2"]


def test_nothing_shows_before_the_last_part_is_written(store):
    seen = []

    def parts():
        for part in PARTS:
            seen.append(store.collections())
            yield part

    store.commit("c", parts(), source="s")
    assert (seen, store.collections()) == ([[], []], ["c"])


def test_parts_that_break_off_leave_nothing_to_be_seen(store):
    def parts():
        yield PARTS[0]
        raise UsageError("broken off")

    with pytest.raises(UsageError, match="broken off"):
        store.commit("c", parts(), source="s")
    assert store.collections() == []


def test_a_contradiction_in_a_later_part_stores_nothing(store):
    store.commit("c", reading(grades(("q2", "d1", 5))), source="other")
    before = shown(store.snapshot("c"))
    with pytest.raises(BadInput, match="contradicts"):
        store.commit("c", PARTS, source="s")
    assert shown(store.snapshot("c")) == before


def test_an_import_that_came_while_parts_were_written_stays_older(store):
    def parts():
        yield PARTS[0]
        store.commit("c", reading(grades(("q3", "d1", 2))), source="meanwhile")
        yield PARTS[1]

    store.commit("c", parts(), source="s")
    assert [about["source"] for about in store.snapshot("c").sources] == ["meanwhile", "s"]


def part(*rows):
    """A file's part of run r on query q."""
    frame = table(RANKINGS, [("r", "q", name, 0, place, score, True) for place, (name, score) in enumerate(rows, 1)])
    frame["rank"] = trec_rank(frame)
    return Reading({"rankings": frame})


@pytest.fixture
def in_two_parts(tmp_path):
    store = Store(tmp_path)
    store.commit("c", part(("a", 4.0), ("c", 2.0), ("tie-a", 1.0)), source="workbench:first")
    store.commit("c", part(("b", 3.0), ("tie-b", 1.00000001), ("big", 1e300)), source="workbench:second")
    return store.snapshot("c")


def test_parts_of_a_ranking_are_ranked_together_and_no_two_passages_share_a_rank(in_two_parts):
    ranks = in_two_parts.frame("rankings").set_index("doc_id")["rank"].sort_values()
    assert ranks.to_dict() == {"big": 1, "a": 2, "b": 3, "c": 4, "tie-b": 5, "tie-a": 6}
