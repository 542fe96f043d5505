"""Imports of files that came before: what is stored of them counts already, and need not be read again."""

from __future__ import annotations

from pathlib import Path

from exam_core.formats import Reading
from exam_core.formats.reading import Aside
from exam_core.store.commits import Origin, Prepared, taken_over
from exam_core.store.files import known_damage
from exam_core.store.manifests import Manifest, manifest_names, read_imports
from exam_core.tables import TABLES


def stored_again(collection: str, folder: Path, read: str) -> list[Prepared]:
    """The imports that were made of something, as if it were read again; none where one of them does not count whole.

    Parameters
    ----------
    read : what was read, and how
    """
    imports = list(read_imports(folder, manifest_names(folder)).values())
    found = [one for one in imports if read and one.read.partition(" of ")[0] == read]
    if any(one.read != f"{read} of {len(found)}" or taken_over(one, imports) for one in found):
        return []
    if any(known_damage(folder / stored.path) for one in found for stored in one.files):
        return []
    return [_prepared(collection, folder, one) for one in found]


def _prepared(collection: str, folder: Path, one: Manifest) -> Prepared:
    origin = Origin(one.source, one.file, one.sha256, one.read)
    aside: dict[str, list[Aside]] = {}
    for stored in one.files:
        rows = Aside(TABLES[stored.table], folder / stored.path, stored.path, stored.rows)
        aside.setdefault(stored.table, []).append(rows)
    about = Reading(aside=aside, graders=one.graders, counts=dict(one.counts), notes=list(one.notes))
    return Prepared(collection, folder, origin, tuple(one.owns), files=dict.fromkeys(one.files), about=about)
