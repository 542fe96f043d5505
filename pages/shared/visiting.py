"""Who visits, and what they may do here.

Where nobody signs in, a visitor acts for whoever runs the dashboard. Where people do (`EXAMBOARD_ROLES` names a file of
roles), Streamlit knows them by a cookie that it reads when a session begins and that lives for 30 days. So a session
has an age of its own here, and the role is looked up at every call of a verb: both end in an open page, too.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeVar

import streamlit as st
from streamlit.auth_util import get_secrets_auth_section
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME
from streamlit.web.server.starlette.starlette_websocket import (
    _get_signed_cookie_with_chunks,
    _parse_decoded_user_cookie,
)

from exam_core import rights, roles
from exam_core.errors import UsageError
from exam_core.rights import Right, Visitor
from pages.shared.escaping import escaped

HOURS = "EXAMBOARD_SESSION_HOURS"
"""The environment variable that says how old a session may become."""
RETURNING = f'<script type="module">{Path(__file__).with_name("returning.js").read_text(encoding="utf-8")}</script>'
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
Made = TypeVar("Made")
_carried: ContextVar[Mapping[str, Any] | None] = ContextVar("claims of whoever asked for a file", default=None)


def asks_to_sign_in() -> bool:
    """Whether people sign in here; also where that is configured by half, and then nobody has a role."""
    return bool(os.environ.get(roles.FILE)) or bool(get_secrets_auth_section())


def _claims() -> Mapping[str, Any]:
    """What the provider says of whoever acts; nothing where that is not known."""
    carried = _carried.get()
    if carried is not None:
        return carried
    run = get_script_run_ctx(suppress_warning=True)
    return {} if run is None else dict(run.user_info)


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
        return Visitor(roles.plain(address), why=f"No file of roles is named ({roles.FILE}), so nobody has a role.")
    try:
        role = roles.role_of(Path(file), address)
    except UsageError:
        return Visitor(roles.plain(address), why="The file of roles can't be read, so nobody has a role now.")
    return Visitor(roles.plain(address), role, NO_ROLE.format(address))


def longest() -> float:
    """Hours after which somebody has to sign in again; what is no number counts as none."""
    try:
        return float(os.environ.get(HOURS) or roles.HOURS)
    except ValueError:
        return 0.0


def who_acts() -> Visitor | None:
    """Who acts at this moment; None for whoever runs the dashboard, where nobody signs in."""
    return visitor_of(_claims(), os.environ.get(roles.FILE), time.time()) if asks_to_sign_in() else None


rights.known_by(who_acts)


def claims_of_cookie(cookies: Mapping[str, str], origin: str) -> Mapping[str, Any]:
    """What the provider says of whoever sends a request, as Streamlit reads it for a session; nothing otherwise."""
    raw = _get_signed_cookie_with_chunks(dict(cookies), USER_COOKIE_NAME)
    return _parse_decoded_user_cookie(raw, origin) if raw else {}


def upload_refusal(session: str, sender: Mapping[str, Any]) -> str:
    """Why a session may not be sent files; empty where it may: by whoever has it, and who may import.

    Parameters
    ----------
    sender : the claims of whoever sends one. A session's name is no secret: it stands in addresses and in logs
    """
    before = _carried.set(_sessions.get(session, {}))
    try:
        owner = who_acts()
        if owner is None:
            return rights.refusal("edit")
        _carried.set(sender)
        if not owner.name or rights.visitor() != owner:
            return NOT_YOURS
        return rights.refusal("edit")
    finally:
        _carried.reset(before)


def _remember() -> None:
    """Keep what the provider says of whoever has this session: what sends a file knows the session alone."""
    run = get_script_run_ctx(suppress_warning=True)
    if run is not None:
        _sessions.pop(run.session_id, None)
        _sessions[run.session_id] = _claims()
        while len(_sessions) > MOST:
            del _sessions[next(iter(_sessions))]


def let_in() -> None:
    """Draw who is signed in, and look now and then whether they still are; others see nothing but why."""
    if not asks_to_sign_in():
        return
    _remember()
    who = rights.visitor()
    if who is None or not who.role:
        st.title("Examboard")
        st.text(who.why if who else Visitor.why)
        st.html(f"<span data-signs-in></span>{RETURNING}", unsafe_allow_javascript=True)  # a text of ours
        again = " again" if who and who.name else ""
        st.button(f"Sign in{again}", type="primary", icon=":material/login:", on_click=st.login, key="sign_in")
        if again:
            st.button("Sign out", icon=":material/logout:", on_click=st.logout, key="sign_out")
        st.fragment(_watch, run_every=EVERY)(who)
        st.stop()
    with st.sidebar:
        st.caption(f"Signed in as {who.role}")
        st.text(who.name)
        st.html(RETURNING, unsafe_allow_javascript=True)
        st.button("Sign out", icon=":material/logout:", on_click=st.logout, key="sign_out", type="tertiary")
        st.fragment(_watch, run_every=EVERY)(who)


def _watch(before: Visitor | None) -> None:
    """Draw the whole page anew when a visitor's rights are others."""
    if rights.visitor() != before:
        st.rerun()


def allowed(right: Right, *, told: bool = True) -> bool:
    """Whether the visitor may do what follows; where they may not, a sentence stands there instead.

    Parameters
    ----------
    told : whether that sentence is written
    """
    why = rights.refusal(right)
    if why and told:
        st.caption(escaped(why))
    return not why


def carried(make: Callable[[], Made]) -> Callable[[], Made]:
    """What makes a file when it is asked for, for whoever it was offered to: no run of a page is there then."""
    claims = _claims()

    def made() -> Made:
        before = _carried.set(claims)
        try:
            rights.require("read")
            return make()
        finally:
            _carried.reset(before)

    return made
