"""Imports: a file read, checked against the collection, and committed whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from exam_core.actions.committing import (
    READ,
    ImportResult,
    NewImport,
    add_commit,
    add_notes,
    commit_all,
    known,
    left_out,
    new_import,
    refuse_blank,
    refuse_nothing,
    refuse_version,
    say_replaced,
    superseded,
)
from exam_core.actions.importing_runs import about_runs, commit_runs, import_of_runs, strangers
from exam_core.actions.verbs import verb
from exam_core.errors import BadInput, StoreError
from exam_core.formats import Reading
from exam_core.formats.file_names import file_name
from exam_core.formats.given import described, given_labels, given_qrels, given_run, given_topics
from exam_core.formats.labels import DECLARED, parse_scale
from exam_core.formats.lines import file_hash
from exam_core.formats.reading import MakeSpill
from exam_core.formats.registry import reader
from exam_core.formats.workbench.grade_tables import read_csv
from exam_core.names import LOOKED_AT, likeness, listed
from exam_core.progress import Progress, no_progress, within
from exam_core.question import order_of, plain
from exam_core.store import Snapshot, Store
from exam_core.store.commits import Origin
from exam_core.store.names import BankRef
from exam_core.store.question_banks import version_questions, version_row
from exam_core.store.scales import scale
from exam_core.store.sharing import import_duckdb
from exam_core.store.summary import bank_version, evaluated_query_ids
from exam_core.tables import OFFICIAL, TABLES, question_id
from exam_core.wording import counted, quoted

BESIDE = "Keep both: give these another name with --name NAME. Or add --replace to replace the stored ones."
BESIDE_GRADER = BESIDE.replace("--name", "--grader")
BESIDE_GIVEN = "Give another name, or add replace=True to replace what is stored."


@verb("edit")
def import_workbench(
    store: Store,
    collection: str,
    path: Path,
    *,
    bank: str | None = None,
    grader: str | None = None,
    progress: Progress = no_progress,
) -> ImportResult:
    """Import a graded workbench file: passages, rankings, judgments, grades, and the graded ids as a bank.

    The questions of a table of grades are those of the collection's banks that have them.
    """
    refuse_version(bank)
    if grader is not None:
        refuse_blank("--grader", grader)
    read = reader("workbench", path)
    with store.asides(collection) as spill:
        reading = read(path, bank_id=bank, grader_id=grader, make_spill=spill, progress=progress)
        if read is read_csv:
            reading.notes += _join_banks(collection, known(store, collection), reading, bank, spill)
        done = commit_all(store, collection, [new_import(path, reading, Origin(f"workbench:{file_name(path)}"))])
        runs = dict.fromkeys(run for part in reading.parts("rankings") for run in part["run_id"].unique().tolist())
        add_notes(done, lambda: strangers(store, collection))
        add_notes(done, lambda: about_runs(store, collection, list(runs)))
        return done


_KNOWN = """
SELECT bank_id, version, question_id, query_id, question_text FROM questions q
WHERE version = (SELECT max(version) FROM questions newest WHERE newest.bank_id = q.bank_id)
"""
_Key = tuple[str, str]
"""Query and question: its id, or its text."""


def _join_banks(
    collection: str, known: Snapshot | None, reading: Reading, bank: str | None, make_spill: MakeSpill
) -> list[str]:
    """Take graded questions for those of the collection's banks by id, or by text where a row had no id.

    The bank that has most of them counts first.

    Parameters
    ----------
    known : the collection as it is; None where it is new
    reading : of a table of grades; its questions and grades are changed
    bank : the only one that counts
    make_spill : where grades go that are too many for the memory

    Returns
    -------
    notes on questions of banks, and on those whose texts nobody knows
    """
    questions = reading.frames["questions"]
    of_banks = _found(known, questions, bank)
    rows = list(zip(questions["query_id"], questions["question_id"], strict=True))
    of_bank = [of_banks.get(key, (old, 1, key[1])) for key, old in zip(rows, questions["bank_id"], strict=True)]
    names, versions, ids = ([row[place] for row in of_bank] for place in range(3))
    reading.frames["questions"] = questions.assign(bank_id=names, version=versions, question_id=ids)
    renamed = {key: place[2] for key, place in of_banks.items() if place[2] != key[1]}
    if renamed:
        keys = ((part, zip(part["query_id"], part["question_id"], strict=True)) for part in reading.parts("grades"))
        parts = (part.assign(question_id=[renamed.get(key, key[1]) for key in its]) for part, its in keys)
        reading.take("grades", parts, make_spill)
    joined = dict.fromkeys(name for name, *_ in of_banks.values())
    notes = [f"{counted({'questions': len(of_banks)})} of bank {listed(list(joined))}."] if joined else []
    bare = [
        key for key, text in zip(rows, questions["question_text"], strict=True) if key not in of_banks and pd.isna(text)
    ]
    if bare:
        into = f"--collection {quoted(collection)} --bank {quoted(questions['bank_id'].iloc[0])}"
        notes.append(
            f"{counted({'questions': len(bare)})} without a text, such as {bare[0][1]}: the id is shown instead. "
            f"Add the texts with: examboard import bank FILE {into}"
        )
    return notes


def _found(known: Snapshot | None, questions: pd.DataFrame, bank: str | None) -> dict[_Key, tuple[str, int, str]]:
    """Bank, version and id of those questions that a bank has, by query and by their ids in the table."""
    rows = list(zip(questions["query_id"], questions["question_id"], questions["question_text"], strict=True))
    ids = {(query_id, own) for query_id, own, _ in rows}
    known_by_text = (row for row in rows if isinstance(row[2], str) and row[1] == question_id(row[0], row[2]))
    texts = {(query, plain(text)): (query, own) for query, own, text in known_by_text}
    of_banks: dict[str, dict[_Key, tuple[str, int, str]]] = {}
    for name, version, own, query, text in known.query(_KNOWN).itertuples(index=False) if known else ():
        key = (
            (query, own) if (query, own) in ids else texts.get((query, plain(text))) if isinstance(text, str) else None
        )
        if key and bank in (None, name):
            of_banks.setdefault(name, {})[key] = (name, int(version), own)
    return {key: place for of_bank in sorted(of_banks.values(), key=len) for key, place in of_bank.items()}


@verb("edit")
def import_qrels(
    store: Store,
    collection: str,
    path: Path,
    *,
    name: str = OFFICIAL,
    column: str | None = None,
    replace: bool = False,
    progress: Progress = no_progress,
) -> ImportResult:
    """Import judgments under a name, or of several judges under theirs; those of the same name are replaced.

    `column`: that has the relevance, where a table has several that may be it. `replace`: whether also where the
    queries are all other ones, which is refused otherwise.
    """
    refuse_blank("--name", name)
    with store.asides(collection) as spill:
        read = reader("qrels", path)
        reading = read(path, qrels_id=name, column=column, make_spill=spill, progress=within(progress, 0, READ))
        origin, owns = Origin(f"qrels:{', '.join(reading.judges)}"), [("judgments", judge) for judge in reading.judges]
        imports = new_import(path, reading, origin, owns)
        remedy, compared = None if replace else BESIDE, within(progress, READ, 1)
        return commit_all(store, collection, [imports], remedy, progress=compared)


@verb("edit")
def import_topics(store: Store, collection: str, path: Path, *, progress: Progress = no_progress) -> ImportResult:
    """Import query texts by id; queries that the collection doesn't have are left out and counted."""
    with store.asides(collection) as spill:
        reading = reader("topics", path)(path, make_spill=spill, progress=progress)
        keep_known_queries(store, collection, path, reading, spill)
        return commit_all(store, collection, [new_import(path, reading, Origin(f"topics:{file_name(path)}"))])


