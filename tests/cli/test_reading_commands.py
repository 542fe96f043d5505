"""list, leaderboard, correlate, agreement: the contract of their options and JSON keys."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
OPEN = ("leaderboard", "demo", "--bank", "open", "--measure", "Cover@20", "--tau", "3")
OPEN_AP = ("leaderboard", "demo", "--bank", "open", "--measure", "AP", "--tau", "3", "--depth", "10")


def answer(done: Any) -> Any:
    assert done.status == 0, done.err
    return json.loads(done.out)


def test_list_has_the_keys_of_the_contract(examboard: Run, demo_store: Path) -> None:
    rows = answer(examboard(demo_store, "list", "--format", "json"))
    assert set(rows[0]) == {
        "collection",
        "queries",
        "passages",
        "distinct_passages",
        "questions",
        "grades",
        "runs",
        "judgments",
        "reviews",
        "banks",
        "graders",
        "scale",
        "scale_from",
        "leaderboards",
    }


def test_list_of_an_empty_store_says_what_to_do(examboard: Run, tmp_path: Path) -> None:
    assert "python -m exam_core demo" in examboard(tmp_path, "list").out


def test_a_leaderboard_has_the_keys_of_the_contract(examboard: Run, demo_store: Path) -> None:
    board = answer(examboard(demo_store, *OPEN, "--format", "json"))
    assert set(board) >= {
        "collection",
        "bank",
        "grader",
        "measure",
        "tau",
        "tau_applies",
        "depth",
        "label_rank",
        "rows",
        "overall",
        "correlation",
        "ungraded",
    }


def test_a_leaderboards_rows_have_the_keys_of_the_contract(examboard: Run, demo_store: Path) -> None:
    board = answer(examboard(demo_store, *OPEN, "--format", "json"))
    assert list(board["rows"][0]) == [
        "run_id",
        "mean",
        "stderr",
        "n_queries",
        "normalised",
        "normalised_stderr",
        "rank",
        "reference_rank",
        "unanswered",
    ]


def test_the_table_of_a_board_that_leaves_nothing_unanswered_has_no_such_column(
    examboard: Run, demo_store: Path
) -> None:
    forms = [examboard(demo_store, *OPEN, "--format", form).out for form in ("table", "latex", "csv")]
    assert ["unanswered" in text for text in forms] == [False, False, True]


def test_average_precision_is_headed_by_how_much_is_read(examboard: Run, demo_store: Path) -> None:
    board = answer(examboard(demo_store, *OPEN_AP, "--format", "json"))
    (entry,) = answer(examboard(demo_store, "correlate", *OPEN_AP[1:], "--format", "json"))
    assert (board["measure"], board["title"]) == ("AP", "open AP (first 10) tau=3")
    assert entry["leaderboard"] == "open AP (first 10) tau=3"
    assert "--depth all reads them whole" in examboard(demo_store, *OPEN_AP).out


def test_all_passages_together_are_named_by_their_measure(examboard: Run, demo_store: Path) -> None:
    texts = [examboard(demo_store, *OPEN[:4], "--measure", name).out for name in ("Cover@20", "nCover@20", "ERR_IA@20")]
    found = [next((line for line in text.splitlines() if line.startswith("All graded")), None) for text in texts]
    # At tau 4, seven of the eight queries have a question that some passage answers.
    assert found[1:] == ["All graded passages together: nCover 0.875", None]
    assert str(found[0]).startswith("All graded passages together: Cover 0.")


def test_what_nobody_judged_is_called_unjudged(examboard: Run, demo_store: Path) -> None:
    text = examboard(demo_store, "leaderboard", "demo", "--measure", "P@20", "--judgments", "official").out
    assert ("Unjudged: " in text, "Ungraded: " in text) == (True, False)


@pytest.mark.parametrize("command", ["leaderboard", "correlate", "cutoffs", "grid"])
def test_means_can_be_rounded_as_trec_eval_prints_them(examboard: Run, demo_store: Path, command: str) -> None:
    done = examboard(demo_store, command, "demo", "--bank", "open", "--measure", "P@20", "--rounded", "trec_eval")
    assert (done.status, "--rounded" in done.out) == (0, False)


def test_rounded_means_have_four_decimals(examboard: Run, demo_store: Path) -> None:
    board = answer(examboard(demo_store, *OPEN, "--rounded", "trec_eval", "--format", "json"))
    assert board["rounded"] == "trec_eval"
    assert all(row["mean"] == round(row["mean"], 4) for row in board["rows"])


def test_all_taus_are_a_list_of_five(examboard: Run, demo_store: Path) -> None:
    boards = answer(
        examboard(demo_store, "leaderboard", "demo", "--bank", "open", "--measure", "P@20", "--tau", "all",
                  "--format", "json")
    )  # fmt: skip
    assert [board["tau"] for board in boards] == [1, 2, 3, 4, 5]


def test_judgments_have_no_tau(examboard: Run, demo_store: Path) -> None:
    arguments = ("leaderboard", "demo", "--measure", "P@20", "--judgments", "official", "--format", "json")
    assert answer(examboard(demo_store, *arguments))["tau"] is None


def test_csv_reads_back_with_full_precision(examboard: Run, demo_store: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(examboard(demo_store, *OPEN, "--format", "csv").out)))
    board = answer(examboard(demo_store, *OPEN, "--format", "json"))
    assert [float(row["mean"]) for row in rows] == [row["mean"] for row in board["rows"]]


def test_a_table_ends_with_the_correlation(examboard: Run, demo_store: Path) -> None:
    assert "Against official: Spearman" in examboard(demo_store, *OPEN).out


def test_agreement_has_the_keys_of_the_contract(examboard: Run, demo_store: Path) -> None:
    found = answer(examboard(demo_store, "agreement", "demo", "--bank", "open", "--format", "json"))
    assert set(found) >= {
        "tau",
        "relevant_from",
        "label_rank",
        "confusion",
        "graded",
        "kappa",
        "kappa_interval",
        "n",
    }


AGREEMENT = ("agreement", "demo", "--bank", "open")


def test_agreement_has_a_kappa_inside_its_interval(examboard: Run, demo_store: Path) -> None:
    found = answer(examboard(demo_store, *AGREEMENT, "--format", "json"))
    low, high = found["kappa_interval"]
    assert -1 <= low < found["kappa"] < high <= 1


def test_agreement_as_csv_says_what_the_json_says(examboard: Run, demo_store: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(examboard(demo_store, *AGREEMENT, "--format", "csv").out)))
    found = answer(examboard(demo_store, *AGREEMENT, "--format", "json"))
    names = ("kappa", "n", "precision", "recall", "f1", "linear_kappa", "quadratic_kappa", "krippendorff_alpha")
    assert [[float(row[name]) for name in names] for row in rows] == [[found[name] for name in names]]


@pytest.mark.parametrize("extra", [(), ("--per-query",), ("--grid",)], ids=["", "per query", "grid"])
def test_agreement_as_latex_has_kappa_and_n_and_no_bare_sign(
    examboard: Run, demo_store: Path, extra: tuple[str, ...]
) -> None:
    text = examboard(demo_store, *AGREEMENT, *extra, "--format", "latex").out
    bare = text.replace("$<$", "").replace("$>$", "")
    assert ("kappa" in text, "& n" in text, "<" in bare, ">" in bare) == (True, True, False, False)


def test_agreement_of_each_query_is_in_the_json(examboard: Run, demo_store: Path) -> None:
    found = answer(examboard(demo_store, *AGREEMENT, "--per-query", "--format", "json"))
    assert sum(row["tp"] for row in found["per_query"]) == found["confusion"][0][0]


def test_agreement_of_each_query_stands_in_the_table(examboard: Run, demo_store: Path) -> None:
    lines = examboard(demo_store, *AGREEMENT, "--per-query").out.splitlines()
    named = [line.split()[0] for line in lines if line.startswith(("demo-", "all"))]
    assert (sorted(named[:-1]), named[-1]) == ([f"demo-0{number}" for number in range(1, 9)], "all")


def test_a_grid_has_every_tau_cut_and_label_rank(examboard: Run, demo_store: Path) -> None:
    found = answer(examboard(demo_store, *AGREEMENT, "--grid", "--format", "json"))
    asked = (found["collection"], found["bank"], found["tau"], found["relevant_from"], found["label_rank"])
    assert asked == ("demo", "open", [1, 2, 3, 4, 5], [1, 2, 3], [1, 2, 5])
    assert (len(found["rows"]), isinstance(found["notes"], list)) == (45, True)


def test_a_row_of_the_grid_is_the_agreement_at_its_cut(examboard: Run, demo_store: Path) -> None:
    cut = ("--tau", 3, "--relevant-from", 1, "--label-rank", 2)
    found = answer(examboard(demo_store, *AGREEMENT, *cut, "--format", "json"))
    rows = answer(examboard(demo_store, *AGREEMENT, "--grid", "--format", "json"))["rows"]
    [row] = [row for row in rows if (row["tau"], row["relevant_from"], row["label_rank"]) == (3, 1, 2)]
    assert [row["kappa"], [row["kappa_low"], row["kappa_high"]]] == [found["kappa"], found["kappa_interval"]]


def test_a_printed_column_is_a_leaderboard(examboard: Run, demo_store: Path) -> None:
    arguments = (
        "leaderboard",
        "car-y3-published",
        "--bank",
        "genq",
        "--measure",
        "Cover@20",
        "--format",
        "json",
    )
    rows = answer(examboard(demo_store, *arguments))["rows"]
    assert (rows[0]["run_id"], rows[0]["mean"], rows[0]["stderr"]) == ("ReRnak2_BERT", 0.623, None)


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (("leaderboard", "nowhere", "--measure", "P@20"), 2, "There are: car-y3-published, demo"),
        (("leaderboard", "demo", "--measure", "P@20"), 2, "--bank: open, manual"),
        (("leaderboard", "demo", "--bank", "open", "--measure", "MAP"), 2, "There are: Cover@20"),
        (("leaderboard", "demo", "--bank", "open", "--measure", "P@30"), 2, "Raise --depth"),
        (("leaderboard", "demo", "--bank", "open", "--measure", "P@20", "--tau", "6"), 2, "choose 1 to 5"),
        (("leaderboard", "demo", "--bank", "open", "--measure", "P@20", "--tau", "x"), 2, "1 to 5, or all"),
        (("leaderboard", "demo", "--bank", "open", "--measure", "P@20", "--depth", "x"), 2, "or all"),
        (("leaderboard", "demo", "--bank", "open", "--measure", "P@20", "--grader", "x"), 2, "lexical"),
        (("leaderboard", "demo", "--bank", "other", "--measure", "P@20"), 2, "open, manual"),
        (("leaderboard", "demo", "--bank", "open", "--measure", "P@20", "--reference", "x"), 2, "official"),
        (("agreement", "demo", "--bank", "open", "--judgments", "nobody"), 2, "official"),
        (("agreement", "demo", "--bank", "open", "--judgments", "nobody", "--grid"), 2, "official"),
        (("agreement", "demo", "--bank", "open", "--grid", "--per-query"), 2, "choose one"),
        (("agreement", "car-y3-published", "--bank", "nope", "--grid"), 1, "genq"),
        (("agreement", "dl19-published", "--tau", "3"), 1, "--tau 4 --relevant-from 2 (genq strict)"),
        (("leaderboard", "car-y3-published", "--measure", "nCover@20"), 1, "Printed are:"),
        (("correlate", "car-y3-published", "--reference", "x"), 2, "official"),
        (("leaderboard", "demo"), 2, "more than one bank"),
        (("nonsense",), 2, "No such command"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, tuple) else None,
)
def test_a_wrong_request_is_one_message_and_an_exit_status(
    examboard: Run, demo_store: Path, arguments: tuple[str, ...], status: int, says: str
) -> None:
    done = examboard(demo_store, *arguments)
    assert (done.status, says in done.err, "Traceback" in done.err) == (status, True, False)


def test_bench_edits_a_bank(examboard: Run, demo_store: Path) -> None:
    found = answer(examboard(demo_store, "bench", "editing", "demo", "--bank", "open", "--edits", "2"))
    assert (found["bank"], found["questions"], found["edits"]) == ("open@1", 80, 2)
    assert found["one_off_ms"]["median"] > 0


def test_bench_agrees_with_ir_measures(examboard: Run, tmp_path: Path) -> None:
    assert answer(examboard(tmp_path, "bench", "evaluation"))["largest_difference_to_ir_measures"] < 1e-9


def test_agreement_names_collection_bank_grader_and_judgments(examboard: Run, demo_store: Path) -> None:
    found = answer(examboard(demo_store, *AGREEMENT, "--format", "json"))
    asked = [found[name] for name in ("collection", "bank", "grader", "judgments", "label_map")]
    assert asked == ["demo", "open", "lexical.pourpre-idf", "official", None]


@pytest.mark.parametrize(("collection", "bank"), [("car-y3-published", "genq"), ("dl19-published", "genq")])
def test_agreement_of_printed_counts_names_the_bank_of_the_table(
    examboard: Run, demo_store: Path, collection: str, bank: str
) -> None:
    found = answer(examboard(demo_store, "agreement", collection, "--per-query", "--format", "json"))
    asked = [found[name] for name in ("collection", "bank", "grader", "judgments", "label_map", "label_rank")]
    assert asked == [collection, bank, None, None, None, None]
    assert (found["per_query"], found["kappa_interval"], "there are no queries" in found["notes"][0]) == (
        [],
        None,
        True,
    )


def test_agreement_of_mapped_labels_says_the_map_and_cuts_below_the_largest(examboard: Run, demo_store: Path) -> None:
    mapped = (*AGREEMENT, "--label-map", "5=3,4=1")
    found = answer(examboard(demo_store, *mapped, "--format", "json"))
    assert (found["label_map"], found["tau"], set(found["graded"])) == ("4=1,5=3", 2, {"3", "1", "0"})
    assert "Labels are mapped: 4=1,5=3" in examboard(demo_store, *mapped).out
    assert "4=1,5=3" in examboard(demo_store, *mapped, "--format", "csv").out
    grid = answer(examboard(demo_store, *mapped, "--grid", "--format", "json"))
    assert (grid["label_map"], grid["tau"]) == ("4=1,5=3", [1, 2, 3])


def test_a_tau_that_no_label_reaches_has_no_kappa_and_a_sentence(examboard: Run, demo_store: Path) -> None:
    beyond = (*AGREEMENT, "--label-map", "5=3,4=1", "--tau", 4)
    found = answer(examboard(demo_store, *beyond, "--format", "json"))
    values = [found[name] for name in ("kappa", "kappa_interval", "precision", "recall", "f1")]
    assert (values, found["multiclass_kappa"] is None) == ([None] * 5, False)
    text = examboard(demo_store, *beyond).out
    assert "Cohen's kappa †, 95% interval †" in text
    assert (
        "none can reach tau 4, and kappa, its interval, precision, recall and F1 are undefined. Tau 3 or less" in text
    )


@pytest.mark.parametrize("extra", [(), ("--grid",)], ids=["one cut", "grid"])
def test_printed_labels_cannot_be_mapped(examboard: Run, demo_store: Path, extra: tuple[str, ...]) -> None:
    done = examboard(demo_store, "agreement", "car-y3-published", "--label-map", "5=3", *extra)
    assert (done.status, "printed tables, whose labels can't be mapped" in done.err) == (2, True)


def test_the_help_of_the_grid_names_its_label_ranks(examboard: Run, demo_store: Path) -> None:
    text = " ".join(examboard(demo_store, "agreement", "--help").out.replace("│", " ").split())
    assert "at label ranks 1, 2, 5" in text
