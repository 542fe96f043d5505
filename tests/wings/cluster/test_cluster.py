"""A cluster as the job sees it: answers, how many work, and what becomes of it when its workers' process is lost."""

import pytest

from exam_core.errors import GraderError
from exam_core.grading.answerers import local
from exam_core.grading.options import GradingOptions
from exam_core.grading.prompt import Prompt, Workers
from exam_core.wings.cluster import cluster
from exam_core.wings.cluster.cluster import Cluster

ASKED = [Prompt("head", f"passage {number}") for number in range(5)]


@pytest.fixture(autouse=True)
def stub(monkeypatch):
    """A crew without Ray."""
    monkeypatch.setattr(
        cluster, "_CREW", cluster._CREW.replace("exam_core.wings.cluster.ray_workers", "tests.wings.cluster.stub")
    )


def test_a_cluster_whose_head_is_lost_ends_the_job_with_what_to_do(tmp_path, capfd):
    model = Cluster(local, GradingOptions("stub", engine="ray"), log=tmp_path / "log.txt")
    answers = iter(model.answers(ASKED))
    assert (next(filter(None, answers)), model.workers) == ((0, "passage 0"), Workers(3, 3))
    with pytest.raises(GraderError, match=r"ended, as when its head is gone\.\nWhat is answered is kept: start"):
        list(answers)
    # What is printed there is in the log, and nowhere else.
    assert (tmp_path / "log.txt").read_text("utf-8") == "printed by Ray\nwarned by Ray\n"
    assert capfd.readouterr() == ("", "")


def test_whoever_waits_for_a_first_worker_can_stop():
    def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Cluster(local, GradingOptions("stub", engine="ray"), waits=stop)
