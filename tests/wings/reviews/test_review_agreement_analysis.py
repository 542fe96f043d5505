"""Agreement of reviews: with the grader, the judges and each other, weighed by the draw; and what is said of it."""

import numpy as np
import pytest
from scipy.stats import false_discovery_control, ttest_1samp
from sklearn.metrics import cohen_kappa_score

from exam_core.analysis.agreement import relevances_of_pairs
from exam_core.analysis.choosing import choose
from exam_core.analysis.values import pair_labels
from exam_core.numbers.annotator_agreement import cohen_kappa
from exam_core.request import Request
from exam_core.tables import GRADES, JUDGMENTS, QUESTIONS, RANKINGS
from exam_core.wings.reviews.agreement import above, cells_of, choose_agreement, review_agreement
from exam_core.wings.reviews.compared_reviews import alternative_annotator, benjamini_yekutieli
from exam_core.wings.reviews.estimates import estimate_kappa, inclusion_probabilities, pivotal, sample_of, table_of
from exam_core.wings.reviews.records import Reviews
from exam_core.wings.reviews.review import Review
from exam_core.wings.reviews.sampling import population, sizes
from tests.analysis.worlds import held, store_of, table

FLAN_T5 = "google/flan-t5-large.QuestionSelfRatedUnanswerablePromptWithChoices"
DOCS = [f"d{number:02}" for number in range(40)]
RNG = np.random.default_rng(5)
LABELS = dict(zip(DOCS, RNG.integers(0, 3, 40).tolist(), strict=True))
JUDGED = dict(zip(DOCS[:30], RNG.integers(0, 4, 30).tolist(), strict=True))


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    """Direct labels 0 to 2 of forty passages, a rater's grades on two questions, and judgments of thirty."""
    frames = {
        "questions": table(
            QUESTIONS, [("bank", 1, f"q/{name}", "q", None, None, f"{name}?", None, 1.0, True) for name in "ab"]
        ),
        "grades": table(
            GRADES,
            [("labels", None, "q", doc, label) for doc, label in LABELS.items()]
            + [("rater", "q/a", "q", doc, None if doc == "d07" else 2 * label) for doc, label in LABELS.items()]
            + [("rater", "q/b", "q", doc, 0) for doc in DOCS],
        ),
        "rankings": table(RANKINGS, [("run", "q", "d00", 1, 1, 1.0, False)]),
        "judgments": table(JUDGMENTS, [("official", "q", doc, relevance) for doc, relevance in JUDGED.items()]),
    }
    yield from held(tmp_path_factory.mktemp("reviewed"), frames)


def review(doc, answer, *, reviewer="ann", task="relevance", at=0, **more):
    ids = {"review_id": f"{reviewer} {task} {doc} {at}", "created": f"2026-01-01T00:00:00.{at:03}"}
    return Review(**ids, reviewer=reviewer, task=task, query_id="q", doc_id=doc, answer=answer, **more)


def drawn(doc, answer, probability, **more):
    return review(doc, answer, queue_id="k", sampler="disagreement", probability=probability, drawn=40, **more)


def agreement(snapshot, rows, *, grader="labels", bank=None, judgments="official", **options):
    choice = choose_agreement(snapshot, Request(grader=grader, bank=bank, tau=options.pop("tau", 1)), judgments)
    return review_agreement(snapshot, Reviews("key", tuple(rows)), **choice._asdict(), **options)


def noisy(reviewer, seed, *, noise=0.3, docs=DOCS, **more):
    """Reviews of passages that are mostly as the label says: 0 or 2."""
    rng = np.random.default_rng(seed)
    wrong = dict(zip(docs, rng.random(len(docs)) < noise, strict=True))
    return [review(doc, 2 * int((LABELS[doc] >= 1) ^ wrong[doc]), reviewer=reviewer, **more) for doc in docs]


def rows(found, **where):
    kept = found.rows
    for name, value in where.items():
        kept = kept[kept[name] == value]
    return kept


