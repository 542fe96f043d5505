"""Patterns of modes of one's own: where grades stand in answers.

RE2 looks for them, in time that grows with an answer's length and not faster, whatever the pattern.
"""

from __future__ import annotations

import re
from contextlib import suppress

LONGEST = 1_000
"""Letters of a pattern."""
_START, _END = "\x02", "\x03"
_MARKED = re.compile(f"{_START}([^{_END}]*){_END}")


def groups_in(pattern: str, text: str) -> list[str]:
    """What the group of a pattern matches, wherever the pattern does; it must have no `fault`."""
    return [group.strip() for group in _MARKED.findall(_replaced(pattern, text, rf"{_START}\1{_END}"))]


def fault(pattern: str) -> str:
    """What is wrong with a pattern; empty where nothing is."""
    if len(pattern) > LONGEST:
        return f"pattern has more than {LONGEST:,} letters"
    try:
        _replaced(pattern, "", "")
    except ValueError as error:
        why = str(error).rpartition("regular expression: ")[2][:200]
        return f"pattern is not a regular expression ({why})"
    groups = 0
    with suppress(ValueError):  # there is no such group
        for number in (1, 2):
            _replaced(pattern, "", rf"\{number}")
            groups = number
    return "" if groups == 1 else f"pattern has {'more than one group' if groups else 'no group'}"


def _replaced(pattern: str, text: str, replacement: str) -> str:
    # Loaded here, since modes are read for the list of commands.
    import pyarrow as pa
    import pyarrow.compute as pc

    clean = text.replace(_START, "").replace(_END, "").encode(errors="ignore").decode()
    texts = pa.array([clean], pa.string())
    return pc.replace_substring_regex(texts, pattern=pattern, replacement=replacement)[0].as_py()
