"""Imports: files in, and what the collection says after each."""

import re
from pathlib import Path

import pandas as pd
import pytest
from thoroughly import thoroughly

from exam_core.actions.importing import import_bank, import_labels, import_qrels, import_topics, import_workbench
from exam_core.actions.importing_boards import import_leaderboard
from exam_core.actions.importing_runs import import_run
from exam_core.analysis.choosing import choose
from exam_core.analysis.leaderboard import leaderboard
from exam_core.errors import BadInput, UsageError
from exam_core.formats import lines, reading
from exam_core.request import Request
from exam_core.store import Store
from exam_core.store.summary import banks

from .action_files import MODEL, bank, content, workbench, written

TEXTS = {q: {f"{q}/0": f"First of {q}?", f"{q}/1": f"Second of {q}?"} for q in ("q1", "q2")}
MORE = TEXTS | {"q1": TEXTS["q1"] | {"q1/new": "One more?"}}


def _fill(folder):
    import_workbench(Store(folder / "store"), "c", workbench(folder / "graded.jsonl"), bank="genq")


@pytest.fixture
def graded(copied):
    """A store whose collection c is a workbench file with two queries, bank genq and two runs."""
    return Store(copied("importing", _fill) / "store")


def _run(store, folder, version):
    file = written(folder / "r.run", f"q1 Q0 q1-d{version} 1 {9 + version} bm25\n")
    return import_run(store, "c", file, replace=True)


def _qrels(store, folder, version):
    return import_qrels(store, "c", written(folder / "q.qrels", f"q1 0 q1-d0 {version}\n"))


def _topics(store, folder, version):
    return import_topics(store, "c", written(folder / "t.tsv", f"q1\ttext {version}\n"))


def _bank(store, folder, version):
    texts = {query: {name: f"{text} ({version})" for name, text in items.items()} for query, items in TEXTS.items()}
    return import_bank(store, "c", bank(folder / "b.jsonl", texts), bank="genq")


def _labels(store, folder, version):
    return import_labels(store, "c", written(folder / "l.qrels", f"q1 0 q1-d0 {version}\n"), grader="Thomas")


def _leaderboard(store, folder, version):
    file = written(folder / "l.csv", f"run_id,score\nbm25,0.{version}\ndense,0.5\n")
    return import_leaderboard(store, "c", file, name="official")


def _workbench(store, folder, version):
    return import_workbench(store, "c", workbench(folder / "graded.jsonl", seed=version), bank="genq")


IMPORTS = {
    "run": _run,
    "qrels": _qrels,
    "topics": _topics,
    "bank": _bank,
    "labels": _labels,
    "leaderboard": _leaderboard,
    "workbench": _workbench,
}
every_import = pytest.mark.parametrize("imported", IMPORTS.values(), ids=IMPORTS)


@every_import
def test_the_same_file_again_changes_nothing_and_writes_no_file(graded, tmp_path, imported):
    imported(graded, tmp_path, 1)
    fingerprint, before = graded.snapshot("c").fingerprint, set(graded.path.rglob("*"))
    assert (imported(graded, tmp_path, 1).changed, graded.snapshot("c").fingerprint) == (False, fingerprint)
    assert set(graded.path.rglob("*")) == before


@pytest.mark.parametrize(
    "imported",
    [found for name, found in IMPORTS.items() if name != "bank"],
    ids=[name for name in IMPORTS if name != "bank"],
)
def test_a_changed_file_changes_the_fingerprint_and_the_older_one_imported_again_counts_again(
    graded, tmp_path, imported
):
    imported(graded, tmp_path, 1)
    older = graded.snapshot("c")
    imported(graded, tmp_path, 2)
    assert graded.snapshot("c").fingerprint != older.fingerprint
    imported(graded, tmp_path, 1)
    assert content(graded.snapshot("c")) == content(older)


def test_a_newer_workbench_file_replaces_the_older_one_as_a_whole(graded, tmp_path):
    new = workbench(tmp_path / "new" / "graded.jsonl", seed=5, first=2, queries=3)
    import_workbench(graded, "c", new, bank="genq")
    alone = Store(tmp_path / "alone")
    import_workbench(alone, "c", new, bank="genq")
    assert content(graded.snapshot("c")) == content(alone.snapshot("c"))


