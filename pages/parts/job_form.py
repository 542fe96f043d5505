"""The form of a new grading job: what to grade and how, what that means, and the buttons that start it.

Labels, choices and help texts of fields stand with the fields: `jobs/ordering.py` and `grading/options.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from exam_core.actions import job_control, planning
from exam_core.aliases import LEXICAL, aliases
from exam_core.errors import ExamboardError
from exam_core.grading.modes.known import modes_of
from exam_core.grading.modes.mode import Mode
from exam_core.grading.options import GradingOptions
from exam_core.jobs import ordering, records, watching
from exam_core.jobs.job_kind import Wanted
from exam_core.jobs.ordering import JobRequest, Order
from exam_core.jobs.records import Job
from exam_core.jobs.watching import TRIED as TRIED_ROWS
from exam_core.jobs.watching import Ahead, ahead
from exam_core.store.summary import names_of
from exam_core.wording import counted, texts_come
from pages.shared import boxes, data, doing, help_texts, scrolling, show, visiting, wings
from pages.shared.selection import Selection

LISTED = 50
"""Jobs that the page looks at, the newest."""
JOB, GRADER = "grading_job", "grading: whose grades come"
APART = " They become a grading mode of their own beside the one of that name, which came from elsewhere."
TRIED = "grading: what a model was tried on, and its answers"
HERE, WORDS = "here", "words"
"""A model of this machine, and none."""
STARTED = "grading: the job that was started here"
REFUSED = "grading: why a job can't start, and whose form says so"
KEPT: dict[str, Any] = {"persist_state": "session"}
"""What a link may not choose for others stays out of the address: a model to load, a server to send passages to."""
HELP = {
    "plan": "Counts the prompts, and estimates time and price. A model that runs here is asked a few, to measure the "
    "speed, and their answers are kept. A server is asked nothing.",
    "try": "Asks the model three of the prompts, and keeps its answers: the job does not ask them again.",
    "start": "Starts a process that goes on when you close the browser or stop the dashboard.",
}


def newest() -> list[Job]:
    """The store's newest jobs."""
    return records.jobs(data.store())[:LISTED]


def runs() -> bool:
    """Whether one of them runs."""
    return bool(watching.running(newest()))


def draw(selection: Selection) -> None:
    """Which model grades, what it is asked, what that means, and the buttons that start it."""
    st.header("New job")
    if data.store().is_file:
        show.text(help_texts.single_file("grade"))
        return
    if not visiting.allowed("edit"):
        return
    place = st.container()
    with place:
        by = _who("grading", "Which model", words=True)
    if by == WORDS:
        show.text("Compares words of questions and passages: done in seconds, without a model.")
        _begin(Order(selection.snapshot.collection, name=LEXICAL, bank=selection.bank_name), None, None, may=True)
        return
    mode, own, is_sound = _prompt()
    with place:
        options = ask_model("grading", by, placeholder=mode.model)
    missing = lacking(options)
    order, price = _order(selection, mode, options)
    # What is asked can be seen before a model is named.
    known = order if not missing else replace(order, options=GradingOptions(model="model"))
    coming = _ahead(known, own, named=not missing) if is_sound else None
    may = coming is not None and not missing
    _try(order, own, coming, may=may)
    if missing:
        show.text(f"Name {' and '.join(missing)} to begin.")
    _begin(order, own, coming, price, may=may)


def _begin(order: Order, own: Mode | None, coming: Ahead | None, price: float | None = None, *, may: bool) -> None:
    """The buttons that start a job, and the command that does the same."""
    job = JobRequest(order)
    requests = (
        {"Start": job} if order.name == LEXICAL else {"Plan": JobRequest(order, plan=True, price=price), "Start": job}
    )
    running = watching.running(newest())
    active = [other.arguments for other in running]
    if ordering.arguments(job) in active:
        same = {other.id for other in running if other.arguments == ordering.arguments(job)}
        mine = st.session_state.get(STARTED) in same
        show.text("Started; see below." if mine else "This job runs already; see below.")
        return
    grader = coming.grader if coming else None
    buttons("grading", requests, HELP, lambda other: not may or ordering.arguments(other) in active, grader, own=own)
    if own is None:
        st.caption("The same on the command line, on this machine or on another one that has the store:")
        show.command(ordering.command(ordering.arguments(job)))


