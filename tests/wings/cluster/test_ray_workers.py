"""The Ray engine on several raylets: the local engine's answers, and its errors; `test_machines` lets machines go."""

import pytest

pytest.importorskip("ray", reason="Ray is not installed")

from exam_core.errors import GraderError
from exam_core.grading.answerers import answerer
from exam_core.grading.options import GradingOptions
from exam_core.grading.prompt import Prompt
from exam_core.wings.cluster.cluster import Cluster
from tests.grading.raylets import fill, head
from tests.grading.tiny import prompts

pytestmark = pytest.mark.thorough  # a cluster takes a minute to start
WORKERS = 2
ASKED = prompts(120)


@pytest.fixture(scope="module")
def trained_cluster(model_folder):
    with head() as machines:
        fill(machines, WORKERS + 1)
        found = answerer(GradingOptions(str(model_folder), engine="ray", device="cpu", workers=WORKERS))
        assert isinstance(found, Cluster)
        yield found
        found.close()


@pytest.fixture(scope="module")
def expected(model_folder):
    return dict(answerer(GradingOptions(str(model_folder), device="cpu")).answers(ASKED))


def texts(answers):
    return {place: (answer.text, answer.cut) for place, answer in answers.items()}


def answers(model):
    return dict(filter(None, model.answers(ASKED)))


def test_its_answers_are_the_local_engines(trained_cluster, expected):
    assert texts(answers(trained_cluster)) == texts(expected)


def test_they_depend_on_the_same_things_and_so_share_a_cache(trained_cluster, model_folder):
    local = answerer(GradingOptions(str(model_folder), device="cpu"))
    assert trained_cluster.about == local.about
    assert trained_cluster.lengths(ASKED) == local.lengths(ASKED)


def test_whoever_stops_listening_can_ask_again(trained_cluster, expected):
    next(filter(None, trained_cluster.answers(ASKED)))
    assert texts(answers(trained_cluster)) == texts(expected)


def test_a_model_that_is_nowhere_is_named(trained_cluster, tmp_path):
    del trained_cluster  # The cluster stands.
    with pytest.raises(GraderError, match="nowhere"):
        answerer(GradingOptions(str(tmp_path / "nowhere"), engine="ray", device="cpu", workers=1))


def test_an_error_of_a_worker_is_told_as_of_this_machine(trained_cluster):
    with pytest.raises(GraderError, match="leaves no room for the passage"):
        list(trained_cluster.answers([Prompt("word " * 600, "context")]))
