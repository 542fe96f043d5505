"""The cache of answers: what a model was asked once, in whichever collection, it is not asked again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from exam_core.errors import StoreError
from exam_core.store.files import content_name, damage, files_in, write_once
from exam_core.store.grade_segments import parquet
from exam_core.store.layout import refuse_later
from exam_core.store.leases import Leases

_SCHEMA = pa.schema(
    [
        pa.field("key", pa.binary(16), nullable=False),
        pa.field("text", pa.string(), nullable=False),
        pa.field("cut", pa.bool_(), nullable=False),
        # Null in what earlier versions wrote.
        pa.field("stopped", pa.bool_()),
        # As the server counted them; null where it didn't, and in what earlier versions wrote.
        pa.field("prompt_tokens", pa.int32()),
        pa.field("answer_tokens", pa.int32()),
    ]
)


@dataclass(frozen=True)
class KeptAnswer:
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

    Segments are immutable and appended by any number of processes; `refresh` reads those that came since.

    Parameters
    ----------
    folder : of this model's answers, in the store's folder of answers; made when the first are added
    about : what the answers depend on, written beside them for whoever looks
    """

    def __init__(self, folder: Path, about: Mapping[str, Any]) -> None:
        self.folder = folder
        self._about = dict(about)
        self._read: set[str] = set()
        self._table = _SCHEMA.empty_table()
        self.refresh()

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def leases(self) -> Leases:
        """What a job that asks this model has to tell others that ask it."""
        return Leases(self.folder / "leases")

    def refresh(self) -> None:
        """Read the segments that were added since, by whomever. Raises StoreError where a segment is damaged."""
        names = {path.name for path in files_in(self.folder, "*.parquet") if not path.name.startswith(".")}
        new = [_segment(self.folder / name) for name in sorted(names - self._read)]
        self._read |= names
        if new:
            self._table = pa.concat_tables([self._table, *new]).combine_chunks()

    def find(self, keys: Sequence[bytes]) -> dict[bytes, KeptAnswer]:
        """The answers that are known, by key."""
        places = pc.index_in(pa.array(keys, pa.binary(16)), value_set=self._table["key"])
        known = places.is_valid().to_numpy(zero_copy_only=False)
        rows = self._table.take(places.drop_null())
        columns = (rows[name].to_pylist() for name in _SCHEMA.names[1:])
        found = (
            KeptAnswer(text, cut, bool(stopped), *used) for text, cut, stopped, *used in zip(*columns, strict=True)
        )
        return {keys[place]: kept for place, kept in zip(np.flatnonzero(known).tolist(), found, strict=True)}

    def mean_tokens(self) -> tuple[float, float] | None:
        """Tokens of a prompt and of an answer, on average, where a server counted some; else None."""
        counted = self._table.filter(pc.is_valid(self._table["prompt_tokens"]))
        if not len(counted):
            return None
        answer = pc.fill_null(counted["answer_tokens"], 0)
        return float(pc.mean(counted["prompt_tokens"]).as_py()), float(pc.mean(answer).as_py())

    def add(self, answers: Mapping[bytes, KeptAnswer]) -> None:
        """Keep answers; they are on disk when this returns."""
        if not answers:
            return
        refuse_later(self.folder.parents[1])
        kept = answers.values()
        columns = [list(answers), *([getattr(one, name) for one in kept] for name in _SCHEMA.names[1:])]
        table = pa.table([pa.array(c, f.type) for c, f in zip(columns, _SCHEMA, strict=True)], schema=_SCHEMA)
        content = parquet(table)
        name = f"{content_name(content)}.parquet"
        if not self._read:
            write_once(self.folder / "about.json", msgspec.json.format(msgspec.json.encode(self._about)))
        write_once(self.folder / name, content)
        self._read.add(name)
        self._table = pa.concat_tables([self._table, table]).combine_chunks()


def _segment(path: Path) -> pa.Table:
    try:
        if what := damage(path):
            raise OSError(f"it is {what}")
        return pq.read_table(path, schema=_SCHEMA)
    except (OSError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0]
        raise StoreError(
            f"{path}: this part of the cache is damaged ({reason}).\n"
            "Remove the file: its prompts are asked again, nothing else is lost."
        ) from None
