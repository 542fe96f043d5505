"""Plans of imports: files of any kinds, tried one after another on a copy of the collection, then all count at once.

A preview is the same without the end. What others refer to is imported first, so that each file is read with what the
others hold in sight.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from operator import attrgetter
from pathlib import Path
from typing import Any, cast

from exam_core import wings
from exam_core.actions import importing
from exam_core.actions.committing import ImportResult, known
from exam_core.actions.fitting import first_rows, fit_of, queries_in
from exam_core.actions.importing import LabelForm
from exam_core.actions.importing_boards import ReadAs, import_leaderboard
from exam_core.actions.importing_passages import import_passages
from exam_core.actions.importing_runs import import_run
from exam_core.actions.verbs import verb
from exam_core.errors import BadInput, ExamboardError, StoreError, UsageError, visible
from exam_core.formats import Reading
from exam_core.formats.column_names import Columns, as_before, naming
from exam_core.formats.evaluations import is_of_one_run
from exam_core.formats.file_names import file_name, name_of_file
from exam_core.formats.format import Opening
from exam_core.formats.lines import foreign_form_of
from exam_core.formats.records import first_records
from exam_core.formats.registry import known_kinds, reader
from exam_core.formats.sniffing import beginning, guess_kind, named_kind, naming_the_kind, refuse_lacking
from exam_core.formats.topics import has_zeros
from exam_core.formats.workbench.grade_tables import read_csv
from exam_core.names import listed
from exam_core.progress import Progress, no_progress, within
from exam_core.store import Store
from exam_core.store.aliases_and_tags import COLUMNS, NamedColumns
from exam_core.store.files import content_name
from exam_core.store.rehearsing import Rehearsal, rehearsal
from exam_core.store.summary import graded_banks, leaderboard_ids, qrels_ids
from exam_core.tables import OFFICIAL, TABLES
from exam_core.wording import common_beginning

TABLE = "table of grades"
FIRST = ("workbench", "topics", "run", "responses", "answers", "assignments", "qrels", "labels", "bank", TABLE)
"""Kinds that others refer to, in the order in which they are imported; all others follow as they stand on the page.

