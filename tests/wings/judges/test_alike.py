"""How alike graders grade: against scipy, and alpha against its definition."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from exam_core.analysis.figures import figures_of
from exam_core.errors import UsageError
from exam_core.formats import Reading
from exam_core.numbers.annotator_agreement import interval_alpha, krippendorff_alpha
from exam_core.reports.part import ask_now
from exam_core.request import Request
from exam_core.slides.slide import SlideContext
from exam_core.store import Store
from exam_core.tables import GRADES
from exam_core.view import View
from exam_core.wings.judges.alike import alike, alike_figure, alike_sentences, of_pair
from exam_core.wings.judges.slides import SLIDES

QUERIES, DOCS = 6, 30


@pytest.fixture(scope="module")
def judges(once):
    """Three judges of whole passages, two of them with decimals, and one that grades others' passages."""

    def fill(folder):
        rng, rows = np.random.default_rng(7), []
        for query, doc in itertools.product(range(QUERIES), range(DOCS)):
            worth = rng.uniform(0, 3)
            for name, noise in (("exact", 0.2), ("loose", 0.9)):
                grade = float(np.clip(worth + rng.normal(0, noise), 0, 3))
                rows.append((name, None, f"q{query}", f"d{doc}", int(grade), None, None, grade))
            if rng.random() < 0.7:
                rows.append(("whole", None, f"q{query}", f"d{doc}", round(worth), None, None, None))
            rows.append(("apart", None, f"q{query}", f"other{doc}", 1, None, None, None))
        rows.append(("exact", None, "q0", "unreadable", None, None, None, None))
        frame = GRADES.frame(dict(zip(GRADES.names, map(list, zip(*rows, strict=True)), strict=True)))
        Store(folder).commit("c", Reading({"grades": frame}), source="made")

    return Store(once("judges side by side", fill)).snapshot("c")


def side_by_side(snapshot, *names):
    frame = snapshot.frame("grades").dropna(subset="grade")
    frame = frame.assign(value=frame["decimal"].fillna(frame["grade"].astype(float)))
    return frame.pivot(index=["query_id", "doc_id"], columns="grader_id", values="value")[list(names)].dropna()


def test_correlations_are_those_of_scipy_and_alpha_that_of_its_definition(judges):
    result = alike(judges, ["exact", "loose", "whole"])
    assert len(result.rows) == 3
    for row in result.rows.to_dict("records"):
        both = side_by_side(judges, row["first"], row["second"])
        x, y = both.to_numpy().T
        assert row["grades"] == len(both)
        assert row["pearson"] == pytest.approx(stats.pearsonr(x, y).statistic)
        assert row["spearman"] == pytest.approx(stats.spearmanr(x, y).statistic)
        assert row["kendall"] == pytest.approx(stats.kendalltau(x, y).statistic)
        assert row["difference"] == pytest.approx((y - x).mean())
        assert row["alpha"] == pytest.approx(by_definition(both.to_numpy()))
        assert row["alpha_low"] < row["alpha"] < row["alpha_high"]
    assert result.rows["alpha"].is_monotonic_decreasing
    assert result.notes == ["Grades with decimals: those of exact and loose."]


def by_definition(ratings):
    """Krippendorff 2011: 1 - observed / expected disagreement, over all ordered pairs of ratings."""
    units = [row[~np.isnan(row)] for row in ratings]
    units = [unit for unit in units if len(unit) > 1]
    pooled = np.concatenate(units)
    n = len(pooled)
    observed = sum((a - b) ** 2 / (len(unit) - 1) for unit in units for a, b in itertools.permutations(unit, 2)) / n
    expected = sum((pooled - value) @ (pooled - value) for value in pooled) / (n * (n - 1))
    return 1 - observed / expected


def test_alpha_of_several_raters_leaves_out_what_is_missing():
    rng = np.random.default_rng(1)
    ratings = rng.normal(size=(40, 1)) + rng.normal(size=(40, 4)) / 2
    ratings[rng.random(ratings.shape) < 0.4] = np.nan
    assert interval_alpha(ratings) == pytest.approx(by_definition(ratings))
    whole = rng.integers(0, 4, (50, 2))
    counts = np.zeros((4, 4))
    np.add.at(counts, tuple(whole.T), 1)
    assert interval_alpha(whole.astype(float)) == pytest.approx(krippendorff_alpha(counts, "interval"))
    assert np.isnan(interval_alpha(np.full((3, 2), 2.0)))
    assert np.isnan(interval_alpha(np.array([[1.0, np.nan]])))


def test_a_mode_that_gives_one_grade_alone_has_no_correlation_and_the_interval_leaves_out_each_query(judges):
    measured = of_pair(np.full(6, 0.1), np.arange(6.0), np.arange(6) % 2)
    assert np.isnan([measured[name] for name in ("pearson", "spearman", "kendall")]).all()
    both = side_by_side(judges, "exact", "loose")
    query = pd.factorize(both.index.get_level_values("query_id"))[0]
    x, y = both.to_numpy().T
    without = np.array([stats.pearsonr(x[query != one], y[query != one]).statistic for one in range(QUERIES)])
    half = stats.t.ppf(0.975, QUERIES - 1) * (QUERIES - 1) * without.std(ddof=1) / np.sqrt(QUERIES)
    measured = of_pair(x, y, query)
    assert measured["pearson_high"] == pytest.approx(min(1, measured["pearson"] + half))


def test_all_modes_are_compared_and_those_with_nothing_in_common_are_named(judges):
    result = alike(judges)
    assert set(result.graders) == {"exact", "loose", "whole", "apart"}
    assert len(result.rows) == 3
    assert result.notes[0] == "apart grades nothing that another one grades."
    first, *others = alike_sentences(result, judges)
    assert first.startswith("Krippendorff's alpha of all 3 grading modes is 0.")
    assert [sentence.split(":")[0].split(" are ")[1] for sentence in others] == ["most alike", "least alike"]
    assert len(alike_figure(result, judges).data) == 2


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["exact"], "Name two grading modes or more, each once"),
        (["exact", "exact"], "Name two grading modes or more, each once"),
        (["exact", "nobody"], "There is no grader nobody"),
        (["exact", "apart"], "No two of exact, apart grade the same passages and questions"),
    ],
)
def test_what_cannot_be_compared_is_refused(judges, names, message):
    with pytest.raises(UsageError, match=message):
        alike(judges, names)


def test_only_the_questions_of_a_bank_are_compared(demo):
    with pytest.raises(UsageError, match="Name two grading modes or more"):
        alike(demo, [], "open")


def test_the_slide_says_what_the_analysis_says_and_one_mode_has_none(judges, demo):
    [row] = [row for row in SLIDES if row.title == "Between modes"]
    assert (row.can_be_of(judges, ()), row.can_be_of(demo, ())) == (True, False)
    slide = row.make(SlideContext(View("Between modes", (), Request("P@20")), figures_of(judges), ask_now))
    result = alike(judges)
    assert slide.takeaway == alike_sentences(result, judges)[0]
    assert slide.table["alpha"].tolist() == result.rows["alpha"].tolist()
