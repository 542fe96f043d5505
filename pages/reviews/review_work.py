"""The view in which somebody reviews: who, which queue, and one item after the other."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from exam_core.errors import ExamboardError
from exam_core.people import LONGEST_NOTE
from exam_core.wings.reviews import actions
from exam_core.wings.reviews.queue import TAKEN_BACK, Queue, answered_by, to_do
from exam_core.wings.reviews.records import progress_of, queues_of, reviews_of
from exam_core.wings.reviews.review import Review
from pages.reviews import review_desk as desk
from pages.reviews import review_scales as scales
from pages.reviews import review_who
from pages.reviews.review_items import Items
from pages.reviews.review_queues import QUEUE, VIEW, queue_in_words
from pages.reviews.review_taken import taken
from pages.shared import data, doing, show
from pages.shared.selection import Selection

AHEAD = 20
"""Items that the browser holds."""
CHARACTERS = 200_000
"""Of all texts that it holds; where passages are long, it holds fewer."""
SHOWN = "review_shown"
REASON = "can't tell"
HELP = {
    "queue": "Items drawn with known probabilities.",
    "shown": "Off: the model's grade shows after your answer. On: before your answer, which biases it. "
    "Each review records the setting.",
}


def draw(selection: Selection) -> None:
    """Who reviews which queue, and the desk."""
    queues = {queue.queue_id: queue for queue in queues_of(data.store(), selection.snapshot.collection)}
    if not queues:
        show.text(f"{selection.snapshot.collection} has no queue yet. Draw one: a sample of items to review.")
        doing.choose("Draw a queue", key="review_to_queues", **{VIEW: "Queues"})
        return
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    queue_id = _queue(left, queues)
    if name := review_who.ask(right):
        work(selection, queues[queue_id], name)


def _queue(place: Any, queues: Mapping[str, Queue]) -> str:
    """Which queue is reviewed; where it is not the newest, by its id in the address, because its words are long."""
    request = st.session_state.get(QUEUE, st.query_params.get(QUEUE))
    if request and request not in queues:
        show.text("The queue of this link is not here; the newest is shown.")
    st.session_state[QUEUE] = request if request in queues else next(iter(queues))
    picked: str = place.selectbox(
        "Queue", list(queues), format_func=lambda name: queue_in_words(queues[name]), key=QUEUE, help=HELP["queue"]
    )
    if picked != next(iter(queues)):
        st.query_params[QUEUE] = picked
    elif QUEUE in st.query_params:
        del st.query_params[QUEUE]
    return picked


@st.fragment
def work(selection: Selection, queue: Queue, reviewer: str) -> None:
    """The desk of a reviewer; it alone runs anew when something was answered."""
    store, collection = data.store(), selection.snapshot.collection
    shown = st.toggle("Show the model's grade first", key=SHOWN, help=HELP["shown"], persist_state="session")
    key = desk.key_of(str(store.path), collection, queue.queue_id, reviewer)
    recorded = _recorded(selection, queue, reviewer, desk.sent(key))
    if recorded is None:
        return
    show.problems([*recorded.reviews.damaged])
    rows = [row for row in recorded.reviews.rows if row.queue_id == queue.queue_id]
    fields = _given(Items(selection, queue), queue, reviewer, rows, shown=shown)
    done = not fields["left"]
    if done and doing.choose("See the agreement", key="review_to_agreement", **{VIEW: "Agreement"}):
        st.rerun()  # of the whole page: a button in a fragment runs that alone
    desk.draw(key, fields | {"on_disk": recorded.on_disk, "refused": recorded.refused, "model": shown})


def _recorded(selection: Selection, queue: Queue, reviewer: str, sent: list[Any]) -> actions.Recorded | None:
    """What became of what the browser sent; None where reviews can't even be read.

    What could not be written stays in the browser, unacknowledged, and comes again.
    """
    store = data.store()
    try:
        return actions.record_answers(store, selection.snapshot.collection, queue, reviewer, sent)
    except ExamboardError as error:
        show.problems(str(error).splitlines())
    try:
        return actions.Recorded((), {}, reviews_of(store, selection.snapshot))
    except ExamboardError:
        return None


def _given(items: Items, queue: Queue, reviewer: str, rows: Sequence[Review], *, shown: bool) -> dict[str, Any]:
    """What the desk needs: items ahead, how far the reviewer is, and what is said of the last answer."""
    others, together = taken.by_others(queue.queue_id, reviewer)
    left = to_do(queue, rows, reviewer)
    ahead = [entry for item in left if (entry := queue.reviewed_item(item)) not in others or item.shared]
    # Near the end each holds fewer, so that nobody waits for what another one has before them.
    about = ahead[: min(AHEAD, max(2, math.ceil(len(ahead) / (together + 1))))]
    records: list[dict[str, Any]] = []
    for reviewed_item in about:
        place = items.place(reviewed_item)
        if place is not None:
            records.append(items.shown(place, model=shown))
        if sum(len(piece) for item in records for piece in item["passage"] or ()) > CHARACTERS:
            break
    taken.take(queue.queue_id, reviewer, about[: len(records)])
    far = progress_of(queue, rows, reviewer, len(left))
    return {
        "items": records,
        "scale": [scale_answer._asdict() for scale_answer in scales.scale_of(queue.task)],
        "asked": scales.ASKED[queue.task],
        "instruction": queue.instruction,
        "reason": REASON,
        "longest": LONGEST_NOTE,
        "finished": far.answered + far.skipped,
        "left": far.left,
        "seconds": far.seconds,
        "together": together,
        **_last(items, queue, reviewer, rows),
    }


def _last(items: Items, queue: Queue, reviewer: str, rows: Sequence[Review]) -> dict[str, Any]:
    """What the reviewer did last, to be taken back, and how it compares; nothing is said of what was skipped."""
    mine = [row for row in rows if row.reviewer == reviewer]
    last = max(enumerate(mine), key=lambda item: (item[1].created, item[0]), default=(0, None))[1]
    place = items.place(last.about) if last else None
    if last is None or place is None or last.skipped == TAKEN_BACK:
        return {"before": None, "said": None}
    text = None
    if last.answer is not None:
        words = [f"The last item: you said {scales.in_words(queue.task, last.answer)}"]
        model = items.model(place)
        words += [] if model is None else [f"the model: {items.graded(model)}"]
        by = answered_by(queue, [entry for entry in rows if entry.about == last.about]).get(last.about, {})
        for name, review in sorted(by.items()):
            if name != reviewer and review.answer is not None:
                words.append(f"{name}: {scales.in_words(queue.task, review.answer)}")
        text = {"item": place, "words": "; ".join(words) + "."}
    return {"before": items.shown(place, model=False), "said": text}
