"""The view of queues: draw one, see how far reviewers are, and take the reviews away."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from exam_core.declared import declared
from exam_core.store import Snapshot
from exam_core.store.names import BankRef
from exam_core.wings.reviews import actions
from exam_core.wings.reviews.queue import Draw, Queue
from exam_core.wings.reviews.records import QUEUE as RECORD
from exam_core.wings.reviews.records import ROWS, Reviews, progress, queues_of, reviews_of
from exam_core.wording import counted
from pages.reviews.review_desk import REVIEWER
from pages.shared import boxes, data, doing, naming, share_and_export, show, visiting
from pages.shared.selection import Selection

VIEW, QUEUE, AUTHOR = "review_view", "review_queue", "review_author"
REFUSED, SAID = "reviews: why no queue was drawn", "reviews: what was drawn"
START = "reviews: what starts the queue that was drawn"
LISTED = 100
"""Queues that are listed, the newest."""
SHOWN = ("queue_id", "reviewer", "answered", "skipped", "left", "seconds")
FILES = (
    ("Table (CSV)", "csv", "csv", "text/csv"),
    ("JSON lines", "jsonl", "jsonl", "application/jsonl"),
    ("Label Studio's tasks", "labelstudio", "json", "application/json"),
)
"""What a queue is written as: a label, the form, the file's ending and type; reviews are written as the first two."""
WHAT = {"relevance": "passages", "grade": "grades", "question": "questions"}


def queue_in_words(queue: Queue) -> str:
    """A queue by what is asked, how much, how it was drawn, by whom and when."""
    sampler = (declared(Draw)["by"].about.in_words or {}).get(queue.sampler, queue.sampler)
    what = counted({WHAT[queue.task]: len(queue.items)})
    return " · ".join([what, sampler.lower(), queue.author, queue.created[:16].replace("T", " "), queue.queue_id[:6]])


def draw(selection: Selection) -> None:
    """A form that draws, and what is there."""
    _form(selection)
    is_drawn = SAID in st.session_state
    doing.refused(REFUSED, SAID)
    if is_drawn:
        doing.choose("Start reviewing", key="review_start", icon="play_arrow", **st.session_state[START])
    store = data.store()
    queues = queues_of(store, selection.snapshot.collection)
    reviews = reviews_of(store, selection.snapshot)
    st.header("Queues")
    show.problems([*store.damaged(RECORD, selection.snapshot.collection), *reviews.damaged])
    if not queues:
        show.text("No queue yet: draw one above.")
    else:
        _progress(queues[:LISTED], reviews, selection.snapshot)
        if len(queues) > LISTED:
            st.caption(f"The newest {LISTED} of {len(queues):,}.")
    _export(reviews, selection.snapshot)


def _form(selection: Selection) -> None:
    """What is drawn, how much, and how: the declared fields of `Draw`."""
    grader = selection.series[0] if selection.series and selection.of_grades else None
    st.header("Draw a queue")
    if not visiting.allowed("edit"):
        return
    bank = f" on the bank {BankRef.parse(selection.request.bank).name}" if selection.request.bank else ""
    graded = f" that {naming.name(grader)} graded{bank}" if grader else ""
    show.text(
        f"Items are passages{graded}, from the first {selection.request.depth} of each run. The bar chooses these."
    )
    with st.form("review_draw", border=True):
        left, right = st.columns(2)
        places: dict[str, Any] = {"task": left, "by": right, "n": left, "shared": right, "seed": left}
        record = {name: _ask(place, name) for name, place in places.items()}
        right.text_input("Your name", key=AUTHOR, help="If empty: the account that runs the dashboard.")
        record["instruction"] = _ask(st, "instruction", max_chars=2000)
        st.form_submit_button("Draw", on_click=_draw, args=(selection, grader))


def _ask(place: Any, name: str, **widget: Any) -> Any:
    field = declared(Draw)[name]
    if field.choices:
        widget["index"] = list(field.choices).index(field.default)
    return boxes.ask_field(place, Draw, name, key=f"review_draw_{name}", **widget)


def _draw(selection: Selection, grader: str | None) -> None:
    """Draw, and have the new queue chosen where one reviews; for the form's button."""
    record = {name: boxes.held(Draw, name, key=f"review_draw_{name}") for name in declared(Draw)}
    record["instruction"] = (record["instruction"] or "").strip()
    request = selection.request.of(grader)
    author = st.session_state[AUTHOR].strip()
    with doing.refusing(REFUSED):
        queue = actions.draw_queue(data.store(), selection.snapshot.collection, request, Draw(**record), author=author)
        st.session_state[QUEUE] = queue.queue_id
        st.session_state[SAID] = f"Drawn: {queue_in_words(queue)}, of {queue.population:,}."
        # Who draws and says a name need not say it again to review.
        st.session_state[START] = {VIEW: "Review"} | ({REVIEWER: author} if author else {})


def _progress(queues: list[Queue], reviews: Reviews, snapshot: Snapshot) -> None:
    frame = progress(queues, reviews.rows).rows
    names = {queue.queue_id: queue_in_words(queue) for queue in queues}
    rows = frame[list(SHOWN)].assign(queue_id=frame["queue_id"].map(names))
    of = ROWS.changed(queue_id={"width": "large", "help": "", "pinned": False})
    show.table(rows, of, key="review_queues", export=frame)
    with st.popover("Save a queue", icon=":material/download:", type="tertiary", on_change="rerun") as box:
        if box.open:
            _take_along(queues, snapshot)


def _take_along(queues: list[Queue], snapshot: Snapshot) -> None:
    """A queue as a file in which people review elsewhere; `import reviews` and the upload take it back."""
    picked = st.selectbox("Queue", queues, format_func=queue_in_words, key="review_taken_queue")
    for label, form, ending, mime in FILES:
        name = f"queue-{picked.queue_id[:8]}.{ending}"
        share_and_export.save(label, partial(actions.queue_text, snapshot, picked, form), name, mime)


def _export(reviews: Reviews, snapshot: Snapshot) -> None:
    st.header("Reviews")
    if len(reviews):
        show.text(f"{counted({'reviews': len(reviews)})}, including those that were skipped, taken back or superseded.")
        with st.popover("Export", icon=":material/download:", type="tertiary", key="reviews_export"):
            for label, form, ending, mime in FILES[:2]:
                text_of = partial(actions.reviews_text, data.store(), snapshot, form)
                share_and_export.save(label, text_of, f"reviews.{ending}", mime)
    else:
        show.text("Nobody has reviewed anything yet.")
    show.text("Upload reviews from a spreadsheet or from Label Studio.")
    show.link("pages/home/home.py", "Upload a file", ":material/upload:")
