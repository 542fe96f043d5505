"""outliers, holes, whatif: their options, JSON keys and sentences, on every collection."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from thoroughly import thoroughly

from exam_core.store import Store

Run = Callable[..., Any]
OPEN = ("demo", "--bank", "open", "--tau", "3")
PUBLISHED = ["car-y3-published", *thoroughly("dl19-published", "dl20-published")]
QUESTION = ("collection", "bank", "grader", "measure", "tau", "depth", "label_rank")


def answer(done: Any) -> Any:
    assert done.status == 0, done.err
    return json.loads(done.out)


@pytest.fixture
def question_id(demo_store: Path) -> str:
    """A question of the open bank that changes labels when it is dropped."""
    rows = Store(demo_store).snapshot("demo").frame("questions")
    return str(rows[rows["bank_id"] == "open"]["question_id"].iloc[3])


@pytest.mark.parametrize("command", ["outliers", "holes"])
def test_the_answer_is_the_question_its_rows_and_its_notes(examboard: Run, demo_store: Path, command: str) -> None:
    found = answer(examboard(demo_store, command, *OPEN, "--grader", "lexical.pourpre-idf", "--format", "json"))
    assert {*QUESTION, "rows", "notes"} <= set(found)
    assert (found["bank"], found["grader"], found["tau"]) == ("open", "lexical.pourpre-idf", 3)


# outliers


def test_every_run_has_a_row_for_each_method(examboard: Run, demo_store: Path) -> None:
    found = answer(examboard(demo_store, "outliers", *OPEN, "--measures", "Cover@20,P@20", "--format", "json"))
    assert [method["method"] for method in found["methods"]] == ["open Cover@20 tau=3", "open P@20 tau=3"]
    assert len(found["rows"]) == 2 * 15
    assert set(found["rows"][0]) >= {"run_id", "rank_displacement", "score_displacement", "low", "high", "p", "p_holm",
                                     "flagged"}  # fmt: skip
    assert {row["over"] for row in found["combined"]} == {"all"}


def test_the_rows_are_sorted_by_the_size_of_the_displacement(examboard: Run, demo_store: Path) -> None:
    rows = answer(examboard(demo_store, "outliers", *OPEN, "--format", "json"))["rows"]
    sizes = [abs(row["rank_displacement"]) for row in rows]
    assert sizes == sorted(sizes, reverse=True)


def test_without_a_bank_every_bank_is_a_method(examboard: Run, demo_store: Path) -> None:
    methods = answer(examboard(demo_store, "outliers", "demo", "--format", "json"))["methods"]
    assert {method["bank"] for method in methods} == {"open", "manual"}


def test_seed_and_draws_are_in_the_answer(examboard: Run, demo_store: Path) -> None:
    found = answer(examboard(demo_store, "outliers", *OPEN, "--seed", 5, "--draws", 100, "--format", "json"))
    assert (found["seed"], found["draws"]) == (5, 100)


def test_a_run_is_explained_by_queries_questions_and_passages(examboard: Run, demo_store: Path) -> None:
    found = answer(examboard(demo_store, "outliers", *OPEN, "--run", "any-word", "--format", "json"))
    assert found["explained"]["run_id"] == "any-word"
    assert len(found["explained"]["neighbours"]) == 4
    assert len(found["queries"]) == 8
    assert set(found["questions"][0]) == {"query_id", "question_id", "question_text", "answered",
                                          "neighbours_answering"}  # fmt: skip
    assert set(found["passages"][0]) >= {"doc_id", "rank", "grade", "relevance", "judged_not_relevant", "text"}
    assert all(row["question_text"] for row in found["questions"])


def test_a_run_is_explained_by_the_method_that_displaces_it_most(examboard: Run, demo_store: Path) -> None:
    arguments = ("outliers", *OPEN, "--measures", "P@20,Cover@20", "--run", "any-word", "--format", "json")
    found = answer(examboard(demo_store, *arguments))
    (first, *_) = [row["method"] for row in found["rows"] if row["run_id"] == "any-word"]
    assert found["explained"]["method"] == first


def test_judgments_can_be_the_method(examboard: Run, demo_store: Path) -> None:
    arguments = ("outliers", "demo", "--judgments", "official", "--measure", "P@20", "--format", "json")
    assert answer(examboard(demo_store, *arguments))["judgments"] == "official"


@pytest.mark.parametrize("collection", PUBLISHED)
def test_printed_boards_have_displacements_and_a_note(examboard: Run, demo_store: Path, collection: str) -> None:
    found = answer(examboard(demo_store, "outliers", collection, "--format", "json"))
    assert {row["p"] for row in found["rows"]} == {row["flagged"] for row in found["rows"]} == {None}
    assert any("Printed figures" in note for note in found["notes"])


def test_the_papers_outlier_is_named_as_the_run_that_all_promote(examboard: Run, demo_store: Path) -> None:
    out = examboard(demo_store, "outliers", "car-y3-published").out
    assert "Higher than official by every method: ICT-DRMMTKS." in out


def test_nothing_explains_a_printed_run(examboard: Run, demo_store: Path) -> None:
    arguments = ("outliers", "car-y3-published", "--run", "ICT-DRMMTKS", "--format", "json")
    found = answer(examboard(demo_store, *arguments))
    assert (found["queries"], found["questions"], found["passages"]) == ([], [], [])
    assert any("nothing explains ICT-DRMMTKS" in note for note in found["notes"])


# holes


def test_holes_are_shown_at_the_depths_asked_for(examboard: Run, demo_store: Path) -> None:
    found = answer(examboard(demo_store, "holes", *OPEN, "--depths", "2,10", "--format", "json"))
    assert (found["depths"], found["bound"], found["judged_by"]) == ([2, 10], "exact", "official")
    assert {row["depth"] for row in found["rows"]} == {2, 10}


@pytest.mark.parametrize("collection", PUBLISHED)
def test_printed_boards_have_no_holes_and_say_why(examboard: Run, demo_store: Path, collection: str) -> None:
    found = answer(examboard(demo_store, "holes", collection, "--format", "json"))
    assert found["rows"] == []
    assert "without rankings there are no passages to grade" in found["notes"][0]


# whatif


def test_an_edit_shows_both_boards_both_correlations_and_other_labels(
    examboard: Run, demo_store: Path, question_id: str
) -> None:
    found = answer(examboard(demo_store, "whatif", *OPEN, "--drop", question_id, "--format", "json"))
    assert found["questions_before"] - found["questions_after"] == 1
    assert {"mean_before", "mean_after", "rank_before", "rank_after"} <= set(found["rows"][0])
    assert found["correlation_before"]["n"] == found["correlation_after"]["n"] == 15
    assert set(found["relabelled"][0]) == {"query_id", "doc_id", "label_before", "label_after", "crosses_tau",
                                           "n_runs"}  # fmt: skip


def test_a_file_names_questions_too(examboard: Run, demo_store: Path, question_id: str, tmp_path: Path) -> None:
    file = tmp_path / "ids.txt"
    file.write_text(f"\ufeff{question_id}\n\n", encoding="utf-8")
    by_file = examboard(demo_store, "whatif", *OPEN, "--drop-file", file, "--format", "json")
    assert answer(by_file) == answer(examboard(demo_store, "whatif", *OPEN, "--drop", question_id, "--format", "json"))


def test_weights_are_written_with_an_equals_sign(examboard: Run, demo_store: Path, question_id: str) -> None:
    arguments = ("whatif", *OPEN, "--measure", "wCover@20", "--weight", f"{question_id}=2.5", "--format", "json")
    found = answer(examboard(demo_store, *arguments))
    assert found["weights"] == {question_id: 2.5}
    assert found["relabelled"] == []


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (("outliers", *OPEN, "--graders", "x"), 2, "There is no grader x"),
        (("outliers", *OPEN, "--measures", "MAP"), 2, "There is no measure MAP"),
        (("outliers", *OPEN, "--run", "bm52"), 2, "There is no run bm52. There are: bm25"),
        (("outliers", *OPEN, "--draws", "0"), 2, "--draws 0: choose 1 to"),
        (("outliers", *OPEN, "--top", "0"), 2, "--top 0: choose 1 to"),
        (("outliers", "demo", "--tau", "all"), 2, "looks at one tau"),
        (("outliers", "demo", "--bank", "other"), 2, "open, manual"),
        (("outliers", "demo", "--reference", "other"), 2, "official"),
        (("outliers", "car-y3-published", "--run", "nobody"), 2, "ranks no run nobody"),
        (("outliers", "car-y3-published", "--reference", "x"), 2, "official"),
        (("holes", *OPEN, "--depths", "x"), 2, "give comma-separated numbers"),
        (("holes", *OPEN, "--depths", ""), 2, "give comma-separated numbers"),
        (("holes", *OPEN, "--depths", "21"), 2, "choose 1 to 20"),
        (("holes", *OPEN, "--judged-by", "x"), 2, "There are: official"),
        (("whatif", *OPEN), 2, "Say what to change"),
        (("whatif", *OPEN, "--drop", "x"), 2, "x is not among the bank's questions"),
        (("whatif", *OPEN, "--weight", "x"), 2, "for instance ID=2"),
        (("whatif", *OPEN, "--weight", "x=y"), 2, "for instance ID=2"),
        (("whatif", *OPEN, "--weight", "x=1", "--weight", "x=2"), 2, "x has a weight already"),
        (("whatif", *OPEN, "--drop-file", "nowhere.txt"), 1, "nowhere.txt: No such file"),
        (("whatif", *OPEN, "--drop-file", "/dev/null"), 1, "names no question"),
        (("whatif", "car-y3-published", "--drop", "x"), 1, "no bank whose questions to edit"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, tuple) else None,
)
def test_a_wrong_request_is_one_message_and_an_exit_status(
    examboard: Run, demo_store: Path, arguments: tuple[str, ...], status: int, says: str
) -> None:
    done = examboard(demo_store, *arguments)
    assert (done.status, says in done.err, "Traceback" in done.err) == (status, True, False)


def test_a_file_that_is_no_text_is_refused(examboard: Run, demo_store: Path, tmp_path: Path) -> None:
    file = tmp_path / "ids.txt"
    file.write_bytes(b"\xff\xfe\x00")
    done = examboard(demo_store, "whatif", *OPEN, "--drop-file", file)
    assert (done.status, "no UTF-8 text" in done.err) == (1, True)
