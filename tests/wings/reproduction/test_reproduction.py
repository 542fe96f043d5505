"""Reproduction: printed figures beside ours, on the published collections and on the real DL19 grades."""

import functools

import numpy as np
import pandas as pd
import pytest

from exam_core.analysis.choosing import choose
from exam_core.analysis.figures import figures_of
from exam_core.analysis.leaderboard import leaderboard
from exam_core.errors import UsageError
from exam_core.printed import COLLECTIONS, PUBLISHED, known_collection, table
from exam_core.request import Request
from exam_core.wings.reproduction.printed import figures
from exam_core.wings.reproduction.reproduction import DIFFERS, EQUAL, OTHERWISE, ROWS, VERDICTS, reproduction
from tests.analysis.twins import agreement_of
from tests.analysis.worlds import held, store_of

KEYS = {"car-y3-published": "car_y3", "dl19-published": "dl19", "dl20-published": "dl20"}


@pytest.fixture(scope="module")
def real(dl19):
    return reproduction(dl19)


@pytest.fixture(scope="module")
def published(printed_store):
    return functools.cache(lambda collection: reproduction(printed_store.snapshot(collection)))


@pytest.fixture(scope="module")
def car(published):
    return published("car-y3-published")


def row(found, figure):
    return found.rows.set_index("figure").loc[figure]


@pytest.mark.parametrize(("collection", "key"), KEYS.items())
def test_a_published_collection_is_recognised_and_its_coefficients_are_those_of_the_printed_rows(
    printed_store, published, collection, key
):
    found = published(collection)
    assert found.known_as == key
    for one in figures_of(printed_store.snapshot(collection)).correlations(Request(reference="official")):
        rows = found.rows[found.rows["figure"] == f"{one.leaderboard} with the official ranks: Spearman"]
        assert set(rows["ours"]) == {one.correlation.spearman}


@pytest.mark.parametrize("collection", ["dl19", *KEYS])
def test_what_differs_has_a_reason_with_a_source(request, published, collection):
    rows = (request.getfixturevalue("real") if collection == "dl19" else published(collection)).rows
    equal = rows["verdict"] == EQUAL
    assert not (rows[~equal][["reason", "source"]] == "").to_numpy().any()
    assert set(rows["reason"][equal]) <= {""}


def test_the_real_grades_are_recognised_under_any_name_and_what_is_not_loaded_is_counted_and_named(dl19_without_ranks):
    found = reproduction(dl19_without_ranks)
    assert (found.collection, found.known_as, found.basis) == ("world", "dl19", "grades")
    assert any("need the official leaderboard" in note for note in found.notes)
    assert not found.rows["figure"].str.contains("official ranks").any()


def test_runs_of_nobody_are_not_recognised(plain_world):
    found = reproduction(plain_world)
    assert (found.known_as, len(found.rows), list(found.rows.columns)) == (None, 0, ROWS.names)


def test_a_part_of_the_runs_is_recognised_and_a_few_common_names_or_mostly_other_runs_are_not():
    some = set(table("official_dl19")["system"][:6])
    assert known_collection(some) == "dl19"
    strangers = {f"mine-{number}" for number in range(20)}
    for systems in (set(), {"1", "2"}, {"bm25", "dense", "other", "x", "y"}, some | strangers):
        assert known_collection(systems) is None


def test_cover_of_the_real_grades_is_that_of_the_leaderboard(dl19, real):
    board = leaderboard(dl19, choose(dl19, Request(measure="Cover@20", bank="genq", tau=3))).rows.set_index("run_id")[
        "mean"
    ]
    cells = real.rows[real.rows["figure"].str.match(r"genq Cover@20 of (?!all)")]
    runs = cells["figure"].str.removeprefix("genq Cover@20 of ")
    assert np.array_equal(cells["ours"].to_numpy(), board[runs].to_numpy())


def test_the_table_of_dl19_is_there_seven_cells_of_cover_come_out_and_no_other_is_more(real):
    printed = table("exam_dl19_leaderboard").set_index("system")["exam_cover"]
    cells = real.rows[real.rows["about"] == "genq Cover@20"].set_index("figure")["printed"]
    assert cells["genq Cover@20 of TUW19-p3-f"] == printed["TUW19-p3-f"]
    cells = real.rows[real.rows["figure"].str.startswith("genq Cover@20 of ")]
    equal = cells["verdict"] == OTHERWISE
    # The released ratings lack passages: Cover can only be lower.
    assert (int(equal.sum()), bool((cells["difference"][~equal] < 0).all())) == (7, True)
    overall = row(real, "genq Cover@20 of all graded passages together")
    assert (round(overall["ours"], 3), overall["verdict"]) == (0.893, DIFFERS)


