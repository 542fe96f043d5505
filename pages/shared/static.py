"""Tables that only show: quicker to draw than those that can be sorted, and legible in any size."""

from __future__ import annotations

from exam_core.reports.tables import Frame, as_html
from exam_core.results import ResultTable


def static(frame: Frame, of: ResultTable, alt: str, *, titled: bool = True) -> str:
    """A table that only shows, in HTML.

    Parameters
    ----------
    of : the table that the frame's columns are declared in
    alt : what it shows, in words
    titled : whether everybody sees these words, or only screen readers do
    """
    columns = [of[name] for name in frame.columns]
    names = {column.name: column.label for column in columns}
    forms = {column.name: column.form for column in columns if column.form}
    flags = [column.name for column in columns if column.kind == "flag"]
    shown = frame.assign(**{name: frame[name].map({True: "yes", False: "no"}) for name in flags})
    text = as_html(shown, names, caption=alt, forms=forms)
    kind = "titled" if titled else "untitled"
    return f'<div class="{kind}" style="overflow-x: auto" tabindex="0">{text}</div><p style="font-size: 0.85em"></p>'
