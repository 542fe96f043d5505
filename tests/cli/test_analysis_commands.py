"""Every analysis at a terminal: a seed gives the same again, and what can not be answered is refused in a sentence."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from typing import Any

import pytest
from thoroughly import thoroughly

from exam_core import answers
from exam_core.declared import declared
from tests.analysis.electorate import VOTES
from tests.wings import added_to, rows_added

ANALYSES = {name: answers.named(name) for name, place in answers.places().items() if "wings" not in place}
SEEDED = added_to({"outliers demo --bank open --reference qrels:nDCG@10": "rows"}, "SEEDED")
"""What is drawn, and where it stands in the answer."""


@pytest.mark.parametrize("line", SEEDED)
def test_the_same_seed_gives_the_same_answer_and_another_one_another(told, line):
    asked = (*line.split(), "--draws", 20, "--seed")
    first, again, other = (told(*asked, seed) for seed in (1, 1, 2))
    assert first == again
    assert first[SEEDED[line]] != other[SEEDED[line]]


NOT_THERE = {
    "bank": ("nobody", "There is no bank nobody. There are: open, manual"),
    "grader": ("nobody", "There is no grader nobody. There are: lexical.pourpre-idf"),
    "graders": ("nobody", "There is no grader nobody"),
    "measure": ("MRR", "There is no measure MRR. Did you mean RR? There are: Cover@20"),
    "measures": ("MRR", "There is no measure MRR. Did you mean RR? There are: Cover@20"),
    "reference": ("nobody", "There is no leaderboard nobody"),
    "judgments": ("nobody", "There are no judgments nobody in demo. There are: official"),
    "judged_by": ("nobody", "There are no judgments nobody in demo. There are: official"),
    "tau": ("6", "--tau 6: choose 1 to 5"),
    "depth": ("0", "--depth 0: "),
    "label_rank": ("0", "--label-rank 0: choose 1 to"),
    "draws": ("0", "--draws 0: choose 1 to"),
    "seed": ("-1", "--seed -1: choose 0 to"),
    "without": ("nobody", "--without nobody: demo has no such run. It has: "),
}
ASKED = {
    option: [name for name, analysis in ANALYSES.items() if option in declared(analysis.options)]
    for option in NOT_THERE
}


@pytest.mark.parametrize(
    ("name", "option"),
    [
        pytest.param(name, option, marks=pytest.mark.thorough if place else ())
        for option, names in ASKED.items()
        for place, name in enumerate(names)
    ],
)
def test_what_there_is_not_is_refused_with_what_there_is(examboard, demo_store, name, option):
    value, says = NOT_THERE[option]
    bank = () if option == "bank" else ("--bank", "open")
    done = examboard(demo_store, *ANALYSES[name].name.split(), "demo", *bank, f"--{option.replace('_', '-')}", value)
    assert (done.status, done.out, says in done.err, "Traceback" in done.err) == (2, "", True, False), done


REFUSED = added_to(
    {
        "nonsense": (2, "No such command"),
        "leaderboard nowhere": (2, "There are: car-y3-published, demo"),
        "leaderboard demo": (2, "more than one bank; choose with --bank: open, manual"),
        "leaderboard demo --bank open --measure P@30": (2, "Raise --depth"),
        "leaderboard demo --bank open --tau x": (2, "1 to 5, or all"),
        "leaderboard demo --bank open --depth x": (2, "or all"),
        "leaderboard car-y3-published --measure nCover@20": (1, "Printed are:"),
        "correlate car-y3-published --reference x": (2, "official"),
        "agreement demo --bank open --judgments nobody --grid": (2, "official"),
        "agreement demo --bank open --grid --per-query": (2, "choose one"),
        "agreement car-y3-published --bank nope --grid": (1, "genq"),
        "agreement car-y3-published --label-map 5=3": (2, "printed tables, whose labels can't be mapped"),
        "agreement car-y3-published --label-map 5=3 --grid": (2, "printed tables, whose labels can't be mapped"),
        "agreement dl19-published --tau 3": (1, "tau 4, judged ≥ 2 (genq strict)"),
        "outliers demo --tau all": (2, "looks at one tau"),
        "outliers car-y3-published --reference x": (2, "official"),
        "evaluate car-y3-published": (1, "no values by query are printed"),
    },
    "REFUSED_LINES",
)


@pytest.mark.parametrize("line", REFUSED)
def test_a_wrong_request_is_one_message_and_an_exit_status(examboard, demo_store, line):
    status, says = REFUSED[line]
    done = examboard(demo_store, *shlex.split(line))
    assert (done.status, done.out, says in done.err, "Traceback" in done.err) == (status, "", True, False), done


def test_other_runs_are_re_normalised_without_those_left_out(told):
    whole = {row["run_id"]: row for row in told("leaderboard", "demo", "--bank", "open")["rows"]}
    worst = min(whole, key=lambda run: whole[run]["mean"])
    found = told("leaderboard", "demo", "--bank", "open", "--without", worst)
    left = {row["run_id"]: row for row in found["rows"]}
    assert (set(whole) - set(left), found["without"]) == ({worst}, [worst])
    assert min(row["normalised"] for row in left.values()) == 0
    assert {run: row["mean"] for run, row in left.items()} == {run: whole[run]["mean"] for run in left}


WITHOUT = ["leaderboard", "correlate", "outliers", *rows_added("WITHOUT")]


@pytest.mark.parametrize("command", WITHOUT)
def test_runs_can_be_left_out(told, command):
    said = told(command, "demo", "--bank", "open", "--without", "bm25", "--without", "lsa-8")
    for one in said if isinstance(said, list) else [said]:
        assert '"bm25"' not in json.dumps(one.get("rows"))
        assert command != "correlate" or (one["n"], "Left out as asked: bm25, lsa-8." in " ".join(one["notes"])) == (
            13,
            True,
        )


@pytest.mark.parametrize(
    ("line", "columns"),
    [
        (
            "correlate demo --bank open",
            "leaderboard reference spearman spearman_interval kendall kendall_interval tau_ap_b rbo n",
        ),
        ("correlate car-y3-published", "leaderboard reference spearman kendall tau_ap_b rbo n"),
    ],
)
def test_a_paper_s_table_of_correlations_has_the_columns_that_papers_print(examboard, demo_store, line, columns):
    done = examboard(demo_store, *shlex.split(line), "--format", "latex").out
    assert done.splitlines()[3].removesuffix(r" \\").replace("\\", "").split(" & ") == columns.split()
    assert done.count("P@20 (generated questions, tau 4)") == line.count("published"), "columns of print by name"


Run = Callable[..., Any]
OPEN = ("demo", "--bank", "open", "--tau", "3")
PUBLISHED = ["car-y3-published", *thoroughly("dl19-published", "dl20-published")]
OUTLIERS = ("collection", "bank", "grader", "measure", "tau", "depth", "label_rank")


def test_the_answer_is_the_question_its_rows_and_its_notes(told: Run) -> None:
    found = told("outliers", *OPEN, "--grader", "lexical.pourpre-idf")
    assert {*OUTLIERS, "rows", "notes"} <= set(found)
    assert (found["bank"], found["grader"], found["tau"]) == ("open", "lexical.pourpre-idf", 3)


def test_every_run_has_a_row_for_each_method_the_largest_displacement_first(told):
    found = told("outliers", *OPEN, "--measures", "Cover@20,P@20")
    assert [method["method"] for method in found["methods"]] == ["open Cover@20 tau=3", "open P@20 tau=3"]
    assert len(found["rows"]) == 2 * 15
    row = "run_id rank_displacement score_displacement low high p p_holm flagged"
    assert set(found["rows"][0]) >= set(row.split())
    assert {row["over"] for row in found["combined"]} == {"all"}
    sizes = [abs(row["rank_displacement"]) for row in found["rows"]]
    assert sizes == sorted(sizes, reverse=True)


def test_without_a_bank_every_bank_is_a_method_and_judgments_can_be_one(told):
    assert {method["bank"] for method in told("outliers", "demo")["methods"]} == {"open", "manual"}
    found = told("outliers", "demo", "--judgments", "official", "--measure", "P@20", "--seed", 5, "--draws", 100)
    assert (found["judgments"], found["seed"], found["draws"]) == ("official", 5, 100)


@pytest.mark.parametrize("collection", PUBLISHED)
def test_printed_boards_have_displacements_and_a_note(told, collection):
    found = told("outliers", collection)
    assert {row["p"] for row in found["rows"]} == {row["flagged"] for row in found["rows"]} == {None}
    assert any("Printed figures" in note for note in found["notes"])


@pytest.mark.parametrize(
    "line",
    [
        "leaderboard world --measure P@5 --grader {}",
        "correlate world --measure P@5 --grader a --reference grades:P@5:grader={}",
        "agreement world --grader {}",
        "outliers world --measures P@5 --graders a,{} --reference qrels:P@5 --draws 10",
        *rows_added("OF_A_MODE"),
    ],
)
def test_a_majority_is_taken_wherever_a_grading_mode_is(examboard, voters, line):
    done = examboard(voters, *line.format("majority(a,b,c)").split(), "--format", "json")
    assert (done.status, done.err) == (0, "")
    assert "majority(a,b,c)" in done.out


def test_labels_of_a_majority_are_exported(examboard, voters, tmp_path):
    file = tmp_path / "majority.qrels"
    assert examboard(voters, "export", "qrels", "world", str(file), "--grader", "majority(a,b,c)").status == 0
    labels = {int(line.split()[2][1:]): line.split()[3] for line in file.read_text().splitlines()}
    # more than half of three characters in each column
    expected = ["01"[sum(map(int, column)) > 1] for column in zip(*VOTES.values(), strict=True)]
    assert [labels[place] for place in sorted(labels)] == expected


QUESTION = ["collection", "bank", "grader", "judgments", "measure", "tau", "depth", "label_rank"]


def test_exported_values_average_to_the_leaderboard(told, examboard, demo_store, tmp_path):
    file = tmp_path / "values.jsonl"
    asked = ("demo", "--bank", "open", "--tau", "all")
    assert examboard(demo_store, "export", "values", "demo", file, *asked[1:]).status == 0
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    boards = told("leaderboard", *asked)
    for board in boards:
        for row in board["rows"]:
            mine = [one["value"] for one in lines if (one["tau"], one["run_id"]) == (board["tau"], row["run_id"])]
            assert (len(mine), sum(mine) / len(mine)) == (8, pytest.approx(row["mean"]))
    assert len(lines) == sum(8 * len(board["rows"]) for board in boards)
    assert list(lines[0]) == [*QUESTION, "run_id", "query_id", "value"]


def test_print_has_no_values_to_export(examboard, demo_store, tmp_path):
    done = examboard(demo_store, "export", "values", "car-y3-published", tmp_path / "values.jsonl")
    assert (done.status, "no values by query are printed" in done.err) == (1, True)
    assert not list(tmp_path.iterdir())
