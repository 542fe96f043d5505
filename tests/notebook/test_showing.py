"""Answers show themselves: as a table in Jupyter, as text elsewhere, as a figure where one asks."""

import pandas as pd
import pytest

import exam_core as eb
from tests.wings import added_to

FIGURES = added_to(
    {
        "leaderboard": {"measure": "P@20", "tau": 3},
        "correlate": {"tau": "all"},
        "agreement": {},
        "outliers": {"draws": 20},
    },
    "FIGURES",
)


@pytest.fixture
def odd(own):
    """The demo with a run whose name is HTML, and one whose name would turn a terminal's text around."""
    docs = own.evaluate(bank="open").rows["query_id"].drop_duplicates()
    for name in ("<script>alert(1)</script>", "a<b>&amp;\u200b"):
        own.import_run({query: {"nowhere": 1.0} for query in docs}, name=name)
    return own


@pytest.mark.parametrize("name", FIGURES)
def test_an_answer_draws_itself_and_says_in_words_what_is_drawn(demo, name):
    answer = getattr(demo, name)(bank="open", **FIGURES[name])
    figure = answer.figure()
    assert figure.to_dict()["data"]
    assert "notebook" not in figure.layout.meta["description"]
    assert figure.layout.meta["description"].endswith(".")
    assert "text/html" in figure._repr_mimebundle_() or figure._repr_html_()


def test_the_figure_of_the_board_has_its_means_and_errors(demo):
    answer = demo.leaderboard(bank="open", measure="P@20", tau=3)
    (series,) = answer.figure().data
    rows = answer.rows.set_index("run_id").loc[list(series.x)]
    assert list(series.y) == list(rows["mean"])
    assert list(series.error_y.array) == list(rows["stderr"])
    assert list(rows["reference_rank"]) == sorted(rows["reference_rank"])


def test_the_intervals_of_coefficients_are_drawn_where_there_are_some(demo, demo_store):
    rows = demo.correlate(bank="open").rows
    lines = [trace for trace in demo.correlate(bank="open").figure().data if trace.mode == "lines"]
    assert [list(line.x)[:2] for line in lines][1] == rows["kendall_interval"].iloc[0]
    printed = eb.open(demo_store)["car-y3-published"].correlate().figure()
    assert {x for trace in printed.data if trace.mode == "lines" for x in trace.x} == {None}


def test_an_answer_without_a_figure_says_where_its_values_are(demo):
    with pytest.raises(eb.ExamboardError, match=r"There is no figure of .*\. Its values are in \.rows"):
        demo.evaluate(bank="open").figure()


def test_the_table_has_units_and_what_is_to_be_known_of_it(demo):
    shown = demo.leaderboard(bank="open")._repr_html_()
    assert "<caption>demo open Cover@20 tau=4</caption>" in shown
    assert '<th scope="col">Re-normalised (share of the range)</th>' in shown
    assert "<p>Re-normalised over the 15 runs of this leaderboard: 0 is" in shown


def test_a_long_table_shows_its_beginning_and_says_how_much_more_there_is(demo):
    answer = demo.evaluate(bank="open")
    assert answer._repr_html_().count("<tr>") == 61
    assert f"{len(answer.rows) - 60} more rows are in .rows." in answer._repr_html_()


def test_names_of_runs_are_letters_and_no_html(odd):
    answer = odd.leaderboard(bank="open")
    for shown in (answer._repr_html_(), odd.leaderboard(bank="open", tau="all")._repr_html_()):
        assert "<script" not in shown
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown
    figure = answer.figure()
    assert [name for name in figure.data[0].x if name.startswith("&lt;script")]  # a long name has no middle
    assert "<script>alert" not in figure.to_html(include_plotlyjs=False)


def test_an_answer_prints_as_the_table_of_the_command_line(demo):
    printed = repr(demo.agreement(bank="open", tau=3))
    assert printed.startswith("demo agreement of lexical.pourpre-idf with official at tau 3, relevant from 2\n")
    assert "Cohen's kappa " in printed


def test_a_store_and_a_collection_say_what_they_are(demo, demo_store, tmp_path):
    store, empty = eb.open(demo_store), eb.open(tmp_path, new=True)
    assert repr(store).startswith(f"Store {demo_store}: car-y3-published, demo, ")
    assert repr(demo) == f"Collection demo of {demo_store}"
    assert "<caption>Store " in store._repr_html_()
    assert store._ipython_key_completions_() == list(store)
    assert (repr(empty), len(empty), "<table>" in empty._repr_html_()) == (f"Store {tmp_path}: empty", 0, True)
    assert isinstance(empty.collections().rows, pd.DataFrame)
