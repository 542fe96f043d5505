"""Long texts in charts."""

from __future__ import annotations


def beginning(text: object, most: int = 80) -> str:
    """What of a text fits a line that is shown on hovering; nothing where there is no text."""
    if not isinstance(text, str):
        return ""
    words = " ".join(text.split())
    return words if len(words) <= most else f"{words[: most - 3]}..."
