"""Whole submissions in one JSON object, as the responses that they hold, each as a line of its own would say it.

    {"team_id": ..., "run_name": ..., "results": [{"topic_id": ..., "answer": "... [123, 456].", "references": [...]}]}
    {"run_name": ..., "turns": [{"turn_id": ..., "responses": [{"rank": 1, "text": ..., "passage_provenance": [...]}]}]}

Sources: https://dmice.ohsu.edu/trec-biogen/submission_format.html (TREC BioGen; the first three citations of a bracket
count); guidelines of TREC iKAT 2023 and 2024, of whose responses the first of a turn is the system's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from exam_core.formats.json_lines import BadLine

_CITED = re.compile(r"\s*\[(\d+(?:\s*,\s*\d+)*)\]")
_ENDS = re.compile(r"(?<=[.!?])\s+(?=\W*[A-Z0-9])")
_MOST_CITED = 3


def responses_in(said: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The responses of a submission; the object as it is where it is one response. Raises BadLine where one is none."""
    run, listed = said.get("run_name"), next((said[name] for name in ("results", "turns") if name in said), None)
    if not isinstance(listed, list):
        yield dict(said)
        return
    for one in listed:
        if not isinstance(one, dict):
            raise BadLine("a list of other things than responses")
        own = _of_turn(one) if "turn_id" in one else {**one, "answer": _with_citations(one.get("answer"))}
        yield {"run_id": run, **own}


def _with_citations(answer: Any) -> Any:
    """The sentences of an answer, with the ids that stand in brackets in them."""
    if not isinstance(answer, str):
        return answer
    return [
        {
            "text": _CITED.sub("", one).strip(),
            "citations": re.findall(r"\d+", " ".join(_CITED.findall(one)))[:_MOST_CITED],
        }
        for one in _ENDS.split(answer)
    ]


def _of_turn(turn: Mapping[str, Any]) -> dict[str, Any]:
    """The response of a turn, with the passages that it rests on as what it cites."""
    try:
        first = min(turn["responses"], key=lambda one: one.get("rank", 1))
        came = first.get("passage_provenance") or []
        cited = [{"id": one["id"], "score": one.get("score")} for one in came]
        documents = [{"id": one["id"], "text": one["text"]} for one in came if one.get("text")]
    except (KeyError, TypeError, ValueError, AttributeError):
        raise BadLine(f"turn {turn.get('turn_id')} has no response", cause="a turn without response") from None
    answer = [{"text": first.get("text") or "", "citations": cited}]
    return {"query_id": turn["turn_id"], "answer": answer, "documents": documents}
