"""What MkDocs can't know of the documents: their order, and that some links lead out of docs/ into the repository."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"
PARTS = {
    "Tutorials": "tutorials",
    "How-to": "how-to",
    "Reference": "reference",
    "Explanation": "explanation",
    "More": "",
}
FIRST = ("index", "first-hour", "your-own-runs", "grade", "commands", "exam", "intervals")
"""Pages that stand before the others of their part."""
LINK = re.compile(r"\[([^\]]*)\]\(((?!\w+:)[^)#\s]+)(#[^)\s]*)?\)")


def on_config(config: Any) -> Any:
    """Home, then the parts, each with its pages."""
    config.nav = [{"Home": "index.md"}, *({name: pages(folder)} for name, folder in PARTS.items())]
    return config


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links out of docs/ become the file's name, since the site has no repository."""
    return LINK.sub(lambda link: within(link, posixpath.dirname(page.file.src_uri)), markdown)


def pages(folder: str) -> list[str]:
    """The documents of a folder, but for the home page."""
    found = sorted((DOCS / folder).glob("*.md"), key=lambda path: (place(path.stem), path.stem))
    return [path.relative_to(DOCS).as_posix() for path in found if path != DOCS / "index.md"]


def place(stem: str) -> int:
    """Where a page stands among those of its part."""
    return FIRST.index(stem) if stem in FIRST else len(FIRST)


def within(link: re.Match[str], folder: str) -> str:
    """A link as it is, or what it leads to as a name where that is no document."""
    target = posixpath.normpath(posixpath.join("docs", folder, link[2]))
    if target.startswith("docs/"):
        return link[0]
    return link[1] if link[1] == f"`{target}`" else f"{link[1]} (`{target}`)"