Of graded passages, tables follow banks, which may have their questions."""
MANY_TOPICS = 2**21
"""Bytes of a file of topics from which it is imported last: of a large one, what the other files name is kept. So is
one whose numbers have zeros in front: the other files say whether these belong to them."""
TRIES = 3
"""How often imports are tried where others change the collection meanwhile."""


@dataclass(frozen=True)
class PlannedFile:
    """A file of a plan, and what it is imported as.

    Parameters
    ----------
    kind : by its name on the command line
    name : of the judgments, grading mode, bank, leaderboard or run; empty where the kind needs none
    scale : of labels, for instance `0-3`; empty where nobody declares it
    column : of labels, or of a leaderboard, that is read as the score; empty takes what is usual
    run : whose values such a file holds; empty where it says so itself
    columns : columns that somebody named, each with what readers call it
    as_before : whether they were named for an earlier file of the same header
    """

    path: Path
    kind: str
    name: str = ""
    scale: str = ""
    column: str = ""
    run: str = ""
    columns: Columns = field(default_factory=dict, hash=False)
    as_before: bool = False


@dataclass
class ImportPlan:
    """Files that are imported into a collection together, all of them or none.

    Parameters
    ----------
    unknown : files of no known kind, each with the reason
    ignored : files that are for people to read, and hidden ones
    lacking : refusals of files that lack columns that somebody named
    """

    collection: str
    files: list[PlannedFile] = field(default_factory=list)
    unknown: dict[Path, str] = field(default_factory=dict)
    ignored: list[Path] = field(default_factory=list)
    lacking: list[ExamboardError] = field(default_factory=list)

    @property
    def has_a_puzzle(self) -> bool:
        """Whether there is a file of which nothing is known."""
        return any(why.startswith(NONE) for why in self.unknown.values())


@verb("edit", has_line=False)
def plan_import(
    store: Store, collection: str, paths: Sequence[Path], columns: Mapping[str, str] | None = None, *, column: str = ""
) -> ImportPlan:
    """The plan for files, and for all files below folders: their kinds, and the names that they have by default.

    Raises BadInput where a path is not there or can't be read, or there are more files than anybody means.

    `columns`: the file's column for each of our fields that somebody named, where a file has all of them; without them
    those that were named for files of the same header. `column`: of each file, that is read as the score.
    """
    plan, files = ImportPlan(collection), list[PlannedFile]()
    known = {} if columns else columns_by_header(store)
    for path in dict.fromkeys(file for named in paths for file in _files(named, plan)):
        wanted = columns or (known.get(header_of(path), {}) if known else {})
        kind = (named_kind(path, wanted) if wanted else None) or kind_of(path)
        if kind:
            named: Columns = {}
            try:
                refuse_lacking(path, own := known_kinds()[kind].columns_named(wanted) if wanted else {})
                named = own
            except ExamboardError as error:
                plan.lacking.append(error)
            files.append(PlannedFile(path, kind, column=column, columns=named, as_before=bool(named) and not columns))
        elif kind == "":
            plan.ignored.append(path)
        else:
            plan.unknown[path] = why_unknown(path)
    with ExitStack() as stack:
        for file in filter(attrgetter("columns"), files):
            stack.enter_context(naming(file.columns, file.path))
        names = first_names(store, collection, [(file.path, file.kind) for file in files])
    plan.files = [replace(file, name=name) for file, name in zip(files, names, strict=True)]
    return plan


def header_of(path: Path) -> tuple[str, ...]:
    """The names of a file's columns, or of its first record's fields; of a file without them its first cells."""
    with naming({}, path):
        return tuple(next(iter(first_records(Opening(path), {})), ()))


@verb("read", has_line=False)
def columns_by_header(store: Store) -> dict[tuple[str, ...], dict[str, str]]:
    """The columns that were named when files were imported, by the header of these files; the last naming counts."""
    records = [] if store.is_file else store.catalogue.read(COLUMNS).values.values()
    return {tuple(record.header): record.columns for record in records}


@verb("edit")
def remember_columns(store: Store, named: Iterable[tuple[Path, str, Columns]]) -> None:
    """Keep what somebody named, of files with their kinds, for files of the same header."""
    known = columns_by_header(store)
    for path, kind, own in named:
        fields = known_kinds()[kind].columns
        columns = {ours: theirs for theirs, names in own.items() for ours in fields if fields[ours] == names}
        header = header_of(path) if columns else ()
        if columns and known.get(header) != columns:
            known[header] = columns
            record = NamedColumns(list(header), columns)
            store.catalogue.put(COLUMNS, content_name("\n".join(header).encode()), record)


@verb("read", has_line=False)
def named_before(store: Store, kind: str, paths: Iterable[Path]) -> dict[Path, Columns]:
    """The columns of files of a kind that were named for an earlier file of their header."""
    by_path: dict[Path, Columns] = {}
    known, fields = columns_by_header(store), known_kinds()[kind].columns
    for path in paths if known else ():
        columns = known.get(header_of(path), {})
        if columns and columns.keys() <= fields.keys():
            by_path[path] = known_kinds()[kind].columns_named(columns)
    return by_path


@verb("edit", has_line=False)
def preview_files(store: Store, plan: ImportPlan, *, progress: Progress = no_progress) -> ImportResult:
    """What an import of files would bring; nothing is stored, and what is refused is said of each file.

    Raises UsageError where the store can't be written, or the collection can't have that name.
    """
    with _trying(store, plan, replace=True, progress=progress) as (result, _):
        return result


@verb("edit")
def import_files(
    store: Store, plan: ImportPlan, *, replace: bool = False, anyway: bool = False, progress: Progress = no_progress
) -> ImportResult:
    """Import files of any kinds, all of them or none; one undo takes all of it back.

    Parameters
    ----------
    replace : whether a run may take the place of another one of its name
    anyway : whether files are imported of whose queries the collection has none

    Raises
    ------
    BadInput : a file is refused, or one fits nothing; all that is wrong is said
    UsageError : the store can't be written, or the collection can't have that name
    StoreError : others change the collection all the time
    """
    for _ in range(TRIES):
        with _trying(store, plan, replace=replace, progress=progress) as (result, copy):
            if result.refused:
                raise BadInput(result.refused)
            if result.strange and not anyway:
                raise BadInput(_about_strange(result))
            if copy.keep():
                if named := [(file.path, file.kind, file.columns) for file in plan.files if file.columns]:
                    remember_columns(store, named)
                return result
    raise StoreError(f"{plan.collection}: others keep changing it. Nothing was stored; try again.")


def _about_strange(result: ImportResult) -> str:
    """Why files are not imported of whose queries the collection, or the files before them, have none."""
    has = "the other files have" if result.is_new else f"{result.collection} has"
    parts = [part for part in result.parts if part.strange]
    notes = [note for part in parts for note in part.notes if "Ids look alike" in note]
    return "\n".join(
        [
            f"Queries of {listed(result.strange)}: {has} none of them. Nothing was stored.",
            *(notes or [sentence for part in parts for sentence in part.fit]),
            "To import them as they are, add --anyway.",
        ]
    )


@contextmanager
def _trying(
    store: Store, plan: ImportPlan, *, replace: bool, progress: Progress
) -> Iterator[tuple[ImportResult, Rehearsal]]:
    """The collection's copy with all files imported that can be, and what came of it."""
    collection = plan.collection
    if store.is_file:
        raise UsageError(f"{store.path} is a single-file store and read only. Open a folder to import into.")
    store.folder(collection)
    is_new, queries = collection not in store.collections(), set[str]()
    result = ImportResult(collection, changed=False, is_new=is_new)
    with ExitStack() as stack:
        for file in filter(attrgetter("columns"), plan.files):
            stack.enter_context(naming(file.columns, file.path))
        copy = stack.enter_context(rehearsal(store, collection))
        groups = _groups(plan.files)
        sizes = [0, *accumulate(sum(file.path.stat().st_size + 1 for file in group) for group in groups)]
        for group, (before, after) in zip(groups, pairwise(sizes), strict=True):
            its = within(progress, before / sizes[-1], after / sizes[-1])
            part = _import_group(copy, collection, group, replace=replace, progress=its)
            queries.update(queries_in([new_import.reading for new_import in part.imports], TABLES))
            part.imports = []  # which take much memory
            result.parts.append(part)
        _refuse_twins(copy, result)
        result.add_up(len(queries))
        yield result, copy


