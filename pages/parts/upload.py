"""Import by upload: choose files, see what they would bring, import them together, and take them back."""

from __future__ import annotations

import html
import uuid
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.elements.widgets.file_uploader import DeletedFile  # type: ignore[attr-defined]

from exam_core.actions import undoing, uploading
from exam_core.actions.committing import ImportResult
from exam_core.actions.import_plans import PlannedFile, columns_by_header
from exam_core.actions.uploading import UPLOAD_KINDS, UPLOAD_MEGABYTES, Upload, UploadOutline
from exam_core.defaults import EMBEDDED
from exam_core.errors import ExamboardError
from exam_core.names import listed
from exam_core.wording import common_beginning, counted
from pages.mending.leaving import TOGETHER
from pages.shared import data, naming, scrolling, show, visiting
from pages.shared.controls import NEXT_COLLECTION

SAID, ROUND, LAST = "overview: what was done", "overview: round of uploads", "overview: last answer"
MADE, TO_DONE = "overview: collection of the last import", "overview: scroll to what was done"
DONE = "overview_done"
FILES = "Add files"
WHAT = (
    "Runs, responses, judgments, topics, passages, question banks, labels, leaderboards or graded files, all at once, "
    f"up to {UPLOAD_MEGABYTES} MB each."
)
BEFORE = "Runs, judgments, banks, grades and more. Nothing is stored before you press Import."
TEMPLATES = "Replace an example's rows with yours. All examples have the same queries and can be imported together."
WHERE = "An existing collection, or a new one that you name."
LEADERBOARD = "pages/leaderboard/leaderboard.py"
NEW = ""
"""Choice of a collection that is still to be named; no collection has an empty name."""
LEFT_OUT = ""
"""Choice of a file that is not imported; no kind has an empty name."""
GUESSED = "Guessed from the first lines and the name of the file; change it if it is wrong."
UNKNOWN = "Choose its kind to see what is wrong with it, or leave it out."
SHARES = (4, 3, 6)
"""Widths of a file's name, its kind, and what it holds."""
REPLACES = "The import replaces this data. To keep both, give the new data another name above."
STRANGE = "{} has none of the queries of {}. Import anyway"
LOST = "{} was not uploaded: files of one visitor may have {} MB together. Import larger ones on the command line."
SCALE = "Scale of the labels (may stay empty)"
SCALE_HELP = "From 0 to the largest label of the grading mode. If empty, the preview says which scale is assumed."
EVERY_COLUMN = "each is a leaderboard"
COLUMNS = "overview: columns of files"
AS_IT_IS, VALUES = "As the file names it", 60
COLUMN_HELP = "The column with the labels, or the measure that scores the runs; larger is better."
RUN_HELP = "The run whose values the file holds; its lines don't name it."
COMMANDS = (
    "examboard import mydata/\n"
    "examboard import run runs/*.run --name-from file --collection mine\n"
    "examboard import labels Sun.qrel.gz --grader Sun --collection mine\n"
    "examboard import undo --collection mine"
)


