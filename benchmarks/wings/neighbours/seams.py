"""Where texts enter the neighbour methods."""

from __future__ import annotations

from benchmarks.seams import Seam
from exam_core.wings.neighbours import rouge, sides


def words_of(text: str) -> None:
    """A text in the words of ROUGE."""
    rouge.tokens(text)


def parts_of(text: str) -> None:
    """A response that is cut into passages: no character is lost."""
    assert "".join("".join(part.split()) for _, part in sides.segments("d", text, len, 20)) == "".join(text.split())


SEAMS = {
    "words of ROUGE": Seam(words_of, ("A sentence's words.",)),
    "parts of a response": Seam(parts_of, ("One sentence. Another one.",)),
}
