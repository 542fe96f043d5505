"""Errors that nobody expected: said on the server's standard error, with an id that the page names.

`examboard open` keeps what is said there in a file (`exam_core/cli/keeping_errors.py`).
"""

from __future__ import annotations

import datetime as dt
import sys
import traceback
from contextlib import suppress
from secrets import token_hex
from textwrap import indent
from urllib.parse import urlencode, urlsplit

import streamlit as st
from streamlit.auth_util import get_secrets_auth_section

from exam_core.errors import visible
from exam_core.rights import visitor
from exam_core.secrecy import without_secrets

LONGEST = 20_000
"""Characters of an error's text; of a longer one the middle is left out."""
SAID = (
    "Unexpected **error {}** on this page. Reload the page, or choose something else. The dashboard's log explains "
    "the error under this id."
)


def record(error: BaseException, **about: str) -> str:
    """Write an error to standard error, without secrets, with where it happened and to whom; returns its id there."""
    name = token_hex(4)
    text = "".join(traceback.format_exception(error))
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]}\n[...]\n{text[-LONGEST // 2 :]}"
    now = dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")
    where = [f"{what}={visible(value, line_ends=False)}" for what, value in about.items()]
    head = " ".join([now, "ERROR", name, *where])
    # Lines of the error are indented, so that no text in it looks like another error's head.
    message = f"{head}\n{indent(visible(text), '  ', lambda _: True)}"
    with suppress(OSError, ValueError):  # nobody listens
        sys.stderr.write(without_secrets(message, _own_secrets()))
        sys.stderr.flush()
    return name


def _own_secrets() -> list[str]:
    """What signs cookies, and what the provider knows the dashboard by."""
    with suppress(Exception):  # no secrets, or some that can't be read: the way to them is one that may have failed
        return [str(value) for name, value in get_secrets_auth_section().items() if name.endswith("secret")]
    return []


def tell(error: Exception) -> bool:
    """Record an error of a page, and name its id there in place of Streamlit's own box, which is suppressed."""
    st.error(SAID.format(record(error, **_here())))
    return True


def _here() -> dict[str, str]:
    """Page, address and user of the run that failed."""
    from pages.shared import menu
    from pages.shared.frame import FIRST

    who = visitor()
    path = urlsplit(st.context.url or "").path or "/"
    text = urlencode({name: st.query_params.get_all(name) for name in st.query_params}, doseq=True)
    stem = path.rstrip("/").rpartition("/")[2] or FIRST
    page = next((item.title for item in menu.PAGES if item.name == stem), stem)
    by = "whoever runs it" if who is None else who.name or "nobody who signed in"
    return {"page": repr(page), "address": f"{path}?{text}" if text else path, "by": repr(by)}
