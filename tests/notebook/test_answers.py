"""What a notebook answers is what the command line answers."""

import inspect

import ir_measures
import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

import exam_core as eb
from exam_core import answers
from exam_core.cli.tree import app
from exam_core.declared import declared
from exam_core.reports.dictionary import result_tables
from tests.wings import added_to, rows_added

BANK = {"bank": "open"}
ASKED = added_to(
    {
        "the board": ("leaderboard", BANK | {"measure": "P@20", "tau": 3, "label_rank": 2}),
        "the board at every tau": ("leaderboard", BANK | {"tau": "all"}),
        "the board to any depth": ("leaderboard", BANK | {"measure": "AP", "depth": "all", "without": ["bm25-flat"]}),
        "a printed board": ("leaderboard", {"tau": 4}),
        "coefficients": ("correlate", BANK | {"tau": "all", "reference": "qrels:nDCG@10"}),
        "printed coefficients": ("correlate", {}),
        "agreement": ("agreement", BANK | {"tau": 3, "relevant_from": 1}),
        "printed agreement": ("agreement", {"bank": "genq", "relevant_from": 1}),
        "displacements": ("outliers", BANK | {"measures": ["Cover@20", "P@20"], "draws": 20}),
        "printed displacements": ("outliers", {}),
        "tags": ("tags", {}),
    },
    "ANSWERED",
)
"""What is asked of the demo, or where its name says so of printed figures, and the command that it is."""


def collection_of(store, name):
    return store["car-y3-published" if "printed" in name else "demo"]


def as_typed(options):
    """Options as one types them."""
    typed = []
    for name, value in options.items():
        text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
        typed += [f"--{name.replace('_', '-')}", text]
    return typed


def typed(monkeypatch, store, *words):
    """What a command prints as JSON."""
    monkeypatch.setenv("EXAMBOARD_STORE", str(store))
    done = CliRunner().invoke(app, [*words, "--format", "json"])
    assert (done.exit_code, done.stderr) == (0, "")
    return done.stdout.removesuffix("\n")


@pytest.mark.parametrize("name", ASKED)
def test_an_answer_is_that_of_the_command_line(demo_store, monkeypatch, name):
    command, options = ASKED[name]
    collection = collection_of(eb.open(demo_store), name)
    said = typed(monkeypatch, demo_store, command, collection.name, *as_typed(options))
    assert getattr(collection, command)(**options).json() == said


@pytest.mark.parametrize("name", answers.names())
def test_an_analysis_is_a_command_and_a_method_with_the_same_options(name):
    found = answers.named(name)
    command = typer.main.get_command(app)
    for word in found.name.split():
        command = command.commands[word]
    options = list(declared(found.options))
    assert [one.name for one in command.params] == ["collection", *options, "form"]
    method = getattr(eb.Collection, name)
    assert list(inspect.signature(method).parameters) == ["self", *options]
    said = " ".join(method.__doc__.split())
    assert [one.help for one in command.params[1:-1] if one.help not in said] == []


def test_a_columns_unit_meaning_and_source_stand_in_the_frame(demo):
    known = {table.name for table in result_tables()}
    of_demo = {command: options for command, options in ASKED.values() if options.get("bank") == "open"}
    for command, options in of_demo.items():
        rows = getattr(demo, command)(**options).rows
        assert rows.attrs["table"] in known
        assert set(rows.columns) == set(rows.attrs["headings"])
    rows = demo.outliers(bank="open", draws=20).rows
    assert rows.attrs["units"]["rank_displacement"] == "ranks"
    assert rows.attrs["sources"]["p_holm"] == "Holm 1979"
    assert rows.attrs["meanings"]["p_holm"] == "p after Holm's adjustment over all runs of the method."


def test_the_means_of_the_board_are_those_of_the_values_by_query(demo):
    by_query = demo.evaluate(bank="open", measure="nDCG@10").rows.groupby("run_id")["value"].mean()
    board = demo.leaderboard(bank="open", measure="nDCG@10").rows.set_index("run_id")["mean"]
    pd.testing.assert_series_equal(by_query, board.sort_index(), check_names=False, rtol=1e-12)


def test_values_by_query_at_every_tau_are_those_of_each(demo):
    every = demo.evaluate(bank="open", tau="all").rows
    assert sorted(every["tau"].unique()) == [1, 2, 3, 4, 5]
    for tau, rows in every.groupby("tau"):
        one = demo.evaluate(bank="open", tau=tau).rows
        pd.testing.assert_frame_equal(rows.drop(columns="tau").reset_index(drop=True), one)


def test_what_one_does_to_an_answer_changes_no_later_one(demo):
    first = demo.leaderboard(bank="open")
    best = first.rows["mean"].iloc[0]
    first.rows["mean"] = 0.0
    assert demo.leaderboard(bank="open").rows["mean"].iloc[0] == best > 0


def test_a_measure_of_ir_measures_is_taken_as_it_is_spelled(demo):
    theirs = demo.leaderboard(bank="open", measure=ir_measures.nDCG @ 10)
    assert theirs.json() == demo.leaderboard(bank="open", measure="nDCG@10").json()


@pytest.mark.parametrize(
    ("command", "options", "said"),
    [
        ("leaderboard", {"taus": 3}, "leaderboard has no option taus. Did you mean tau? It has: measure, bank,"),
        ("leaderboard", {"tau": "4"}, "tau='4': give a number, or 'all'."),
        ("leaderboard", {"tau": True}, "tau=True: give a number, or 'all'."),
        ("leaderboard", {"bank": "open", "tau": 9}, "tau 9: choose 1 to 5."),
        ("leaderboard", {"label_rank": None}, "label_rank=None: give a whole number."),
        ("leaderboard", {"missing": "nil"}, "missing='nil': give 'zero' or 'skip'."),
        ("leaderboard", {"measure": 20}, "measure=20: give a text."),
        ("leaderboard", {"without": 3}, "without=3: give names, in a list or comma-separated."),
        ("leaderboard", {"without": "bm26"}, "without bm26: demo has no such run. It has:"),
        ("agreement", {"bank": 3}, "bank=3: give a text."),
        ("outliers", {"grader": ["a", "b"]}, "grader=['a', 'b']: give one value. For several, use graders=['a', 'b']."),
        *rows_added("REFUSED"),
    ],
)
def test_a_wrong_option_is_one_message_that_says_what_to_give(demo, command, options, said):
    with pytest.raises(eb.ExamboardError) as refused:
        getattr(demo, command)(**options)
    assert str(refused.value).startswith(said)
    assert len(str(refused.value).splitlines()) == 1


def test_an_option_without_its_name_is_refused_with_an_example(demo):
    with pytest.raises(eb.ExamboardError, match="takes its options by name, for instance measure='P@20'"):
        demo.leaderboard("P@20")


def test_a_store_that_is_not_there_is_said_with_what_to_do(tmp_path):
    with pytest.raises(eb.ExamboardError, match=r"There is no store at .*/nowhere\. Name its folder"):
        eb.open(tmp_path / "nowhere")
    assert not list(eb.open(tmp_path / "nowhere", new=True))


def test_a_store_lists_its_collections_as_the_command_line_does(demo_store, monkeypatch):
    store = eb.open(demo_store)
    assert store.collections().json() == typed(monkeypatch, demo_store, "list")
    assert (len(store), "demo" in store, "dl99" in store) == (len(list(store)), True, False)
    with pytest.raises(eb.ExamboardError, match="There is no collection dl99"):
        store["dl99"]
