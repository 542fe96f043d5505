"""Reproduce: every printed figure beside ours, the difference, and the known reason."""

from collections.abc import Callable
from functools import partial

from exam_core.wings.reproduction.reproduction import SUMMARY, reproduction
from pages.reproduce import printed_and_ours as parts
from pages.shared import data, show
from pages.shared.selection import Selection


def draw(chosen: Selection) -> None:
    """The figures that the papers print, and what the data gives for each."""
    found = data.ask_slowly("Computing the papers' figures", reproduction, data.snapshot(chosen.snapshot.collection))
    show.text(found.sentence)
    if len(found.rows):
        parts.about(found)
        rows = parts.filtered(found)
        parts.chart(rows, found)
        tabs: dict[str, Callable[[], object]] = {
            "Figure by figure": partial(parts.figures, rows),
            "By table": partial(show.table, found.summary, SUMMARY, key="reproduce_summary"),
            "Why figures differ": partial(parts.counts, found),
        }
        show.tabs(tabs, key="reproduce_part")
    show.notes(found.notes)
