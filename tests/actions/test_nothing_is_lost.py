"""What an import keeps, hides, takes apart or undoes is what its user meant."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from exam_core.actions import undoing
from exam_core.actions.exporting import export_workbench
from exam_core.actions.import_plans import PlannedFile
from exam_core.actions.importing import import_bank, import_labels, import_qrels, import_shared, import_workbench
from exam_core.actions.importing_runs import import_run
from exam_core.actions.undoing import undo_import
from exam_core.actions.uploading import Upload, import_uploads
from exam_core.analysis.choosing import choose
from exam_core.analysis.leaderboard import leaderboard
from exam_core.errors import BadInput, UsageError
from exam_core.request import Request
from exam_core.store import Store
from exam_core.store.sharing import export_duckdb

from .action_files import GRADER, bank, content, workbench, written


def run_file(path, *names):
    return written(
        path, "".join(f"q1 Q0 q1-d{place} {place} {9 - place} {name}\n" for name in names for place in (1, 2))
    )


def test_a_file_of_several_runs_is_one_import_with_one_undo(store, tmp_path):
    done = import_run(store, "c", run_file(tmp_path / "many.run", "a", "b", "c"))
    undo_import(store, "c", *done.import_ids)
    assert (len(done.import_ids), store.collections()) == (1, [])


def test_a_run_that_is_imported_alone_replaces_it_in_a_file_of_several(store, tmp_path):
    import_run(store, "c", run_file(tmp_path / "many.run", "a", "b"))
    import_run(store, "c", written(tmp_path / "a.run", "q1 Q0 q1-d9 1 1.0 a\n"), replace=True)
    shown = store.snapshot("c").frame("rankings").groupby("run_id")["doc_id"].apply(list).to_dict()
    assert shown == {"a": ["q1-d9"], "b": ["q1-d1", "q1-d2"]}


def test_runs_of_their_own_imports_are_read_at_once(store, tmp_path):
    import_run(store, "c", *(run_file(tmp_path / f"{number}.run", f"r{number}") for number in range(50)))
    assert store.snapshot("c").tables["rankings"].count("read_parquet") == 1


def test_two_banks_of_one_name_at_one_moment_are_two_versions(store, tmp_path):
    import_workbench(store, "c", workbench(tmp_path / "graded.jsonl"))
    files = [bank(tmp_path / f"{number}.jsonl", {"q1": {f"q1/{number}": "A question?"}}) for number in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda file: import_bank(Store(store.path), "c", file, bank="new"), files))
    found = store.snapshot("c").query("SELECT version, count(*) AS n FROM questions WHERE bank_id = 'new' GROUP BY 1")
    assert sorted(found["version"]) == [1, 2, 3, 4]


def test_an_upload_undoes_its_own_import_and_not_one_that_came_at_the_same_moment(store, tmp_path, monkeypatch):
    mine = Upload("mine.run", run_file(tmp_path / "mine.run", "mine").read_bytes())
    theirs = run_file(tmp_path / "theirs.run", "theirs")
    together = Store.commit_together

    def with_another(self: Store, imports: Any) -> Any:
        monkeypatch.setattr(Store, "commit_together", together)
        import_run(Store(store.path), "c", theirs)
        return together(self, imports)

    monkeypatch.setattr(Store, "commit_together", with_another)
    done = import_uploads(store, "c", [(mine, PlannedFile(Path("mine.run"), "run"))])
    said = [undo_import(store, "c", import_id) for import_id in done.import_ids]
    assert ([one.file for one in said], set(store.snapshot("c").frame("rankings")["run_id"])) == (
        ["mine.run"],
        {"theirs"},
    )


def test_an_undo_without_an_id_leaves_the_imports_of_other_accounts(store, tmp_path, monkeypatch):
    import_run(store, "c", run_file(tmp_path / "mine.run", "mine"))
    monkeypatch.setattr("exam_core.store.commits.importer", lambda: "somebody@else")
    import_run(store, "c", run_file(tmp_path / "theirs.run", "theirs"))
    assert undo_import(store, "c").file == "mine.run"


def test_an_account_without_imports_undoes_nothing_by_default(store, tmp_path, monkeypatch):
    import_run(store, "c", run_file(tmp_path / "theirs.run", "theirs"))
    monkeypatch.setattr(undoing, "importer", lambda: "somebody@else")
    with pytest.raises(UsageError, match=r"No import of c is yours. There are: 000001-\w+ \(theirs.run by "):
        undo_import(store, "c")


def test_a_file_of_collections_of_which_one_contradicts_stores_none(store, tmp_path):
    source = Store(tmp_path / "source")
    for name in ("c", "d"):
        import_workbench(source, name, workbench(tmp_path / name / "graded.jsonl", seed=1))
    export_duckdb([source.snapshot(name) for name in ("c", "d")], tmp_path / "shared.duckdb")
    import_workbench(store, "d", workbench(tmp_path / "mine" / "graded.jsonl", seed=2))
    with pytest.raises(BadInput, match="contradicts"):
        import_shared(store, tmp_path / "shared.duckdb")
    assert store.collections() == ["d"]


def test_labels_do_not_hide_the_grades_of_a_grader(store, tmp_path):
    import_workbench(store, "c", workbench(tmp_path / "graded.jsonl"))
    before = content(store.snapshot("c"))
    with pytest.raises(BadInput, match=rf"{GRADER}, which has 12 grades from graded.jsonl; labels hide them"):
        import_labels(store, "c", written(tmp_path / "one.qrels", "q1 0 q1-d0 3\n"), grader=GRADER)
    assert content(store.snapshot("c")) == before


def test_grades_under_the_name_of_labels_are_refused_instead_of_hidden(store, tmp_path):
    import_labels(store, "c", written(tmp_path / "x.qrels", "q1 0 d1 2\n"), grader=GRADER)
    with pytest.raises(BadInput, match=r"which is the name of labels from x\.qrels; they hide grades"):
        import_workbench(store, "c", workbench(tmp_path / "graded.jsonl"))


def test_a_damaged_bank_is_healed_by_its_file_as_the_version_that_it_was(store, tmp_path):
    import_workbench(store, "c", workbench(tmp_path / "graded.jsonl"), bank="genq")
    file = bank(tmp_path / "b.jsonl", {"q1": {"q1/0": "What?", "q1/1": "Who?", "q1/new": "Why?"}})
    import_bank(store, "c", file, bank="genq")
    before = content(store.snapshot("c"))
    for path in (store.path / "c" / "questions").iterdir():
        path.write_bytes(path.read_bytes()[:50])
    done = import_bank(store, "c", file, bank="genq")
    assert (done.changed, done.healed) == (False, 1)
    import_workbench(store, "c", tmp_path / "graded.jsonl", bank="genq")
    assert content(store.snapshot("c")) == before


def facets(path):
    """A graded file whose judgments and rankings name facets of their query, as CAR-Y3's do."""
    lines = [json.loads(line) for line in workbench(path, docs=6).read_text().splitlines()]
    for query_id, passages in lines:
        for place, passage in enumerate(passages):
            for entry in passage["paragraph_data"]["judgments"]:
                entry["query"] = f"{query_id}/part{place % 3}"
            for entry in passage["paragraph_data"]["rankings"]:
                entry["queryId"] = f"{query_id}/part{place % 3}"
    return written(path, "".join(json.dumps(line) + "\n" for line in lines))


