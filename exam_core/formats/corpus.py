"""What is kept of a corpus: the passages that are wanted, each once, in parts that fit into little memory."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from exam_core.errors import BadInput, Problems, visible
from exam_core.formats.passages import NO_TEXT, Passage, read_passages, with_title
from exam_core.formats.reading import LONGEST_ID, Reading, fault_of_id
from exam_core.formats.seen import Seen
from exam_core.progress import Progress, no_progress
from exam_core.tables import PASSAGES

PART_ROWS, PART_CHARACTERS = 2**16, 2**22
"""A part has so many passages, or characters, and is then written."""
_REMEMBERED = 2_000
"""Ids that are not wanted and are remembered, to say how they differ from those that are."""
_LINE = 40
"""Bits of a place that number a line; those above number the file."""
_CAUSE = "second text of a passage"


class Corpus:
    """Passages of files, or of Python, as they are read: those that are kept come in parts.

    Parameters
    ----------
    wanted : ids of the passages to keep; None keeps all
    titles : whether a title is put before its text

    Attributes
    ----------
    read, kept, blank, again : passages that were read, are kept, have no words, and repeat another one
    first_blank : where the first without words stands
    strangers : some ids that are not wanted
    """

    def __init__(self, wanted: Collection[str] | None, *, titles: bool = True) -> None:
        self.read = self.kept = self.blank = self.again = self._textless = 0
        self.first_blank = ""
        self.strangers: list[str] = []
        self.wanted, self._titles = wanted, titles
        self._rows: dict[str, tuple[int, str]] = {}
        self._characters = 0
        self._seen = Seen()

    def of_files(self, paths: Sequence[Path], progress: Progress = no_progress) -> Iterator[Reading]:
        """Passages of files, which are read one after the other.

        Raises BadInput where a line is no passage, an id can't be kept, a passage has two texts, or no line has one.
        """
        sizes = [max(path.stat().st_size, 1) for path in paths]

        def share_of(number: int) -> Progress:
            before, whole = sum(sizes[:number]), sum(sizes)
            return lambda share: progress((before + share * sizes[number]) / whole)

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
            passages = read_passages(path, progress=share_of(number))
            yield from self._parts(passages, number << _LINE, refuse, where)
            self._raise(problems)
        yield from self._last(refuse)
        self._raise(problems)
        self._refuse_textless(f"{paths[0]}:1" if paths else "")

    def of_given(self, passages: Iterable[Passage]) -> Iterator[Reading]:
        """Passages that are in Python, numbered from 0; parts and errors as `of_files`."""

        def refuse(place: int, what: str, first: int | None, value: str) -> None:
            also = "" if first is None else f", the first is record {first}"
            raise BadInput(
                visible(f"The passages: {what} (record {place}{also}).\n  {value}\n{_REMEDY} Nothing was stored.")
            )

        yield from self._parts(passages, 0, refuse, "record {}".format)
        yield from self._last(refuse)
        self._refuse_textless("The passages")

    def _refuse_textless(self, where: str) -> None:
        """Refuse a corpus of which no line has a text: its field has another name."""
        if self.read and self._textless == self.read:
            raise BadInput(
                visible(f"{where}: {NO_TEXT}.\nGive the field of the texts one of these names. Nothing was stored.")
            )

    @staticmethod
    def _raise(problems: dict[Path, Problems]) -> None:
        for found in problems.values():
            found.raise_if_any()

    def _parts(
        self, passages: Iterable[Passage], before: int, refuse: _Refuse, where: Callable[[int], str]
    ) -> Iterator[Reading]:
        """Parts that are full; what is left over waits for more."""
        wanted, strangers = self.wanted, self.strangers
        for line, doc_id, title, text in passages:
            self.read += 1
            self._textless += text is None
            if wanted is not None and doc_id not in wanted:
                if len(strangers) < _REMEMBERED:
                    strangers.append(doc_id)
                continue
            self._take(before + line, doc_id, with_title(title, text) if self._titles else text or "", refuse)
            if self.blank and not self.first_blank:
                self.first_blank = where(before + line)
            if self._characters >= PART_CHARACTERS or len(self._rows) == PART_ROWS:
                yield from self._last(refuse)

    def _take(self, place: int, doc_id: str, text: str, refuse: _Refuse) -> None:
        if (not doc_id.isprintable() or not doc_id.strip() or len(doc_id) > LONGEST_ID) and (
            fault := fault_of_id(doc_id)
        ):
            refuse(place, f"the passage's id {fault}", None, visible(doc_id, line_ends=False)[:80])
        elif not text.strip():
            self.blank += 1
        elif (known := self._rows.setdefault(doc_id, (place, text))) and known[0] != place:
            self.again += 1
            if known[1] != text:
                refuse(place, f"second text of passage {doc_id}", known[0], text)
        else:
            self._characters += len(text)

    def _last(self, refuse: _Refuse) -> Iterator[Reading]:
        """What has come since the last part, without what came before."""
        rows, self._rows, self._characters = self._rows, {}, 0
        if not rows:
            return
        digests = [hashlib.sha256(text.encode()).digest()[:8] for _, text in rows.values()]
        keys = np.fromiter(map(hash, rows), np.int64, len(rows))
        places = np.fromiter((place for place, _ in rows.values()), np.int64, len(rows))
        said = np.frombuffer(b"".join(digests), np.int64)
        first, text_then = self._seen.find(keys)
        new = first < 0
        self._seen.add(keys[new], places[new], said[new])
        columns = [list(rows), [text for _, text in rows.values()], [digest.hex() for digest in digests]]
        if not new.all():
            self.again += int((~new).sum())
            for at in np.flatnonzero(~new & (text_then != said)).tolist():
                refuse(int(places[at]), f"second text of passage {columns[0][at]}", int(first[at]), columns[1][at])
            columns = [[value for value, is_new in zip(column, new, strict=True) if is_new] for column in columns]
        self.kept += len(columns[0])
        if columns[0]:
            frame = PASSAGES.frame(dict(zip(("doc_id", "passage_text", "text_hash"), columns, strict=True)))
            yield Reading({"passages": frame}, counts={"passages": len(frame)})


_REMEDY = "Keep the text that is right, and remove the other."
_Refuse = Callable[[int, str, int | None, str], None]
"""Says what is wrong with a passage: its place, what, the place of the first where it is a second one, its text."""
