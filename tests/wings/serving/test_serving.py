"""`examboard serve` starts where people sign in, or nothing can be changed; and the file of roles."""

import os
import re
from typing import Any

import pytest
from store.test_records import DAMAGES, DEEP

from exam_core.cli import open_command
from exam_core.errors import UsageError
from exam_core.installation import home
from exam_core.wings.serving import cli
from exam_core.wings.serving.roles import read_roles, role_of

AUTH = {
    "redirect_uri": "https://board.example.org/oauth2callback",
    "cookie_secret": "0123456789abcdef" * 4,
    "client_id": "examboard",
    "client_secret": "told-by-the-provider",
    "server_metadata_url": "https://id.example.org/.well-known/openid-configuration",
}


@pytest.fixture
def started(monkeypatch, tmp_path):
    """What would have been started."""
    found: list[dict[str, Any]] = []
    monkeypatch.setattr(
        open_command, "run", lambda port, store, **more: found.append({"port": port, "store": store} | more)
    )
    monkeypatch.setattr(open_command, "HOME", tmp_path)
    monkeypatch.delenv("EXAMBOARD_ROLES", raising=False)
    return found


@pytest.fixture
def roles(tmp_path):
    path = tmp_path / "roles.toml"
    path.write_text('[roles]\n"ann@example.org" = "editor"\n"*" = "viewer"\n')
    return path


def secrets(tmp_path, mode=0o600, **changed):
    path = tmp_path / "secrets.toml"
    said = {name: value for name, value in (AUTH | changed).items() if value is not None}
    path.write_text("[auth]\n" + "".join(f'{name} = "{value}"\n' for name, value in said.items()))
    path.chmod(mode)
    return path


def test_where_nobody_signs_in_it_starts_read_only_alone(examboard, demo_store, started):
    done = examboard(demo_store, "serve")
    assert (done.status, started) == (2, [])
    assert "Give --roles and --secrets (docs/how-to/serve-to-a-team.md says how), or --read-only." in done.err
    assert examboard(demo_store, "serve", "--read-only", "--host", "board.example.org").status == 0
    (one,) = started
    assert one["environment"] == {"EXAMBOARD_READ_ONLY": "1"}
    assert one["options"] == {
        "server.enableWebsocketCompression": "true",
        "server.address": "127.0.0.1",
        "server.allowedHosts": ["127.0.0.1", "localhost", "board.example.org"],
    }


def test_where_people_sign_in_it_is_served_under_the_name_that_the_provider_knows(
    examboard, demo_store, started, roles, tmp_path
):
    file = secrets(tmp_path)
    done = examboard(demo_store, "serve", "--roles", roles, "--secrets", file, "--hours", "2")
    assert (done.status, done.err) == (0, "")
    (one,) = started
    assert one["options"]["server.allowedHosts"][-1] == "board.example.org"
    assert one["options"]["secrets.files"] == [file]
    assert one["environment"] == {"EXAMBOARD_ROLES": str(roles), "EXAMBOARD_SESSION_HOURS": "2.0"}
    assert one["sentences"] == [
        "Roles: 0 viewers, 0 reviewers, 1 editor are named; everybody else is viewer.",
        "Editors can change the store.",
    ]
    assert not [value for value in AUTH.values() if value in str(one["sentences"])]


def test_secrets_beside_the_dashboard_are_found_and_need_roles(examboard, demo_store, started, tmp_path):
    (tmp_path / ".streamlit").mkdir()
    secrets(tmp_path / ".streamlit")
    done = examboard(demo_store, "serve", "--read-only")
    assert (done.status, started) == (2, [])
    assert "nobody has a role: give --roles FILE" in done.err


@pytest.mark.parametrize("name", cli.NEEDED)
@pytest.mark.parametrize("value", [None, "", " "])
def test_it_does_not_start_where_sign_in_is_configured_by_half(
    name, value, examboard, demo_store, started, roles, tmp_path
):
    done = examboard(demo_store, "serve", "--roles", roles, "--secrets", secrets(tmp_path, **{name: value}))
    assert (done.status, started) == (2, [])
    assert f"the table [auth] lacks\n  {name}: " in done.err


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"cookie_secret": "short"}, "cookie_secret is too short"),
        ({"redirect_uri": "http://board.example.org/oauth2callback"}, "redirect_uri has to begin with https://"),
        ({"redirect_uri": "https://board.example.org/"}, "redirect_uri has to end with /oauth2callback"),
        ({"server_metadata_url": "http://id.example.org/"}, "server_metadata_url has to begin with https://"),
        ({"server_metadata_url": "id.example.org"}, "server_metadata_url has to begin with https://"),
        ({"mode": 0o644}, "others on this machine can read it"),
    ],
)
def test_weak_settings_are_refused_and_no_secret_is_printed(
    changed, why, examboard, demo_store, started, roles, tmp_path
):
    done = examboard(demo_store, "serve", "--roles", roles, "--secrets", secrets(tmp_path, **changed))
    assert (done.status, started, why in done.err) == (2, [], True)
    assert not [AUTH[name] for name in ("cookie_secret", "client_secret") if AUTH[name] in done.err]