def _groups(files: Sequence[PlannedFile]) -> list[list[PlannedFile]]:
    """The files that are imported in one go, first those that others refer to."""
    kinds, groups = known_kinds(), dict[tuple[Any, ...], list[PlannedFile]]()
    for file in files:
        item = file.name if kinds[file.kind].many else file.path
        late = file.kind == "topics" and (file.path.stat().st_size > MANY_TOPICS or has_zeros(file.path))
        known = TABLE if file.kind == "workbench" and reader("workbench", file.path) is read_csv else file.kind
        place = FIRST.index(known) if known in FIRST and not late else len(FIRST) + [*kinds].index(file.kind)
        groups.setdefault((place, file.kind, file.scale, item), []).append(file)
    return [groups[key] for key in sorted(groups, key=lambda key: key[0])]


@verb("read", has_line=False)
def import_of(kind: str) -> Callable[..., ImportResult]:
    """The verb that takes files of a kind."""
    own: dict[str, Callable[..., ImportResult]] = {
        "bank": importing.import_bank,
        "labels": importing.import_labels,
        "leaderboard": import_leaderboard,
        "passages": import_passages,
        "qrels": importing.import_qrels,
        "run": import_run,
        "topics": importing.import_topics,
        "workbench": importing.import_workbench,
    }
    return own[kind] if kind in own else cast(Callable[..., ImportResult], wings.named("imports")[kind])


