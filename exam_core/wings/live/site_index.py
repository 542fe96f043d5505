"""The first page of a folder of live pages: each collection with its counts and its headline numbers."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pandas as pd

from exam_core import __version__
from exam_core.numbers.rank_correlations import NAMES
from exam_core.table_text import UNDEFINED, as_html
from exam_core.wings.live.cube import INTERVALS, JUDGED_FROM, Cube
from exam_core.wording import counted, reference_in_words

INDEX = "index.html"
_MARK = '<meta name="generator" content="Examboard">'
_NAMES = {"series": "Grading mode"} | {name: NAMES[name] for name in INTERVALS}
_LINK = re.compile(r'<h2><a href="([^"]+)">')
_STYLE = Path(__file__).parent / "page" / "page.css"


@dataclass(frozen=True)
class SitePage:
    """A live page in a folder of several.

    Attributes
    ----------
    counts : what it is about, by what that is called
    choice : what its first view shows, in words
    headline : the numbers of that view by grading mode
    """

    collection: str
    fingerprint: str
    counts: dict[str, int]
    choice: str
    headline: pd.DataFrame

    @property
    def file(self) -> str:
        """The name of the page's file."""
        return f"{self.collection}.html"


def listed(cube: Cube, first: Mapping[str, Any]) -> SitePage:
    """What the index says of a page: its counts, and the numbers of the choice that it opens with.

    Parameters
    ----------
    first : that choice, as places in the axes
    """
    axes, places = cube.axes, (first["measure"], first["tau"], first["labelRank"])
    reference = axes.references[first["reference"]] if axes.references else None
    rows = []
    for mode in first["modes"]:
        number = cube.at.get((mode, *places))
        if number is None:
            continue
        correlation = cube.boards[number].beside[reference].correlation if reference else None
        agreed = cube.agreements.get((mode, places[1], places[2]), [])
        rows.append(
            {"series": cube.names.get(axes.modes[mode].grader, axes.modes[mode].grader)}
            | {name: getattr(correlation, name, None) for name in INTERVALS}
            | {f"Kappa, judged ≥ {agreement.relevant_from}": agreement.kappa for agreement in agreed}
        )
    counts = {"runs": len(cube.run_ids), "queries": len(cube.query_ids), "grading modes": len(axes.modes)}
    choice = f"{axes.measures[places[0]]}, tau {axes.taus[places[1]]}, label rank {axes.label_ranks[places[2]]}"
    beside = f", beside {reference_in_words(reference)}" if reference else ""
    columns = ["series", *INTERVALS, *(f"Kappa, judged ≥ {cut}" for cut in JUDGED_FROM)]
    headline = pd.DataFrame(rows, columns=columns).dropna(axis="columns", how="all")
    about = counts | {"leaderboards": len(cube.boards)}
    return SitePage(cube.snapshot.collection, cube.snapshot.fingerprint, about, f"{choice}{beside}", headline)


def index_page(pages: Sequence[SitePage], command: str, made: str) -> str:
    """The index as HTML; nothing runs on it, and it loads nothing.

    Parameters
    ----------
    command, made : that made the pages, and the day
    """
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    style = _STYLE.read_text(encoding="utf-8")
    about = f"Command: {command}; Made: {made}; Examboard {__version__}. {UNDEFINED} marks what is undefined."
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">{_MARK}<title>Examboard</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<style>{style}</style></head><body><main><h1>Examboard</h1><p class="quiet">{html.escape(about)}</p>'
        f"{''.join(map(_section, pages))}</main></body></html>\n"
    )


def _section(page: SitePage) -> str:
    name = html.escape(page.collection)
    table = as_html(page.headline, _NAMES, caption=page.choice)
    return (
        f'<section><h2><a href="{quote(page.file)}">{name}</a></h2><p>{counted(page.counts)}</p>'
        f'<div class="wide" tabindex="0" role="region" aria-label="First view of {name}">{table}</div>'
        f'<p class="quiet">Fingerprint {html.escape(page.fingerprint)}</p></section>'
    )


def files_of(index: str) -> set[str]:
    """The names of the files of a folder of live pages, as its index lists them; none if it is another page."""
    return {INDEX, *map(unquote, _LINK.findall(index))} if _MARK in index[:200] else set()
