"""Tables that only show: quicker to draw than those that can be sorted, and legible in any size."""

from __future__ import annotations

from exam_core.results import ResultTable
from exam_core.table_text import Frame, declared_html


def static(frame: Frame, of: ResultTable, alt: str, *, titled: bool = True) -> str:
    """A table that only shows, in HTML.

    Parameters
    ----------
    of : the table that the frame's columns are declared in
    alt : what it shows, in words
    titled : whether everybody sees these words, or only screen readers do
    """
    text = declared_html(frame, of, caption=alt)
    kind = "titled" if titled else "untitled"
    return f'<div class="{kind}" style="overflow-x: auto" tabindex="0">{text}</div><p style="font-size: 0.85em"></p>'
