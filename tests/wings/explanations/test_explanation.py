"""Why a run stands out: against plain loops over the store's frames."""

import math

import numpy as np
import pandas as pd
import pytest

from exam_core.analysis.choosing import choose
from exam_core.analysis.uncertainty import values_of_runs
from exam_core.analysis.values import counted_values
from exam_core.errors import UsageError
from exam_core.request import Request
from exam_core.wings.explanations.explanation import (
    contributions_alternative,
    contributions_figure,
    explain,
    explanation_lines,
)
from tests.analysis.twins import Twin

ASKED = {"grader": "rater", "bank": "genq", "tau": 2}


@pytest.fixture(scope="module", params=["score", "rank"])
def explained(request, random_world):
    """A choice, its slow twin and an explanation of each ranked run."""
    choice = choose(random_world, Request(measure="Cover@5", order=request.param, **ASKED))
    runs = ["alpha", "beta", "gamma"]
    return choice, Twin(random_world, choice), [explain(random_world, choice, run, top=99) for run in runs]


def test_contributions_add_up_to_the_difference_of_the_means(random_world, explained):
    choice, _, found = explained
    values = counted_values(random_world, choice)
    means = dict(zip(values.run_ids, values.values.mean(axis=1), strict=True))
    for one in found:
        around = math.fsum(means[run] for run in one.neighbours) / len(one.neighbours)
        assert one.queries["contribution"].sum() == pytest.approx(means[one.run_id] - around)


def test_queries_that_move_a_run_most_come_first(explained):
    for one in explained[2]:
        moved = one.queries["difference"] * np.sign(one.rank_displacement)
        key = moved if one.rank_displacement else one.queries["difference"].abs()
        assert key.round(9).is_monotonic_decreasing
        ahead = one.queries.loc[moved > 0 if one.rank_displacement else one.queries["difference"] != 0, "query_id"]
        told = "\n".join(explanation_lines(one)).partition("contribute most:")[2].partition("\n\n")[0].split("\n")
        assert [line.split()[0] for line in told[2:]] == ahead.tolist()


def read(twin, choice, run, query):
    """The passages that Cover@5 looks at."""
    return twin.up_to_rank(run, query, 5) if choice.labelling.order == "rank" else twin.first(run, query)[:5]


def test_questions_are_those_that_tell_a_run_from_most_neighbours(explained):
    choice, twin, found = explained
    for one in found:
        expected = set()
        for query in one.queries["query_id"]:
            answers = {
                run: twin.answered_by(query, read(twin, choice, run, query), choice.tau)
                for run in (one.run_id, *one.neighbours)
            }
            for question in twin.enabled[query]:
                n = sum(question in answers[run] for run in one.neighbours)
                most, own = n > len(one.neighbours) / 2, question in answers[one.run_id]
                if most != own:
                    expected.add((query, question, own, n))
        columns = ["query_id", "question_id", "answered", "neighbours_answering"]
        assert set(one.questions[columns].itertuples(index=False, name=None)) == expected


def test_passages_are_those_that_give_the_answers(explained):
    choice, twin, found = explained
    for one in found:
        own = one.questions[one.questions["answered"]]
        expected = set()
        for query, question in zip(own["query_id"], own["question_id"], strict=True):
            for place, doc in enumerate(read(twin, choice, one.run_id, query), 1):
                grade = twin.grades[query].get(doc, {}).get(question)
                if grade is not None and grade >= choice.tau:
                    expected.add((query, question, doc, place, grade))
        columns = ["query_id", "question_id", "doc_id", "rank", "grade"]
        assert set(one.passages[columns].itertuples(index=False, name=None)) == expected


def test_judgments_stand_beside_the_passages(explained, random_world):
    judged = {
        (row.query_id, row.doc_id): row.relevance for row in random_world.frame("judgments").itertuples(index=False)
    }
    for one in explained[2]:
        for row in one.passages.itertuples():
            page = judged.get((row.query_id.rpartition("/")[0], row.doc_id))
            relevance = judged.get((row.query_id, row.doc_id), page)
            assert (None if math.isnan(row.relevance) else row.relevance) == relevance
            assert row.judged_not_relevant is pd.NA if relevance is None else row.judged_not_relevant == (relevance < 2)