@pytest.mark.parametrize("mode", ["lenient", "strict"])
def test_the_agreement_tables_of_dl19_come_out_by_the_second_best_grade_alone(dl19, real, mode):
    rows = real.rows[real.rows["about"] == f"genq {mode}"]
    tau = {"lenient": 1, "strict": 4}[mode]
    by_the_paper = agreement_of(dl19, choose(dl19, Request(measure="P@1", bank="genq", tau=tau)), relevant_from=2)
    kappas = rows[rows["figure"].str.endswith("kappa")]
    assert set(rows["verdict"]) == {OTHERWISE}
    assert kappas["by_stated_rule"].tolist() == [by_the_paper.kappa] * 2


def test_the_correlations_of_dl19_are_those_of_the_leaderboard(dl19, real):
    board = leaderboard(dl19, choose(dl19, Request(measure="Cover@20", bank="genq", tau=3, reference="official")))
    assert row(real, "genq Cover@20 with the official ranks: Spearman")["ours"] == board.correlation.spearman
    assert row(real, "genq Cover@20 with the official ranks: Kendall")["verdict"] == OTHERWISE


@pytest.mark.parametrize(
    ("figure", "ours"),
    [("number of queries", 43), ("number of graded passages", 9260), ("number of questions per query", 10)],
)
def test_the_size_of_dl19_is_as_printed(real, figure, ours):
    assert (row(real, figure)["ours"], row(real, figure)["verdict"]) == (ours, EQUAL)


@pytest.mark.parametrize("mode", ["Sun", "FagB", "Thomas"])
def test_other_graders_are_compared_by_their_labels(dl19, real, mode):
    found = agreement_of(dl19, choose(dl19, Request(measure="P@1", grader=mode, tau=1)), relevant_from=2)
    assert row(real, f"{mode}: Cohen's kappa")["ours"] == found.kappa


@pytest.mark.parametrize("figure", ["Spearman", "Kendall"])
@pytest.mark.parametrize("column", ["tqa Cover@20 verified answers", "genq Cover@20 tau=4", "genq P@20 tau=4"])
def test_every_exam_correlation_of_car_comes_out(car, column, figure):
    rows = car.rows[car.rows["figure"] == f"{column} with the official ranks: {figure}"]
    assert set(rows["verdict"]) == {EQUAL}


def test_the_2x2_tables_of_car_follow_from_its_graded_table_and_of_two_kappas_the_lower_is_right(car):
    counts = car.rows[car.rows["figure"].str.match("genq (lenient|strict): labelled")]
    assert (len(counts), set(counts["verdict"])) == (8, {EQUAL})
    upper, lower = (row(car, f"genq strict, row {labels}: Cohen's kappa") for labels in ("4+5", "0+1+2+3"))
    assert (upper["verdict"], lower["verdict"], upper["ours"]) == (DIFFERS, EQUAL, lower["ours"])


def test_a_verdict_is_that_of_rounding_to_the_printed_digits_and_the_summary_counts_each_once(real):
    rows = real.rows[real.rows["printed"].str.contains(".", regex=False)]
    digits = rows["printed"].str.partition(".")[2].str.len()
    # Half way between two is too rare to occur here.
    rounded = [f"{ours:.{places}f}" for ours, places in zip(rows["ours"], digits, strict=True)]
    assert ((rows["printed"] == rounded) == rows["verdict"].isin([EQUAL, OTHERWISE])).all()
    assert int(real.summary[list(VERDICTS)].to_numpy().sum()) == len(real.rows) == int(real.summary["figures"].sum())


@pytest.fixture
def printed_after_rounding(dl19, monkeypatch):
    """The reproduction of one coefficient that was printed with three digits, from means of four decimals."""
    known = figures()
    one = known[(known["subject"] == "sun") & (known["statistic"] == "kendall") & (known["collection"] == "dl19")]
    choices = [
        choose(dl19, Request(measure="AP", grader="FagB", tau=1, rounded=rule)) for rule in ("none", "trec_eval")
    ]
    plain, rounded = (leaderboard(dl19, choice).correlation.kendall for choice in choices)
    one = one.assign(measure="AP", grading="FagB", printed=f"{rounded:.3f}")
    monkeypatch.setattr("exam_core.wings.reproduction.reproduction.figures", lambda: one)
    return plain, rounded, reproduction(dl19)


