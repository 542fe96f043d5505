"""Passages with their texts, as corpora have them: JSON lines, JSON documents, or a table with tabs.

A corpus may have millions of them, so they are read one after the other; of those that came before, `Corpus` holds
hashes alone.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain, compress, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt
import pandas as pd

from exam_core.errors import BadInput, Problems, visible
from exam_core.formats.format import FIRST_LINES, Format, Kind, Opening
from exam_core.formats.json_lines import BadLine, Piece, add_bad_line, bad_line, excerpt, is_cut_off, objects
from exam_core.formats.lines import LONGEST_JSON, UTF8_REMEDY, numbered_blocks, numbered_lines, numbered_lines_of
from exam_core.formats.reading import LONGEST_ID, TOGETHER, fault_of_id
from exam_core.progress import Progress, no_progress, within
from exam_core.tables import PASSAGES
from exam_core.wording import counted

IDS = ("_id", "pid", "id", "docid", "doc_id", "docno")
"""What files call a passage's id; of several the first counts, as MS MARCO v2 has pid beside the docid of its page."""
TEXTS = ("text", "contents", "segment", "body", "passage")
"""What files call its text; of several that hold words the first counts."""
_ID_HEADINGS = {*IDS, "passage_id", "corpus_id", "document_id"}
_TEXT_HEADINGS = {*TEXTS, "passage_text", "content", "document"}
_OF_OTHERS = {
    *("query_id", "qid", "topic_id", "run_id", "request_id", "narrative_id", "question", "question_text", "nuggets"),
    *("nugget_bank", "annotations", "answer", "answers", "responses", "exam_grades", "criteria"),
}
"""Fields by which JSON with an id and a text is of another kind."""
LONG_TEXT = 250
"""Characters that most texts of passages have, and few of queries."""
_OF_ANY = {"id", "_id", "text"}
"""Headings that a table of queries may have, too."""
_OF_QUERIES, _OF_CORPORA = re.compile("quer|topic"), re.compile("corpus|collection|passage|document|docs|psgs")
_JSON_REMEDY = (
    f'A line is an object such as {{"id": "d1", "text": "..."}}; its id may be {", ".join(IDS[:-1])} or docno.'
)
NO_TEXT = f"no line has a text ({', '.join(TEXTS[:-1])} or {TEXTS[-1]})"
_TABLE_REMEDY = "A line is an id, a tab, and a text."

Passage = tuple[int, str, str, str | None]
"""Line, id, title and text of a passage; title and text may be empty, and None says that no field has a text."""


class Passages(NamedTuple):
    """Lines, ids, titles and texts of some passages."""

    lines: Sequence[int]
    ids: Sequence[str]
    titles: Sequence[str]
    texts: Sequence[str | None]

    def taken(self, taken: Callable[[Sequence[Any]], Sequence[Any]]) -> Passages:
        """Some of them: what a function takes of each column."""
        return Passages(taken(self.lines), taken(self.ids), taken(self.titles), taken(self.texts))


_Id = str | int | None


class _PassageLine(msgspec.Struct):
    underscore_id: _Id = msgspec.field(name="_id", default=None)
    pid: _Id = None
    id: _Id = None
    docid: _Id = None
    doc_id: _Id = None
    docno: _Id = None
    title: str | None = None
    text: str | None = None
    contents: str | None = None
    segment: str | None = None
    body: str | None = None
    passage: str | None = None


def read_passages(path: Path, *, progress: Progress = no_progress) -> Iterator[Passages]:
    """Passages of a file, some at a time, as it has them: the same id may come again.

    Raises BadInput where a line is no passage; at the end, when all others have been given.
    """
    problems = Problems(path)
    read = _of_json if Opening(path).is_json else _of_table
    yield from read(path, problems, progress)
    problems.raise_if_any()


def _first_lines(path: Path, count: int) -> list[Piece]:
    return list(islice(numbered_lines(path), count))


def with_title(title: str, text: str | None) -> str:
    """A passage's text as it is stored: its title, a line end, its text; no title where the text begins with it."""
    title, text = title.strip(), text or ""
    return text if not title or text.lstrip().startswith(title) else f"{title}\n{text}" if text.strip() else title


