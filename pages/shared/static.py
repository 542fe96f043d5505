"""Tables that only show: quicker to draw than those that can be sorted, and legible in any size."""

from __future__ import annotations

import html
from dataclasses import dataclass

from exam_core.reports.tables import Frame, as_html
from exam_core.results import ResultTable


@dataclass(frozen=True)
class Static:
    """A table that only shows.

    Attributes
    ----------
    key : name of the files that it is saved as
    of : the table that the frame's columns are declared in
    alt : what it shows, in words
    titled : whether everybody sees these words, or only screen readers do
    """

    key: str
    frame: Frame
    of: ResultTable
    alt: str
    titled: bool = True

    def as_html(self, *, explained: bool) -> str:
        """The table, and below it what its columns mean."""
        columns = [self.of[name] for name in self.frame.columns]
        names = {column.name: column.label for column in columns}
        forms = {column.name: column.form for column in columns if column.form}
        flags = [column.name for column in columns if column.kind == "flag"]
        shown = self.frame.assign(**{name: self.frame[name].map({True: "yes", False: "no"}) for name in flags})
        text = as_html(shown, names, caption=self.alt, forms=forms)
        helps = [f"{column.label}: {column.explained}" for column in columns if column.help]
        words = html.escape(" ".join(helps)) if explained else ""
        kind = "titled" if self.titled else "untitled"
        return (
            f'<div class="{kind}" style="overflow-x: auto" tabindex="0">{text}</div>'
            f'<p style="font-size: 0.85em">{words}</p>'
        )
