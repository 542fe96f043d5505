"""Rubrics as a question bank, read and written: a query per object, its criteria with signed weights.

As ResearchRubrics (`criterion`, `weight`) and HealthBench (`criterion`, `points`) have them. Criteria are claims. A
negative weight says what is to be avoided: the weight is kept without its sign. What else an object or a criterion says
stands in `extra` under `rubrics`, with the names that the file has for fields.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec

from exam_core.formats.banks.by_object import by_object
from exam_core.formats.banks.kind import AVOID, BANK, CLAIM
from exam_core.formats.banks.rows import (
    BankLines,
    BankRows,
    Text,
    Texts,
    beyond,
    by_query,
    kept_under,
    present,
    said_of,
)
from exam_core.formats.format import Format, Opening
from exam_core.formats.json_lines import BadLine
from exam_core.tables import id_of_digest

NAME = "rubrics"
NAMES = {
    "query_id": ("qid", "query_id", "topic_id", "sample_id", "prompt_id", "task_id", "id"),
    "query_text": ("query", "query_text", "prompt", "question", "narrative"),
    "criterion": ("criterion", "criteria", "title", "description"),
    "weight": ("weight", "points"),
}
"""The fields, each with the names that files have for it; the first is written where nothing else came in."""
_LIST = re.compile(r'"rubrics"\s*:\s*\[')
_REMEDY = (
    'A line is one JSON object such as {"qid": "q1", "prompt": "...", "rubrics": [{"criterion": "...", "weight": -2}]}.'
)


def _fields(field: str, kind: Any) -> list[tuple[str, Any, None]]:
    """All names of a field, each of which may be left out."""
    return [(name, kind | None, None) for name in NAMES[field]]


_Criterion = msgspec.defstruct("_Criterion", [*_fields("criterion", str), *_fields("weight", float)])
_RubricLine = msgspec.defstruct("_RubricLine", [("rubrics", list[_Criterion]), *_fields("query_id", Text)])  # type: ignore[valid-type]


class _KeptRubrics(msgspec.Struct):
    """What we keep of a file in `extra`; somebody may have written something else there."""

    item: dict[str, Any] = {}
    bank: dict[str, Any] = {}
    names: dict[str, str] = {}


@by_object(_RubricLine, "a rubric of a query", _REMEDY)
def read_rubrics(rows: BankRows, line: int, _: Any, said: dict[str, Any]) -> None:
    """Take a rubric: a criterion is a claim, one of negative weight is to be avoided, and counts.

    A criterion that a query has more than once stays that often, as `...#2` and so on. One without a weight weighs 1.
    """
    names = {field: name for field in ("query_id", "query_text") if (name := _name(said, field))}
    if "query_id" not in names:
        raise BadLine("qid is missing")
    query_id = str(said[names["query_id"]])
    if rows.first.setdefault(query_id, line) != line:
        what = f"second rubric of query {query_id}; the first is in line {rows.first[query_id]}"
        raise BadLine(what, place="qid", cause="second rubric of a query")
    _add(rows, line, query_id, said, names)


def _name(said: Mapping[str, Any], field: str) -> str | None:
    """The name under which an object has a field."""
    return next((name for name in NAMES[field] if said.get(name) is not None), None)


def _add(rows: BankRows, line: int, query_id: str, said: Mapping[str, Any], names: dict[str, str]) -> None:
    """Take a query and its criteria. Raises BadLine where a criterion has no words."""
    asked = said.get(names.get("query_text", ""))
    text = asked if isinstance(asked, str) else _of_messages(asked)
    # A conversation stays as it is, too.
    taken = {"rubrics", *names.values()} - ({names["query_text"]} if asked is not None and asked != text else set())
    common, copies = beyond(said, taken), Counter[str]()
    rows.query(line, query_id, text)
    for number, one in enumerate(said["rubrics"], 1):
        own = {field: name for field in ("criterion", "weight") if (name := _name(one, field))}
        words = one[own["criterion"]] if "criterion" in own else ""
        if not words.strip():
            raise BadLine("a criterion without words", place=f"rubrics {number}", cause="a criterion without words")
        weight = float(one[own["weight"]]) if "weight" in own else 1.0
        copies[words] += 1
        more = {
            "item": beyond(one, own.values()),
            "bank": common,
            "names": {field: name for field, name in (names | own).items() if name != NAMES[field][0]},
        }
        named = {name: value for name, value in more.items() if value}
        is_avoided = math.copysign(1, weight) < 0
        rows.question(
            line,
            query_id,
            {
                "question_id": id_of_digest(query_id, words) + (f"#{copies[words]}" if copies[words] > 1 else ""),
                "question_text": words,
                "kind": CLAIM,
                "weight": abs(weight),
                "importance": AVOID if is_avoided else None,
                "enabled": True,
                "extra": {NAME: named} if named else None,
            },
        )


def _of_messages(asked: Any) -> str | None:
    """A conversation as a text: its only message, or each with who says it."""
    if not isinstance(asked, list) or not all(isinstance(one, dict) for one in asked):
        return None
    said = [(one.get("role"), one["content"]) for one in asked if isinstance(one.get("content"), str)]
    return said[0][1] if len(said) == 1 else "\n\n".join(f"{role}: {text}" for role, text in said) or None


_NO_PLACE = ("facet_id", "facet_text", "gold_answers", "choices", "creators", "lineage")


def write_rubrics(rows: list[dict[str, Any]], texts: Texts) -> BankLines:
    """Questions and claims as criteria, a line for each query; what is to be avoided has a negative weight."""
    written = BankLines()
    for query_id, group in by_query(rows).items():
        kept = [kept_under(row, NAME, _KeptRubrics) for row in group]
        bank: dict[str, Any] = next((more["bank"] for more in kept if more.get("bank")), {})
        criteria = []
        for row, more in zip(group, kept, strict=True):
            if not (row["question_text"] or "").strip():
                written.left_out["questions_without_words"] += 1
                continue
            sign = -1 if row["importance"] == AVOID else 1
            said = {"criterion": row["question_text"], "weight": sign * row["weight"]}
            criteria.append(_named(said, more) | beyond(more.get("item", {}), said))
            written.left_out.update(said_of(row, _NO_PLACE).keys())
            written.left_out["importance"] += row["importance"] not in (None, AVOID)
            written.left_out["enabled"] += not row["enabled"]
            written.left_out["questions"] += row["kind"] != CLAIM
            written.left_out["extra"] += len(row["extra"]) - bool(more)
        if criteria:
            about = {"query_id": query_id, "query_text": texts.get(query_id, {}).get("query_text")}
            line = present(_named(about, kept[0])) | bank | {"rubrics": criteria}
            written.lines.append(msgspec.json.encode(line))
    return written


def _named(said: Mapping[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
    """Fields by the names that they came with."""
    names = kept.get("names", {})
    return {names[field] if names.get(field) in NAMES[field] else NAMES[field][0]: said[field] for field in said}


def _fits(opening: Opening) -> bool:
    # Long conversations may stand before the criteria, as in HealthBench; other forms of ours have both in `extra`.
    is_rubric = bool(_LIST.search(opening.text)) or "ideal_completions_data" in opening.names
    return is_rubric and not opening.names & {"question_id", "question_text", "items"}


ROWS = (
    Format(
        kind=BANK,
        written="rubrics with signed weights",
        looks="rubrics",
        # Before lists of questions, which a rubric's prompt may be taken for.
        order=4,
        fits=_fits,
        read=read_rubrics,
    ),
)
