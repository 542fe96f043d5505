"""What graders made of perturbed passages: a file for each probe, beside the collection and no part of its grades."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from exam_core.errors import StoreError
from exam_core.store.files import HASH_DIGITS, files_in, folder_name, record_of, sealed, write_once
from exam_core.store.layout import refuse_later
from exam_core.store.store import Store

PROBES = ".probes"
"""Folder of the store with a folder for each collection; no collection's folder begins so."""
VERSION = 1


@dataclass(frozen=True)
class Setting:
    """What a probe asked for: two with the same setting are of the same passages.

    Parameters
    ----------
    bank : with its version; None where passages are graded as a whole
    about : the model, and all that its answers depend on; how answers are read
    judgments : which human judgments say what is not relevant: a relevance below `relevant_from`
    sample : passages to draw, spread over the queries; seed : of the draw
    """

    bank: str | None
    grader: str
    about: dict[str, Any]
    judgments: str
    relevant_from: int
    sample: int
    seed: int


@dataclass(frozen=True)
class Probe:
    """Grades of passages as they are and perturbed, item by item; an item is a passage and a question of its query.

    Parameters
    ----------
    population : non-relevant passages with a text, of which the sample is
    variants : name of each variant and what it is, the passage as it is first
    query_id, doc_id, question_id : of each item, the last null where passages are graded as a whole
    grades : by variant, of each item; null: unreadable
    cut : by variant, how many of the items had their passage cut to fit the model
    """

    setting: Setting
    population: int
    variants: dict[str, str]
    query_id: tuple[str, ...]
    doc_id: tuple[str, ...]
    question_id: tuple[str | None, ...]
    grades: dict[str, tuple[int | None, ...]]
    cut: dict[str, int]
    version: int = VERSION


def keep_probe(store: Store, collection: str, probe: Probe) -> None:
    """Write a probe down, in place of one with the same setting; when this returns it is on disk.

    Raises
    ------
    StoreError : it can't be written
    """
    refuse_later(store.path)
    told = hashlib.sha256(msgspec.json.encode(probe.setting, order="sorted")).hexdigest()[:HASH_DIGITS]
    write_once(_folder(store, collection) / f"{told}.json", sealed(msgspec.json.encode(probe)))


def probes_of(store: Store, collection: str) -> list[Probe]:
    """The probes of a collection, by grader, bank, judgments and sample; none in a single-file store.

    Raises
    ------
    StoreError : one can't be read
    """
    found = [] if store.is_file else [_read(path) for path in files_in(_folder(store, collection), "[!.]*.json")]
    return sorted(found, key=lambda one: msgspec.json.encode((one.setting.grader, one.setting), order="sorted"))


def _read(path: Path) -> Probe:
    try:
        found = record_of(path.read_bytes(), Probe)
    except OSError as error:
        raise StoreError(f"{path}: can't be read ({error.strerror}).") from None
    except ValueError as error:
        raise StoreError(
            f"{path}: holds no answers to perturbed passages ({error}).\n"
            "Remove the file and run examboard gullible again: the model's answers are in the cache."
        ) from None
    if found.version > VERSION:
        raise StoreError(f"{path}: was written by a newer version of Examboard. Open it with that version.")
    return found


def _folder(store: Store, collection: str) -> Path:
    return store.path / PROBES / folder_name(collection)
