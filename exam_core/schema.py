"""What a table of the store is: its columns, their types and the key.

A frame is a pandas DataFrame with the columns of a table, in this order. pandas and Arrow are loaded when a frame is
made: the command line's help takes names from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Kind = Literal["text", "texts", "integer", "grade", "number", "flag", "json"]
KINDS: dict[Kind, str] = {
    "text": "text",
    "texts": "list of texts",
    "integer": "whole number",
    "grade": "small whole number",
    "number": "number",
    "flag": "true/false",
    "json": "JSON text",
}
"""Kinds of columns in documents."""


@dataclass(frozen=True)
class Column:
    """A column: what it is called, what it holds, what it means; a later one is null in files of earlier versions."""

    name: str
    kind: Kind
    meaning: str
    nullable: bool = False
    later: bool = False


@dataclass(frozen=True)
class Table:
    """A table: its columns and the key that no two rows share."""

    name: str
    meaning: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def names(self) -> list[str]:
        """Names of the columns, in order."""
        return [column.name for column in self.columns]

    @property
    def later(self) -> list[Column]:
        """The columns that files of earlier versions don't have: they are read as null."""
        return [column for column in self.columns if column.later]

    @property
    def schema(self) -> pa.Schema:
        """The table as an Arrow schema, which is also that of its Parquet files."""
        import pyarrow as pa

        types = _arrow_types()
        return pa.schema([pa.field(column.name, types[column.kind], column.nullable) for column in self.columns])

    def described(self) -> Iterator[str]:
        """The table as a section of a Markdown document."""
        yield from ("", f"## {self.name}", "", f"{self.meaning}.", "")
        yield from ("| column | type | meaning |", "| --- | --- | --- |")
        for column in self.columns:
            name = f"**{column.name}**" if column.name in self.key else column.name
            null = ", may be null" if column.nullable else ""
            yield f"| {name} | {KINDS[column.kind]}{null} | {column.meaning} |"

    def frame(self, columns: Mapping[str, Iterable[Any]]) -> pd.DataFrame:
        """Frame of this table from columns; a nullable column that is left out is null.

        Raises ValueError where a column that isn't nullable is missing, or there is one too many.
        """
        if not any(map(len, columns.values())) and not self._misfit(columns):  # type: ignore[arg-type]
            return self._without_rows.copy(deep=False)
        return self.from_arrow(self.packed(columns))

    def of(self, rows: Iterable[Sequence[Any]]) -> pd.DataFrame:
        """Frame of this table from rows; columns at the end that all of them leave out are null."""
        columns = list(zip(*rows, strict=True)) or [()] * len(self.names)
        return self.frame(dict(zip(self.names, columns, strict=False)))

    def _misfit(self, columns: Mapping[str, Iterable[Any]]) -> str:
        """Which columns are too many, and which are missing."""
        unknown = set(columns) - set(self.names)
        missing = {column.name for column in self.columns if not column.nullable} - set(columns)
        return f"unknown columns {unknown}, missing columns {missing}" if unknown or missing else ""

    def packed(self, columns: Mapping[str, Iterable[Any]]) -> pa.Table:
        """Arrow table of this table from columns, as `frame`."""
        import pyarrow as pa

        if misfit := self._misfit(columns):
            raise ValueError(f"{self.name}: {misfit}")
        rows = len(next(iter(columns.values())))  # type: ignore[arg-type]
        arrays = [
            pa.array(columns[field.name], field.type, from_pandas=True)
            if field.name in columns
            else pa.nulls(rows, field.type)
            for field in self.schema
        ]
        return pa.table(arrays, schema=self.schema)

    @cached_property
    def _without_rows(self) -> pd.DataFrame:
        """Made once, because Arrow needs a millisecond for nothing, and files leave most tables empty."""
        return self.from_arrow(self.schema.empty_table())

    def from_arrow(self, table: pa.Table) -> pd.DataFrame:
        """Frame of this table from an Arrow table with its columns; whole numbers and flags may be null."""
        return table.select(self.names).cast(self.schema).to_pandas(types_mapper=_pandas_types().get)

    def arrow(self, frame: pd.DataFrame) -> pa.Table:
        """The frame as an Arrow table with this table's schema."""
        import pyarrow as pa

        return pa.Table.from_pandas(frame[self.names], self.schema, preserve_index=False)


@cache
def _arrow_types() -> dict[Kind, pa.DataType]:
    import pyarrow as pa

    return {
        "text": pa.string(),
        "texts": pa.list_(pa.string()),
        "integer": pa.int32(),
        "grade": pa.int8(),
        "number": pa.float64(),
        "flag": pa.bool_(),
        "json": pa.string(),
    }


@cache
def _pandas_types() -> dict[pa.DataType, Any]:
    import pandas as pd
    import pyarrow as pa

    return {
        pa.int8(): pd.Int8Dtype(),
        pa.int32(): pd.Int32Dtype(),
        pa.bool_(): pd.BooleanDtype(),
        pa.string(): pd.StringDtype(na_value=float("nan")),
    }


EXTRA = Column("extra", "json", "what the source file says beyond these columns", nullable=True)
QUERY = Column("query_id", "text", "the query")
DOC = Column("doc_id", "text", "the passage")