def _import_group(
    copy: Rehearsal, collection: str, group: Sequence[PlannedFile], *, replace: bool, progress: Progress
) -> ImportResult:
    """Import files in one go, and say how what they bring fits what is there before them."""
    first, kind = group[0], known_kinds()[group[0].kind]
    files, paths = [file.path.name for file in group], [file.path for file in group]
    before = known(copy, collection)
    options: dict[str, Any] = {kind.option: first.name} if kind.option and first.name else {}
    if kind.replaces:
        options["replace"] = replace
    if kind.scaled:
        options["written"] = LabelForm(first.scale, first.column or None)
    elif kind.columned and not kind.many:
        options["column"] = first.column or None
    elif kind.columned:
        options["read_as"] = {
            planned_file.path: ReadAs(planned_file.column or None, planned_file.run or None, "either")
            for planned_file in group
        }
    if kind.key == "run":
        options["name_from"] = "either"
    try:
        if kind.needed and not first.name.strip():
            raise UsageError(f"{files[0]}: {kind.name}: give one.")
        with ExitStack() as stack:
            for path in paths:
                stack.enter_context(naming_the_kind(kind.key, path))
            result = import_of(kind.key)(copy, collection, *paths, progress=progress, **options)
    except ExamboardError as error:
        return ImportResult(collection, False, files=files, kind=kind, name=first.name, refused=str(error))
    result.files, result.kind, result.name = files, kind, first.name
    for planned_file in group:
        if planned_file.as_before:
            result.notes.append(as_before(planned_file.path, planned_file.columns))
    readings, sentences = dict[str, list[Reading]](), dict[str, list[str]]()
    for new_import in result.imports:
        readings.setdefault(new_import.origin.file or new_import.origin.source, []).append(new_import.reading)
    for file, of_file in readings.items():
        fit, is_strange = fit_of(of_file, kind, before) if before else ([], False)
        result.strange += [file] if is_strange else []
        for sentence in fit:
            sentences.setdefault(sentence, []).append(file)
    for sentence, its_files in sentences.items():
        result.fit.append(sentence if len(readings) == 1 else f"{listed(its_files)}: {sentence}")
    result.rows = first_rows(next(iter(readings.values()), []), kind.main)
    return result


def _refuse_twins(copy: Rehearsal, result: ImportResult) -> None:
    """Refuse files of which one would take the place of another one unseen."""
    new = [(prepared, done.import_id) for prepared, done in copy.committed if done.changed]
    times = Counter(prepared.origin.source for prepared, _ in new)
    for prepared, import_id in new:
        if times[prepared.origin.source] > 1:
            part = next(part for part in result.parts if import_id in part.import_ids)
            part.refused = (
                f"{prepared.name}: another file of this import has its name ({prepared.origin.source}) and would "
                "replace it.\nRename one of them, or leave it out. Nothing was stored."
            )


@verb("edit", has_line=False)
def first_names(store: Store, collection: str, files: Sequence[tuple[Path, str]]) -> list[str]:
    """The names that files have where their kinds need one and nobody gives it, in their order.

    A file's name is that of the file. The only judgments become `official`, if the collection has none of that name; so
    does a leaderboard whose file says so. Output of evaluation tools, a file for each run, makes one leaderboard.
    A bank of graded questions is known by its questions.

    `files`: each with its kind.
    """
    kinds = known_kinds()
    named = any(kind in ("qrels", "leaderboard") for _, kind in files)
    taken = _official(store, collection) if named else {}
    judged = [path for path, kind in files if kind == "qrels"]
    of_runs = [path for path, kind in files if kind == "leaderboard" and is_of_one_run(path)]
    joint = _joint_name(store, collection, of_runs) if len(of_runs) > 1 else ""
    names = []
    for path, kind in files:
        own = name_of_file(path)
        if joint and path in of_runs:
            own = joint
        elif (kind == "qrels" and len(judged) == 1) or (kind == "leaderboard" and OFFICIAL in own.lower()):
            own = OFFICIAL if taken.get(kinds[kind].main, path.name) == path.name else own
        if kind == "bank":
            own = (graded_bank(store, collection, path) or own).replace("@", "-")
        names.append(own if kinds[kind].needed else "")
    return names