def buttons(
    key: str,
    requests: Mapping[str, Any],
    about: Mapping[str, str],
    disabled: Callable[[Any], bool],
    *rows: Any,
    of: str = "",
    own: Mode | None = None,
) -> None:
    """Plan and Start side by side, and why the last job could not begin.

    Parameters
    ----------
    key : keys of the buttons begin with it
    requests, about : what each button starts, by its label, and its help, by the label in lower case
    rows, own : further arguments of `start`
    of : end of the labels, so that those of two forms differ
    """
    looks: Any = {"Plan": ("calculate", "secondary"), "Start": ("play_arrow", "primary")}
    with st.container(horizontal=True):
        for label, request in requests.items():
            icon, kind = looks[label]
            look = {"key": f"{key}_{label.lower()}", "icon": icon, "type": kind, "help": about[label.lower()]}
            act, off = partial(start, form=key, own=own), disabled(request)
            doing.button(f"{label} {of}".strip(), act, request, *rows, disabled=off, **look)
    refusal(key)


def refusal(key: str) -> None:
    """Why the last job of the form `key` could not begin, once."""
    refused, form = st.session_state.get(REFUSED, ("", ""))
    if refused and form in ("", key):
        st.session_state.pop(REFUSED)
        show.problems(refused.splitlines())


def start(wanted: Wanted | Job, grader: str | None = None, *, form: str = "", own: Mode | None = None) -> None:
    """Start a job, or go on with one that ended early, and show it, and its grades when there are some; a callback.

    Parameters
    ----------
    form : whose `refusal` says why the job could not begin; by default that of the page's first form
    own : a mode that the store gets before
    """
    st.session_state[GRADER] = grader
    try:
        if own:
            wings.draw("keep_mode", own)
        act: Any = job_control.repeat_job if isinstance(wanted, Job) else job_control.start_job
        st.session_state[JOB] = st.session_state[STARTED] = act(data.store(), wanted, wings.confirmed_servers()).id
        if form == "grading":
            st.session_state[scrolling.WANTED] = JOB
    except ExamboardError as error:
        st.session_state[REFUSED] = str(error), form


def _who(form: str, label: str, *, words: bool) -> str:
    """Which model grades: `HERE`, the name of a wing's backend, or `WORDS`."""
    names = {HERE: "FLAN-T5 on this machine"} | {name: own.step[0] for name, own in wings.backends().items()}
    names |= {WORDS: "By words, without a model"} if words else {}
    look: Any = {"default": HERE, "required": True, "format_func": names.__getitem__, "key": f"{form}_by", **KEPT}
    return str(st.segmented_control(label, list(names), **look))


def ask_model(form: str, by: str = "", **model: Any) -> dict[str, Any]:
    """A model of this machine or of a wing's backend, as fields of `GradingOptions`.

    Parameters
    ----------
    form : keys of the widgets begin with it
    by : as `_who` gives it; asked for if empty
    model : settings of the box for a model of this machine
    """
    by = by or _who(form, "Which model to probe", words=False)
    if own := wings.backends().get(by):
        return {"backend": by, **own.ask(form)}
    left, right = st.columns([3, 2])
    named = ask(form, left, GradingOptions, "model", **KEPT, **model)
    return {"model": named, "device": ask(form, right, GradingOptions, "device", **KEPT)}


def lacking(options: Mapping[str, Any]) -> list[str]:
    """What of a model is still to be named before it can be asked."""
    own = wings.backends().get(options.get("backend", ""))
    named = {own.missing_text: options[own.first], "a model": options["model"]} if own else {}
    return [what for what, value in named.items() if not value]


def _prompt() -> tuple[Mode, Mode | None, bool]:
    """The grading mode; the same if the store lacks it, else None; and whether an edited prompt is a mode at all."""
    modes = modes_of(data.store())
    mode = modes[_ask(st, Order, "mode", choices=list(modes), bind="query-params")]
    show.text(f"{mode.about} Source: {mode.source}." if mode.source else mode.about)
    for edit in wings.declared("edit_mode"):
        edited = edit(mode)
        own = edited or mode
        return own, own if not edited or edited.called not in modes else None, bool(edited)
    return mode, None, True


