"""Batches at a server: which prompts are in them, so that nobody asks these again, whatever happens to the job.

A lease ends with its job; a batch does not. So each batch has a record in the store's catalogue, written before the
batch is made and removed when its answers are kept. Every job that asks the model at its server looks there.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from exam_core.errors import StoreError
from exam_core.store.catalogue import Catalogue, RecordKind
from exam_core.store.processes import Process, is_alive, process
from exam_core.store.version_1 import OldFiles

_SIZE = 16


class Batch(msgspec.Struct, kw_only=True):
    """A batch, made or about to be.

    Parameters
    ----------
    token : its name here, which the server is told as well
    keys : of its prompts, in hexadecimal, one after the other
    file, batch : what the server calls its prompts and itself; empty where it has not said so, or nobody wrote it down
    form : how the model takes requests, as its job knew by then; empty: nobody said
    made : when, in seconds since 1970; owner : the process that makes it
    """

    token: str
    keys: str
    file: str = ""
    batch: str = ""
    form: dict[str, str | float | bool | None] = {}
    made: float = 0.0
    owner: Process = msgspec.field(default_factory=process)

    @property
    def prompts(self) -> set[bytes]:
        """Keys of its prompts."""
        content = bytes.fromhex(self.keys)
        return {content[at : at + _SIZE] for at in range(0, len(content), _SIZE)}

    @property
    def is_being_made(self) -> bool:
        """Whether another process is about to make it, so that nobody knows yet what the server calls it."""
        here = process()
        if self.batch or (self.owner.pid, self.owner.started) == (here.pid, here.started):
            return False
        alive = is_alive(self.owner)
        return time.time() - self.made < 600 if alive is None else alive


class _BatchKind(RecordKind[Batch]):
    """As other kinds; its keys are hexadecimal."""

    def decode(self, content: bytes) -> Batch:
        batch = super().decode(content)
        batch.prompts  # noqa: B018
        return batch


BATCH = _BatchKind(
    "batch",
    Batch,
    "Jobs that ask its model by batches don't start: the prompts of its batch are unknown.",
    "End it at the server, then set it aside (check --repair): its prompts are asked and paid again.",
)
KINDS = (BATCH,)
BEFORE = (OldFiles("batch", "cache/*/batches/*.json", name=lambda path: f"{path.parent.parent.name}/{path.stem}"),)


class Ledger:
    """The batches of one model.

    Parameters
    ----------
    folder : of the model's answers
    """

    def __init__(self, folder: Path) -> None:
        self._catalogue, self._model = Catalogue(folder.parents[1]), folder.name

    def open(self) -> list[Batch]:
        """Those whose answers are not kept yet, the oldest first.

        Raises StoreError where one can't be read; nobody can know then which prompts were paid.
        """
        records = self._catalogue.read(BATCH)
        for record in records.damaged:
            if not record.id or record.id.startswith(f"{self._model}/"):
                raise StoreError(record.sentence(self._catalogue.place))
        mine = (batch for name, batch in records.values.items() if name.startswith(f"{self._model}/"))
        return sorted(mine, key=lambda item: item.made)

    def begin(self, keys: Sequence[bytes], form: dict[str, Any] | None = None) -> Batch:
        """Write down a batch that is about to be made."""
        batch = Batch(token=uuid.uuid4().hex, keys=b"".join(keys).hex(), form=form or {}, made=time.time())
        self.write(batch)
        return batch

    def write(self, batch: Batch) -> None:
        """Write down what is known of a batch; it is on disk when this returns."""
        self._catalogue.put(BATCH, self.name(batch), batch)

    def end(self, batch: Batch) -> None:
        """Forget a batch, whose answers are kept or which was never made."""
        self._catalogue.remove(BATCH, self.name(batch))

    def name(self, batch: Batch) -> str:
        """Of its record."""
        return f"{self._model}/{batch.token}"
