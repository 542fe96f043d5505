"""Passages with their texts, as corpora have them: JSON lines, JSON documents, or a table with tabs.

A corpus may have millions of them: they are read some at a time, and of those that nobody wants only the id is looked
at.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain, compress, islice
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt
import pandas as pd

from exam_core.errors import SHOWN, BadInput, Problems, visible
from exam_core.formats.delimited import columns_of
from exam_core.formats.format import FIRST_LINES, Format, Kind, Opening
from exam_core.formats.json_lines import BadLine, Piece, add_bad_line, bad_line, excerpt, objects
from exam_core.formats.lines import numbered_lines
from exam_core.formats.reading import MakeSpill, Rows
from exam_core.names import LOOKED_AT
from exam_core.progress import Progress, no_progress, within
from exam_core.tables import PASSAGES
from exam_core.wording import counted

IDS = ("_id", "pid", "id", "docid", "doc_id", "docno")
"""What files call a passage's id; of several the first counts, as MS MARCO v2 has pid beside the docid of its page."""
TEXTS = ("text", "contents", "segment", "body", "passage")
"""What files call its text; of several that hold words the first counts."""
NAMES: dict[str, tuple[str, ...]] = {
    "doc_id": (*IDS, "passage_id", "corpus_id", "document_id"),
    "passage_text": (*TEXTS, "passage_text", "content", "document"),
    "title": (),
}
"""What headers of tables call the columns."""
_OF_OTHERS = {
    *("query_id", "qid", "topic_id", "run_id", "request_id", "narrative_id", "question", "question_text", "nuggets"),
    *("nugget_bank", "annotations", "answer", "answers", "responses", "exam_grades", "criteria"),
}
"""Fields by which what has an id and a text is of another kind."""
LONG_TEXT = 250
"""Characters that most texts of passages have, and few of queries."""
_OF_ANY = {"id", "_id", "text"}
"""Headings that a table of queries may have, too."""
_OF_QUERIES, _OF_CORPORA = re.compile("quer|topic"), re.compile("corpus|collection|passage|document|docs|psgs")
_JSON_REMEDY = (
    f'A line is an object such as {{"id": "d1", "text": "..."}}; its id may be {", ".join(IDS[:-1])} or docno.'
)
_TABLE_REMEDY = "A line is an id, a tab, and a text."
TOGETHER = 2**7
"""Passages that are looked at together: what so many lines say stays in a processor's cache."""
_WRONG = (msgspec.MsgspecError, ValueError, RecursionError)
_Parse = Callable[[Sequence[bytes]], list[tuple[str, str, str]]]
"""What makes ids, titles and texts of lines, where titles and texts may be empty; BadLine where one is no passage."""


class Passages(NamedTuple):
    """Lines, ids, titles and texts of some passages; titles and texts may be empty."""

    lines: Sequence[int]
    ids: Sequence[str]
    titles: Sequence[str]
    texts: Sequence[str]


def read_passages(path: Path, *, progress: Progress = no_progress) -> Iterator[Passages]:
    """Passages of a file, some at a time, as it has them: the same id may come again.

    Raises BadInput where a line is no passage; at the end, when all others have been given.
    """
    problems, begin = Problems(path), list(islice(numbered_lines(path), FIRST_LINES))
    parse: _Parse
    if not begin or Opening(path).is_json:
        parse, remedy, pieces = _of_objects, _JSON_REMEDY, objects(path, problems, progress)
    else:
        try:
            parse, has_header = _of_table([line.decode("utf-8", "replace").split("\t") for _, line in begin])
        except BadLine as error:
            problems.add(begin[0][0], str(error), excerpt(begin[0][1]), _TABLE_REMEDY)
            problems.raise_if_any()
        remedy, pieces = _TABLE_REMEDY, islice(numbered_lines(path, progress), int(has_header), None)
    while some := list(islice(pieces, TOGETHER)):
        try:
            passages = parse([raw for _, raw in some])
        except _WRONG:
            some = [piece for piece in some if _is_passage(piece, parse, problems, remedy)]
            passages = parse([raw for _, raw in some])
        if some:
            yield Passages([line for line, _ in some], *zip(*passages, strict=True))
    problems.raise_if_any()


