"""Where the dashboard, its settings and the project's own data lie: in the repository, or in what pip installed."""

from __future__ import annotations

from pathlib import Path

INSTALLED = "installed"
"""Folder of the package into which setup.py puts what lies beside it in the repository."""


def home() -> Path:
    """The folder of `app.py`, `pages`, `data` and `.streamlit`."""
    package = Path(__file__).resolve().parent
    installed = package / INSTALLED
    return installed if installed.is_dir() else package.parent
