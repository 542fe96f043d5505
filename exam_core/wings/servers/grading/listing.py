"""The models that a server lists."""

from __future__ import annotations

from exam_core.errors import GraderError
from exam_core.wings.servers.grading.connection import Connection
from exam_core.wings.servers.grading.replies import read_models

SECONDS = 3.0
"""A page waits so long for the list."""


def listed_models(base_url: str) -> tuple[str, list[str]]:
    """The address that lists models, and their names: Ollama, vLLM, LM Studio and llama.cpp do so below /v1.

    Whoever calls this says who may be asked (`allowed_servers`).

    Parameters
    ----------
    base_url : with or without the /v1

    Raises
    ------
    UsageError : the address is none
    GraderError : no server answers there, or it lists no model
    """
    for address in dict.fromkeys((base_url.strip(), f"{base_url.strip().rstrip('/')}/v1")):
        server = Connection(address, SECONDS)
        with server.client() as client:
            status, _, body = server.exchange(client.models.with_raw_response.list)
        if names := read_models(body):
            return address, names
        reason = body.decode(errors="replace") if status == 0 else f"HTTP {status}"
        if status == 0:
            break
    raise GraderError(f"{server.address} lists no models ({reason}). Start the server there, or type the model's name.")