def _is_passage(piece: Piece, parse: _Parse, problems: Problems, remedy: str) -> bool:
    """Whether a line is a passage; one that is none goes to the problems."""
    try:
        parse([piece[1]])
    except _WRONG as error:
        fault = error if isinstance(error, BadLine) else bad_line(error, piece[1])
        add_bad_line(problems, *piece, fault, "a passage", remedy)
        return False
    return True


_Object = msgspec.defstruct(
    "_Object",
    [*((name, str | int | None, None) for name in IDS), *((name, str | None, None) for name in ("title", *TEXTS))],
)
_decode, _ids_of, _texts_of = msgspec.json.Decoder(_Object).decode, attrgetter(*IDS), attrgetter(*TEXTS)


def _of_objects(lines: Sequence[bytes]) -> list[tuple[str, str, str]]:
    return [
        (_id_of(item), item.title or "", next(filter(None, _texts_of(item)), ""))  # type: ignore[attr-defined]
        for item in map(_decode, lines)
    ]


def _id_of(item: msgspec.Struct) -> str:
    for doc_id in _ids_of(item):
        if doc_id is not None:
            return str(doc_id)
    raise BadLine("no id")


def _of_table(begin: Sequence[Sequence[str]]) -> tuple[_Parse, bool]:
    """What reads a table that begins with these rows, and whether they have a header.

    Raises BadLine where nobody can say which column is the text.
    """
    width, columns = len(begin[0]), columns_of(begin[0], NAMES)
    seconds = [row[1] for row in begin if len(row) == width == 4]
    has_header = {"doc_id", "passage_text"} <= columns.keys()
    if width == 1:
        raise BadLine("no tab between an id and a text")
    if has_header:
        doc, title, text = columns["doc_id"], columns.get("title"), columns["passage_text"]
    elif width == 2:
        doc, title, text = 0, None, 1
    elif any("://" in cell for cell in seconds):  # MS MARCO's documents: id, address, title, text
        doc, title, text = 0, 2, 3
    elif seconds and all(cell and " " not in cell for cell in seconds):  # its candidates: query, passage, their texts
        doc, title, text = 1, None, 3
    else:
        raise BadLine(
            f"{width} columns, and no header that says which is the text: begin the file with one (id, title, text)"
        )

    def parse(lines: Sequence[bytes]) -> list[tuple[str, str, str]]:
        rows = [line.decode("utf-8").split("\t") for line in lines]
        if other := set(map(len, rows)) - {width}:
            what = f"{counted({'columns': other.pop()})} between tabs where the first line has {width}"
            raise BadLine(what, cause="another number of columns")
        rows = [list(map(_unquoted, row)) for row in rows] if has_header else rows
        return [(row[doc], "" if title is None else row[title], row[text]) for row in rows]

    return parse, has_header


def _unquoted(cell: str) -> str:
    """A cell without the quotes in which writers of tables put it."""
    if len(cell) < 2 or not cell[0] == cell[-1] == '"':
        return cell
    inner = cell[1:-1].replace('""', "")
    return cell if '"' in inner else cell[1:-1].replace('""', '"')


def _fits_json(opening: Opening) -> bool:
    """An id and a text; where a query may have them, too, a title, a long text or the name of the file tells."""
    fields, name = frozenset(opening.first_object), opening.path.name.lower()
    ids, texts = fields & set(IDS), fields & set(TEXTS)
    if not ids or not texts or fields & _OF_OTHERS or _OF_QUERIES.search(name):
        return False
    sure = "title" in fields or ids - {"_id", "id"} or texts - {"text"}
    return bool(sure) or len(opening.text) >= LONG_TEXT or bool(_OF_CORPORA.search(name))


