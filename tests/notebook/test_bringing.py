"""Runs, judgments and topics come in without files, by the same imports."""

import json
from typing import NamedTuple

import ir_measures
import numpy as np
import pandas as pd
import pytest

import exam_core as eb
from exam_core.tables import TABLES

SCORES = {"q1": {"d1": 3.0, "d2": 1.5}, "q2": {"d1": 0.25}}
RELEVANCE = {"q1": {"d1": 2, "d2": 0}, "q2": {"d1": 1}}


class Topic(NamedTuple):
    """A query as ir_datasets has it."""

    query_id: str
    text: str


def frame(values, names, value):
    rows = [(query, doc, one) for query, row in values.items() for doc, one in row.items()]
    return pd.DataFrame(rows, columns=[*names, value])


def records(kind, values):
    """Records of ir_measures, as they come from a file: once."""
    return (kind(query, doc, one) for query, row in values.items() for doc, one in row.items())


def pyterrier(values=SCORES):
    """A result frame of PyTerrier, whose ranks begin at 0 and whose rows are numbered as they came."""
    found = frame(values, ["qid", "docno"], "score").assign(query="words", docid=[7, 8, 9])
    found["rank"] = found.groupby("qid")["score"].rank(ascending=False).astype(int) - 1
    return found.sample(frac=1, random_state=0)


RUNS = {
    "a result frame of PyTerrier": pyterrier,
    "a frame of ir_measures": lambda: frame(SCORES, ["query_id", "doc_id"], "score"),
    "records of ir_measures": lambda: records(ir_measures.ScoredDoc, SCORES),
    "dictionaries": lambda: SCORES,
    "a frame of whole scores": lambda: frame(SCORES, ["qid", "docno"], "score").assign(score=[30, 15, 2]),
}
QRELS = {
    "a frame of PyTerrier": lambda: frame(RELEVANCE, ["qid", "docno"], "label"),
    "a frame of ir_measures": lambda: frame(RELEVANCE, ["query_id", "doc_id"], "relevance"),
    "records of ir_measures": lambda: records(ir_measures.Qrel, RELEVANCE),
    "dictionaries": lambda: RELEVANCE,
}
TOPICS = {
    "a frame of PyTerrier": lambda: pd.DataFrame({"qid": ["q1", "q2"], "query": ["one", "two"]}),
    "a dictionary": lambda: {"q1": "one", "q2": "two"},
    "records": lambda: (Topic("q1", "one"), Topic("q2", "two")),
}


@pytest.fixture
def mine(tmp_path):
    """A collection that is not there yet."""
    return eb.open(tmp_path / "store", new=True).new("mine")


def stored(collection, table):
    return collection._snapshot().frame(table)


@pytest.mark.parametrize("given", RUNS.values(), ids=RUNS)
def test_a_run_comes_in_as_its_file_would(mine, tmp_path, given):
    done = mine.import_run(given(), name="own")
    assert (done.changed, done.counts) == (True, {"runs": 1, "rankings": 3})
    lines = [f"{q} Q0 {d} {at} {s} tag" for q, row in SCORES.items() for at, (d, s) in enumerate(row.items(), 1)]
    (tmp_path / "own.run").write_text("\n".join(lines) + "\n", encoding="utf-8")
    other = eb.open(tmp_path / "other", new=True).new("mine")
    other.import_run(tmp_path / "own.run", name="own")
    key = ["run_id", "query_id", "doc_id", "rank"]
    ours, files = (stored(one, "rankings").sort_values(key, ignore_index=True) for one in (mine, other))
    pd.testing.assert_frame_equal(ours[key], files[key])


def test_ranks_of_a_frame_are_kept_as_those_of_its_source(mine):
    mine.import_run(pyterrier(), name="own")
    rows = stored(mine, "rankings").sort_values(["query_id", "rank"])
    assert rows["source_rank"].tolist() == [0, 1, 0]
    assert rows["rank"].tolist() == [1, 2, 1]


def test_a_frame_may_hold_several_runs(mine):
    both = pd.concat([pyterrier().assign(run_id=name) for name in ("a", "b")])
    assert mine.import_run(both).counts == {"runs": 2, "rankings": 6}
    assert sorted(stored(mine, "rankings")["run_id"].unique()) == ["a", "b"]


@pytest.mark.parametrize("given", QRELS.values(), ids=QRELS)
def test_judgments_come_in_whatever_holds_them(mine, given):
    assert mine.import_qrels(given()).counts == {"queries": 2, "judgments": 3}
    rows = stored(mine, "judgments")
    assert set(zip(rows["qrels_id"], rows["query_id"], rows["doc_id"], rows["relevance"], strict=True)) == {
        ("official", "q1", "d1", 2),
        ("official", "q1", "d2", 0),
        ("official", "q2", "d1", 1),
    }


