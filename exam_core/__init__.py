"""Examboard: the evaluation of retrieval and generation systems by exam questions.

In a notebook: `import exam_core as eb`, then `eb.open("store")` (docs/reference/python.md).
"""

# Nothing is imported here: until `__main__` is reached, Ctrl-C ends a command with a traceback.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from exam_core.notebook import Answer as Answer
    from exam_core.notebook import Collection as Collection
    from exam_core.notebook import ExamboardError as ExamboardError
    from exam_core.notebook import OpenStore as OpenStore
    from exam_core.notebook import measure_table as measure_table
    from exam_core.notebook import open as open

__version__ = "2.0.0"
NOTEBOOK = ("Answer", "Collection", "ExamboardError", "OpenStore", "measure_table", "open")
"""What a notebook takes from here; it is loaded when it is first named."""


def __getattr__(name: str) -> "Any":
    from importlib import import_module

    if name not in NOTEBOOK:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.notebook"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *NOTEBOOK})
