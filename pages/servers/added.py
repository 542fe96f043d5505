"""What servers add to the pages: a form that asks for a server's address, whether it may be asked, and its model."""

from __future__ import annotations

from typing import Any

import streamlit as st

from exam_core.declared import declared
from exam_core.errors import ExamboardError
from exam_core.grading.options import GradingOptions
from exam_core.wings.servers import allowed_servers
from exam_core.wings.servers.allowed_servers import KEY, address_of_the_key, origin_of
from exam_core.wings.servers.backends import SERVER
from exam_core.wings.servers.connection import listed_models
from pages.parts.job_form import KEPT, ask
from pages.shared import doing, show, visiting
from pages.shared.wings import BackendForm

CONFIRMED, LISTED = "servers: confirmed", "servers: what they list"
REFUSED = "servers: why they may not be asked"
USUAL = {"Ollama": 11434, "vLLM": 8000, "LM Studio": 1234, "llama.cpp": 8080}
"""Programs that serve models, and the ports that they listen on."""
CONFIRM = (
    "Sends prompts with passages and questions to this server on this machine, from now until this page is closed."
)
LISTED_MODEL = "The models that the server lists; another name can be typed."
NAMED = "The model's name, as the server spells it."


def confirmed_servers() -> tuple[str, ...]:
    """Addresses of this machine that the visitor confirmed; none where others can open the dashboard."""
    return tuple(st.session_state.get(CONFIRMED, ())) if visiting.is_alone() else ()


def ask_server(form: str) -> dict[str, Any]:
    """The address of a server and its model, by their names in `GradingOptions`; keys of widgets begin with `form`."""
    left, right = st.columns(2)
    address = ask(form, left, GradingOptions, "base_url", placeholder="http://127.0.0.1:11434", help=None, **KEPT)
    left.caption(declared(GradingOptions)["base_url"].about.explained)
    _confirm(form, address)
    listed = _listed(address)
    base_url, names, reason = listed or (address, [], "")
    if names:
        typed = st.session_state.get(f"{form}_model", "")
        names = [*names, *([typed] if typed and typed not in names else [])]
        first = names.index(typed) if typed else 0 if allowed_servers.is_here(address) else None
        key = f"{form}_model_of_{origin_of(address)}"
        model = right.selectbox("Model", names, first, key=key, help=LISTED_MODEL, **KEPT, accept_new_options=True)
    else:
        model = ask(form, right, GradingOptions, "model", placeholder="", help=NAMED, **KEPT)
    if reason:
        show.problems([reason])
        doing.button("Ask again", _forget, address, key=f"{form}_list", icon="refresh")
    if not allowed_servers.is_here(address):
        st.caption(
            f"The key in the environment variable {KEY} of the dashboard is sent to {address_of_the_key()} only."
        )
    is_refused = visiting.is_alone() and allowed_servers.is_here(address) and not _may_be_asked(address)
    return {"base_url": "" if is_refused else base_url, "model": model or ""}


def _confirm(form: str, address: str) -> None:
    """The button that lets a server of this machine be asked, or the line that starts the dashboard anew for it."""
    if address and _may_be_asked(address):
        return
    if address and not allowed_servers.is_here(address):
        _refusal(address)
        return
    if visiting.is_alone():
        if address:
            show.text("Allow the dashboard to ask this server before you try or start:")
        with st.container(horizontal=True):
            usual = {f"{name} at ": f"http://{allowed_servers.HERE[0]}:{port}" for name, port in USUAL.items()}
            for name, item in ({"": address} if address else usual).items():
                key = f"{form}_confirm_{origin_of(item)}"
                doing.button(
                    f"Ask {name}{origin_of(item)} for its models", _take, form, item, key=key, icon="dns", help=CONFIRM
                )
    elif address:
        show.text("Others can open this dashboard, so it asks a server on its own machine only if it is started by:")
        show.command(allowed_servers.restart_line(address))


def _refusal(address: str) -> None:
    """Why a server may not be asked, as soon as its address is typed; a name is looked up once."""
    refused: dict[str, str] = st.session_state.setdefault(REFUSED, {})
    if address not in refused:
        refused[address] = ""
        try:
            allowed_servers.refuse_inner(address)
        except ExamboardError as error:
            refused[address] = str(error)
    if refused[address]:
        show.problems([refused[address]])


def _may_be_asked(address: str) -> bool:
    return allowed_servers.is_named(address) or allowed_servers.is_confirmed(address, confirmed_servers())


def _take(form: str, address: str) -> None:
    """Confirm a server, and fill in its address."""
    st.session_state[CONFIRMED] = {*st.session_state.get(CONFIRMED, ()), origin_of(address)}
    st.session_state[f"{form}_base_url"] = address
    _forget(address)


def _forget(address: str) -> None:
    st.session_state.get(LISTED, {}).pop(address, None)


def _listed(address: str) -> tuple[str, list[str], str] | None:
    """The address below which a server lists models, these, and why there are none; None where it may not be asked."""
    if not address or not _may_be_asked(address):
        return None
    listed: dict[str, tuple[str, list[str], str]] = st.session_state.setdefault(LISTED, {})
    if address not in listed:
        try:
            listed[address] = (*listed_models(address), "")
        except ExamboardError as error:
            listed[address] = address, [], str(error)
    return listed[address]


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
        of_texts=("timeout",),
        step=("A server", "A server with OpenAI's interface (API): vLLM, Ollama, or a provider."),
    ),
)
