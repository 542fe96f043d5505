"""Writes a version in every place that names one: `make version VERSION=1.0.0`. A test says that all of them agree."""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime
from pathlib import Path

NUMBER = r"\d+\.\d+\.\d+"
PLACES = {
    "exam_core/__init__.py": rf'(?<=__version__ = "){NUMBER}',
    "CITATION.cff": rf"(?<=^version: ){NUMBER}",
    "docs/how-to/cite.md": rf"(?<=Version ){NUMBER}",
    "docs/how-to/share-a-live-page.md": rf"(?<=made by Examboard ){NUMBER}",
    "docs/how-to/serve-to-a-team.md": rf'(?<="version":"){NUMBER}',
}
"""Files that name the version, and where. `exam_core/__init__.py` is the one that packages and programs read."""


def put(root: Path, version: str, day: str) -> None:
    """Write a version, and give what the changelog has under Unreleased its heading."""
    for name, place in PLACES.items():
        _write(root / name, place, version)
    _write(root / "CITATION.cff", r"(?<=^date-released: ).*$", day)
    _write(root / "CHANGELOG.md", r"^## Unreleased$", f"## Unreleased\n\n## {version} - {day}")


def _write(path: Path, place: str, text: str) -> None:
    before = path.read_text(encoding="utf-8")
    path.write_text(re.sub(place, text, before, flags=re.MULTILINE), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2 or not re.fullmatch(NUMBER, sys.argv[1]):
        sys.exit("Say the version: make version VERSION=1.0.0")
    put(Path(), sys.argv[1], datetime.now(UTC).date().isoformat())
