"""What holds for every measure of the table. One of grades without a twin in `twins/` fails the first test.

That the order of the rows of a store does not matter is in `analysis/test_fast_path_equals_slow_twin.py`.
"""

import math
import subprocess
import sys
from dataclasses import replace
from itertools import cycle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exam_core import engine
from exam_core.engine import Engine
from exam_core.errors import UndefinedMeasure, UsageError
from exam_core.measures import MEASURES, OF_GRADES, Measure, table
from exam_core.measures import sweep as sweeping
from exam_core.measures.sweep import sweep
from exam_core.tables import UNGRADED

from .books import JUDGMENTS, book_of, gradebooks, random_book
from .slow import TWINS, slow_values

TAUS = (1, 2, 3, 4, 5)
ALL = sorted(OF_GRADES)
OF_QUESTIONS = sorted(name for name, info in MEASURES.items() if info.of == "questions")
OF_LABELS = sorted(name for name, info in MEASURES.items() if info.of == "labels")
ROUNDING = 1e-12
MANY = settings(max_examples=15, deadline=None, derandomize=True)
MORE = settings(MANY, max_examples=30)


ENGINES = (Engine(), Engine(workers=2), Engine(workers=4))


def compute(name, book, tau, depth=6, label_rank=1, **options):
    return sweep(book, [Measure.at(name, depth)], taus=(tau,), label_rank=label_rank, **options)[0, 0]


def test_every_measure_has_its_twin_written_down():
    assert set(TWINS) == set(OF_GRADES)


def test_the_table_has_the_order_that_the_rows_ask_for():
    cover, precision = replace(MEASURES["Cover"], order=7), replace(MEASURES["P"], order=3)
    judged = replace(MEASURES["Judged"], order=7)
    assert list(table([judged, cover, precision])) == ["P", "Cover", "Judged"]


def test_a_name_that_is_declared_twice_is_refused():
    with pytest.raises(ValueError, match="Two measures are named P"):
        table([MEASURES["P"], MEASURES["AP"], replace(MEASURES["R"], name="P")])


def test_the_table_loads_neither_ir_measures_nor_scipy():
    check = "import sys, exam_core.measures; print({'ir_measures', 'pandas', 'scipy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("name", sorted(MEASURES))
@pytest.mark.parametrize("field", ["meaning", "formula", "source"])
def test_every_measure_says_what_it_is(name, field):
    assert getattr(MEASURES[name], field)


@pytest.mark.parametrize("name", ALL)
def test_the_table_says_whether_tau_matters(name):
    assert MEASURES[name].tau_applies == TWINS[name].has_tau