def test_kappa_weighs_each_item_by_the_inverse_of_its_probability_and_weighted_ones_are_of_the_values(snapshot):
    probability = np.random.default_rng(1).uniform(0.1, 0.9, 40)
    answers = np.random.default_rng(2).integers(0, 4, 40)
    found = agreement(snapshot, [drawn(*one) for one in zip(DOCS, answers.tolist(), probability.tolist(), strict=True)])
    told = found.estimate("relevance", "kappa")
    expected = cohen_kappa_score(answers >= 2, np.array([*LABELS.values()]) >= 1, sample_weight=1 / probability)
    assert told.estimate == pytest.approx(expected, abs=1e-9)
    assert (told.n, told.reviews, told.design) == (40, 40, "drawn (disagreement)")
    assert told.low < told.estimate < told.high
    answers = np.random.default_rng(2).integers(0, 4, 40)
    found = agreement(snapshot, [review(*one) for one in zip(DOCS, answers.tolist(), strict=True)])
    for weights in ("linear", "quadratic"):
        expected = cohen_kappa_score(answers, [*LABELS.values()], weights=weights, labels=range(4))
        assert found.estimate("relevance", f"{weights}_kappa").estimate == pytest.approx(expected, abs=1e-9)


def test_judges_are_compared_where_they_judged(snapshot):
    found = agreement(snapshot, [review(doc, 2 if doc < "d20" else 0) for doc in DOCS])
    told = found.estimate("relevance", "kappa", "judgments")
    expected = cohen_kappa_score([doc < "d20" for doc in JUDGED], [relevance >= 2 for relevance in JUDGED.values()])
    assert (told.estimate, told.n) == (pytest.approx(expected, abs=1e-9), 30)
    assert "10 of 40 reviews of relevance are of passages that official does not judge." in found.notes


def test_two_reviewers_are_compared_on_what_both_answered(snapshot):
    first, second = noisy("ann", 1, docs=DOCS[:30]), noisy("bob", 2, docs=DOCS[10:])
    found = agreement(snapshot, first + second)
    told = rows(found, compared="reviewer", measure="kappa").iloc[0]
    both = [{one.doc_id: one.answer >= 2 for one in several} for several in (first, second)]
    shared = DOCS[10:30]
    expected = cohen_kappa_score(*([one[doc] for doc in shared] for one in both))
    assert (told["reviewer"], told["other"], told["n"]) == ("ann", "bob", 20)
    assert told["estimate"] == pytest.approx(expected, abs=1e-9)
    assert rows(found, compared="reviewers", measure="alpha")[["n", "reviews"]].values.tolist() == [[20, 40]]


def test_a_later_review_takes_the_place_of_an_earlier_one_and_a_skipped_one_of_both(snapshot):
    told = [review("d00", 0), review("d00", 3, at=1), review("d01", 3), review("d01", None, at=1, skipped="torn")]
    found = agreement(snapshot, told)
    assert found.n == 1
    assert found.confusion.loc[found.confusion["n"] > 0, "answer"].tolist() == ["3"]


def test_a_grade_is_compared_with_the_graders_on_the_same_question(snapshot):
    told = [review(doc, 2 * LABELS[doc], task="grade", question_id="q/a") for doc in DOCS]
    found = agreement(snapshot, told, grader="rater", bank="bank")
    # d07 has no readable grade; everything else is the grader's own
    assert found.estimate("grade", "multiclass_kappa").estimate == 1
    assert found.estimate("grade", "agreement").n == 39
    assert "1 of 40 reviews of grades are of items without a readable grade of rater; left out there." in found.notes
    assert found.per_question["question_id"].tolist() == ["q/a"]


def test_grades_on_another_question_or_of_a_grader_of_whole_passages_can_not_be_compared(snapshot):
    found = agreement(snapshot, [review("d01", 3, task="grade", question_id="q/z")], grader="rater", bank="bank")
    assert found.estimate("grade", "agreement") is None
    found = agreement(snapshot, [review("d01", 3, task="grade", question_id="q/a")])
    assert "labels labels whole passages: reviews of grades can't be compared with it." in found.notes


