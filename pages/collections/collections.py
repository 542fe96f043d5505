"""Collections: what is loaded and what is missing, files to add, and where everything came from."""

from functools import partial

from exam_core.analysis.contents.inventory import inventory
from pages.collections import loaded as parts
from pages.parts import upload
from pages.shared import data, frame, show

with frame.page("Collections", empty=upload.draw, series=False) as chosen:
    found, damaged = data.about_all()
    name = chosen.snapshot.collection
    upload.draw(name)
    for about in (held for held in found if held["collection"] == name):
        parts.collection(chosen, about, data.ask(inventory, data.snapshot(name)))
    show.problems(damaged)
    tabs = {"Imports": partial(parts.sources, chosen), "All collections": partial(parts.all_collections, found)}
    show.tabs(tabs, key="holdings_part")
