"""The data dictionary: `python -m exam_core.reports.dictionary > docs/reference/data-dictionary.md`."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import exam_core
from exam_core.measures import places
from exam_core.results import Kind, ResultTable
from exam_core.tables import TABLES
from exam_core.wording import in_cell

RESULT_KINDS: dict[Kind, str] = {
    "text": "text",
    "number": "number",
    "bar": "number",
    "flag": "true/false",
    "texts": "list of texts",
    "interval": "two numbers",
}

_DECLARES = re.compile(r"= ResultTable\(|\.changed\(")
"""How files declare result tables."""


def data_dictionary() -> str:
    """Every table and column of the store and of the results as Markdown."""
    return "\n".join(_lines()) + "\n"


def result_tables() -> list[ResultTable]:
    """Every result table that is declared next to what fills it, by name."""
    result = set[ResultTable]()
    folder = Path(exam_core.__path__[0])
    for path in sorted(folder.rglob("*.py")):
        if _DECLARES.search(path.read_text(encoding="utf-8")):
            # By name: of the rooms above and beside this one, only what they declare is read.
            module = ".".join(path.relative_to(folder.parent).with_suffix("").parts)
            values = vars(importlib.import_module(module)).values()
            result |= {value for value in values if isinstance(value, ResultTable)}
    return sorted(result, key=lambda table: table.name)


def _lines() -> Iterator[str]:
    yield "# Data dictionary"
    yield ""
    yield "*For whoever reads JSON, CSV or tables of the store: what each column holds.*"
    yield ""
    yield "Made from `exam_core/tables.py` by `python -m exam_core.reports.dictionary`. Keys are in bold."
    for table in TABLES.values():
        yield from table.described()
    # What analyses take as missing, in the words of the module that says it.
    _, *about = inspect.cleandoc(places.__doc__ or "").split("\n", maxsplit=1)
    yield from ("", "# What is missing", "", *"\n".join(about).strip().splitlines())
    yield from (
        "",
        "# Results",
        "",
        "Results of analyses: the columns of the command line's tables, of CSV and LaTeX, and the keys of JSON. Made "
        "from the same declarations as pages and exports.",
    )
    for result in result_tables():
        yield from ("", f"## {result.name}", "", f"{result.meaning}.", "")
        yield from ("| column | on pages | type | meaning |", "| --- | --- | --- | --- |")
        for column in result.columns:
            kind = RESULT_KINDS[column.kind] + (f": {column.unit}" if column.unit else "")
            yield f"| {column.name} | {column.label} | {kind} | {in_cell(column.explained)} |"


if __name__ == "__main__":
    print(data_dictionary(), end="")
