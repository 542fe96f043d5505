"""Ids of questions that have none, as the authors make them."""

from __future__ import annotations

import hashlib


def question_id(query_id: str, text: str, facet_id: str | None = None) -> str:
    """The id of a question as the authors make it: `query_id[/facet_id]/md5`, the md5 of the stripped text."""
    return id_of_digest(query_id, text.strip(), facet_id)


def id_of_digest(query_id: str, hashed: str, facet_id: str | None = None) -> str:
    """`query_id[/facet_id]/md5` of a text as it stands."""
    digest = hashlib.md5(hashed.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
    return "/".join([query_id, *([facet_id] if facet_id else []), digest])