def test_files_that_are_not_there_or_no_toml_are_named(examboard, demo_store, started, roles, tmp_path):
    missing = tmp_path / "none.toml"
    broken = tmp_path / "broken.toml"
    broken.write_text("[auth\nclient_secret = hidden")
    broken.chmod(0o600)
    for options, why in (
        (("--roles", roles, "--secrets", missing), f"{missing}: can't be read"),
        (("--roles", missing, "--secrets", secrets(tmp_path)), f"{missing}: the file of roles can't be read"),
        (("--roles", roles, "--secrets", broken), f"{broken}: is not TOML in UTF-8"),
        (("--roles", roles), "secrets.toml: can't be read"),
    ):
        done = examboard(demo_store, "serve", *options)
        assert (done.status, started, why in done.err, "hidden" in done.err) == (2, [], True, False)


def test_without_the_libraries_that_signing_in_takes_it_names_them(
    examboard, demo_store, started, roles, tmp_path, monkeypatch
):
    monkeypatch.setattr(cli, "find_spec", lambda _: None)
    done = examboard(demo_store, "serve", "--roles", roles, "--secrets", secrets(tmp_path))
    assert (done.status, started) == (2, [])
    assert f"pip install -e '{home()}[serve]'" in done.err


SAID = '[roles]\n"Ann@example.org" = "editor"\n"bob@example.org" = "reviewer"\n'


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "roles.toml"
    path.write_text(SAID)
    return path


def test_a_role_is_looked_up_by_address_in_any_case_and_a_star_is_everybody_else(file):
    found = [role_of(file, who) for who in ("ann@example.org", "BOB@EXAMPLE.ORG", "eve@example.org", "")]
    assert found == ["editor", "reviewer", "", ""]
    file.write_text(SAID + '"*" = "viewer"\n')
    assert [role_of(file, who) for who in ("bob@example.org", "eve@example.org", "")] == ["reviewer", "viewer", ""]


def test_a_change_of_the_file_counts_at_once(file):
    assert role_of(file, "ann@example.org") == "editor"
    file.write_text(SAID.replace("editor", "viewer"))
    assert role_of(file, "ann@example.org") == "viewer"
    # As long and of the same time as before, but another file.
    about = file.stat()
    other = file.with_name("other")
    other.write_text(SAID.replace("Ann", "Eva").replace("editor", "viewer"))
    os.utime(other, ns=(about.st_atime_ns, about.st_mtime_ns))
    other.replace(file)
    assert role_of(file, "ann@example.org") == ""


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("", "has no table"),
        ("[roles]\n", "has no table"),
        ('roles = "all"', "has no table"),
        ("[roles", "is not TOML"),
        ('[roles]\n"ann@example.org" = "owner"', "'ann@example.org' has the role 'owner'. Roles are viewer, rev"),
        ('[roles]\n"ann@example.org" = ["editor"]', r"has the role \['editor'\]"),
        ('[roles]\nann = "editor"', "'ann' is not an e-mail address"),
        ('[roles]\n"a@b" = "editor"\n"A@b" = "viewer"', "is there twice"),
        ('[roles]\n"a@b" = "editor"\n"a@b" = "viewer"', "is not TOML"),
    ],
)
def test_what_is_no_file_of_roles_is_refused_with_its_name(said, why, file):
    file.write_text(said)
    with pytest.raises(UsageError, match=why) as refused:
        read_roles(file)
    assert str(refused.value).startswith(f"{file}: ")


def test_a_file_that_is_not_there_is_said(tmp_path):
    with pytest.raises(UsageError, match="can't be read"):
        read_roles(tmp_path / "none")


@pytest.mark.parametrize("content", [*DAMAGES.values(), b"[roles]\na = " + b"9" * 5000, b"roles = " + b"[" * DEEP])
def test_a_damaged_file_gives_nobody_a_role(content, file):
    file.write_bytes(content)
    with pytest.raises(UsageError, match=re.escape(str(file))):
        read_roles(file)
