"""import and export: what they print, that a bad file stores nothing, and leaderboards of other tools."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import newcomer
from tests.wings import rows_added

Run = Callable[..., Any]


@pytest.fixture
def small(copied, examboard):
    """A store with one collection: two runs and judgments."""

    def fill(folder):
        (folder / "a.run").write_text("q1 Q0 d1 1 2.0 a\nq1 Q0 d2 2 1.0 a\n")
        (folder / "b.run").write_text("q1 Q0 d2 1 2.0 b\nq2 Q0 d1 2 1.0 b\n")
        (folder / "x.qrels").write_text("q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 3\n")
        store = folder / "store"
        examboard(store, "import", "run", folder / "a.run", folder / "b.run", "--collection", "small")
        examboard(store, "import", "qrels", folder / "x.qrels", "--collection", "small")

    return copied("importing-commands", fill) / "store"


@pytest.fixture
def folder(tmp_path):
    """A folder with a run, judgments, topics and a file for people."""
    place = tmp_path / "mydata"
    place.mkdir()
    (place / "a.run").write_text("q1 Q0 d1 1 2.0 a\nq1 Q0 d2 2 1.0 a\n")
    (place / "x.qrels").write_text("q1 0 d1 2\nq1 0 d2 0\n")
    (place / "topics.tsv").write_text("q1\twhy is the sky blue\n")
    (place / "README.md").write_text("# Ours\n")
    return place


def test_a_folder_is_recognised_imported_and_taken_back(examboard, tmp_path, folder):
    said = examboard(tmp_path / "store", "import", f"{folder}/").out.splitlines()
    assert said[:4] == [
        "topics.tsv: Query texts, 1 query",
        "a.run: Run, 1 run, 2 ranked passages",
        "x.qrels: Human judgments named official, 1 query, 2 judgments",
        "mydata: 1 query, 1 run, 2 ranked passages, 2 judgments",
    ]
    assert said[4:] == [
        f"  Left out, no data: {folder / 'README.md'}",
        "  All of it is taken back with: examboard import undo --collection mydata",
    ]
    assert "the collection is gone" in examboard(tmp_path / "store", "import", "undo", "--collection", "mydata").out


def test_commands_that_are_shown_are_quoted_for_a_shell(examboard, tmp_path, folder):
    store, name = tmp_path / "store", "Ann's data"
    said = examboard(store, "import", f"{folder}/", "--collection", name).out
    command = shlex.split(said.rpartition("taken back with: examboard ")[2])
    assert command == ["import", "undo", "--collection", name]
    assert examboard(store, *command).status == 0


def test_files_come_as_their_folder_does_and_options_may_stand_first(examboard, told, tmp_path, folder):
    store = tmp_path / "store"
    examboard(store, "import", "--collection", "c", *folder.iterdir())
    examboard(store, "import", *folder.iterdir())
    collections = told("list", store=store)
    assert [(one["collection"], one["runs"], one["queries"]) for one in collections] == [("c", 1, 1), ("mydata", 1, 1)]


def test_the_column_of_a_board_among_files_is_chosen(examboard, tmp_path):
    (tmp_path / "board.csv").write_text("system,nDCG,MAP\na,0.5,0.25\nb,0.25,0.5\n")
    command = ("import", tmp_path / "board.csv", "--collection", "c")
    refused = examboard(tmp_path / "store", *command)
    assert (refused.status, "Choose one with --column, for instance --column nDCG" in refused.err) == (1, True)
    assert examboard(tmp_path / "store", *command, "--column", "map").status == 0


def test_a_file_of_no_kind_stops_all_unless_it_is_to_be_skipped(examboard, tmp_path, folder):
    (folder / "letter.txt").write_text("Dear reader,\nhow are you?\n")
    done = examboard(tmp_path / "store", "import", folder)
    assert (done.status, (tmp_path / "store").exists()) == (1, False)
    assert done.err.startswith(f"{folder / 'letter.txt'}: looks like none of the kinds that can be imported. Its ")
    done = examboard(tmp_path / "store", "import", folder, "--skip-unknown")
    assert (done.status, f"of no known kind: {folder / 'letter.txt'}\n" in done.out) == (0, True)


def test_a_word_that_is_no_kind_and_no_file_is_told_the_kinds(examboard, tmp_path):
    done = examboard(tmp_path / "store", "import", "rum", "a.run")
    assert (done.status, done.err.startswith("rum: there is no file, folder or kind of file of that name")) == (2, True)
    assert "Did you mean: import run? Kinds: run, qrels, " in done.err


def test_a_folder_named_as_the_demo_needs_another_name(examboard, tmp_path, folder):
    done = examboard(tmp_path / "store", "import", folder.rename(tmp_path / "demo"))
    assert (done.status, "--collection NAME" in done.err) == (2, True)


def test_labels_become_a_grading_mode(examboard, told, small, tmp_path):
    (tmp_path / "sun.qrels").write_text("q1 0 d1 1\nq2 0 d1 0\n")
    examboard(small, "import", "labels", tmp_path / "sun.qrels", "--grader", "Sun", "--collection", "small")
    board = told("leaderboard", "small", "--measure", "P@1", store=small)
    assert (board["grader"], board["tau"]) == ("Sun", 1)


def test_a_scale_is_kept_with_its_grader_shared_and_taken_back(examboard, told, small, tmp_path):
    labels, shared = tmp_path / "mine.qrels", tmp_path / "shared.duckdb"
    labels.write_text("q1 0 d1 4\nq1 0 d2 2\nq2 0 d1 1\n")

    def scales(store):
        (listed,), agreed = told("list", store=store), told("agreement", "small", store=store)
        assert (agreed["scale"], agreed["scale_from"]) == (listed["scale"]["mine"], listed["scale_from"]["mine"])
        return (agreed["scale"], agreed["scale_from"], agreed["tau"])

    brought = ("import", "labels", labels, "--grader", "mine", "--collection", "small")
    guessed = (
        "No scale is declared for mine: 0 to 3 is assumed, the scale of the judgments; the default tau is 2 (`import "
        "labels --scale` declares another).",
        "1 of the 3 labels of mine is outside of its scale, 0 to 3.",
    )
    out = examboard(small, *brought).out
    assert [note in out for note in guessed] == [True, True]
    assert scales(small) == (3, "judgments", 2)
    assert told("agreement", "small", store=small)["notes"][:2] == list(guessed)
    assert examboard(small, *brought, "--scale", "0-3").out.count("1 label is above 3") == 1
    assert "0 to 3 is assumed" not in examboard(small, *brought, "--scale", "0-5").out
    assert scales(small) == (5, "declared", 4)
    assert "The scale of mine stays 0 to 5, as declared before." in examboard(small, *brought).out
    examboard(small, "export", "duckdb", shared)
    examboard(tmp_path / "other", "import", "duckdb", shared)
    assert scales(shared) == scales(tmp_path / "other") == scales(small) == (5, "declared", 4)
    for before in ((3, "declared", 2), (3, "judgments", 2)):
        examboard(small, "import", "undo", "--collection", "small")
        assert scales(small) == before
    assert examboard(small, *brought, "--scale", "1-5").status == 2


def test_a_declared_scale_beyond_the_taus_or_the_labels_is_said(examboard, small, tmp_path):
    (tmp_path / "mine.qrels").write_text("q1 0 d1 3\nq1 0 d2 2\nq2 0 d1 9\n")
    board = ("leaderboard", "small", "--measure", "P@1")

    def said(scale):
        labels = ("import", "labels", tmp_path / "mine.qrels", "--grader", "mine", "--collection", "small")
        outs = [examboard(small, *command).out for command in ((*labels, "--scale", scale), board)]
        notes = ("0 to 10, and its default tau 5, not 9: taus go from 1 to 5.", "0 of the 3 labels of mine reach its")
        return [note in out for out in outs for note in notes]

    assert said("0-10") == [True, False] * 2
    refused = examboard(small, *board, "--tau", "9")
    assert (refused.status, "choose 1 to 5. The scale of mine is 0 to 10, but" in refused.err) == (2, True)
    (tmp_path / "mine.qrels").write_text("q1 0 d1 3\nq1 0 d2 2\nq2 0 d1 1\n")
    assert said("0-6") == [False, True] * 2


GUESSING = [
    "leaderboard small --measure P@1",
    "correlate small --measure P@1 --reference qrels:P@1",
    "correlate small --judgments official --measure P@1 --reference grades:P@1:grader=mine",
    "outliers small --measures P@1 --draws 5 --reference qrels:P@1",
    *rows_added("GUESSING"),
]


def test_a_cut_that_is_guessed_is_named(examboard, small, tmp_path):
    (tmp_path / "mine.qrels").write_text("q1 0 d1 3\nq1 0 d2 2\nq2 0 d1 1\n")
    examboard(small, "import", "labels", tmp_path / "mine.qrels", "--grader", "mine", "--collection", "small")
    note = "No scale is declared for mine: 0 to 3 is assumed"
    assert [command for command in GUESSING if note not in examboard(small, *command.split()).out] == []


def test_a_bad_file_among_good_ones_is_refused_with_every_bad_line_and_nothing_is_stored(examboard, small, tmp_path):
    before, good, bad = sorted(small.rglob("*")), tmp_path / "c.run", tmp_path / "bad.run"
    good.write_text("q1 Q0 d1 1 2.0 c\n")
    bad.write_text("q1 Q0 d1 1 2.0 c\nq1 Q0 d2 2\nq1 Q0 d3 x 1.0 c\n")
    done = examboard(small, "import", "run", good, bad, "--collection", "small")
    assert (done.status, f"{bad}:2:" in done.err, f"{bad}:3:" in done.err) == (1, True, True)
    assert sorted(small.rglob("*")) == before


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("export qrels demo FILE --bank open", "459 labels"),
        ("export run demo FILE", "5,223 lines"),
        ("export workbench demo FILE", "8 queries"),
        ("export values demo FILE --bank open", "120 values"),
        *rows_added("EXPORTED"),
    ],
)
def test_an_export_says_how_much_it_wrote_or_prints_the_file_and_nothing_else(
    examboard: Run, demo_store: Path, tmp_path: Path, command: str, said: str
) -> None:
    file = tmp_path / "out.svg"
    done = examboard(demo_store, *command.replace("FILE", str(file)).split())
    assert done.out.splitlines()[0] == f"{file}: {said}"
    printed = examboard(demo_store, *command.replace("FILE", "-").split())
    assert (printed.status, printed.out) == (0, file.read_text())
    assert printed.err.splitlines() == done.out.splitlines()[1:]


def test_standard_output_by_its_name_is_printed_to_and_not_written_anew(examboard, demo_store):
    printed = [examboard(demo_store, "export", "run", "demo", place).out for place in ("-", "/dev/stdout", "/dev/fd/1")]
    assert (len(set(printed)), printed[0].count("\n")) == (1, 5223)


def test_what_is_printed_may_be_cut_off(demo_store):
    command = [sys.executable, "-m", "exam_core", "--store", str(demo_store), "export", "workbench", "demo", "-"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as done:
        assert done.stdout
        assert done.stderr
        assert done.stdout.read(1) == b"["
        done.stdout.close()  # as `head` does
        assert b"Traceback" not in done.stderr.read()


def test_an_exported_store_is_read_as_it_is_and_taken_back(examboard, demo_store, tmp_path):
    examboard(demo_store, "export", "duckdb", tmp_path / "shared.duckdb", "--collection", "demo-nuggets")
    examboard(tmp_path / "new", "import", "duckdb", tmp_path / "shared.duckdb")
    stores = (demo_store, tmp_path / "shared.duckdb", tmp_path / "new")
    ours, shared, back = (json.loads(examboard(store, "list", "--format", "json").out) for store in stores)
    assert [one for one in ours if one["collection"] == "demo-nuggets"] == shared == back


def test_an_export_says_what_the_workbench_format_leaves_out(examboard, demo_store, tmp_path):
    assert "neither graded nor judged" in examboard(demo_store, "export", "workbench", "demo", tmp_path / "out.gz").out


def test_exported_labels_can_be_mapped(examboard, demo_store, tmp_path):
    out = tmp_path / "labels.qrels"
    done = examboard(demo_store, "export", "qrels", "demo", out, "--bank", "open", "--label-map", "5=3,4=1")
    assert (done.status, {line.split()[3] for line in out.read_text().splitlines()}) == (0, {"0", "1", "3"})


@pytest.fixture
def demo(examboard, own_store):
    """`demo(command, ...)`: a command on a demo that a test may change."""
    return lambda *words: examboard(own_store, *words)


def test_a_board_goes_out_and_comes_in(demo, tmp_path):
    written = ("--judgments", "official", "--measure", "nDCG@10", "--form", "run-measure-topic-value")
    demo("export", "leaderboard", "demo", tmp_path / "board.txt", *written)
    done = demo("import", "leaderboard", tmp_path / "board.txt", "--name", "judged", "--collection", "demo")
    assert "1 leaderboard, 15 rows, 120 values" in done.out


def test_what_has_to_be_chosen_or_is_not_there_is_said(demo, tmp_path):
    path = tmp_path / "board.csv"
    path.write_text("run,AP,P@5\nbm25,0.1,0.2\n")
    bring = ("import", "leaderboard", path, "--name", "n", "--collection", "demo")
    refused = demo(*bring)
    assert (refused.status, "AP, P@5" in refused.err, "--column AP" in refused.err) == (1, True, True)
    assert demo(*bring, "--column", "p@5").status == 0
    out = demo("export", "leaderboard", "demo", "-", "--name", "n", "--form", "run-measure-topic-value").out
    assert out.splitlines()[1:] == ["bm25\tP@5\tall\t0.2"]
    assert demo(*bring, "--column", "AP", "--run", "x", "--name-from", "file").status == 2


def test_own_grades_by_question_are_a_table_beside_runs_judgments_and_a_bank(examboard, told, tmp_path):
    store = tmp_path / "store"
    folder = newcomer.write(tmp_path / "mydata", 120)
    rows = ["Query;Doc ID;Question;Rating;Judge"]
    for query, _, doc, relevance in map(str.split, (folder / "qrels.txt").read_text("utf-8").splitlines()):
        word = newcomer.QUERIES[query]
        rows += [f"{query};{doc};{start} {word}?;{4 * int(relevance)},0;me" for start in ("What is", "Why is there")]
    (folder / "mine.csv").write_text("\n".join(rows) + "\n", "utf-8")
    brought = examboard(store, "import", folder)
    assert (brought.status, "12 questions of bank bank." in brought.out) == (0, True), brought.err

    board = told("leaderboard", "mydata", "--measure", "P@10", store=store)
    means = {row["run_id"]: row["mean"] for row in board["rows"]}
    assert means == {"bm25": pytest.approx(0.7), "dense": pytest.approx(0.3)}
    judged = ("--reference", "qrels:nDCG@10", "--measure", "P@10")
    assert told("correlate", "mydata", *judged, store=store)[0]["kendall"] == pytest.approx(1.0)
    assert told("agreement", "mydata", "--relevant-from", 1, store=store)["kappa"] == pytest.approx(1.0)


def test_questions_of_a_table_without_texts_wait_for_their_bank(examboard, tmp_path):
    (tmp_path / "mine.csv").write_text("qid,docid,question_id,grade\nq1,d1,a,4\nq1,d1,b,0\n", "utf-8")
    (tmp_path / "texts.csv").write_text("qid,question_id,question\nq1,a,Why?\nq1,b,How?\n", "utf-8")
    into = ("--collection", "c")
    first = examboard(tmp_path / "store", "import", tmp_path / "mine.csv", *into)
    assert "so it is named after the file: mine." in first.out
    command = "import bank FILE --collection c --bank questions"
    assert (
        f"2 questions without a text, such as a: the id is shown instead. Add the texts with: examboard {command}"
        in first.out
    )
    bank = ("import", "bank", tmp_path / "texts.csv", *into, "--bank", "questions")
    assert examboard(tmp_path / "store", *bank).status == 0
    again = examboard(tmp_path / "store", "import", tmp_path / "mine.csv", *into)
    assert ("already there" in again.out, "2 questions of bank questions." in again.out) == (True, True)


def test_importing_the_same_file_again_says_that_nothing_changed(examboard, small, tmp_path):
    done = examboard(small, "import", "run", tmp_path / "a.run", "--collection", "small")
    assert "nothing changed" in done.out
