"""Import by upload: choose a file, see what it would bring, import it, and take it back."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from exam_core import actions
from exam_core.actions import UPLOAD_KINDS, UPLOAD_MEGABYTES, Imported, Preview, Upload, UploadOrder
from exam_core.errors import ExamboardError
from exam_core.progress import Progress
from exam_core.wording import counted
from pages.shared import data, show, visiting

SAID, ROUND, LAST = "overview: what was done", "overview: round of uploads", "overview: last answer"
WHAT = (
    "A run, responses, qrels, labels of a grading mode, a question bank, query texts, a leaderboard or a graded file, "
    f"plain, gzip or xz, up to {UPLOAD_MEGABYTES} MB. Nothing is stored before you press Import."
)
WHERE = "An existing collection, or a new one that you name."
LEADERBOARD = "pages/leaderboard.py"
NEW = ""
"""Choice of a collection that is still to be named; no collection has an empty name."""
GUESSED = "Guessed from the first lines and the name of the file; change it if it is wrong."
UNKNOWN = "The file looks like none of the kinds that can be imported. Choose its kind to see what is wrong with it."
REPLACES = "An import takes the place of what is there. To keep both, give this another name above."
SCALE = "Scale of the labels (may stay empty)"
SCALE_HELP = "From 0 to the largest label that the grading mode may give. The preview says what is taken without it."
EVERY_COLUMN = "each is a leaderboard"
COLUMN_HELP = "Which of the file's columns or measures the leaderboard is about. Larger values are better."
RUN_HELP = "Whose values the file holds: no line of it says so."
NAMES = {"qrels": "official", "leaderboard": "official"}
"""Names to begin with; those of other kinds begin with the file's name."""
COMMANDS = (
    "python -m exam_core import workbench graded.jsonl.gz --collection mine --bank genq\n"
    "python -m exam_core import run runs/*.run --collection mine\n"
    "python -m exam_core import qrels official.qrels --collection mine\n"
    "python -m exam_core import labels Sun.qrel.gz --grader Sun --collection mine\n"
    "python -m exam_core import leaderboard official.csv --name official --collection mine\n"
    "python -m exam_core import undo --collection mine"
)


def draw(collection: str | None = None) -> None:
    """The uploader with everything that follows from a file.

    Parameters
    ----------
    collection : where the file goes unless another one is chosen
    """
    st.subheader("Add files")
    if not visiting.allowed("edit"):
        return
    _announce(collection)
    this_round = st.session_state.get(ROUND, "first")
    file = st.file_uploader(
        "File to add", key=f"overview_file_{this_round}", help=WHAT, max_upload_size=UPLOAD_MEGABYTES
    )
    if file is None:
        st.caption(WHAT)
        with st.expander("Larger files, or many at once: on the command line"):
            show.command(COMMANDS)
            st.caption("The page shows new data at its next click; nothing needs a restart.")
        return
    upload = Upload(file.name, file.getvalue())
    order = _order(file, upload, collection)
    if order is None:
        return
    found = _preview(file, upload, order)
    if found:
        _show(found, upload)


def _announce(collection: str | None) -> None:
    """What was imported or undone last, with a way back."""
    said: tuple[str, list[str], Imported | None] | None = st.session_state.get(SAID)
    if said is None:
        return
    sentence, notes, done = said
    with st.container(border=True):
        st.markdown(":material/check_circle: **Done**")
        show.text(sentence)
        for note in notes:
            show.text(f"– {note}")
        with st.container(horizontal=True):
            if done and done.collection != collection:
                name = done.collection
                st.button(f"Open {show.escaped(name)}", key="overview_open", on_click=_open, args=(name,))
            if done and done.collection == collection and "runs" in done.counts:
                show.link(LEADERBOARD, "See where it stands", ":material/leaderboard:", **_runs(done))
            if done and done.import_ids and st.button("Undo this import", key="overview_undo", icon=":material/undo:"):
                _undo(done.collection, done.import_ids)
            if st.button("Dismiss", key="overview_dismiss", type="tertiary"):
                del st.session_state[SAID]
                st.rerun()


