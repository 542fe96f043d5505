"""The leaderboard as humans would grade: exact where all is reviewed, honest where some is, equal to a slow twin."""

import json
import re
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from thoroughly import thoroughly

from benchmarks.wings.reviews.simulated import Campaign, humans_alone, on_average, simulated, truth_of
from exam_core.analysis.choosing import choose
from exam_core.analysis.leaderboard import leaderboard
from exam_core.errors import UsageError
from exam_core.request import RELEVANT_FROM, Request
from exam_core.wings.reviews.corrected import BY_DISAGREEMENT, ONCE, corrected, countable, sampled_by
from exam_core.wings.reviews.estimates import (
    Calibration,
    CorrectedMeans,
    MeanParts,
    Sampled,
    calibrate,
    corrected_means,
    inclusion_probabilities,
    logistic,
    pivotal,
    shrink,
)
from exam_core.wings.reviews.queue import TAKEN_BACK, Draw
from exam_core.wings.reviews.records import Reviews
from exam_core.wings.reviews.sampling import draw_items, keys_of, lists_of
from tests.analysis.test_unreadable import asking
from tests.analysis.test_unreadable import nothing as nothing
from tests.analysis.test_unreadable import partly as partly
from tests.test_docs import ROOT

ASKED = Request(measure="P@20", tau=4)


def sampled_of(book, choice, rows):
    return sampled_by(book, countable(book, choice, rows)[0], RELEVANT_FROM)


def reviews(*rows):
    return Reviews(str(hash(rows)), rows)


@pytest.fixture(scope="module")
def nist(dl19):
    """NIST's judgment of a passage; 0 where there is none."""
    rows = dl19.query("SELECT query_id, doc_id, relevance FROM judgments WHERE qrels_id = 'official'")
    known = dict(zip(zip(rows["query_id"], rows["doc_id"], strict=True), rows["relevance"], strict=True))
    return lambda item: max(int(known.get((item.query_id, item.doc_id), 0)), 0)


def answered(queue, nist, *, by=("Ann",), items=None):
    items = queue.items if items is None else items
    return [queue.review(item, by[place % len(by)], nist(item)) for place, item in enumerate(items)]


@pytest.mark.parametrize("measure", ["P@20", "P@5", "SetP"])
@pytest.mark.parametrize("relevant_from", [2, *thoroughly(1)])
def test_where_all_is_reviewed_the_board_is_that_of_the_humans(dl19, nist, measure, relevant_from):
    asked = ASKED.but(measure=measure, relevant_from=relevant_from)
    queue = draw_items(dl19, asked, Draw(n=100_000, by="uniform"), "me")
    found = corrected(dl19, choose(dl19, asked), reviews(*answered(queue, nist)), relevant_from)
    humans = leaderboard(dl19, choose(dl19, asked.but(judgments="official"))).rows.set_index("run_id")["mean"]
    ours = found.rows.set_index("run_id").loc[humans.index]
    for column in ("corrected", "corrected_low", "corrected_high", "shrunk"):
        assert ours[column].to_numpy() == pytest.approx(humans.to_numpy(), abs=1e-9)
    assert found.settled


def test_some_hundred_reviews_correct_what_the_grader_is_off_by(dl19, nist):
    choice = choose(dl19, ASKED)
    queue = draw_items(dl19, ASKED, Draw(n=400, seed=1), "me")
    found = corrected(dl19, choice, reviews(*answered(queue, nist, by=("Ann", "Bob"))))
    truth = leaderboard(dl19, choose(dl19, ASKED.but(judgments="official"))).rows.set_index("run_id")["mean"]
    rows = found.rows.set_index("run_id")
    grader_off = (rows["mean"] - truth).abs().mean()
    assert grader_off == pytest.approx(0.190, abs=0.001)
    assert (rows["corrected"] - truth).abs().mean() < 0.05
    assert (found.n, found.n_reviews, found.reviewers) == (400, 400, 2)
    assert found.level == pytest.approx(-0.19, abs=0.05)


