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
    """A crew without Ray, which is tried again at once."""
    monkeypatch.setattr(
        cluster, "_CREW", cluster._CREW.replace("exam_core.wings.cluster.ray_workers", "tests.wings.cluster.stub")
    )
    monkeypatch.setattr(cluster, "AGAIN_SECONDS", 0.0)


def test_a_cluster_whose_head_was_lost_is_asked_what_it_had_not_answered(tmp_path, capfd):
    model = Cluster(local, GradingOptions("stub", engine="ray"), log=tmp_path / "log.txt")
    answers = iter(model.answers(ASKED))
    assert (next(filter(None, answers)), model.workers, model.trying) == ((0, "passage 0"), Workers(3, 3), "")
    assert list(filter(None, answers)) == [(place, f"passage {place}") for place in range(1, 5)]
    assert model.workers == Workers(2, 3)
    model.close()
    # What is printed there is in the log, and nowhere else; so is that it was lost, and what to do.
    said = "printed by Ray\nwarned by Ray\n"
    log = (tmp_path / "log.txt").read_text("utf-8")
    assert log.startswith(said)
    assert log.endswith(f" {cluster.TRIES}\n{said}")
    assert "the cluster is lost. The process that connects to it ended" in log
    assert capfd.readouterr() == ("", "")


def test_whoever_waits_for_a_first_worker_can_stop():
    def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Cluster(local, GradingOptions("stub", engine="ray"), waits=stop)


def test_one_that_stays_lost_ends_the_job_after_some_minutes(monkeypatch):
    model = Cluster(local, GradingOptions("never again", engine="ray"))
    monkeypatch.setattr(cluster, "NONE_SECONDS", 0.3)
    answers, found = model.answers(ASKED), []
    with pytest.raises(GraderError, match=r"had no worker for 0 s\. The process that connects to it ended"):
        found.extend(answers)
    assert (model.workers.working, model.trying) == (0, "tries to reach the Ray cluster again")
