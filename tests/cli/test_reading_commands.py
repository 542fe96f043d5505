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
AGREEMENT = ("agreement", "demo", "--bank", "open")
OPEN_AP = ("leaderboard", "demo", "--bank", "open", "--measure", "AP", "--tau", "3", "--depth", "10")


def answer(done: Any) -> Any:
    assert done.status == 0, done.err
    return json.loads(done.out)


def test_list_and_the_rows_of_a_board_have_the_keys_of_the_contract(told: Run) -> None:
    held = "collection queries passages distinct_passages questions grades runs judgments reviews banks graders scale"
    assert set(told("list")[0]) == {*held.split(), "scale_from", "leaderboards"}
    row = "run_id mean stderr n_queries normalised normalised_stderr rank reference_rank unanswered"
    assert list(told(*OPEN)["rows"][0]) == row.split()


@pytest.mark.parametrize(
    ("arguments", "keys"),
    [
        (OPEN, "collection bank grader measure tau tau_applies depth label_rank rows overall correlation ungraded"),
        (AGREEMENT, "tau relevant_from label_rank confusion graded kappa kappa_interval n"),
    ],
    ids=["leaderboard", "agreement"],
)
def test_an_answer_has_the_keys_of_the_contract(told: Run, arguments: tuple[str, ...], keys: str) -> None:
    assert set(told(*arguments)) >= set(keys.split())


def test_list_of_an_empty_store_says_what_to_do(examboard: Run, tmp_path: Path) -> None:
    assert "python -m exam_core demo" in examboard(tmp_path, "list").out


def test_the_table_of_a_board_that_leaves_nothing_unanswered_has_no_such_column(
    examboard: Run, demo_store: Path
) -> None:
    forms = [examboard(demo_store, *OPEN, "--format", form).out for form in ("table", "latex", "csv")]
    assert ["unanswered" in text for text in forms] == [False, False, True]


def test_average_precision_is_headed_by_how_much_is_read(told: Run, examboard: Run, demo_store: Path) -> None:
    board = told(*OPEN_AP)
    (entry,) = told("correlate", *OPEN_AP[1:])
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


def test_rounded_means_have_four_decimals(told: Run) -> None:
    board = told(*OPEN, "--rounded", "trec_eval")
    assert board["rounded"] == "trec_eval"
    assert all(row["mean"] == round(row["mean"], 4) for row in board["rows"])


def test_judgments_have_no_tau_and_all_taus_are_a_list_of_five(told: Run) -> None:
    assert told("leaderboard", "demo", "--measure", "P@20", "--judgments", "official")["tau"] is None
    boards = told("leaderboard", "demo", "--bank", "open", "--measure", "P@20", "--tau", "all")
    assert [board["tau"] for board in boards] == [1, 2, 3, 4, 5]


def test_a_table_ends_with_the_correlation(examboard: Run, demo_store: Path) -> None:
    assert "Against official: Spearman" in examboard(demo_store, *OPEN).out


def test_csv_reads_back_with_full_precision(told: Run, examboard: Run, demo_store: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(examboard(demo_store, *OPEN, "--format", "csv").out)))
    board = told(*OPEN)
    assert [float(row["mean"]) for row in rows] == [row["mean"] for row in board["rows"]]


def test_agreement_names_what_was_asked_and_has_a_kappa_inside_its_interval_and_each_query(told: Run) -> None:
    found = told(*AGREEMENT, "--per-query")
    asked = [found[name] for name in ("collection", "bank", "grader", "judgments", "label_map")]
    assert asked == ["demo", "open", "lexical.pourpre-idf", "official", None]
    low, high = found["kappa_interval"]
    assert -1 <= low < found["kappa"] < high <= 1
    assert sum(row["tp"] for row in found["per_query"]) == found["confusion"][0][0]


def test_agreement_as_csv_says_what_the_json_says(told: Run, examboard: Run, demo_store: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(examboard(demo_store, *AGREEMENT, "--format", "csv").out)))
    found = told(*AGREEMENT)
    names = ("kappa", "n", "precision", "recall", "f1", "linear_kappa", "quadratic_kappa", "krippendorff_alpha")
    assert [[float(row[name]) for name in names] for row in rows] == [[found[name] for name in names]]


