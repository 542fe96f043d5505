"""What made a figure: the version, the commit and the command, so that it can be had again."""

from __future__ import annotations

import platform
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from exam_core import __version__


def made_by(run: Callable[..., str] = subprocess.check_output) -> dict[str, str | None]:
    """Version, Python, commit and command line of this process; the commit is null outside a repository."""
    command = shlex.join(["examboard", *sys.argv[1:]])
    return {"examboard": __version__, "python": platform.python_version(), "commit": _commit(run), "command": command}


def _commit(run: Callable[..., str]) -> str | None:
    """The commit that is measured, with a plus where files were changed since."""
    here = Path(__file__).parent
    try:
        commit = run(["git", "rev-parse", "--short=10", "HEAD"], cwd=here, text=True, stderr=subprocess.DEVNULL)
        changed = run(["git", "status", "--porcelain", "-uno"], cwd=here, text=True, stderr=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        return None
    return commit.strip() + ("+" if changed.strip() else "")
