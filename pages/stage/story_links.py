"""Links to stories, and how they are cited."""

from __future__ import annotations

from collections.abc import Sequence

from pages.shared import data, share_and_export

NO_CHOICES = ("story", "story_of", "slide", "table")
"""Parameters of a presentation, which are no choices of a page."""


def story_link(collection: str, name: str) -> str:
    """The address that presents a story, by the collection in which it is kept."""
    return share_and_export.link({"collection": [collection], "story": [name], "present": ["1"]})


def story_citation(collections: Sequence[str], name: str, address: str) -> str:
    """Which story of which collections, with the versions and the fingerprints of the data."""
    fingerprints = [data.snapshot(collection).fingerprint for collection in collections]
    return share_and_export.cited(f"story {name} of {', '.join(collections)}", ", ".join(fingerprints), address)
