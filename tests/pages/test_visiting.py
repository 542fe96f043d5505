"""Who may do what on a page, and that nobody is let in where people should sign in and cannot; without a server."""

from types import SimpleNamespace

import pytest
from dashboards import opened, sentences
from starlette.datastructures import Headers
from starlette.requests import Request

from exam_core import rights
from exam_core.errors import Refused
from exam_core.rights import Visitor
from pages.shared import visiting, wings
from tests.wings import added_to


def test_where_nobody_signs_in_a_visitor_acts_for_whoever_runs_it(monkeypatch):
    monkeypatch.delenv("EXAMBOARD_ROLES", raising=False)
    assert rights.visitor() is None


@pytest.fixture(params=["a file of roles", "a provider"])
def unable(request, monkeypatch, tmp_path):
    """Signing in is configured, and no wing knows how it is done."""
    found = wings.declared
    monkeypatch.setattr(wings, "declared", lambda name: iter(() if name == "SIGN_IN" else found(name)))
    if request.param == "a file of roles":
        monkeypatch.setenv("EXAMBOARD_ROLES", str(tmp_path / "roles.toml"))
    else:
        monkeypatch.setattr(visiting, "get_secrets_auth_section", lambda: {"client_id": "examboard"})


@pytest.mark.usefixtures("unable")
def test_where_people_should_sign_in_and_cannot_nobody_is_let_in(store, monkeypatch):
    test = opened("pages/grading/grading.py", store, monkeypatch, "from app.py")
    assert (len(test.button), len(test.selectbox), len(test.get("file_uploader"))) == (0, 0, 0)
    assert ["nobody is let in" in one.value for one in test.text] == [True]
    for right in ("read", "review", "edit", None):
        with pytest.raises(Refused):
            rights.require(right)
    with pytest.raises(Refused, match="nobody is let in"):
        visiting.carried(lambda: "a file")()
    assert visiting.upload_refusal("a-session", Request({"type": "http", "headers": []}))


@pytest.fixture
def viewer():
    """Whoever opens a page is a viewer."""
    rights.known_by(lambda: Visitor("bob@example.org", "viewer"))
    yield
    rights.known_by(visiting.who_acts)


PAGES_THAT_WRITE = added_to(
    {"pages/collections/collections.py": "editor", "pages/grading/grading.py": "editor"}, "PAGES_THAT_WRITE"
)
WRITING = {"Import", "Plan", "Start", "Stop", "Go on", "Draw", "Add note", "Begin", "Grade by words", "Pin this view"}


@pytest.mark.usefixtures("viewer")
@pytest.mark.parametrize("page", PAGES_THAT_WRITE)
def test_a_viewer_is_told_which_role_writing_takes_and_is_offered_nothing_that_writes(page, store, monkeypatch):
    test = opened(page, store, monkeypatch, "from app.py", collection="demo")
    assert not test.error
    offered = {one.label for one in test.button if not one.disabled} & WRITING
    assert (offered, len(test.get("file_uploader"))) == (set(), 0)
    assert f"needs the role {PAGES_THAT_WRITE[page]}" in sentences(test)


OWN = {"Host": "127.0.0.1:8501", "Origin": "http://127.0.0.1:8501"}


@pytest.mark.parametrize(
    ("headers", "address", "is_so"),
    [
        (OWN, "127.0.0.1", True),
        ({"Host": "localhost:8501", "Origin": "http://localhost:8501"}, "localhost", True),
        ({"Host": "[::1]:8501", "Origin": "http://[::1]:8501"}, "::1", True),
        (OWN, "0.0.0.0", False),
        (OWN, None, False),
        ({}, "127.0.0.1", False),
        ({"Host": OWN["Host"]}, "127.0.0.1", False),
        (OWN | {"Host": "evil.test:8501"}, "127.0.0.1", False),
        (OWN | {"Origin": "https://board.example.org"}, "127.0.0.1", False),
        (OWN | {"Host": "127.0.0.1.evil.test"}, "127.0.0.1", False),
        (OWN | {"Host": "127.0.0.1@evil.test"}, "127.0.0.1", False),
        (OWN | {"Host": "[::1"}, "127.0.0.1", False),
        *((OWN | {name: "x"}, "127.0.0.1", False) for name in ("X-Forwarded-For", "Forwarded", "Via", "CF-Ray")),
    ],
)
def test_who_opened_a_page_by_another_name_or_a_proxy_is_not_alone(headers, address, is_so, monkeypatch):
    monkeypatch.setattr(visiting.st, "context", SimpleNamespace(headers=Headers(headers)))
    monkeypatch.setattr(visiting.st, "get_option", {"server.address": address}.get)
    assert visiting.is_alone() == is_so
    monkeypatch.setenv("EXAMBOARD_ROLES", "roles.toml")
    assert not visiting.is_alone()
