"""The cache of answers: what a model was asked once, in whichever collection, it is not asked again.

Each model has a SQLite file: its answers, and which prompts jobs are asking just now (`store/leases.py`).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from exam_core.errors import StoreError
from exam_core.flushing import move
from exam_core.store import leases, version_1
from exam_core.store.files import content_name, files_in, write_once
from exam_core.store.leases import Leases
from exam_core.store.sqlite_files import SQLiteFile

FILE = "answers.sqlite"
"""The file of a model's answers, in the model's folder."""
REMEDY = "Set it aside (examboard check --repair): its prompts are asked again, nothing else is lost."
_SCHEMA = f"""
CREATE TABLE answers (key BLOB PRIMARY KEY, answer BLOB NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID

{leases.TABLE}
"""
_INSERT = "INSERT OR REPLACE INTO answers VALUES (?, ?, ?)"
_MEAN_TOKENS = """
SELECT avg(answer ->> 'prompt_tokens'), avg(coalesce(answer ->> 'answer_tokens', 0))
FROM (SELECT CAST(answer AS TEXT) AS answer FROM answers) WHERE answer ->> 'prompt_tokens' IS NOT NULL
"""
_AT_ONCE = 10_000
"""Keys that a statement looks for."""


class KeptAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """An answer as it is kept.

    Parameters
    ----------
    cut, stopped : whether the passage was cut to fit the model, and whether the answer was
    prompt_tokens, answer_tokens : as the server counted them; None where it didn't
    """

    text: str
    cut: bool = False
    stopped: bool = False
    prompt_tokens: int | None = None
    answer_tokens: int | None = None


class AnswerCache:
    """Answers of one model with one set of options, by a hash of the prompt.

    Any number of processes read and add answers at once.

    Parameters
    ----------
    folder : of this model's answers, in the store's folder of answers; made when the first are added
    about : what the answers depend on, written beside them for whoever looks

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

    def find(self, keys: Sequence[bytes]) -> dict[bytes, KeptAnswer]:
        """The answers that are known, by key; one that was changed since it was written is not known.

        Raises StoreError where the file is damaged or can't be read.
        """
        answers = {key: self._of_version_1[key] for key in keys if key in self._of_version_1}
        with self._file.reading() as connection:
            if connection:
                for start in range(0, len(keys), _AT_ONCE):
                    some = sorted(keys[start : start + _AT_ONCE])  # as they lie in the file
                    sql = f"SELECT * FROM answers WHERE key IN ({','.join('?' * len(some))})"
                    for key, content, check in connection.execute(sql, some):
                        if check == checksum(key, content):
                            answers[key] = _decode(content)
        return answers

    def mean_tokens(self) -> tuple[float, float] | None:
        """Tokens of a prompt and of an answer, on average, where a server counted some; else None."""
        with self._file.reading() as connection:
            prompt, answer = connection.execute(_MEAN_TOKENS).fetchone() if connection else (None, None)
        return (prompt, answer) if prompt is not None and answer is not None else None

    def add(self, answers: Mapping[bytes, KeptAnswer]) -> None:
        """Keep answers; they are on disk when this returns. Raises StoreError where they can't be written."""
        if not answers:
            return
        about = self.folder / "about.json"
        if not about.exists():
            write_once(about, msgspec.json.format(msgspec.json.encode(self._about)))
        every = self._of_version_1 | dict(answers)
        with self._file.writing() as connection:
            connection.executemany(_INSERT, (_row(key, answer) for key, answer in every.items()))
        self._set_aside()

    def _set_aside(self) -> None:
        """Move the files of version 1, whose answers are in this version's file, to `.before-2`."""
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


_decode = msgspec.json.Decoder(KeptAnswer).decode


def _row(key: bytes, answer: KeptAnswer) -> tuple[bytes, bytes, int]:
    content = msgspec.json.encode(answer)
    return key, content, checksum(key, content)


def _answers_of_version_1(path: Path) -> Iterator[tuple[bytes, KeptAnswer]]:
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
        yield key, KeptAnswer(text, cut, bool(stopped), *tokens)
