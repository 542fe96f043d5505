"""Records of annotation tools and of models' batches as plain ones: a label each, under the ids of query and passage.

doccano's `doc_id` is its own number of a text where `external_id` names the passage, and its labels stand in a list.
Argilla's record has answers by question, each with its user and a status; `metadata` has what was asked. A line of a
batch's output, of OpenAI or Anthropic, has the query and the passage in its `custom_id` (`q1|d1`).

Sources: https://github.com/doccano/doccano/issues/46; https://docs.argilla.io/latest/how_to_guides/import_export/
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_LISTS = ("label", "labels")
_PARTED = ("|", "::", "\t", "__")
"""What may part the ids of query and passage in a batch's `custom_id`: the first of these that it has once."""


def labelled_records(said: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The annotations that an object holds; the object as it is where it is no record of such a tool."""
    if is_of_batch(said):
        custom = str(said["custom_id"])
        query_id, _, doc_id = custom.partition(next((one for one in _PARTED if custom.count(one) == 1), "|"))
        yield {**({"query_id": query_id, "doc_id": doc_id} if doc_id else {}), **_of_batch(said)}
        return
    responses, about = said.get("responses"), said.get("metadata")
    if isinstance(responses, dict) and isinstance(about, dict):
        yield from _of_argilla(responses, about)
        return
    own = dict(said)
    lists = {name: own[name] for name in _LISTS if isinstance(own.get(name), list)}
    own |= {name: found[0] for name, found in lists.items() if len(found) == 1}
    if lists and "external_id" in own and "doc_id" in own:
        own["doc_id"] = own.pop("external_id")
    yield own


def is_of_batch(said: Mapping[str, Any]) -> bool:
    """Whether an object is a line of a batch's output."""
    return "custom_id" in said and ("response" in said or "result" in said)


def _of_batch(said: Mapping[str, Any]) -> dict[str, Any]:
    """The model of an answer and its text, which is the label; an answer that failed has no text."""
    try:
        body = said["response"]["body"] if "response" in said else said["result"]["message"]
        answer = body["choices"][0]["message"]["content"] if "choices" in body else body["content"][0]["text"]
        return {"model": body.get("model"), "label": str(answer).strip()}
    except (KeyError, IndexError, TypeError):
        return {"model": None, "label": "failed"}


def _of_argilla(responses: Mapping[str, Any], about: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    rows = dict[str, dict[str, Any]]()
    for question, answers in responses.items():
        for one in answers if isinstance(answers, list) else ():
            if isinstance(one, dict):
                row = rows.setdefault(str(one.get("user_id")), {**about, "annotator": one.get("user_id")})
                row |= {question: one.get("value"), "status": one.get("status")}
    yield from rows.values()