def _order(selection: Selection, mode: Mode, model: Mapping[str, Any]) -> tuple[Order, float | None]:
    with boxes.options("More options", icon=":material/tune:", key="grading_more", opened=False):
        left, right = st.columns(2)
        options = ask_options("grading", left, right, model)
        unreadable = _ask(right, Order, "unreadable", **KEPT)
        reading = _ask(right, Order, "reading", **KEPT)
        limit = _ask(left, Order, "limit", **KEPT)
        name = _ask(left, Order, "name", **KEPT)
        price = _ask(right, JobRequest, "price", **KEPT)
    collection = selection.snapshot.collection
    rules = {"reading": reading, "unreadable": unreadable, "limit": limit}
    order = Order(collection, mode.called, options, bank=selection.bank_name, name=name or None, **rules)
    return ordering.completed(order, {mode.called: mode}), price


def ask_options(form: str, left: Any, right: Any, model: Mapping[str, Any]) -> GradingOptions:
    """Options that few people change, as widgets of two columns; `model` is as `ask_model` gives it."""
    if own := wings.backends().get(model.get("backend", "")):
        return GradingOptions(**model, **more_options(own, form))
    precision = ask(form, right, GradingOptions, "precision", **KEPT)
    beams = ask(form, left, GradingOptions, "beams", **KEPT)
    return GradingOptions(**model, precision=precision, beams=beams)


def more_options(own: wings.BackendForm, form: str, leave_out: Sequence[str] = ()) -> dict[str, Any]:
    """Further options of a wing's backend, folded away, but for those that the form asks for elsewhere."""
    with st.expander(own.title, icon=own.icon, key=f"{form}_backend_options"):
        columns = st.columns(2)
        names = [name for name in own.more if name not in leave_out]
        return {name: ask(form, columns[n % 2], GradingOptions, name, **KEPT) for n, name in enumerate(names)}


def ask(form: str, place: Any, owner: type, name: str, **widget: Any) -> Any:
    """A declared field as a widget of a form."""
    return boxes.ask_field(place, owner, name, **({"key": f"{form}_{name}"} | widget))


_ask = partial(ask, "grading")


def _ahead(order: Order, own: Mode | None, *, named: bool) -> Ahead | None:
    """What the job would do, or what prevents it; None where there is nothing to do.

    The name of the grades is shown once the model, which is a part of it, is `named`.
    """
    try:
        result = data.ask(ahead, data.snapshot(order.collection), data.store(), order, own)
    except ExamboardError as error:
        show.problems(str(error).splitlines())
        return None
    if named:
        called = aliases([result.grader], {result.grader: {"mode": order.mode}}, {})[result.grader]
        names = names_of(data.snapshot(order.collection))
        show.text(
            f"The grades are shown as {called}.{APART * (result.grader not in names and called in names.values())}"
        )
    textless = f" {counted({'passages have': result.without_text})} no text." if result.without_text else ""
    if not result.missing:
        rest = f" {texts_come(order.collection)}" if textless else ""
        show.text(f"Nothing to do: all passages with a text are graded.{textless}{rest}")
        return None
    first = f" In the top 20 of a run: {result.first:,}; these come first, because Cover@20 needs no others."
    there = f" It has {counted({'grades': result.graded})} so far." if result.graded else ""
    add = " Add texts on the page Collections." if textless else ""
    show.text(
        f"This job would make {counted({'grades': result.missing})}.{first * bool(result.first)}{there}{textless}{add}"
    )
    return result


def _try(order: Order, own: Mode | None, coming: Ahead | None, *, may: bool) -> None:
    """The first prompt as a model gets it, and a model's answers to three."""
    with boxes.options("The prompt, filled in", icon=":material/edit_note:", key="grading_prompt", opened=bool(own)):
        if coming:
            height: Any = 400 if len(coming.prompt) > 1500 else "content"
            st.code(coming.prompt, language=None, wrap_lines=True, height=height)
        pair = order, own
        if st.button("Try on three passages", icon=":material/science:", disabled=not may, help=HELP["try"]):
            st.session_state[TRIED] = None
            try:
                with data.report_progress("Asking the model"):
                    result = planning.try_mode(data.store(), order, own, wings.confirmed_servers())
                st.session_state[TRIED] = pair, result
            except ExamboardError as error:
                show.problems(str(error).splitlines())
        before, result = st.session_state.get(TRIED) or (None, None)
        if result is not None and before == pair:
            show.table(result.drop(columns=["query_id", "doc_id"]), TRIED_ROWS, key="grading_tried", export=result)