def some_at_a_time(passages: Iterable[Passage]) -> Iterator[Passages]:
    """Passages that come one after the other."""
    rest = iter(passages)
    while some := list(islice(rest, TOGETHER)):
        yield Passages(*zip(*some, strict=True))


def _of_json(path: Path, problems: Problems, progress: Progress) -> Iterator[Passages]:
    first = next(iter(_first_lines(path, 1)), (0, b""))[1]
    if not first.startswith(b"{") or is_cut_off(first):
        yield from some_at_a_time(_of_objects(objects(path, problems, progress), problems))
        return
    for before, block in numbered_blocks(path, progress):
        regular = _regular_objects(before, block)
        lines = numbered_lines_of(path, before, block)
        yield from [regular] if regular else some_at_a_time(_of_objects(lines, problems))


def _regular_objects(before: int, block: bytes) -> Passages | None:
    """Passages of lines, all at once; None where one is wrong or odd."""
    count = block.count(b"\n")
    # A line break within an object never stands between } and {, so that each line has one object.
    ends = block.count(b"}\n") + block.count(b"}\r\n")
    if not block.startswith(b"{") or not ends == count == block.count(b"\n{") + 1:
        return None
    try:
        lines = _DECODER.decode_lines(block)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    passages = [_of_object(line) for line in lines]
    if len(block) > LONGEST_JSON or len(lines) != count or not all(passage[0] is not None for passage in passages):
        return None
    ids, titles, texts = zip(*passages, strict=True)
    return Passages(range(before + 1, before + count + 1), ids, titles, texts)


_DECODER = msgspec.json.Decoder(_PassageLine)


def _of_object(line: _PassageLine) -> tuple[str | None, str, str | None]:
    """Id, title and text."""
    ids = (line.underscore_id, line.pid, line.id, line.docid, line.doc_id, line.docno)
    doc_id = next((item for item in ids if item is not None), None)
    text = line.text or line.contents or line.segment or line.body or line.passage
    if not text:
        texts = (line.text, line.contents, line.segment, line.body, line.passage)
        text = "" if any(name is not None for name in texts) else None
    return str(doc_id) if isinstance(doc_id, int) else doc_id, line.title or "", text


def _of_objects(pieces: Iterable[Piece], problems: Problems) -> Iterator[Passage]:
    for number, raw in pieces:
        try:
            doc_id, title, text = _of_object(_DECODER.decode(raw))
            if doc_id is None:
                raise BadLine("no id")
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            known = error if isinstance(error, BadLine) else bad_line(error, raw)
            add_bad_line(problems, number, raw, known, "a passage", _JSON_REMEDY)
            continue
        yield number, doc_id, title, text


def _of_table(path: Path, problems: Problems, progress: Progress) -> Iterator[Passages]:
    begin = _first_lines(path, FIRST_LINES)
    if not begin:
        return
    rows = [text.decode("utf-8", "replace").split("\t") for _, text in begin]
    headed = _is_header(rows[0])
    try:
        places = _places_of_header(rows[0]) if headed else _places_of_shape(rows)
    except BadLine as error:
        problems.add(begin[0][0], str(error), excerpt(begin[0][1]), _TABLE_REMEDY)
        return
    width, plain = len(rows[0]), _unquoted if headed else None
    for before, block in numbered_blocks(path, progress):
        regular = None if headed and not before else _regular_rows(before, block, width, places, plain)
        lines = (pair for pair in numbered_lines_of(path, before, block) if not headed or pair[0] > begin[0][0])
        yield from [regular] if regular else some_at_a_time(_of_rows(lines, width, places, plain, problems))


def _regular_rows(before: int, block: bytes, width: int, places: _Places, plain: _Plain) -> Passages | None:
    """Passages of rows, all at once; None where one is wrong or odd."""
    block = block.replace(b"\r\n", b"\n") if b"\r" in block else block
    if not block.endswith(b"\n") or b"\r" in block or b"\0" in block or len(block) > LONGEST_JSON:
        return None
    signs = np.frombuffer(block, np.uint8)
    signs = signs[(signs == _TAB) | (signs == _LINE_END)]
    if len(signs) % width or not np.array_equal(signs == _LINE_END, np.arange(1, len(signs) + 1) % width == 0):
        return None
    try:
        cells = block[:-1].decode("utf-8").replace("\n", "\t").split("\t")
    except UnicodeDecodeError:
        return None
    count = len(cells) // width
    columns = [[""] * count if place is None else cells[place::width] for place in places]
    ids, titles, texts = [list(map(plain, column)) for column in columns] if plain else columns
    lines = range(before + 1, before + count + 1)
    return Passages(lines, ids, titles, texts) if all(map(str.strip, ids)) else None


