"""Files that are imported again: where all that they brought counts, they are not read a second time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from exam_core import __version__
from exam_core.actions.committing import Imported, add_commit, exists
from exam_core.formats.column_names import named
from exam_core.formats.file_names import file_name
from exam_core.formats.lines import file_hash
from exam_core.progress import Progress, no_progress, part_of
from exam_core.store import Store
from exam_core.store.commits import Origin, Prepared
from exam_core.store.files import content_name, modified


@dataclass(frozen=True)
class Came:
    """Files that are to be read, as they are now.

    Parameters
    ----------
    hashes : of their bytes
    how : what is read, and by which version and options
    """

    paths: Sequence[Path]
    hashes: Sequence[str]
    times: Sequence[int | None]
    how: str

    def read(self, imports: int = 1) -> str:
        """What an import keeps of it, one of so many; nothing where a file was written to meanwhile."""
        return f"{self.how} of {imports}" if list(map(modified, self.paths)) == self.times else ""

    def origin(self, source: str) -> Origin:
        """Where the import of the only file comes from."""
        return Origin(source, file_name(self.paths[0]), self.hashes[0], self.read())


def came(kind: str, paths: Sequence[Path], progress: Progress = no_progress, **options: object) -> Came:
    """Files that come, and all that what is read of them depends on."""
    times = list(map(modified, paths))
    hashes = [file_hash(path, part_of(progress, place, len(paths))) for place, path in enumerate(paths)]
    said = [__version__, kind, [*map(file_name, paths)], hashes, list(map(named, paths)), options]
    return Came(paths, hashes, times, content_name(msgspec.json.encode(said)))


def again(store: Store, collection: str, files: Came) -> tuple[Imported, Sequence[Prepared]] | None:
    """What is said of files that came before, and the imports that they are; None where they are to be read.

    They came before where all that they brought counts.

    Raises
    ------
    BadInput : what is stored contradicts other imports
    """
    if store.is_file or not exists(store, collection):
        return None
    with store.locked(collection):
        prepared = store.prepare_again(collection, files.how)
        committed = store.commit_together(prepared)
    if not prepared:
        return None
    done = Imported(collection, changed=False)
    for one, its in zip(prepared, committed, strict=True):
        done.counts |= {name: done.counts.get(name, 0) + count for name, count in one.about.counts.items()}
        done.notes += one.about.notes
        add_commit(done, its)
    return done, prepared
