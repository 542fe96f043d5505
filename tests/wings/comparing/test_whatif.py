"""Edits of a bank: as a changed bank in a fresh store, evaluated from the start; and on the command line."""

import math
from dataclasses import replace

import pandas as pd
import pytest
from thoroughly import thoroughly

from exam_core.analysis.choosing import choose
from exam_core.analysis.leaderboard import leaderboard
from exam_core.errors import UsageError
from exam_core.request import Request
from exam_core.store import Store
from exam_core.wings.comparing.whatif import whatif
from tests.analysis.twins import Twin
from tests.analysis.worlds import store_of, world

WORLDS = {"plain": (1, False), "facets": (3, True)}

EDITS = {"every fifth": lambda names: {"drop": names[::5]}, "half": lambda names: {"drop": names[1::2]}}


@pytest.fixture(scope="module", params=["facets", *thoroughly("plain")])
def frames(request):
    seed, facets = WORLDS[request.param]
    return world(seed, facets=facets)


@pytest.fixture(scope="module", params=list(EDITS))
def edited(request, frames, tmp_path_factory):
    """A snapshot, an edit, and a snapshot of a fresh store whose bank is edited like that."""
    folder = tmp_path_factory.mktemp("edited")
    before = store_of(folder / "before", frames)
    questions = frames["questions"]
    newest = (questions["bank_id"] == "genq") & (questions["version"] == 2)
    graded = set(frames["grades"]["question_id"].dropna())
    names = sorted(set(questions.loc[newest, "question_id"]) & graded)
    edit = EDITS[request.param](names)
    kept = ~questions["question_id"].isin(edit["drop"])
    changed = questions.assign(enabled=questions["enabled"] & (kept | ~newest))
    return before, edit, store_of(folder / "after", frames | {"questions": changed})


@pytest.mark.parametrize("measure", ["nCover@5", "nDCG@5", *thoroughly("Cover@5", "P@5", "AP")])
def test_the_new_board_is_that_of_a_changed_bank_in_a_fresh_store(edited, measure):
    before, edit, after = edited
    found = whatif(before, choose(before, Request(measure=measure, grader="rater", tau=2)), **edit)
    boards = [leaderboard(one, choose(one, Request(measure=measure, grader="rater", tau=2))) for one in (before, after)]
    for side, board in zip(("before", "after"), boards, strict=True):
        ours, theirs = found.rows.set_index("run_id"), board.rows.set_index("run_id")
        for name in ("mean", "rank", "n_queries"):
            assert ours[f"{name}_{side}"][theirs.index].tolist() == pytest.approx(theirs[name].tolist(), nan_ok=True)


def test_the_new_correlation_is_that_of_a_changed_bank_in_a_fresh_store(edited):
    before, edit, after = edited
    found = whatif(before, choose(before, Request(measure="Cover@5", grader="rater", tau=2)), **edit)
    for one, ours in ((before, found.before), (after, found.after)):
        theirs = leaderboard(one, choose(one, Request(measure="Cover@5", grader="rater", tau=2))).correlation
        for name in ("spearman", "kendall"):
            assert getattr(ours.correlation, name) == pytest.approx(getattr(theirs, name), nan_ok=True)


@pytest.mark.parametrize("label_rank", [1, 2])
def test_passages_with_another_label_are_those_of_a_slow_twin(edited, label_rank):
    before, edit, after = edited
    choices = [
        choose(one, Request(measure="P@5", grader="rater", tau=2, label_rank=label_rank)) for one in (before, after)
    ]
    old, new = (Twin(one, choice) for one, choice in zip((before, after), choices, strict=True))
    expected = {}
    for query in old.units:
        for doc in old.grades[query]:
            labels = old.label(query, doc), new.label(query, doc)
            if labels[0] != labels[1]:
                n = sum(doc in old.first(run, query) for run in old.runs)
                crosses = (labels[0] is not None and labels[0] >= 2) != (labels[1] is not None and labels[1] >= 2)
                expected[query, doc] = (*labels, crosses, n)
    rows = whatif(before, choices[0], **edit).relabelled
    found = {
        (row.query_id, row.doc_id): (none(row.label_before), none(row.label_after), row.crosses_tau, row.n_runs)
        for row in rows.itertuples()
    }
    assert found == expected
    assert rows["n_runs"].is_monotonic_decreasing


def none(value):
    return None if math.isnan(value) else value


@pytest.fixture
def graded_ids(plain_world):
    rows = plain_world.frame("questions")
    graded = set(plain_world.frame("grades")["question_id"].dropna())
    mine = rows[(rows["bank_id"] == "genq") & (rows["version"] == 2)]
    return sorted(set(mine["question_id"]) & graded)