def test_labels_come_in_with_their_scale_as_judgments_do(mine):
    assert mine.import_labels(RELEVANCE, grader="umbrela", scale="0-3").counts == {"queries": 2, "labels": 3}
    rows = stored(mine, "grades").sort_values(["query_id", "doc_id"])
    assert rows[["grader_id", "query_id", "doc_id", "grade"]].to_numpy().tolist() == [
        ["umbrela", "q1", "d1", 2],
        ["umbrela", "q1", "d2", 0],
        ["umbrela", "q2", "d1", 1],
    ]
    assert json.loads(eb.open(mine._store.path).collections().json())[0]["scale"] == {"umbrela": 3}


@pytest.mark.parametrize("given", TOPICS.values(), ids=TOPICS)
def test_topics_come_in_for_the_queries_that_there_are(mine, given):
    mine.import_qrels({"q2": {"d1": 1}})
    done = mine.import_topics(given())
    assert done.counts == {"queries": 1}
    assert done.notes == ["1 query is not in mine: left out."]
    assert stored(mine, "queries")[["query_id", "query_text"]].to_numpy().tolist() == [["q2", "two"]]


def test_passages_come_in_for_what_is_named(mine, tmp_path):
    mine.import_qrels({"other": {"d1": 1}})
    with pytest.raises(eb.ExamboardError, match="replace=True"):
        mine.import_qrels({"q2": {"d1": 1, "d2": 0}})
    mine.import_qrels({"q2": {"d1": 1, "d2": 0}}, replace=True)
    given = ({"docno": doc_id, "text": doc_id.upper()} for doc_id in ("d1", "d9"))
    assert mine.import_passages(given).counts == {"passages": 1}
    (tmp_path / "corpus.tsv").write_text("d2\ttwo\nd9\tnine\n")
    assert mine.import_passages(tmp_path / "corpus.tsv", every=True).counts == {"passages": 2}
    rows = stored(mine, "passages").sort_values("doc_id")
    assert rows[["doc_id", "passage_text"]].to_numpy().tolist() == [["d1", "D1"], ["d2", "two"], ["d9", "nine"]]


def test_a_run_that_came_in_is_on_the_board_replaced_by_its_next_import_and_undone(own):
    docs = own.evaluate(bank="open").rows["query_id"].drop_duplicates()
    before = set(own.leaderboard(bank="open").rows["run_id"])
    own.import_run({query: {"nowhere": 1.0} for query in docs}, name="mine")
    assert set(own.leaderboard(bank="open").rows["run_id"]) == {*before, "mine"}
    ranked = stored(own, "rankings")
    best = ranked[ranked["run_id"] == "bm25"].rename(columns={"query_id": "qid", "doc_id": "docno"})
    with pytest.raises(eb.ExamboardError, match=r"run mine, .* imported from a dictionary .*\n.* replace=True"):
        own.import_run(best[["qid", "docno", "score"]], name="mine")
    again = own.import_run(best[["qid", "docno", "score"]], name="mine", replace=True)
    assert again.changed
    board = own.leaderboard(bank="open").rows.set_index("run_id")["mean"]
    assert board["mine"] == board["bm25"] > 0
    own.undo()
    assert own.leaderboard(bank="open").rows.set_index("run_id")["mean"]["mine"] == 0
    assert own.undo().startswith("demo: the import of a dictionary at ")
    assert set(own.leaderboard(bank="open").rows["run_id"]) == before


def test_judgments_that_came_in_give_the_values_of_ir_measures(mine):
    mine.import_run(SCORES, name="own")
    mine.import_qrels(RELEVANCE)
    ours = mine.leaderboard(judgments="official", measure="nDCG@2", relevant_from=1).rows["mean"].iloc[0]
    theirs = ir_measures.calc_aggregate([ir_measures.nDCG @ 2], RELEVANCE, SCORES)
    assert ours == pytest.approx(theirs[ir_measures.nDCG @ 2], abs=1e-9)


