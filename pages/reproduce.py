"""Reproduce: every printed figure beside ours, the difference, and the known reason."""

from exam_core.analysis.printed.reproduction import reproduction
from pages.parts import reproduce as parts
from pages.shared import data, frame, show

with frame.page("Reproduce", series=False) as chosen:
    found = data.ask_slowly("Computing the papers' figures", reproduction, data.snapshot(chosen.snapshot.collection))
    show.text(found.sentence)
    if len(found.rows):
        parts.about(found)
        parts.counts(found)
        parts.summary(found)
        rows = parts.filtered(found)
        parts.figures(rows)
        parts.chart(rows, found)
    show.notes(found.notes)