def assert_equal_to_the_slow_twin(book, name, depths, **options):
    """All places of a measure at some depths have the slow twin's values."""
    measures = [Measure.at(name, depth) for depth in depths]
    slow = slow_values(book, measures, **options)
    np.testing.assert_allclose(sweep(book, measures, **options), slow, rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("name", ALL)
@given(book=gradebooks(), tau=st.sampled_from(TAUS), depth=st.integers(1, 8), label_rank=st.integers(1, 3))
@MORE
def test_values_are_those_of_the_slow_twin(name, book, tau, depth, label_rank):
    assert_equal_to_the_slow_twin(book, name, [depth], taus=(tau,), label_rank=label_rank)


@pytest.mark.parametrize("name", OF_LABELS)
@given(book=gradebooks(direct=True), tau=st.integers(1, 127), depth=st.integers(1, 8))
@MORE
def test_values_of_whole_passages_labels_are_those_of_the_slow_twin(name, book, tau, depth):
    assert_equal_to_the_slow_twin(book, name, [depth], taus=(tau,))


# Questions share a machine word up to 10 of them (six levels), stand one level a word up to 64, and then in parts.
# Places stand in chunks of ten.
LARGE = {
    "10 questions, 10 places": {"width": 10, "places": 10},
    "13 questions, 11 places": {"width": 13, "places": 11},
    "33 questions, 65 places": {"width": 33, "places": 65},
    "64 questions, 20 places": {"width": 64, "places": 20},
    "65 questions, 21 places": {"width": 65, "places": 21},
    "130 questions, 129 places": {"width": 130, "places": 129},
    "300 questions, 5 places": {"width": 300, "places": 5},
}
LARGE_LABELS = {"7 places": {"places": 7}, "10 places": {"places": 10}, "129 places": {"places": 129}}


# Every shape with one label rank, and by turns with either; make test-all has both.
SHAPES_AND_RANKS = [
    pytest.param(shape, rank, id=f"{name}, rank {rank}", marks=() if rank == usual else pytest.mark.thorough)
    for (name, shape), usual in zip(LARGE.items(), cycle((1, 3)), strict=False)
    for rank in (1, 3)
]


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(("shape", "label_rank"), SHAPES_AND_RANKS)
def test_many_questions_and_deep_rankings_give_the_values_of_the_slow_twin(name, shape, label_rank):
    book = random_book(np.random.default_rng(shape["width"]), queries=2, passages=shape["places"] + 20, **shape)
    depths = (1, 10, 20, shape["places"], 1000)
    assert_equal_to_the_slow_twin(book, name, depths, taus=(1, 4), label_rank=label_rank)


WITH_OPTIONS = """
P(rel=2)@3 P(judged_only=True)@2 AP(rel=3,judged_only=True) RR(judged_only=True)@3 SetP(judged_only=True)
SetF(rel=1,judged_only=True) nDCG(dcg=exp-log2)@4 nDCG(judged_only=True,dcg=exp-log2)
RBP(rel=2,judged_only=True,p=0.5)@4 ERR(max=126)@3 ERR(judged_only=True) infAP(rel=2) Bpref(rel=3)
""".split()


@pytest.mark.parametrize("text", [*WITH_OPTIONS, "Cover(rel=3,judged_only=True)@2", "alpha_nDCG(judged_only=True)@3"])
@given(book=gradebooks(), tau=st.sampled_from(TAUS), label_rank=st.integers(1, 3))
@MANY
def test_values_with_options_are_those_of_the_slow_twin(text, book, tau, label_rank):
    # Beside others, so that each has to find its own place.
    measures = [Measure("P", 2), Measure.parse(text), Measure("AP")]
    options = {"taus": (tau, 5), "label_rank": label_rank}
    np.testing.assert_allclose(
        sweep(book, measures, **options), slow_values(book, measures, **options), rtol=0, atol=ROUNDING
    )


@pytest.mark.parametrize("name", OF_LABELS)
@pytest.mark.parametrize("label_map", [None, ((1, 3), (6, 1), (127, 2)), ((0, 2), (64, 126))], ids=str)
@pytest.mark.parametrize("shape", LARGE_LABELS.values(), ids=LARGE_LABELS)
def test_labels_beyond_0_to_5_give_the_values_of_the_slow_twin(name, shape, label_map):
    rng = np.random.default_rng(shape["places"])
    book = random_book(rng, queries=3, width=1, passages=shape["places"] + 20, values=JUDGMENTS, direct=True, **shape)
    taus = (1, 2, 6, 7, 64, 126, 127)
    assert_equal_to_the_slow_twin(book, name, (1, 10, 20, 1000), taus=taus, label_map=label_map)


# As usual ERR's largest label is 5 for grades of questions, and 4 for labels.
@pytest.mark.parametrize("name", [name for name in OF_LABELS if name != "ERR"])
@pytest.mark.parametrize("label_map", [((5, 3), (4, 1)), ((5, 1), (1, 5), (0, 1)), ((2, 90),)], ids=str)
@given(book=gradebooks(), tau=st.sampled_from(TAUS), label_rank=st.integers(1, 3))
@MANY
def test_mapped_labels_give_what_they_would_as_grades_of_whole_passages(name, label_map, book, tau, label_rank):
    labels = [dict(label_map).get(label, 0) if label >= 0 else label for label in book.labels(label_rank).tolist()]
    ones = np.ones((len(book.query_ids), 1))
    direct = book_of(np.array(labels)[:, None], book.pair_query, ones, book.slots.transpose(1, 2, 0), direct=True)
    expected = np.where(book.counted, np.nan_to_num(compute(name, direct, tau, at_least=True)), np.nan)
    values = compute(name, book, tau, label_rank=label_rank, label_map=label_map, at_least=True)
    np.testing.assert_array_equal(values, expected)


@pytest.mark.parametrize("name", OF_QUESTIONS)
def test_what_looks_at_questions_refuses_labels_of_whole_passages(name):
    labels = book_of([[1], [0]], [0, 0], [[1]], [[[0, 1]]], direct=True)
    with pytest.raises(UndefinedMeasure, match=r"needs exam questions"):
        compute(name, labels, 1)


@pytest.mark.parametrize("name", ALL)
@given(book=gradebooks(), tau=st.sampled_from(TAUS))
@MANY
def test_the_least_that_a_value_can_be_is_undefined_just_where_a_query_has_no_grade_on_an_enabled_question(
    name, book, tau
):
    values = compute(name, book, tau, at_least=True)
    graded = (book.grades != UNGRADED) & book.enabled[book.pair_query]
    without = [not graded[book.pair_query == query].any() for query in range(len(book.query_ids))]
    np.testing.assert_array_equal(np.isnan(values), np.tile(without, (len(book.run_ids), 1)))


@pytest.mark.parametrize("name", ALL)
@given(book=gradebooks(), tau=st.sampled_from(TAUS), rank=st.integers(1, 3))
@MANY
def test_measures_leave_the_gradebook_as_it_is(name, book, tau, rank):
    arrays = (book.grades, book.enabled, book.weights, book.slots, book.pair_query)
    before = [array.copy() for array in arrays]
    compute(name, book, tau, 3, rank, label_map=((5, 1),))
    np.testing.assert_equal(list(arrays), before)


@pytest.mark.parametrize("name", ALL)
@given(book=gradebooks(), rank=st.integers(1, 3), at_once=st.integers(1, 9), by=st.sampled_from(ENGINES))
@MANY
def test_shards_of_queries_give_the_same_bits_in_any_number_of_threads(name, book, rank, at_once, by):
    whole = sweep(book, [Measure.at(name, 4)], taus=TAUS, label_rank=rank)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweeping, "AT_ONCE", at_once)
        patch.setattr(engine, "current", lambda: by)
        parts = sweep(replace(book), [Measure.at(name, 4)], taus=TAUS, label_rank=rank)
    assert parts.tobytes() == whole.tobytes()


