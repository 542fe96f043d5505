"""What serving adds to tests of the whole."""

from __future__ import annotations

ELSEWHERE = {"serve": "wings/serving/test_serving.py"}


def found_at_seams(_half: str, _deep: bytes) -> list[tuple[str, str | bytes]]:
    """What was found once where texts and bytes enter: a time that no float holds, and tables in tables."""
    claims = '{"is_logged_in":true,"email":"a@b.c","iat":%s}' % ("1" * 400)
    return [("claims of a provider", claims), ("file of roles", b"[roles]\n" + b"a." * 2000 + b"a = 1\n")]
