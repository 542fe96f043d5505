"""Roles from a file, which is read anew when it changes: TOML with a table [roles], on each line an address and a role.

Everybody else who signs in has the role of "*", or none.
"""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from reprlib import repr as shortened

from exam_core.errors import UsageError
from exam_core.rights import ROLES

EVERYBODY = "*"
HOURS = 8.0
"""Hours after which one has to sign in again, where nobody says another number."""
HOURS_SAID = "EXAMBOARD_SESSION_HOURS"
"""The environment variable that says another number."""
LARGEST = 1 << 20
"""Bytes of a file of roles."""
AN_EXAMPLE = '\n\n[roles]\n"ann@example.org" = "editor"\n"*" = "viewer"'


def role_of(file: Path, address: str) -> str:
    """The role of an e-mail address, upper and lower case being the same; empty where it has none.

    Raises UsageError where the file can't be read, or says what is no role.
    """
    roles = read_roles(file)
    return roles.get(plain(address), roles.get(EVERYBODY, "")) if address else ""


def plain(address: str) -> str:
    """An address in lower case. One with other letters than ASCII stays: Unicode has signs that become a k or an s."""
    return address.lower() if address.isascii() else address


def read_roles(file: Path) -> dict[str, str]:
    """The roles by e-mail address, in lower case; `*` is everybody else.

    Raises UsageError where the file can't be read, or says what is no role.
    """
    try:
        about = file.stat()
        return _roles_as_of(file, about.st_ino, about.st_size, about.st_mtime_ns)
    except OSError as error:
        raise UsageError(f"{file}: the file of roles can't be read ({error.strerror}).") from None


@lru_cache(maxsize=4)
def _roles_as_of(file: Path, _inode: int, size: int, _modified: int) -> dict[str, str]:
    if size > LARGEST:
        raise UsageError(f"{file}: is larger than {LARGEST >> 20} MiB, the most that a file of roles may have.")
    try:
        text = tomllib.loads(file.read_text(encoding="utf-8")).get("roles")
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file}: is not TOML in UTF-8 ({error}). A file of roles reads:{AN_EXAMPLE}") from None
    if not isinstance(text, dict) or not text:
        raise UsageError(f"{file}: has no table [roles]. A file of roles reads:{AN_EXAMPLE}")
    roles: dict[str, str] = {}
    for address, role in text.items():
        if not isinstance(role, str) or role not in ROLES:
            raise UsageError(f"{file}: {address!r} has the role {shortened(role)}. Roles are {', '.join(ROLES)}.")
        if address != EVERYBODY and ("@" not in address or address.strip() != address):
            raise UsageError(f'{file}: {address!r} is not an e-mail address. Write it in quotes, or "*" for everybody.')
        if plain(address) in roles:
            raise UsageError(f"{file}: {address!r} is there twice (upper and lower case are the same).")
        roles[plain(address)] = role
    return roles
