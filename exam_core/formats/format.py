"""What a format declares of itself, next to its reader: the kind of thing that it holds, and how it is recognised."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from exam_core.errors import UsageError, visible
from exam_core.formats.column_names import Columns
from exam_core.formats.json_lines import BadLine, completed, decoded, listed
from exam_core.formats.lines import first_lines

Dialect = Literal["JSON", "table", "text"]
"""How a file is written, whatever it holds: a table has a header and separators."""
FIRST_LINES, WIDTH = 20, 4096
"""What is looked at: more would be read of a file that unpacks to very much."""
_FIELD = re.compile(r'"([A-Za-z_]+)"\s*:')
_TREC_RUN = re.compile(r'\w*\d\w* Q0 [^\s,;|"]+ \d{1,9} [+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)? [^\s,;|"]+', re.ASCII)


class Opening:
    """How a file begins: what it is recognised by.

    Comments (lines that start with `#`) and blank lines are left out, long lines cut short. `lines` and `rows` are
    empty for JSON, `fields`, `names` and `text` for everything else. `whole` has comments, too: a header may begin so.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.whole = first_lines(path, FIRST_LINES, WIDTH)
        lines = [line for line in self.whole if not line.startswith("#")]
        self._first = lines[0].lstrip() if lines else ""
        self.is_json = self._first[:1] in ("[", "{")
        self.lines = [] if self.is_json else lines
        self._json = lines if self.is_json else []

    @property
    def is_list(self) -> bool:
        """Whether a line of JSON is a list."""
        return self._first.startswith("[")

    @cached_property
    def text(self) -> str:
        """The first line of JSON, or the first lines where an object or a list goes on over several."""
        if not self._json or len(self._first) >= WIDTH or not _goes_on(self._first):
            return self._first if self.is_json else ""
        cut = next((index for index, line in enumerate(self._json) if len(line) >= WIDTH), len(self._json))
        return "\n".join(self._json[: cut + 1])

    @cached_property
    def names(self) -> frozenset[str]:
        """Names of fields, at any depth, in `text`, which may be cut short."""
        return frozenset(_FIELD.findall(self.text))

    @cached_property
    def fields(self) -> frozenset[str]:
        """The same for JSON objects; none for a list."""
        return frozenset() if self.is_list else self.names

    @property
    def objects(self) -> frozenset[str]:
        """The same for JSON objects that stand in lines of their own or in one list."""
        return self.names if re.match(r"\[\s*\{", self.text) else self.fields

    @cached_property
    def begins(self) -> list[bytes]:
        """The JSON that it begins with, each object by itself, as far as it is not cut short."""
        texts = [self.text, *(self._json[1:] if self.text == self._first else [])]
        whole = (completed(text).encode() for text in texts)
        return [part for raw in whole if raw for _, part in listed((1, raw))]

    @cached_property
    def first_objects(self) -> list[dict[str, Any]]:
        """The same as Python has it, numbers as they are written."""
        objects = []
        for raw in self.begins:
            with suppress(BadLine):
                objects.append(decoded(raw))
        return [object for object in objects if isinstance(object, dict)]

    @property
    def first_object(self) -> dict[str, Any]:
        """The first of these; empty if there is none."""
        return next(iter(self.first_objects), {})

    @cached_property
    def rows(self) -> list[list[str]]:
        """The lines, parted at blanks."""
        return [line.split() for line in self.lines]

    @cached_property
    def is_trec_run(self) -> bool:
        """Whether every line is as only runs have it: `q1 Q0 d1 1 9.5 bm25`, without a sign that parts cells."""
        return bool(self.whole) and all(map(_TREC_RUN.fullmatch, self.whole))


def _goes_on(line: str) -> bool:
    """Whether JSON is not at its end."""
    try:
        json.loads(line)
    except json.JSONDecodeError as error:
        return error.pos >= len(line.rstrip())
    except (ValueError, RecursionError):
        return False
    return False


def is_number(text: str) -> bool:
    """Whether Python takes a text for a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of thing that files hold, in one format or several.

    Parameters
    ----------
    key : its import on the command line, `import run`
    noun : what it is, on the page
    order : where it stands on the page: smaller first
    main : the table whose first rows show best what a file holds
    template : a small file of it, to be filled in; those of all kinds are about the same queries and fit together
    ending : how the name of such a file ends
    option : the keyword of the name that its import takes; None where it takes none
    name : what that name is
    needed : whether the import needs the name
    unnamed : what an empty name means, on the page; where the name is not needed
    arguments : what the command line asks for besides the file and the collection
    replaces : whether its import is told by `replace` that a run, or judgments, may go whose name a file has
    scaled : whether the import takes a scale
    many : whether several files are one import
    columned : whether the import takes the column that is read; of a leaderboard also the run that a file is of
    columns : what may be said to be which column of a file, each with the names that its readers take first
    written : how its formats are written; `registry` fills it in
    """

    key: str
    noun: str
    order: int
    main: str
    template: str
    ending: str = "csv"
    option: str | None = None
    name: str = ""
    needed: bool = False
    unnamed: str = ""
    arguments: str = ""
    replaces: bool = False
    scaled: bool = False
    columned: bool = False
    many: bool = False
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False)
    written: tuple[str, ...] = field(default=(), compare=False)

    @property
    def file_name(self) -> str:
        """What a file made of the template is called; its kind is known by what stands in it."""
        return f"{self.key}.{self.ending}"

    @property
    def title(self) -> str:
        """What it is and how it is written, on the page: `Run (TREC format)`."""
        return f"{self.noun} ({', '.join(self.written)})"

    def columns_named(self, names: Mapping[str, str]) -> Columns:
        """What readers call a file's columns, of what is asked for; UsageError where the kind has no such field."""
        if strange := [ours for ours in names if ours not in self.columns]:
            has = f"It has: {', '.join(self.columns)}" if self.columns else "None of its columns can be named"
            raise UsageError(f"--as: {self.noun} has no field {visible(strange[0], line_ends=False)}. {has}.")
        return {theirs: self.columns[ours] for ours, theirs in names.items()}


@dataclass(frozen=True, kw_only=True)
class Format:
    """A way to write a kind of thing: a row of the table of formats.

    Parameters
    ----------
    written : how it is written, on the page
    looks : what a file of it looks like, in a refusal
    order : when it is tried: smaller first, equal ones by `looks`; the first that fits is taken
    fits : whether a file that begins so is written in it
    read : the reader
    endings, words : parts of the names of files whose beginning tells nothing; a word says less than an ending
    alike : kinds that are written in the same way, so that a file of one is not taken for a mistake for the other
    taken_for : kinds whose readers would make something else of such a file, and therefore don't get it
    explains : which files its reader says best of what is wrong with them, where none of its kind's formats fits
    is_certain : whether a file begins as no other format's files do, so that nobody else is asked
    """

    kind: Kind
    written: str
    looks: str
    order: int
    fits: Callable[[Opening], bool]
    read: Callable[..., Any]
    endings: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    taken_for: tuple[str, ...] = ()
    explains: tuple[Dialect, ...] = ("JSON",)
    is_certain: Callable[[Opening], bool] = lambda _: False
