"""A judge's decimal labels become no run unless somebody says that they are one."""

import pytest

from exam_core.actions.uploading import Upload, kind_of_upload
from exam_core.store import Store


@pytest.fixture
def bring(of_report):
    return of_report("t4/decimal-labels")


@pytest.mark.parametrize("kind", ["labels", "qrels"])
def test_labels_say_that_they_are_whole_numbers_and_no_other_kind_is_advised(bring, kind):
    done = bring(kind, "geval.jsonl", *(["--grader", "geval"] if kind == "labels" else []))
    assert done.status == 1
    assert "geval.jsonl:1: relevance 0.71 is not a whole number" in done.err
    assert "Decide which label each decimal becomes (rounded, 0.71 is 1" in done.err
    assert "import run" not in done.err


def test_beside_a_run_they_are_asked_about_and_no_system(bring, tmp_path):
    done = bring("files", "geval.jsonl", "r.run")
    assert done.status != 0
    assert "may be those of a run (import run) or the labels of a judge (import labels)" in done.err
    assert not Store(tmp_path / "store").collections()


def test_the_page_asks_what_an_upload_of_them_is(shared_data):
    path = shared_data / "reports/t4/decimal-labels/geval.jsonl"
    assert kind_of_upload(Upload(path.name, path.read_bytes())) is None


def test_somebody_may_say_that_they_are_a_run(bring):
    assert "1 run, 16 ranked passages" in bring("run", "geval.jsonl").out
