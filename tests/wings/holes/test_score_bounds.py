"""Holes and bounds: every way to fill the holes of small rankings, tried out."""

import random
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from thoroughly import thoroughly

from exam_core.analysis.choosing import choose
from exam_core.analysis.contents import hole_shares
from exam_core.analysis.values import gradebook, query_values
from exam_core.measures import OF_GRADES, Measure
from exam_core.measures.sweep import sweep
from exam_core.request import Request
from exam_core.tables import GRADES, JUDGMENTS, QUESTIONS, RANKINGS
from exam_core.wings.holes.score_bounds import NOT_REACHED, holes
from tests.analysis.test_caveats import SHORT, chosen
from tests.analysis.test_caveats import short_run as short_run
from tests.analysis.test_misfits import both as both
from tests.analysis.test_unreadable import asking
from tests.analysis.test_unreadable import nothing as nothing
from tests.analysis.worlds import store_of, table
from tests.cli.test_analysis_commands import OUTLIERS as QUESTION

GRADED, HOLES = ("a", "b", "c", "d"), ("x", "y")
QUESTION_IDS = ("q/1", "q/2")
ALL = [Measure.at(info.name, 4) for info in OF_GRADES.values()]


def small(path, seed, *, filled):
    """One query, two questions, two rankings of up to six passages, two of which have no grade unless filled."""
    rng = random.Random(seed)
    graded = {(doc, name): rng.choice((0, 1, 3, 5)) for doc in GRADED for name in QUESTION_IDS}
    rankings = [
        (run, "q", doc, place, place, -float(place), False)
        for run in ("first", "second")
        for place, doc in enumerate(rng.sample([*GRADED, *HOLES], rng.randint(3, 6)), 1)
    ]
    if filled:
        graded |= {(doc, name): 0 for doc in HOLES for name in QUESTION_IDS}
    return store_of(
        path,
        {
            "questions": table(
                QUESTIONS, [("b", 1, name, "q", None, None, None, None, 1.0, True) for name in QUESTION_IDS]
            ),
            "grades": table(GRADES, [("rater", name, "q", doc, grade) for (doc, name), grade in graded.items()]),
            "rankings": table(RANKINGS, rankings),
        },
    )


@pytest.fixture(scope="module", params=[0, *thoroughly(1, 2, 3)])
def pair(request, tmp_path_factory):
    """The same rankings with holes and with grades for everything."""
    return [small(tmp_path_factory.mktemp("small"), request.param, filled=filled) for filled in (False, True)]


def best_of_all_fillings(snapshot, choice):
    """(R,) the best value that any grades of a run's own holes give; nDCG may prefer a grade between."""
    book = gradebook(snapshot, choice.labelling)
    docs = np.asarray(book.docs, object)
    rows = [int(np.flatnonzero(docs == doc)[0]) for doc in HOLES]
    not_its_own = np.array([[row not in book.slots[:, run, 0] for row in rows] for run in range(len(book.run_ids))])
    best = np.full(len(book.run_ids), -np.inf)
    for grades in product((0, 1, 5), repeat=len(HOLES) * len(QUESTION_IDS)):
        filling = np.array(grades).reshape(len(HOLES), len(QUESTION_IDS))
        changed = book.grades.copy()
        changed[rows] = filling
        values = sweep(
            replace(book, grades=changed), [choice.measure], taus=(choice.cut,), label_rank=choice.labelling.label_rank
        )
        allowed = ~(not_its_own & filling.any(axis=1)).any(axis=1)
        best = np.where(allowed, np.fmax(best, values[0, 0, :, 0]), best)
    return best


@pytest.mark.parametrize("measure", ALL, ids=str)
@pytest.mark.parametrize("label_rank", [1, 2])
def test_no_filling_exceeds_the_upper_bound_and_one_reaches_it_where_it_is_exact(pair, measure, label_rank):
    with_holes, filled = pair
    choices = [choose(one, Request(measure=str(measure), tau=3, label_rank=label_rank, depth=4)) for one in pair]
    best = best_of_all_fillings(filled, choices[1])
    found = holes(with_holes, choices[0], [4])
    assert found.exact == (measure.info.filled not in NOT_REACHED)
    upper = found.rows["upper"].to_numpy()
    if found.exact:
        assert upper == pytest.approx(best)
    else:
        assert (upper >= best - 1e-9).all()


@pytest.mark.parametrize("measure", ALL, ids=str)
def test_bounds_lie_in_order(random_world, measure):
    choice = choose(random_world, Request(measure=str(measure), grader="rater", tau=3))
    rows = holes(random_world, choice, [1, 4, 20]).rows
    assert (rows["lower"] <= rows["upper"] + 1e-12).all()
    assert (rows["range"] - (rows["upper"] - rows["lower"])).abs().max() < 1e-12


