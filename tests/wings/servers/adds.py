"""What servers add to tests of the whole."""

from __future__ import annotations

# Of test_judgments_alone.py.
OPENED = (("A server", "by", True),)


def found_at_seams(_half: str, _deep: bytes) -> list[tuple[str, str | bytes]]:
    """What was found once where texts enter: no address, and a date that no calendar has."""
    return [("address of a server", "http://[::"), ("Retry-After", "Wed, 99999999999999999999 Oct 2026 07:28:00 GMT")]