def _joint_name(store: Store, collection: str, paths: Sequence[Path]) -> str:
    """A name for the leaderboard of several files: what their names begin with, and which no other files have given."""
    name = common_beginning(list(map(name_of_file, paths))) or "evaluation"
    snapshot, mine = known(store, collection), " ".join(map(file_name, paths))
    taken = {source["source"] for source in (snapshot.sources if snapshot else []) if source["file"] != mine}
    names = [name, *(f"{name}-{number}" for number in range(2, len(taken) + 3))]
    return next(text for text in names if f"leaderboard:{text}" not in taken)


def _official(store: Store, collection: str) -> dict[str, str]:
    """The tables in which something is named `official`, and the file that it came from."""
    snapshot = known(store, collection)
    if snapshot is None:
        return {}
    names_of_tables = {"judgments": qrels_ids(snapshot), "leaderboards": leaderboard_ids(snapshot)}
    files = {table: source["file"] for source in snapshot.sources for table, name in source["owns"] if name == OFFICIAL}
    return {table: files.get(table, "") for table, names in names_of_tables.items() if OFFICIAL in names}


def graded_bank(store: Store, collection: str, path: Path) -> str | None:
    """The collection's graded bank whose questions are those of a bank's file; None if there is none.

    A graded file brings the ids of its questions only: their texts come with their bank, under the same name.
    """
    snapshot = known(store, collection)
    if snapshot is None:
        return None
    with suppress(ExamboardError):
        theirs = set(reader("bank", path)(path, bank_id="bank").frames["questions"]["question_id"])
        for bank in dict.fromkeys(bank for banks in graded_banks(snapshot).values() for bank in banks if bank):
            sql = "SELECT DISTINCT question_id FROM questions WHERE bank_id = ?"
            if theirs and theirs <= set(snapshot.query(sql, [bank])["question_id"]):
                return bank
    return None


MOST_FILES = 10_000
_IGNORED = re.compile(r"\..*|readme.*|licen[cs]e.*|__macosx|_success|thumbs\.db|desktop\.ini", re.IGNORECASE)
"""Names of files and folders that hold no data: hidden ones, and what is for people to read."""
NONE = "looks like none of the kinds that can be imported"
SHARED = "is a store of its own: import it with `import duckdb FILE`, or look at it with `open FILE`"
YAML = "is YAML; write it as JSON, and import that"


def holds_no_data(name: str) -> bool:
    """Whether a file or folder of this name is hidden, or for people to read."""
    return _IGNORED.fullmatch(name) is not None


def kind_of(path: Path) -> str | None:
    """The kind that a file looks like; None if it looks like none, and empty if it is for people to read."""
    if holds_no_data(path.name):
        return ""
    return guess_kind(path) or ("" if path.suffix.lower() == ".md" else None)


def why_unknown(path: Path) -> str:
    """Why a file is of no kind: what it is instead, or what stands in it."""
    if path.suffix == ".duckdb":
        return SHARED
    is_yaml = path.suffix.lower() in (".yaml", ".yml")
    return foreign_form_of(path) or (YAML if is_yaml else ". ".join(filter(None, [NONE, beginning(path)])))


def _files(path: Path, plan: ImportPlan) -> list[Path]:
    """A file, or the files below a folder, sorted."""
    if not path.exists():
        raise BadInput(f"{visible(str(path))}: there is no such file or folder. Check the path. Nothing was stored.")
    if not path.is_dir():
        plan.ignored += [path] if holds_no_data(path.name) else []
        return [] if holds_no_data(path.name) else [path]
    files: list[Path] = []

    def refuse(error: OSError) -> None:
        raise BadInput(f"{error.filename}: can't be read ({error.strerror}). Check its rights. Nothing was stored.")

    for folder, folders, names in os.walk(path, onerror=refuse):
        folders[:] = sorted(name for name in folders if not holds_no_data(name))
        for name in sorted(names):
            (plan.ignored if holds_no_data(name) else files).append(Path(folder) / name)
        if len(files) > MOST_FILES:
            raise BadInput(f"{path}: more than {MOST_FILES:,} files. Name a smaller folder. Nothing was stored.")
    plan.ignored += [file for file in files if not file.is_file()]
    return [file for file in files if file.is_file()]