def _of_rows(
    lines: Iterable[Piece], width: int, places: _Places, plain: _Plain, problems: Problems
) -> Iterator[Passage]:
    for number, raw in lines:
        try:
            cells = raw.decode("utf-8").split("\t")
        except UnicodeDecodeError as error:
            problems.add(number, f"not UTF-8 at byte {error.start + 1}", excerpt(raw), UTF8_REMEDY)
            continue
        if len(cells) != width:
            what = f"{counted({'columns': len(cells)})} between tabs where the first line has {width}"
            remedy = "Write blanks for tabs within a text, and an empty cell for what is missing."
            problems.add(number, what, excerpt(raw), remedy, cause="another number of columns")
            continue
        doc_id, title, text = (
            "" if place is None else plain(cells[place]) if plain else cells[place] for place in places
        )
        yield number, doc_id, title, text


_TAB, _LINE_END = b"\t\n"
_Places = tuple[int, int | None, int]
"""Columns of id, title and text."""
_Plain = Callable[[str], str] | None
"""What makes a cell of what stands there."""


def _is_header(row: Sequence[str]) -> bool:
    names = [_heading(cell) for cell in row]
    return any(name in _ID_HEADINGS for name in names) and any(name in _TEXT_HEADINGS for name in names)


def _heading(cell: str) -> str:
    name = cell.strip().strip('"').lower().removeprefix("\ufeff")
    return name if name == "_id" else re.sub(r"[^a-z0-9]+", "_", name).strip("_")


def _places_of_header(row: Sequence[str]) -> _Places:
    names = [_heading(cell) for cell in row]
    doc = min((names.index(name) for name in _ID_HEADINGS if name in names), default=0)
    text = min(names.index(name) for name in _TEXT_HEADINGS if name in names)
    return doc, names.index("title") if "title" in names else None, text


def _places_of_shape(rows: Sequence[Sequence[str]]) -> _Places:
    """Columns of a table without a header: id and text; of three or four the text is the longest by far.

    Raises BadLine where nobody can say which is the text.
    """
    width = len(rows[0]) if rows else 2
    if width == 2:
        return 0, None, 1
    ids = [row[1] for row in rows if len(row) == width == 4]
    if ids and all(name and " " not in name and "://" not in name for name in ids):
        return 1, None, 3  # MS MARCO's candidates: query, passage, and their texts
    if width not in (3, 4):
        raise BadLine("no tab between an id and a text" if width == 1 else f"{width} columns between tabs")
    whole = [row for row in rows if len(row) == width]
    size = {place: sum(len(row[place]) for row in whole) for place in range(1, width)}
    text = max(size, key=lambda place: size[place])
    others = [place for place in size if place != text]
    addresses = [place for place in others if all("://" in row[place] or not row[place] for row in whole)]
    titles = [place for place in others if place not in addresses]
    if len(titles) > 1 or any(size[text] < 3 * size[place] for place in others):
        raise BadLine(
            f"{width} columns, and no header that says which is the text: begin the file with one (id, title, text)"
        )
    return 0, titles[0] if titles else None, text


def _unquoted(cell: str) -> str:
    """A cell without the quotes in which writers of tables put it."""
    if len(cell) > 1 and cell[0] == cell[-1] == '"':
        inner = cell[1:-1]
        return inner.replace('""', '"') if '"' not in inner.replace('""', "") else cell
    return cell


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
    if not rows or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows) or len(rows[0]) > 4:
        return False
    if headed := _is_header(rows[0]):
        names = {_heading(cell) for cell in rows[0]}
        if names & _OF_OTHERS:
            return False
        if not names <= _OF_ANY:
            return True
    long = sum(max(map(len, row[1:])) >= LONG_TEXT for row in rows[headed:])
    return long * 2 > len(rows[headed:]) and all(" " not in row[0].strip() for row in rows)


