"""What boards say of themselves: how deep rankings are read, which queries runs leave unanswered, rounded means."""

import numpy as np
import pandas as pd
import pytest

from exam_core.analysis import caveats, references
from exam_core.analysis.choice import QuestionChoice
from exam_core.analysis.choosing import choose
from exam_core.analysis.comparison import Correlated, correlations_of, notes_of
from exam_core.analysis.figures import figures_of
from exam_core.analysis.leaderboard import leaderboard, standing, title
from exam_core.analysis.outliers import outliers
from exam_core.analysis.references import TruthInterval
from exam_core.analysis.scope import scope_of
from exam_core.measures import MEASURES, Measure
from exam_core.measures.gradebook import Counting
from exam_core.numbers.means import rounded_means
from exam_core.numbers.rank_correlations import Correlation
from exam_core.request import Request
from exam_core.tables import LEADERBOARDS, VITAL

from .worlds import held, question, store_of, table

QUERIES = [f"q{number}" for number in range(4)]
RUNS = ("full", "other", "short", "third")
SHORT = "short answers 1 of 4 graded queries: the other 3 count 0 (--missing skip leaves them out)."


@pytest.fixture(scope="module")
def short_run(tmp_path_factory):
    """Four graded queries, of which the run `short` answers one; rankings go down to place 3."""
    rows = [
        (run, query, f"d{(place + shift) % 3}", place, place, 9.0 - place, False)
        for shift, run in enumerate(RUNS)
        for query in (QUERIES[:1] if run == "short" else QUERIES)
        for place in (1, 2, 3)
    ]
    asked = [question(f"{query}/{n}", query, "genq", weight=float(n)) for query in QUERIES for n in (1, 3)]
    # Of the questions of weight 3, q0's alone is answered.
    graded = [("rater", f"{query}/1", query, f"d{n}", 5 - n) for query in QUERIES for n in range(3)]
    graded += [("rater", f"{query}/3", query, "d0", 5 if query == "q0" else 0) for query in QUERIES]
    frames = {
        "questions": asked,
        "grades": graded,
        "rankings": rows,
        "judgments": [("official", query, "d0", 2) for query in QUERIES],
        "leaderboards": [("official", run, float(n)) for n, run in enumerate(RUNS, 1)],
    }
    yield from held(tmp_path_factory.mktemp("short"), frames)


def chosen(snapshot, measure="P@2", **options):
    return choose(snapshot, Request(measure=measure, **({"tau": 3} | options)))


def test_a_board_where_every_run_answers_every_query_has_no_such_note(short_run):
    assert scope_of(short_run, chosen(short_run)).about_unanswered(("full", "other")) == []


def test_where_missing_queries_are_skipped_the_note_says_what_the_mean_is_over(short_run):
    notes = leaderboard(short_run, chosen(short_run, missing="skip")).notes
    expected = (
        "short answers 1 of 4 graded queries: its mean is over this one alone (--missing zero counts the others as 0)."
    )
    assert expected in notes


def test_a_run_that_leaves_out_one_query_is_named_in_the_singular(tmp_path):
    rows = [(run, query, "d", 1, 1, 1.0, False) for run in ("a", "b") for query in ("q0", "q1") if run + query != "bq1"]
    graded = [("labels", None, query, "d", 1) for query in ("q0", "q1")]
    snapshot = store_of(tmp_path, {"grades": graded, "rankings": rows})
    notes = scope_of(snapshot, choose(snapshot, Request(measure="P@1"))).about_unanswered()
    assert notes == ["b answers 1 of 2 graded queries: the other one counts 0 (--missing skip leaves it out)."]


def test_of_judgments_the_note_speaks_of_judged_queries(short_run):
    notes = leaderboard(short_run, choose(short_run, Request(measure="P@2", judgments="official"))).notes
    assert any(note.startswith("short answers 1 of 4 judged queries") for note in notes)


def test_the_first_five_of_many_short_runs_are_named_the_shortest_first(tmp_path):
    runs = [(f"r{n}", n) for n in range(1, 8)]
    rows = [(run, f"q{q}", "d", 1, 1, 1.0, False) for run, n in runs for q in range(n)]
    graded = [("labels", None, f"q{q}", "d", 1) for q in range(7)]
    snapshot = store_of(tmp_path, {"grades": graded, "rankings": rows})
    (note,) = scope_of(snapshot, choose(snapshot, Request(measure="P@1"))).about_unanswered()
    assert note.startswith(
        "6 runs answer fewer than the 7 graded queries: r1 answers 1, r2 answers 2, r3 answers 3, r4 answers 4, "
        "r5 answers 5 and 1 more. Queries that a run does not answer count 0"
    )


