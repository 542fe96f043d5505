"""What servers add to the pages: how forms ask for what a server takes."""

from __future__ import annotations

from exam_core.wings.servers.backends import SERVER
from pages.servers.address import ask_server
from pages.servers.address import confirmed_servers as confirmed_servers
from pages.shared.wings import BackendForm

BACKENDS = (
    BackendForm(
        SERVER.name,
        first="base_url",
        missing_text="a server (type its address and, if it runs on this machine, press Ask)",
        ask=ask_server,
        title="Server options",
        icon=":material/dns:",
        more=(
            *("temperature", "max_output_tokens", "reasoning_effort", "max_tokens", "samples", "samples_by"),
            *("price_in", "price_out", "budget", "extra", "batch"),
        ),
        of_grades=("json_schema",),
        of_texts=("timeout",),
        step=("A server", "A server with OpenAI's interface (API): vLLM, Ollama, or a provider."),
    ),
)
