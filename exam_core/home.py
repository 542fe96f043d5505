"""Where the dashboard, its settings and the project's own data lie, and what the dashboard is started with."""

from __future__ import annotations

from pathlib import Path

INSTALLED = "installed"
"""Folder of the package into which setup.py puts what lies beside it in the repository."""

SERVED_WITH = {"MALLOC_ARENA_MAX": "1", "OPENBLAS_NUM_THREADS": "1"}
"""What the environment of the dashboard's server says where nobody says otherwise: that its threads share one heap, and
that one page computes on one processor.

glibc gives each thread a heap of its own, up to eight for each processor. Streamlit makes a thread for each run of a
page, so that what a page took for a moment comes to lie in all of them, and little of it can be given back. A server
that runs already has seven, which limiting them then leaves as they are (`mallopt`)."""

HEALTH = "/healthz"
"""Where the server says how it is."""
STARTED_AS = "EXAMBOARD_STARTED_AS"
"""Variable with a name that whoever starts a server makes up for it; the server knows `HEALTH`/name. Another one may
have taken its port, with another store."""


def home() -> Path:
    """The folder of `app.py`, `pages`, `data` and `.streamlit`."""
    package = Path(__file__).resolve().parent
    installed = package / INSTALLED
    return installed if installed.is_dir() else package.parent