@pytest.mark.parametrize("extra", [(), ("--per-query",), ("--grid",)], ids=["", "per query", "grid"])
def test_agreement_as_latex_has_kappa_and_n_and_no_bare_sign(
    examboard: Run, demo_store: Path, extra: tuple[str, ...]
) -> None:
    text = examboard(demo_store, *AGREEMENT, *extra, "--format", "latex").out
    bare = text.replace("$<$", "").replace("$>$", "")
    assert ("kappa" in text, "& n" in text, "<" in bare, ">" in bare) == (True, True, False, False)


def test_agreement_of_each_query_stands_in_the_table(examboard: Run, demo_store: Path) -> None:
    lines = examboard(demo_store, *AGREEMENT, "--per-query").out.splitlines()
    named = [line.split()[0] for line in lines if line.startswith(("demo-", "all"))]
    assert (sorted(named[:-1]), named[-1]) == ([f"demo-0{number}" for number in range(1, 9)], "all")


def test_a_grid_has_every_tau_cut_and_label_rank(told: Run) -> None:
    found = told(*AGREEMENT, "--grid")
    asked = (found["collection"], found["bank"], found["tau"], found["relevant_from"], found["label_rank"])
    assert asked == ("demo", "open", [1, 2, 3, 4, 5], [1, 2, 3], [1, 2, 5])
    assert (len(found["rows"]), isinstance(found["notes"], list)) == (45, True)


def test_a_row_of_the_grid_is_the_agreement_at_its_cut(told: Run) -> None:
    cut = ("--tau", 3, "--relevant-from", 1, "--label-rank", 2)
    found = told(*AGREEMENT, *cut)
    rows = told(*AGREEMENT, "--grid")["rows"]
    [row] = [row for row in rows if (row["tau"], row["relevant_from"], row["label_rank"]) == (3, 1, 2)]
    assert [row["kappa"], [row["kappa_low"], row["kappa_high"]]] == [found["kappa"], found["kappa_interval"]]


def test_a_printed_column_is_a_leaderboard(told: Run) -> None:
    first = told("leaderboard", "car-y3-published", "--bank", "genq", "--measure", "Cover@20")["rows"][0]
    assert (first["run_id"], first["mean"], first["stderr"]) == ("ReRnak2_BERT", 0.623, None)


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


@pytest.mark.parametrize("collection", ["car-y3-published", "dl19-published"])
def test_agreement_of_printed_counts_names_the_bank_of_the_table(told: Run, collection: str) -> None:
    found = told("agreement", collection, "--per-query")
    names = ("collection", "bank", "grader", "judgments", "label_map", "label_rank", "kappa_interval", "per_query")
    assert [found[name] for name in names] == [collection, "genq", None, None, None, None, None, []]
    assert "there are no queries" in found["notes"][0]


def test_agreement_of_mapped_labels_says_the_map_and_cuts_below_the_largest(
    told: Run, examboard: Run, demo_store: Path
) -> None:
    mapped = (*AGREEMENT, "--label-map", "5=3,4=1")
    found = told(*mapped)
    assert (found["label_map"], found["tau"], set(found["graded"])) == ("4=1,5=3", 2, {"3", "1", "0"})
    assert "Labels are mapped: 4=1,5=3" in examboard(demo_store, *mapped).out
    assert "4=1,5=3" in examboard(demo_store, *mapped, "--format", "csv").out
    grid = told(*mapped, "--grid")
    assert (grid["label_map"], grid["tau"]) == ("4=1,5=3", [1, 2, 3])


def test_a_tau_that_no_label_reaches_has_no_kappa_and_a_sentence(told: Run, examboard: Run, demo_store: Path) -> None:
    beyond = (*AGREEMENT, "--label-map", "5=3,4=1", "--tau", 4)
    found = told(*beyond)
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
