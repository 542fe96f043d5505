"""Repetitions of a grader's work: what moves, how reliable a board is, and how many repetitions it takes."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from exam_core.analysis.figures import figures_of
from exam_core.defaults import DRAWS, SEED
from exam_core.errors import UsageError
from exam_core.formats import Reading
from exam_core.numbers.annotator_agreement import cohen_kappa, krippendorff_alpha
from exam_core.reports.part import ask_now
from exam_core.request import Request
from exam_core.slides.slide import SlideContext
from exam_core.store import Store
from exam_core.view import View
from exam_core.wings.judges.repeats import (
    _over_queries,
    _tables,
    board_reliability,
    moved_across,
    repeats,
    repeats_sentences,
    repetitions,
    repetitions_needed,
)
from exam_core.wings.judges.slides import SLIDES

OWN, TOGETHER = "lexical.pourpre-idf", "m.self-rating.chat-2.5-samples-median"


@pytest.fixture(scope="module")
def again(once, demo_store):
    """The demo with its grader's work given again: every tenth grade one higher."""

    def fill(folder):
        demo = Store(demo_store).snapshot("demo")
        frames = {name: demo.frame(name) for name in ("rankings", "queries", "passages", "questions", "grades")}
        grades = frames["grades"]
        other = grades.assign(grader_id="again")
        other.loc[other.index % 10 == 0, "grade"] = (other["grade"] + 1).clip(upper=5)
        together = grades.assign(grader_id=TOGETHER)
        frames["grades"] = pd.concat([grades, other, together], ignore_index=True)
        graders = {name: dict(demo.graders[OWN]) for name in (OWN, "again", TOGETHER)}
        Store(folder).commit("demo", Reading(frames, graders), source="made")

    return Store(once("graded again", fill)).snapshot("demo")


def test_repetitions_are_graders_of_one_prompt_and_model_but_for_several_answers_together(again, demo):
    assert sorted(repetitions(again)) == ["again", OWN]
    assert repetitions(demo) == []


def test_figures_are_those_of_the_grades_side_by_side(again):
    request = Request("P@20", "open", tau=3, reference="grades:P@20:bank=open:grader=again:tau=3")
    result = repeats(again, request, [OWN, "again"], draws=100, seed=0)
    [row] = result.rows.to_dict("records")
    frame = again.frame("grades").pivot(
        index=["query_id", "doc_id", "question_id"], columns="grader_id", values="grade"
    )
    bank = again.frame("questions").query("bank_id == 'open'")["question_id"]
    frame = frame[frame.index.get_level_values("question_id").isin(bank)].dropna().astype(int)
    own, other = frame[OWN], frame["again"]
    table = pd.crosstab(own, other).reindex(index=range(6), columns=range(6), fill_value=0).to_numpy()
    assert row["grades"] == len(frame)
    assert row["agreement"] == pytest.approx((own == other).mean())
    assert row["kappa"] == pytest.approx(cohen_kappa(table))
    assert row["moved"] == pytest.approx(((own >= 3) != (other >= 3)).mean())
    assert row["change"] == pytest.approx((other - own).mean())
    assert row["change_low"] > 0
    assert f"again grades {row['change']:.3f} higher" in repeats_sentences(result, again)[-1]
    assert "equal grades" in repeats_sentences(result, again)[0]


def test_the_slide_says_what_the_analysis_says_and_only_repetitions_have_it(again, demo):
    figures, asked = figures_of(again), Request("P@20", "open", tau=3)
    [row] = [row for row in SLIDES if row.title == "Repetitions"]
    assert (row.can_be_of(again, (OWN,)), row.can_be_of(demo, (OWN,))) == (True, False)
    slide = row.make(SlideContext(View("Repetitions", (OWN,), asked), figures, ask_now))
    result = repeats(again, asked, repetitions(again), draws=DRAWS, seed=SEED)
    assert slide.takeaway == repeats_sentences(result, again)[0]
    assert slide.table["moved"].tolist() == result.rows["moved"].tolist()


def test_alpha_of_three_repetitions_is_that_of_every_two_coincidences():
    rng = np.random.default_rng(3)
    ratings = rng.integers(0, 4, (200, 1)) + (rng.random((200, 3)) < 0.2)
    query = np.zeros(200, int)
    pairs = [(0, 1), (0, 2), (1, 2)]
    tables = sum(_tables(ratings[:, pair], query, 1, 5) for pair in pairs) / 2
    # by the definition: coincidences of all ordered pairs of ratings of a unit, each over two other ratings
    coincidences = np.zeros((5, 5))
    for unit in ratings:
        for a, b in permutations(unit, 2):
            coincidences[a, b] += 1 / 2
    n, each = coincidences.sum(), coincidences.sum(axis=1)
    between = np.array([[each[min(a, b) : max(a, b) + 1].sum() for b in range(5)] for a in range(5)])
    far = (between - (each[:, None] + each) / 2) ** 2
    expected = 1 - (n - 1) * (coincidences * far).sum() / (np.outer(each, each) * far).sum()
    assert krippendorff_alpha(tables.sum(axis=0)) == pytest.approx(expected)


def test_the_share_that_moves_lies_in_its_interval_in_95_of_100_samples():
    rng, inside = np.random.default_rng(5), 0
    for _ in range(400):
        query = np.repeat(np.arange(20), 50)
        moves = rng.random(1000) < np.clip(rng.normal(0.1, 0.03, 20), 0, 1)[query]
        first = rng.integers(0, 2, 1000)
        pair = np.stack([first, np.where(moves, 1 - first, first)], axis=1)
        _, (low, high) = _over_queries(lambda tables: moved_across(tables, 1), _tables(pair, query, 20, 2))
        inside += low <= 0.1 <= high
    assert 0.9 <= inside / 400 <= 0.99


def test_reliability_tells_how_many_repetitions_a_board_takes():
    rng = np.random.default_rng(7)
    own = rng.normal(0, 1, (400, 1))
    assert board_reliability(own + rng.normal(0, 1, (400, 4))) == pytest.approx(0.5, abs=0.05)
    assert repetitions_needed(0.5, 0.8) == 4
    assert np.isnan(board_reliability(np.zeros((3, 2))))


def test_one_grader_is_no_repetition(demo):
    with pytest.raises(UsageError, match="two or more grading modes"):
        repeats(demo, Request(bank="open"), [OWN], draws=10, seed=0)
