"""The command line: parse, call, print."""

from exam_core.cli.main import main

__all__ = ["main"]