def _runs(done: Imported) -> dict[str, str]:
    """The run that was imported, as the Leaderboard's parameter; empty where there are several."""
    snapshot = data.snapshot(done.collection)
    sources = [source["source"] for source in snapshot.sources if source.get("id") in done.import_ids]
    runs = [source.removeprefix("run:") for source in sources if source.startswith("run:")]
    return {"leaderboard_run": runs[0]} if len(runs) == 1 else {}


def _open(collection: str) -> None:
    """Choose a collection in the control bar, which has been drawn when a page runs: before the next run, that is."""
    st.session_state["collection"] = collection


def undo_button(collection: str, source: dict[str, Any]) -> None:
    """A way back for one import, with a question before."""
    import_id = str(source["id"])
    with st.popover("Undo", icon=":material/undo:", type="tertiary", key=f"overview_ask_{collection}_{import_id}"):
        show.text(
            f"Take back what {source['file'] or source['source']} brought to {collection}? What it had replaced counts "
            "again. The file itself can be imported again at any time."
        )
        if st.button("Undo this import", key=f"overview_undo_{collection}_{import_id}"):
            _undo(collection, (import_id,))


def _order(file: UploadedFile, upload: Upload, collection: str | None) -> UploadOrder | None:
    """Kind, collection and name; None where one is missing."""
    guessed = _once((file.file_id, "kind"), lambda: actions.kind_of_upload(upload))
    kinds, names = list(UPLOAD_KINDS), data.collections()
    left, right = st.columns(2)
    kind = left.selectbox(
        "Kind of file",
        kinds,
        index=kinds.index(guessed) if guessed else None,
        format_func=lambda name: UPLOAD_KINDS[name].title,
        key=f"overview_kind_{file.file_id}",
        help=GUESSED,
        placeholder="Choose what the file holds",
    )
    into = right.selectbox(
        "Collection to add to",
        [*names, NEW],
        index=names.index(collection) if collection in names else len(names),
        format_func=lambda name: name or "A new collection",
        key=f"overview_into_{file.file_id}",
        help=WHERE,
    )
    if into == NEW:
        into = right.text_input("Name of the new collection", key=f"overview_new_{file.file_id}").strip()
    if guessed is None:
        st.warning(UNKNOWN)
    if kind is None or not into:
        st.caption("Choose a kind and a collection to see what the file would bring.")
        return None
    named = UPLOAD_KINDS[kind]
    name = ""
    if named.option:
        name = st.text_input(
            named.name if named.needed else f"{named.name} (may stay empty)",
            value=_once((file.file_id, kind, into), lambda: _first_name(kind, upload, into)) if named.needed else "",
            key=f"overview_name_{file.file_id}_{kind}_{into}",
            help=named.unnamed or None,
        )
        if named.needed and not name.strip():
            st.caption("Give a name.")
            return None
    scale = ""
    if named.scaled:
        scale = st.text_input(SCALE, key=f"overview_scale_{file.file_id}", help=SCALE_HELP, placeholder="0-3")
    column, run = _decided(file, upload) if named.columned else ("", "")
    if column is None or run is None:
        return None
    return UploadOrder(kind, into, name, scale=scale, column=column, run=run)


def _decided(file: UploadedFile, upload: Upload) -> tuple[str | None, str | None]:
    """The column of a leaderboard's file that is read, and its run; None where one has to be chosen yet."""
    asks = _once((file.file_id, "undecided"), lambda: actions.undecided_of_upload(upload))
    column: str | None = ""
    if asks.columns:
        column = st.selectbox(
            "Column of the score",
            asks.columns if asks.needs_column else ("", *asks.columns),
            index=None if asks.needs_column else 0,
            format_func=lambda name: name or EVERY_COLUMN,
            key=f"overview_column_{file.file_id}",
            help=COLUMN_HELP,
            placeholder="Choose the column that ranks the runs",
        )
        if column is None:
            st.caption("Choose a column to see the leaderboard.")
    run: str | None = ""
    if asks.needs_run:
        stem = actions.plain_file_name(upload.name).split(".")[0]
        run = st.text_input("Name of the run", value=stem, key=f"overview_run_{file.file_id}", help=RUN_HELP).strip()
        if not run:
            st.caption("Name the run whose values the file holds.")
            run = None
    return column, run


