"""The health of a bank: one small collection with everything that ails banks, and slow twins over random ones."""

import math

import numpy as np
import pytest

from exam_core.analysis.bank.other_labels import side_by_side
from exam_core.analysis.evaluation.books import gradebook
from exam_core.analysis.evaluation.choice import QuestionChoice
from exam_core.analysis.evaluation.choosing import choose
from exam_core.analysis.evaluation.references import needed_reference
from exam_core.asked import Asked
from exam_core.formats import Reading
from exam_core.question import Question
from exam_core.store import Store
from exam_core.store.names import BankRef
from exam_core.tables import GRADES, JUDGMENTS, QUESTIONS, RANKINGS
from exam_core.wings.banks.analysis.breadth import breadth
from exam_core.wings.banks.analysis.carrying import carried
from exam_core.wings.banks.analysis.difficulty import difficulty
from exam_core.wings.banks.analysis.health import health, health_of_words, unevenness, ungraded_bank
from exam_core.wings.banks.analysis.redundancy import ANSWERS, APART, BOTH, WORDS, pairs_of, phis
from tests.analysis.twins import Twin
from tests.analysis.worlds import table

ASKED = {"grader": "rater", "bank": "genq", "tau": 2}
PASSAGES = [f"p{number:02}" for number in range(12)]
"""Of the ill bank: the first six are judged relevant, the others not."""
RUNS = {"best": "p00 p01 p02", "good": "p00 p01", "bad": "p06", "worst": "p07", "none": ""}
ILL = {
    "dead": ("Nobody answers this?", ""),
    "broad": ("Is anything so?", " ".join(PASSAGES)),
    "beside": ("Which of the others?", "p07 p08 p09 p10 p11"),
    "words": ("What is the colour of the sky?", "p00 p01 p02"),
    "worded": ("What is the color of the sky?", "p00 p01"),
    "answers": ("Who was first?", "p01 p02 p03 p04 p05"),
    "answered": ("In which year?", "p01 p02 p03 p04 p05"),
    "apart": ("How long is the bridge over the river?", "p00 p03"),
    "told": ("How wide is the bridge over the river?", "p01"),
    "sound": ("Why so?", "p00 p04"),
}
"""Question and the passages that answer it."""


@pytest.fixture(scope="module")
def ill(tmp_path_factory):
    """A snapshot of the ill bank: q1 has its questions, q2 one that no passage was graded on."""
    questions = [("ill", 1, f"q1/{name}", "q1", None, None, words, None, 1.0, True) for name, (words, _) in ILL.items()]
    questions += [
        ("ill", 1, "q1/off", "q1", None, None, "Why so so?", None, 1.0, False),
        ("ill", 1, "q2/new", "q2", None, None, "Why so?", None, 1.0, True),
    ]
    grades = [
        ("rater", f"q1/{name}", "q1", doc, 5 if doc in docs.split() else 0)
        for name, (_, docs) in ILL.items()
        for doc in PASSAGES
    ]
    judged = [("official", "q1", doc, 2 if doc < "p06" else 0) for doc in PASSAGES]
    ranked = [
        (run, "q1", doc, place, place, 10.0 - place, False)
        for run, docs in RUNS.items()
        for place, doc in enumerate([*docs.split(), *(["p11"] if run == "none" else [])], 1)
    ]
    frames = {
        "questions": table(QUESTIONS, questions),
        "grades": table(GRADES, grades),
        "judgments": table(JUDGMENTS, judged),
        "rankings": table(RANKINGS, ranked),
    }
    store = Store(tmp_path_factory.mktemp("ill"))
    store.commit("ill", Reading(frames, {"rater": {"scale": 5}}), source="ill")
    yield store.snapshot("ill")
    del store


@pytest.fixture(scope="module")
def found(ill):
    return health(ill, choose(ill, Asked()))


def of(found, name):
    """The row of a question."""
    return found.rows.set_index("question_id").loc[name]


