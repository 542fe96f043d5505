"""Templates: each is a file of its kind, all fit together, and commands and refusals name them."""

import pytest

from exam_core.actions.import_plans import ImportPlan, import_files, plan_import
from exam_core.formats.registry import known_kinds
from exam_core.formats.sniffing import guess_kind
from exam_core.store import Store


@pytest.fixture
def files(examboard, tmp_path):
    """A file of each kind, as the command writes it."""
    found = {}
    for kind in known_kinds().values():
        path = found[kind.key] = tmp_path / kind.file_name
        assert examboard(tmp_path / "store", "template", kind.key, path).status == 0
        assert path.read_text("utf-8") == kind.template
    return found


def test_templates_of_all_kinds_are_imported_together_and_give_a_board(examboard, files, tmp_path):
    assert {kind: guess_kind(path) for kind, path in files.items()} == {kind: kind for kind in files}
    store = Store(tmp_path / "store")
    plan = plan_import(store, "c", list(files.values()))
    found = import_files(store, plan)
    assert (found.refused, found.strange) == ("", [])
    assert [part.changed for part in found.parts] == [True] * len(files)
    board = examboard(tmp_path / "store", "leaderboard", "c", "--judgments", "official", "--measure", "P@20").out
    assert board.splitlines()[1].startswith("bm25 ")
    for file in plan.files:
        assert not import_files(store, ImportPlan("c", [file])).changed


def test_templates_are_listed_and_printed_and_refusals_name_them(examboard, tmp_path):
    listed = examboard(tmp_path / "store", "template").out.splitlines()
    assert [line.split()[0] for line in listed] == list(known_kinds())
    assert examboard(tmp_path / "store", "template", "run", "-").out == known_kinds()["run"].template
    assert "There are: run, qrels" in examboard(tmp_path / "store", "template", "runs").err
    (tmp_path / "bank.csv").write_text("q1,What is it?,vital\nq1,Who said so?,okay\n", "utf-8")
    refused = examboard(tmp_path / "store", "import", "bank", tmp_path / "bank.csv", "--bank", "b", "--collection", "c")
    assert "query_id,question_text" in refused.err
    assert "examboard template bank" in refused.err
