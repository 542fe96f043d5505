"""The kind of thing that every file of this folder reads: a question bank."""

from __future__ import annotations

from exam_core.formats.format import Kind

BANK = Kind(
    key="bank",
    noun="Question bank or nugget bank",
    order=40,
    main="questions",
    option="bank",
    name="Name of the bank",
    needed=True,
    arguments=" --bank NAME",
)
QUESTION, CLAIM = "question", "claim"
VITAL, OKAY, AVOID = "vital", "okay", "avoid"
