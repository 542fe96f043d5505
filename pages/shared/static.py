"""Tables that only show: quicker to draw than those that can be sorted, and legible in any size."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from exam_core.reports.tables import Frame, as_html


@dataclass(frozen=True)
class Static:
    """A table that only shows.

    Attributes
    ----------
    key : name of the files that it is saved as
    columns : column_config by column; None hides a column
    alt : what it shows, in words
    titled : whether everybody sees these words, or only screen readers do
    """

    key: str
    frame: Frame
    columns: Mapping[str, Any]
    alt: str
    titled: bool = True

    def as_html(self, *, explained: bool) -> str:
        """The table, and below it what its columns mean."""
        configs = {name: config for name, config in self.columns.items() if config}
        names = {name: str(config["label"]) for name, config in configs.items() if config.get("label")}
        forms = {name: (config.get("type_config") or {}).get("format") for name, config in configs.items()}
        shown = self.frame[[name for name in self.frame.columns if self.columns.get(name, "") is not None]]
        text = as_html(shown, names, caption=self.alt, forms={name: form for name, form in forms.items() if form})
        helps = [f"{names[name]}: {config['help']}" for name, config in configs.items() if config.get("help")]
        words = html.escape(" ".join(helps)) if explained else ""
        kind = "titled" if self.titled else "untitled"
        return (
            f'<div class="{kind}" style="overflow-x: auto" tabindex="0">{text}</div>'
            f'<p style="font-size: 0.85em">{words}</p>'
        )


def draw(tables: Sequence[Static], *, explained: bool = False) -> None:
    """Draw tables as one element: each element of a page costs the browser some milliseconds."""
    st.html("".join(table.as_html(explained=explained) for table in tables))
