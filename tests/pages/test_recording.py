"""Errors that nobody expected: on standard error under the id that the page names, without secrets."""

import asyncio
import re

import pytest
from streamlit.testing.v1 import AppTest

from exam_core import rights
from exam_core.rights import Visitor
from exam_core.secrecy import without_secrets
from pages.shared import guarding, recording


def failing():
    from pages.shared import recording

    try:
        raise KeyError("no such run\n2026-01-01 ERROR 00000000 https://ann:hunter22@host/v1")
    except KeyError as error:
        recording.tell(error)


@pytest.mark.parametrize(
    ("who", "by"),
    [
        (None, "'whoever runs it'"),
        (Visitor("bob@example.org", "viewer"), "'bob@example.org'"),
        (Visitor(), "'nobody who signed in'"),
    ],
    ids=["whoever runs it", "somebody who signed in", "nobody"],
)
def test_an_error_is_recorded_with_page_address_and_user_under_the_id_that_the_page_names(who, by, capsys, monkeypatch):
    monkeypatch.setattr(rights, "_known", lambda: who)
    test = AppTest.from_function(failing)
    test.query_params["collection"] = "demo"
    test.query_params["access_token"] = "told-in-secret"
    test.run()
    (shown,) = test.error
    (name,) = re.findall(r"\*\*error ([0-9a-f]{8})\*\*", shown.value)
    said = capsys.readouterr().err
    head, *lines = said[said.index(f" ERROR {name} ") :].splitlines()
    assert head.startswith(f" ERROR {name} page='Home' address=/?collection=demo&access_token=*** by=")
    assert by in head.partition(" by=")[2]
    assert lines[0] == "  Traceback (most recent call last):"
    # No text of an error looks like another one's beginning.
    assert all(line.startswith("  ") for line in lines)
    assert not {"hunter22", "told-in-secret"} & set(re.split(r"[^\w-]", said))


def test_an_error_before_streamlit_is_answered_with_its_id_and_recorded_without_what_follows_the_question_mark(capsys):
    sent = []

    async def broken(*_):
        raise RuntimeError("no room")

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "path": "/oauth2callback", "query_string": b"code=abc", "method": "GET"}
    scope["headers"] = [(b"host", b"localhost")]
    asyncio.run(guarding.Guard(broken)(scope, None, send))  # type: ignore[arg-type]
    said = capsys.readouterr().err
    (name,) = re.findall(r"error (\w{8}) in the dashboard's log", sent[1]["body"].decode())
    assert (sent[0]["status"], f" ERROR {name} request=GET /oauth2callback\n" in said) == (500, True)
    assert ("RuntimeError: no room" in said, "abc" in said) == (True, False)


def test_a_long_error_is_recorded_without_its_middle(capsys):
    recording.record(ValueError("begins" + "x" * 10**6 + "ends"))
    said = capsys.readouterr().err
    assert ("begins" in said, "ends\n" in said, len(said) < 2 * recording.LONGEST) == (True, True, True)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("GET https://ann:pass@host:80/v1", "GET https://***@host:80/v1"),
        ("Authorization: Bearer abc.def-ghi", "Authorization: Bearer ***"),
        ("with sk-abcdefghijkl and eyJhbGciOi.J9eyJz", "with *** and ***"),
        ("/oauth2callback?code=ab&state=cd&page=1", "/oauth2callback?code=***&state=***&page=1"),
        ("{'cookie': '_streamlit_user=abc'}", "{'cookie': ***"),
        ("keyed by told-in-the-environment!", "keyed by ***!"),
        ("tau=3, state = 2, ann@example.org of key q1", "tau=3, state = 2, ann@example.org of key q1"),
    ],
)
def test_a_log_has_no_secrets(text, rest, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "told-in-the-environment")
    assert without_secrets(text) == rest