EXPECTED = {
    "q1/dead": ("switch off", "dead", "None of its 12 graded passages (6 of them judged relevant) answers it."),
    "q1/broad": (
        "reword",
        "over-broad, beside the point, universal",
        "6 of 6 passages judged not relevant answer it, and 6 of 6 relevant ones. 5 of 5 runs answer it: it hardly "
        "discriminates between them.",
    ),
    "q2/new": ("grade", "not graded", "No passage has a readable grade on it."),
    # 28 letters and blanks of 29 and 28 are the same; p00 and p01 answer both, p02 the first alone:
    # phi = (12*2 - 3*2) / sqrt(3*9 * 2*10)
    "q1/words": (
        "merge",
        "redundant",
        'In words 98% like "What is the color of the sky?" (phi of their answers 0.775).',
    ),
    "q1/worded": (
        "merge",
        "redundant",
        'In words 98% like "What is the colour of the sky?" (phi of their answers 0.775).',
    ),
    "q1/answers": (
        "merge",
        "redundant",
        'Answered by the same passages as "In which year?" (phi of their answers 1.000).',
    ),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_each_finding_has_its_proposal_and_the_numbers_behind_it(found, name):
    row = of(found, name)
    assert (row["proposal"], row["findings"], row["reason"]) == EXPECTED[name]


def test_a_question_that_passages_judged_not_relevant_answer_more_is_beside_the_point(found):
    row = of(found, "q1/beside")
    assert row["findings"].startswith("over-broad, beside the point, negative")
    assert (row["not_relevant_reached"], row["relevant_share"]) == (5, 0)
    assert row["not_relevant_share"] == pytest.approx(5 / 6)


def test_a_question_with_no_finding_is_kept_with_what_is_known_of_it(found):
    row = of(found, "q1/sound")
    assert (row["proposal"], row["findings"]) == ("keep", "")
    assert row["reason"].startswith("2 of 5 runs and 2 of 12 graded passages answer it; item-rest ")


def test_questions_that_are_off_are_not_looked_at(found):
    assert set(found.rows["question_id"]) == {*(f"q1/{name}" for name in ILL), "q2/new"}


def test_proposals_come_before_what_is_kept(found):
    kept = (found.rows["proposal"] == "keep").tolist()
    assert kept == sorted(kept)
    assert found.rows["findings"].iloc[0] == "redundant"


def test_pairs_are_by_words_first_then_by_answers(found):
    pairs = [(row.question_id, row.other_id, row.by) for row in found.pairs.itertuples()]
    assert pairs == [("q1/words", "q1/worded", WORDS), ("q1/answers", "q1/answered", ANSWERS)]


def test_questions_in_nearly_the_same_words_that_other_passages_answer_are_not_redundant(ill):
    loose = health(ill, choose(ill, Asked()), alike=0.8)
    pair = loose.pairs.set_index("question_id").loc["q1/apart"]
    # nothing answers both: phi = (12*0 - 2*1) / sqrt(2*10 * 1*11)
    assert (pair["by"], pair["other_id"], pair["both"]) == (APART, "q1/told", 0)
    assert pair["phi"] == pytest.approx(-2 / math.sqrt(220))
    assert (pair["only_one"], pair["only_other"]) == ("long", "wide")
    assert "redundant" not in of(loose, "q1/apart")["findings"]


def test_without_grades_pairs_are_by_words_alone():
    bank = {("q", name): Question("q", name, "Who won it?") for name in ("a", "b")}
    pair = pairs_of(bank, None, 4, 1).iloc[0]
    assert (pair["by"], pair["both"], math.isnan(pair["phi"])) == (WORDS, 0, True)


def test_two_questions_alike_by_words_and_by_answers_say_both(dl19):
    pairs = health(dl19, choose(dl19, Asked(bank="genq", tau=4))).pairs
    first = pairs.iloc[0]
    assert (first["by"], first["only_one"], first["only_other"]) == (BOTH, "an rn", "a bsn")


def test_queries_say_what_is_reached_and_what_not(found):
    rows = found.queries.set_index("query_id")
    assert rows.loc["q1", ["questions", "relevant", "unreached", "not_relevant", "reached"]].tolist() == [
        10,
        6,
        0,
        6,
        6,
    ]
    assert rows.loc["q2", "questions"] == 1
    assert math.isnan(rows.loc["q2", "relevant"])


def test_a_relevant_passage_that_only_a_switched_off_question_reaches_is_a_seed(ill):
    choice = choose(ill, Asked())
    narrow = choice.labelled(asking=type(choice.labelling.asking)(only=frozenset({"q1/sound", "q1/beside"})))
    seeds = breadth(ill, narrow, None, 2).seeds
    # of the relevant p00 to p05, p00 and p04 answer "sound"; p01 is ranked by two runs, p02 by one
    assert list(zip(seeds["doc_id"], seeds["runs"], strict=True)) == [("p01", 2), ("p02", 1), ("p03", 0), ("p05", 0)]
    assert seeds["text"].isna().all()


def test_numbers_are_those_of_item_analysis(ill, found):
    items = difficulty(ill, choose(ill, Asked())).rows.set_index("question_id")
    mine = found.rows[found.rows["question_id"] != "q2/new"].set_index("question_id")
    for column in ("runs", "passages", "graded", "item_rest"):
        assert mine[column].astype(float).to_dict() == pytest.approx(
            items.loc[mine.index, column].astype(float).to_dict(), nan_ok=True
        )


# Against loops over random collections, with facets and without, with grades and judgments missing.


@pytest.fixture
def seen(random_world):
    choice = choose(random_world, Asked(measure="Cover@5", **ASKED))
    judged = {}
    facets = {unit for unit in Twin(random_world, choice).units if "/" in unit}
    rows = [row for row in random_world.frame("judgments").itertuples() if row.qrels_id == "official"]
    for row in sorted(rows, key=lambda row: "/" in row.query_id):
        own = [unit for unit in facets if unit.rpartition("/")[0] == row.query_id]
        judged |= {(unit, row.doc_id): row.relevance for unit in own or [row.query_id]}
    return random_world, choice, Twin(random_world, choice), judged


def test_shares_of_judged_passages_are_those_of_a_loop(seen):
    world, choice, twin, judged = seen
    found = breadth(world, choice, "official", 1)
    assert len(found.questions)
    for row in found.questions.itertuples():
        counts = dict.fromkeys(("relevant", "relevant_reached", "not_relevant", "not_relevant_reached"), 0)
        for doc, grades in twin.grades[row.query_id].items():
            grade, relevance = grades.get(row.question_id), judged.get((row.query_id, doc))
            if grade is None or relevance is None:
                continue
            name = "relevant" if relevance >= 1 else "not_relevant"
            counts[name] += 1
            counts[f"{name}_reached"] += grade >= choice.tau
        assert {name: getattr(row, name) for name in counts} == counts


def test_seeds_are_the_relevant_passages_whose_best_grade_is_below_tau(seen):
    world, choice, twin, judged = seen
    found = breadth(world, choice, "official", 1)
    best = {
        (unit, doc): max(twin.readable(unit, doc).values())
        for unit in twin.units
        for doc in twin.grades[unit]
        if twin.readable(unit, doc)
    }
    expected = {pair: grade for pair, grade in best.items() if judged.get(pair, -9) >= 1 and grade < choice.tau}
    seeds = found.seeds
    assert dict(zip(zip(seeds["query_id"], seeds["doc_id"], strict=True), seeds["label"], strict=True)) == expected
    reached = sum(judged.get(pair, 9) < 1 and grade >= choice.tau for pair, grade in best.items())
    assert found.queries["reached"].sum() == reached
    unknown = sum(pair in judged for pair in {(u, d) for u in twin.units for d in twin.grades[u]} - set(best))
    assert found.notes == (
        [f"{unknown} judged passages without a grade that can be read: left out."] if unknown else []
    )


def test_phi_is_the_correlation_over_passages_with_both_grades():
    rng = np.random.default_rng(4)
    grades = rng.choice([-1, 0, 3, 4, 5], (40, 6))
    grades[:, 5] = 0
    found, both = phis(grades >= 4, grades >= 0)
    for one in range(6):
        for other in range(6):
            kept = (grades[:, one] >= 0) & (grades[:, other] >= 0)
            x, y = grades[kept, one] >= 4, grades[kept, other] >= 4
            expected = np.corrcoef(x, y)[0, 1] if x.any() and not x.all() and y.any() and not y.all() else np.nan
            assert found[one, other] == pytest.approx(expected, nan_ok=True)
            assert both[one, other] == (x & y).sum()


def test_every_enabled_question_of_a_bank_has_a_row(seen):
    world, choice, twin, _ = seen
    rows = health(world, choice).rows
    bank = world.frame("questions")
    bank = bank[(bank["bank_id"] == "genq") & (bank["version"] == 2) & bank["enabled"]]
    assert set(bank["question_id"]) == set(rows["question_id"])
    graded = {(unit, question) for unit in twin.units for question in twin.enabled.get(unit, ())}
    assert graded <= set(zip(rows["query_id"], rows["question_id"], strict=True))
    assert len(rows) == len(rows.drop_duplicates(["query_id", "question_id"]))


@pytest.mark.thorough
def test_what_a_run_owes_to_a_question_is_what_the_board_without_it_says(dl19):
    choice = choose(dl19, Asked(bank="genq", tau=4))
    found = carried(dl19, choice).rows
    mine, official = found[found["carried"]], needed_reference(dl19, None).ranks
    assert len(mine) > 0
    for row in mine.itertuples():
        board, _ = side_by_side(
            dl19, choice, dl19, choice.labelled(asking=QuestionChoice(frozenset([row.question_id])))
        )
        board = board[board["run_id"].isin(official.index)]
        ranks = board["mean_after"].round(9).rank(ascending=False)
        theirs = board["run_id"].map(official).rank()
        moved = (theirs - ranks)[board["run_id"] == row.run_id].iloc[0]
        assert moved == row.without
        assert row.fall == abs(row.displacement) - abs(row.without) >= max(1, abs(row.displacement) / 4)


def test_a_run_that_several_questions_move_alike_is_carried_by_none(dl19):
    rows = carried(dl19, choose(dl19, Asked(bank="genq", tau=4))).rows.set_index("run_id")
    # six questions each move it by two places
    row = rows.loc["bm25base_p"]
    assert (row["question_id"], row["fall"], row["carried"], row["without"]) == (None, 0, False, row["displacement"])


def test_no_run_is_carried_where_there_is_nothing_to_compare_with(found):
    assert (found.reference, len(found.displaced)) == (None, 0)
    assert any("no official leaderboard" in note for note in found.notes)


def test_a_bank_without_grades_says_what_its_words_say(ill):
    asked = Asked(bank="ill")
    assert ungraded_bank(ill, asked) is None
    found = health_of_words(ill, BankRef("ill", 1))
    assert found.notes[0].startswith("Nothing is graded on bank ill@1 yet")
    proposals = set(zip(found.rows["findings"], found.rows["proposal"], strict=True))
    # what is merged need not be graded
    assert proposals == {("not graded", "grade"), ("redundant, not graded", "merge")}
    assert found.pairs["by"].tolist() == [WORDS]
    assert found.queries.set_index("query_id")["questions"].to_dict() == {"q1": 10, "q2": 1}


def test_a_bank_that_nobody_graded_is_known(tmp_path):
    rows = [("new", 1, "q1/x", "q1", None, None, "Who?", None, 1.0, True)]
    store = Store(tmp_path)
    store.commit("c", Reading({"questions": table(QUESTIONS, rows)}), source="x")
    snapshot = store.snapshot("c")
    assert ungraded_bank(snapshot, Asked()) == BankRef("new", 1)
    assert ungraded_bank(snapshot, Asked(grader="somebody")) is None
    assert len(health_of_words(snapshot, BankRef("new", 1)).rows) == 1


UNEVEN = {
    "even": ({"a": 5, "b": 5}, []),
    "one query": ({"a": 5}, []),
    "nothing": ({}, []),
    "a little": ({"a": 5, "b": 6, "c": 5}, ["Queries have 5 to 6 questions, 5 in the middle"]),
    "much": ({"a": 10, "b": 10, "c": 2, "d": 30}, ["c (2), d (30)"]),
}


@pytest.mark.parametrize("case", UNEVEN)
def test_uneven_numbers_of_questions_are_said(case):
    sizes, expected = UNEVEN[case]
    said = unevenness(sizes)
    assert len(said) == len(expected)
    assert all(part in sentence for part, sentence in zip(expected, said, strict=True))


def test_the_ill_bank_is_uneven(found):
    assert any("q2 (1)" in note for note in found.notes)


def test_the_released_dl19_bank_is_as_its_document_says(dl19):
    found = health(dl19, choose(dl19, Asked(bank="genq", tau=4)))
    counts = found.rows["findings"].str.split(", ").explode().value_counts()
    assert counts[["dead", "over-broad", "beside the point", "universal"]].tolist() == [60, 41, 22, 213]
    sums = found.queries[["relevant", "unreached", "not_relevant", "reached"]].sum()
    assert sums.tolist() == [2501, 609, 6759, 2633]
    assert found.pairs["both"].iloc[0] == 56
    assert len(found.seeds) == 609


def test_a_pair_of_two_facets_is_a_pair_of_the_page(random_world):
    bank = {("q0", name): Question("q0", name, "Who won it?", facet_id=name) for name in ("x", "y")}
    pairs = pairs_of(bank, gradebook(random_world, choose(random_world, Asked(**ASKED)).labelling), 2, 1)
    mine = pairs[pairs["by"] == WORDS]
    assert mine[["query_id", "question_id", "other_id"]].to_numpy().tolist() == [["q0", "x", "y"]]