@pytest.mark.parametrize("options", [{}, {"order": "rank"}, {"missing": "skip"}, {"ncover_pool": "ranked"}], ids=str)
@pytest.mark.parametrize("measure", ["Cover@5", "nCover@5", "P@5", "AP"])
def test_the_lower_bound_is_the_leaderboard_with_0_for_what_rests_on_unreadable_answers(random_world, measure, options):
    choice = choose(random_world, Request(measure=measure, grader="rater", tau=2, **options))
    rows = holes(random_world, choice, [choice.measure.depth or choice.labelling.depth]).rows
    book, skips = gradebook(random_world, choice.labelling), choice.missing == "skip"
    counted = book.enabled.any(axis=1) & ((book.returned > 0) | (not skips))
    values = np.where(counted, np.nan_to_num(query_values(random_world, choice)), 0)
    assert rows["n_queries"].tolist() == counted.sum(axis=1).tolist()
    assert rows["lower"].tolist() == pytest.approx(values.sum(axis=1) / counted.sum(axis=1), nan_ok=True)


def test_without_holes_there_is_nothing_to_gain(pair):
    rows = holes(pair[1], choose(pair[1], Request(measure="AP", tau=3))).rows
    assert rows[["holes", "range"]].to_numpy().max() == 0


@pytest.fixture
def cut_run(tmp_path):
    """One run, two questions: a passage without a grade, one whose grades can't be read, and two left out."""
    # Source ranks 1, 2, 3, 5: place 4 was left out, and the file is cut, so that place 6 of six is missing too.
    ranked = [("r", "q", doc, place, source, -float(place), True)
              for place, (doc, source) in enumerate([("a", 1), ("hole", 2), ("odd", 3), ("b", 5)], 1)]  # fmt: skip
    grades = {"a": (5, 0), "b": (0, 0), "odd": (None, None)}
    return store_of(
        tmp_path,
        {
            "questions": table(QUESTIONS, [("b", 1, f"q/{n}", "q", None, None, None, None, 1.0, True) for n in (1, 2)]),
            "grades": table(
                GRADES, [("rater", f"q/{n}", "q", doc, both[n - 1]) for doc, both in grades.items() for n in (1, 2)]
            ),
            "rankings": table(RANKINGS, ranked),
            "judgments": table(JUDGMENTS, [("official", "q", "a", 3), ("official", "q", "hole", 0)]),
        },
    )


@pytest.mark.parametrize(
    ("depth", "expected"), [(1, (0, 0, 0, 0)), (2, (1, 0, 0, 0)), (4, (1, 0, 1, 2)), (6, (1, 2, 1, 2))]
)
def test_kinds_of_holes_by_hand(cut_run, depth, expected):
    row = holes(cut_run, choose(cut_run, Request(measure="P@6", depth=6)), [depth]).rows.iloc[0]
    kinds = [row[name] * depth for name in ("ungraded", "left_out", "unreadable", "unjudged")]
    assert kinds == pytest.approx(expected)
    assert row["holes"] * depth == pytest.approx(sum(expected[:3]))


def test_bounds_by_hand_of_holes_that_may_answer_everything_or_be_worse(cut_run):
    # One of six places holds a relevant passage, one does not, four are holes.
    row = holes(cut_run, choose(cut_run, Request(measure="P@6", depth=6)), [6]).rows.iloc[0]
    assert (row["lower"], row["upper"]) == pytest.approx((1 / 6, 5 / 6))
    rows = holes(cut_run, choose(cut_run, Request(measure="Cover@6", depth=6)), [1, 2]).rows
    assert rows[["lower", "upper"]].to_numpy().tolist() == [[0.5, 0.5], [0.5, 1.0]]
    # R-precision of one relevant passage, at place 1, is 1; any relevant hole makes it share that place.
    row = holes(cut_run, choose(cut_run, Request(measure="Rprec", depth=6)), [6]).rows.iloc[0]
    assert (row["lower"], row["upper"]) == (1, 1)


@pytest.mark.parametrize(("measure", "depth", "depths"), [("P@6", 12, [1, 5, 6, 10]), ("AP", None, [1, 4])])
def test_depths_are_the_usual_ones_and_the_measures_own_and_uncut_rankings_are_read_to_their_end(
    cut_run, measure, depth, depths
):
    assert holes(cut_run, choose(cut_run, Request(measure=measure, depth=depth))).rows["depth"].tolist() == depths


def test_without_judgments_what_is_unjudged_is_undefined(pair):
    found = holes(pair[0], choose(pair[0], Request(measure="P@4")))
    assert found.rows["unjudged"].isna().all()
    assert any("no human judgments" in note for note in found.notes)


