"""Where texts and bytes enter serving."""

from __future__ import annotations

from benchmarks.seams import Seam, json_of, stored
from exam_core.rights import ROLES
from exam_core.wings.serving.roles import read_roles
from pages.serving.added import visitor_of


def claims(text: str) -> None:
    said = json_of(text)
    if isinstance(said, dict):
        assert visitor_of(said, None, 1_769_860_800.0).role == ""


def role_file(content: bytes) -> None:
    assert set(read_roles(stored("roles.toml", content)).values()) <= set(ROLES)


SEAMS = {
    "claims of a provider": Seam(claims, ('{"is_logged_in":true,"email":"a@b.c","iat":1769860800}',)),
    "file of roles": Seam(role_file, (b'[roles]\n"ann@example.org" = "editor"\n"*" = "viewer"\n',)),
}
