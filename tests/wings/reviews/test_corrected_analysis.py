"""The leaderboard as humans would have found it: exact where all is reviewed, honest where some is."""

import re
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from thoroughly import thoroughly

from benchmarks.wings.reviews.simulated import Campaign, humans_alone, on_average, simulated, truth_of
from exam_core.analysis.choosing import choose
from exam_core.analysis.leaderboard import leaderboard
from exam_core.errors import UsageError
from exam_core.request import RELEVANT_FROM, Request
from exam_core.wings.reviews.corrected import BY_DISAGREEMENT, ONCE, corrected, countable, sampled_by
from exam_core.wings.reviews.queue import TAKEN_BACK, Draw
from exam_core.wings.reviews.records import Reviews
from exam_core.wings.reviews.sampling import draw_items, keys_of, lists_of
from tests.analysis.test_unreadable import asking
from tests.analysis.test_unreadable import nothing as nothing
from tests.analysis.test_unreadable import partly as partly

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
    """NIST answers the items of a queue."""
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


@pytest.mark.parametrize("tau", [3, 4])
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


def test_labels_of_whole_passages_are_corrected_too(dl19, nist):
    asked = Request(measure="P@20", grader="Thomas")
    queue = draw_items(dl19, asked, Draw(n=300), "me")
    found = corrected(dl19, choose(dl19, asked), reviews(*answered(queue, nist)))
    assert (found.rows["corrected_low"] < found.rows["corrected_high"]).all()


def test_whoever_stops_early_has_reviewed_a_random_part(dl19, nist):
    """Half of a queue stands for twice as many passages, and two queues for one of all their answers."""
    choice, book = choose(dl19, ASKED), truth_of(dl19, choose(dl19, ASKED)).lists.book
    queue = draw_items(dl19, ASKED, Draw(n=400, by="uniform"), "me")
    half = sampled_of(book, choice, answered(queue, nist, items=queue.items[:200]))
    assert half.weights == pytest.approx(np.full(200, 3125 / 200))
    second = draw_items(dl19, ASKED, Draw(n=100, by="uniform", seed=5), "me")
    both = sampled_of(book, choice, answered(queue, nist) + answered(second, nist))
    assert both.weights == pytest.approx(np.full(500, 3125 / 500))


def test_several_answers_of_a_passage_are_one_and_what_was_taken_back_is_none(dl19):
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


def test_reviews_of_shorter_lists_or_of_unknown_probability_are_left_out_and_counted(dl19, nist):
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


def test_a_stratum_that_says_no_length_of_a_list_is_believed(dl19, nist):
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