@pytest.mark.parametrize("taus", [(3,), (5, 1), (1, 2, 3, 4, 5), (4, 4)], ids=str)
@given(book=gradebooks())
@MANY
def test_measures_and_taus_can_be_asked_for_together_and_in_any_order(taus, book):
    measures = [Measure.at(name, 4) for name in ALL]
    together = sweep(book, measures, taus=taus)
    alone = [[compute(measure.name, book, tau, 4) for tau in taus] for measure in measures]
    np.testing.assert_array_equal(together, alone)


@pytest.mark.parametrize("name", sorted(name for name, info in OF_GRADES.items() if info.cut == "possible"))
@given(book=gradebooks(), tau=st.sampled_from(TAUS))
@MANY
def test_without_a_depth_a_measure_reads_all_of_a_ranking(name, book, tau):
    uncut = sweep(book, [Measure(name)], taus=(tau,))[0, 0]
    np.testing.assert_allclose(uncut, compute(name, book, tau, 1000), rtol=0, atol=ROUNDING)


def test_ncover_can_rise_with_tau():
    # The run answers question 0 with a 5; only the passage that it lacks answers question 1, with a 2.
    # tau 2: 1 of 2 answerable questions; tau 3: 1 of 1.
    book = book_of([[5, 0], [0, 2]], [0, 0], [[1, 1]], [[[0]]])
    assert [compute("nCover", book, tau).item() for tau in (2, 3)] == [0.5, 1.0]


