"""`examboard bank list|show|diff|edit|merge|revert|health`."""

import csv
import io
import json
from pathlib import Path

import pytest

from exam_core.actions.importing import import_bank
from exam_core.question import Question
from exam_core.store import Store
from exam_core.tables import question_id
from exam_core.wings.banks.actions import edit_bank
from tests.actions.action_files import bank as bank_file
from tests.actions.action_files import content

WHO, WHERE = "who?", "where?"


def _fill(folder):
    store = Store(folder / "store")
    items = {"q1": {"x": WHO, "y": WHERE}, "q2": {"z": WHO}}
    import_bank(store, "c", bank_file(folder / "b.jsonl", items), bank="b")
    whom = Question("q1", question_id("q1", "whom?"), "whom?", weight=2.0)
    kept = {("q1", "y"): Question("q1", "y", WHERE), ("q2", "z"): Question("q2", "z", WHO)}
    edit_bank(store, "c", "b", {whom.key: whom, **kept}, base=1, reason="grammar", author="ann")


@pytest.fixture
def store(copied):
    """A store in which bank b has a version from a file, and one that ann edited."""
    return copied("bank-commands", _fill) / "store"


def edited(tmp_path, **items):
    return bank_file(tmp_path / "edited.jsonl", {"q1": {"x": WHO, "y": WHERE}, "q2": {"z": WHO}} | items)


def test_list_says_who_made_each_version_and_why(examboard, store):
    rows = json.loads(examboard(store, "bank", "list", "c", "--format", "json").out)
    assert [(row["bank"], row["version"], row["base"], row["questions"], row["reason"]) for row in rows] == [
        ("b", 1, None, 3, "imported b.jsonl"),
        ("b", 2, 1, 3, "grammar"),
    ]
    assert rows[1]["author"] == "ann"


def test_list_of_a_collection_without_banks_says_what_to_do(examboard, demo_store):
    assert "import bank" in examboard(demo_store, "bank", "list", "dl19-published").out


@pytest.mark.parametrize(("bank", "texts"), [("b@1", [WHO, WHERE, WHO]), ("b", ["whom?", WHERE, WHO])])
def test_show_prints_the_questions_of_a_version(examboard, store, bank, texts):
    answer = json.loads(examboard(store, "bank", "show", "c", "--bank", bank, "--format", "json").out)
    assert [row["question_text"] for row in answer["rows"]] == texts
    assert answer["reason"] == ("grammar" if bank == "b" else "imported b.jsonl")


def test_diff_says_words_and_fields_before_and_after(examboard, store):
    done = examboard(store, "bank", "edit", "c", store.parent / "b.jsonl", "--bank", "b@2", "--reason", "back")
    assert (done.status, done.err) == (0, "")
    rows = json.loads(examboard(store, "bank", "diff", "c", "b@3", "b@2", "--format", "json").out)["rows"]
    assert [(row["before"], row["after"]) for row in rows] == [("", "whom?"), (WHO, "")]


def test_edit_makes_a_version_and_says_what_was_changed(examboard, store, tmp_path):
    file = edited(tmp_path, q3={"n": "new?"})
    done = examboard(store, "bank", "edit", "c", file, "--bank", "b@1", "--reason", "one more", "--author", "bob")
    assert (done.status, done.out) == (
        0,
        "c: b@3 is new: 1 added.\n  Meanwhile somebody else saved b@2, which is kept as well. What differs: "
        "examboard bank diff c b@2 b@3\n"
        "  No run answers a new or reworded question before it is graded: examboard grade c --bank b\n",
    )


def test_merge_brings_a_bank_and_a_dry_run_stores_nothing(examboard, store, tmp_path):
    other = bank_file(tmp_path / "o.jsonl", {"q1": {"a": " where?", "b": "Wherever"}, "q2": {"c": "how?"}})
    import_bank(Store(store), "c", other, bank="o")
    before = content(Store(store).snapshot("c"))
    merge = ["bank", "merge", "c", "--bank", "b", "--with", "o", "--alike", "0.95"]
    tried = examboard(store, *merge, "--dry-run", "--format", "json")
    assert (tried.status, content(Store(store).snapshot("c"))) == (0, before)
    assert [row["becomes"] for row in json.loads(tried.out)["rows"]] == ["same"]
    done = examboard(store, *merge)
    assert done.out.splitlines()[0] == "c: b@3 is new: 1 changed, 2 added."


def test_revert_goes_back(examboard, store):
    done = examboard(store, "bank", "revert", "c", "b@1", "--reason", "it was fine")
    assert (done.status, done.out) == (0, "c: b@3 is new: 1 added, 1 removed.\n")
    again = examboard(store, "bank", "diff", "c", "b@1", "b")
    assert "nothing" in again.out


def test_diff_says_what_else_differs(examboard, store, tmp_path):
    other = bank_file(tmp_path / "o.jsonl", {"q1": {"a": " where?"}}, gold_answers=["here", "there"])
    import_bank(Store(store), "c", other, bank="o")
    examboard(store, "bank", "merge", "c", "--bank", "b", "--with", "o")
    (row,) = json.loads(examboard(store, "bank", "diff", "c", "b@2", "b", "--format", "json").out)["rows"]
    assert (row["change"], row["fields"]) == (
        "changed",
        "answers none -> answers here, there; comes from none -> comes from a",
    )


WRONG = {
    "no such bank": (["show", "c", "--bank", "x"], 2, "There is no bank x"),
    "no such version": (["show", "c", "--bank", "b@7"], 2, "versions 1 to 2"),
    "no such query": (["show", "c", "--query", "q\x1b9"], 2, "no question for a query q\\x1b9"),
    "no such collection": (["list", "d"], 2, "no collection d"),
    "a file that is none": (["edit", "c", "none.jsonl", "--bank", "b", "--reason", "r"], 1, "none.jsonl"),
    "a blank reason": (["revert", "c", "b@1", "--reason", " "], 2, "--reason"),
    "an author with controls": (["revert", "c", "b@1", "--reason", "r", "--author", "\x1b[2J"], 2, "--author"),
    "a version that is not said": (["revert", "c", "b", "--reason", "r"], 2, "name the version"),
    "an odd likeness": (["merge", "c", "--bank", "b", "--with", "b@1", "--alike", "nan"], 2, "--alike"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_can_not_be_is_one_message(examboard, store, case):
    arguments, status, why = WRONG[case]
    before = content(Store(store).snapshot("c"))
    done = examboard(store, "bank", *arguments)
    assert (done.status, done.out, why in done.err) == (status, "", True)
    assert content(Store(store).snapshot("c")) == before


def test_what_texts_of_a_bank_hold_reaches_no_terminal(examboard, store):
    one = Question("q1", "x", "\x1b]0;owned\x07\u202e?")
    edit_bank(Store(store), "c", "b", {one.key: one}, base=2, reason="r")
    for command in (["show", "c", "--bank", "b"], ["diff", "c", "b@2", "b"]):
        done = examboard(store, "bank", *command)
        assert (done.status, "\x1b" in done.out, "\\x1b" in done.out) == (0, False, True)


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


REFUSED = {
    "saw without halves": (["--saw", "x"], 2, "add --hidden"),
    "unknown run": (["--hidden", "5", "--saw", "x\x1b[31m"], 2, "--saw x\\x1b[31m: there is no such run"),
    "no file": (["--hidden", "5", "--public", "nowhere.txt"], 1, "nowhere.txt"),
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