def keep_known_queries(
    store: Store, collection: str, path: Path | str, reading: Reading, make_spill: MakeSpill | None = None
) -> None:
    """Leave out topics that the collection doesn't have, with a note on those.

    Topics of TREC write `051` where its runs and judgments have `51`: a query that is known without zeros in front, and
    not as it is written, is taken for that one. Raises BadInput where the collection has none of them.
    """
    snapshot = known(store, collection)
    known_ids = evaluated_query_ids(snapshot) if snapshot else []
    ids, missing, others, count = set(known_ids), set(known_ids), list[str](), reading.rows("queries")

    def known_frames() -> Iterator[pd.DataFrame]:
        for frame in reading.parts("queries"):
            written = frame["query_id"].tolist()
            others_ids = ids.difference(written)
            theirs = [bare if (bare := item.lstrip("0")) in others_ids else item for item in written]
            frame = frame.assign(query_id=pd.Series(theirs, frame.index, frame["query_id"].dtype))
            wanted = [not known_ids or their in ids for their in theirs]
            missing.difference_update(theirs)
            others.extend(
                [entry for entry, mine in zip(theirs, wanted, strict=True) if not mine][: LOOKED_AT - len(others)]
            )
            yield frame[np.array(wanted, bool)].reset_index(drop=True)

    reading.take("queries", known_frames(), make_spill)
    count_known = reading.counts["queries"] = reading.rows("queries")
    if count and not count_known:
        alike = likeness(others, known_ids)
        raise BadInput(
            f"{path}: none of its {count:,} queries is in {collection}, whose queries are such as {known_ids[0]}.\n"
            f"{alike or 'Check the name of the collection, and the ids of the queries.'} Nothing was stored."
        )
    if count_known < count:
        alike = likeness(others, sorted(missing))
        reading.notes.append(
            f"{counted({'queries are': count - count_known})} not in {collection}: left out. {alike}".rstrip()
        )