def test_a_graders_name_is_no_other_ones(store, tmp_path):
    import_workbench(store, "c", workbench(tmp_path / "a.jsonl"), grader="mine")
    import_workbench(store, "c", workbench(tmp_path / "b.jsonl", first=3), grader="mine")
    other = workbench(tmp_path / "other.jsonl", first=5)
    other.write_text(other.read_text("utf-8").replace(f'"{MODEL}"', '"gpt-4o"'), "utf-8")
    with pytest.raises(BadInput, match=rf"a grader mine already, and its model is {MODEL}, not gpt-4o"):
        import_workbench(store, "c", other, grader="mine")
    with pytest.raises(UsageError, match="means a grader that asks no model"):
        import_labels(store, "c", written(tmp_path / "l.qrels", "q1 0 d 1\n"), grader="lexical.pourpre-idf")
    assert len(store.snapshot("c").sources) == 2


@pytest.mark.parametrize("part", [1, 9], ids=["in parts", "at once"])
def test_topics_fill_in_the_texts_of_queries_and_others_are_left_out_and_counted(graded, tmp_path, monkeypatch, part):
    monkeypatch.setattr(reading, "MANY_ROWS", part)
    done = import_topics(graded, "c", written(tmp_path / "t.tsv", "q2\ttwo\nq1\tone\nq8\teight\nq9\tnine\n"))
    assert graded.snapshot("c").frame("queries")["query_text"].tolist() == ["one", "two"]
    assert (done.counts["queries"], done.notes) == (2, ["2 queries are not in c: left out."])


def test_a_bank_fills_in_the_texts_of_the_graded_questions_and_of_its_queries(graded, tmp_path):
    import_bank(graded, "c", bank(tmp_path / "b.jsonl", TEXTS), bank="genq")
    found = graded.snapshot("c").frame("questions")
    texts = dict(zip(found["question_id"], found["question_text"], strict=True))
    assert (texts, set(found["version"])) == (TEXTS["q1"] | TEXTS["q2"], {1})
    assert graded.snapshot("c").frame("queries")["query_text"].tolist() == ["text of q1", "text of q2"]


def test_the_workbench_file_again_does_not_take_the_texts_away(graded, tmp_path):
    import_bank(graded, "c", bank(tmp_path / "b.jsonl", TEXTS), bank="genq")
    before = content(graded.snapshot("c"))
    import_workbench(graded, "c", tmp_path / "graded.jsonl", bank="genq")
    assert content(graded.snapshot("c")) == before