@pytest.mark.parametrize(
    "analysis",
    [
        leaderboard,
        lambda snapshot, choice: correlations_of(snapshot, [choice])[0],
        lambda snapshot, choice: outliers(snapshot, [choice], draws=3),
        lambda snapshot, _: figures_of(snapshot).compare(["rater"], Request("P@2", "genq", tau=3)),
    ],
    ids="leaderboard correlate outliers comparison".split(),
)
def test_whatever_is_made_with_such_a_run_says_so_once(short_run, analysis):
    assert analysis(short_run, chosen(short_run)).notes.count(SHORT) == 1


def test_a_correlation_without_the_short_run_does_not_mention_it(tmp_path, short_run):
    frames = {name: short_run.frame(name) for name in ("questions", "grades", "rankings")}
    ranks = table(LEADERBOARDS, [("official", run, float(n)) for n, run in enumerate(("full", "other"), 1)])
    snapshot = store_of(tmp_path, frames | {"leaderboards": ranks})
    (correlation,) = correlations_of(snapshot, [chosen(snapshot)])
    assert not any("short answers" in note for note in correlation.notes)


def test_the_scores_of_the_page_count_unanswered_queries_only_where_there_are_some(short_run):
    rows = standing(short_run, chosen(short_run), draws=3).set_index("run_id")
    assert rows["unanswered"].to_dict() == {"full": 0, "other": 0, "short": 3, "third": 0}
    of_q0 = QuestionChoice(frozenset(f"{query}/{n}" for query in QUERIES[1:] for n in (1, 3)))  # every run answers it
    assert standing(short_run, chosen(short_run).labelled(asking=of_q0), draws=3)["unanswered"].isna().all()


@pytest.mark.parametrize(
    "name", [name for name, info in MEASURES.items() if info.cut != "needed" and info.of != "scores"]
)
def test_a_measure_without_an_at_is_headed_by_how_much_is_read(name):
    shown = [Measure(name).heading(depth) for depth in (20, None)]
    assert shown == [f"{name} (first 20)", name]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, "genq AP (first 20) tau=3"),
        ({"depth": 2}, "genq AP (first 2) tau=3"),
        ({"depth": None}, "genq AP tau=3 depth all"),
        ({"measure": "AP@2", "depth": 3}, "genq AP@2 tau=3 depth 3"),
        ({"judgments": "official"}, "official judgments AP (first 20) relevant from 2"),
    ],
    ids=["default", "depth 2", "all", "at", "judgments"],
)
def test_the_title_of_a_board_says_its_depth_once(short_run, options, expected):
    assert title(chosen(short_run, **({"measure": "AP"} | options))) == expected


@pytest.mark.parametrize("order", ["score", "rank"])
def test_a_note_names_depth_all_where_rankings_go_deeper(short_run, order):
    expected = "AP reads the first 2 passages of each ranking; rankings here go down to rank 3. A depth of all reads "
    assert f"{expected}whole rankings." in leaderboard(short_run, chosen(short_run, "AP", depth=2, order=order)).notes


@pytest.mark.parametrize(("measure", "depth"), [("AP", 3), ("AP", None), ("AP@2", 2), ("P@2", 2)])
def test_there_is_no_such_note_where_nothing_is_cut_or_the_measure_says_it(short_run, measure, depth):
    assert caveats.about_depth(short_run, chosen(short_run, measure, depth=depth)) == []


def test_a_computed_reference_says_how_much_it_reads(short_run):
    (correlation,) = correlations_of(short_run, [chosen(short_run, depth=2, reference="qrels:AP")])
    assert any(note.startswith("qrels:AP: AP reads the first 2 passages") for note in correlation.notes)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # q0 answers both of its questions, the others the one of weight 1 and not that of weight 3.
        ("Cover@2", (1 + 3 * 1 / 2) / 4),
        ("wCover@2", (1 + 3 * 1 / 4) / 4),
        ("nCover@2", 1),
        ("StRecall@2", 1),
    ],
)
def test_all_passages_together_are_worth_what_the_measure_itself_says(short_run, measure, expected):
    board = leaderboard(short_run, chosen(short_run, measure))
    assert (board.overall[0], board.overall_heading) == (pytest.approx(expected), measure.split("@")[0])


@pytest.mark.parametrize("measure", ["alpha_nDCG@2", "ERR_IA@2"])
def test_a_measure_of_an_order_has_no_value_of_all_passages_together(short_run, measure):
    assert leaderboard(short_run, chosen(short_run, measure)).overall is None


def test_where_nothing_can_be_answered_all_passages_together_have_no_ncover(short_run):
    weightless = [Counting("q0", f"q0/{n}", enabled=True, weight=0.0, importance=VITAL) for n in (1, 3)]
    choice = chosen(short_run, "wCover@2").labelled(asking=QuestionChoice(counting=tuple(weightless)))
    assert leaderboard(short_run, choice).overall[0] == pytest.approx((0 + 3 * 1 / 4) / 4)


def test_what_nobody_judged_is_called_unjudged(short_run):
    boards = [leaderboard(short_run, choice) for choice in (chosen(short_run), chosen(short_run, judgments="official"))]
    assert [board.ungraded_heading for board in boards] == ["Ungraded", "Unjudged"]


