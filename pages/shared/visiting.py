"""Who visits, and what they may do here.

Where nobody signs in, a visitor acts for whoever runs the dashboard. Where people do, a wing knows how: `SIGN_IN` in
its `added.py`. Where signing in is configured and no wing does it, nobody is let in.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import urlsplit

import streamlit as st
from starlette.requests import Request
from streamlit.auth_util import get_secrets_auth_section

from exam_core import rights
from exam_core.rights import ROLES_FILE, Right, Visitor
from pages.shared import wings
from pages.shared.boxes import escaped

Made = TypeVar("Made")
HERE = ("localhost", "127.0.0.1", "::1")
"""Names of this machine, for a configuration that names no hosts: Streamlit would then take any."""
BY_A_PROXY = ("forwarded", "x-forwarded", "x-real-ip", "x-original", "via", "cf-")
"""How headers begin that proxies and tunnels add."""


class SignIn:
    """How people sign in; `script` runs inline in the page. This class lets nobody in, and wings override it."""

    script = ""

    def who_acts(self) -> Visitor:
        """Who acts at this moment."""
        return Visitor(
            why=f"Sign-in is configured ({ROLES_FILE}, or [auth] in the secrets), but this installation can't sign "
            "anybody in, so nobody is let in."
        )

    def let_in(self) -> None:
        """Draw who is signed in; whoever may not look sees nothing but why."""
        st.title("Examboard")
        st.text(self.who_acts().why)
        st.stop()

    def as_now(self, make: Callable[[], Made]) -> Callable[[], Made]:
        """A function that makes a file later for whoever acts now: no run of a page is there then."""
        return make

    def upload_refusal(self, session: str, request: Request) -> str:
        """Why a session may not be sent files by a request; empty where it may."""
        del session, request
        return rights.refusal("edit")


def asks_to_sign_in() -> bool:
    """Whether people sign in here; also where that is configured by half, and then nobody has a role."""
    return bool(os.environ.get(ROLES_FILE)) or bool(get_secrets_auth_section())


def sign_in() -> SignIn | None:
    """How people sign in; None where nobody does."""
    return next(wings.declared("SIGN_IN"), SignIn()) if asks_to_sign_in() else None


def who_acts() -> Visitor | None:
    """Who acts at this moment; None for whoever runs the dashboard, where nobody signs in."""
    way = sign_in()
    return way.who_acts() if way else None


rights.known_by(who_acts)


def is_alone() -> bool:
    """Whether the visitor runs the dashboard for themselves: nobody signs in, it listens on this machine alone, and
    this page was opened under a name of this machine, not by a proxy.

    A proxy that names neither itself nor the name that was called is told by the page's origin.
    """
    headers = st.context.headers
    named = [headers.get("host"), headers.get("origin", "").partition("://")[2]]
    return (
        not asks_to_sign_in()
        and st.get_option("server.address") in HERE
        and all(_name_of(host) in HERE for host in named)
        and not any(name.lower().startswith(BY_A_PROXY) for name in headers)
    )


def _name_of(host: str | None) -> str | None:
    try:
        return urlsplit(f"//{host or ''}").hostname
    except ValueError:
        return None


def let_in() -> None:
    """Draw who is signed in, where people do; others see nothing but why."""
    if way := sign_in():
        way.let_in()


def upload_refusal(session: str, request: Request) -> str:
    """Why a session may not be sent files by a request; empty where it may."""
    way = sign_in()
    return way.upload_refusal(session, request) if way else rights.refusal("edit")


def allowed(right: Right, *, text: bool = True) -> bool:
    """Whether the visitor may do what follows; where they may not, the reason is written, unless `text` is False."""
    why = rights.refusal(right)
    if why and text:
        st.caption(escaped(why))
    return not why


def carried(make: Callable[[], Made]) -> Callable[[], Made]:
    """A function that makes a file when it is asked for, for whoever it was offered to."""

    def made() -> Made:
        rights.require("read")
        return make()

    way = sign_in()
    return way.as_now(made) if way else made
