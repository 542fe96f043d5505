"""Where the dashboard, its settings and the project's own data lie, and what the dashboard is started with."""

from __future__ import annotations

import shlex
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
INSTALLED = "installed"
"""Folder of the package into which setup.py puts what lies beside it in the repository."""

SERVED_WITH = {"MALLOC_ARENA_MAX": "1", "OPENBLAS_NUM_THREADS": "1"}
"""What the environment of the dashboard's server says where nobody says otherwise: that its threads share one heap, and
that one page computes on one processor.

glibc gives each thread a heap of its own, up to eight for each processor. Streamlit makes a thread for each run of a
page, so that what a page took for a moment comes to lie in all of them, and little of it can be given back. A server
that runs already has seven, which limiting them then leaves as they are (`mallopt`)."""

JOB = "EXAMBOARD_JOB"
"""Variable that tells a process the id of the job that the dashboard started it as."""
HEALTH = "/healthz"
"""Where the server says how it is."""
STARTED_BY = "EXAMBOARD_STARTED_BY"
"""Environment variable with the command that started the dashboard, its port and whether it opens a browser."""
STARTED_AS = "EXAMBOARD_STARTED_AS"
"""Variable with a name that whoever starts a server makes up for it; the server knows `HEALTH`/name. Another one may
have taken its port, with another store."""


def home() -> Path:
    """The folder of `app.py`, `pages`, `data` and `.streamlit`."""
    return _installed() or _PACKAGE.parent


def pip_install(extras: str = "") -> str:
    """The command that installs groups of optional packages (`grader,ray`), or without any what is always needed."""
    what = f"[{extras}]" if extras else ""
    if _installed():
        return f"pip install {shlex.quote(f'examboard{what}')}"
    return f"pip install -e {shlex.quote(f'{home()}{what}')}"


def _installed() -> Path | None:
    """Where a wheel brings what lies beside the package in the repository; None in the repository."""
    place = _PACKAGE / INSTALLED
    return place if place.is_dir() else None
