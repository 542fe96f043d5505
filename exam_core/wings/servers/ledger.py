"""Batches at a server and their prompts, so that nobody asks these again, whatever happens to the job.

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
    token : its name here, which the server gets as well
    keys : of its prompts, in hexadecimal, joined
    file, batch : the server's names of its prompts and itself; empty where unknown
    form : of its requests, as its job knew by then; empty if unknown
    made : in seconds since 1970
    owner : the process that makes it
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
        return {content[start : start + _SIZE] for start in range(0, len(content), _SIZE)}

    @property
    def is_being_made(self) -> bool:
        """Whether another process is about to make it, so that nobody knows the server's name for it yet."""
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
    """The batches of one model, whose answers are in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._catalogue, self._model = Catalogue(folder.parents[1]), folder.name

    def open(self) -> list[Batch]:
        """Return the batches whose answers are not kept yet, the oldest first.

        Raises StoreError where one can't be read: its prompts may be paid.
        """
        records = self._catalogue.read(BATCH)
        for record in records.damaged:
            if not record.id or record.id.startswith(f"{self._model}/"):
                raise StoreError(record.sentence(self._catalogue.place))
        own = (batch for name, batch in records.values.items() if name.startswith(f"{self._model}/"))
        return sorted(own, key=lambda batch: batch.made)

    def begin(self, keys: Sequence[bytes], form: dict[str, Any] | None = None) -> Batch:
        """Write down a batch that is about to be made."""
        batch = Batch(token=uuid.uuid4().hex, keys=b"".join(keys).hex(), form=form or {}, made=time.time())
        self.write(batch)
        return batch

    def write(self, batch: Batch) -> None:
        """Write a batch to disk before this returns."""
        self._catalogue.put(BATCH, self.name(batch), batch)

    def end(self, batch: Batch) -> None:
        """Forget a batch whose answers are kept, or which was never made."""
        self._catalogue.remove(BATCH, self.name(batch))

    def name(self, batch: Batch) -> str:
        """Return the name of a batch's record."""
        return f"{self._model}/{batch.token}"
