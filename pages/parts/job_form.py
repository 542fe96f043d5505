"""The form of a new grading job: what to grade and how, what that means, and the buttons that start it.

How a field is called, what it takes and what is said of it is declared where the field stands: `jobs/order.py` and
`grading/options.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from exam_core import actions
from exam_core.errors import ExamboardError
from exam_core.grading.modes.known import modes_of
from exam_core.grading.options import BACKENDS, GradingOptions
from exam_core.jobs import ordering, records, watching
from exam_core.jobs.ahead import Ahead, ahead
from exam_core.jobs.job_kind import Wanted
from exam_core.jobs.order import Order, Request
from exam_core.jobs.records import Job
from exam_core.wording import texts_come
from pages.shared import boxes, data, doing, fields, show, visiting, wings
from pages.shared.chosen import Chosen

LISTED = 50
"""Jobs that the page looks at, the newest."""
JOB, GRADER = "grading_job", "grading: whose grades come"
REFUSED = "grading: why a job can't start, and whose form says so"
KEPT: dict[str, Any] = {"persist_state": "session"}
"""What a link may not choose for others stays out of the address: a model to load, a server to send passages to."""
HELP = {
    "missing": "Grades that the job would make: all that are missing of passages with a text, up to the limit.",
    "first": "Missing grades of passages in the top 20 of a run. They come first: Cover@20 needs no others.",
    "without_text": "Passages without a text can't be graded. Add texts on the page Collections.",
    "plan": "Counts the prompts, and estimates time and price. A model that runs here is asked a few, to measure the "
    "speed, and their answers are kept. A server is asked nothing.",
    "start": "Starts a process that goes on when you close the browser or stop the dashboard.",
}


def newest() -> list[Job]:
    """The store's newest jobs."""
    return records.jobs(data.store())[:LISTED]


def draw(chosen: Chosen) -> None:
    """What to grade and how, what that means, and the buttons that start it."""
    st.header("New job")
    if data.store().is_file:
        show.text(
            "This store is a single file, and read only. Grade into a folder: import the file there with "
            "examboard import duckdb, and open that store."
        )
        return
    if not visiting.allowed("edit"):
        return
    order, price = _order(chosen)
    plan, job = Request(order, plan=True, price=price), Request(order)
    active = [job.arguments for job in watching.running(newest())]
    if ordering.arguments(job) in active:
        show.text("This job runs already; see below.")
        return
    coming = _ahead(order)
    grader = coming.grader if coming else None
    buttons(
        "grading",
        {"Plan": plan, "Start": job},
        HELP,
        lambda one: coming is None or ordering.arguments(one) in active,
        grader,
    )
    st.caption("The same on the command line, on this machine or on another one that has the store:")
    show.command(ordering.command(ordering.arguments(job)))
    wings.draw("draw_mode", modes_of(data.store())[order.mode])


def buttons(
    key: str,
    requests: Mapping[str, Any],
    about: Mapping[str, str],
    disabled: Callable[[Any], bool],
    *given: Any,
    of: str = "",
) -> None:
    """Plan and Start side by side, and why the last job could not begin.

    Parameters
    ----------
    key : how the keys of the buttons begin
    requests : what each starts, by its label
    about : their help, by the label in lower case
    given : what `start` takes besides
    of : what their labels end with, so that those of two forms differ
    """
    looks: Any = {"Plan": ("calculate", "secondary"), "Start": ("play_arrow", "primary")}
    with st.container(horizontal=True):
        for label, request in requests.items():
            icon, kind = looks[label]
            look = {"key": f"{key}_{label.lower()}", "icon": icon, "type": kind, "help": about[label.lower()]}
            act, off = partial(start, form=key), disabled(request)
            doing.button(f"{label} {of}".strip(), act, request, *given, disabled=off, **look)
    refusal(key)


def refusal(key: str) -> None:
    """Why the last job of a form could not begin; arguments as `buttons`."""
    refused, form = st.session_state.get(REFUSED, ("", ""))
    if refused and form in ("", key):
        st.session_state.pop(REFUSED)
        show.problems(refused.splitlines())


def start(wanted: Wanted | Job, grader: str | None = None, *, form: str = "") -> None:
    """Start a job and look at it, and at its grades as soon as there are some; for a button's callback.

    Parameters
    ----------
    wanted : what it is asked for, or a job that ended before it was done
    form : whose buttons say why it could not begin; by default the first of the page
    """
    st.session_state[GRADER] = grader
    try:
        store = data.store()
        job = actions.repeat_job(store, wanted) if isinstance(wanted, Job) else actions.start_job(store, wanted)
        st.session_state[JOB] = job.id
    except ExamboardError as error:
        st.session_state[REFUSED] = str(error), form


