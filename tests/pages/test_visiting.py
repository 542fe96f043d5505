"""Who visits: what of the provider's word counts, how long, and what a page shows to whom; without a server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from dashboards import opened, sentences

from exam_core import rights
from exam_core.errors import Refused
from exam_core.rights import Visitor
from pages.shared import visiting
from tests.wings import added_to

NOW = 1_800_000_000.0
ANN = {"is_logged_in": True, "email": "Ann@example.org", "iat": NOW}
HOUR = 3600


@pytest.fixture
def roles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "roles.toml"
    path.write_text('[roles]\n"ann@example.org" = "editor"\n"bob@example.org" = "viewer"\n')
    monkeypatch.setenv("EXAMBOARD_ROLES", str(path))
    return path


def visitor(roles: Path | None, now: float = NOW, **claims: object) -> Visitor:
    return visiting.visitor_of(ANN | claims, str(roles) if roles else None, now)


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
    monkeypatch.setattr(visiting.time, "time", lambda: NOW)
    monkeypatch.setattr(visiting, "get_script_run_ctx", lambda **_: type("Run", (), {"user_info": claims[0]}))
    make = visiting.carried(lambda: rights.visitor())
    monkeypatch.setattr(visiting, "get_script_run_ctx", lambda **_: None)
    assert rights.visitor() == Visitor()
    assert make() == Visitor("ann@example.org", "editor", visiting.NO_ROLE.format("Ann@example.org"))
    assert rights.visitor() == Visitor()
    roles.write_text('[roles]\n"bob@example.org" = "viewer"\n')
    with pytest.raises(Refused, match="has no role here"):
        make()


def test_where_nobody_signs_in_a_visitor_acts_for_whoever_runs_it(monkeypatch):
    monkeypatch.delenv("EXAMBOARD_ROLES", raising=False)
    assert rights.visitor() is None


@pytest.mark.usefixtures("roles")
def test_nothing_but_a_way_to_sign_in_is_shown_to_whoever_has_not(store, monkeypatch):
    for page in ("pages/leaderboard.py", "pages/banks.py"):
        test = opened(page, store, monkeypatch, "from app.py")
        assert (len(test.exception), [one.label for one in test.button], len(test.selectbox)) == (0, ["Sign in"], 0)
        assert [one.value for one in test.text] == ["Sign in first."]


@pytest.fixture
def viewer() -> Iterator[None]:
    """Whoever opens a page is a viewer."""
    rights.known_by(lambda: Visitor("bob@example.org", "viewer"))
    yield
    rights.known_by(visiting.who_acts)


PAGES_THAT_WRITE = added_to(
    {
        "pages/holdings.py": "editor",
        "pages/grading.py": "editor",
        "pages/banks.py": "editor",
    },
    "PAGES_THAT_WRITE",
)
WRITING = {"Import", "Plan", "Start", "Stop", "Go on", "Draw", "Add note", "Begin", "Grade lexically", "Pin this view"}


@pytest.mark.usefixtures("viewer")
@pytest.mark.parametrize("page", PAGES_THAT_WRITE)
def test_a_viewer_is_told_which_role_writing_takes_and_is_offered_nothing_that_writes(page, store, monkeypatch):
    test = opened(page, store, monkeypatch, "from app.py", collection="demo")
    assert (len(test.exception), len(test.error)) == (0, 0)
    offered = {one.label for one in test.button if not one.disabled} & WRITING
    assert (offered, len(test.get("file_uploader"))) == (set(), 0)
    assert f"takes the role {PAGES_THAT_WRITE[page]}" in sentences(test)