@pytest.mark.parametrize("tau", [4, *thoroughly(3)])
@pytest.mark.parametrize("label_rank", [1, *thoroughly(2)])
def test_intervals_hold_the_truth_as_often_as_they_say(dl19, tau, label_rank):
    choice = choose(dl19, ASKED.but(tau=tau, label_rank=label_rank))
    truth = truth_of(dl19, choice)
    one = Campaign("gain", 400, 60)
    found = on_average(truth, one, simulated(dl19, choice, truth, one))
    # 60 campaigns of runs that share passages: some two per cent of chance.
    assert 0.90 <= found["holds"] <= 0.99
    assert found["error"] <= 0.035
    assert found["ratio"] <= 0.6
    assert found["alone"] == humans_alone(truth, 400)


def test_humans_alone_need_what_was_measured_while_planning(dl19):
    # A width of 0.228 with 400 reviews and of 0.149 with 800, less what drawing without replacement spares.
    truth = truth_of(dl19, choose(dl19, ASKED))
    assert 2 * humans_alone(truth, 400) == pytest.approx(0.228 * np.sqrt(1 - 400 / 3125), rel=0.02)
    assert humans_alone(truth, 3125) == 0


@pytest.mark.parametrize("measure", ["AP", "nDCG@20", "RR", "Rprec", "SetF", "Success@20", "Cover@20", "Judged@20"])
def test_what_is_no_sum_over_passages_is_refused_with_a_reason(dl19, measure):
    with pytest.raises(UsageError, match=r"Reviews can't correct .*: .*(not a sum|no unbiased estimate)"):
        corrected(dl19, choose(dl19, ASKED.but(measure=measure)), reviews())


def test_judgments_and_too_few_reviews_are_refused(dl19, nist):
    with pytest.raises(UsageError, match="Human judgments are not grades"):
        corrected(dl19, choose(dl19, ASKED.but(judgments="official")), reviews())
    queue = draw_items(dl19, ASKED, Draw(n=29), "me")
    with pytest.raises(UsageError, match=r"29 passages of .* needs 30"):
        corrected(dl19, choose(dl19, ASKED), reviews(*answered(queue, nist)))


def test_a_passage_of_two_queues_is_one_passage(dl19, nist):
    """And what was left out is told where too few are left."""
    rows = []
    for number in range(2):
        queue = msgspec.structs.replace(draw_items(dl19, ASKED, Draw(n=20), "me"), queue_id=f"{number}")
        rows += answered(queue, nist)
    rows.append(msgspec.structs.replace(rows[0], probability=None, reviewer="hand"))
    with pytest.raises(UsageError, match=r"^20 passages of (.|\n)* needs 30(.|\n)*\n1 review has no probability"):
        corrected(dl19, choose(dl19, ASKED), reviews(*rows))


@pytest.mark.parametrize("measure", ["P@1", "P@20"])
def test_no_figure_is_one_that_a_mean_can_not_be(dl19, nist, measure):
    asked = ASKED.but(measure=measure)
    queue = draw_items(dl19, asked, Draw(n=40, by="uniform"), "me")
    for answer in (nist, lambda _: 3, lambda _: 0):
        rows = corrected(dl19, choose(dl19, asked), reviews(*answered(queue, answer))).rows
        figures = rows[["corrected", "corrected_low", "corrected_high", "shrunk"]]
        assert (figures.min().min(), figures.max().max()) >= (0, 0)
        assert figures.max().max() <= 1
        assert (rows["corrected_low"] <= rows["corrected"]).all()
        assert (rows["corrected"] <= rows["corrected_high"]).all()


@pytest.mark.parametrize("probability", [1e-12, 1e-4])
def test_probabilities_that_can_not_be_are_refused(dl19, nist, probability):
    queue = draw_items(dl19, ASKED, Draw(n=60, by="uniform"), "me")
    odd, *others = answered(queue, nist)
    odd = msgspec.structs.replace(odd, probability=probability)
    if probability > 1e-6:
        others = [msgspec.structs.replace(row, probability=probability) for row in others]
    with pytest.raises(UsageError, match=r"By their probabilities, .* there are 9,260"):
        corrected(dl19, choose(dl19, ASKED), reviews(odd, *others))


