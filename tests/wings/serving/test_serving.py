"""`examboard serve`: it starts where people sign in, or where nothing can be changed, and not in between."""

from pathlib import Path
from typing import Any

import pytest

from exam_core.cli import open_command
from exam_core.installation import home
from exam_core.wings.serving import cli

AUTH = {
    "redirect_uri": "https://board.example.org/oauth2callback",
    "cookie_secret": "0123456789abcdef" * 4,
    "client_id": "examboard",
    "client_secret": "told-by-the-provider",
    "server_metadata_url": "https://id.example.org/.well-known/openid-configuration",
}


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[dict[str, Any]]:
    """What would have been started."""
    found: list[dict[str, Any]] = []
    monkeypatch.setattr(
        open_command, "run", lambda port, store, **more: found.append({"port": port, "store": store} | more)
    )
    monkeypatch.setattr(open_command, "HOME", tmp_path)
    monkeypatch.delenv("EXAMBOARD_ROLES", raising=False)
    return found


@pytest.fixture
def roles(tmp_path: Path) -> Path:
    path = tmp_path / "roles.toml"
    path.write_text('[roles]\n"ann@example.org" = "editor"\n"*" = "viewer"\n')
    return path


def secrets(tmp_path: Path, mode: int = 0o600, **changed: str | None) -> Path:
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