PASSAGE_TEXTS = Kind(
    key="passages",
    noun="Passage texts",
    order=55,
    main="passages",
    template="""\
{"id": "d1", "text": "Yeast turns sugar into carbon dioxide, which makes dough rise."}
{"id": "d2", "text": "Bread is sold by weight in many towns."}
{"id": "d3", "text": "Chlorophyll is broken down in autumn, and other colours show."}
{"id": "d4", "text": "Trees stand in rows along the street."}
""",
    ending="jsonl",
    columns={"doc": ("_id", *_ID_HEADINGS), "text": ("text", *_TEXT_HEADINGS), "title": ("title",)},
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


_LARGEST_RUN = 2**20
_Ints = npt.NDArray[np.int64]


class Seen:
    """Which keys came before, as 64 bits, each with its place and what its value hashes to: 24 bytes for each.

    Ids are told apart by what Python makes of them, which draws a key in every process.
    """

    def __init__(self) -> None:
        self._runs: list[tuple[_Ints, _Ints, _Ints]] = []

    def find(self, keys: _Ints) -> tuple[_Ints, _Ints]:
        """Of each key the place where it came before, -1 where it did not, and what its value hashed to."""
        place, counts = np.full(len(keys), -1, np.int64), np.zeros(len(keys), np.int64)
        order = np.argsort(keys)
        ordered = keys[order]
        for codes, places, texts in self._runs:
            index = np.minimum(np.searchsorted(codes, ordered), len(codes) - 1)
            result = codes[index] == ordered
            place[order[result]], counts[order[result]] = places[index[result]], texts[index[result]]
        return place, counts

    def add(self, keys: _Ints, places: _Ints, counts: _Ints) -> None:
        """Remember new ones. Sorted runs of like lengths are joined, up to a length that takes little more memory."""
        if not len(keys):
            return
        self._runs.append(_sorted(keys, places, counts))
        while len(self._runs) > 1:
            (*_, before, last) = self._runs
            if len(before[0]) > 2 * len(last[0]) or len(before[0]) + len(last[0]) > _LARGEST_RUN:
                break
            self._runs[-2:] = [_sorted(*map(np.concatenate, zip(before, last, strict=True)))]


def distinct(parts: Iterable[_Ints]) -> _Ints:
    """The distinct keys among very many, sorted; half as many more are held."""
    keys, count = np.zeros(_LARGEST_RUN, np.int64), 0
    for part in parts:
        if count + len(part) > len(keys):
            count = _first_distinct(keys[:count])
            keys.resize(max(len(keys), count * 3 // 2 + len(part)), refcheck=False)
        keys[count : count + len(part)] = part
        count += len(part)
    keys.resize(_first_distinct(keys[:count]), refcheck=False)
    return keys


def _first_distinct(keys: _Ints) -> int:
    """Sort keys so that distinct ones come first; returns how many they are."""
    keys.sort()
    new, count = np.ones(len(keys), bool), 0
    np.not_equal(keys[1:], keys[:-1], out=new[1:])
    for start in range(0, len(keys), _LARGEST_RUN):
        some = keys[start : start + _LARGEST_RUN][new[start : start + _LARGEST_RUN]]
        keys[count : count + len(some)] = some
        count += len(some)
    return count


def places_among(distinct_keys: _Ints, keys: _Ints) -> _Ints:
    """The place of each key among distinct ones, which are sorted; -1 where it is none of them."""
    order = np.argsort(keys)
    ordered = keys[order]  # near ones are found in a quarter of the time
    index = np.searchsorted(distinct_keys, ordered)
    is_among = index < len(distinct_keys)
    is_among[is_among] = distinct_keys[index[is_among]] == ordered[is_among]
    places = np.empty(len(keys), np.int64)
    places[order] = np.where(is_among, index, -1)
    return places


def _sorted(keys: _Ints, places: _Ints, digests: _Ints) -> tuple[_Ints, _Ints, _Ints]:
    order = np.argsort(keys, kind="stable")
    return keys[order], places[order], digests[order]


PART_ROWS, PART_CHARACTERS = 2**14, 2**22
"""A part has so many passages, or characters."""
_REMEMBERED = 2_000
"""Ids that are not wanted and are remembered, to say how they differ from those that are."""
_LINE = 40
"""Bits of a place that number a line; those above number the file."""
_CAUSE = "second text of a passage"


class Corpus:
    """Passages of files, or of Python, as they are read: those that are kept come in parts.

    Parameters
    ----------
    wanted : ids of the passages to keep; None, or none of them, keeps all
    titles : whether a title is put before its text

    Attributes
    ----------
    read, kept, blank, again : passages that were read, are kept, have no words, and repeat another one
    first_blank : where the first without words stands
    strangers : some ids that are not wanted
    """

    def __init__(self, wanted: Iterable[str] | None, *, titles: bool = True) -> None:
        self.read = self.kept = self.blank = self.again = self._textless = 0
        self.first_blank = ""
        self.strangers: list[str] = []
        ids, self._titles = iter(wanted or ()), titles
        keys = distinct(map(_keys, iter(lambda: list(islice(ids, TOGETHER)), [])))
        self._wanted = keys if len(keys) else None
        self._seen = Seen()

    @property
    def keeps_all(self) -> bool:
        """Whether nobody said which passages are wanted."""
        return self._wanted is None

    def of_files(self, paths: Sequence[Path], progress: Progress = no_progress) -> Iterator[pd.DataFrame]:
        """Passages of files, which are read one after the other.

        Raises BadInput where a line is no passage, an id can't be kept, a passage has two texts, or no line has one.
        """
        sizes = [0, *accumulate(max(path.stat().st_size, 1) for path in paths)]

        def refuse(place: int, what: str, first: int | None, value: str) -> None:
            (number, line), path = divmod(place, 2**_LINE), paths[place >> _LINE]
            if first is not None:
                where = "" if first >> _LINE == number else f" of {paths[first >> _LINE]}"
                what += f"; the first is in line {first % 2**_LINE:,}{where}"
            problems.setdefault(path, Problems(path)).add(line, what, value, _REMEDY, cause=_CAUSE if first else "")

        def where(place: int) -> str:
            return f"{paths[place >> _LINE].name}:{place % 2**_LINE}"

        problems: dict[Path, Problems] = {}
        for number, path in enumerate(paths):
            its = within(progress, sizes[number] / sizes[-1], sizes[number + 1] / sizes[-1])
            passages = read_passages(path, progress=its)
            yield from self._parts(passages, number << _LINE, refuse, where)
            for faults in problems.values():
                faults.raise_if_any()
        self._refuse_textless(f"{paths[0]}:1" if paths else "")

    def of_given(self, passages: Iterable[Passage]) -> Iterator[pd.DataFrame]:
        """Passages that are in Python, numbered from 0; parts and errors as `of_files`."""

        def refuse(place: int, what: str, first: int | None, value: str) -> None:
            also = "" if first is None else f", the first is record {first}"
            raise BadInput(
                visible(f"The passages: {what} (record {place}{also}).\n  {value}\n{_REMEDY} Nothing was stored.")
            )

        yield from self._parts(some_at_a_time(passages), 0, refuse, "record {}".format)
        self._refuse_textless("The passages")

    def _refuse_textless(self, where: str) -> None:
        """Refuse a corpus of which no line has a text: its field has another name."""
        if self.read and self._textless == self.read:
            raise BadInput(
                visible(f"{where}: {NO_TEXT}.\nGive the field of the texts one of these names. Nothing was stored.")
            )

    def _parts(
        self, passages: Iterable[Passages], before: int, refuse: _Refuse, where: Callable[[int], str]
    ) -> Iterator[pd.DataFrame]:
        """Passages that are kept, some at a time."""
        for some in _joined(passages):
            self.read += len(some.ids)
            self._textless += some.texts.count(None)
            for start in range(0, len(some.ids), PART_ROWS):
                piece = some.taken(itemgetter(slice(start, start + PART_ROWS)))
                yield from self._part(piece, before, refuse, where)

    def _part(
        self, some: Passages, before: int, refuse: _Refuse, where: Callable[[int], str]
    ) -> Iterator[pd.DataFrame]:
        some, keys = self._wanted_of(some)
        if self._titles and any(some.titles):
            texts = [with_title(*title) for title in zip(some.titles, some.texts, strict=True)]
        else:
            texts = [text or "" for text in some.texts]
        are_plain = "".join(some.ids).isprintable() and all(map(str.strip, some.ids))
        are_plain = are_plain and max(map(len, some.ids), default=0) <= LONGEST_ID
        unfit = set() if are_plain else {index for index, doc_id in enumerate(some.ids) if fault_of_id(doc_id)}
        for index in sorted(unfit):
            doc_id = some.ids[index]
            fault = f"the passage's id {fault_of_id(doc_id)}"
            refuse(before + some.lines[index], fault, None, visible(doc_id, line_ends=False)[:80])
        if not all(map(str.strip, texts)):
            blank = [index for index, text in enumerate(texts) if index not in unfit and not text.strip()]
            self.blank += len(blank)
            if blank and not self.first_blank:
                self.first_blank = where(before + some.lines[blank[0]])
            unfit.update(blank)
        fit = [index for index in range(len(texts)) if index not in unfit] if unfit else range(len(texts))
        places = np.fromiter((before + some.lines[index] for index in fit), np.int64, len(fit))
        yield from self._new(
            keys[fit], [some.ids[index] for index in fit], [texts[index] for index in fit], places, refuse
        )

    def _wanted_of(self, some: Passages) -> tuple[Passages, npt.NDArray[np.int64]]:
        """Those that are wanted, and their keys; some ids of others are remembered."""
        keys = _keys(some.ids)
        if self._wanted is None:
            return some, keys
        mine = places_among(self._wanted, keys) >= 0
        self.strangers += [some.ids[index] for index in np.flatnonzero(~mine)[: _REMEMBERED - len(self.strangers)]]
        return (some if mine.all() else some.taken(lambda column: list(compress(column, mine)))), keys[mine]

    def _new(
        self,
        keys: npt.NDArray[np.int64],
        ids: Sequence[str],
        texts: Sequence[str],
        places: npt.NDArray[np.int64],
        refuse: _Refuse,
    ) -> Iterator[pd.DataFrame]:
        """Those that did not come before; one that did is refused where its text was another one."""
        digests = b"".join(hashlib.sha256(text.encode()).digest()[:8] for text in texts)
        hashes_of_texts = np.frombuffer(digests, np.int64)
        new = np.zeros(len(ids), bool)
        new[np.unique(keys, return_index=True)[1]] = True
        new &= self._seen.find(keys)[0] < 0
        self._seen.add(keys[new], places[new], hashes_of_texts[new])
        if not new.all():
            self.again += int((~new).sum())
            first, text_then = self._seen.find(keys)
            for index in np.flatnonzero(~new & (text_then != hashes_of_texts)).tolist():
                refuse(int(places[index]), f"second text of passage {ids[index]}", int(first[index]), texts[index])
        self.kept += int(new.sum())
        if new.any():
            hashed = digests.hex()
            hashes = [hashed[index : index + 16] for index in range(0, len(hashed), 16)]
            columns = {"doc_id": ids, "passage_text": texts, "text_hash": hashes}
            if not new.all():
                columns = {name: list(compress(values, new)) for name, values in columns.items()}
            yield PASSAGES.frame(columns)


def _joined(passages: Iterable[Passages]) -> Iterator[Passages]:
    waiting, characters = list[Passages](), 0
    for some in passages:
        waiting.append(some)
        characters += sum(len(text) for text in some.texts if text)
        if characters >= PART_CHARACTERS or sum(len(item.ids) for item in waiting) >= PART_ROWS:
            yield _one_of(waiting)
            waiting, characters = [], 0
    if waiting:
        yield _one_of(waiting)


def _one_of(parts: Sequence[Passages]) -> Passages:
    lines, ids, titles, texts = (list(chain.from_iterable(columns)) for columns in zip(*parts, strict=True))
    return Passages(lines, ids, titles, texts)


def _keys(ids: Sequence[str]) -> npt.NDArray[np.int64]:
    return np.fromiter(map(hash, ids), np.int64, len(ids))


_REMEDY = "Keep the text that is right, and remove the other."
_Refuse = Callable[[int, str, int | None, str], None]
"""Says what is wrong with a passage: its place, what, the place of the first where it is a second one, its text."""