def _preview(file: UploadedFile, upload: Upload, order: UploadOrder) -> Preview | None:
    """What the import would bring, or a message about what is wrong with the file."""
    prints = tuple(data.snapshot(name).fingerprint for name in data.collections() if name == order.collection)
    try:
        found: Preview = _once(
            (file.file_id, order, prints),
            lambda: _with_bar("Reading", lambda bar: actions.preview_upload(data.store(), upload, order, progress=bar)),
        )
    except ExamboardError as error:
        refuse(str(error))
        return None
    return found


def _show(found: Preview, upload: Upload) -> None:
    """The preview, and the button that imports."""
    order = found.order
    with st.container(border=True):
        st.markdown("**Preview**: nothing is stored yet")
        verb = "makes the new collection" if found.is_new else "changes" if found.replaced else "adds to"
        show.text(f"{upload.name} {verb} {order.collection}: {counted(found.counts)}")
        for sentence in (*found.fit, *found.notes):
            show.text(f"– {sentence}")
        st.dataframe(found.rows, hide_index=True, height="auto", alt="First rows of the file")
        if not found.changed:
            st.info("The collection holds all of this already; an import would change nothing.")
            return
        if found.replaced:
            st.warning(REPLACES, icon=":material/find_replace:")
            for sentence in found.replaced:
                show.text(f"– {sentence}")
        label = "Import and replace" if found.replaced else "Import"
        if st.button(label, type="primary", icon=":material/download_done:", key="overview_import"):
            _import(upload, replace(order, replace=bool(found.replaced)))


def _import(upload: Upload, order: UploadOrder) -> None:
    try:
        done = _with_bar("Importing", lambda bar: actions.import_upload(data.store(), upload, order, progress=bar))
    except ExamboardError as error:
        refuse(str(error))
        return
    _say(f"{upload.name} is imported into {order.collection}: {done.counted}.", done.notes, done)


def _undo(collection: str, import_ids: tuple[str, ...]) -> None:
    try:
        undone = [actions.undo_import(data.store(), collection, import_id) for import_id in import_ids]
    except ExamboardError as error:
        refuse(str(error))
        return
    _say(undone[-1].sentence, [], None)


def _say(sentence: str, notes: list[str], done: Imported | None) -> None:
    """Begin anew, with an empty uploader and a word on what was done."""
    st.session_state[SAID] = sentence, notes, done
    st.session_state[ROUND] = uuid.uuid4().hex
    st.session_state.pop(LAST, None)
    st.rerun()


def refuse(message: str) -> None:
    """What is wrong, line by line, letter for letter."""
    st.error("This can't be imported. Nothing was stored.", icon=":material/block:")
    show.command(message)


def _first_name(kind: str, upload: Upload, into: str) -> str:
    known = actions.graded_bank_of_upload(data.store(), upload, into) if kind == "bank" else NAMES.get(kind)
    return known or actions.plain_file_name(upload.name).split(".")[0]


def _with_bar(label: str, work: Callable[[Progress], Any]) -> Any:
    place = st.empty()

    def bar(share: float) -> None:
        place.progress(min(max(share, 0.0), 1.0), f"{label} ...")

    try:
        with st.spinner(f"{label} ...", show_time=True):
            return work(bar)
    finally:
        place.empty()


def _once(key: Hashable, work: Callable[[], Any]) -> Any:
    """An answer about the file at hand, kept until the next file: a page runs again at every click."""
    kept: dict[Hashable, Any] = st.session_state.setdefault(LAST, {})
    if key not in kept:
        kept[key] = work()
    return kept[key]
