"""Records in the JSON of tools: annotations and batches as labels, scores as values of measures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from exam_core.formats.json_lines import Number
from exam_core.formats.measure_names import ALL

_LISTS = ("label", "labels")
_PARTED = ("|", "::", "\t", "__")
"""What may part the ids of query and passage in a batch's `custom_id`: the first of these that it has once."""


def labelled_records(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The annotations that an object holds; the object as it is where it is no record of such a tool."""
    if is_of_batch(record):
        custom = str(record["custom_id"])
        query_id, _, doc_id = custom.partition(next((text for text in _PARTED if custom.count(text) == 1), "|"))
        yield {**({"query_id": query_id, "doc_id": doc_id} if doc_id else {}), **_of_batch(record)}
        return
    responses, about = record.get("responses"), record.get("metadata")
    if isinstance(responses, dict) and isinstance(about, dict):
        yield from _of_argilla(responses, about)
        return
    own = dict(record)
    lists = {name: own[name] for name in _LISTS if isinstance(own.get(name), list)}
    own |= {name: items[0] for name, items in lists.items() if len(items) == 1}
    if lists and "external_id" in own and "doc_id" in own:
        own["doc_id"] = own.pop("external_id")
    yield own


def is_of_batch(record: Mapping[str, Any]) -> bool:
    """Whether an object is a line of a batch's output."""
    return "custom_id" in record and ("response" in record or "result" in record)


def _of_batch(record: Mapping[str, Any]) -> dict[str, Any]:
    """The model of an answer and its text, which is the label; an answer that failed has no text."""
    try:
        body = record["response"]["body"] if "response" in record else record["result"]["message"]
        answer = body["choices"][0]["message"]["content"] if "choices" in body else body["content"][0]["text"]
        return {"model": body.get("model"), "label": str(answer).strip()}
    except (KeyError, IndexError, TypeError):
        return {"model": None, "label": "failed"}


def _of_argilla(responses: Mapping[str, Any], about: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    rows = dict[str, dict[str, Any]]()
    for question, answers in responses.items():
        for item in answers if isinstance(answers, list) else ():
            if isinstance(item, dict):
                row = rows.setdefault(str(item.get("user_id")), {**about, "annotator": item.get("user_id")})
                row |= {question: item.get("value"), "status": item.get("status")}
    yield from rows.values()


_BY_TOPIC = ("per_topic", "per_query", "by_topic", "by_query", "per_qid", "topics")
_NAMES_OF_RUNS = ("run_id", "run", "run_tag", "system", "model")


def scored_records(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The scores that an object has in one of these forms; none of another object."""
    try:
        if "testRunData" in record:
            return list(_of_deepeval(record["testRunData"]["testCases"]))
        if "results" in record and "config" in record:
            return list(_of_harness(record))
        return list(_of_board(record))
    except (KeyError, TypeError, AttributeError):
        return []


def _of_deepeval(cases: list[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for case in cases:
        for item in case["metricsData"]:
            yield {"topic": case["name"], "measure": item["name"], "value": item["score"]}


def _of_harness(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    run = record.get("model_name") or record["config"]["model"]
    for task, scores in record["results"].items():
        for name, value in scores.items():
            measure = name.split(",")[0]
            if _is_number(value) and not measure.endswith("_stderr"):
                yield {"run": run, "measure": f"{task} {measure}", "topic": ALL, "value": value}


def _of_board(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The means of a run, and its values by topic under the name of the mean that is theirs."""
    run = next((record[name] for name in _NAMES_OF_RUNS if name in record), None)
    by_topic: dict[str, Any] = next((record[name] for name in _BY_TOPIC if isinstance(record.get(name), dict)), {})
    if run is None or not by_topic or not all(map(_is_number, by_topic.values())):
        return
    means = {name: value for name, value in record.items() if _is_number(value)}
    mean = math.fsum(map(float, by_topic.values())) / len(by_topic)
    whose = next((name for name, value in means.items() if _is_rounded(value, mean)), "mean")
    yield from ({"run": run, "measure": name, "topic": ALL, "value": value} for name, value in means.items())
    yield from ({"run": run, "measure": whose, "topic": topic, "value": value} for topic, value in by_topic.items())


def _is_rounded(value: Any, exact: float) -> bool:
    """Whether a number is another one, rounded to the digits that it has."""
    return abs(float(value) - exact) <= 0.5 * 10.0 ** -len(str(value).partition(".")[2]) + 1e-9


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Number) and not isinstance(value, bool)
