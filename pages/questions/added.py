"""What questions add to the pages; the page itself stands in `pages/banks/added.py`, before that of banks."""

from __future__ import annotations

from pages.shared import show


def draw_question(query_id: str, text: str) -> None:
    """A link to a question."""
    from pages.questions import hardest

    label = hardest.label(query_id, text)
    show.link("pages/questions/questions.py", show.escaped(label), ":material/quiz:", difficulty_question=label)