def _fits_table(opening: Opening) -> bool:
    """A header that says so, or long texts behind tabs."""
    rows = [line.split("\t") for line in opening.lines]
    if not rows or not 2 <= len(rows[0]) <= 4 or any(len(row) != len(rows[0]) for row in rows):
        return False
    if has_header := {"doc_id", "passage_text"} <= columns_of(rows[0], NAMES).keys():
        names = {cell.strip().strip('"').lower() for cell in rows[0]}
        if names & _OF_OTHERS or not names <= _OF_ANY:
            return not names & _OF_OTHERS
    long = sum(max(map(len, row[1:])) >= LONG_TEXT for row in rows[has_header:])
    return long * 2 > len(rows[has_header:]) and all(" " not in row[0].strip() for row in rows)


PASSAGE_TEXTS = Kind(
    key="passages",
    noun="Passage texts",
    order=55,
    main="passages",
    many=True,
    template="""\
{"id": "d1", "text": "Yeast turns sugar into carbon dioxide, which makes dough rise."}
{"id": "d2", "text": "Bread is sold by weight in many towns."}
{"id": "d3", "text": "Chlorophyll is broken down in autumn, and other colours show."}
{"id": "d4", "text": "Trees stand in rows along the street."}
""",
    ending="jsonl",
    columns={"doc": NAMES["doc_id"], "text": NAMES["passage_text"], "title": ("title",)},
)
ROWS = tuple(
    Format(
        kind=PASSAGE_TEXTS,
        written=written,
        looks="texts of passages",
        order=order,
        fits=fits,
        read=read_passages,
        explains=("JSON", "table", "text"),
    )
    for written, order, fits in (("JSON lines", 8, _fits_json), ("TSV", 89, _fits_table))
)


_Ints = npt.NDArray[np.int64]
_PART, _PARTS = 2**14, 2**6
"""Keys of a part, and parts that are sorted together."""


def distinct(parts: Iterable[_Ints]) -> _Ints:
    """The distinct keys among very many, sorted; twice as many are held for a moment."""
    keys, rest = np.zeros(0, np.int64), iter(parts)
    while some := list(islice(rest, _PARTS)):
        new = np.unique(np.concatenate(some))
        new = new[~are_among(keys, new)]
        keys = np.insert(keys, np.searchsorted(keys, new), new)
    return keys


def are_among(distinct_keys: _Ints, keys: _Ints) -> npt.NDArray[np.bool_]:
    """Which keys are among distinct ones, which are sorted."""
    if not len(distinct_keys):
        return np.zeros(len(keys), bool)
    return distinct_keys[np.searchsorted(distinct_keys[:-1], keys)] == keys


def _keys(ids: Sequence[str]) -> _Ints:
    """Ids as 64 bits each, which are drawn anew in every process."""
    return np.fromiter(map(hash, ids), np.int64, len(ids))


def with_title(title: str, text: str | None) -> str:
    """A passage's text as it is stored: its title, a line end, its text; no title where the text begins with it."""
    title, text = title.strip(), text or ""
    return text if not title or text.lstrip().startswith(title) else f"{title}\n{text}" if text.strip() else title


PART_CHARACTERS = 2**22
"""Characters of texts that are packed together."""
_LINE = 40
"""Bits of a place that number a line; those above number the file."""


