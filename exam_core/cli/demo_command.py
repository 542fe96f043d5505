"""`examboard demo`."""

from __future__ import annotations

from exam_core.cli.common import open_store, print_imported, progress_bar


def demo() -> None:
    """Build the embedded collections: the demo and the papers' printed figures.

    Example: examboard demo
    """
    from exam_core.actions.demo import build_demo

    with progress_bar("Building the demo") as progress:
        found = build_demo(open_store(), progress=progress)
    for done in found:
        print_imported(done)