def draw(collection: str | None = None, *, to_board: bool = False) -> None:
    """The uploader with everything that follows from files.

    Parameters
    ----------
    collection : of the bar: where files go unless it is embedded, or another one was just made
    to_board : whether an import ends at the leaderboard, if there is something to rank
    """
    if not visiting.allowed("edit"):
        return
    announce()
    key = _key()
    files = st.file_uploader(FILES, key=key, help=WHAT, accept_multiple_files=True, max_upload_size=UPLOAD_MEGABYTES)
    if lost := sum(isinstance(file, DeletedFile) for file in st.session_state.get(key) or ()):
        st.warning(LOST.format(counted({"files": lost}), TOGETHER >> 20))
    if not files:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(BEFORE, width="stretch")
            _templates()
            with st.popover("On the command line", width="content"):
                show.text("For larger files, and whole folders:")
                show.command(COMMANDS)
                st.caption("Pages show the new data at the next click.")
        return
    files = list({file.name: file for file in files}.values())  # one that is dropped again is the corrected one
    uploads = {file.file_id: Upload(file.name, file.getvalue()) for file in files}
    above, below = st.container(), st.container()
    with below:
        rows = {file_id: _row(file_id, upload) for file_id, upload in uploads.items()}
    with above:
        where = st.container(horizontal=True, vertical_alignment="bottom")
        into = _target(where, list(uploads.values()), collection)
        orders = _orders(uploads, rows, into) if into else None
        if not orders:
            st.caption("Choose a kind for each file, and a collection, to see a preview.")
            return
        ordered = [(uploads[file_id], order) for file_id, order in orders.items()]
        import_result = _preview(tuple(orders.items()), ordered, into)
        if import_result:
            _say_what_comes(import_result, ordered, where, to_board=to_board)
    if import_result:
        _fill(import_result, {uploading.plain_file_name(uploads[file_id].name): row for file_id, row in rows.items()})


def _key() -> str:
    """The key of the uploader, which begins anew after an import."""
    return f"overview_file_{st.session_state.get(ROUND, 'first')}"


def has_files() -> bool:
    """Whether files are there that are not imported yet."""
    return bool(st.session_state.get(_key()))


def _templates() -> None:
    with st.popover("Example files", width="content"):
        key = st.selectbox(
            "Kind of file",
            UPLOAD_KINDS,
            format_func=lambda name: UPLOAD_KINDS[name].noun,
            key="overview_template_kind",
            help=TEMPLATES,
        )
        kind = UPLOAD_KINDS[key]
        st.code(kind.template, language=None)
        st.download_button(
            f"Download {kind.file_name}",
            kind.template,
            kind.file_name,
            "text/plain",
            key="overview_template",
            icon=":material/download:",
            on_click="ignore",
        )


def announce(*, board: bool = True) -> None:
    """What was imported or undone last, with ways on (to the leaderboard if `board`) and back."""
    last: tuple[str, list[str], ImportResult | None] | None = st.session_state.get(SAID)
    if last is None:
        return
    sentence, notes, done = last
    if st.session_state.pop(TO_DONE, False):
        scrolling.to(DONE)
    with st.container(border=True, key=DONE):
        with st.container(horizontal=True):
            st.markdown(":material/check_circle: **Done**", width="content")
            show.text(sentence)
        show.notes(notes, expanded=False)
        with st.container(horizontal=True):
            if done and board and st.button("See the leaderboard", key="overview_board", icon=":material/leaderboard:"):
                _to_board(done)
            if done and done.import_ids and st.button("Undo this import", key="overview_undo", icon=":material/undo:"):
                _undo(done.collection, done.import_ids)
            if st.button("Dismiss", key="overview_dismiss", type="tertiary"):
                del st.session_state[SAID]
                st.rerun()


def _to_board(done: ImportResult) -> None:
    """Turn to the leaderboard, and there to the run that came, if it was one."""
    snapshot = data.snapshot(done.collection)
    sources = [source["source"] for source in snapshot.sources if source.get("id") in done.import_ids]
    runs = [source.removeprefix("run:") for source in sources if source.startswith("run:")]
    st.switch_page(LEADERBOARD, query_params={"leaderboard_run": runs[0]} if len(runs) == 1 else {})


def undo_button(collection: str, source: dict[str, Any]) -> None:
    """A way back for one import, with a question before."""
    import_id = str(source["id"])
    with st.popover("Undo", icon=":material/undo:", type="tertiary", key=f"overview_ask_{collection}_{import_id}"):
        show.text(
            f"Undo the import of {source['file'] or source['source']} into {collection}? Data that it replaced count "
            "again. The file can be imported again at any time."
        )
        if st.button("Undo this import", key=f"overview_undo_{collection}_{import_id}"):
            _undo(collection, (import_id,))


