"""Batches at a server: which prompts are in them, so that nobody asks these again, whatever happens to the job.

A lease ends with its job; a batch does not. So each batch has a small file beside the answers of its model, written
before the batch is made and removed when its answers are kept. Every job that asks the model at its server looks there.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from exam_core.errors import StoreError
from exam_core.store.files import files_in, read_record, sealed, write_once
from exam_core.store.processes import Process, is_alive, process

_SIZE = 16
_MOST_BYTES = 1 << 26


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
        found = bytes.fromhex(self.keys)
        return {found[at : at + _SIZE] for at in range(0, len(found), _SIZE)}

    @property
    def is_being_made(self) -> bool:
        """Whether another process is about to make it, so that nobody knows yet what the server calls it."""
        here = process()
        if self.batch or (self.owner.pid, self.owner.started) == (here.pid, here.started):
            return False
        alive = is_alive(self.owner)
        return time.time() - self.made < 600 if alive is None else alive


class Ledger:
    """The batches of one model.

    Parameters
    ----------
    folder : of their files; made with the first one
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def open(self) -> list[Batch]:
        """Those whose answers are not kept yet, the oldest first.

        Raises StoreError where one can't be read; nobody can know then which prompts were paid.
        """
        found = []
        for path in files_in(self.folder, "*.json"):
            with suppress(FileNotFoundError):  # its job is done with it just now
                found.append(batch_in(path))
        return sorted(found, key=lambda one: one.made)

    def begin(self, keys: Sequence[bytes], form: dict[str, Any] | None = None) -> Batch:
        """Write down a batch that is about to be made."""
        batch = Batch(token=uuid.uuid4().hex, keys=b"".join(keys).hex(), form=form or {}, made=time.time())
        self.write(batch)
        return batch

    def write(self, batch: Batch) -> None:
        """Write down what is known of a batch; it is on disk when this returns."""
        write_once(self.path(batch), sealed(msgspec.json.encode(batch)))

    def end(self, batch: Batch) -> None:
        """Forget a batch, whose answers are kept or which was never made."""
        with suppress(FileNotFoundError):
            self.path(batch).unlink()

    def path(self, batch: Batch) -> Path:
        """Its file."""
        return self.folder / f"{batch.token}.json"


def batch_in(path: Path) -> Batch:
    """What a record of a batch says; errors as `files.read_record`."""
    found = read_record(path, Batch, "record of a batch", _REMEDY, most=_MOST_BYTES)
    try:
        found.prompts  # noqa: B018
    except ValueError:
        raise StoreError(f"{path}: this record of a batch is damaged. {_REMEDY}") from None
    return found


BESIDE_ANSWERS = (
    (
        "*/batches/*.json",
        batch_in,
        "Jobs that ask this model by batches don't start: the prompts of its batch are unknown.",
        "End it at the server, then set it aside (check --repair): its prompts are asked and paid again.",
    ),
)
_REMEDY = "Remove the file once the server's list of batches shows none of yours: its prompts are then asked again."
