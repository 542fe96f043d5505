"""From options to a model that answers: a backend's, or a cluster around it.

What runs a model is loaded when a model is: importing this loads neither torch nor Ray.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from exam_core import wings
from exam_core.errors import UsageError
from exam_core.grading.backend import Kind, Writing
from exam_core.grading.options import GradingOptions, refuse_impossible
from exam_core.grading.prompt import Answerer


def answerer(
    options: GradingOptions,
    kind: Kind = "generate",
    writing: Writing | None = None,
    log: Path | None = None,
    system: str = "",
    waits: Callable[[], object] = lambda: None,
) -> Answerer:
    """The model, loaded and ready.

    Parameters
    ----------
    writing : where it is to write freely; None: a grade
    log : a file for the output of a cluster's programs
    waits : called now and then while a cluster has no worker yet

    Raises
    ------
    GraderError : it can't be loaded; the message says what to do
    UsageError : options that don't go together
    """
    refuse_impossible(options, kind, writes=writing is not None)
    if writing and (options.engine != "local" or options.decoding == "scored"):
        raise UsageError("--engine ray and --decoding scored are for grades: leave them out where a model writes.")
    if options.engine != "local":
        engines = dict(wings.declared("engines"))
        if options.engine not in engines:
            raise UsageError(f"--engine {options.engine} is not part of this installation. Leave it out.")
        model: Answerer = engines[options.engine](local, options, kind, log, waits)
        return model
    return local(options, kind, writing, system)


def local(
    options: GradingOptions, kind: Kind = "generate", writing: Writing | None = None, system: str = ""
) -> Answerer:
    """The model in this process, whatever `engine` says; errors as `answerer`."""
    return options.run_by.load(options, kind, writing, system)
