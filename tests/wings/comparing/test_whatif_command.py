"""whatif: its options, JSON keys and refusals."""

import pytest

from exam_core.store import Store

OPEN = ("demo", "--bank", "open", "--tau", "3")


@pytest.fixture
def question_id(demo_store):
    """A question of the open bank that changes labels when it is dropped."""
    rows = Store(demo_store).snapshot("demo").frame("questions")
    return str(rows[rows["bank_id"] == "open"]["question_id"].iloc[3])


def test_an_edit_shows_both_boards_both_correlations_and_other_labels(told, question_id):
    found = told("whatif", *OPEN, "--drop", question_id)
    assert found["questions_before"] - found["questions_after"] == 1
    assert {"mean_before", "mean_after", "rank_before", "rank_after"} <= set(found["rows"][0])
    assert found["correlation_before"]["n"] == found["correlation_after"]["n"] == 15
    assert set(found["relabelled"][0]) == {"query_id", "doc_id", "label_before", "label_after", "crosses_tau",
                                           "n_runs"}  # fmt: skip


def test_a_file_names_questions_too(told, question_id, tmp_path):
    file = tmp_path / "ids.txt"
    file.write_text(f"\ufeff{question_id}\n\n", encoding="utf-8")
    assert told("whatif", *OPEN, "--drop-file", file) == told("whatif", *OPEN, "--drop", question_id)


def test_weights_are_written_with_an_equals_sign(told, question_id):
    found = told("whatif", *OPEN, "--measure", "wCover@20", "--weight", f"{question_id}=2.5")
    assert (found["weights"], found["relabelled"]) == ({question_id: 2.5}, [])


def test_a_file_that_is_no_text_is_refused(examboard, demo_store, tmp_path):
    file = tmp_path / "ids.txt"
    file.write_bytes(b"\xff\xfe\x00")
    done = examboard(demo_store, "whatif", *OPEN, "--drop-file", file)
    assert (done.status, "not UTF-8 text" in done.err) == (1, True)
