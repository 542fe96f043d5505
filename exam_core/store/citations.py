"""What generated passages cite."""

from __future__ import annotations

import msgspec

from exam_core.store.snapshot import Snapshot

_CITING = """
SELECT doc_id, extra FROM passages
WHERE extra LIKE '%"citations":%' AND doc_id IN (SELECT doc_id FROM rankings)
"""


class _Sentence(msgspec.Struct):
    citations: list[str] = []


class _Extra(msgspec.Struct):
    sentences: list[_Sentence] = []


def cited_passages(snapshot: Snapshot) -> dict[str, tuple[str, ...]]:
    """The passages that each generated passage of a run cites, each once, in order; also of those that cite none.

    A passage is generated where its import told its sentences (`import responses` of the RAG track).
    """
    found = {}
    decoder = msgspec.json.Decoder(_Extra)
    for doc_id, extra in snapshot.query(_CITING).itertuples(index=False, name=None):
        try:
            sentences = decoder.decode(extra).sentences
        except msgspec.ValidationError:
            continue  # another format's word for something else
        if sentences:
            cited = dict.fromkeys(name for sentence in sentences for name in sentence.citations)
            found[str(doc_id)] = tuple(cited)
    return found
