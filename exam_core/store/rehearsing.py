"""Rehearsals: imports are tried on a copy of what the catalogue says of a collection, and count when all went well."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress

from exam_core.store.catalogue import FILE
from exam_core.store.commits import Committed, Prepared, abandoned_files, collect_abandoned
from exam_core.store.files import modified, touch
from exam_core.store.manifests import IMPORT, read_imports
from exam_core.store.snapshot import Snapshot
from exam_core.store.store import Store


class Rehearsal(Store):
    """A store whose catalogue is a copy in memory, of which the original learns nothing before `keep`.

    Whatever is imported into it sees what came before it, in the store and here. Its files lie where they will count;
    until then nobody lists them. Make one with `rehearsal`.
    """

    def __init__(self, original: Store, collection: str) -> None:
        self._original, self._collection = original, collection
        self._together = uuid.uuid4().hex[:16]
        self._began = _fingerprint(original, collection)
        super().__init__(original.path, catalogue=original.catalogue.copy_of(collection))
        self.committed: list[tuple[Prepared, Committed]] = []
        self._begun: list[Prepared] = []

    def snapshot(self, collection: str) -> Snapshot:
        """As `Store.snapshot`; where there is no such collection, the original says which there are."""
        is_here = collection in self.collections()
        return super().snapshot(collection) if is_here else self._original.snapshot(collection)

    def commit_together(self, imports: Sequence[Prepared]) -> list[Committed]:
        """As `Store.commit_together`."""
        done = super().commit_together(imports)
        self.committed += zip(imports, done, strict=True)
        for prepared in self._begun:  # a commit says that they are used
            prepared.written = {path: modified(path) for path in prepared.written}
        return done

    def keep(self) -> bool:
        """Let the imports count in the original, all of them at once, under the ids that they have here.

        False where the collection has changed since the rehearsal began, or files were cleaned up meanwhile: nothing is
        stored then, and all is to be tried anew. Raises StoreError where the store can't be written; nothing counts
        then, either.
        """
        collection, folder, original = self._collection, self.folder(self._collection), self._original.catalogue
        here = read_imports(self.catalogue, collection)
        manifests = {done.import_id: here[done.import_id] for _, done in self.committed if done.changed}
        files = {folder / stored.path for manifest in manifests.values() for stored in manifest.files}
        with self._original.locked(collection):
            left = touch(files)  # what a killed import left may be cleaned up before
            if left < len(files) or _fingerprint(self._original, collection) != self._began:
                return False
            for name, manifest in manifests.items():
                original.put(IMPORT, name, manifest, collection)
            if manifests:
                collect_abandoned(original, collection, folder)
        return True

    def clear(self) -> None:
        """Remove the files that were written here, but for those that count or that another import has taken up."""
        written = {path: time for prepared in self._begun for path, time in prepared.written.items()}
        if not written:
            return
        folder, original = self.folder(self._collection), self._original.catalogue
        is_new = not (self.path / FILE).exists()  # nobody has imported anything yet
        with nullcontext() if is_new else original.writing():
            for path in written.keys() & set(abandoned_files(original, self._collection, folder)):
                if modified(path) == written[path]:
                    with suppress(OSError):
                        path.unlink()
        for path in written:
            with suppress(OSError):  # one that is not empty
                for above in path.relative_to(folder).parents:
                    (folder / above).rmdir()

    def _begin(self, prepared: Prepared) -> None:
        prepared.together = self._together
        self._begun.append(prepared)


@contextmanager
def rehearsal(store: Store, collection: str) -> Iterator[Rehearsal]:
    """A rehearsal, of which nothing is left at the end but what was kept."""
    with closing(Rehearsal(store, collection)) as copy:
        try:
            yield copy
        finally:
            copy.clear()


def _fingerprint(store: Store, collection: str) -> str:
    return store.snapshot(collection).fingerprint if collection in store.collections() else ""
