"""Result tables: the columns of what an analysis answers, declared once, next to the analysis that fills them.

A table is declared with its columns in order:

    ROWS = ResultTable(
        "swaps: rows",
        "Pairs of runs by how far apart their scores are",
        decimal("low", "From", "Smallest difference of scores, inclusive.", unit="score"),
        number("pairs", "Pairs", "Pairs of runs whose scores are that far apart.", unit="pairs"),
    )

The frame's columns, those of the command line's tables, of CSV and LaTeX and the keys of JSON are its names; pages take
heading, tooltip and format from it, docs/reference/data-dictionary.md lists it. Every room may take it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["text", "number", "flag", "bar", "texts", "interval"]


@dataclass(frozen=True)
class ResultColumn:
    """A column of a result table.

    Attributes
    ----------
    name : in frames, JSON, CSV and LaTeX
    label : heading on a page
    help : what it says, in a sentence or two
    unit : what a number counts or is a share of; empty where there is none
    source : paper that it is from, as author and year, or a paper's section
    kind : what is in its cells; a bar is a number between `least` and `most`, an interval a pair of numbers
    form : how its numbers are written: as %-formatting has it, `percent` (of shares), or `localized` (thousands parted)
    width : pixels, or a size; None as wide as it needs to be
    pinned : whether it stays where a wide table is moved
    """

    name: str
    label: str
    help: str = ""
    unit: str = ""
    source: str = ""
    kind: Kind = "text"
    form: str = ""
    width: int | Literal["small", "medium", "large"] | None = None
    pinned: bool = False
    least: float = 0
    most: float = 1

    @property
    def is_rank(self) -> bool:
        """Whether it has ranks of runs, which may share places."""
        return self.unit == "rank" and self.form == "%g"

    @property
    def explained(self) -> str:
        """What it says, with its source."""
        return f"{self.help.removesuffix('.')} ({self.source})." if self.source else self.help


text = ResultColumn
"""A column of texts."""
number = partial(ResultColumn, kind="number")
"""A column of numbers, written as they are."""
decimal = partial(ResultColumn, kind="number", form="%.3f")
signed = partial(ResultColumn, kind="number", form="%+.3f")
rank = partial(ResultColumn, kind="number", form="%g")
"""A column of ranks: whole, or halves where runs share a rank."""
count = partial(ResultColumn, kind="number", form="localized")
share = partial(ResultColumn, kind="number", form="percent")
flag = partial(ResultColumn, kind="flag")
bar = partial(ResultColumn, kind="bar", form="%.3f")
texts = partial(ResultColumn, kind="texts")
interval = partial(ResultColumn, kind="interval")


@dataclass(frozen=True, init=False)
class ResultTable:
    """A result table: the answer that it belongs to with its name there (`outliers: rows`), what a row is, and its
    columns.
    """

    name: str
    meaning: str
    columns: tuple[ResultColumn, ...]

    def __init__(self, name: str, meaning: str, *columns: ResultColumn) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "meaning", meaning)
        object.__setattr__(self, "columns", columns)

    @property
    def in_words(self) -> str:
        """What a row is, for those who don't see the table; what is undefined shows as a dash there."""
        return self.meaning.partition("; undefined")[0]

    @property
    def names(self) -> list[str]:
        """Names of the columns, in order."""
        return [column.name for column in self.columns]

    def __getitem__(self, name: str) -> ResultColumn:
        """The column of a name; KeyError if there is none."""
        return self.by_name[name]

    @property
    def by_name(self) -> dict[str, ResultColumn]:
        """The columns by their names."""
        return {column.name: column for column in self.columns}

    def of(self, rows: pd.DataFrame | Mapping[str, Any] | Iterable[Any] = ()) -> pd.DataFrame:
        """The frame with these columns in this order; without rows, an empty one.

        `rows` are a frame with these columns and perhaps others, columns by name (NaN where one is missing), or rows of
        values.
        """
        import pandas as pd

        if isinstance(rows, pd.DataFrame):
            return rows[self.names]
        if isinstance(rows, Mapping):
            return pd.DataFrame(dict(rows)).reindex(columns=self.names)
        return pd.DataFrame(list(rows), columns=self.names)

    def and_also(self, *columns: ResultColumn) -> ResultTable:
        """The table with more columns, as where rows of several taus stand below each other."""
        return ResultTable(self.name, self.meaning, *self.columns, *columns)

    def changed(self, **changes: Mapping[str, Any]) -> ResultTable:
        """The table with what depends on the question put in, for instance a heading: attributes by column."""
        columns = (replace(column, **changes.get(column.name, {})) for column in self.columns)
        return ResultTable(self.name, self.meaning, *columns)

    def ordered(self, *names: str) -> ResultTable:
        """These of its columns, in this order."""
        return ResultTable(self.name, self.meaning, *(self[name] for name in names))


def attributes(result: Any, *names: str) -> dict[str, Any]:
    """Attributes of a result by their names, as JSON has them."""
    return {name: getattr(result, name) for name in names}