@pytest.mark.parametrize("by", ["gain", *thoroughly("uniform", "disagreement")])
def test_lists_that_grew_since_the_draw_are_noted_and_those_that_are_shorter_are_not(dl19, nist, by):
    rows = answered(draw_items(dl19, ASKED, Draw(n=200, by=by), "me"), nist)
    # Where twice as many passages are there now, each was twice as likely to be drawn from those that were there.
    fewer = [msgspec.structs.replace(row, probability=min(2 * row.probability, 1.0)) for row in rows]

    def told(measure, rows):
        notes = corrected(dl19, choose(dl19, ASKED.but(measure=measure)), reviews(*rows)).notes
        return [note for note in notes if "could not be drawn" in note]

    assert told("P@20", rows) == told("P@5", rows) == told("P@1", rows) == []
    assert re.match(r"The reviews cover about 1,\d\d\d of the 3,125 passages", *told("P@20", fewer))


def test_whoever_stops_early_has_reviewed_a_random_part_and_several_answers_of_a_passage_are_one(dl19, nist):
    """Half of a queue stands for twice as many passages, and two queues for one of all their answers."""
    choice, book = choose(dl19, ASKED), truth_of(dl19, choose(dl19, ASKED)).lists.book
    queue = draw_items(dl19, ASKED, Draw(n=400, by="uniform"), "me")
    half = sampled_of(book, choice, answered(queue, nist, items=queue.items[:200]))
    assert half.weights == pytest.approx(np.full(200, 3125 / 200))
    second = draw_items(dl19, ASKED, Draw(n=100, by="uniform", seed=5), "me")
    both = sampled_of(book, choice, answered(queue, nist) + answered(second, nist))
    assert both.weights == pytest.approx(np.full(500, 3125 / 500))
    choice, book = choose(dl19, ASKED), truth_of(dl19, choose(dl19, ASKED)).lists.book
    queue = draw_items(dl19, ASKED, Draw(n=40, by="uniform"), "me")
    first, second = queue.items[:2]
    rows = [
        queue.review(first, "Ann", 3),
        queue.review(first, "Bob", 0),
        queue.review(second, "Ann", 3),
        queue.review(second, "Ann", None, skipped=TAKEN_BACK),
    ]
    assert sampled_of(book, choice, rows).answers.tolist() == [0.5]


@pytest.mark.parametrize("several", [False, True])
def test_intervals_are_wider_where_people_are_seen_to_err_and_else_say_what_they_leave_out(dl19, nist, several):
    queue = draw_items(dl19, ASKED, Draw(n=300, seed=4), "me")
    rows = answered(queue, nist)
    twice = [
        queue.review(item, "Bob", 3 - nist(item) if place % 2 else nist(item))
        for place, item in enumerate(queue.items[:60])
    ]
    found = corrected(dl19, choose(dl19, ASKED), reviews(*rows, *twice * several))
    told = [note for note in found.notes if "two people" in note]
    assert found.n_several == 60 * several
    if several:
        assert told == [
            "60 of 300 passages were answered by two people or more, who disagree on 30: intervals allow for so many "
            "errors in all answers."
        ]
        assert found.mistakes == pytest.approx(0.25, abs=0.05)
    else:
        assert told == [ONCE]
        assert found.as_object()["mistakes"] is None


def test_who_skips_what_is_told_by_label_and_grade(dl19, nist):
    choice, queue = choose(dl19, ASKED), draw_items(dl19, ASKED, Draw(n=100, by="disagreement"), "me")
    book = truth_of(dl19, choice).lists.book
    grade = dict(zip(keys_of(book), book.labels(), strict=True))
    best = [item for item in queue.items if grade[item.query_id, item.doc_id] == 5]
    rows = answered(queue, nist, items=[item for item in queue.items if item not in best[:7]])
    rows += [queue.review(item, "Ann", None, skipped="in French") for item in best[:7]]
    rows += [queue.review(item, "Bob", None, skipped="too long") for item in queue.items[:3] if item not in best[:7]]
    rows += [queue.review(best[0], "Bob", None, skipped=TAKEN_BACK)]
    relevant = sum(grade[item.query_id, item.doc_id] >= 4 for item in queue.items)
    notes = corrected(dl19, choice, reviews(*rows)).notes
    assert next(note for note in notes if "skipped" in note).startswith(
        f"7 of 100 passages were skipped: 7 of {relevant} labelled relevant (7 of {len(best)} with grade 5); "
        f"0 of {100 - relevant} labelled not relevant. They count as not drawn"
    )
    assert BY_DISAGREEMENT in notes


