"""`python -m exam_core`, and the command `examboard`."""

import os
import signal
import sys
from collections.abc import Callable
from types import FrameType

STOPPED = 130
"""Exit status of a command that Ctrl-C ended."""
QUERY = "Query interrupted"
"""How DuckDB says that Ctrl-C came while it worked."""


def main() -> None:
    """Load and run the command line. Ctrl-C ends it without a traceback, also while it or a library still loads."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    try:
        _command_line()()
    except KeyboardInterrupt:
        sys.exit(STOPPED)
    except RuntimeError as error:
        if str(error) != QUERY:
            raise
        sys.exit(STOPPED)


def _command_line() -> Callable[[], None]:
    """The command line; ends with a message where this Python lacks a package that it needs."""
    try:
        from exam_core.cli import main as run
    except ModuleNotFoundError as error:
        if (error.name or "exam_core").startswith("exam_core"):
            raise
        sys.exit(
            f"This Python ({sys.executable}) has no package {error.name}, which Examboard needs.\n"
            "In Examboard's folder type `make run` once, and `source .venv/bin/activate` in each terminal.\n"
            "Elsewhere install its wheel."
        )
    return run


def _interrupt(signum: int, frame: FrameType | None) -> None:
    """Ctrl-C: at once while a library loads, since compiled ones take no exception then; otherwise as in Python."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            signal.signal(signum, signal.SIG_DFL)
            os.kill(os.getpid(), signum)
        frame = frame.f_back
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
