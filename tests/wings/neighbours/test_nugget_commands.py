"""The commands about nuggets, and the demo's collections of generated answers."""

import json

import pytest

from exam_core.demo.demo_collection import NUGGETS
from exam_core.store import Store

LINE = {
    "qid": "q",
    "query": "weather",
    "run_id": "a",
    "answer_text": "Rain falls.",
    "nuggets": [
        {"text": "Rain", "importance": "vital", "assignment": "support"},
        {"text": "Wind", "importance": "okay", "assignment": "failed"},
    ],
}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "assigned.jsonl"
    path.write_text(json.dumps(LINE), "utf-8")
    return path


def test_assignments_are_imported_with_what_is_odd_about_them(examboard, tmp_path, file):
    done = examboard(tmp_path / "store", "import", "assignments", file, "--collection", "c")
    assert (done.status, done.out.splitlines()) == (
        0,
        [
            "c: 1 run, 1 query, 1 answer, 2 questions, 2 grades",
            "  1 label is none of support, partial_support, not_support (failed 1): kept, and counted as not found.",
        ],
    )


@pytest.fixture
def assigned(examboard, tmp_path, file):
    """A store with one answer: its vital nugget is supported, of the okay one the label can't be read."""
    store = tmp_path / "store"
    examboard(store, "import", "assignments", file, "--collection", "c")
    return store


def test_nuggets_answers_with_scores_and_what_is_dirty(examboard, assigned):
    answer = json.loads(examboard(assigned, "nuggets", "c", "--format", "json").out)
    assert answer | {"collection": "c", "bank": "nuggets", "grader": "nuggetizer", "depth": 20} == answer
    # One vital nugget of one; of 1 + 1/2 the 1; of two nuggets one.
    scores = {"vital": 1.0, "weighted": 1 / 1.5, "all": 0.5}
    (row,) = answer["rows"]
    for name, score in scores.items():
        assert row[f"{name}_score"] == row[f"strict_{name}_score"] == pytest.approx(score, abs=1e-15)
    assert row | {"run_id": "a", "n_queries": 1, "support": 1, "unread": 1} == row
    assert answer["dirty"] == [{"run_id": "a", "label": "failed", "n": 1}]
    (note,) = answer["notes"]
    assert note.startswith("Unreadable: 1 of 2 answers of nuggetizer")
    assert "queries" not in answer
    listed = json.loads(examboard(assigned, "nuggets", "c", "--per-query", "--format", "json").out)["queries"]
    assert [(row["run_id"], row["query_id"], row["all_score"]) for row in listed] == [("a", "q", 0.5)]
    shown = {form: examboard(assigned, "nuggets", "c", "--format", form).out for form in ("table", "csv")}
    assert [form for form, out in shown.items() if "failed" in out] == ["table"]


@pytest.mark.parametrize(
    ("asked", "status", "said"),
    [
        (["nuggets", "car-y3-published"], 2, "car-y3-published has no grades."),
        (["nuggets", "demo"], 2, "There is more than one bank; choose with --bank: open, manual"),
        (["nuggets", "demo", "--bank", "open", "--depth", "0"], 2, "--depth 0: rankings are cut at"),
        (["nuggets", "demo-nuggets", "--variability", "--per-query"], 2, "--variability and --per-query: choose one"),
        (["nuggets", "demo-nuggets", "--grader", "nuggetizer", "--strict"], 2, "--strict goes with --variability"),
    ],
    ids=["print", "two banks", "depth", "two tables", "strict alone"],
)
def test_what_has_no_nugget_scores_is_said_in_a_sentence(examboard, demo_store, asked, status, said):
    done = examboard(demo_store, *asked)
    assert (done.status, done.out, said in done.err) == (status, "", True)


def test_any_bank_and_grader_has_nugget_scores_with_a_note_on_their_scale(told):
    answer = told("nuggets", "demo", "--bank", "open")
    assert answer["notes"][:2] == [
        "lexical.pourpre-idf grades from 0 to 5: a nugget is supported from grade 2 on, and in part at grade 1.",
        "The bank marks no question as vital or okay, so all count as vital.",
    ]


def test_the_order_of_runs_under_other_importances(told, examboard, demo_store):
    asked = ["nuggets", "demo-nuggets", "--grader", "nuggetizer", "--variability", "--draws", "50", "--seed", "3"]
    answer = told(*asked)
    assert answer | {"strict": False, "draws": 50, "seed": 3, "notes": []} == answer
    assert answer["rows"][0]["run_id"] == "gen-careful"
    labels = [row["labels"] for row in answer["variants"]]
    assert labels == ["everything vital", "vital and okay exchanged", "50 shuffles"]
    assert "50 shuffles of vital and okay within each query, seed 3." in examboard(demo_store, *asked).out


def test_citations_of_the_demo_are_followed(told):
    asked = ["citations", "demo-nuggets", "--grader", "lexical.pourpre-idf", "--tau", "3"]
    answer = told(*asked, "--claims")
    assert (answer["tau"], answer["notes"]) == (3, [])
    for row in answer["rows"]:
        mine = [claim for claim in answer["claims"] if claim["run_id"] == row["run_id"]]
        assert (row["claims"], row["unknown"]) == (len(mine), 0)
        assert row["supported"] == sum(claim["status"] == "supported" for claim in mine)
    assert {row["run_id"]: row["claims"] > 0 for row in answer["rows"]} == dict.fromkeys(
        ("gen-brief", "gen-careful", "gen-chatty", "gen-confused"), True
    )


def test_a_bank_of_vital_nuggets_is_not_said_to_be_silent_on_importance(examboard, tmp_path):
    path = tmp_path / "vital.jsonl"
    path.write_text(json.dumps(LINE | {"nuggets": LINE["nuggets"][:1]}), "utf-8")
    examboard(tmp_path / "s", "import", "assignments", path, "--collection", "c")
    assert "as vital or okay" not in examboard(tmp_path / "s", "nuggets", "c").out


@pytest.fixture(scope="module")
def answers(demo_store):
    return Store(demo_store).snapshot("demo-nuggets")


def test_the_answers_of_the_demo_cite_known_passages_and_have_every_kind_of_label_and_importance(answers):
    lines = (NUGGETS / "assignments.jsonl").read_text(encoding="utf-8").splitlines()
    assigned = {f"{line['run_id']}/{line['qid']}": line["answer_text"] for line in map(json.loads, lines)}
    texts = answers.frame("passages").set_index("doc_id")["passage_text"]
    assert {doc_id: texts[doc_id] for doc_id in assigned} == assigned
    found = answers.query(
        "SELECT count(*) AS n, count(passage_text) AS known, count(graded.doc_id) AS graded FROM pool "
        "LEFT JOIN passages USING (doc_id) LEFT JOIN "
        "(SELECT DISTINCT query_id, doc_id FROM grades WHERE grader_id LIKE 'lexical%') graded USING (query_id, doc_id)"
    )
    pool = len(answers.frame("pool"))
    assert found.to_numpy().tolist() == [[pool, pool, pool]]
    labels = answers.query("SELECT DISTINCT answer FROM grades WHERE grader_id = 'nuggetizer' ORDER BY 1")["answer"]
    assert labels.tolist() == ["contradiction", "not_support", "partial_support", "support", "unclear"]
    assert set(answers.frame("questions")["importance"]) == {"vital", "okay", "avoid"}