@verb("edit")
def import_bank(
    store: Store, collection: str, path: Path, *, bank: str, progress: Progress = no_progress
) -> ImportResult:
    """Import a question bank; texts are filled in by id, and a bank that differs becomes a new version."""
    refuse_version(bank)
    reading = reader("bank", path)(path, bank_id=bank, progress=progress)
    refuse_nothing(path, reading)
    digest = file_hash(path)[:16]
    # Of two that come at one moment, the second is the version after the first.
    with store.locked(collection):
        version = next_version(store, collection, bank, reading, digest)
        reading.frames["questions"]["version"] = version
        if version > 1:
            reading.notes.append(f"This is version {version} of bank {bank}; {BankRef(bank, version - 1)} is kept.")
        snapshot = known(store, collection)
        if snapshot:
            reading.notes += _about_order(snapshot, BankRef(bank, version), reading.frames["questions"])
        reading.frames["versions"] = version_row(snapshot, bank, version, reason=f"imported {file_name(path)}")
        owned = str(BankRef(bank, version))
        owns = [("questions", owned), ("versions", owned)]
        return commit_all(store, collection, [new_import(path, reading, Origin(f"bank:{owned}:{digest}"), owns)])


def _about_order(snapshot: Snapshot, bank: BankRef, questions: pd.DataFrame) -> list[str]:
    """A note where a file that brought this version had the questions of a query in another order."""
    versions = snapshot.frame("versions")
    if not ((versions["bank_id"] == bank.name) & (versions["version"] == bank.version)).any():
        return []
    try:
        stored = version_questions(snapshot, bank.name, bank.version or 0)
    except StoreError:
        return []  # a damaged one is healed by this file
    before, now = (order_of(zip(frame["query_id"], frame["question_id"], strict=True)) for frame in (stored, questions))
    return [] if before == now else [f"{bank} takes the order of its questions from this file; it had another one."]


@dataclass(frozen=True)
class LabelForm:
    """How the labels of a file are written.

    Parameters
    ----------
    scale : from 0 to the largest label, for instance `0-3`; None keeps what was declared of the grader before
    column : that has the labels, where a table has several that may be it
    """

    scale: str | None = None
    column: str | None = None