def _order(chosen: Chosen) -> tuple[Order, float | None]:
    left, middle, right = st.columns([3, 3, 2])
    modes = modes_of(data.store())
    mode = _ask(left, Order, "mode", choices=list(modes), bind="query-params")
    known = modes[mode]
    model = _ask(middle, GradingOptions, "model", placeholder=known.model, **KEPT)
    device = _ask(right, GradingOptions, "device", **KEPT)
    show.text(known.about)
    if known.source:
        st.caption(f"Source: {known.source if known.prompt_class else show.escaped(known.source)}.")
    # What a wing's backend is nothing without stands there.
    own = wings.backends().get(st.session_state.get("grading_backend", ""))
    with boxes.options("More options", icon=":material/tune:", key="grading_more", opened=own is not None):
        left, right = st.columns(2)
        options = ask_options("grading", left, right, model=model, device=device)
        if own := wings.backends().get(options.backend):
            options = replace(options, **{name: _ask(left, GradingOptions, name, **KEPT) for name in own.of_grades})
        unreadable = _ask(right, Order, "unreadable", **KEPT)
        reading = _ask(right, Order, "reading", **KEPT)
        limit = _ask(left, Order, "limit", **KEPT)
        name = _ask(left, Order, "name", **KEPT)
        price = _ask(right, Request, "price", **KEPT)
    collection = chosen.snapshot.collection
    rules = {"reading": reading, "unreadable": unreadable, "limit": limit}
    order = Order(collection, mode, options, bank=chosen.bank_name, name=name or None, **rules)
    return ordering.completed(order, modes), price


def ask_options(form: str, left: Any, right: Any, **options: Any) -> GradingOptions:
    """A model and how it is asked: what few people change, as widgets of two columns.

    Parameters
    ----------
    form : how the keys of the widgets begin
    options : what was asked before
    """
    backend = options["backend"] = ask(form, left, GradingOptions, "backend", **KEPT)
    if own := wings.backends().get(backend):
        options[own.first] = ask(form, right, GradingOptions, own.first, **KEPT)
        own.draw_note()
        return GradingOptions(**options, **more_options(own, form))
    key, precisions = f"{form}_precision_{backend}", BACKENDS[backend].precisions
    options["precision"] = ask(form, right, GradingOptions, "precision", choices=precisions, key=key, **KEPT)
    options["beams"] = ask(form, left, GradingOptions, "beams", **KEPT)
    return GradingOptions(**options)


def more_options(own: wings.BackendForm, form: str, leave_out: Sequence[str] = ()) -> dict[str, Any]:
    """How a model of a wing's backend is asked, folded away.

    Parameters
    ----------
    form : how the keys of the widgets begin
    leave_out : fields that the form does not ask for here
    """
    with st.expander(own.title, icon=own.icon, key=f"{form}_backend_options"):
        columns = st.columns(2)
        names = [name for name in own.more if name not in leave_out]
        return {name: ask(form, columns[n % 2], GradingOptions, name, **KEPT) for n, name in enumerate(names)}


def ask(form: str, place: Any, owner: type, name: str, **widget: Any) -> Any:
    """A declared field as a widget of a form."""
    return fields.ask(place, owner, name, **({"key": f"{form}_{name}"} | widget))


_ask = partial(ask, "grading")


def _ahead(order: Order) -> Ahead | None:
    """What the job would do, or what prevents it; None where there is nothing to do."""
    try:
        found = data.ask(ahead, data.snapshot(order.collection), data.store(), order)
    except ExamboardError as error:
        show.problems(str(error).splitlines())
        return None
    show.text(f"The grades get the name {found.grader}.")
    with st.container(horizontal=True):
        for label, value, text in (
            ("Missing", found.missing, HELP["missing"]),
            ("In a top 20", found.first, HELP["first"]),
            ("Graded", found.graded, "Grades by a grader of this name."),
            ("Without text", found.without_text, HELP["without_text"]),
        ):
            st.metric(label, f"{value:,}", help=text, border=True, width=165)
    if not found.missing:
        rest = f" {texts_come(order.collection)}" if found.without_text else ""
        show.text(f"Nothing to do: all passages with a text are graded.{rest}")
    return found if found.missing else None