@dataclass(frozen=True)
class _Row:
    """A file's line of the preview: its kind (None: still to be chosen), and places for its content and questions."""

    kind: str | None
    holds: Any
    asks: Any


def _row(file_id: str, upload: Upload) -> _Row:
    """The name of a file and its kind, as guessed until somebody chooses another one."""
    outline = _outline(file_id, upload)
    kinds, name = [*UPLOAD_KINDS, LEFT_OUT], show.escaped(upload.name)
    left, middle, right = st.columns(SHARES)
    left.markdown(name)
    kind = middle.selectbox(
        f"Kind of {name}",
        kinds,
        index=None if outline.kind is None else kinds.index(outline.kind),
        format_func=lambda name: UPLOAD_KINDS[name].noun if name else "Leave this file out",
        key=f"overview_kind_{file_id}",
        help=GUESSED,
        placeholder="Choose what the file holds",
        label_visibility="collapsed",
    )
    if kind is None:
        with right:
            show.text(f"It {outline.why}. {UNKNOWN}")
    return _Row(kind, right, right.container(horizontal=True))


def _outline(file_id: str, upload: Upload) -> UploadOutline:
    outline: UploadOutline = _once((file_id, "outline"), partial(uploading.outline_of_upload, upload))
    return outline


def _target(place: Any, uploads: Sequence[Upload], collection: str | None) -> str:
    """The collection that files go to; empty where it has no name yet."""
    names, this_round = data.collections(), st.session_state.get(ROUND, "first")
    made = st.session_state.get(MADE)
    usual = made if made in names else collection if collection in names and collection not in EMBEDDED else NEW
    into = place.selectbox(
        "Collection to add to",
        [*names, NEW],
        index=[*names, NEW].index(usual),
        format_func=lambda name: name or "A new collection",
        key=f"overview_into_{this_round}",
        help=WHERE,
    )
    if into == NEW:
        into = place.text_input(
            "Name of the new collection", value=_new_name(uploads, names), key=f"overview_new_{this_round}"
        ).strip()
    return str(into)


def _new_name(uploads: Sequence[Upload], taken: Sequence[str]) -> str:
    """A name that no collection has: what the names of all files begin with, if they do."""
    stems = [uploading.plain_file_name(upload.name).split(".")[0] for upload in uploads]
    name = common_beginning(stems) or (stems[0] if len(stems) == 1 else "") or "mydata"
    numbered = [name, *(f"{name}-{number}" for number in range(2, len(taken) + 3))]
    return next(free for free in numbered if free not in (*taken, *EMBEDDED))


def _orders(uploads: dict[str, Upload], rows: dict[str, _Row], into: str) -> dict[str, PlannedFile] | None:
    """What each file is imported as, by its id, without those that are left out; None where something is missing."""
    wanted = {file_id: row.kind for file_id, row in rows.items() if row.kind != LEFT_OUT}
    if None in wanted.values():
        return None
    pairs = [(uploads[file_id], str(kind)) for file_id, kind in wanted.items()]
    key = tuple(wanted.items()), into, _fingerprints(into)
    usual = _once(key, lambda: uploading.names_of_uploads(data.store(), into, pairs))
    orders = {}
    for (file_id, kind), name in zip(wanted.items(), usual, strict=True):
        with rows[file_id].asks:
            order = _order(file_id, uploads[file_id], str(kind), name, alone=len(uploads) == 1)
        if order is None:
            return None
        orders[file_id] = order
    return orders


