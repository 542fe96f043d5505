"""Who visits: what of the provider's word counts, how long, and who may send files; without a server."""

import json
import time

import pytest
from dashboards import opened
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from exam_core import rights
from exam_core.errors import Refused
from exam_core.rights import Visitor
from pages.serving import added
from pages.shared import visiting
from tests.pages.test_guarding import answered

NOW = 1_800_000_000.0
ANN = {"is_logged_in": True, "email": "Ann@example.org", "iat": NOW}
HOUR = 3600
ORIGIN = "http://localhost"


@pytest.fixture
def roles(tmp_path, monkeypatch):
    path = tmp_path / "roles.toml"
    path.write_text('[roles]\n"ann@example.org" = "editor"\n"bob@example.org" = "viewer"\n')
    monkeypatch.setenv("EXAMBOARD_ROLES", str(path))
    return path


def visitor(roles, now=NOW, **claims):
    return added.visitor_of(ANN | claims, str(roles) if roles else None, now)


def test_a_visitor_has_the_role_of_their_address(roles):
    assert (visitor(roles).name, visitor(roles).role) == ("ann@example.org", "editor")
    assert visitor(roles, email="bob@example.org").role == "viewer"
    assert visitor(roles, email_verified=True).role == "editor"


def test_a_sign_that_looks_like_a_letter_is_another_address(roles):
    roles.write_text('[roles]\n"kim@example.org" = "editor"\n')
    assert visitor(roles, email="\u212aim@example.org").role == ""


@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ({"is_logged_in": False}, "Sign in first"),
        ({"is_logged_in": "true"}, "Sign in first"),
        ({"email": None}, "no verified e-mail address"),
        ({"email": ["ann@example.org"]}, "no verified e-mail address"),
        ({"email": ""}, "has no role here"),
        ({"email": "*"}, "has no role here"),
        ({"email": "ann@example.org\n"}, "no verified e-mail address"),
        ({"email_verified": False}, "no verified e-mail address"),
        ({"email_verified": "false"}, "no verified e-mail address"),
        ({"email": "eve@example.org"}, "eve@example.org has no role here"),
        ({"iat": None}, "Your session has ended"),
        ({"iat": "now"}, "Your session has ended"),
        ({"iat": float("nan")}, "Your session has ended"),
        ({"iat": NOW + HOUR}, "Your session has ended"),
        ({"iat": NOW - 8 * HOUR - 1}, "Your session has ended"),
    ],
)
def test_whoever_is_not_known_for_certain_has_no_role(claims, why, roles):
    found = visitor(roles, **claims)
    assert (found.role, why in found.why) == ("", True)


@pytest.mark.parametrize(("hours", "lasts"), [("", 8), ("1", 1), ("0.5", 0.5), ("long", 0), ("nan", 0), ("-1", 0)])
def test_a_session_lasts_eight_hours_or_as_long_as_is_said(hours, lasts, roles, monkeypatch):
    monkeypatch.setenv("EXAMBOARD_SESSION_HOURS", hours)
    assert visitor(roles, NOW + lasts * HOUR + 1).role == ""
    assert visitor(roles, NOW + lasts * HOUR - 1).role == ("editor" if lasts else "")


def test_without_a_sound_file_of_roles_nobody_has_one(roles):
    assert visitor(None).role == ""
    roles.write_text("[roles")
    assert (visitor(roles).role, "can't be read" in visitor(roles).why) == ("", True)


def test_a_file_that_is_made_later_is_made_for_whom_it_was_offered_to(roles, monkeypatch):
    claims = [ANN | {"iat": NOW}]
    monkeypatch.setattr(added.time, "time", lambda: NOW)
    monkeypatch.setattr(added, "get_script_run_ctx", lambda **_: type("Run", (), {"user_info": claims[0]}))
    make = visiting.carried(lambda: rights.visitor())
    monkeypatch.setattr(added, "get_script_run_ctx", lambda **_: None)
    assert rights.visitor() == Visitor()
    assert make() == Visitor("ann@example.org", "editor", added.NO_ROLE.format("Ann@example.org"))
    assert rights.visitor() == Visitor()
    roles.write_text('[roles]\n"bob@example.org" = "viewer"\n')
    with pytest.raises(Refused, match="has no role here"):
        make()


@pytest.mark.usefixtures("roles")
def test_nothing_but_a_way_to_sign_in_is_shown_to_whoever_has_not(demo_store, monkeypatch):
    for page in ("pages/leaderboard/leaderboard.py", "pages/grading/grading.py"):
        test = opened(page, demo_store, monkeypatch, "from app.py")
        assert ([one.label for one in test.button], len(test.selectbox)) == (["Sign in"], 0)
        assert [one.value for one in test.text] == ["Sign in first."]


def signed_in(claims):
    """What the browser of somebody who signed in sends along."""
    value = create_signed_value(get_cookie_secret(), USER_COOKIE_NAME, json.dumps(claims | {"origin": ORIGIN}))
    return {"origin": ORIGIN, "cookie": f"{USER_COOKIE_NAME}={value.decode()}"}


@pytest.mark.parametrize("method", ["PUT", "DELETE", "POST"])
def test_files_are_taken_of_whoever_has_the_session_alone_and_may_import(method, monkeypatch, roles):
    def status(session, **headers):
        return answered(f"/_stcore/upload_file/{session}/a-file", method, **headers)[0]

    roles.write_text('[roles]\n"ann@example.org" = "editor"\n"cid@example.org" = "editor"\n"*" = "reviewer"\n')
    sent = {}
    for who in ("ann", "bob", "cid"):
        claims = {"is_logged_in": True, "email": f"{who}@example.org", "iat": time.time()}
        monkeypatch.setitem(added._sessions, who, claims)
        sent[who] = signed_in(claims)
    assert [status(who, **sent.get(who, {})) for who in ("ann", "bob", "eve")] == [299, 403, 403]
    # Knowing the session of an editor is not enough, for another editor either, nor a cookie of another site.
    others = ({}, sent["bob"], sent["cid"], sent["ann"] | {"origin": ""}, {"cookie": f"{USER_COOKIE_NAME}=ann"})
    assert [status("ann", **one) for one in others] == [403] * 5
    old = {"is_logged_in": True, "email": "ann@example.org", "iat": time.time() - 9 * 3600}
    assert status("ann", **signed_in(old)) == 403
    roles.write_text('[roles]\n"bob@example.org" = "editor"\n')
    assert [status(who, **sent[who]) for who in ("ann", "bob")] == [403, 299]
    monkeypatch.setenv("EXAMBOARD_READ_ONLY", "1")
    assert status("bob", **sent["bob"]) == 403
