"""Frames as aligned table, CSV, LaTeX and JSON."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from exam_core.table_text import as_json, as_text, plain

FRAME = pd.DataFrame(
    {"run_id": ["a_b & c%", "long run name"], "mean": [1 / 3, np.nan], "n_queries": [43, 7], "rank": [1.0, 2.5]}
)


def test_a_table_is_aligned_with_numbers_to_the_right_and_dashes_where_undefined():
    assert as_text(FRAME, "table").splitlines() == [
        "run_id          mean  n_queries   rank",
        "a_b & c%       0.333         43      1",
        "long run name      -          7  2.500",
    ]


def test_latex_is_a_booktabs_table():
    assert as_text(FRAME, "latex").splitlines() == [
        r"% Needs \usepackage{booktabs}.",
        r"\begin{tabular}{lrrr}",
        r"\toprule",
        r"run\_id & mean & n\_queries & rank \\",
        r"\midrule",
        r"a\_b \& c\% & 0.333 & 43 & 1.0 \\",
        r"long run name & - & 7 & 2.5 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_siunitx_has_columns_of_numbers_with_room_for_the_longest_and_no_uneven_decimals():
    frame = FRAME.assign(change=[-12.5, 1.25], share=[1.0, 0.25])
    assert as_text(frame, "siunitx").splitlines() == [
        r"% Needs \usepackage{booktabs,siunitx}.",
        r"\begin{tabular}{lS[table-format=1.3]S[table-format=2]S[table-format=1.1]S[table-format=-2.3]S[table-format=1.3]}",
        r"\toprule",
        r"run\_id & {mean} & {n\_queries} & {rank} & {change} & {share} \\",
        r"\midrule",
        r"a\_b \& c\% & 0.333 & 43 & 1.0 & -12.500 & 1.000 \\",
        r"long run name & {-} & 7 & 2.5 & 1.250 & 0.250 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_a_frame_without_rows_has_its_header():
    assert as_text(FRAME.head(0), "table") == "run_id  mean  n_queries  rank"
    assert as_text(FRAME.head(0), "siunitx").count(r"\\") == 1


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("&", r"\&"),
        ("%", r"\%"),
        ("$", r"\$"),
        ("#", r"\#"),
        ("_", r"\_"),
        ("{", r"\{"),
        ("}", r"\}"),
        ("~", r"\textasciitilde{}"),
        ("^", r"\textasciicircum{}"),
        ("\\", r"\textbackslash{}"),
        ("a >= 2", r"a $\geq$ 2"),
        ("a <= 2", r"a $\leq$ 2"),
        ("a < 2 > 1", "a $<$ 2 $>$ 1"),
        ("†", r"$\dagger$"),
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
    ],
)
def test_what_latex_would_read_is_escaped(text, escaped):
    assert as_text(pd.DataFrame({"x": [text]}), "latex").splitlines()[5] == escaped + r" \\"


def test_csv_has_full_precision_and_leaves_undefined_cells_empty():
    _, first, last = as_text(FRAME, "csv").splitlines()
    assert (float(first.split(",")[1]), last) == (1 / 3, "long run name,,7,2.5")


def test_csv_holds_no_formula_and_numbers_stay_numbers():
    rows = pd.DataFrame({"run_id": ["=1+1", "-x", "@a", "+", "a=b"], "mean": [-0.5] * 5, "n": [3, None, 3, 3, 3]})
    text = as_text(rows.astype({"n": "Int32"}), "csv")
    assert text.splitlines()[1:] == ["'=1+1,-0.5,3", "'-x,-0.5,", "'@a,-0.5,3", "'+,-0.5,3", "a=b,-0.5,3"]


def test_csv_quotes_what_would_part_a_row():
    text = as_text(pd.DataFrame({"run_id": ['a,b "c"\nd'], "mean": [0.5]}), "csv")
    assert pd.read_csv(io.StringIO(text))["run_id"][0] == 'a,b "c"\nd'


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.int64(3), 3),
        (np.float64(0.5), 0.5),
        (3.0, 3),
        (True, True),
        (np.bool_(False), False),
        ((1, 2.5), [1, 2.5]),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        (np.array([np.nan, 1.0]), [None, 1]),
        ({1: {2: np.nan}}, {"1": {"2": None}}),
        (pd.DataFrame({"a": [1, 2]}), [{"a": 1}, {"a": 2}]),
        ("†", "†"),
    ],
    ids=repr,
)
def test_values_become_plain_python(value, expected):
    assert plain(value) == expected


@pytest.mark.parametrize("value", [float("inf"), -float("inf")])
def test_json_refuses_what_it_cannot_say(value):
    with pytest.raises((ValueError, OverflowError)):
        as_json([value])


def test_an_interval_is_a_pair_in_brackets_or_a_dash_and_two_columns_of_csv():
    frame = pd.DataFrame({"run_id": ["a", "b"], "kappa_interval": [[0.1, 0.25], None], "n": [1, 2]})
    assert as_text(frame[["kappa_interval"]], "table").splitlines()[1:] == ["[0.100, 0.250]", "-"]
    assert as_text(frame, "csv") == "run_id,kappa_low,kappa_high,n\na,0.1,0.25,1\nb,,,2"


def test_json_has_no_characters_that_a_terminal_acts_upon():
    value = ["a\x1b\x7f\x85\u2028\u202e", "ü"]
    text = as_json(value)
    assert (json.loads(text), [one for one in text if not one.isprintable() and one != "\n"]) == (value, [])
