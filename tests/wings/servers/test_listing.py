"""The models that a server lists, and the address that it lists them at."""

import pytest
from grading.server import Server, says

from exam_core.errors import GraderError
from exam_core.wings.servers.backends import _with_path
from exam_core.wings.servers.connection import listed_models


@pytest.mark.parametrize("path", ["", "/", "/v1"])
def test_a_server_is_recognised_with_and_without_the_v1_of_its_address(path):
    with Server(lambda *_: says("4"), models=["qwen3", "llama3"]) as server:
        server.below = "/v1/"
        address, names = listed_models(f"http://127.0.0.1:{server.server_port}{path}")
        asked = _with_path(f"http://127.0.0.1:{server.server_port}{path}")
    assert (address.removesuffix("/"), names) == (server.address, ["qwen3", "llama3"])
    assert asked == server.address, "a job asks below the same address"


def test_where_no_server_lists_models_the_reason_is_said():
    with Server(lambda *_: says("4")) as server:
        address = server.address
        with pytest.raises(GraderError, match=r"lists no models \(HTTP 404\)"):
            listed_models(address)
    with pytest.raises(GraderError, match="no connection, or it broke off"):
        listed_models(address)