def _order(file_id: str, upload: Upload, kind: str, usual: str, *, alone: bool) -> PlannedFile | None:
    """What a file is imported as; of many files, names that may stay empty are not asked for."""
    named, of = UPLOAD_KINDS[kind], "" if alone else f" in {show.escaped(upload.name)}"
    name = scale = ""
    if named.option and (named.needed or alone):
        name = st.text_input(
            f"{named.name}{of}" if named.needed else f"{named.name} (may stay empty)",
            value=usual,
            key=f"overview_name_{file_id}_{kind}_{usual}",
            help=named.unnamed or None,
        )
        if named.needed and not name.strip():
            st.caption("Give a name.")
            return None
    if named.scaled:
        scale = st.text_input(f"{SCALE}{of}", key=f"overview_scale_{file_id}", help=SCALE_HELP, placeholder="0-3")
    column, run = _column_and_run(file_id, upload, kind, of) if named.columned else ("", "")
    columns = UPLOAD_KINDS[kind].columns_named(_columns(file_id, upload, kind, of))
    if column is None or run is None:
        return None
    return PlannedFile(Path(upload.name), kind, name, scale, column, run, columns)


def _columns(file_id: str, upload: Upload, kind: str, of: str) -> dict[str, str]:
    """Our fields and the columns chosen for them, of a file that does not look like its kind; first as for the last."""
    outline = _outline(file_id, upload)
    if outline.kind == kind or not UPLOAD_KINDS[kind].columns:
        return {}
    columns = outline.columns
    last = st.session_state.setdefault(COLUMNS, {})
    before = last.get((kind, *columns)) or columns_by_header(data.store()).get(tuple(columns), {})
    theirs, names = {}, ["", *columns]
    for ours in UPLOAD_KINDS[kind].columns if columns else ():
        theirs[ours] = st.selectbox(
            f"Column of the {'passage' if ours == 'doc' else ours}{of}",
            names,
            index=names.index(before.get(ours, "")),
            format_func=lambda name: f"{name} ({', '.join(columns[name])[:VALUES]})" if name else AS_IT_IS,
            key=f"overview_columns_{file_id}_{kind}_{ours}",
        )
    last[(kind, *columns)] = theirs
    return {ours: name for ours, name in theirs.items() if name}


def _column_and_run(file_id: str, upload: Upload, kind: str, of: str) -> tuple[str | None, str | None]:
    """The column that is read, and the run of a leaderboard's file; None where one has to be chosen yet."""
    asks = _once((file_id, kind, "undecided"), lambda: uploading.undecided_of_upload(upload, kind))
    column: str | None = ""
    if asks.columns:
        column = st.selectbox(
            f"Column of the scores or labels{of}",
            asks.columns if asks.needs_column else ("", *asks.columns),
            index=None if asks.needs_column else 0,
            format_func=lambda name: name or EVERY_COLUMN,
            key=f"overview_column_{file_id}",
            help=COLUMN_HELP,
            placeholder="Choose the column that is read",
        )
        if column is None:
            st.caption("Choose a column to go on.")
    run: str | None = ""
    if asks.needs_run:
        stem = uploading.plain_file_name(upload.name).split(".")[0]
        run = st.text_input(f"Name of the run{of}", value=stem, key=f"overview_run_{file_id}", help=RUN_HELP).strip()
        if not run:
            st.caption("Name the run whose values the file holds.")
            run = None
    return column, run


def _fingerprints(into: str) -> tuple[str, ...]:
    return tuple(data.snapshot(name).fingerprint for name in data.collections() if name == into)


def _preview(key: Hashable, ordered: list[tuple[Upload, PlannedFile]], into: str) -> ImportResult | None:
    """What the import would bring, or a message about why nothing can be imported."""

    def read() -> ImportResult:
        with data.report_progress("Reading") as progress:
            return uploading.preview_uploads(data.store(), into, ordered, progress=progress)

    with _refusing():
        return _once((key, into, _fingerprints(into)), read)
    return None


