"""What an import says of runs and graded questions that the collection has by then."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal

import pandas as pd

from exam_core.actions import committing
from exam_core.actions.verbs import verb
from exam_core.errors import BadInput, StoreError, UsageError, visible
from exam_core.formats import Reading
from exam_core.formats.file_names import file_name, name_of_file
from exam_core.formats.reading import MakeSpill, refuse_several_runs
from exam_core.formats.registry import reader
from exam_core.formats.workbench import text_hash
from exam_core.names import listed
from exam_core.printed import PUBLISHED
from exam_core.progress import Progress, no_progress, part_of, within
from exam_core.request import RunName
from exam_core.store import Store
from exam_core.store.commits import Origin
from exam_core.store.differing import same_rankings
from exam_core.store.summary import leaderboard_ids, qrels_ids, run_ids
from exam_core.tables import OFFICIAL
from exam_core.wording import quoted

SHARED_RUNS = 0.8
"""Share of an official list's systems that a collection must have for us to point to the list."""


def strangers(store: Store, collection: str) -> list[str]:
    """A note on graded questions that are in no bank."""
    frame = store.snapshot(collection).query(
        "SELECT count(*) AS n FROM (SELECT question_id, query_id FROM grades WHERE question_id IS NOT NULL "
        "EXCEPT SELECT question_id, query_id FROM questions q WHERE version = "
        "(SELECT max(version) FROM questions newest WHERE newest.bank_id = q.bank_id))"
    )
    count = int(frame["n"].iloc[0])
    return [f"{count:,} graded questions are not in the newest version of a bank and do not count."] if count else []


def about_runs(store: Store, collection: str, runs: list[str]) -> list[str]:
    """What is to be known of runs that were imported."""
    return [*_unanswered(store, collection, runs), *_official_hint(store, collection)]


_ANSWERED = """
WITH asked AS (
    SELECT query_id FROM grades
    UNION SELECT query_id FROM judgments WHERE qrels_id = ? AND NOT EXISTS (FROM grades)
),
answered AS (SELECT DISTINCT run_id, query_id FROM rankings)
SELECT run_id, count(*) AS answered, (SELECT count(*) FROM asked) AS asked,
    EXISTS (FROM grades) AS graded
FROM answered JOIN asked USING (query_id) GROUP BY run_id ORDER BY answered, run_id
"""


def _unanswered(store: Store, collection: str, imported: list[str]) -> list[str]:
    """A note on imported runs that return nothing for some of the graded queries, or of those that are judged.

    Judgments are those that a board takes where nobody names others: the official ones, else the first. A run that has
    none of the queries may name other ones, such as facets; then nothing is said.
    """
    snapshot = store.snapshot(collection)
    judgments = next(iter(qrels_ids(snapshot)), "")
    counts = snapshot.query(_ANSWERED, [judgments])
    counts = counts[counts["run_id"].isin(imported)]
    if not len(counts):
        return []
    from exam_core.analysis.caveats import few_answered

    total = int(counts["asked"].iloc[0])
    judged = f"queries with judgments {visible(judgments, line_ends=False)}"
    which = "graded queries" if counts["graded"].iloc[0] else judged
    return few_answered(counts.set_index("run_id")["answered"], total, f"{total:,} {which}")


