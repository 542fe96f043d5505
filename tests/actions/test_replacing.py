"""Nothing takes the place of something else in silence."""

import re

import pytest

from exam_core.actions.exporting import export_run
from exam_core.actions.importing import import_labels, import_qrels, import_shared, import_topics, import_workbench
from exam_core.actions.importing_boards import import_leaderboard
from exam_core.actions.importing_runs import import_run
from exam_core.actions.undoing import undo_import
from exam_core.errors import BadInput
from exam_core.store import Store
from exam_core.store.sharing import export_duckdb

from .action_files import content, workbench, written

BM25 = "1 Q0 d1 1 3 Anserini\n1 Q0 d2 2 2 Anserini\n2 Q0 d1 1 3 Anserini\n"
RM3 = "1 Q0 d2 1 9 Anserini\n2 Q0 d4 1 7 Anserini\n"


@pytest.fixture
def files(tmp_path):
    """Two systems that have one name in the sixth column."""
    return written(tmp_path / "bm25.txt", BM25), written(tmp_path / "rm3.RUN", RM3)


def runs(store):
    return store.snapshot("c").frame("rankings").groupby("run_id").size().to_dict()


def test_a_second_run_of_one_name_is_refused_and_says_what_it_would_replace(store, files):
    import_run(store, "c", files[0])
    before = set(store.path.rglob("*"))
    with pytest.raises(BadInput) as refused:
        import_run(store, "c", files[1])
    assert re.fullmatch(
        r"rm3\.RUN: c has runs of the same name already, which would be replaced\.\n"
        r"  run Anserini, 3 ranked passages \(gone or changed: 3\), imported from bm25\.txt at 20\S+\n"
        r".* --name NAME, or --name-from file; or add --replace.* Nothing was stored\.",
        str(refused.value),
    )
    assert set(store.path.rglob("*")) == before


def test_a_run_that_is_told_to_replaces_another_and_undo_brings_the_old_one_back(store, files):
    import_run(store, "c", files[0])
    before = content(store.snapshot("c"))
    done = import_run(store, "c", files[1], replace=True)
    assert done.replaced[0].startswith("It replaces what was imported from bm25.txt at ")
    assert done.replaced[0].endswith(": run Anserini, 3 ranked passages (gone or changed: 3).")
    assert set(done.replaced) <= set(done.notes)
    undo_import(store, "c", *done.import_ids)
    assert content(store.snapshot("c")) == before


def test_a_run_with_all_rankings_of_the_one_before_replaces_nothing(store, tmp_path):
    import_run(store, "c", written(tmp_path / "top.run", BM25))
    done = import_run(store, "c", written(tmp_path / "deep.run", f"{BM25}2 Q0 d9 2 1 Anserini\n"))
    assert (runs(store), done.changed) == ({"Anserini": 4}, True)


def test_another_order_is_another_run_and_ranks_from_another_number_are_not(store, tmp_path):
    import_run(store, "c", written(tmp_path / "a.run", BM25))
    renumbered = BM25.replace("d1 1 3", "d1 0 3").replace("d2 2 2", "d2 7 2")
    assert import_run(store, "c", written(tmp_path / "b.run", renumbered)).changed
    with pytest.raises(BadInput, match=r"3 ranked passages \(gone or changed: 2\)"):
        import_run(store, "c", written(tmp_path / "c.run", BM25.replace("d1 1 3", "d1 3 3")))


def test_a_run_that_was_exported_is_the_same_run_when_it_comes_back(store, tmp_path):
    import_run(store, "c", written(tmp_path / "a.run", "1 Q0 a 1 2 x\n1 Q0 b 2 2 x\n"))
    export_run(store.snapshot("c"), tmp_path / "b.run")
    assert import_run(store, "c", tmp_path / "b.run").changed


def test_queries_of_a_run_that_come_one_file_after_the_other_are_told_to_be_one_file(store, tmp_path):
    files = [written(tmp_path / f"{query}.run", f"{query} Q0 d 1 1 Anserini\n") for query in (1, 2)]
    import_run(store, "c", files[0])
    with pytest.raises(BadInput, match=r"none of the stored queries.*all parts into one file"):
        import_run(store, "c", files[1])


def test_a_run_that_comes_between_looking_and_storing_is_not_replaced(store, files, monkeypatch):
    prepare = Store.prepare

    def slowly(self: Store, *given: object, **options: object) -> object:
        monkeypatch.setattr(Store, "prepare", prepare)
        import_run(Store(store.path), "c", files[0])
        return prepare(self, *given, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Store, "prepare", slowly)
    with pytest.raises(BadInput, match=r"rm3\.RUN: c has runs of the same name already"):
        import_run(store, "c", files[1])
    assert runs(store) == {"Anserini": 3}


def test_files_name_their_runs_when_they_are_told_to(store, files, tmp_path):
    others = [written(tmp_path / name, BM25) for name in ("input.bm25+rm3", "k1=0.9.run", ".run", "a.b.res")]
    import_run(store, "c", *files, *others, name_from="file")
    assert set(runs(store)) == {"bm25", "rm3", "input.bm25+rm3", "k1=0.9", ".run", "a.b"}


def test_a_run_has_the_name_that_it_is_given(store, files):
    import_run(store, "c", files[0], name="BM25 base")
    assert runs(store) == {"BM25 base": 3}


