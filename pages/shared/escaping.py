"""Names from files in labels, which Streamlit reads as Markdown."""

from __future__ import annotations


def escaped(name: str) -> str:
    """A name as a label that Markdown leaves alone."""
    return "".join("\\" + character if character in r"\`*_{}[]()#+-.!|:~$<>&" else character for character in name)
