"""Nugget assignments become a run, a bank and grades; several files fit together, or one is told why it doesn't."""

import json

import pytest

from exam_core.actions.importing import import_bank
from exam_core.actions.importing_runs import import_run
from exam_core.errors import BadInput, UsageError
from exam_core.wings.neighbours.importing import import_assignments

VITAL, OKAY = {"text": "Rain falls.", "importance": "vital"}, {"text": "Wind blows.", "importance": "okay"}


@pytest.fixture
def assigned(store, tmp_path):
    """Imports a file of these lines: run, query, and nuggets as (nugget, label)."""

    def run(*lines, **options):
        rows = [
            {
                "qid": query_id,
                "query": "weather",
                "run_id": run_id,
                "answer_text": f"{run_id} says.",
                "nuggets": [nugget | {"assignment": label} for nugget, label in nuggets],
            }
            for run_id, query_id, nuggets in lines
        ]
        path = tmp_path / "assigned.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
        return import_assignments(store, "c", path, **options)

    return run


def bank_file(path, *nuggets):
    path.write_text(json.dumps({"qid": "q", "query": "weather", "nuggets": nuggets}), "utf-8")
    return path


def grades(store):
    sql = "SELECT doc_id, grade FROM grades ORDER BY doc_id, grade"
    return list(store.snapshot("c").query(sql).itertuples(index=False, name=None))


BOTH = [(VITAL, "support"), (OKAY, "not_support")]


def test_answers_become_runs_and_a_later_file_replaces_what_was_assigned_to_a_run_and_no_other(store, assigned):
    done = assigned(("a", "q", BOTH), ("b", "q", BOTH))
    assert done.counts == {"runs": 2, "queries": 1, "answers": 2, "questions": 2, "grades": 4}
    assert len(done.import_ids) == 2
    assert grades(store) == [("a/q", 0), ("a/q", 2), ("b/q", 0), ("b/q", 2)]
    assigned(("a", "q", BOTH), ("b", "q", BOTH))
    assigned(("a", "q", [(VITAL, "partial_support"), (OKAY, "support")]))
    assert grades(store) == [("a/q", 1), ("a/q", 2), ("b/q", 0), ("b/q", 2)]


def test_the_same_file_again_changes_nothing(assigned):
    assigned(("a", "q", BOTH))
    assert not assigned(("a", "q", BOTH)).changed


def test_answers_replace_the_rankings_of_their_run(store, assigned, tmp_path):
    (tmp_path / "a.run").write_text("q Q0 d1 1 2.0 a\n")
    import_run(store, "c", tmp_path / "a.run")
    done = assigned(("a", "q", BOTH))
    assert store.snapshot("c").frame("rankings")["doc_id"].tolist() == ["a/q"]
    assert done.replaced[0].endswith(": run a, 1 ranked passage (gone or changed: 1).")


def test_assignments_of_several_runs_take_no_single_name(assigned):
    with pytest.raises(BadInput, match=r"assigned\.jsonl: holds 2 runs \(a, b\), and --run r names one"):
        assigned(("a", "q", BOTH), ("b", "q", BOTH), run="r")


def test_the_nuggets_of_files_without_a_bank_are_united(store, assigned):
    assigned(("a", "q", BOTH[:1]))
    done = assigned(("b", "q", BOTH[1:]))
    assert store.snapshot("c").frame("questions")["question_text"].tolist() == ["Rain falls.", "Wind blows."]
    assert done.notes == ["1 nuggets of bank nuggets@1 have no assignment in this file: its scores leave them out."]


def test_nuggets_that_a_bank_file_does_not_have_are_told(store, assigned, tmp_path):
    import_bank(store, "c", bank_file(tmp_path / "bank.jsonl", VITAL), bank="nuggets")
    done = assigned(("a", "q", BOTH))
    assert done.notes == ["1 graded questions are not in the newest version of a bank and do not count."]


def test_grades_belong_to_the_newest_version_of_the_bank(store, assigned, tmp_path):
    import_bank(store, "c", bank_file(tmp_path / "one.jsonl", VITAL), bank="nuggets")
    import_bank(store, "c", bank_file(tmp_path / "two.jsonl", VITAL, OKAY), bank="nuggets")
    assert assigned(("a", "q", BOTH)).notes == []
    assert sorted(store.snapshot("c").frame("questions")["version"]) == [1, 2, 2]


def test_another_importance_than_the_banks_is_refused(store, assigned, tmp_path):
    import_bank(store, "c", bank_file(tmp_path / "bank.jsonl", VITAL | {"importance": "okay"}), bank="nuggets")
    with pytest.raises(BadInput, match=r"1 of its nuggets have another importance in bank nuggets@1; the first is "
                       r"'Rain falls.' of query q: okay there, vital here\.\n.*--bank"):  # fmt: skip
        assigned(("a", "q", BOTH))
    assert "grades" not in store.snapshot("c").tables


def test_bank_and_grader_may_have_names_of_their_own(store, assigned):
    assigned(("a", "q", BOTH), bank="b", grader="g", run="r")
    snapshot = store.snapshot("c")
    assert snapshot.frame("questions")["bank_id"].unique().tolist() == ["b"]
    assert (list(snapshot.graders), snapshot.frame("rankings")["run_id"].tolist()) == (["g"], ["r"])


def test_a_version_can_not_be_named(assigned):
    with pytest.raises(UsageError, match="leave out what follows the @"):
        assigned(("a", "q", BOTH), bank="b@2")
