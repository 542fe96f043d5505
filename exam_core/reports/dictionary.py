"""The data dictionary: `python -m exam_core.reports.dictionary > docs/data-dictionary.md`."""

from __future__ import annotations

from collections.abc import Iterator

from exam_core.tables import TABLES

KINDS = {
    "text": "text",
    "texts": "list of texts",
    "integer": "whole number",
    "grade": "small whole number",
    "number": "number",
    "flag": "true/false",
    "json": "JSON text",
}


def data_dictionary() -> str:
    """Every table and column as Markdown, made from `tables.py`."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# Data dictionary"
    yield ""
    yield "Made from `exam_core/tables.py` by `python -m exam_core.reports.dictionary`. Keys are in bold."
    for table in TABLES.values():
        yield from (
            "",
            f"## {table.name}",
            "",
            f"{table.meaning}.",
            "",
            "| column | type | meaning |",
            "| --- | --- | --- |",
        )
        for column in table.columns:
            name = f"**{column.name}**" if column.name in table.key else column.name
            null = ", may be null" if column.nullable else ""
            yield f"| {name} | {KINDS[column.kind]}{null} | {column.meaning} |"


if __name__ == "__main__":
    print(data_dictionary(), end="")
