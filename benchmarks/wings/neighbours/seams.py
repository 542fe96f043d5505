"""Where texts enter the neighbour methods."""

from __future__ import annotations

from benchmarks.seams import Seam
from exam_core.wings.neighbours.texts import rouge_words


def words_of(text: str) -> None:
    """A text in the words of ROUGE."""
    rouge_words.tokens(text)


SEAMS = {"words of ROUGE": Seam(words_of, ("A sentence's words.",))}
