"""`python -m exam_core`, and the command `examboard`."""

import os
import signal
import sys
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
        from exam_core.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(STOPPED)
    except RuntimeError as error:
        if str(error) != QUERY:
            raise
        sys.exit(STOPPED)


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