@pytest.mark.parametrize("mean", [0.12345, 0.00005, 0.03125, 0.15625, 0.999949999, 1.0, 0.0, 0.34565, np.nan])
def test_means_are_rounded_as_c_prints_them(mean):
    np.testing.assert_array_equal(rounded_means(np.array([mean])), [float("%.4f" % mean)])  # noqa: UP031


def test_a_mean_that_multiplying_would_round_up_is_rounded_down():
    # 0.00015 is a little below half way: times 10,000 it is exactly 1.5.
    halves = [n * 1e-5 + 5e-5 for n in range(0, 9990, 10)]
    mean = next(half for half in halves if np.round(half, 4) != round(half, 4))
    assert rounded_means(np.array([mean]))[0] == round(mean, 4) != np.round(mean, 4)


@pytest.fixture
def nearly_tied(short_run, monkeypatch):
    """The short world, where `full` and `other` are less than 0.0001 apart."""
    near = np.array([[0.50001] * 4, [0.50002] * 4, [0.1] * 4, [0.2] * 4])
    for module in ("leaderboard", "values"):
        monkeypatch.setattr(f"exam_core.analysis.{module}.query_values", lambda *_: near)
    return short_run


def test_rounded_means_tie_and_the_board_shows_them(nearly_tied):
    boards = [leaderboard(nearly_tied, chosen(nearly_tied, rounded=rule)) for rule in ("none", "trec_eval")]
    ranks = [dict(zip(board.rows["run_id"], board.rows["rank"], strict=True)) for board in boards]
    assert ranks == [
        {"other": 1, "full": 2, "third": 3, "short": 4},
        {"full": 1.5, "other": 1.5, "third": 3, "short": 4},
    ]
    assert boards[1].rows["mean"].tolist() == [0.5, 0.5, 0.2, 0.1]
    assert (boards[1].rules["rounded"], boards[1].title) == ("trec_eval", "genq P@2 tau=3 means rounded to 4 decimals")


def test_rounded_means_are_correlated_with_the_same_intervals(nearly_tied):
    choices = [chosen(nearly_tied, rounded=rule) for rule in ("none", "trec_eval")]
    plain, rounded = (correlations_of(nearly_tied, [choice])[0] for choice in choices)
    actual = [round(one.correlation.kendall, 3) for one in (plain, rounded)]
    assert (actual, plain.intervals == rounded.intervals) == ([0.333, 0.548], True)


def test_a_computed_reference_is_rounded_along(nearly_tied):
    choice = chosen(nearly_tied, rounded="trec_eval")
    assert references.find_reference(nearly_tied, "grades:P@2:tau=1", choice).scores.tolist() == [0.5, 0.5, 0.1, 0.2]


def test_a_stored_reference_stays_as_it_is(tmp_path, short_run):
    frames = {name: short_run.frame(name) for name in ("questions", "grades", "rankings")}
    official = pd.DataFrame({"leaderboard_id": "official", "run_id": RUNS, "rank": [1.0, 2, 3, 4]})
    official = LEADERBOARDS.frame(official.assign(score=[0.40001, 0.4, 0.3, 0.2]).to_dict("list"))
    snapshot = store_of(tmp_path, frames | {"leaderboards": official})
    reference = references.find_reference(snapshot, "official", chosen(snapshot, rounded="trec_eval"))
    assert reference.scores["full"] == 0.40001


def test_a_board_on_some_of_the_judged_queries_says_so(tmp_path):
    runs = [("a", query, "d", 1, 1, 2.0, False) for query in ("q1", "q2", "q3")]
    frames = {
        "rankings": runs,
        "judgments": [("official", query, "d", 2) for query in ("q1", "q2")],
        "grades": [("rater", "q1/1", "q1", "d", 5)],
        "questions": [question("q1/1", "q1", "genq")],
    }
    snapshot = store_of(tmp_path, frames)
    graded, judged = (choose(snapshot, Request("P@5", judgments=name)) for name in (None, "official"))
    assert caveats.about_few(snapshot, graded) == [
        "Only 1 of 2 queries count here: q2 has no question that is on and has a readable grade."
    ]
    assert caveats.about_few(snapshot, judged) == []
    assert [caveats.few_queries(snapshot, one) for one in (graded, judged)] == [(1, 2), None]


def test_intervals_that_say_next_to_nothing_are_named_in_one_note():
    wide, alone = {"rbo": TruthInterval(0.2, 0.5, 0.9)}, "Too few queries to say anything about RBO [0.20, 0.90]."
    of_board = Correlation(0.5, 0.5, 9, rbo=0.8)
    correlated = [Correlated(name, "official", of_board, wide, ["x", alone]) for name in ("a", "b")]
    assert notes_of(correlated[:1]) == ["x", alone]
    assert notes_of(correlated) == [
        "x",
        "Too few queries to say anything about RBO of a [0.20, 0.90], RBO of b [0.20, 0.90].",
    ]