def test_reviews_of_shorter_lists_or_unknown_probability_are_left_out_and_counted_and_odd_strata_believed(dl19, nist):
    queue = draw_items(dl19, ASKED, Draw(n=100), "me")
    rows = answered(queue, nist)
    short = [msgspec.structs.replace(row, stratum="first 10 of 37 runs", reviewer="short") for row in rows[:7]]
    by_hand = [
        msgspec.structs.replace(row, probability=None, drawn=None, queue_id=None, reviewer="hand") for row in rows[:5]
    ]
    found = corrected(dl19, choose(dl19, ASKED), reviews(*rows, *short, *by_hand))
    assert found.n_reviews == 100
    assert any(note.startswith("5 reviews have no probability") for note in found.notes)
    assert any(note.startswith("7 reviews were drawn from shorter lists") for note in found.notes)
    choice, book = choose(dl19, ASKED), truth_of(dl19, choose(dl19, ASKED)).lists.book
    rows = answered(draw_items(dl19, ASKED, Draw(n=40, by="uniform"), "me"), nist)[:3]
    told = [
        msgspec.structs.replace(row, stratum=f"first {word} of all")
        for row, word in zip(rows, ("1" * 5000, "²", "some"), strict=True)
    ]
    assert countable(book, choice, told) == (told, [])


def test_few_reviews_leave_the_order_to_the_grader_and_say_so(dl19, nist):
    queue = draw_items(dl19, ASKED, Draw(n=31, seed=3), "me")
    found = corrected(dl19, choose(dl19, ASKED), reviews(*answered(queue, nist)))
    assert not found.settled
    assert any("don't settle the order" in note for note in found.notes)
    assert (found.rows["rank"] == found.rows["grader_rank"]).all()


def test_a_queue_holds_what_its_probabilities_promise(dl19):
    queue = draw_items(dl19, ASKED, Draw(n=50, by="runs", shared=10, seed=2), "me")
    again = draw_items(dl19, ASKED, Draw(n=50, by="runs", shared=10, seed=2), "me")
    assert queue.items == again.items
    assert (len(queue.items), queue.population) == (50, 3125)
    assert [item.shared for item in queue.items] == [True] * 5 + [False] * 45
    assert all(0 < (item.probability or 0) <= 1 for item in queue.items)
    assert replace(ASKED, reference=None).tau == queue.evaluation["tau"]


@pytest.mark.parametrize("by", ["uniform", "runs", "disagreement", "gain"])
@pytest.mark.parametrize("task", ["relevance", "grade", "question"])
def test_every_task_can_be_drawn_in_every_way(dl19, task, by):
    if (task, by) == ("grade", "disagreement"):
        with pytest.raises(UsageError, match="nobody disagrees"):
            draw_items(dl19, ASKED, Draw(task=task, by=by), "me")
        return
    queue = draw_items(dl19, ASKED, Draw(task=task, by=by, n=60), "me")
    assert len({queue.reviewed_item(item) for item in queue.items}) == 60
    assert {(item.doc_id is None, item.question_id is None) for item in queue.items} == {
        {"relevance": (False, True), "grade": (False, False), "question": (True, False)}[task]
    }


def test_runs_without_a_mean_are_not_corrected_by_reviews(partly, nothing):
    lists = lists_of(partly, asking(partly, "P@2", "labels"))
    assert lists.book.run_ids == ["good", "half", "poor"]
    with pytest.raises(UsageError, match="no run with a mean"):
        lists_of(nothing, asking(nothing, "P@2", "labels"))


def test_the_calibration_is_scikit_learns():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(200, 3))
    answers = (rng.random(200) < 1 / (1 + np.exp(-features[:, 0]))).astype(float)
    # Without an intercept of their own, all coefficients bear the ridge there; ours leaves the first one free.
    design = np.hstack([np.ones((200, 1)), features])
    theirs = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000).fit(features, answers)
    assert logistic(design, answers)[1:] == pytest.approx(theirs.coef_[0], abs=2e-3)
    assert logistic(design, answers)[0] == pytest.approx(theirs.intercept_[0], abs=2e-3)


