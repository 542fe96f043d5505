"""From one's own files to a leaderboard in three commands; kappa and correlation by two more."""

import pytest

from tests import newcomer


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
