"""Several processes at one store at once."""

import pytest

from exam_core.actions.importing import import_workbench
from exam_core.store import Store

from .action_files import content, workbench

ROUNDS = 3


@pytest.fixture(scope="module")
def pair(importers):
    """Two processes that are ready to import."""
    return [importers(), importers()]


def test_two_processes_import_different_files_into_one_collection(pair, store, tmp_path):
    files = [workbench(tmp_path / f"{first}.jsonl", first=first, docs=20) for first in (1, 3)]
    for number in range(ROUNDS):
        for importer, file in zip(pair, files, strict=True):
            importer.tell(store.path, f"c{number}", file)
        for importer in pair:
            importer.wait_for("done")
    found = [sorted(set(store.snapshot(name).frame("grades")["query_id"])) for name in store.collections()]
    assert found == [["q1", "q2", "q3", "q4"]] * ROUNDS


def test_two_processes_import_the_same_file_at_once(pair, store, tmp_path):
    file = workbench(tmp_path / "graded.jsonl", docs=20)
    alone = Store(tmp_path / "alone")
    import_workbench(alone, "c", file)
    for importer in pair:
        importer.tell(store.path, "c", file)
    for importer in pair:
        importer.wait_for("done")
    assert content(store.snapshot("c")) == content(alone.snapshot("c"))


@pytest.mark.thorough
def test_a_reader_sees_whole_versions_while_another_process_imports(pair, store, tmp_path):
    versions = [workbench(tmp_path / str(seed) / "graded.jsonl", seed=seed, docs=40) for seed in (1, 2)]
    whole = []
    for version in versions:
        import_workbench(store, "c", version)
        whole.append(content(store.snapshot("c")))
    for version in versions * 3:
        pair[0].tell(store.path, "c", version)
    seen = []
    for _ in versions * 3:
        while not pair[0].has_spoken():
            seen.append(whole.index(content(store.snapshot("c"))))
        pair[0].wait_for("done")
    assert set(seen) == {0, 1}