def asked(snapshot, measure="Cover@5", **options):
    return choose(snapshot, Request(measure=measure, **({"grader": "rater", "tau": 2} | options)))


def test_a_dropped_query_is_left_out_and_named(plain_world, graded_ids):
    found = whatif(plain_world, asked(plain_world), drop=[name for name in graded_ids if "/q0/" in name])
    rows = found.rows.set_index("run_id")
    answers = plain_world.frame("rankings").groupby("run_id")["query_id"].agg(set)
    assert set(rows.index[rows["n_queries_after"] == 0]) == set(answers.index[answers == {"q0"}])
    assert (rows["n_queries_before"] - rows["n_queries_after"])[rows["n_queries_after"] > 0].eq(1).all()
    assert any("q0" in note for note in found.notes)


def test_a_computed_reference_stays_that_of_the_bank_as_it_is(plain_world, graded_ids):
    found = whatif(plain_world, replace(asked(plain_world), reference="grades:Cover@5:tau=2"), drop=graded_ids[:3])
    assert found.before.correlation.spearman == pytest.approx(1)
    ours = pd.Series(found.rows["reference_rank"].to_numpy(), found.rows["run_id"])
    assert ours.tolist() == found.rows["rank_before"].tolist()


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        ({"drop": []}, "Say what to change: --drop ID."),
        ({"drop": ["genq/q0/None/O"]}, r"Close to it: .*genq/q0/None/0"),
        ({"drop": ["None/0"]}, r"Close to it: .*genq/q0/None/0"),
        ({"drop": ["%%%"]}, "Question ids look like genq/"),
    ],
    ids=["nothing", "misspelt", "its end", "far from all"],
)
def test_an_impossible_edit_is_refused(plain_world, edit, says):
    with pytest.raises(UsageError, match=says):
        whatif(plain_world, asked(plain_world), **edit)


def test_a_bank_without_questions_is_refused(plain_world, graded_ids):
    with pytest.raises(UsageError, match="No question is left"):
        whatif(plain_world, asked(plain_world), drop=graded_ids)


@pytest.mark.parametrize("options", [{"grader": "labels"}, {"judgments": "official"}], ids=["labels", "judgments"])
def test_labels_of_whole_passages_have_no_questions_to_edit(plain_world, options):
    choice = choose(plain_world, Request(measure="P@5", **options))
    with pytest.raises(UsageError, match="it has no questions to edit"):
        whatif(plain_world, choice, drop=["x"])


def test_without_a_reference_there_is_a_board_and_a_sentence(frames, tmp_path):
    snapshot = store_of(tmp_path, {name: rows for name, rows in frames.items() if name != "leaderboards"})
    choice = asked(snapshot)
    name = next(name for name in snapshot.frame("grades")["question_id"].dropna() if name.startswith("genq/q2"))
    found = whatif(snapshot, choice.labelled(depth=5), drop=[name])
    assert (found.before, found.rows["reference_rank"].notna().sum()) == (None, 0)
    assert any("--reference" in note for note in found.notes)


def test_dl19_without_the_questions_of_one_query(dl19):
    choice = choose(dl19, Request(measure="Cover@20", bank="genq", tau=3))
    names = dl19.frame("questions").query("query_id == '962179'")["question_id"].tolist()
    found = whatif(dl19, choice, drop=names)
    assert (found.enabled_before - found.enabled_after, set(found.rows["n_queries_after"])) == (10, {42})
    # Every passage of the query loses its label.
    assert set(found.relabelled["query_id"]) == {"962179"}
    assert found.relabelled["label_after"].isna().all()


OPEN = ("demo", "--bank", "open", "--tau", "3")


@pytest.fixture
def question_id(demo_store):
    """A question of the open bank that changes labels when it is dropped."""
    rows = Store(demo_store).snapshot("demo").frame("questions")
    return str(rows[rows["bank_id"] == "open"]["question_id"].iloc[3])


def test_an_edit_shows_both_boards_both_correlations_and_other_labels(told, question_id):
    found = told("whatif", *OPEN, "--drop", question_id)
    assert found["questions_before"] - found["questions_after"] == 1
    assert {"mean_before", "mean_after", "rank_before", "rank_after"} <= set(found["rows"][0])
    assert found["correlation_before"]["n"] == found["correlation_after"]["n"] == 15
    assert set(found["relabelled"][0]) == {"query_id", "doc_id", "label_before", "label_after", "crosses_tau",
                                           "n_runs"}  # fmt: skip
