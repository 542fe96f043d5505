"""Rows whose fields have names, however a file writes them: as a table (`delimited`), or as JSON in the forms of tools.

    {"qid": "1", "docid": "d1", "label": 2}                         an object a line, or objects in a list
    {"query": {"qid": "1"}, "candidates": [{"docid": "d1"}]}        a row for each object of the one list
    {"qid": "1", "ranking": ["d1", "d2"]}                           a row for each id of a list: its place is the rank
    {"1": {"d1": 2}}   {"1": [{"docid": "d1", "score": 2}]}         names that are ids: of run, query and passage
    {"judgments": [{"qid": "1", "docid": "d1", "label": 2}]}        the same below a word for the whole
    {"qid": {"0": "1"}, "docid": {"0": "d1"}, "label": {"0": 2}}    columns, as pandas writes them

Cells are texts, numbers as they are written.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from exam_core.errors import Problems
from exam_core.formats import delimited
from exam_core.formats.format import Opening
from exam_core.formats.json_lines import BadLine, Number, Piece, decoded, entries, excerpt, listed, objects, reporting
from exam_core.formats.measure_names import ALL
from exam_core.progress import Progress, no_progress

_PARTED = ("|", "::", "\t", "__")
"""What may part the ids of query and passage in a batch's `custom_id`: the first of these that it has once."""