def test_a_graded_file_with_facets_is_exported_as_it_was_imported(store, tmp_path):
    source = facets(tmp_path / "facets.jsonl")
    import_workbench(store, "c", source)
    said = export_workbench(store.snapshot("c"), tmp_path / "out.jsonl")
    read = [[json.loads(line) for line in path.read_text().splitlines()] for path in (source, tmp_path / "out.jsonl")]
    assert (read[1], said) == (read[0], (2, 0))


def test_what_is_judged_beyond_a_graded_file_with_facets_follows_it(store, tmp_path):
    import_workbench(store, "c", facets(tmp_path / "facets.jsonl"))
    import_qrels(store, "c", written(tmp_path / "x.qrels", "q1/part1 0 new 2\nq1/part1 0 q1-d0 1\n"), name="second")
    export_workbench(store.snapshot("c"), tmp_path / "out.jsonl")
    exported = dict(json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines())
    assert {name: len(passages) for name, passages in exported.items()} == {"q1": 6, "q2": 6, "q1/part1": 1}


def criteria(path):
    """A graded file with a pass over four criteria and another one that only aggregates them."""
    lines = [json.loads(line) for line in workbench(path).read_text().splitlines()]
    for _, passages in lines:
        for passage in passages:
            info = passage["exam_grades"][0]
            passes = {"Criteria": ["exact", "covers", "topic", "context"], "Aggregate": ["aggregate"]}
            passage["exam_grades"] = [
                info
                | {
                    "prompt_info": info["prompt_info"] | {"prompt_class": prompt},
                    "answers": [[name, "5"] for name in names],
                    "self_ratings": [{"question_id": name, "self_rating": 5} for name in names],
                    "correctAnswered": names,
                    "wrongAnswered": [],
                }
                for prompt, names in passes.items()
            ]
    return written(path, "".join(json.dumps(line) + "\n" for line in lines))