def test_questions_are_good_as_often_as_people_say(snapshot):
    told = [
        review(None, answer, task="question", question_id=f"q/{name}", at=at, reviewer=who)
        for at, (who, name, answer) in enumerate([("ann", "a", 1), ("bob", "a", 0), ("ann", "b", 1)])
    ]
    found = agreement(snapshot, told)
    # The two answers on q/a share the weight of one question: (0.5 + 1) / 2
    assert found.estimate("question", "good", "nobody").estimate == pytest.approx(0.75)
    assert found.per_question.set_index("question_id")["good"].to_dict() == {"q/a": 0.5, "q/b": 1.0}


def test_the_confusion_counts_reviews_and_weighs_items(snapshot):
    label = {value: next(doc for doc in DOCS if LABELS[doc] == value) for value in (0, 2)}
    found = agreement(
        snapshot, [drawn(label[2], 3, 0.5), drawn(label[0], 3, 0.1), drawn(label[0], 0, 0.1, reviewer="bob")]
    )
    cells = cells_of(found, "relevance").set_index("name")
    assert cells.loc["label 0, answer 3", ["n", "of_label"]].tolist() == [1, 0.5]
    # weights 2 against 5 (half of the item that two answered): 2 / 7
    assert cells.loc["label 2, answer 3", "of_relevance"] == pytest.approx(2 / 7)
    assert cells["n"].sum() == 3
    # Labels 2 and 1 reach tau 1, answers 3 and 2 are relevant.
    assert above(found, "relevance", cells.reset_index()) == (2, 2)


def test_a_grader_that_is_as_good_as_three_reviewers_may_replace_one(snapshot):
    people = [one for seed, name in enumerate(("ann", "bob", "cy")) for one in noisy(name, seed, noise=0.2)]
    good = agreement(snapshot, people)
    assert good.tests[["reviewers", "winning_rate", "passed"]].values.tolist() == [[3, 1.0, True]]
    strict = agreement(snapshot, people, epsilon=0.0)
    assert (strict.replacing["p"] > good.replacing["p"]).all()


def test_each_query_has_a_row(snapshot):
    found = agreement(snapshot, noisy("ann", 3))
    assert found.per_query[["query_id", "n", "reviews"]].values.tolist() == [["q", 40, 40]]
    assert found.per_query["kappa"].iloc[0] == pytest.approx(found.estimate("relevance", "kappa").estimate)


def test_reviews_that_nobody_drew_count_alike_and_how_they_are_weighed_is_said(snapshot):
    found = agreement(snapshot, noisy("ann", 1))
    assert found.estimate("relevance", "kappa").design == "by hand"
    assert any(note.startswith("None of the reviews of relevance was drawn") for note in found.notes)
    found = agreement(snapshot, [drawn("d00", 0, 0.2), drawn("d01", 2, 0.4), review("d02", 2)])
    assert found.estimate("relevance", "agreement").design == "drawn (disagreement) and by hand"
    assert any(note.startswith("1 of 3 reviews of relevance were not drawn") for note in found.notes)


@pytest.mark.parametrize(("probability", "size"), [(np.inf, 5), (-0.5, 5), (0.0, 5), (0.5, 0), (0.5, -3)])
def test_odd_numbers_of_a_design_that_a_file_brought_make_no_odd_figures(snapshot, probability, size):
    rows = [review(doc, 2, queue_id="k", sampler="odd", probability=probability, drawn=size) for doc in DOCS]
    told = agreement(snapshot, rows).estimate("relevance", "agreement")
    assert told.estimate == pytest.approx(np.mean([label >= 1 for label in LABELS.values()]))
    assert 0 <= told.low < told.estimate < told.high <= 1


