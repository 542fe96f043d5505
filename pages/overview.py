"""Overview: what is loaded, what to do next, files to add, and where everything came from."""

from exam_core.analysis.holdings.inventory import inventory
from pages.parts import overview as parts
from pages.parts import upload
from pages.shared import data, frame, show, words

with frame.page("Overview", empty=upload.draw) as chosen:
    show.text(words.WELCOME)
    parts.collection(chosen, data.ask(inventory, data.snapshot(chosen.snapshot.collection)))
    parts.next_steps(chosen)
    parts.all_collections(*data.about_all())
    if not chosen.present:
        upload.draw(chosen.snapshot.collection)
    parts.sources(chosen)