CHANGES = {
    "a question more": lambda path: bank(path, MORE),
    "a question less": lambda path: bank(path, TEXTS | {"q1": {"q1/0": "First of q1?"}}),
    "another text": lambda path: bank(path, TEXTS | {"q1": TEXTS["q1"] | {"q1/0": "Reworded?"}}),
    "an answer key": lambda path: bank(path, TEXTS, gold_answers=["yes"]),
    "a question switched off": lambda path: bank(path, TEXTS, enabled=False),
    "another weight": lambda path: bank(path, TEXTS, weight=0.5),
    "another importance": lambda path: bank(path, TEXTS, importance="okay"),
    "another facet": lambda path: bank(path, TEXTS, facet_id="f1"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_changed_bank_is_version_2_of_its_name_and_leaves_version_1_as_it_was(graded, tmp_path, change):
    import_bank(graded, "c", bank(tmp_path / "b.jsonl", TEXTS), bank="genq")
    before = graded.snapshot("c").frame("questions")
    import_bank(graded, "c", change(tmp_path / "b2.jsonl"), bank="genq")
    after = graded.snapshot("c").frame("questions")
    assert (banks(graded.snapshot("c")), set(after["version"])) == (["genq"], {1, 2})
    pd.testing.assert_frame_equal(after.query("version == 1").reset_index(drop=True), before)


@pytest.mark.parametrize("fields", [{}, {"gold_answers": ["a", "b"]}], ids=["without key", "with key"])
def test_the_same_bank_under_another_file_name_is_no_new_version(graded, tmp_path, fields):
    for name in ("b.jsonl", "same.jsonl"):
        import_bank(graded, "c", bank(tmp_path / name, TEXTS, **fields), bank="genq")
    assert set(graded.snapshot("c").frame("questions")["version"]) == {1}


def test_a_pinned_version_still_evaluates_as_before(graded, tmp_path):
    def cover(name: str) -> list[float]:
        snapshot = graded.snapshot("c")
        board = leaderboard(snapshot, choose(snapshot, Request(measure="Cover@20", bank=name, tau=1)))
        return list(board.rows["mean"])

    before = cover("genq")
    import_bank(graded, "c", bank(tmp_path / "b.jsonl", TEXTS), bank="genq")
    import_bank(graded, "c", bank(tmp_path / "b2.jsonl", MORE), bank="genq")
    # One more question that nobody graded: q1 has 3 questions instead of 2, so Cover falls.
    assert (cover("genq@1"), cover("genq") < before) == (before, True)


def test_a_version_in_the_name_of_a_bank_is_refused(store, tmp_path):
    with pytest.raises(UsageError, match="leave out what follows the @"):
        import_bank(store, "c", bank(tmp_path / "b.jsonl", TEXTS), bank="genq@2")


def _changed(tmp_path, old, new):
    text = (tmp_path / "graded.jsonl").read_text(encoding="utf-8")
    return written(tmp_path / "other.jsonl", text.replace(old, new, 1))


EDITS = {
    "another text": ("Passage q1-d0 in", "Another q1-d0 in", "passages"),
    "another score": ('"rank": 1, "score": 0.', '"rank": 1, "score": 7.', "rankings"),
    "another grade": ('"q1/0", "self_rating": ', '"q1/0", "self_rating": 1', "grades"),
    "another judgment": ('"relevance": ', '"relevance": 1', "judgments"),
}


@pytest.mark.parametrize(("old", "new", "table"), EDITS.values(), ids=EDITS)
def test_a_second_file_that_contradicts_the_first_is_refused_and_writes_nothing(graded, tmp_path, old, new, table):
    before = set(graded.path.rglob("*"))
    with pytest.raises(BadInput, match=rf"other\.jsonl: contradicts .* in {table}"):
        import_workbench(graded, "c", _changed(tmp_path, old, new), bank="genq")
    assert set(graded.path.rglob("*")) == before


RANKED = "Q Q0 d1 2 1 bm25\nQ Q0 d2 1 2 bm25\nQ Q0 d3 3 3 bm25\n"


@pytest.mark.parametrize(
    "options", [{"name": "mine"}, *thoroughly({}, {"name_from": "file"}, {"name_from": "either"})], ids=str
)
def test_a_run_that_is_too_large_for_the_memory_is_imported_as_any_other(tmp_path, monkeypatch, options):
    def run(name: str, queries: str, score: int = 2) -> Path:
        ranked = RANKED.replace("1 2", f"1 {score}")
        return written(tmp_path / f"{name}.run", "".join(ranked.replace("Q ", f"{query} ") for query in queries))

    whole, first, second, other = run("a", "opqrs"), run("b", "tu"), run("c", "vw"), run("d", "rst", 9)
    apart = written(tmp_path / "apart.run", "".join(f"{query} Q0 d{n} 1 {n} e\n" for n in range(9) for query in "xyz"))
    judged = written(tmp_path / "qrels", "".join(f"{query} 0 d{n} {n}\n" for n in range(9) for query in "xyz"))
    steps = [[whole], [whole], [first, second], [first, other], [other], [apart]]

    def told(store: Store) -> list[object]:
        """What each import says, and what is stored after it."""
        said = []
        for paths in steps:
            try:
                done = import_run(store, "c", *paths, **options)
                said.append((done.counts, [re.sub(r"at 20\S*|[0-9]{6}-[0-9a-f]{16}", "", note) for note in done.notes]))
            except BadInput as error:
                said.append(re.sub(r"at 20\S*|[0-9]{6}-[0-9a-f]{16}", "", str(error)))
            said.append(sorted(path.name for path in store.path.rglob("*.p*") if path.parent.name == "rankings"))
        done = import_qrels(store, "c", judged)
        judgments = [path.name for path in store.path.rglob("judgments/*")]
        return [*said, done.counts, judgments, store.snapshot("c").frame("rankings").astype(object).to_csv()]

    at_once = told(Store(tmp_path / "at once"))
    monkeypatch.setattr(reading, "MANY_ROWS", 4)
    monkeypatch.setattr(lines, "_COPIED", 60)
    assert told(Store(tmp_path / "in parts")) == at_once
