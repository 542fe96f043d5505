"""People sign in by OpenID Connect, and a file of roles says what they may do.

Streamlit knows them by a cookie that it reads when a session begins and that lives for 30 days. So a session has an age
of its own here, and the role is looked up at every call of a verb: both end in an open page, too.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.requests import Request
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME
from streamlit.web.server.starlette.starlette_websocket import (
    _get_signed_cookie_with_chunks,
    _parse_decoded_user_cookie,
)

from exam_core import rights
from exam_core.errors import UsageError
from exam_core.rights import ROLES_FILE, Visitor
from exam_core.wings.serving import roles
from pages.shared.visiting import Made, SignIn

RETURNING = Path(__file__).with_name("returning.js").read_text(encoding="utf-8")
"""Brings whoever signed in back to the address that they opened: the provider sends them to the first page."""
EARLY = 300
"""Seconds by which the provider's clock may be ahead of ours."""
EVERY = 30
"""Seconds after which an open page looks whether its visitor still has the same rights."""
AGAIN = "Your session has ended. Sign in again."
NO_ROLE = "{} has no role here. Ask whoever runs this dashboard for one."
NO_ADDRESS = "Your account has no verified e-mail address, so it has no role here."
NOT_YOURS = "Only whoever has this session may send files to it."
_sessions: dict[str, Mapping[str, Any]] = {}
MOST = 1000
"""Sessions that are remembered, those that were seen last."""
_carried: ContextVar[Mapping[str, Any] | None] = ContextVar("claims of whoever asked for a file", default=None)


class OpenID(SignIn):
    """Signing in at a provider of identities."""

    script = RETURNING

    def who_acts(self) -> Visitor:
        """Whoever Streamlit's cookie names, with their role as it is now."""
        return visitor_of(_claims(), os.environ.get(ROLES_FILE), time.time())

    def let_in(self) -> None:
        """Draw who is signed in, and look now and then whether they still are; others see nothing but why."""
        _remember()
        who = rights.visitor()
        script = f'<script type="module">{RETURNING}</script>'
        if who is None or not who.role:
            st.title("Examboard")
            st.text(who.why if who else Visitor.why)
            st.html(f"<span data-signs-in></span>{script}", unsafe_allow_javascript=True)  # a text of ours
            again = " again" if who and who.name else ""
            st.button(f"Sign in{again}", type="primary", icon=":material/login:", on_click=st.login, key="sign_in")
            if again:
                st.button("Sign out", icon=":material/logout:", on_click=st.logout, key="sign_out")
            st.fragment(_watch, run_every=EVERY)(who)
            st.stop()
        with st.sidebar:
            st.caption(f"Signed in as {who.role}")
            st.text(who.name)
            st.html(script, unsafe_allow_javascript=True)
            st.button("Sign out", icon=":material/logout:", on_click=st.logout, key="sign_out", type="tertiary")
            st.fragment(_watch, run_every=EVERY)(who)

    def as_now(self, make: Callable[[], Made]) -> Callable[[], Made]:
        """What makes a file later, by the claims of whoever acts now; their role is looked up then."""
        claims = _claims()

        def made() -> Made:
            before = _carried.set(claims)
            try:
                return make()
            finally:
                _carried.reset(before)

        return made

    def upload_refusal(self, session: str, request: Request) -> str:
        """Why a session may not be sent files; empty where it may: by whoever has it, and who may import.

        A session's name is no secret: it stands in addresses and in logs.
        """
        before = _carried.set(_sessions.get(session, {}))
        try:
            owner = self.who_acts()
            _carried.set(_claims_of_cookie(request))
            if not owner.name or self.who_acts() != owner:
                return NOT_YOURS
            return rights.refusal("edit")
        finally:
            _carried.reset(before)


def _claims() -> Mapping[str, Any]:
    """What the provider says of whoever acts; nothing where that is not known."""
    carried = _carried.get()
    if carried is not None:
        return carried
    run = get_script_run_ctx(suppress_warning=True)
    return {} if run is None else dict(run.user_info)


def _claims_of_cookie(request: Request) -> Mapping[str, Any]:
    """What the provider says of whoever sends a request, as Streamlit reads it for a session; nothing otherwise."""
    raw = _get_signed_cookie_with_chunks(dict(request.cookies), USER_COOKIE_NAME)
    return _parse_decoded_user_cookie(raw, request.headers.get("origin", "")) if raw else {}


def visitor_of(claims: Mapping[str, Any], file: str | None, now: float) -> Visitor:
    """Who somebody is, and their role.

    Parameters
    ----------
    claims : of the provider's ID token (OpenID Connect Core 1.0, section 2)
    file : of roles
    now : seconds since 1970
    """
    if claims.get("is_logged_in") is not True:
        return Visitor()
    address, issued = claims.get("email"), claims.get("iat")
    most = longest() * 3600
    # Compared, not subtracted: a whole number may be too large for that.
    if not isinstance(issued, (int, float)) or not most > 0 or not now - most <= issued <= now + EARLY:
        return Visitor(why=AGAIN)
    if not isinstance(address, str) or not address.isprintable() or claims.get("email_verified", True) is not True:
        return Visitor(why=NO_ADDRESS)
    if not file:
        return Visitor(roles.plain(address), why=f"No file of roles is named ({ROLES_FILE}), so nobody has a role.")
    try:
        role = roles.role_of(Path(file), address)
    except UsageError:
        return Visitor(roles.plain(address), why="The file of roles can't be read, so nobody has a role now.")
    return Visitor(roles.plain(address), role, NO_ROLE.format(address))


def longest() -> float:
    """Hours after which somebody has to sign in again; what is no number counts as none."""
    try:
        return float(os.environ.get(roles.HOURS_SAID) or roles.HOURS)
    except ValueError:
        return 0.0


def _remember() -> None:
    """Keep what the provider says of whoever has this session: what sends a file knows the session alone."""
    run = get_script_run_ctx(suppress_warning=True)
    if run is not None:
        _sessions.pop(run.session_id, None)
        _sessions[run.session_id] = _claims()
        while len(_sessions) > MOST:
            del _sessions[next(iter(_sessions))]


def _watch(before: Visitor | None) -> None:
    """Draw the whole page anew when a visitor's rights are others."""
    if rights.visitor() != before:
        st.rerun()


SIGN_IN = OpenID()