def test_alpha_ndcg_can_pass_1_where_greed_is_not_best():
    # Passages answer {0, 1}, {2, 3} and {0, 2}. All gain 2 at first; the last one is taken, then 0.5 + 1. The run
    # takes the first two: 2 + 2 / log2 3 against 2 + 1.5 / log2 3.
    book = book_of([[5, 5, 0, 0], [0, 0, 5, 5], [5, 0, 5, 0]], [0, 0, 0], [[1, 1, 1, 1]], [[[0, 1]]])
    expected = (2 + 2 / math.log2(3)) / (2 + 1.5 / math.log2(3))
    assert compute("alpha_nDCG", book, 5, 2).item() == pytest.approx(expected, abs=ROUNDING)


def test_err_refuses_labels_beyond_its_largest_one():
    book = book_of([[3], [5]], [0, 0], [[1]], [[[0, 1]]], direct=True)
    with pytest.raises(UndefinedMeasure, match=r"max=4, but there is a label of 5\. Take ERR\(max=5\)"):
        sweep(book, [Measure.parse("ERR(max=4)@3")], taus=(1,))


def test_a_spelling_with_or_without_a_depth_parses_and_prints_back():
    with_depth = [f"{name}@{depth}" for name, info in MEASURES.items() if info.cut != "none" for depth in (1, 20, 1000)]
    without = [name for name, info in MEASURES.items() if info.cut != "needed"]
    assert [str(Measure.parse(text)) for text in with_depth + without] == with_depth + without
    assert {Measure.parse(name).depth for name in without} == {None}
    assert [Measure.parse(info.spelling).name for info in MEASURES.values()] == list(MEASURES)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("P(rel=2, judged_only=True)@10", "P(rel=2,judged_only=True)@10"),
        ("P(judged_only=False,cutoff=10)", "P@10"),
        ("nDCG(dcg='exp-log2')@20", "nDCG(dcg=exp-log2)@20"),
        ("RBP(p=0.8)", "RBP"),
        ("ERR(max=3)@5", "ERR(max=3)@5"),
    ],
)
def test_options_are_read_as_ir_measures_spells_them(text, printed):
    assert str(Measure.parse(text)) == printed
    assert Measure.parse(printed) == Measure.parse(text)


@pytest.mark.parametrize(
    "text", ["P(rel=0)@5", "P(rel=x)@5", "P(judged_only=maybe)@5", "P(p=0.5)@5", "RBP(p=1)", "Judged(rel=2)@5"]
)
def test_options_that_are_none_are_refused(text):
    with pytest.raises(UsageError, match=r"^[A-Z]"):
        Measure.parse(text)


def test_a_depth_is_asked_for_where_it_is_needed_and_refused_where_there_is_none():
    for name in (name for name, info in MEASURES.items() if info.cut == "needed"):
        with pytest.raises(UsageError, match=f"give the number of passages, for instance {name}@20"):
            Measure.parse(name)
    for name in (name for name, info in MEASURES.items() if info.cut == "none"):
        with pytest.raises(UsageError, match="leave out @5"):
            Measure.parse(f"{name}@5")


@pytest.mark.parametrize("text", ["", "Cover@0", "Cover@-1", "Cover@x", "Cover@1.5", "nope@20", "cover@20", "ap"])
def test_a_misspelt_measure_is_refused_with_those_there_are(text):
    with pytest.raises(UsageError, match=r"There are: Cover@20, nCover@20, wCover@20, Rubric, P@20"):
        Measure.parse(text)
