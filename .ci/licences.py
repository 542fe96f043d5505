"""Prints the licence of every package that is pinned, as it says of itself; `make licences` keeps it."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

HEAD = """# Licences of what Examboard is tested with

Made by `make licences` from what the packages of requirements.txt say of themselves. Examboard brings none of them
along; what it does bring has its licence beside it: [irregular word forms of WordNet](../../data/wordnet/README.md),
and [Plotly's charts with axes](../../exam_core/charts/plotly/README.md) for the browser.
The wheel and the source distribution carry these texts with their own licence, Apache-2.0.

| package | version | licence |
| --- | --- | --- |"""
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
    print(HEAD)
    for line in Path("requirements.txt").read_text(encoding="utf-8").splitlines():
        if pinned := re.match(r"([\w.-]+)==(\S+)", line):
            try:
                _, said = licence(pinned[1])
            except PackageNotFoundError:
                said = "not installed here"
            print(f"| {pinned[1]} | {pinned[2]} | {said} |")