def test_a_coefficient_that_follows_from_rounded_means_is_equal_by_another_rule(printed_after_rounding):
    plain, rounded, found = printed_after_rounding
    (mine,) = found.rows.to_dict("records")
    assert f"{plain:.3f}" != f"{rounded:.3f}"
    assert (mine["verdict"], mine["ours"], mine["by_stated_rule"]) == (OTHERWISE, rounded, plain)
    assert mine["setting"] == "tau = 1, 36 runs, means rounded to 4 decimals"
    assert mine["reason"].startswith("trec_eval prints means with 4 decimals.")
    assert "by another tau, label rank or rounding than the paper states" in found.sentence


def test_a_difference_is_ours_minus_printed_and_the_sentence_counts_what_is_equal(car):
    assert np.allclose(car.rows["difference"], car.rows["ours"] - car.rows["printed"].astype(float))
    equal = int((car.rows["verdict"] == EQUAL).sum())
    assert car.sentence.startswith(
        f"Of {len(car.rows)} printed figures: {equal} equal to the last digit, {len(car.rows) - equal} differ ("
    )


def test_the_largest_difference_comes_first_and_that_of_a_count_is_a_share_of_it(real):
    printed = real.rows["printed"].astype(float)
    is_count = ~real.rows["printed"].str.contains(".", regex=False)
    far = (real.rows["difference"].abs() / printed.where(is_count, 1.0)).tolist()
    assert far == sorted(far, reverse=True)
    assert is_count.any()
    assert real.rows["figure"][0] == "genq P@20 of bm25base_prf_p"


def test_grades_of_another_model_reproduce_nothing(dl19, tmp_path):
    """The same runs with a grader that the papers did not use."""
    grades = dl19.frame("grades")
    mine = grades[grades["grader_id"] == "Sun"].assign(grader_id="somebody")
    frames = {"rankings": dl19.frame("rankings"), "grades": mine}
    found = reproduction(store_of(tmp_path, frames, {"somebody": {"kind": "labels", "scale": 1}}))
    assert len(found.rows) == 0
    assert any("need grades by google/flan-t5-large" in note for note in found.notes)


def test_an_unknown_grader_is_refused(dl19):
    with pytest.raises(UsageError, match="no grader nobody"):
        reproduction(dl19, grader="nobody")


@pytest.fixture(scope="module")
def dl19_without_ranks(dl19, tmp_path_factory):
    names = ("rankings", "grades", "questions", "judgments", "queries")
    yield from held(tmp_path_factory.mktemp("rankless"), {name: dl19.frame(name) for name in names}, dl19.graders)


def test_every_figure_is_a_number_with_its_place_of_print():
    found = figures()
    assert pd.to_numeric(found["printed"]).notna().all()
    assert (found[["paper", "printed_in"]] != "").to_numpy().all()


@pytest.mark.parametrize("key", COLLECTIONS)
def test_every_printed_column_is_among_the_figures(key):
    board = table(f"exam_{key}_leaderboard")
    columns = [name for name in board.columns if "exam" in name]
    assert set(columns) <= set(figures()["subject"][figures()["collection"] == key])


@pytest.mark.parametrize("collection", KEYS)
def test_the_settings_name_leaderboards_that_there_are(printed_store, collection):
    settings = table("figure_settings")
    named = set(settings["leaderboard"][settings["collection"] == KEYS[collection]]) - {""}
    assert named <= set(printed_store.snapshot(collection).frame("leaderboards")["leaderboard_id"])


def test_every_reason_is_about_a_figure_that_there_is():
    found = figures()
    for reason in table("figure_reasons").to_dict("records"):
        named = {name: reason[name] for name in ("collection", "subject", "statistic") if reason[name]}
        matching = found[np.logical_and.reduce([found[name] == value for name, value in named.items()])]
        assert len(matching), reason


def test_the_facts_equal_the_transcript(shared_data):
    names = ("exam_correlations", "baselines_agreement", "exam_setup", "exam_text_claims", "exampp_table3")
    for name in names:
        assert (PUBLISHED / f"{name}.csv").read_bytes() == (shared_data / "published" / f"{name}.csv").read_bytes()