def test_a_passage_that_was_never_graded_is_left_out_and_counted(snapshot):
    found = agreement(snapshot, [review("d00", 2), review("elsewhere", 2)])
    assert found.estimate("relevance", "agreement").n == 1
    assert "1 of 2 reviews of relevance are of items without a readable grade of labels; left out there." in found.notes


def test_where_no_label_reaches_tau_kappa_is_undefined_and_a_note_says_so(snapshot):
    found = agreement(snapshot, noisy("ann", 1), tau=3)
    assert np.isnan(found.estimate("relevance", "kappa").estimate)
    assert any("No label of labels reaches tau 3 (they end at 2)" in note for note in found.notes)


def test_where_nothing_is_graded_reviewers_are_compared_with_judges(tmp_path):
    frames = {"judgments": table(JUDGMENTS, [("official", "q", doc, one) for doc, one in JUDGED.items()])}
    bare = store_of(tmp_path, frames)
    found = agreement(bare, [review(doc, one) for doc, one in JUDGED.items()], grader=None, judgments=None)
    assert found.estimate("relevance", "kappa", "judgments").estimate == 1
    assert (found.grader, set(found.rows["compared"])) == (None, {"judgments"})


@pytest.mark.thorough  # as test_sample_estimates.py has it of simulated items
def test_on_dl19_drawing_where_graders_and_judges_differ_biases_kappa_without_weights_and_ours_not_at_all(dl19):
    choice = choose(dl19, Request(measure="P@20", bank="genq", grader=FLAN_T5))
    found = population(dl19, choice, "relevance")
    label = pair_labels(dl19, choice.labelling)[found.pairs] >= 4
    judged = relevances_of_pairs(dl19, choice.labelling, "official")[found.pairs] >= 2
    tables = table_of(label.astype(int), judged.astype(int), 2)
    n, draws, true, rng = 300, 150, cohen_kappa(tables.sum(axis=0)), np.random.default_rng(0)
    probability = inclusion_probabilities(sizes(dl19, choice, found, "disagreement"), n)
    plain, ours, held = [], [], 0
    for _ in range(draws):
        at = pivotal(probability, rng)
        told = estimate_kappa(tables[at], sample_of(at, 0 * at, probability[at], np.full(n, float(n))))
        plain.append(cohen_kappa(tables[at].sum(axis=0)))
        ours.append(told.value)
        held += told.low <= true <= told.high
    assert np.mean(plain) < true - 0.2
    # The ratio itself is off by about 1 / n, far less than one draw is.
    assert abs(np.mean(ours) - true) < 3 * np.std(ours) / np.sqrt(draws) < 0.02
    # 95% of 150 are 142; three standard deviations are 8.
    assert held >= 134


NAN = np.nan


def slow(answers, model, alignment, epsilon, least):
    """The test with loops over reviewers and items: p, model's and human's shares for each tested reviewer."""

    def score(one, others):
        if alignment == "accuracy":
            return sum(one == other for other in others) / len(others)
        return -((sum((one - other) ** 2 for other in others) / len(others)) ** 0.5)

    found = {}
    for reviewer, own in enumerate(answers):
        model_wins, human_wins = [], []
        for item, answer in enumerate(own):
            others = [row[item] for place, row in enumerate(answers) if place != reviewer and row[item] == row[item]]
            if answer != answer or model[item] != model[item] or not others:
                continue
            model_wins.append(score(model[item], others) >= score(answer, others))
            human_wins.append(score(answer, others) >= score(model[item], others))
        if len(model_wins) >= least:
            differences = np.array(human_wins, float) - np.array(model_wins, float)
            p = ttest_1samp(differences, epsilon, alternative="less").pvalue
            found[reviewer] = (p, np.mean(model_wins), np.mean(human_wins))
    return found


