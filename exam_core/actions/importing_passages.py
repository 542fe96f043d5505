"""Imports of passage texts: of a corpus, what the collection names is kept, read as a stream."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import Any

from exam_core.actions.committing import (
    ImportResult,
    NewImport,
    add_commit,
    add_notes,
    known,
    nothing_in,
    say_replaced,
    superseded,
)
from exam_core.actions.verbs import verb
from exam_core.errors import BadInput
from exam_core.formats import Reading
from exam_core.formats.corpus_files import TEXTS, Corpus, Passages, passages_of
from exam_core.formats.file_names import PACKED, file_name
from exam_core.formats.given import described, given_passages
from exam_core.formats.lines import file_hash
from exam_core.names import likeness, listed
from exam_core.progress import Progress, no_progress, part_of, within
from exam_core.store import Store
from exam_core.store.asides import Asides
from exam_core.store.commits import Origin
from exam_core.store.evidence import TextCounts, named_passages, texts_of_named
from exam_core.wording import counted

_ENDINGS = (".json", ".jsonl", ".ndjson", ".tsv", ".txt", ".parquet", "")
_PACKED = re.compile(rf"({'|'.join(map(re.escape, PACKED))})$")
_NO_PART = re.compile(r"(.*[^a-z])?(queries|topics|qrels|readme|license)", re.IGNORECASE)
"""What names of files and folders say that are no part of a corpus."""

_HASHED, _READ = 0.1, 0.9
"""Shares of the time after which a corpus is told from others, and its files are read."""
MOST_UNNAMED = 1_000_000
"""Passages that are kept of a corpus that comes before runs and judgments."""


@verb("edit")
def import_passages(
    store: Store,
    collection: str,
    *paths: Path,
    every: bool = False,
    titles: bool = True,
    progress: Progress = no_progress,
) -> ImportResult:
    """Import texts of passages, all files as one import; texts are filled in by id.

    Raises BadInput where a line is no passage, a passage has two texts, the collection names none of them, or a text
    contradicts the one that is there; or it has very many, and the collection names none yet.

    Parameters
    ----------
    paths : files of a corpus, or folders that hold them; a folder with BEIR's corpus.jsonl is that file
    every : whether passages are kept, too, that no run, judgment, pool or grade of the collection names; where none is
        named yet, up to `MOST_UNNAMED` are
    titles : whether a title is put before its text
    """
    files, notes = _files(paths)
    hashing, reading = within(progress, 0, _HASHED), within(progress, _HASHED, _READ)
    snapshot = None if every else known(store, collection)
    hashes = [file_hash(path, part_of(hashing, place, len(files))) for place, path in enumerate(files)]
    digest = hashes[0] if len(files) == 1 else hashlib.sha256("".join(hashes).encode()).hexdigest()
    named = " ".join(map(file_name, paths))
    origin = Origin(f"passages:{file_name(paths[0])}:{digest[:16]}", named[:200], digest)
    with store.asides(collection) as spill:
        corpus = Corpus(named_passages(snapshot) if snapshot else None, spill, titles=titles, files=files)
        _read(corpus, passages_of(files, reading), collection, paths[0] if len(paths) == 1 else named, every=every)
        done = _commit(store, collection, corpus, spill, origin, within(progress, _READ, 1))
    done.notes += notes
    return done


@verb("edit")
def import_given_passages(
    store: Store, collection: str, passages: Any, *, every: bool = False, titles: bool = True
) -> ImportResult:
    """Import texts of passages that are in Python (see `given_passages`), one after the other, as `import_passages`."""
    snapshot = None if every else known(store, collection)
    with store.asides(collection) as spill:
        corpus = Corpus(named_passages(snapshot) if snapshot else None, spill, titles=titles)
        blocks = zip(repeat(0), given_passages(passages))
        _read(corpus, blocks, collection, f"The passages ({described(passages)})", every=every)
        return _commit(store, collection, corpus, spill, Origin("passages:Python", described(passages)))


def _files(paths: Sequence[Path]) -> tuple[list[Path], list[str]]:
    """The files that are meant, those of a folder in the order of their names, and a note on what it holds besides.

    Raises BadInput where a folder holds none.
    """
    files, notes = list[Path](), list[str]()
    for path in paths:
        if not path.is_dir():
            files.append(path)
            continue
        below = sorted(file for file in path.rglob("*") if file.is_file() and not file.name.startswith((".", "_")))
        corpora = [item for item in below if item.parent == path and item.name.startswith("corpus.jsonl")]
        parts = [entry for entry in below if not any(map(_NO_PART.match, entry.relative_to(path).parts))]
        mine = corpora or [part for part in parts if Path(_PACKED.sub("", part.name.lower())).suffix in _ENDINGS]
        if not mine:
            raise BadInput(
                f"{path}: holds no file of passages.\nA corpus is JSON lines or a table with tabs "
                f"({', '.join(filter(None, _ENDINGS))}), plain or packed ({', '.join(PACKED)}). Nothing was stored."
            )
        files += mine
        if others := [file_name(one) for one in below if one not in set(mine)]:
            notes.append(f"Left out of {file_name(path)}, because they are not part of the corpus: {listed(others)}.")
    return files, notes


def _read(
    corpus: Corpus, passages: Iterable[tuple[int, Passages]], collection: str, what: Path | str, *, every: bool
) -> None:
    """Read passages of files that are numbered.

    Raises BadInput where there are very many though the collection names none.
    """
    for file, some in passages:
        corpus.add(some, file)
        if corpus.keeps_all and not every and corpus.kept > MOST_UNNAMED:
            raise BadInput(
                f"{what}: has more than {MOST_UNNAMED:,} passages, and {collection} names none yet.\nImport runs or "
                "judgments first, so that the passages that they name are kept; or keep all with --all. Nothing was "
                "stored."
            )
    if corpus.kept:
        return
    if corpus.blank:
        raise BadInput(
            f"{what}: no passage that would be kept has a text ({', '.join(TEXTS[:-1])} or {TEXTS[-1]}); the first "
            f"without one is {corpus.first_blank}.\nCheck that it is the right corpus, and the names of its fields. "
            "Nothing was stored."
        )
    if not corpus.strangers:
        raise nothing_in(what)
    alike = likeness(corpus.strangers, corpus.some_wanted)
    raise BadInput(
        f"{what}: none of its {corpus.read:,} passages is named in {collection}; it has ids such as "
        f"{corpus.strangers[0]}, the collection such as {min(corpus.some_wanted)}.\n"
        f"{alike or 'Check that it is the right corpus, and the name of the collection.'} --all keeps all passages "
        "anyway. Nothing was stored."
    )


def _commit(
    store: Store, collection: str, corpus: Corpus, spill: Asides, origin: Origin, progress: Progress = no_progress
) -> ImportResult:
    before, reading = known(store, collection), Reading()
    reading.take("passages", corpus.frames(progress), spill)
    reading.counts, reading.notes = {"passages": reading.rows("passages")}, _about(corpus, collection)
    prepared = store.prepare(collection, reading, origin)
    if not origin.sha256:  # of what can be read once, the same content is the same source
        content = hashlib.sha256("".join(sorted(stored.path for stored in prepared.files)).encode()).hexdigest()
        prepared.origin = replace(origin, source=f"{origin.source}:{content[:16]}")
    (committed,) = store.commit_together([prepared])
    imports = [NewImport(reading, prepared.origin)]
    done = ImportResult(collection, False, reading.counts, reading.notes, imports=imports)
    add_commit(done, committed)
    if done.changed and before:
        say_replaced(done, superseded(before, {prepared.origin.source}))
    add_notes(done, lambda: still_textless(texts_of_named(store.snapshot(collection))))
    return done


def _about(corpus: Corpus, collection: str) -> list[str]:
    notes = []
    if not corpus.keeps_all and corpus.strangers:
        notes.append(
            f"Of the {corpus.read:,} passages only those that {collection} names are kept. "
            "To keep all: examboard import passages FILE --all"
        )
    if corpus.blank:
        blank = f"{counted({'passages': corpus.blank})} without any words"
        notes.append(f"Left out: {blank}; the first is {file_name(Path(corpus.first_blank))}.")
    if corpus.rows.merged:
        notes.append(f"{counted({'repeated passages': corpus.rows.merged})} with the same text merged.")
    return notes


def still_textless(texts: TextCounts) -> list[str]:
    """A note on named passages that have no text."""
    if not texts.textless:
        return []
    return [f"{texts.textless:,} of {texts.named:,} passages that runs, judgments and grades name have no text yet."]
