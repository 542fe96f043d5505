"""The Ray engine on a local cluster: the local engine's answers, whatever happens to a worker."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="Ray is not installed")

from grading.tiny import prompts

from exam_core.errors import GraderError
from exam_core.grading.answerers import answerer
from exam_core.grading.asking import Answer, Prompt
from exam_core.grading.cluster import Cluster
from exam_core.grading.options import Options

pytestmark = pytest.mark.thorough  # a cluster takes a minute to start
WORKERS = 2
ASKED = prompts(120)


@pytest.fixture(scope="module")
def cluster(model_folder: Path) -> Iterator[Cluster]:
    """Two workers with the trained model, on a cluster of this machine."""
    import ray

    ray.init(num_cpus=WORKERS + 1, log_to_driver=False, include_dashboard=False, configure_logging=False)
    found = answerer(Options(str(model_folder), engine="ray", device="cpu", workers=WORKERS))
    assert isinstance(found, Cluster)
    yield found
    found.close()
    ray.shutdown()


@pytest.fixture(scope="module")
def expected(model_folder: Path) -> dict[int, Answer]:
    """The local engine's answers."""
    return dict(answerer(Options(str(model_folder), device="cpu")).answers(ASKED))


def texts(answers: dict[int, Answer]) -> dict[int, tuple[str | None, bool]]:
    return {place: (answer.text, answer.cut) for place, answer in answers.items()}


def test_its_answers_are_the_local_engines(cluster: Cluster, expected: dict[int, Answer]) -> None:
    assert texts(dict(cluster.answers(ASKED))) == texts(expected)


def test_they_depend_on_the_same_things_and_so_share_a_cache(cluster: Cluster, model_folder: Path) -> None:
    local = answerer(Options(str(model_folder), device="cpu"))
    assert cluster.about == local.about
    assert cluster.lengths(ASKED) == local.lengths(ASKED)


def test_a_worker_killed_at_work_loses_nothing(cluster: Cluster, expected: dict[int, Answer]) -> None:
    found: dict[int, Answer] = {}
    for place, answer in cluster.answers(ASKED):
        if not found:
            os.kill(cluster.process(0), signal.SIGKILL)
        found[place] = answer
    assert texts(found) == texts(expected)


def test_whoever_stops_listening_can_ask_again(cluster: Cluster, expected: dict[int, Answer]) -> None:
    next(iter(cluster.answers(ASKED)))
    assert texts(dict(cluster.answers(ASKED))) == texts(expected)


def test_an_error_of_a_worker_is_told_as_of_this_machine(cluster: Cluster) -> None:
    with pytest.raises(GraderError, match="leaves no room for the passage"):
        list(cluster.answers([Prompt("word " * 600, "context")]))


def test_more_workers_than_there_is_room_for_are_refused(cluster: Cluster, model_folder: Path) -> None:
    del cluster  # The cluster stands.
    with pytest.raises(GraderError, match="room for 1 more workers on its cores, not for 9"):
        answerer(Options(str(model_folder), engine="ray", device="cpu", workers=9))


def test_a_model_that_is_nowhere_is_named(cluster: Cluster, tmp_path: Path) -> None:
    del cluster  # The cluster stands.
    with pytest.raises(GraderError, match="nowhere"):
        answerer(Options(str(tmp_path / "nowhere"), engine="ray", device="cpu", workers=1))
