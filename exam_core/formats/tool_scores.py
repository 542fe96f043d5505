"""Scores as tools of generation evaluation write them in JSON, as records of run, measure, topic and value.

{"run_id": "v0", "mean_score": 0.4, "per_topic": {"t0": 0.5, "t1": 0.3}}       a board with values by topic
{"testRunData": {"testCases": [{"name": ..., "metricsData": [{"name": ..., "score": 0.8}]}]}}          deepeval
{"results": {"triviaqa": {"exact_match,none": 0.52}}, "config": {"model": "hf"}}          lm-evaluation-harness
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from exam_core.formats.json_lines import Number
from exam_core.formats.measure_names import ALL

_BY_TOPIC = ("per_topic", "per_query", "by_topic", "by_query", "per_qid", "topics")
_NAMES_OF_RUNS = ("run_id", "run", "run_tag", "system", "model")


def scored_records(said: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The scores that an object has in one of these forms; none of another object."""
    try:
        if "testRunData" in said:
            return list(_of_deepeval(said["testRunData"]["testCases"]))
        if "results" in said and "config" in said:
            return list(_of_harness(said))
        return list(_of_board(said))
    except (KeyError, TypeError, AttributeError):
        return []


def _of_deepeval(cases: list[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for case in cases:
        for one in case["metricsData"]:
            yield {"topic": case["name"], "measure": one["name"], "value": one["score"]}


def _of_harness(said: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    run = said.get("model_name") or said["config"]["model"]
    for task, scores in said["results"].items():
        for name, value in scores.items():
            measure = name.split(",")[0]
            if _is_number(value) and not measure.endswith("_stderr"):
                yield {"run": run, "measure": f"{task} {measure}", "topic": ALL, "value": value}


def _of_board(said: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The means of a run, and its values by topic under the name of the mean that is theirs."""
    run = next((said[name] for name in _NAMES_OF_RUNS if name in said), None)
    by_topic: dict[str, Any] = next((said[name] for name in _BY_TOPIC if isinstance(said.get(name), dict)), {})
    if run is None or not by_topic or not all(map(_is_number, by_topic.values())):
        return
    means = {name: value for name, value in said.items() if _is_number(value)}
    mean = math.fsum(map(float, by_topic.values())) / len(by_topic)
    whose = next((name for name, value in means.items() if _is_rounded(value, mean)), "mean")
    yield from ({"run": run, "measure": name, "topic": ALL, "value": value} for name, value in means.items())
    yield from ({"run": run, "measure": whose, "topic": topic, "value": value} for topic, value in by_topic.items())


def _is_rounded(value: Any, exact: float) -> bool:
    """Whether a number is another one, rounded to the digits that it has."""
    return abs(float(value) - exact) <= 0.5 * 10.0 ** -len(str(value).partition(".")[2]) + 1e-9


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Number) and not isinstance(value, bool)
