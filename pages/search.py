"""Search: runs, queries, questions and passages of the collection, from one box."""

from pages.parts import search
from pages.shared import frame

with frame.page("Search", series=False) as chosen:
    search.draw(chosen)