def _official_hint(store: Store, collection: str) -> list[str]:
    """Point to an embedded official list that ranks the collection's runs, if it isn't imported yet."""
    snapshot = store.snapshot(collection)
    runs = set(run_ids(snapshot))
    if OFFICIAL in leaderboard_ids(snapshot):
        return []
    hints = []
    for path in sorted(PUBLISHED.glob("official_*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            systems = {row["system"] for row in csv.DictReader(file)}
        shared = len(systems & runs)
        is_below = path.is_relative_to(here := Path.cwd())  # as in the repository, where a short path is easier to type
        if shared >= SHARED_RUNS * len(systems):
            hints.append(
                f"{shared} of the {len(runs)} runs are ranked in the official list {path.name}. Add it with: "
                f"examboard import leaderboard {quoted(str(path.relative_to(here) if is_below else path))} "
                f"--collection {quoted(collection)} --name {OFFICIAL}"
            )
    return hints


NAME_ANOTHER = (
    "Many tools write one name into all their runs: name this one with --name NAME, or --name-from file; or add "
    "--replace to replace the stored run."
)
_ALONE = "Name this one with: examboard import run FILE --name NAME. Or add --replace to replace the stored run."


@verb("edit")
def import_run(
    store: Store,
    collection: str,
    *paths: Path,
    name: str | None = None,
    name_from: RunName | Literal["either"] = "tag",
    replace: bool = False,
    progress: Progress = no_progress,
) -> committing.ImportResult:
    """Import TREC runs, all files or none, each as an import of its own.

    Raises BadInput where a line is bad, two files have a run of one name, or a run of that name is there.

    Parameters
    ----------
    name : of the run, whatever the sixth column says
    name_from : what names runs: the sixth column, or the name of the file; either takes the latter for files with runs
        of one name
    replace : whether a run may take the place of another one of its name; one with the same rankings always may
    """
    if name is not None:
        committing.refuse_blank("--name", name)
        if name_from == "file":
            raise UsageError("--name and --name-from: give one of them.")
    with store.asides(collection) as spill:
        read, notes, imports = dict[Path, Reading](), list[str](), list[committing.NewImport]()
        for place, path in enumerate(paths):
            own = name_of_file(path) if name_from == "file" else name
            reads = part_of(within(progress, 0, committing.READ), place, len(paths))
            read[path] = reading = reader("run", path)(path, name=own, make_spill=spill, progress=reads)
            notes += [f"{path.name}: {note}" if len(paths) > 1 else note for note in reading.notes]
            committing.refuse_nothing(path, reading)
            if own:
                refuse_several_runs(path, reading.runs, f"--name {own}" if name else "--name-from file")
                reading.runs = (own,)
        if name_from == "either":
            notes += _named_apart(read, spill)
        _refuse_twice(read)
        for path, reading in read.items():
            reading.notes, notes = notes, []
            imports.append(import_of_runs(reading, list(reading.runs), file_name(path)))
        counts = Counter[str]()
        for reading in read.values():
            counts.update(reading.counts)
        about = Reading(counts=dict(counts), notes=imports[0].reading.notes)
        remedy = _ALONE if name_from == "either" else NAME_ANOTHER
        compared = within(progress, committing.READ, 1)
        return commit_runs(store, collection, imports, None if replace else remedy, about=about, progress=compared)


def _files_of_runs(read: Mapping[Path, Reading]) -> dict[str, list[Path]]:
    files: dict[str, list[Path]] = {}
    for path, reading in read.items():
        for run_id in reading.runs:
            files.setdefault(run_id, []).append(path)
    return files


def _named_apart(read: Mapping[Path, Reading], make_spill: MakeSpill) -> list[str]:
    """Name files of one run each after themselves where they have one name; a note for each name."""
    notes = []
    for run_id, paths in _files_of_runs(read).items():
        if len(paths) == 1 or any(len(read[path].runs) > 1 for path in paths):
            continue  # what a file of several runs is to be called is for somebody to say
        for path in paths:
            _rename(read[path], name_of_file(path), make_spill)
        notes.append(
            f"The sixth column of {listed([file_name(path) for path in paths])} is {run_id} in each, so each run is "
            "named after its file. If these are parts of one run, put them into one file."
        )
    return notes


def _rename(reading: Reading, name: str, make_spill: MakeSpill) -> None:
    frames = (
        frame.assign(run_id=pd.Series(name, frame.index, frame["run_id"].dtype)) for frame in reading.parts("rankings")
    )
    reading.take("rankings", frames, make_spill)
    reading.runs = (name,)
    if reading.ranks and reading.ranks.odd:
        reading.ranks.first["run_id"] = name


def _refuse_twice(read: Mapping[Path, Reading]) -> None:
    """Raise BadInput where two files have a run of one name: two systems would be taken for one."""
    for run_id, paths in _files_of_runs(read).items():
        if len(paths) > 1:
            raise BadInput(
                f"{', '.join(map(str, paths))}: each has a run named {run_id}.\nName each after its file with "
                "--name-from file, or import it by itself with --name NAME; parts of one run belong into one file. "
                "Nothing was stored."
            )


def import_of_runs(reading: Reading, runs: list[str], named: str) -> committing.NewImport:
    """Runs, which own their names, for `commit_runs`; `named` says where they come from, in the list of imports."""
    # What a later import of the same runs supersedes; the names of many runs are said by a hash.
    names = "\n".join(sorted(runs))
    source = f"run:{names}" if len(runs) == 1 else f"runs:{len(runs)}:{text_hash(names)}"
    return committing.NewImport(reading, Origin(source, named), [("rankings", run_id) for run_id in runs])


def commit_runs(
    store: Store,
    collection: str,
    imports: list[committing.NewImport],
    remedy: str | None,
    *,
    about: Reading | None = None,
    progress: Progress = no_progress,
) -> committing.ImportResult:
    """Commit runs, and say what is to be known of them; arguments as of `commit_all`."""
    snapshot, runs = (
        committing.known(store, collection),
        [name for new_import in imports for _, name in new_import.owns],
    )
    before = 0
    with suppress(StoreError):  # what can't be read may be what these files restore
        before = len(run_ids(snapshot)) if snapshot else 0
    done = committing.commit_all(store, collection, imports, remedy, about=about, progress=progress)

    def notes() -> list[str]:
        now = len(run_ids(store.snapshot(collection)))
        rescaled = (
            f"After the import, {collection} has {now} runs (before: {before}). Re-normalised scores are over all "
            f"{now}, so every run's may change. Leave runs out in the bar of the dashboard, or with --without."
        )
        return [
            *about_runs(store, collection, runs),
            *(
                f"Same rankings as {listed(others)}: {listed(copies)}. All are kept, and count as runs of their own."
                for copies, others in (same_rankings(store.snapshot(collection), runs) if done.changed else ())
            ),
            *([rescaled] if 0 < before < now else []),
        ]

    committing.add_notes(done, notes)
    return done