def labelled_records(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The annotations of an object of a batch's output, of Argilla or doccano; another object as it is."""
    responses, about = record.get("responses"), record.get("metadata")
    if is_of_batch(record):
        custom = str(record["custom_id"])
        query_id, _, doc_id = custom.partition(next((text for text in _PARTED if custom.count(text) == 1), "|"))
        ids = {"query_id": query_id, "doc_id": doc_id} if doc_id else {}
        try:
            body = record["response"]["body"] if "response" in record else record["result"]["message"]
            answer = body["choices"][0]["message"]["content"] if "choices" in body else body["content"][0]["text"]
            return [{**ids, "model": body.get("model"), "label": str(answer).strip()}]
        except (KeyError, IndexError, TypeError):
            return [{**ids, "model": None, "label": "failed"}]
    if isinstance(responses, dict) and isinstance(about, dict):  # Argilla
        rows = dict[str, dict[str, Any]]()
        for question, answers in responses.items():
            for item in filter(lambda answer: isinstance(answer, dict), answers if isinstance(answers, list) else ()):
                row = rows.setdefault(str(item.get("user_id")), {**about, "annotator": item.get("user_id")})
                row |= {question: item.get("value"), "status": item.get("status")}
        return list(rows.values())
    own = dict(record)
    lists = {name: own[name] for name in ("label", "labels") if isinstance(own.get(name), list)}
    own |= {name: items[0] for name, items in lists.items() if len(items) == 1}
    if lists and "external_id" in own and "doc_id" in own:  # doccano, whose doc_id counts texts
        own["doc_id"] = own.pop("external_id")
    return [own]


def is_of_batch(record: Mapping[str, Any]) -> bool:
    """Whether an object is a line of a batch's output, as OpenAI and Anthropic write it."""
    return "custom_id" in record and ("response" in record or "result" in record)


_BY_TOPIC = ("per_topic", "per_query", "by_topic", "by_query", "per_qid", "topics")
_NAMES_OF_RUNS = ("run_id", "run", "run_tag", "system", "model")


def scored_records(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The scores that an object has as these tools write them; none of another object."""
    try:
        if "testRunData" in record:  # DeepEval
            cases = record["testRunData"]["testCases"]
            scores = [(case["name"], score) for case in cases for score in case["metricsData"]]
            return [{"topic": name, "measure": score["name"], "value": score["score"]} for name, score in scores]
        if "results" in record and "config" in record:  # the evaluation harness of language models
            run = record.get("model_name") or record["config"]["model"]
            by_task = [(task, *score) for task, scores in record["results"].items() for score in scores.items()]
            return [
                {"run": run, "measure": f"{task} {measure}", "topic": ALL, "value": value}
                for task, name, value in by_task
                if _is_number(value) and not (measure := name.split(",")[0]).endswith("_stderr")
            ]
    except (KeyError, TypeError, AttributeError):
        return []
    run = next((record[name] for name in _NAMES_OF_RUNS if name in record), None)
    by_topic: dict[str, Any] = next((record[name] for name in _BY_TOPIC if isinstance(record.get(name), dict)), {})
    if run is None or not by_topic or not all(map(_is_number, by_topic.values())):
        return []
    means = {name: value for name, value in record.items() if _is_number(value)}
    mean = math.fsum(map(float, by_topic.values())) / len(by_topic)
    # Values are those of the mean that they have, which is printed with fewer digits.
    near = {name: 0.5 * 10.0 ** -len(str(value).partition(".")[2]) + 1e-9 for name, value in means.items()}
    whose = next((name for name in means if abs(float(means[name]) - mean) <= near[name]), "mean")
    values = [*((name, ALL, value) for name, value in means.items()), *((whose, *item) for item in by_topic.items())]
    return [{"run": run, "measure": name, "topic": topic, "value": value} for name, topic, value in values]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Number) and not isinstance(value, bool)


_IDS = {"run_id": ("run", "run_tag", "run_name"), "query_id": delimited.QUERY_ID[:-2], "doc_id": delimited.DOC_ID[:-1]}
"""What ids are called for certain; `query` may have a text, and `name` the name of anything."""
WHOLES = frozenset("qrels run runs results judgments judgements labels grades scores queries topics records".split())
_RANKED = frozenset("ranking rankedlist rankedids docids docnos docs pids results retrieved".split())
"""Fields with ids of passages, best first."""
_REMEDY = "Give each record the same names of fields: an id of the query, one of the passage, and what is said of them."
_ANSWERED = re.compile(r"\s*(?:```(?:json)?\s*)?(\{.*\})\s*(?:```\s*)?", re.DOTALL)
"""A text that is a JSON object, also between the marks of a chat model."""
_Record = dict[str, Any]


def record_rows(
    path: Path,
    names: delimited.Names,
    problems: Problems,
    progress: Progress = no_progress,
    *,
    needed: Sequence[str] = (),
    bare: Sequence[str] = (),
) -> Iterator[delimited.Row]:
    """Rows of a table, or of JSON; a record that lacks a field goes to `problems`. Parameters as of `table_rows`."""
    if not Opening(path).is_json:
        yield from delimited.table_rows(path, names, problems, progress, needed=needed, bare=bare)
        return
    known: dict[tuple[str, ...], dict[str, str]] = {}
    for line, raw in objects(path, problems, progress):
        with reporting(problems, line, raw, "a record", _REMEDY):
            for start, record in _records((line, raw)):
                keys = tuple(record)
                if keys not in known:
                    fields = {place: field for field, place in delimited.columns_of(keys, names).items()}
                    known[keys] = {key: fields.get(place, key.strip().lower()) for place, key in enumerate(keys)}
                cells = {known[keys][key]: _cell(value) for key, value in record.items()}
                if texts := [
                    field if delimited.is_heading(field) else next(iter(names[field]), field)
                    for field in needed
                    if field not in cells
                ]:
                    what, text = f"a record without {' and '.join(texts)}", excerpt(json.dumps(record).encode())
                    problems.add(start, what, text, _REMEDY, cause=what)
                else:
                    yield delimited.Row(start, cells)


def first_records(opening: Opening, names: delimited.Names) -> list[list[str]]:
    """The cells of a file's first rows, below a row with the names of its columns or fields."""
    if not opening.is_json:
        return delimited.first_rows(opening, names)
    records = _begins(opening)
    header = list(records[0]) if records else []
    return [header, *([_cell(record.get(name)) for name in header] for record in records)]


@lru_cache(8)
def _begins(opening: Opening) -> list[_Record]:
    records: list[_Record] = []
    for raw in opening.begins:
        with suppress(BadLine):
            records += [record for _, record in _records((1, raw))]
    return records


def names_in(opening: Opening) -> list[str]:
    """Names of columns, or of the first object's fields, as the file has them; of another file its first line."""
    return list(opening.first_object) or [name.strip() for name in first_records(opening, {})[0] if name.strip()]


def refuse_texts_for_ids(opening: Opening, names: delimited.Names) -> None:
    """Raise BadInput where a column that may hold ids or texts, such as `query`, is taken for ids and holds texts."""
    header, *rows = first_records(opening, names)
    columns = delimited.columns_of(header, names)
    places = [columns[field] for field in ("query_id", "doc_id", "docno") if field in columns]
    texts = [
        header[index]
        for index in places
        if delimited.folded(header[index]) in delimited.TEXTS_OR_IDS
        and any(map(delimited.is_text, (row[index] for row in rows if index < len(row))))
    ]
    if texts:
        problems = Problems(opening.path)
        what = f"texts in {' and '.join(texts)}, where ids of queries and passages belong"
        remedy = "Name the columns of ids query_id and doc_id, or add them, with the ids that runs and judgments have."
        problems.add(1, what, f"It has: {', '.join(names_in(opening))}", remedy)
        problems.raise_if_any()


def fields_of(opening: Opening, names: delimited.Names) -> dict[str, int]:
    """Where the first row below the header has fields; none of a file that has no names of columns or fields."""
    return delimited.columns_of(first_records(opening, names)[0], names)


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _records(
    piece: Piece, path: tuple[str, ...] = (), above: Mapping[str, Any] | None = None
) -> Iterator[tuple[int, _Record]]:
    """The records of a piece of JSON, each with its line.

    `path`: names below which it stands, which are ids. `above`: what is said of all its records.
    """
    line, raw = piece
    value, above = decoded(raw), above or {}
    if isinstance(value, dict) and not path and (scores := scored_records(value)):
        yield from ((line, score) for score in scores)
    elif isinstance(value, dict) and not path and (of_tool := labelled_records(value)) != [value]:
        yield from ((line, {**above, **_flat(fields)}) for fields in of_tool)
    elif isinstance(value, list):
        yield from _listed(piece, value, path, above)
    elif not isinstance(value, dict):
        yield line, {**above, **_named(path, {}), "score": value}
    elif not path and not any(map(_holds, value.values())):
        yield line, {**above, **_flat(value)}
    elif columns := _columns(value):
        yield from ((line, record) for record in columns)
    else:
        yield from _of_object(piece, value, path, above)


def _of_object(
    piece: Piece, fields: Mapping[str, Any], path: tuple[str, ...], above: Mapping[str, Any]
) -> Iterator[tuple[int, _Record]]:
    """Records of an object that has others in it, or names that are ids."""
    pieces, plain = dict(entries(piece[1], piece[0])), [name for name, part in fields.items() if not _holds(part)]
    inner = {name: part for name, part in fields.items() if _holds(part)}
    lists = [name for name, part in inner.items() if isinstance(part, list) and part and isinstance(part[0], dict)]
    lists = lists or [name for name, part in inner.items() if delimited.folded(name) in _RANKED and _are_ids(part)]
    whole = next((name for name in inner if delimited.folded(name) in WHOLES), "")
    if delimited.columns_of(plain, {"doc_id": _IDS["doc_id"]}):
        yield piece[0], {**above, **_named(path, fields), **_flat(fields)}
    elif len(inner) == 1 and whole and not path and not delimited.columns_of(plain, {"query_id": _IDS["query_id"]}):
        yield from _records(pieces[whole], above={**above, **{name: fields[name] for name in plain}})
    elif len(lists) == 1 and len(fields) > 1:
        own = _flat(fields)
        yield from _records(pieces[lists[0]], above={**above, **_named(path, {**own, "doc_id": ""}), **own})
    elif not any(map(delimited.is_heading, plain)) and (not plain or (path and not inner)):
        ids = list(_named((*path, ""), {})) if not inner else []
        for name, value in fields.items():
            if inner:
                yield from _records(pieces[name], (*path, name), above)
            else:
                yield piece[0], {**above, **dict(zip(ids, (*path, name), strict=True)), "score": value}
    else:
        own = _flat(fields)
        yield piece[0], {**above, **_named(path, own), **own}


def _holds(part: Any) -> bool:
    """Whether a part of JSON has others in it."""
    return isinstance(part, dict | list)


def _listed(
    piece: Piece, items: Sequence[Any], path: tuple[str, ...], above: Mapping[str, Any]
) -> Iterator[tuple[int, _Record]]:
    """Records of a list of objects, or of ids."""
    if _are_ids(items):
        named = {**above, **_named(path, {"doc_id": ""})}
        yield from ((piece[0], {**named, "doc_id": item, "rank": Number(rank)}) for rank, item in enumerate(items, 1))
    elif all(isinstance(entry, dict) for entry in items):
        for part in listed(piece):
            yield from _records(part, path, above)
    else:
        raise BadLine("a list of other things than objects or ids")


def _are_ids(items: Any) -> bool:
    """Whether a list has nothing but ids, which have no blanks."""
    return isinstance(items, list) and all(isinstance(item, str) and item and not item.count(" ") for item in items)


def _named(path: Sequence[str], own: Mapping[str, Any]) -> _Record:
    """The ids that names stand for: from the right, those of run, query, passage that a record does not say itself."""
    if not path:
        return {}
    own_ids = delimited.columns_of(list(own), _IDS)
    names = [field for field in _IDS if field not in own_ids]
    if len(path) > len(names):
        raise BadLine("objects in each other beyond run, query and passage", cause="nested deeper than ids")
    return dict(zip(names[-len(path) :], path, strict=True))


def _flat(fields: Mapping[str, Any]) -> _Record:
    """What an object says itself, and what objects in it say: `query_text`, and `text` if nothing else is called so.

    An answer of a model may be such an object, written as a text.
    """
    own = {name: value for name, value in fields.items() if not _holds(value)}
    for name, value in fields.items():
        if isinstance(value, str) and (match := _ANSWERED.fullmatch(value)):
            with suppress(BadLine):
                value = decoded(match[1].encode())
        inside = value.items() if isinstance(value, dict) else ()
        for inner, part in [pair for pair in inside if not _holds(pair[1])]:
            own.setdefault(f"{name}_{inner}", part)
            own.setdefault(inner, part)
    return own


def _columns(fields: Mapping[str, Any]) -> list[_Record]:
    """The records of an object whose fields are columns, as pandas writes them; none of another one."""
    header, rows = fields.get("columns"), fields.get("data")
    if isinstance(header, list) and isinstance(rows, list):
        if not all(isinstance(row, list) and len(row) == len(header) for row in rows):
            raise BadLine("a row in `data` with more or fewer cells than `columns`")
        return [dict(zip(map(str, header), row, strict=True)) for row in rows]
    if len(delimited.columns_of(list(fields), _IDS)) < 2 or not all(isinstance(fields[name], dict) for name in fields):
        return []
    keys = list(fields[next(iter(fields))])
    if any(list(column) != keys for column in fields.values()):
        return []
    return [{name: column[key] for name, column in fields.items()} for key in keys]
