"""The first page of a folder of live pages: each collection with its counts."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from exam_core import __version__
from exam_core.wings.live.cube import Cube
from exam_core.wording import counted

INDEX = "index.html"
_MARK = '<meta name="generator" content="Examboard">'
_LINK = re.compile(r'<h2><a href="([^"]+)">')
_STYLE = Path(__file__).parent / "page" / "page.css"


@dataclass(frozen=True)
class SitePage:
    """A live page in a folder of several.

    Attributes
    ----------
    counts : what it is about, by what that is called
    """

    collection: str
    fingerprint: str
    counts: dict[str, int]

    @property
    def file(self) -> str:
        """The name of the page's file."""
        return f"{self.collection}.html"


def listed(cube: Cube) -> SitePage:
    """What the index says of a page."""
    counts = {"runs": len(cube.run_ids), "queries": len(cube.query_ids), "grading modes": len(cube.axes.modes)}
    about = counts | {"leaderboards": len(cube.boards)}
    return SitePage(cube.snapshot.collection, cube.snapshot.fingerprint, about)


def index_page(pages: Sequence[SitePage], command: str, made: str) -> str:
    """The index as HTML; nothing runs on it, and it loads nothing.

    Parameters
    ----------
    command, made : that made the pages, and the day
    """
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    style = _STYLE.read_text(encoding="utf-8")
    about = f"Command: {command}; Made: {made}; Examboard {__version__}."
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">{_MARK}<title>Examboard</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<style>{style}</style></head><body><main><h1>Examboard</h1><p class="quiet">{html.escape(about)}</p>'
        f"{''.join(map(_section, pages))}</main></body></html>\n"
    )


def _section(page: SitePage) -> str:
    name = html.escape(page.collection)
    return (
        f'<section><h2><a href="{quote(page.file)}">{name}</a></h2><p>{counted(page.counts)}</p>'
        f'<p class="quiet">Fingerprint {html.escape(page.fingerprint)}</p></section>'
    )


def files_of(index: str) -> set[str]:
    """The names of the files of a folder of live pages, as its index lists them; none if it is another page."""
    return {INDEX, *map(unquote, _LINK.findall(index))} if _MARK in index[:200] else set()