class Corpus:
    """Passages of files, or records of Python where there are no files, while they are read.

    Parameters
    ----------
    wanted : ids of the passages to keep; None, or none of them, keeps all
    make_spill : where they go that are too many for the memory
    titles : whether a title is put before its text

    Attributes
    ----------
    read, kept, blank : passages that were read, are kept (also those that repeat one), and have no words
    first_blank : where the first without words stands
    strangers, some_wanted : some ids that are not wanted, and some that are
    """

    def __init__(
        self,
        wanted: Iterable[str] | None,
        make_spill: MakeSpill | None = None,
        *,
        titles: bool = True,
        files: Sequence[Path] = (),
    ) -> None:
        self.read = self.kept = self.blank = self._characters = 0
        self._places, self._ids, self._texts = list[int](), list[str](), list[str]()
        self.first_blank, self.strangers = "", list[str]()
        self._titles, self._files = titles, files
        self.rows = Rows(PASSAGES, Problems(Path()), make_spill, named=self._where)
        ids = iter(wanted or ())
        self.some_wanted = list(islice(ids, LOOKED_AT))
        parts = iter(lambda: list(islice(ids, _PART)), [])
        keys = distinct(map(_keys, chain([self.some_wanted], parts)))
        self._wanted, self.keeps_all = keys, not len(keys)

    def add(self, some: Passages, file: int = 0) -> None:
        """Take those passages of a file that are wanted; it is named by its number."""
        self.read += len(some.ids)
        if not self.keeps_all:
            are_wanted = are_among(self._wanted, _keys(some.ids))
            others = np.flatnonzero(~are_wanted)
            self.strangers += [some.ids[index] for index in others[: LOOKED_AT - len(self.strangers)]]
            lines, *texts_of = (list(compress(column, are_wanted)) for column in some)
            some = Passages(lines, *texts_of)  # type: ignore[arg-type]
        places = [(file << _LINE) + line for line in some.lines]
        texts = list(map(with_title, some.titles, some.texts)) if self._titles else some.texts
        ids, have_words = some.ids, list(map(str.strip, texts))
        if not all(have_words):
            first = next(place for place, words in zip(places, have_words, strict=True) if not words)
            self.first_blank = self.first_blank or self._where(first)
            self.blank += have_words.count("")
            places, ids = list(compress(places, have_words)), list(compress(ids, have_words))
            texts = list(compress(texts, have_words))
        self._places += places
        self._ids += ids
        self._texts += texts
        self.kept += len(ids)
        self._characters += sum(map(len, texts))
        if self._characters >= PART_CHARACTERS or len(self._ids) >= _PART:
            self._pack()

    def _pack(self) -> None:
        hashes = [hashlib.sha256(text.encode()).hexdigest()[:16] for text in self._texts]
        columns = {"doc_id": self._ids, "passage_text": self._texts, "text_hash": hashes}
        self.rows.add_lines(self._places, PASSAGES.packed(columns))
        self._places, self._ids, self._texts, self._characters = [], [], [], 0

    def frames(self, progress: Progress = no_progress) -> Iterator[pd.DataFrame]:
        """The passages that are kept, each once, in their order.

        Raises BadInput where an id can't be kept, or a passage has two texts.
        """
        self._pack()
        frames, problems = self.rows.decide("text", progress), self.rows.problems
        if wrong := sorted(problems.problems, key=lambda problem: problem.line)[:SHOWN]:
            lines = [f"{self._where(problem.line)}: {problem.what}\n  {problem.value}" for problem in wrong]
            if more := problems.more + sum(problems.counts.values()) - len(wrong):
                lines.append(f"... and {more:,} more like these.")
            raise BadInput(visible("\n".join([*lines, wrong[0].remedy, "Nothing was stored."])))
        return frames

    def _where(self, place: int) -> str:
        file, line = divmod(place, 2**_LINE)
        return f"{self._files[file]}:{line}" if self._files else f"record {line}"


def passages_of(paths: Sequence[Path], progress: Progress = no_progress) -> Iterator[tuple[int, Passages]]:
    """Passages of files, which are read one after the other, each with the number of its file; errors as of a file."""
    sizes = [0, *accumulate(max(path.stat().st_size, 1) for path in paths)]
    for number, path in enumerate(paths):
        its = within(progress, sizes[number] / sizes[-1], sizes[number + 1] / sizes[-1])
        for some in read_passages(path, progress=its):
            yield number, some
