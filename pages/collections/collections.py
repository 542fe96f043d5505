"""Collections: what each holds, files to add, what the chosen one holds and lacks, and where it came from."""

from exam_core.analysis.contents import inventory
from pages.collections import loaded as parts
from pages.parts import upload
from pages.shared import data, frame, show

with frame.page("Collections", empty=upload.draw, series=False) as selection:
    summaries, damaged = data.about_all()
    name = selection.snapshot.collection
    if has_files := upload.has_files():
        upload.draw(name)
    parts.all_collections(summaries, name)
    show.problems(damaged)
    if not has_files:
        upload.draw(name)
    parts.collection(selection, data.ask(inventory, data.snapshot(name)))
    parts.sources(selection)
