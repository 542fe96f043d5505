"""Imports of leaderboards, with their values by topic where files have them."""

from __future__ import annotations

import difflib
import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Literal

from exam_core.actions.committing import ImportResult, NewImport, add_notes, commit_all, refuse_blank, refuse_nothing
from exam_core.actions.verbs import verb
from exam_core.errors import Undecided, UsageError
from exam_core.formats import Reading
from exam_core.formats.file_names import file_name, name_of_file
from exam_core.formats.leaderboards import united
from exam_core.formats.lines import file_hash
from exam_core.formats.registry import reader
from exam_core.names import NAMED, listed
from exam_core.progress import Progress, no_progress
from exam_core.request import RunName
from exam_core.store import Store
from exam_core.store.commits import Origin
from exam_core.store.summary import run_ids
from exam_core.tables import OVERALL, values_of_board


@dataclass(frozen=True)
class ReadAs:
    """What of a leaderboard's files is read, and whose values they hold.

    Parameters
    ----------
    column : the column or measure that is the score; needed where a table has several
    run : the run whose values a file holds
    name_from : what names the run of each file: a line of it, or the name of the file; either takes the latter where no
        line says it, and for files that one name would unite
    """

    column: str | None = None
    run: str | None = None
    name_from: RunName | Literal["either"] = "tag"


@verb("edit")
def import_leaderboard(
    store: Store,
    collection: str,
    *paths: Path,
    name: str,
    read_as: ReadAs | Mapping[Path, ReadAs] = ReadAs(),
    progress: Progress = no_progress,
) -> ImportResult:
    """Import leaderboards under a name, with their values by topic where files have them.

    Files of one run each, such as trec_eval's output, make one leaderboard together.

    `read_as`: how the files are read, or how each of them is. Raises Undecided where the column, or the run, has to be
    chosen, and BadInput where a line is bad, or two files have a run's values.
    """
    refuse_blank("--name", name)
    if not isinstance(read_as, Mapping):
        if read_as.run is not None and (read_as.name_from == "file" or len(paths) > 1):
            raise UsageError("--run names the run of one file. For several files, give --name-from file.")
        read_as = dict.fromkeys(paths, read_as)
    read = {path: _board_read(path, name, read_as[path], progress) for path in paths}
    notes = _name_runs_apart(read, read_as)
    reading = next(iter(read.values())) if len(read) == 1 else united(read, name)
    frame = reading.frames["leaderboards"]
    boards = [str(board) for board in frame["leaderboard_id"].unique()]
    owns = [("leaderboards", board) for board in boards]
    if len(reading.frames.get("scores", ())):
        owns += [("scores", values_of_board(board)) for board in boards]
    hashes = "".join(map(file_hash, paths))
    origin = Origin(
        f"leaderboard:{name}",
        " ".join(map(file_name, paths)),
        hashes if len(paths) == 1 else hashlib.sha256(hashes.encode()).hexdigest(),
    )
    reading.notes = [*notes, *reading.notes]
    done = commit_all(store, collection, [NewImport(reading, origin, owns)])
    add_notes(done, lambda: _unknown_systems(store, collection, sorted(set(frame["run_id"]))))
    return done


def _board_read(path: Path, name: str, read_as: ReadAs, progress: Progress = no_progress) -> Reading:
    if read_as.run is not None:
        refuse_blank("--run", read_as.run)
    run = name_of_file(path) if read_as.name_from == "file" else read_as.run
    read = partial(reader("leaderboard", path), path, leaderboard_id=name, column=read_as.column, progress=progress)
    try:
        reading: Reading = read(run=run)
    except Undecided as error:
        if read_as.name_from != "either" or not error.needs_run:
            raise
        reading = read(run=name_of_file(path))
    refuse_nothing(path, reading)
    return reading


def _name_runs_apart(read: Mapping[Path, Reading], read_as: Mapping[Path, ReadAs]) -> list[str]:
    """Name runs after their files where lines of several files say one run; a note on them."""
    boards = {path: reading.frames["leaderboards"] for path, reading in read.items()}
    said = {path: {*zip(board["extra"], board["run_id"], strict=True)} for path, board in boards.items()}
    times = Counter(chain.from_iterable(said.values()))
    mine = [path for path in read if read_as[path].name_from == "either" and read_as[path].run is None]
    mine = [
        path for path in mine if boards[path]["run_id"].nunique() == 1 and any(times[key] > 1 for key in said[path])
    ]
    if not mine:
        return []
    run_id, named = boards[mine[0]]["run_id"].iloc[0], listed([file_name(path) for path in mine])
    for path in mine:
        for frame in read[path].frames.values():
            frame["run_id"] = name_of_file(path)
    return [f"{named}: the line `runid` of each says {run_id}, so each run is named after its file."]


def _unknown_systems(store: Store, collection: str, systems: list[str]) -> list[str]:
    """A note on systems that are no run of the collection, with the nearest name."""
    runs = run_ids(store.snapshot(collection))
    if not runs:
        return []
    unknown = [system for system in systems if system not in set(runs) and system != OVERALL]
    if not unknown:
        return []
    for place, system in enumerate(unknown[:NAMED]):
        if near := difflib.get_close_matches(system, runs, 1):
            unknown[place] = f"{system} (nearest: {near[0]})"
    return [f"{len(unknown)} of {len(systems)} runs of the leaderboard are not in {collection}: {listed(unknown)}."]
