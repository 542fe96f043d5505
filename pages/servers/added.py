"""What servers add to the pages: how forms ask for what a server takes."""

from __future__ import annotations

import streamlit as st

from exam_core.wings.servers.grading.allowed_servers import KEY, SERVERS, address_of_the_key
from exam_core.wings.servers.grading.backends import SERVER
from pages.shared.wings import BackendForm


def draw_key() -> None:
    """Where the key goes, and which servers may be asked."""
    st.caption(
        f"The key in the environment variable {KEY} of the dashboard is sent to {address_of_the_key()} only. "
        f"Servers on this machine or in a private network have to be named in {SERVERS}."
    )


BACKENDS = (
    BackendForm(
        SERVER.name,
        first="base_url",
        lacks="the address of the server",
        draw_note=draw_key,
        title="Server options",
        icon=":material/dns:",
        more=(
            *("temperature", "max_output_tokens", "reasoning_effort", "max_tokens", "samples", "samples_by"),
            *("price_in", "price_out", "budget", "extra", "batch"),
        ),
        of_grades=("json_schema",),
        of_texts=("timeout",),
        step=("A server", "A server that speaks as OpenAI's does: vLLM, Ollama, or a provider."),
    ),
)
