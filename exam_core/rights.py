"""Who may do what: three rights, the roles that have them, and who acts at the moment.

The door of actions asks here at every call. Pages say how a visitor is known; a command, a notebook and a dashboard
that asks nobody to sign in act for the account that they run under, which may do everything. `EXAMBOARD_READ_ONLY=1`
takes all rights but reading from everybody.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from exam_core.defaults import default_store
from exam_core.errors import Refused

Right = Literal["read", "review", "edit"]
ROLES: dict[str, tuple[Right, ...]] = {
    "viewer": ("read",),
    "reviewer": ("read", "review"),
    "editor": ("read", "review", "edit"),
}
READ_ONLY = "EXAMBOARD_READ_ONLY"
ROLES_FILE = "EXAMBOARD_ROLES"
"""The environment variable that names the file of roles. Where it is set, people sign in."""
NO = ("", "0", "false", "no", "off")
"""What says that the store is not read-only; whatever else is said, it is."""
DOING: dict[Right, str] = {
    "read": "reading",
    "review": "reviewing and noting",
    "edit": "changing data and starting jobs",
}


@dataclass(frozen=True)
class Visitor:
    """Somebody who signed in, or did not.

    `name` is empty where it is not known who it is; `role` is one of `ROLES`, or empty, and then `why` says why.
    """

    name: str = ""
    role: str = ""
    why: str = "Sign in first."


_known: Callable[[], Visitor | None] = lambda: None  # noqa: E731


def known_by(find: Callable[[], Visitor | None]) -> None:
    """Say how it is found out who acts; None means whoever runs the process."""
    global _known
    _known = find


def visitor() -> Visitor | None:
    """Who acts at this moment; None for whoever runs the process."""
    return _known()


def read_only(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether nothing may be changed by anybody, here or in a process with another environment."""
    return environment.get(READ_ONLY, "").strip().lower() not in NO


def refusal(right: Right) -> str:
    """Why whoever acts has no such right, in a sentence; empty where they have it."""
    who = visitor()
    if who is not None and right not in ROLES.get(who.role, ()):
        if not who.role:
            return who.why
        needed = next(role for role, rights in ROLES.items() if right in rights)
        return (
            f"{who.name} has the role {who.role}; {DOING[right]} needs the role {needed}. "
            "Whoever runs this dashboard gives roles."
        )
    if right != "read" and read_only():
        return f"Nothing can be changed here and no job can start: the store is shown read-only ({READ_ONLY})."
    return ""


def require(right: Right) -> None:
    """Refuse what whoever acts has no right to.

    Raises Refused where they have no such right, or the store is read-only.
    """
    if why := refusal(right):
        raise Refused(why)


def require_outside(file: Path) -> None:
    """Raise Refused if a file would be written into, or in place of, a store that is shown read-only.

    Rights do not matter here.
    """
    if not read_only():
        return
    target, own = Path(os.path.realpath(file)), Path(os.path.realpath(default_store()))
    if any(folder == own or os.access(folder / ".layout", os.F_OK) for folder in (target, *target.parents)):
        raise Refused(f"{file}: is in the store, which is shown read-only ({READ_ONLY}). Name a file elsewhere.")


def signed(name: str) -> str:
    """The name that something is signed with: of somebody who signed in their own, whatever is claimed."""
    who = visitor()
    return name if who is None else who.name
