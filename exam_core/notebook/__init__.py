"""Examboard in a notebook: `import exam_core as eb`. The same values as the command line, as frames and figures.

    store = eb.open("store")
    demo = store["demo"]
    demo.leaderboard(bank="open", measure="P@20", tau=4)

In examples `store` is the one that `examboard demo` makes, opened.

`exam_core` passes these names on, so that importing it alone loads neither pandas nor DuckDB.
"""

from __future__ import annotations

from exam_core.answers.answer import Answer
from exam_core.errors import ExamboardError
from exam_core.notebook.collection import Collection
from exam_core.notebook.opened import OpenStore, measure_table, open

__all__ = ["Answer", "Collection", "ExamboardError", "OpenStore", "measure_table", "open"]
