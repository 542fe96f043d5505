"""`python -m exam_core`, and the command `examboard`."""

import signal
import sys

STOPPED = 130
"""Exit status of a command that Ctrl-C ended."""


def main() -> None:
    """Load and run the command line. Ctrl-C ends it without a traceback, also while it still loads."""
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    from exam_core.cli import main as run

    signal.signal(signal.SIGINT, before)
    try:
        run()
    except KeyboardInterrupt:
        sys.exit(STOPPED)


if __name__ == "__main__":
    main()
