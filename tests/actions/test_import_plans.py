"""Files of any kinds come together: all of them or none, with one undo."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from exam_core.actions import import_plans
from exam_core.actions.committing import ImportResult
from exam_core.actions.import_plans import (
    ImportPlan,
    PlannedFile,
    columns_by_header,
    import_files,
    plan_import,
    preview_files,
)
from exam_core.actions.importing import import_qrels
from exam_core.actions.undoing import undo_import
from exam_core.errors import BadInput, StoreError
from exam_core.store import Store, rehearsing
from exam_core.store.checking import check
from exam_core.store.summary import qrels_ids, query_ids, run_ids

RUN = "q1 Q0 d1 1 2.5 {0}\nq1 Q0 d2 2 1.5 {0}\nq2 Q0 d3 1 1.0 {0}\n"
FOLDER = {
    "a.run": RUN.format("a"),
    "b.run": RUN.format("b"),
    "topics.tsv": "q1\twhy is the sky blue\nq2\twhat is rain\n",
    "qrels/test.qrels": "q1 0 d1 2\nq2 0 d3 0\n",
    "bank.csv": "query_id,question\nq1,Why?\nq2,What?\n",
}
Bring = Callable[..., ImportResult]


@pytest.fixture
def written(tmp_path):
    """`written(files)`: a folder with these files."""

    def write(files: Mapping[str, str]) -> Path:
        for name, text in files.items():
            path = tmp_path / "folder" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path / "folder"

    return write


@pytest.fixture
def bring(store, written):
    """`bring(files)`: import a folder into collection `c` as it is recognised."""

    def run(files: Mapping[str, str], act: Bring = import_files, **options: bool) -> ImportResult:
        return act(store, plan_import(store, "c", [written(files)]), **options)

    return run


def test_judges_of_a_table_stay_where_other_judgments_come(bring, store, tmp_path):
    (tmp_path / "late.qrels").write_text("q1 0 d1 2\nq2 0 d3 0\n", encoding="utf-8")
    table = "query,doc,annotator,label\nq1,d1,ann,relevant\nq1,d1,ben,not relevant\nq2,d3,ann,not relevant\n"
    found = bring({"a.run": RUN.format("a"), "judged.csv": table})
    assert found.parts[-1].sentence == "judged.csv: Human judgments, 2 judges, 2 queries, 3 judgments"
    import_qrels(store, "c", tmp_path / "late.qrels")
    assert qrels_ids(store.snapshot("c")) == ["official", "ann", "ben"]


def stored(store):
    return {path for path in store.path.rglob("*") if path.is_file()}


def test_a_folder_comes_as_one_and_goes_with_one_undo(store, bring):
    done = bring(FOLDER)
    assert done.counted == "2 queries, 2 runs, 6 ranked passages, 2 judgments, 2 questions"
    assert (run_ids(store.snapshot("c")), qrels_ids(store.snapshot("c"))) == (["a", "b"], ["official"])
    assert len(done.import_ids) == 5
    assert undo_import(store, "c").is_gone


def test_a_preview_stores_nothing_and_says_what_the_import_says(store, bring):
    said = [(part.sentence, part.fit) for part in bring(FOLDER, preview_files).parts]
    assert stored(store) == set()
    assert ["a.run, b.run: The file's 2 queries are those of c."] in [fit for _, fit in said]
    assert [(part.sentence, part.fit) for part in bring(FOLDER).parts] == said


def test_a_preview_takes_no_file_from_an_import_that_has_the_same(store, bring, tmp_path, monkeypatch):
    real = import_plans._refuse_twins

    def meanwhile(*arguments: Any) -> None:
        monkeypatch.undo()
        import_files(Store(store.path), ImportPlan("c", [PlannedFile(tmp_path / "folder" / "a.run", "run")]))
        real(*arguments)

    monkeypatch.setattr(import_plans, "_refuse_twins", meanwhile)
    bring({"a.run": RUN.format("a")}, preview_files)
    assert run_ids(store.snapshot("c")) == ["a"]
    assert [one.problems for one in check(store)] == [[]]


def test_of_a_folder_with_bad_files_nothing_is_stored_and_each_is_explained(store, bring):
    wrong = FOLDER | {"b.run": "q1 Q0 d1 1 x b\n", "bank.csv": "query_id,question\nq1,\n"}
    with pytest.raises(BadInput, match=r"b\.run:1: score x is not a number[\s\S]*bank\.csv:2: "):
        bring(wrong)
    assert stored(store) == set()


def test_runs_of_one_name_with_other_rankings_are_named_after_their_files(store, bring):
    done = bring({"bm25.txt": RUN.format("Anserini"), "rm3.txt": RUN.format("Anserini").replace("d2", "d4")})
    assert run_ids(store.snapshot("c")) == ["bm25", "rm3"]
    assert "The sixth column of bm25.txt, rm3.txt is Anserini in each" in done.notes[0]


def test_runs_of_one_name_are_named_after_their_files_and_those_that_are_alike_are_said(store, bring):
    files = {"b.run": RUN.format("mine"), "copy.run": RUN.format("mine")}
    said = {"The sixth column of b.run, copy.run is mine in each", "Same rankings as b: copy. All are kept"}
    for brings in (preview_files, None):
        notes = " ".join((bring(files, brings) if brings else bring(files)).notes)
        assert all(sentence in notes for sentence in said)
    third = {"c.run": RUN.format("c").replace("2.5", "3")}
    assert "Same rankings as b: c, copy." in " ".join(bring(third).notes)
    undo_import(store, "c")
    assert run_ids(store.snapshot("c")) == ["b", "copy"]


def test_alike_ids_of_files_of_a_new_collection_are_named(bring):
    files = {"a.run": RUN.format("a").replace("q", "00"), "x.qrels": "1 0 d1 1\n2 0 d3 0\n"}
    with pytest.raises(BadInput) as refused:
        bring(files)
    assert str(refused.value).startswith("Queries of x.qrels: the other files have none of them. Nothing was stored.\n")
    assert "Ids look alike: 1 and 001 differ in zeros in front. If these are meant, correct the ids and" in str(
        refused.value
    )
    assert str(refused.value).endswith("add --anyway.")
    assert "Ids look alike" in " ".join(bring(files, preview_files).notes)


def test_files_of_which_nothing_fits_come_only_if_somebody_says_so(store, bring):
    strange = FOLDER | {"s.run": RUN.format("s").replace("q", "topic")}
    with pytest.raises(BadInput, match=r"Queries of s\.run: the other files have none of them"):
        bring(strange)
    assert (bring(strange, preview_files).strange, stored(store)) == (["s.run"], set())
    bring(strange, anyway=True)
    assert run_ids(store.snapshot("c")) == ["a", "b", "s"]


def test_two_files_of_one_name_that_would_replace_each_other_are_refused(store, bring):
    with pytest.raises(BadInput, match=r"test\.tsv: another file .* has its name \(qrels:test\)"):
        bring({"x/test.tsv": "q1 0 d1 2\n", "y/test.tsv": "q1 0 d1 1\n"})
    assert stored(store) == set()


@pytest.mark.parametrize(
    ("files", "names"),
    [
        ({"qrels.dl19.txt": "q1 0 d1 2\n"}, ["official"]),
        ({"dev.qrels": "q1 0 d1 2\n", "test.qrels": "q1 0 d1 1\n"}, ["dev", "test"]),
        ({"Sun.qrel.gz": "q1 0 d1 2\n"}, ["Sun"]),
        ({"official_dl19.csv": "system,rank\na,1\n"}, ["official"]),
        ({"ours.csv": "system,rank\na,1\n"}, ["ours"]),
        ({"my@bank.csv": "query_id,question\nq1,Why?\n"}, ["my-bank"]),
        ({"a.run": RUN.format("a")}, [""]),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_name_that_a_kind_needs_is_that_of_the_file(store, written, files, names):
    assert [file.name for file in plan_import(store, "c", [written(files)]).files] == names


RUNID = "map 1 {0}\nmap 2 {0}\nrunid all {1}\nmap all {0}\n"


@pytest.mark.parametrize(
    ("files", "boards"),
    [
        (
            {"dl19-bm25.eval": RUNID.format(0.25, "bm25"), "dl19-rm3.eval": "map 1 0.5\nmap 2 0.5\n"},
            {("dl19", "bm25"), ("dl19", "dl19-rm3")},
        ),
        (
            {"x.eval": RUNID.format(0.25, "Anserini"), "y.eval": RUNID.format(0.5, "Anserini")},
            {("evaluation", "x"), ("evaluation", "y")},
        ),
        (
            {"bm25.map.eval": RUNID.format(0.25, "a"), "bm25.p.eval": RUNID.format(0.5, "a").replace("map", "P_5")},
            {("bm25 map", "a"), ("bm25 P_5", "a")},
        ),
        ({"x.eval": "map all 0.5\n"}, {("x", "x")}),
        ({"x.eval": RUNID.format(0.5, "a"), "b.csv": "run,score\na,1\n"}, {("x", "a"), ("b", "a")}),
        ({"x.tsv": "run\tmap\na\t0.5\n", "y.tsv": "run\tmap\na\t0.25\n"}, {("x", "a"), ("y", "a")}),
    ],
    ids=["a run each", "one name", "a measure each", "no name", "a table beside", "tables of two columns"],
)
def test_output_of_evaluation_tools_makes_one_board(store, bring, files, boards):
    said = bring(files).notes
    found = store.snapshot("c").frame("leaderboards")
    assert set(zip(found["leaderboard_id"], found["run_id"], strict=True)) == boards
    assert any("each run is named after its file" in note for note in said) == (("evaluation", "x") in boards)
    assert not bring(files).changed


def test_another_runs_output_takes_no_boards_place(store, bring, tmp_path):
    bring({"x.eval": RUNID.format(0.25, "a"), "y.eval": RUNID.format(0.5, "b")})
    for name in "xy":
        (tmp_path / "folder" / f"{name}.eval").unlink()
    bring({"z.eval": RUNID.format(0.25, "c"), "w.eval": RUNID.format(0.5, "d")})
    assert set(store.snapshot("c").frame("leaderboards")["leaderboard_id"]) == {"evaluation", "evaluation-2"}


def test_of_many_topics_those_are_kept_that_the_other_files_name(store, bring, monkeypatch):
    monkeypatch.setattr(import_plans, "MANY_TOPICS", 10)
    bring(FOLDER | {"topics.tsv": FOLDER["topics.tsv"] + "q3\tof another split\n"})
    assert query_ids(store.snapshot("c")) == ["q1", "q2"]


@pytest.mark.parametrize(("number", "known"), [("007", "007"), ("051", "51"), ("7", "7")])
def test_a_number_of_a_topic_has_zeros_in_front_where_the_other_files_have_them(store, bring, number, known):
    topics = f"<top>\n<num> Number: {number}\n<title> why is the sky blue\n</top>\n"
    bring({"a.run": f"{known} Q0 d1 1 2.5 a\n", "topics.txt": topics})
    queries = store.snapshot("c").frame("queries")
    assert queries[["query_id", "query_text"]].values.tolist() == [[known, "why is the sky blue"]]


def test_what_is_hidden_or_for_people_is_no_data_and_an_archive_is_named(store, written):
    folder = written(
        {"README.md": "#", ".git/config": "", "notes.txt": "Dear all,\n", "runs.zip": "PK\3\4", "a.run": RUN}
    )
    found = plan_import(store, "c", [folder])
    assert [file.path.name for file in found.files] == ["a.run"]
    assert {path.name: why.split(";")[0] for path, why in found.unknown.items()} == {
        "runs.zip": "is an archive",
        "notes.txt": "looks like none of the kinds that can be imported. Its first line is: Dear all",
    }
    assert [path.name for path in found.ignored] == ["README.md"]


def test_an_import_that_somebody_made_meanwhile_is_seen_and_both_count(store, bring, tmp_path, monkeypatch):
    (tmp_path / "late.qrels").write_text("q1 0 d2 1\n", encoding="utf-8")
    real, tries = import_plans._refuse_twins, []

    def late(*arguments: object) -> None:
        tries.append(1)
        if len(tries) == 1:
            import_qrels(Store(store.path), "c", tmp_path / "late.qrels", name="late")
        real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(import_plans, "_refuse_twins", late)
    bring(FOLDER)
    assert (len(tries), qrels_ids(store.snapshot("c"))) == (2, ["official", "late"])


def test_a_file_that_is_cleaned_up_just_before_it_counts_is_written_again(store, bring, monkeypatch):
    real, tries = rehearsing.read_imports, []

    def meanwhile(*arguments: Any) -> Any:
        tries.append(1)
        if len(tries) == 1:
            next((store.path / "c" / "rankings").iterdir()).unlink()
        return real(*arguments)

    monkeypatch.setattr(rehearsing, "read_imports", meanwhile)
    bring(FOLDER)
    assert (len(tries), [one.problems for one in check(store)]) == (2, [[]])


def test_where_the_store_takes_no_commit_nothing_counts(store, bring, monkeypatch):
    def full(*_given: object) -> None:
        raise StoreError("no space")

    monkeypatch.setattr(store.catalogue, "put", full)
    with pytest.raises(StoreError, match="no space"):
        bring(FOLDER)
    assert store.collections() == []


def test_columns_that_were_named_are_taken_for_later_files_of_the_same_header(tmp_path):
    store = Store(tmp_path / "store")
    for name, rows in {"a.csv": "q1,d1,2\nq1,d2,0\n", "b.csv": "q2,d1,1\n", "other.csv": "q3,d1,1\n"}.items():
        (tmp_path / name).write_text(f"{'foo,bar,baz' if name != 'other.csv' else 'foo,baz,bar'}\n{rows}")
    named = {"query": "foo", "doc": "bar", "label": "baz"}
    import_files(store, plan_import(store, "c", [tmp_path / "a.csv"], named))
    later = Store(tmp_path / "store")
    result = import_files(later, plan_import(later, "d", [tmp_path / "b.csv"]))
    [row] = later.snapshot("d").frame("judgments").to_dict("records")
    assert (row["query_id"], row["doc_id"], row["relevance"]) == ("q2", "d1", 1)
    [note] = [note for part in result.parts for note in part.notes]
    assert note == (
        "b.csv: columns as named for an earlier file of this header: foo is query_id, bar is doc_id, baz is relevance."
    )
    assert plan_import(later, "d", [tmp_path / "other.csv"]).unknown
    other = {"query": "bar", "doc": "foo", "label": "baz"}
    import_files(later, plan_import(later, "e", [tmp_path / "b.csv"], other))
    assert columns_by_header(later) == {("foo", "bar", "baz"): other}