def _say_what_comes(
    import_result: ImportResult, ordered: list[tuple[Upload, PlannedFile]], place: Any, *, to_board: bool
) -> None:
    """What an import would do, what stands against it, and the button for it, in its place."""
    into, replaced = import_result.collection, import_result.replaced
    if import_result.refused:
        refuse(import_result.refused)
        return
    s = "s" if len(ordered) == 1 else ""
    verb = f"make{s} the new collection" if import_result.is_new else f"change{s}" if replaced else f"add{s} to"
    show.text(f"{_files(ordered)} {verb} {into}: {import_result.counted}. Nothing is stored yet.")
    if not import_result.changed:
        st.info("The collection holds all of this already; an import would change nothing.")
        return
    if replaced:
        st.warning(REPLACES, icon=":material/find_replace:")
    anyway = not import_result.strange or st.checkbox(
        STRANGE.format(show.escaped(into), show.escaped(", ".join(import_result.strange))), key="overview_anyway"
    )
    label = "Import and replace" if replaced else "Import"
    icon = ":material/download_done:"
    if place.button(label, type="primary", icon=icon, key="overview_import", disabled=not anyway):
        with _refusing():
            done = _import(ordered, into, replace=bool(replaced), anyway=anyway)
            if to_board and data.about(data.snapshot(into))["systems"]:
                _to_board(done)
            st.rerun()


def _fill(import_result: ImportResult, rows: dict[str, _Row]) -> None:
    """Write beside each file what it brings, and below the files each note once, with the files that it is about."""
    notes: dict[str, list[str]] = {}
    for part in import_result.parts:
        first, *others = (rows[name] for name in part.files)
        for row in others:
            row.holds.caption(f"together with {show.escaped(part.files[0])}")
        brings = "refused" if part.refused else part.counted if part.changed else f"{part.counted}, there already"
        first.holds.html(f'<div class="held">{html.escape(brings)}</div>')
        for sentence in [*part.fit, *part.notes]:
            of = [] if len(import_result.parts) == 1 or sentence.startswith(tuple(part.files)) else part.files
            notes.setdefault(sentence, []).extend(of)
        if len(import_result.parts) == 1 and len(part.rows):
            st.dataframe(part.rows, hide_index=True, height="auto", alt="First rows of the file")
    if notes:
        sentences = (f"{listed(of)}: {sentence}" if of else sentence for sentence, of in notes.items())
        items = "".join(f"<li>{html.escape(naming.sentence(text))}</li>" for text in sentences)
        st.html(f'<div class="held"><ul>{items}</ul></div>')


def _files(ordered: Sequence[tuple[Upload, PlannedFile]]) -> str:
    return ordered[0][0].name if len(ordered) == 1 else f"{len(ordered):,} files"


def _import(ordered: list[tuple[Upload, PlannedFile]], into: str, *, replace: bool, anyway: bool) -> ImportResult:
    with data.report_progress("Importing") as progress:
        done = uploading.import_uploads(data.store(), into, ordered, replace=replace, anyway=anyway, progress=progress)
    st.session_state[MADE] = st.session_state[NEXT_COLLECTION] = into
    verb = "is" if len(ordered) == 1 else "are"
    _note(f"{_files(ordered)} {verb} imported into {into}: {done.counted}.", done.notes, done)
    return done


def _undo(collection: str, import_ids: tuple[str, ...]) -> None:
    with _refusing():
        _note(undoing.undo_imports(data.store(), collection, import_ids).sentence, [], None)
        st.rerun()


def _note(sentence: str, notes: list[str], done: ImportResult | None) -> None:
    """Keep what was done for `announce`, and begin anew with an empty uploader."""
    st.session_state[SAID] = sentence, notes, done
    st.session_state[ROUND] = uuid.uuid4().hex
    st.session_state[TO_DONE] = True
    st.session_state.pop(LAST, None)


def refuse(message: str) -> None:
    """Why nothing was imported, line by line, letter for letter."""
    st.error("This can't be imported. Nothing was stored.", icon=":material/block:")
    show.command("\n".join(line for line in naming.sentence(message).splitlines() if line != "Nothing was stored."))


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except ExamboardError as error:
        refuse(str(error))


def _once(key: Hashable, work: Callable[[], Any]) -> Any:
    """What work gives about these files, kept until the next import: a page runs again at every click."""
    results: dict[Hashable, Any] = st.session_state.setdefault(LAST, {})
    if key not in results:
        results[key] = work()
    return results[key]