@verb("edit")
def import_labels(
    store: Store,
    collection: str,
    path: Path,
    *,
    grader: str,
    written: LabelForm = LabelForm(),
    replace: bool = False,
    progress: Progress = no_progress,
) -> ImportResult:
    """Import a file of judgments as the labels of a grading mode, or of several under their names.

    `written`: on which scale, and in which column. `replace`: whether its labels of all other queries may go, which is
    refused otherwise.
    """
    refuse_blank("--grader", grader)
    declared, notes = declared_scale(store, collection, grader, written.scale)
    read = reader("labels", path)
    with store.asides(collection) as spill:
        reading = read(
            path, grader_id=grader, scale=declared, column=written.column, make_spill=spill, progress=progress
        )
        reading.notes += notes
        refuse_nothing(path, reading)
        origin = Origin(f"labels:{', '.join(reading.graders)}", file_name(path), file_hash(path))
        return commit_labels(store, collection, reading, origin, None if replace else BESIDE_GRADER)


def declared_scale(store: Store, collection: str, grader: str, scale: str | None) -> tuple[int | None, list[str]]:
    """The end of the scale that labels are declared to have, now or when they were imported before; with a note then.

    Raises UsageError where it is not written as a scale is.
    """
    declared, snapshot = parse_scale(scale), known(store, collection)
    before = snapshot.graders.get(grader, {}) if snapshot else {}
    earlier = before.get("scale") if before.get("scale_from") == DECLARED else None
    if declared is not None or not isinstance(earlier, int):
        return declared, []
    return earlier, [f"The scale of {grader} stays 0 to {earlier}, as declared before. Another --scale changes it."]


def commit_labels(store: Store, collection: str, reading: Reading, origin: Origin, remedy: str | None) -> ImportResult:
    """Commit the labels of graders, which own their names; a note says where their scales are guessed to end.

    `remedy`: as of `commit_all`.
    """
    graders = list(reading.graders)
    done = commit_all(
        store, collection, [NewImport(reading, origin, [("grades", grader) for grader in graders])], remedy
    )

    def guessed() -> list[str]:
        from exam_core.analysis.grade_scales import about_scale

        snapshot = store.snapshot(collection)
        return about_scale(snapshot, graders, outside=scale(snapshot, graders[0]).is_guessed)

    add_notes(done, guessed)
    return done


@verb("edit")
def import_shared(store: Store, path: Path) -> list[ImportResult]:
    """Import every collection of an exported `.duckdb` file, all of them or none."""
    before, results = {}, []
    for name in store.collections():
        with suppress(StoreError):  # of a damaged one that the file does not have
            before[name] = store.snapshot(name)
    for name, committed in import_duckdb(store, path).items():
        results.append(ImportResult(name, changed=False))
        add_commit(results[-1], committed)
        if committed.changed and name in before:
            source = f"duckdb:{file_name(path)}"
            say_replaced(results[-1], superseded(before[name], {source}))
            with closing(Store(path)) as shared:
                contents = shared.snapshot(name)
                reading = Reading({table: contents.frame(table) for table in TABLES})
                results[-1].notes += left_out(before[name], [NewImport(reading, Origin(source))])
    return results


def next_version(store: Store, collection: str, bank: str, reading: Reading, digest: str) -> int:
    """The version that a bank file is: the newest if it has the same questions, else a new one."""
    snapshot = known(store, collection)
    if snapshot is None:
        return 1
    try:
        newest = bank_version(snapshot, bank)
    except StoreError:
        # A damaged bank is healed by the file that it came from, as the version that it was.
        versions = [re.fullmatch(rf"bank:{re.escape(bank)}@(\d+):{digest}", old["source"]) for old in snapshot.sources]
        if not any(versions):
            raise
        return max(int(version[1]) for version in versions if version)
    if newest == 0:
        return 1
    old = snapshot.query("SELECT * FROM questions WHERE bank_id = ? AND version = ?", [bank, newest])
    key = ["question_id", "query_id"]
    old, new = old.set_index(key), reading.frames["questions"].set_index(key)
    return newest if _same_questions(old, new) else newest + 1