def test_unjudged_passages_are_counted_as_a_loop_counts_them(random_world):
    choice = choose(random_world, Request(measure="P@5", grader="rater"))
    book = gradebook(random_world, choice.labelling)
    judged = {(row.query_id, row.doc_id) for row in random_world.frame("judgments").itertuples()}
    found = holes(random_world, choice, [5]).rows.set_index("run_id")
    rows = random_world.frame("rankings")
    asked = [query for query, enabled in zip(book.query_ids, book.enabled, strict=True) if enabled.any()]
    for run in book.run_ids:
        mine = rows[(rows["run_id"] == run) & rows["query_id"].isin(asked) & (rows["rank"] <= 5)]
        n = sum(
            (row.query_id, row.doc_id) not in judged and (row.query_id.rpartition("/")[0], row.doc_id) not in judged
            for row in mine.itertuples()
        )
        filled = len(mine) / (1 - found["left_out"][run])
        assert found["unjudged"][run] == pytest.approx(n / filled)
        assert found["empty"][run] == pytest.approx(1 - filled / 5 / len(asked))


def test_grades_go_no_higher_than_the_graders_scale(plain_world):
    # Labels of this grader end at 2: no filling reaches 3.
    rows = holes(plain_world, choose(plain_world, Request(measure="P@5", grader="labels", tau=3))).rows
    assert rows["upper"].max() == 0


def test_the_places_that_dl19s_file_left_out_are_all_found(dl19):
    rows = holes(dl19, choose(dl19, Request(measure="Cover@20", bank="genq", tau=3)), [20]).rows
    assert round((rows["left_out"] * 20 * 43).sum()) == 3649
    assert rows["ungraded"].max() == 0


OPEN = ("demo", "--bank", "open", "--tau", "3")
PUBLISHED = ["car-y3-published", *thoroughly("dl19-published", "dl20-published")]


def test_holes_are_shown_at_the_depths_asked_for(told):
    found = told("holes", *OPEN, "--depths", "2,10", "--grader", "lexical.pourpre-idf")
    assert {*QUESTION, "rows", "notes"} <= set(found)
    assert (found["bank"], found["grader"], found["tau"]) == ("open", "lexical.pourpre-idf", 3)
    assert (found["depths"], found["bound"], found["judged_by"]) == ([2, 10], "exact", "official")
    assert {row["depth"] for row in found["rows"]} == {2, 10}


@pytest.mark.parametrize("collection", PUBLISHED)
def test_printed_boards_have_no_holes_and_say_why(told, collection):
    found = told("holes", collection)
    assert found["rows"] == []
    assert "without rankings there are no passages to grade" in found["notes"][0]


MEASURED = [str(Measure.at(info.name, 5)) for info in OF_GRADES.values()]


def test_holes_count_unanswered_queries_beside_the_holes(short_run):
    found = holes(short_run, chosen(short_run))
    counted = found.rows.groupby("run_id")["unanswered"].max()
    assert (counted.to_dict(), SHORT in found.notes) == ({"full": 0, "other": 0, "short": 3, "third": 0}, True)


def test_a_run_with_none_of_the_queries_has_no_holes_and_no_bounds(both):
    rows = holes(both, choose(both, Request(measure="P@2", judgments="official"))).rows
    strange = rows[rows["run_id"] == "strange"]
    assert strange[["holes", "lower", "upper", "range", "unjudged"]].isna().all(axis=None)


@pytest.mark.parametrize("measure", MEASURED)
@pytest.mark.parametrize("missing", ["zero", "skip"])
def test_shares_of_holes_are_those_of_the_analysis_of_holes(random_world, measure, missing):
    choice = choose(random_world, Request(measure=measure, bank="genq", grader="rater", tau=3, depth=7))
    choice = replace(choice, missing=missing)
    found = holes(random_world, choice, [Measure.parse(measure).depth or 7]).rows.set_index("run_id")["holes"]
    pd.testing.assert_series_equal(hole_shares(random_world, choice), found, check_names=False)


def test_of_a_grader_of_which_nothing_can_be_read_every_passage_is_a_hole_because_it_is_unreadable(nothing):
    rows = holes(nothing, asking(nothing), [1]).rows.set_index("run_id")
    # lost returned nothing for one of three queries.
    assert rows[["unreadable", "empty"]].loc["lost"].tolist() == pytest.approx([1, 1 / 3])
    assert (rows["unreadable"] == 1).all()
    assert rows["holes"].equals(rows["unreadable"])
    assert (rows["ungraded"].max(), rows["n_queries"].min(), rows["lower"].max()) == (0, 3, 0)