@pytest.mark.parametrize("prompt", ["Criteria", "Aggregate"])
def test_cover_of_a_grading_pass_counts_the_questions_that_the_pass_asks(store, tmp_path, prompt):
    import_workbench(store, "c", criteria(tmp_path / "criteria.jsonl"))
    snapshot = store.snapshot("c")
    grader = next(name for name in snapshot.graders if name.endswith(prompt))
    board = leaderboard(snapshot, choose(snapshot, Request(measure="Cover@20", grader=grader, tau=5)))
    assert board.rows["mean"].tolist() == [1.0, 1.0]


def test_an_import_names_the_questions_of_each_pass(store, tmp_path):
    notes = import_workbench(store, "c", criteria(tmp_path / "criteria.jsonl")).notes
    assert [note.split(".", 1)[1] for note in notes if "its Cover" in note] == [
        "Criteria graded exact, covers, topic, context: its Cover counts only these questions, not all of the bank.",
        "Aggregate graded aggregate: its Cover counts only these questions, not all of the bank.",
    ]


def test_an_import_says_how_many_graded_queries_its_runs_answer(store, tmp_path):
    import_workbench(store, "c", workbench(tmp_path / "graded.jsonl"))
    notes = import_run(store, "c", run_file(tmp_path / "short.run", "short")).notes
    assert [note for note in notes if "short answers 1 of 2 graded queries" in note]


def test_queries_that_other_judgments_alone_have_count_nothing_for_a_run(store, tmp_path):
    for name, queries in {"official": "1", "other": "12"}.items():
        path = written(tmp_path / name, "".join(f"q{query} 0 d1 1\n" for query in queries))
        import_qrels(store, "c", path, name=name)
    assert not [note for note in import_run(store, "c", run_file(tmp_path / "r.run", "r")).notes if "answers" in note]
    undo_import(store, "c", store.snapshot("c").sources[0]["id"])
    path = written(tmp_path / "s.run", "q1 Q0 d1 1 1 s\n")
    notes = import_run(store, "c", path).notes
    assert "s answers 1 of 2 queries with judgments other: the other one counts 0" in " ".join(notes)


def test_the_rows_of_an_overtaken_run_hide_in_a_list_that_grows_with_what_was_overtaken(store, tmp_path):
    import_run(store, "c", run_file(tmp_path / "many.run", *(f"r{number}" for number in range(50))))
    import_run(store, "c", run_file(tmp_path / "one.run", "r7"))
    assert store.snapshot("c").tables["rankings"].count("'r") == 1
