"""What graders made of perturbed passages: a record for each probe, and no part of the collection's grades."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import msgspec

from exam_core.store.catalogue import RecordKind
from exam_core.store.files import HASH_DIGITS
from exam_core.store.store import Store
from exam_core.store.version_1 import OldFiles

VERSION = 1
LARGEST_GRADE = 100
"""No scale ends above it."""


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

    def __post_init__(self) -> None:
        items = {len(self.query_id), len(self.doc_id), len(self.question_id), *map(len, self.grades.values())}
        grades = {grade for numbers in self.grades.values() for grade in numbers if grade is not None}
        if not self.variants or self.grades.keys() != self.variants.keys() or self.cut.keys() != self.variants.keys():
            raise ValueError("not every variant has grades")
        if len(items) > 1 or not grades <= set(range(LARGEST_GRADE + 1)):
            raise ValueError("not every item has an entry for every variant")
        if self.version > VERSION:
            raise ValueError("it was written by a newer version of Examboard")


PROBE = RecordKind(
    "probe",
    Probe,
    "Its grades of perturbed passages can't be shown.",
    "Set it aside (check --repair) and run examboard gullible again: the model's answers are in the cache.",
)
KINDS = (PROBE,)
BEFORE = (OldFiles("probe", ".probes/*/*.json", 1),)


def keep_probe(store: Store, collection: str, probe: Probe) -> None:
    """Write a probe down, in place of one with the same setting; when this returns it is on disk.

    Raises StoreError where it can't be written.
    """
    setting = hashlib.sha256(msgspec.json.encode(probe.setting, order="sorted")).hexdigest()[:HASH_DIGITS]
    store.catalogue.put(PROBE, setting, probe, collection)


def probes_of(store: Store, collection: str) -> list[Probe]:
    """The probes of a collection, by grader, bank, judgments and sample; none in a single-file store.

    One that can't be read is left out.
    """
    probes = store.catalogue.read(PROBE, collection).values.values()
    return sorted(probes, key=lambda probe: msgspec.json.encode((probe.setting.grader, probe.setting), order="sorted"))