@pytest.mark.parametrize("answer", [0.0, 1.0])
def test_equal_answers_have_a_calibration(answer):
    sampled = Sampled(np.arange(40), np.full(40, answer), np.ones(40), np.ones(40, int))
    found = calibrate(np.zeros((50, 2)), np.zeros(50, int), sampled)
    assert np.abs(found.everywhere - answer).max() < 0.2


def world(seed, items=300, runs=4, n=80, people=1):
    """A third of the answered items has answers of several people, who may differ."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(items, 2))
    truth = (rng.random(items) < 1 / (1 + np.exp(-2 * features[:, 0]))).astype(float)
    adds = (rng.random((runs, items)) < 0.5) / items
    chances = rng.uniform(0.1, 0.5, items)
    chances *= n / chances.sum()
    sample = np.flatnonzero(rng.random(items) < chances)
    counts = np.where(np.arange(len(sample)) % 3, 1, people)
    yes = rng.binomial(counts, 0.8 * truth[sample] + 0.1) if people > 1 else truth[sample]
    return features, truth, adds, Sampled(sample, yes / counts, 1 / chances[sample], counts)


def parts_of(adds, sampled, calibration):
    chance = calibration.everywhere
    left = np.ones(len(chance), bool)
    left[sampled.items] = False
    return MeanParts(
        adds[:, sampled.items],
        adds @ chance,
        adds.sum(axis=1),
        (adds[:, left] ** 2 * np.maximum(chance * (1 - chance), 0.02)[left]).sum(axis=1),
    )


def slow(adds, calibration, sampled):
    """The same, item by item."""
    runs, m = len(adds), len(sampled.items)
    weights, answers, predicted = sampled.weights, sampled.answers, calibration.answered
    matter = [
        weights[i] * (weights[i] - 1) * sum(adds[r, sampled.items[i]] ** 2 for r in range(runs)) for i in range(m)
    ]
    total = sum(matter)
    middle = sum(w * f for w, f in zip(matter, predicted, strict=True)) / total
    level = sum(w * y for w, y in zip(matter, answers, strict=True)) / total
    above = sum(w * (f - middle) * (y - level) for w, f, y in zip(matter, predicted, answers, strict=True))
    slope = min(max(above / sum(w * (f - middle) ** 2 for w, f in zip(matter, predicted, strict=True)), 0), 1)
    means, variances, spread = [], [], slow_spread(adds, sampled)
    for run in range(runs):
        model = sum(adds[run, i] * (level + slope * (f - middle)) for i, f in enumerate(calibration.everywhere))
        pieces = [
            adds[run, sampled.items[i]] * weights[i] * (answers[i] - level - slope * (predicted[i] - middle))
            for i in range(m)
        ]
        factors = [1 - 1 / w for w in weights]
        centre = sum(f * p for f, p in zip(factors, pieces, strict=True)) / sum(factors)
        means.append(model + sum(pieces))
        drawn = sum(f * (p - centre) ** 2 for f, p in zip(factors, pieces, strict=True)) * m / (m - 1)
        again = sum(weights[i] * adds[run, sampled.items[i]] ** 2 * spread / sampled.people[i] for i in range(m))
        variances.append(drawn + again)
    return np.array(means), np.array(variances)


def slow_spread(adds, sampled):
    """Half of the share of pairs of answers about one item that differ; an item counts by what it adds and stands for.

    One with k answers counts k - 1 times, as the variance within groups has it.
    """
    differ = counted = 0.0
    for place, item in enumerate(sampled.items):
        k = sampled.people[place]
        yes = round(sampled.answers[place] * k)
        if k > 1:
            weight = sampled.weights[place] * sum(run[item] ** 2 for run in adds) * (k - 1)
            differ += weight * (yes * (k - yes)) / (k * (k - 1) / 2) / 2
            counted += weight
    return differ / counted if counted else 0.0


@pytest.mark.parametrize("people", [1, 2, 3])
@pytest.mark.parametrize("seed", range(2))
def test_corrected_means_are_those_of_the_slow_twin(seed, people):
    features, _, adds, sampled = world(seed, people=people)
    calibration = calibrate(features, np.zeros(len(features), int), sampled)
    found = corrected_means(parts_of(adds, sampled, calibration), calibration, sampled, adds.sum(axis=1) / 2)
    means, variances = slow(adds, calibration, sampled)
    assert found.mean == pytest.approx(means, abs=1e-12)
    weighted = adds[:, sampled.items] * sampled.weights
    effective = weighted.sum(axis=1) ** 2 / (weighted**2).sum(axis=1)
    from scipy import stats

    assert found.high - found.mean == pytest.approx(stats.t.ppf(0.975, effective - 1) * np.sqrt(variances), abs=1e-12)


def test_where_everything_is_answered_the_truth_comes_out_without_an_interval():
    features, truth, adds, _ = world(7)
    sampled = Sampled(np.arange(len(truth)), truth, np.ones(len(truth)), np.full(len(truth), 2))
    calibration = calibrate(features, np.zeros(len(truth), int), sampled)
    found = corrected_means(parts_of(adds, sampled, calibration), calibration, sampled, np.zeros(4))
    assert found.mean == pytest.approx(adds @ truth, abs=1e-12)
    assert found.low == pytest.approx(found.high, abs=1e-12)
    assert np.concatenate(found.together()) == pytest.approx(np.tile(found.mean, 2), abs=1e-12)


@pytest.mark.parametrize("people", [1, 2])
def test_nothing_is_known_of_mistakes_where_nobody_answers_what_somebody_else_did(people):
    features, _, adds, sampled = world(5, people=people)
    calibration = calibrate(features, np.zeros(len(features), int), sampled)
    parts = parts_of(adds, sampled, calibration)
    found = corrected_means(parts, calibration, sampled, np.zeros(4))
    assert np.isnan(found.mistakes) == (people == 1)
    # yes is said with chance 0.1 or 0.9, so that the variance is 0.09
    assert people == 1 or found.mistakes == pytest.approx(0.09, abs=0.06)


def test_what_is_answered_in_whole_by_people_who_err_has_the_interval_of_their_errors():
    """200 times all is answered anew: the means vary by as much as is said."""
    features, truth, adds, _ = world(11, items=120)
    rng, chance = np.random.default_rng(1), 0.8 * truth + 0.1
    people, means, said = np.full(len(truth), 2), [], []
    for _ in range(200):
        sampled = Sampled(np.arange(len(truth)), rng.binomial(people, chance) / people, np.ones(len(truth)), people)
        calibration = calibrate(features, np.zeros(len(truth), int), sampled)
        found = corrected_means(parts_of(adds, sampled, calibration), calibration, sampled, np.zeros(4))
        means.append(found.mean)
        said.append(np.diag(found.covariance))
    assert np.mean(said) == pytest.approx(np.var(means, axis=0).mean(), rel=0.15)
    assert np.mean(means, axis=0) == pytest.approx(adds @ chance, abs=0.005)


def test_intervals_of_all_runs_at_once_hold_as_often_as_one_of_all_alone():
    """Of two runs that are one, they are those of one; of independent ones, at the level of Sidak."""
    rng = np.random.default_rng(2)
    one = CorrectedMeans(*[np.zeros(8)] * 4, 0.0, 1.0, np.nan, np.zeros((8, 8)), np.full(8, 1e9))
    one = replace(one, low=np.full(8, -1.959964), high=np.full(8, 1.959964))
    alike = replace(one, covariance=np.ones((8, 8))).together(20_000)[1]
    apart = replace(one, covariance=np.eye(8)).together(20_000)[1]
    assert alike == pytest.approx(np.full(8, 1.96), abs=0.05)
    # 1 - 0.95^(1/8) on both sides
    assert apart == pytest.approx(np.full(8, 2.727), abs=0.05)
    errors = np.abs(rng.standard_normal((20_000, 8))).max(axis=1)
    assert (errors < apart[0]).mean() == pytest.approx(0.95, abs=0.01)


def test_no_answer_predicts_itself():
    """One answer turned round changes what is predicted of others, but never of itself."""
    features, _, _, sampled = world(3)
    before = calibrate(features, np.zeros(len(features), int), sampled)
    turned = sampled.answers.copy()
    turned[5] = 1 - turned[5]
    after = calibrate(features, np.zeros(len(features), int), replace(sampled, answers=turned))
    assert after.answered[5] == before.answered[5] == before.everywhere[sampled.items[5]]
    assert (after.answered != before.answered).any()


def test_contrary_predictions_are_not_used():
    features, _, adds, sampled = world(1)
    contrary = 1 - sampled.answers
    calibration = Calibration(np.full(len(features), 0.5), contrary)
    found = corrected_means(parts_of(adds, sampled, calibration), calibration, sampled, np.zeros(4))
    assert found.tuning == 0


@pytest.mark.parametrize(
    ("variance", "corrections", "expected"),
    [(1.0, [-0.2] * 3, 1), (0.005, [-0.15, -0.2, -0.25], 0.5), (0.0, [-0.1, -0.2, -0.3], 0)],
    ids=["all noise: one for all", "half of it noise", "no noise: they stay"],
)
def test_corrections_are_pulled_to_their_mean_as_far_as_they_are_noise(variance, corrections, expected):
    grader = np.array([0.8, 0.7, 0.6])
    found, pulled = shrink(np.array([0.7, 0.5, 0.3]), grader, np.full(3, variance))
    assert found == pytest.approx(grader + corrections)
    assert pulled == pytest.approx(expected)


def test_probabilities_are_in_proportion_and_add_up():
    # 10 and 30 of 100, three drawn: 0.3 and 0.9; 60 would be 1.8, so it is certain, and two are left for 40.
    found = inclusion_probabilities(np.array([10.0, 30.0, 60.0]), 2)
    assert found == pytest.approx([0.25, 0.75, 1.0])
    assert inclusion_probabilities(np.array([1.0, 1.0, 2.0]), 2) == pytest.approx([0.5, 0.5, 1.0])


@pytest.mark.parametrize("n", [1, 7, 50, 99, 100, 200])
def test_no_probability_is_above_one_and_their_sum_is_the_sample(n):
    sizes = np.random.default_rng(n).pareto(1, 100) + 0.01
    found = inclusion_probabilities(sizes, n)
    assert found.sum() == pytest.approx(min(n, 100))
    assert ((found > 0) & (found <= 1)).all()
    assert n < 100 or sorted(pivotal(found, np.random.default_rng(0))) == list(range(100))


def test_each_item_comes_as_often_as_its_probability_says():
    chances = inclusion_probabilities(np.arange(1.0, 21.0), 6)
    rng = np.random.default_rng(0)
    draws = 4000
    counts = np.zeros(20)
    for _ in range(draws):
        sample = pivotal(chances, rng)
        assert len(sample) == len(set(sample)) == 6
        counts[sample] += 1
    error = np.sqrt(chances * (1 - chances) / draws)
    assert (np.abs(counts / draws - chances) < 4.5 * error + 1e-12).all()


def test_the_sample_comes_in_random_order():
    # Whoever stops after one item has answered a random item of the sample, not always the largest.
    chances = np.array([1.0, 1.0, 0.5, 0.5])
    rng = np.random.default_rng(1)
    firsts = np.bincount([pivotal(chances, rng)[0] for _ in range(3000)], minlength=4) / 3000
    assert firsts == pytest.approx([1 / 3, 1 / 3, 1 / 6, 1 / 6], abs=0.04)


def test_what_a_note_says_of_intervals_is_what_the_benchmark_measured():
    rows = json.loads((ROOT / "benchmarks" / "reviews-dl19.json").read_text(encoding="utf-8"))["rows"]
    twice, once = ([row for row in rows if bool(row["twice"]) == several] for several in (True, False))
    held, together = ([row[key] for row in twice] for key in ("holds", "holds_all"))
    assert (min(held) >= 0.93, max(held) <= 0.97, min(together) >= 0.9) == (True, True, True)
    shares = [row["holds"] for row in once if row["n"] == 800]
    assert f"{min(shares):.0%} to {max(shares):.0%}" in ONCE
