"""An import says what of it fits nothing that the collection has, and why that may be."""

import pytest

from exam_core.actions.importing import (
    import_bank,
    import_given_run,
    import_labels,
    import_qrels,
    import_topics,
    import_workbench,
)
from exam_core.actions.importing_runs import import_run
from exam_core.errors import BadInput

from .action_files import bank, workbench, written

QRELS = "1 0 d1 2\n1 0 d2 0\n2 0 d1 1\n"


@pytest.fixture
def judged(store, tmp_path):
    """A store whose collection c has judgments of the queries 1 and 2."""
    import_qrels(store, "c", written(tmp_path / "x.qrels", QRELS))
    return store


def run_of(folder, *rows, name="r"):
    lines = [f"{query_id} Q0 {doc_id} {place} {9 - place} {name}\n" for place, (query_id, doc_id) in enumerate(rows, 1)]
    return written(folder / f"{name}.run", "".join(lines))


NONE = (
    "none of its queries is a query of the collection (2, such as 001; c has queries such as 1). "
    "Ids look alike: 001 and 1 differ in zeros in front."
)
STRANGE = {
    f"Run r: {NONE}": lambda store, folder: import_run(store, "c", run_of(folder, ("001", "d1"), ("002", "d1"))),
    f"Run given: {NONE}": lambda store, _: import_given_run(
        store, "c", {"001": {"d1": 1.0}, "002": {"d1": 1.0}}, name="given"
    ),
    f"N{NONE[1:]}": lambda store, folder: import_labels(
        store, "c", written(folder / "l", "001 0 d1 1\n002 0 d1 1\n"), grader="Sun"
    ),
    f"N{NONE[1:]} ": lambda store, folder: import_bank(
        store, "c", bank(folder / "b.jsonl", {"001": {"a": "who?"}, "002": {"b": "why?"}}), bank="b"
    ),
}


@pytest.mark.parametrize("said", STRANGE, ids=["a run", "a given run", "labels", "a bank"])
def test_what_has_none_of_the_collections_queries_says_so(judged, tmp_path, said):
    notes = STRANGE[said](judged, tmp_path).notes
    assert [note for note in notes if note.startswith(said.strip())]


def test_judgments_after_a_run_with_other_ids_say_so_too(store, tmp_path):
    import_run(store, "c", run_of(tmp_path, ("001", "d1")))
    (said,) = import_qrels(store, "c", written(tmp_path / "x.qrels", QRELS)).notes
    assert "Ids look alike: 1 and 001 differ in zeros in front." in said


def test_of_several_runs_that_one_is_named_which_fits_nothing(judged, tmp_path):
    files = run_of(tmp_path, ("1", "d1"), name="good"), run_of(tmp_path, ("bread", "d1"), name="bad")
    notes = import_run(judged, "c", *reversed(files)).notes
    assert [note.partition(" (")[0] for note in notes if "none of" in note] == [
        "Run bad: none of its queries is a query of the collection"
    ]


def test_a_few_queries_with_other_ids_are_named(judged, tmp_path):
    notes = import_run(judged, "c", run_of(tmp_path, ("1", "d1"), ("q2", "d1"))).notes
    assert notes[0] == (
        "Not in c, but like some of its queries: 1 query of the file. Ids look alike: q2 and 2 differ in 'q' in front."
    )


def test_a_run_that_answers_more_queries_than_are_judged_or_ranks_facets_of_them_fits(judged, tmp_path):
    rows = [(str(query), "d1") for query in range(1, 9)]
    assert import_run(judged, "c", run_of(tmp_path, *rows)).notes == []
    notes = import_run(judged, "c", run_of(tmp_path, ("1/a", "d1"), ("2/b", "d1"), name="facets")).notes
    assert [note for note in notes if "none" in note or "alike" in note] == []


def test_passages_of_which_none_is_judged_or_ranked_are_named(judged, tmp_path):
    (said,) = import_run(judged, "c", run_of(tmp_path, ("1", "d1.0"), ("2", "d7.0"))).notes
    assert said == (
        "None of its 2 passages for queries of c is judged or graded there: the file has ids such as d1.0, the "
        "collection such as d1. Ids look alike: d1.0 and d1 differ in an ending, a version or .0."
    )
    (said,) = import_qrels(judged, "c", written(tmp_path / "y.qrels", "1 0 D1 1\n1 0 D2 1\n"), name="other").notes
    assert said.endswith("Ids look alike: D1 and d1 differ in capital letters.")


def test_a_part_of_a_collection_brings_queries_of_its_own(store, tmp_path):
    import_workbench(store, "c", workbench(tmp_path / "a.jsonl"))
    done = import_workbench(store, "c", workbench(tmp_path / "b.jsonl", first=7))
    assert [note for note in done.notes if "queries" in note and "none" in note] == []


def test_topics_that_fit_nothing_are_refused_with_what_looks_alike(judged, tmp_path):
    with pytest.raises(BadInput, match="Ids look alike: topic-1 and 1 differ in 'topic-' in front"):
        import_topics(judged, "c", written(tmp_path / "t.tsv", "topic-1\tone\ntopic-2\ttwo\n"))


def test_ranks_that_contradict_scores_are_counted(store, tmp_path):
    lines = "1 Q0 d1 1 0.1 dist\n1 Q0 d2 2 0.5 dist\n2 Q0 d1 1 0.5 dist\n2 Q0 d2 2 0.5 dist\n2 Q0 d3 2 0.5 dist\n"
    (said,) = import_run(store, "c", written(tmp_path / "dist.run", lines)).notes
    assert said.startswith("Ranks contradict scores in 1 of 2 rankings, as in run dist for query 1, where rank 2 has")
    assert "--order rank takes the ranks of the file" in said
