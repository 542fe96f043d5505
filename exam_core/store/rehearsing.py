"""Rehearsals: imports are tried on a copy of a collection, and count in the store when all of them went well."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from exam_core.errors import StoreError
from exam_core.formats import Reading
from exam_core.store.commits import Committed, Origin, Prepared, collect_abandoned
from exam_core.store.files import folder_name, take_or_touch, touch
from exam_core.store.manifests import TOGETHER, read_imports, write_manifests
from exam_core.store.snapshot import Snapshot
from exam_core.store.store import Store
from exam_core.temporary import filling, temporary_folder


class Rehearsal(Store):
    """A store with a copy of one collection, of which the original learns nothing before `keep`.

    Whatever is imported into it sees what came before it, in the store and here. Make one with `rehearsal`.

    Parameters
    ----------
    watch : is told of each part that an import brings
    """

    def __init__(self, path: Path, original: Store, collection: str, watch: Callable[[Origin, Reading], None]) -> None:
        self._original, self._collection, self._watch = original, collection, watch
        self._together = uuid.uuid4().hex[:16]
        self._began = _fingerprint(original, collection)
        _link(original.path / TOGETHER, path / TOGETHER)
        _link(original.path / folder_name(collection), path / folder_name(collection))
        super().__init__(path, also=[original.path])
        self.committed: list[tuple[Prepared, Committed]] = []

    def snapshot(self, collection: str) -> Snapshot:
        """As `Store.snapshot`; where there is no such collection, the original says which there are."""
        return super().snapshot(collection) if self.folder(collection).exists() else self._original.snapshot(collection)

    def prepare(
        self,
        collection: str,
        readings: Reading | Iterable[Reading],
        origin: Origin,
        *,
        owns: Sequence[tuple[str, str]] = (),
    ) -> Prepared:
        """As `Store.prepare`."""
        parts = [readings] if isinstance(readings, Reading) else readings

        def watched() -> Iterator[Reading]:
            for part in parts:
                self._watch(origin, part)
                yield part

        prepared = super().prepare(collection, watched(), origin, owns=owns)
        prepared.together = self._together
        return prepared

    def prepare_again(self, collection: str, read: str) -> list[Prepared]:
        """As `Store.prepare_again`."""
        found = super().prepare_again(collection, read)
        for prepared in found:
            self._watch(prepared.origin, prepared.about)
            prepared.together = self._together
        return found

    def commit_together(self, imports: Sequence[Prepared]) -> list[Committed]:
        """As `Store.commit_together`."""
        done = super().commit_together(imports)
        self.committed += zip(imports, done, strict=True)
        return done

    def keep(self) -> bool:
        """Let the imports count in the original, all of them at once, under the ids that they have here.

        Raises StoreError where the store can't be written; nothing of it counts then.

        Returns
        -------
        False where the collection has changed since the copy was made, or files were cleaned up meanwhile: nothing is
        stored then, and all is to be tried anew
        """
        copy, folder = self.folder(self._collection), self._original.folder(self._collection)
        for stored in dict.fromkeys(one for prepared, _ in self.committed for one in prepared.written):
            take_or_touch(copy / stored.path, folder / stored.path, copied=True)
        names = [f"{done.import_id}.json" for _, done in self.committed if done.changed]
        manifests = list(read_imports(copy, names).values())
        files = {folder / stored.path for manifest in manifests for stored in manifest.files}
        with self._original.locked(self._collection):
            there = touch(files)  # what a killed import left may be cleaned up before
            if there < len(files) or _fingerprint(self._original, self._collection) != self._began:
                return False
            if manifests:
                write_manifests([(folder, manifest) for manifest in manifests])
                collect_abandoned(folder)
        return True


@contextmanager
def rehearsal(store: Store, collection: str, watch: Callable[[Origin, Reading], None]) -> Iterator[Rehearsal]:
    """A rehearsal whose copy is removed at the end; arguments as `Rehearsal`."""
    with temporary_folder("rehearsal") as folder:
        with filling():
            copy = Rehearsal(folder, store, collection, watch)
        with closing(copy):
            try:
                yield copy
            except StoreError as error:
                raise StoreError(str(error).replace(str(folder), str(store.path))) from None


def _fingerprint(store: Store, collection: str) -> str:
    return store.snapshot(collection).fingerprint if collection in store.collections() else ""


def _link(source: Path, target: Path) -> None:
    """A folder's files at another place, without copying what can be large."""
    for path in source.rglob("*"):
        if path.is_file():
            place = target / path.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            try:
                place.symlink_to(path.resolve())
            except OSError:
                shutil.copy2(path, place)
