"""Answers of models, kept for good, and leases on prompts that a job is asking."""

from __future__ import annotations

import threading
import time
import uuid
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from exam_core.errors import StoreError
from exam_core.flushing import move
from exam_core.store import version_1
from exam_core.store.files import content_name, files_in, write_once
from exam_core.store.processes import Process, is_alive, process
from exam_core.store.sqlite_files import SQLiteFile

EXPIRES_AFTER = 120.0
"""Seconds without renewal after which a lease holds nothing."""
RENEWALS = 6
"""How often a lease is renewed in that time."""
LONG_AGO = 3600.0
"""Seconds by which clocks of two machines never differ."""
TABLE = "CREATE TABLE leases (id TEXT PRIMARY KEY, process BLOB NOT NULL, renewed REAL NOT NULL, keys BLOB NOT NULL)"
_SIZE = 16


class Leases:
    """What this job asks, and what others with the same model ask: a table `leases` in the file of the model's answers.

    A context manager that leaves no row behind.
    """

    def __init__(self, file: SQLiteFile) -> None:
        self._file = file
        self._id = uuid.uuid4().hex
        self._process = msgspec.msgpack.encode(process())
        self._seen: dict[tuple[str, float], float] = {}
        """When each renewal of another job was first seen, by our own clock: clocks of machines differ."""
        self._has_row = False
        self._ended = threading.Event()
        self._renewing: threading.Thread | None = None

    def __enter__(self) -> Leases:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        if self._renewing:
            self._renewing.join()
        self.release()

    def take(self, keys: Sequence[bytes], most: int | None = None) -> tuple[set[bytes], set[bytes]]:
        """Lease the first `most` keys that nobody else asks; what was leased before is let go.

        Returns the keys that are leased to this job now, and those that are leased to others.
        """
        try:
            with self._file.writing() as connection:
                others: set[bytes] = set()
                gone = []
                for name, owner, renewed, contents in connection.execute(
                    "SELECT * FROM leases WHERE id != ?", [self._id]
                ):
                    if self._is_over(name, owner, renewed):
                        gone.append((name,))
                    else:
                        others.update(contents[start : start + _SIZE] for start in range(0, len(contents), _SIZE))
                connection.executemany("DELETE FROM leases WHERE id = ?", gone)
                mine = [key for key in keys if key not in others][:most]
                row = (self._id, self._process, time.time(), b"".join(mine))
                connection.execute("INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?)", row)
        except StoreError:
            return set(keys[:most]), set()
        self._has_row = True
        if self._renewing is None:  # in a thread: a model may take minutes for its first answer
            self._renewing = threading.Thread(target=self._renewals, daemon=True)
            self._renewing.start()
        return set(mine), others.intersection(keys)

    def release(self) -> None:
        """Let everything go."""
        if self._has_row:
            with suppress(StoreError), self._file.writing() as connection:
                connection.execute("DELETE FROM leases WHERE id = ?", [self._id])
                self._has_row = False

    def _is_over(self, name: str, owner: bytes, renewed: float) -> bool:
        """Whether a lease of another job holds nothing any more."""
        now = time.monotonic()
        if now - self._seen.setdefault((name, renewed), now) > EXPIRES_AFTER or time.time() - renewed > LONG_AGO:
            return True
        try:
            return is_alive(msgspec.msgpack.decode(owner, type=Process)) is False
        except (msgspec.MsgspecError, TypeError):
            return True

    def _renewals(self) -> None:
        while not self._ended.wait(EXPIRES_AFTER / RENEWALS):
            with suppress(StoreError), self._file.writing() as connection:
                connection.execute("UPDATE leases SET renewed = ? WHERE id = ?", [time.time(), self._id])


FILE = "answers.sqlite"
"""The file of a model's answers, in the model's folder."""
REMEDY = "Set it aside (examboard check --repair): its prompts are asked again, nothing else is lost."
_SCHEMA = f"""
CREATE TABLE answers (key BLOB PRIMARY KEY, answer BLOB NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID

{TABLE}
"""
_INSERT = "INSERT OR REPLACE INTO answers VALUES (?, ?, ?)"
_MEAN_TOKENS = """
SELECT avg(answer ->> 'prompt_tokens'), avg(coalesce(answer ->> 'answer_tokens', 0))
FROM (SELECT CAST(answer AS TEXT) AS answer FROM answers) WHERE answer ->> 'prompt_tokens' IS NOT NULL
"""
_AT_ONCE = 10_000
"""Keys that a statement looks for."""


class CachedAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """An answer as it is kept: whether its passage was cut, whether it was stopped, tokens if the server counted them,
    and log-likelihoods of answers by their words if the model says them.
    """

    text: str
    cut: bool = False
    stopped: bool = False
    prompt_tokens: int | None = None
    answer_tokens: int | None = None
    likelihoods: dict[str, float] | None = None


