"""`bank health`: what it lists, and what it refuses."""

import csv
import io
import json
from pathlib import Path

import pytest

from exam_core.store import Store

ILL = ["bank", "health", "demo", "--bank", "open", "--tau", "3"]


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


LISTS = ("questions", "pairs")


def test_json_has_all_that_can_be_listed(told, examboard, demo_store):
    answer = told(*ILL, "--alike", "0.6")
    for listed in LISTS:
        done = examboard(demo_store, *ILL, "--alike", "0.6", "--list", listed, "--format", "csv")
        assert (listed, done.status, done.err) == (listed, 0, "")
        theirs = answer["rows" if listed == "questions" else listed]
        assert len(rows(done.out)) == len(theirs) > 0
        assert list(rows(done.out)[0]) == list(theirs[0])


def test_a_table_counts_and_leaves_out_questions_that_tell_nothing(told, examboard, demo_store):
    answer = told(*ILL)
    said = examboard(demo_store, *ILL).out
    kinds = answer["kinds"]
    telling = f"{kinds['discriminating']} of {len(answer['rows'])} questions separate good runs from bad"
    assert f"Bank open@1, tau 3: {telling}; the others: {kinds['unanswered']} that no run answers, " in said
    weak = [row["question_id"] for row in answer["rows"] if row["kind"] in ("weak", "hard")]
    assert weak
    assert not any(name in said for name in weak)


def test_runs_that_saw_public_questions_are_compared_with_the_others(told, examboard, demo_store, tmp_path):
    bank = Store(demo_store).snapshot("demo").frame("questions")
    ids = bank.loc[bank["bank_id"] == "open", "question_id"].drop_duplicates().tolist()
    run = Store(demo_store).snapshot("demo").frame("rankings")["run_id"].iloc[0]
    public = tmp_path / "public.txt"
    public.write_text("\n".join(ids[::2]) + "\n", encoding="utf-8")
    named = ["--hidden", "20", "--public", str(public), "--saw", run, "--seed", "7"]
    answer = told(*ILL, *named)
    assert (answer["halves"], answer["seed"], answer["saw"]) == (20, 7, [run])
    assert 1 / 21 <= answer["advantage"]["p"] <= 1
    said = examboard(demo_store, *ILL, *named).out
    assert "Gain of the 1 run that saw the bank, against the others: " in said


def test_a_bank_that_nobody_graded_says_what_can_be_said(examboard, tmp_path):
    file = tmp_path / "bank.jsonl"
    items = [{"question_id": f"q/{n}", "query_id": "q", "question_text": f"Who won it {n}?"} for n in range(2)]
    file.write_text(json.dumps({"query_id": "q", "query_text": "x", "test_collection": "c", "items": items}) + "\n")
    store = tmp_path / "store"
    assert examboard(store, "import", "bank", str(file), "--bank", "new", "--collection", "mine").status == 0
    done = examboard(store, "bank", "health", "mine", "--list", "pairs", "--format", "csv")
    assert (done.status, done.err, len(rows(done.out))) == (0, "", 1)
    said = examboard(store, "bank", "health", "mine").out
    assert "Nothing is graded on bank new@1 yet" in said
    assert "grade mine --bank new" in said


REFUSED = {
    "alike": (["--alike", "2"], 2, "--alike 2: choose 0.5 to 1"),
    "no draws": (["--hidden", "0"], 2, "--hidden 0: choose 1 to 10000"),
    "seed": (["--hidden", "5", "--seed", "-1"], 2, "--seed -1"),
    "saw without halves": (["--saw", "x"], 2, "add --hidden"),
    "public without halves": (["--public", "x"], 2, "add --hidden"),
    "unknown run": (["--hidden", "5", "--saw", "x\x1b[31m"], 2, "--saw x\\x1b[31m: there is no such run"),
    "no file": (["--hidden", "5", "--public", "nowhere.txt"], 1, "nowhere.txt"),
    "unknown bank": (["--bank", "nobody"], 2, "There is no bank nobody"),
    "unknown version": (["--bank", "open@9"], 2, "has versions 1 to"),
    "judgments": (["--judgments", "official"], 1, "labels whole passages"),
    "a measure of texts": (["--measure", "POURPRE"], 2, "not grades"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_answered_is_refused_in_a_sentence(examboard, demo_store, case):
    options, status, words = REFUSED[case]
    done = examboard(demo_store, *ILL, *options)
    assert (done.status, done.out) == (status, "")
    assert words in done.err
    assert "Traceback" not in done.err


ODD = {
    "bytes": (b"\xff\xfe\x00", "not UTF-8 text"),
    "empty": (b" \n\n", "names no question"),
    "another question": (b"x\x00y\n", "Not among the bank's questions: x\\x00y"),
}


@pytest.mark.parametrize("case", ODD)
def test_a_file_that_names_no_questions_of_the_bank_is_refused(examboard, demo_store, tmp_path, case):
    content, words = ODD[case]
    file = tmp_path / "public.txt"
    Path(file).write_bytes(content)
    done = examboard(demo_store, *ILL, "--hidden", "5", "--public", str(file))
    assert done.status in (1, 2)
    assert words in done.err