_LISTS_OF_A_QUESTION = ("gold_answers", "choices")
_OF_A_QUESTION = ("facet_id", "facet_text", "question_text", "weight", "enabled", "importance")


def _same_questions(old: pd.DataFrame, new: pd.DataFrame) -> bool:
    """Whether `new` has the ids of `old` and contradicts nothing that is known of them."""
    if set(old.index) != set(new.index):
        return False
    new = new.loc[old.index]
    known_only_by_id = old["question_text"].isna()
    # Earlier versions of Examboard did not say what kind a question is.
    differ = old["kind"].notna() & (old["kind"].astype(object) != new["kind"].astype(object))
    for name in _LISTS_OF_A_QUESTION:
        differ |= _joined(old[name]) != _joined(new[name])
    for name in _OF_A_QUESTION:
        before, now = (frame[name].astype(object).where(frame[name].notna(), "") for frame in (old, new))
        differ |= before.map(_plain) != now.map(_plain)
    return not (differ & ~known_only_by_id).any()


def _plain(value: Any) -> Any:
    return plain(value) if isinstance(value, str) else value


def _joined(lists: pd.Series) -> pd.Series:
    return lists.map(lambda texts: "" if texts is None or texts is pd.NA else "\n".join(map(plain, texts)))


@verb("edit")
def import_given_run(
    store: Store, collection: str, run: Any, *, name: str | None = None, replace: bool = False
) -> ImportResult:
    """Import a run that is in Python. Raises BadInput where it is no run, or a run of that name is there.

    `run`, `name`: see `given_run`. `replace`: whether it may take the place of another run of its name; one with the
    same rankings always may.
    """
    if name is not None:
        refuse_blank("name", name)
    reading = given_run(run, name)
    refuse_nothing("The run", reading)
    imports = [import_of_runs(reading, reading.frames["rankings"]["run_id"].unique().tolist(), described(run))]
    return commit_runs(store, collection, imports, None if replace else BESIDE_GIVEN)


@verb("edit")
def import_given_qrels(
    store: Store, collection: str, qrels: Any, *, name: str = OFFICIAL, replace: bool = False
) -> ImportResult:
    """Import judgments that are in Python, under a name; those of the same name are replaced, as by `import_qrels`."""
    refuse_blank("name", name)
    reading = given_qrels(qrels, qrels_id=name)
    refuse_nothing("The judgments", reading)
    origin = Origin(f"qrels:{name}", described(qrels))
    return commit_all(
        store, collection, [NewImport(reading, origin, [("judgments", name)])], None if replace else BESIDE_GIVEN
    )


@verb("edit")
def import_given_labels(
    store: Store, collection: str, labels: Any, *, grader: str, scale: str | None = None, replace: bool = False
) -> ImportResult:
    """Import labels of a grading mode that are in Python; `scale` as of `LabelForm`."""
    refuse_blank("grader", grader)
    declared, notes = declared_scale(store, collection, grader, scale)
    reading = given_labels(labels, grader_id=grader, scale=declared)
    reading.notes += notes
    refuse_nothing("The labels", reading)
    origin = Origin(f"labels:{grader}", described(labels))
    return commit_labels(store, collection, reading, origin, None if replace else BESIDE_GIVEN)


@verb("edit")
def import_given_topics(store: Store, collection: str, topics: Any) -> ImportResult:
    """Import texts of queries that are in Python; queries that the collection doesn't have are left out and counted."""
    reading = given_topics(topics)
    refuse_nothing("The topics", reading)
    keep_known_queries(store, collection, "The topics", reading)
    return commit_all(store, collection, [NewImport(reading, Origin("topics:Python", described(topics)))])