def test_of_a_measure_over_labels_the_relevant_passages_are_listed(plain_world):
    choice = choose(plain_world, Request(measure="P@5", **ASKED))
    twin = Twin(plain_world, choice)
    one = explain(plain_world, choice, "beta", top=99)
    expected = set()
    for query in one.queries["query_id"]:
        for doc in twin.first("beta", query)[:5]:
            label = twin.label(query, doc) if doc in twin.grades[query] else None
            n = sum(doc in twin.first(run, query)[:5] for run in one.neighbours)
            if label is not None and label >= 2 and n <= len(one.neighbours) / 2:
                expected.add((query, doc, label, n))
    columns = ["query_id", "doc_id", "grade", "neighbours_ranking"]
    assert set(one.passages[columns].itertuples(index=False, name=None)) == expected


def test_a_grader_of_whole_passages_has_no_questions(plain_world):
    one = explain(plain_world, choose(plain_world, Request(measure="P@5", grader="labels")), "alpha")
    assert (len(one.questions), one.notes) == (0, ["labels labels whole passages: no questions."])


def test_only_the_first_queries_are_taken_apart(plain_world):
    one = explain(plain_world, choose(plain_world, Request(measure="Cover@5", **ASKED)), "alpha", top=1)
    assert {*one.questions["query_id"], *one.passages["query_id"]} <= {one.queries["query_id"].iloc[0]}


@pytest.mark.parametrize(
    ("run", "says"),
    [("alpah", "There is no run alpah. There are: alpha"), ("1", "official does not rank 1")],  # codespell:ignore
    ids=["misspelt", "not ranked"],
)
def test_a_run_that_cannot_be_explained_is_refused(plain_world, run, says):
    with pytest.raises(UsageError, match=says):
        explain(plain_world, choose(plain_world, Request(measure="Cover@5", **ASKED)), run)


def test_a_run_of_dl19_is_explained_with_texts(dl19):
    choice = choose(dl19, Request(measure="P@20", bank="genq", tau=3))
    counted_values(dl19, choice)
    one = explain(dl19, choice, "ICT-BERT2")
    assert one.rank_displacement < -10
    assert one.questions["question_text"].notna().all()
    assert one.passages["text"].str.len().between(1, 240).all()
    assert one.passages["judged_not_relevant"].sum() > 0


def test_a_measure_that_looks_at_no_grades_is_explained_by_queries_alone(plain_world, monkeypatch):
    choice = choose(plain_world, Request(measure="Cover@5", **ASKED))
    expected, values = explain(plain_world, choice, "alpha").queries, values_of_runs(plain_world, choice)
    for module in ("explanation", "query_rankings"):
        monkeypatch.setattr(f"exam_core.wings.explanations.{module}.values_of_runs", lambda *_: values)
    monkeypatch.setattr(type(choice), "of_grades", property(lambda _: False))
    found = explain(plain_world, choice, "alpha")
    pd.testing.assert_frame_equal(found.queries, expected)
    assert (found.questions.empty, found.passages.empty) == (True, True)
    assert found.notes == ["Cover@5 uses no grades, so neither questions nor passages explain a query."]


QUERIES = pd.DataFrame(
    {
        "query_id": ["<i>q1", "q2", "q3"],
        "query_text": ["what?", None, "x" * 200],
        "value": [0.5, 0.2, 0.1],
        "neighbours": [0.1, 0.3, 0.1],
        "difference": [0.4, -0.1, 0.0],
        "contribution": [0.4 / 3, -0.1 / 3, 0.0],
    }
)


def test_bars_are_what_the_queries_add_with_the_words_of_each():
    bars = contributions_figure(QUERIES, "run").data[0]
    assert list(bars.x) == pytest.approx([0.4 / 3, -0.1 / 3, 0])
    assert [name for name, *_ in bars.customdata] == ["&lt;i&gt;q1", "q2", "q3"]
    assert list(bars.text) == ["+0.133", "-0.033", "+0.000"]
    assert bars.marker.color[0] != bars.marker.color[1]
    names = contributions_figure(QUERIES, "run").layout.yaxis.ticktext
    assert names[:2] == ("what?", "q2")
    assert len(names[2]) < 40


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (QUERIES, "run is ahead of its neighbours on 1 of 3 queries and behind on 1. Query <i>q1 moves it most."),
        (QUERIES.head(0), "There are no queries."),
    ],
    ids=["queries", "none"],
)
def test_contributions_in_words(rows, words):
    assert contributions_alternative(rows, "run") == words
