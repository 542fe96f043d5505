"""The kind of thing that every file of this folder reads: reviews."""

from __future__ import annotations

from exam_core.formats.format import Kind

KIND = Kind(
    key="reviews",
    noun="Reviews",
    order=70,
    main="reviews",
    option="reviewer",
    name="Name of the reviewer, where the file has none",
    unnamed="Most files name the reviewer in every row.",
)
