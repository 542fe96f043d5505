"""The demo's live page: `python -m exam_core.wings.live.demo_page > docs/demo.html`."""

from __future__ import annotations

import hashlib
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from exam_core.actions.demo import build_demo
from exam_core.progress import no_progress
from exam_core.store import Snapshot, Store
from exam_core.wings.live.cli import SiteOptions, plan_of

OFFERED = SiteOptions(["demo"], Path("demo.html"))


def demo_page(demo: Snapshot, options: SiteOptions = OFFERED) -> bytes:
    """The page. Its fingerprint is that of the demo's files; a store's has the time of the import, too."""
    files = sorted(path.name for of_table in demo.files.values() for path in of_table)
    fingerprint = hashlib.sha256("\n".join(files).encode()).hexdigest()[:16]
    plan = plan_of(options, replace(demo, fingerprint=fingerprint))
    page, _ = plan.made({"Command": "examboard export site demo demo.html"}, no_progress)
    return page


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        build_demo(Store(Path(folder)))
        sys.stdout.buffer.write(demo_page(Store(Path(folder)).snapshot("demo")))
