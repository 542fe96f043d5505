"""`examboard serve`: the dashboard for others, who sign in, or may look and change nothing."""

from __future__ import annotations

import os
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from exam_core import rights
from exam_core.cli import open_command
from exam_core.cli.declared_options import takes_declared
from exam_core.declared import Field
from exam_core.errors import UsageError
from exam_core.installation import pip_install
from exam_core.rights import READ_ONLY, ROLES, ROLES_FILE
from exam_core.wings.serving.roles import EVERYBODY, HOURS, HOURS_SAID, read_roles
from exam_core.wording import counted

SHORTEST = 32
"""Characters of the secret that cookies are signed with."""
CALLBACK = "/oauth2callback"
OPEN_TO_OTHERS = 0o077
NEEDED = {
    "client_id": "the name under which your provider knows the dashboard",
    "client_secret": "what your provider gave you with it",
    "server_metadata_url": "your provider's description of itself: its address and /.well-known/openid-configuration",
    "cookie_secret": f'{SHORTEST} random characters or more: python -c "import secrets; print(secrets.token_hex())"',
    "redirect_uri": f"the dashboard's own address, as browsers name it, and {CALLBACK}",
}
"""What the table [auth] of the secrets says, after Streamlit's documentation of `st.login`."""


@takes_declared()
def serve(
    roles: Annotated[Path | None, Field(f"TOML file of roles, by e-mail address; by default ${ROLES_FILE}.")] = None,
    secrets: Annotated[
        Path | None, Field("TOML file with the table [auth]; by default .streamlit/secrets.toml beside app.py.")
    ] = None,
    read_only: Annotated[bool, Field("Read-only: no changes and no jobs; sign-in is not needed.")] = False,
    hours: Annotated[float, Field("Hours until users have to sign in again.", least=0.1, most=720)] = HOURS,
    host: Annotated[
        list[str] | None, Field("Host name of the dashboard, besides that of redirect_uri; may be repeated.")
    ] = None,
    address: Annotated[
        str, Field("Address to listen on; better keep it, and put a proxy with HTTPS in front.")
    ] = open_command.HOST,
    port: Annotated[int, Field("Port to listen on.", least=1, most=65535)] = open_command.PORT,
) -> None:
    """Serve the dashboard to others: they sign in by OpenID Connect and have roles, or it is read-only; Ctrl-C ends it.

    It does not start if sign-in is only half configured.

    Example: examboard serve --roles roles.toml --secrets secrets.toml

    Example: examboard serve --read-only --host board.example.org
    """
    closed = read_only or rights.read_only()
    roles = roles or (Path(text) if (text := os.environ.get(ROLES_FILE)) else None)
    known = secrets or open_command.HOME / ".streamlit" / "secrets.toml"
    hosts = [open_command.HOST, "localhost", *(host or [])]
    # Messages go through a network: a page's figures have a third of their size then.
    options: dict[str, Any] = {"server.enableWebsocketCompression": "true"}
    options |= {"server.address": address, "server.allowedHosts": hosts}
    sentences = ["Nobody signs in."]
    environment = {READ_ONLY: "1"} if closed else {}
    if roles or secrets or known.is_file():
        hosts.append(_checked(known, roles))
        options["secrets.files"] = [known.absolute()]
        sentences = _roles_told(read_roles(roles)) if roles else []
        environment |= {ROLES_FILE: str(roles.absolute()) if roles else "", HOURS_SAID: str(hours)}
    elif not closed:
        raise UsageError(
            "Whoever could open the dashboard could change everything: nobody is asked to sign in.\n"
            "Give --roles and --secrets (docs/how-to/serve-to-a-team.md says how), or --read-only."
        )
    sentences.append("Read-only: nothing is changed and no job starts." if closed else "Editors can change the store.")
    open_command.run(port, open_command.store_path(), options=options, environment=environment, sentences=sentences)


def _checked(secrets: Path, roles: Path | None) -> str:
    """The name by which browsers open the dashboard, where all that signing in takes is there.

    Raises UsageError where something is missing, weak, or readable by others.
    """
    if roles is None:
        raise UsageError(f"{secrets} lets people sign in, but nobody has a role: give --roles FILE.")
    read_roles(roles)
    if find_spec("authlib") is None:
        raise UsageError(f"Signing in takes libraries that are not installed: {pip_install('serve')}")
    try:
        if secrets.stat().st_mode & OPEN_TO_OTHERS:
            raise UsageError(f"{secrets}: others on this machine can read it. Close it: chmod 600 {secrets}")
        text = tomllib.loads(secrets.read_text(encoding="utf-8")).get("auth")
    except OSError as error:
        raise UsageError(f"{secrets}: can't be read ({error.strerror}). Name another with --secrets.") from None
    except ValueError as error:
        raise UsageError(f"{secrets}: is not TOML in UTF-8 ({type(error).__name__}).") from None
    auth = text if isinstance(text, dict) else {}
    missing = [name for name in NEEDED if not (isinstance(auth.get(name), str) and auth[name].strip())]
    if missing:
        listed = "\n".join(f"  {name}: {NEEDED[name]}" for name in missing)
        raise UsageError(f"{secrets}: the table [auth] lacks\n{listed}")
    if len(auth["cookie_secret"]) < SHORTEST:
        raise UsageError(f"{secrets}: cookie_secret is too short. Take {NEEDED['cookie_secret']}")
    return _own_name(secrets, auth)


def _own_name(secrets: Path, auth: dict[str, str]) -> str:
    """The host of the dashboard's own address. Both addresses must use HTTPS, unless they are on this machine."""
    for name in ("redirect_uri", "server_metadata_url"):
        try:
            split_result = urlsplit(auth[name])
        except ValueError:
            raise UsageError(f"{secrets}: {name} is no address: {auth[name]!r}.") from None
        here = split_result.hostname in ("localhost", "127.0.0.1", "::1")
        if not split_result.hostname or split_result.scheme not in (("https", "http") if here else ("https",)):
            raise UsageError(f"{secrets}: {name} has to begin with https:// and a name; it is {auth[name]!r}.")
    own = urlsplit(auth["redirect_uri"])
    if not own.path.endswith(CALLBACK) or own.query or own.fragment:
        raise UsageError(f"{secrets}: redirect_uri has to end with {CALLBACK}; it is {auth['redirect_uri']!r}.")
    return str(own.hostname)


def _roles_told(roles: dict[str, str]) -> list[str]:
    """How many have which role; no addresses, since this is printed."""
    named = {address: role for address, role in roles.items() if address != EVERYBODY}
    text = counted({f"{role}s": sum(name == role for name in named.values()) for role in ROLES})
    others = f"everybody else is {roles[EVERYBODY]}" if EVERYBODY in roles else "nobody else is let in"
    return [f"Roles: {text} are named; {others}."]