@pytest.mark.parametrize("named", [{"name": "x"}, {"name_from": "file"}], ids=["a name", "the file's name"])
def test_a_file_of_several_runs_takes_no_single_name(store, tmp_path, named):
    file = written(tmp_path / "two.run", f"{BM25}1 Q0 d1 1 2 other\n")
    with pytest.raises(BadInput, match=r"two\.run: holds 2 runs \(Anserini, other\), and --name"):
        import_run(store, "c", file, **named)  # type: ignore[arg-type]


def test_two_files_with_a_run_of_one_name_are_refused_in_one_command(store, tmp_path):
    files = written(tmp_path / "a.run", BM25), written(tmp_path / "b.run", "3 Q0 d8 1 30 Anserini\n")
    with pytest.raises(BadInput, match=r"each has a run named Anserini\.\n(.|\n)*--name-from file"):
        import_run(store, "c", *files)
    assert store.collections() == []


IMPORTS = {
    "judgments official, 1 judgment": lambda store, file, one: import_qrels(
        store, "c", written(file, f"1 0 d1 {one}\n")
    ),
    "labels of Sun, 1 label": lambda store, file, one: import_labels(
        store, "c", written(file, f"1 0 d1 {one}\n"), grader="Sun"
    ),
    "leaderboard official, 1 system": lambda store, file, one: import_leaderboard(
        store, "c", written(file, f"run_id,score\nr,0.{one}\n"), name="official"
    ),
}


@pytest.mark.parametrize("what", IMPORTS)
def test_what_somebody_names_is_replaced_and_said(store, tmp_path, what):
    IMPORTS[what](store, tmp_path / "old.txt", 1)
    (said,) = IMPORTS[what](store, tmp_path / "new.txt", 2).replaced
    assert re.fullmatch(
        rf"It replaces what was imported from old\.txt at \S+: {re.escape(what)} \(gone or changed: 1\)\.", said
    )


def test_judgments_of_other_queries_stand_beside_or_replace_when_told_to(store, tmp_path):
    old, new = (written(tmp_path / f"{query}.qrels", f"{query} 0 d1 1\n") for query in ("q1", "q2"))
    import_qrels(store, "c", old)
    with pytest.raises(BadInput, match=r"judgments official, 1 judgment (.|\n)*none of the stored(.|\n)*--name"):
        import_qrels(store, "c", new)
    import_qrels(store, "c", new, name="second")
    assert import_qrels(store, "c", new, replace=True).replaced
    assert sorted(store.snapshot("c").frame("judgments")["query_id"]) == ["q2", "q2"]


def test_judgments_of_a_graded_file_are_not_replaced_in_silence(store, tmp_path):
    import_workbench(store, "c", workbench(tmp_path / "graded.jsonl"))
    (said,) = import_qrels(store, "c", written(tmp_path / "x.qrels", "q1 0 q1-d0 9\n")).replaced
    assert "from graded.jsonl at " in said
    assert said.endswith(": judgments official, 6 judgments (gone or changed: 6).")


def test_a_shared_file_of_the_same_name_says_what_it_replaces(store, tmp_path):
    for name in "ab":
        other = Store(tmp_path / name)
        import_run(other, "c", written(tmp_path / f"{name}.run", f"1 Q0 d 1 1 {name}\n"))
        export_duckdb([other.snapshot("c")], tmp_path / "shared.duckdb")
        (done,) = import_shared(store, tmp_path / "shared.duckdb")
    assert runs(store) == {"b": 1}
    assert re.fullmatch(r"It replaces what was imported from shared\.duckdb at \S+: 1 ranked passage\.", *done.replaced)


def test_rows_of_names_that_others_have_already_are_said_not_to_count(store, tmp_path):
    there = import_run(store, "c", written(tmp_path / "other.run", "q1 Q0 q1-d0 1 9 bm25\n"))
    (said,) = (note for note in import_workbench(store, "c", workbench(tmp_path / "g.jsonl")).notes if "Not c" in note)
    assert re.fullmatch(
        r"Not counted, because data from other\.run at \S+ \(import (\S+)\) has the same name: run bm25, "
        r"6 ranked passages \(missing or different in the collection: 6\)\. To count these, undo that import by its "
        r"id; .*",
        said,
    )
    assert there.import_ids[0] in said


def test_rows_of_a_shared_file_that_do_not_count_are_said(store, tmp_path):
    other = Store(tmp_path / "other")
    import_run(other, "c", written(tmp_path / "a.run", BM25))
    import_qrels(other, "c", written(tmp_path / "a.qrels", "1 0 d1 1\n"))
    export_duckdb([other.snapshot("c")], tmp_path / "shared.duckdb")
    import_run(store, "c", written(tmp_path / "b.run", RM3))
    import_qrels(store, "c", written(tmp_path / "b.qrels", "1 0 d1 1\n"))
    (done,) = import_shared(store, tmp_path / "shared.duckdb")
    (said,) = done.notes
    assert "run Anserini, 3 ranked passages (missing or different in the collection: 3). To count these" in said


def test_queries_that_get_another_text_are_counted(store, tmp_path):
    for name, text in (("old.tsv", "1\tone\n2\ttwo\n"), ("new.tsv", "1\tONE\n2\ttwo\n")):
        done = import_topics(store, "c", written(tmp_path / name, text))
    assert done.replaced == ["1 query had another text before, the first is 1: the new one counts."]