def run(**columns):
    return pd.DataFrame({"qid": ["q1", "q1"], "docno": ["d1", "d2"], "score": [2.0, 1.0]} | columns)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (run().drop(columns="docno"), "The run: has no column docno or doc_id. It has: qid, score."),
        (run(query_id=["q1", "q1"]), "The run: has two columns for one thing, qid and query_id. Leave one out."),
        (run(qid=[1, 1]), "The run: qid is 1 (int), not text (row 0)."),
        (run(docno=["d1", None]), "The run: docno is "),
        (run(docno=["d1", ""]), "The run: docno '' is blank (row 1)."),
        (run(docno=["d1", "d\n2"]), r"The run: docno 'd\n2' holds the control character U+000A (row 1)."),
        (run(score=["2", "1"]), "The run: score is 2 (str), not a number (row 0)."),
        (run(score=[2.0, np.nan]), "The run: score is nan (float), not a number (row 1)."),
        (
            run(score=[10**400, 1]),
            "The run: score is 1000000000000000000000000000000000000000 (int), not a number (row 0).",
        ),
        (run(score=[2.0, np.inf]), "The run: score is inf (float), not a number (row 1)."),
        (run(score=[True, False]), "The run: score is True (bool), not a number (row 0)."),
        (run(rank=[0.0, 1.0]), "The run: rank is 0.0 (float), not a whole number (row 0)."),
        (run(rank=[-1, 0]), "The run: rank is -1, not in 0..2147483647 (row 0)."),
        (
            run(docno=["d1", "d1"]),
            "The run: second score for run own, query q1, passage d1, with other values than row 0 (row 1).",
        ),
        (run().iloc[:0], "The run: holds nothing to import."),
        ({}, "The run: holds nothing to import."),
        ({"q1": ["d1", "d2"]}, "The run: query q1 has a list where a dictionary of passages belongs."),
        ([("q1", "d1", 1.0)], "The run: has no column qid or query_id. It has: 0, 1, 2."),
        ([ir_measures.ScoredDoc("q1", "d1", 1.0), 3], "The run: records of different kinds"),
        (3, "The run: is of type int. Give a DataFrame, a dictionary or records."),
    ],
)
def test_a_bad_run_is_one_message_that_names_the_column_and_nothing_is_stored(mine, given, said):
    with pytest.raises(eb.ExamboardError) as refused:
        mine.import_run(given, name="own")
    assert str(refused.value).startswith(said)
    assert list(mine._store.collections()) == []


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        ("qrels", {"q1": {"d1": 1.0}}, "The judgments: relevance is 1.0 (float), not a whole number (row 0)."),
        ("qrels", {"q1": {"d1": 1000}}, "The judgments: relevance is 1000, not in -126..127 (row 0)."),
        ("qrels", {"q1": {3: 1}}, "The judgments: doc_id is 3 (int), not text (row 0)."),
        ("qrels", run(), "The judgments: has no column label or relevance. It has: qid, docno, score."),
        ("topics", {"q1": " "}, "The topics: query_text is blank (row 0)."),
        ("topics", {"q1": None}, "The topics: query_text is missing: give the row one, or remove it (row 0)."),
        (
            "topics",
            [Topic("q1", "one"), Topic("q1", "two")],
            "The topics: second text for query q1, with other values than row 0 (row 1).",
        ),
    ],
)
def test_bad_judgments_or_topics_are_one_message_that_names_the_column(mine, kind, given, said):
    with pytest.raises(eb.ExamboardError) as refused:
        getattr(mine, f"import_{kind}")(given)
    assert str(refused.value).startswith(said)


def test_rows_that_are_repeated_are_merged_and_counted(mine):
    done = mine.import_run(pd.concat([run(), run()]), name="own")
    assert (done.counts["rankings"], done.notes[0]) == (2, "2 repeated rows were merged.")


@pytest.mark.parametrize(
    ("given", "named", "said"),
    [
        (run(), {}, "The run has no name: give one, name='bm25'."),
        (run(run_id="a"), {"name": "b"}, "The run has a column run_id: leave the name out."),
        (run(), {"name": 3}, "name=3: give a text."),
        (run(), {"name": " "}, "name: give a name."),
        ("nowhere.run", {}, "nowhere.run: can't be read (No such file or directory)."),
    ],
)
def test_a_run_has_one_name(mine, given, named, said):
    with pytest.raises(eb.ExamboardError) as refused:
        mine.import_run(given, **named)
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize(
    "call",
    [
        lambda mine: mine.import_qrels(RELEVANCE, name=None),
        lambda mine: mine.import_labels(RELEVANCE, grader="g", scale=3),
        lambda mine: mine.undo(3),
        lambda _: eb.open(3),
        lambda mine: eb.open(mine._store.path, new=True).new(3),
    ],
)
def test_a_name_that_is_no_text_is_refused(mine, call):
    with pytest.raises(eb.ExamboardError, match="give a text"):
        call(mine)


def test_every_table_of_the_store_is_a_frame_with_the_meanings_of_its_columns(own):
    for name, table in TABLES.items():
        rows = own.table(name)
        assert list(rows.columns) == table.names
        assert set(rows.attrs["meanings"]) == set(table.names)
    with pytest.raises(eb.ExamboardError, match=r"There is no table 'runs'\. There are: queries, passages"):
        own.table("runs")