class AnswerCache:
    """Answers of one model with one set of options, by a hash of the prompt.

    Any number of processes read and add answers at once. The folder is made when the first are added; `about`, what the
    answers depend on, is written beside them for people.

    Raises StoreError where a file of version 1 is damaged.
    """

    def __init__(self, folder: Path, about: Mapping[str, Any]) -> None:
        self.folder = folder
        self._about = dict(about)
        self._file = answer_file(folder)
        self._segments = segments_in(folder)
        self._of_version_1 = dict(answer for path in self._segments for answer in _answers_of_version_1(path))

    def leases(self) -> Leases:
        """What a job that asks this model has to tell others that ask it."""
        return Leases(self._file)

    def find(self, keys: Sequence[bytes]) -> dict[bytes, CachedAnswer]:
        """The answers that are known, by key; one that was changed since it was written is not known.

        Raises StoreError where the file is damaged or can't be read.
        """
        answers = {key: self._of_version_1[key] for key in keys if key in self._of_version_1}
        with self._file.reading() as connection:
            if connection:
                for start in range(0, len(keys), _AT_ONCE):
                    batch = sorted(keys[start : start + _AT_ONCE])  # as they lie in the file
                    sql = f"SELECT * FROM answers WHERE key IN ({','.join('?' * len(batch))})"
                    for key, content, check in connection.execute(sql, batch):
                        if check == checksum(key, content):
                            answers[key] = _decode(content)
        return answers

    def mean_tokens(self) -> tuple[float, float] | None:
        """Tokens of a prompt and of an answer, on average, where a server counted some; else None."""
        with self._file.reading() as connection:
            prompt, answer = connection.execute(_MEAN_TOKENS).fetchone() if connection else (None, None)
        return (prompt, answer) if prompt is not None and answer is not None else None

    def add(self, answers: Mapping[bytes, CachedAnswer]) -> None:
        """Keep answers; they are on disk when this returns. Raises StoreError where they can't be written."""
        if not answers:
            return
        about = self.folder / "about.json"
        if not about.exists():
            write_once(about, msgspec.json.format(msgspec.json.encode(self._about)))
        every = self._of_version_1 | dict(answers)
        with self._file.writing() as connection:
            connection.executemany(_INSERT, (_row(key, answer) for key, answer in every.items()))
        # The answers of version 1's files are in this version's file from now on.
        store = self.folder.parents[1]
        for path in self._segments:
            with suppress(OSError):  # another process is as fast, or the next one does it
                move(path, store / version_1.FOLDER / path.relative_to(store))
        self._segments, self._of_version_1 = [], {}


def answer_file(folder: Path) -> SQLiteFile:
    """The file of a model's answers in the model's folder."""
    return SQLiteFile(folder / FILE, (_SCHEMA,), REMEDY)


def segments_in(folder: Path) -> list[Path]:
    """The Parquet files in which version 1 kept a model's answers."""
    return [path for path in files_in(folder, "*.parquet") if not path.name.startswith(".")]


def damaged_answers(file: SQLiteFile) -> list[bytes]:
    """Keys of the answers that were changed since they were written."""
    with file.reading() as connection:
        rows = connection.execute("SELECT * FROM answers") if connection else ()
        return [row[0] for *row, check in rows if check != checksum(*row)]


def forget_damaged(folder: Path) -> None:
    """Remove the answers of a model that were changed since they were written. Raises StoreError."""
    with closing(answer_file(folder)) as file, file.writing() as connection:
        connection.executemany("DELETE FROM answers WHERE key = ?", ((key,) for key in damaged_answers(file)))


def checksum(key: bytes, content: bytes) -> int:
    """Of an answer's row: SQLite does not see that a value was changed on disk."""
    return zlib.crc32(content, zlib.crc32(key))


_decode = msgspec.json.Decoder(CachedAnswer).decode


def _row(key: bytes, answer: CachedAnswer) -> tuple[bytes, bytes, int]:
    content = msgspec.json.encode(answer)
    return key, content, checksum(key, content)


def _answers_of_version_1(path: Path) -> Iterator[tuple[bytes, CachedAnswer]]:
    """The answers of a segment, whose last three columns came one after the other."""
    try:
        content = path.read_bytes()
        if content_name(content) != path.stem:
            raise OSError("damaged")
        columns = pq.read_table(pa.BufferReader(content)).to_pydict()
    except FileNotFoundError:
        return
    except (OSError, pa.ArrowException) as error:
        raise StoreError(f"{path}: this part of the cache can't be read ({error}).\n{REMEDY}") from error
    none = [None] * len(columns["key"])
    names = ("key", "text", "cut", "stopped", "prompt_tokens", "answer_tokens")
    for key, text, cut, stopped, *tokens in zip(*(columns.get(name, none) for name in names), strict=True):
        yield key, CachedAnswer(text, cut, bool(stopped), *tokens)
