"""Reproduce: every printed figure beside ours, the difference, and the known reason."""

from collections.abc import Callable
from functools import partial

from exam_core.wings.reproduction.reproduction import SUMMARY, reproduction
from pages.reproduce import printed_and_ours as parts
from pages.shared import data, show
from pages.shared.selection import Selection


def draw(selection: Selection) -> None:
    """The figures that the papers print, and what the data gives for each."""
    result = data.ask_slowly(
        "Computing the papers' figures", reproduction, data.snapshot(selection.snapshot.collection)
    )
    show.text(result.sentence)
    if len(result.rows):
        parts.about(result)
        rows = parts.filtered(result)
        parts.chart(rows, result)
        tabs: dict[str, Callable[[], object]] = {
            "Figure by figure": partial(parts.figures, rows),
            "By table": partial(show.table, result.summary, SUMMARY, key="reproduce_summary"),
            "Why figures differ": partial(parts.counts, result),
        }
        show.tabs(tabs, key="reproduce_part")
    show.notes(result.notes)