@pytest.mark.parametrize("alignment", ["accuracy", "rmse"])
@pytest.mark.parametrize("seed", range(4))
def test_the_test_is_that_of_loops(seed, alignment):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, 80)
    noisy = [np.where(rng.random(80) < noise, rng.integers(0, 4, 80), truth) for noise in (0.2, 0.4, 0.5, 0.3)]
    answers = np.array(noisy[:3], float)
    answers[rng.random(answers.shape) < 0.3] = NAN
    model = np.where(rng.random(80) < 0.1, NAN, noisy[3])
    found = alternative_annotator(answers, model, alignment, epsilon=0.15)
    expected = slow(answers.tolist(), model.tolist(), alignment, 0.15, 30)
    assert set(np.flatnonzero(~np.isnan(found.p))) == set(expected)
    for reviewer, (p, of_model, of_human) in expected.items():
        told = found.p[reviewer], found.model[reviewer], found.human[reviewer]
        assert told == pytest.approx((p, of_model, of_human), abs=1e-9)
    assert found.advantage == pytest.approx(np.mean([one[1] for one in expected.values()]))


def test_a_model_that_is_always_as_good_replaces_everybody_and_a_bad_one_nobody():
    truth = np.random.default_rng(0).integers(0, 2, 40).astype(float)
    answers = np.array([truth] * 3)
    good, bad = alternative_annotator(answers, truth), alternative_annotator(answers, 1 - truth)
    assert (good.winning_rate, good.advantage, good.passed) == (1, 1, True)
    assert (bad.winning_rate, bad.advantage, bad.passed) == (0, 0, False)


def test_who_shares_too_few_items_and_an_item_of_one_reviewer_alone_do_not_count():
    answers = np.ones((3, 40))
    answers[2, 29:] = NAN
    found = alternative_annotator(answers, np.ones(40))
    assert np.isnan(found.p).tolist() == [False, False, True]
    assert (found.winning_rate, found.n.tolist()) == (1, [40, 40, 29])
    answers = np.array([[1.0] * 40, [NAN] * 40])
    found = alternative_annotator(answers, np.ones(40))
    assert found.n.tolist() == [0, 0]
    assert np.isnan(found.winning_rate)
    assert not found.passed


@pytest.mark.parametrize("seed", range(5))
def test_rejections_are_those_of_scipys_adjusted_p(seed):
    p = np.random.default_rng(seed).beta(0.3, 2, 12)
    assert benjamini_yekutieli(p).tolist() == (false_discovery_control(p, method="by") <= 0.05).tolist()


def test_a_tau_that_is_no_whole_number_cuts_decimals_as_it_cuts_labels_that_say_so(tmp_path):
    exact = {doc: label + 0.6 * (place % 2) for place, (doc, label) in enumerate(LABELS.items())}
    judged = table(JUDGMENTS, [("official", "q", doc, relevance) for doc, relevance in JUDGED.items()])
    ranked = table(RANKINGS, [("run", "q", "d00", 1, 1, 1.0, False)])

    def store(name, grade, decimal):
        grades = [("labels", None, "q", doc, grade(value), None, None, decimal(value)) for doc, value in exact.items()]
        return store_of(tmp_path / name, {"grades": grades, "judgments": judged, "rankings": ranked})

    ours = agreement(store("exact", int, lambda value: value), noisy("ann", 1), tau=1.6)
    theirs = agreement(store("cut", lambda value: int(value >= 1.6), lambda _: None), noisy("ann", 1), tau=1)
    whole = agreement(store("whole", int, lambda _: None), noisy("ann", 1), tau=2)
    of_cut, of_values = (
        [found.rows[found.rows["measure"].isin(names)][["estimate", "low", "high"]].to_numpy() for found in some]
        for names, some in (
            (("agreement", "kappa", "alpha"), (ours, theirs, whole)),
            (("linear_kappa", "alpha_interval"), (ours, whole)),
        )
    )
    assert of_cut[0] == pytest.approx(of_cut[1], nan_ok=True)
    assert of_cut[0] != pytest.approx(of_cut[2], nan_ok=True)
    assert of_values[0] == pytest.approx(of_values[1], nan_ok=True)
