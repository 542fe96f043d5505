"""Writes the licence of each pinned package, as it says of itself, into the page on licences: `make licences`."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

PAGE = Path("docs/reference/licences.md")
HEAD = "| package | version | licence |"
"""The page's text above this row is written by hand."""
LONGEST = 60


def licence(name: str) -> tuple[str, str]:
    """Version and licence of an installed package: the SPDX expression, else the classifiers, else a short text."""
    about = metadata(name)
    classified = [
        line.rpartition(" :: ")[2] for line in about.get_all("Classifier") or () if line.startswith("License")
    ]
    text = (about.get("License") or "").strip()
    said = about.get("License-Expression") or ", ".join(classified)
    if not said:
        said = text if text and len(text) <= LONGEST and "\n" not in text else text.partition("\n")[0][:LONGEST]
    return about["Version"], said or "says none"


if __name__ == "__main__":
    rows = [HEAD, "| --- | --- | --- |"]
    for line in Path("requirements.txt").read_text(encoding="utf-8").splitlines():
        if pinned := re.match(r"([\w.-]+)==(\S+)", line):
            try:
                _, said = licence(pinned[1])
            except PackageNotFoundError:
                said = "not installed here"
            rows.append(f"| {pinned[1]} | {pinned[2]} | {said} |")
    text = PAGE.read_text(encoding="utf-8").partition(HEAD)[0]
    PAGE.write_text(text + "\n".join(rows) + "\n", encoding="utf-8")
