"""The form with which a grader is probed for gullibility: a model as a job, the lexical grader at once."""

from __future__ import annotations

from functools import partial

import streamlit as st

from exam_core.errors import ExamboardError
from exam_core.grading.modes.known import modes_of
from exam_core.grading.modes.lexical_grader import GRADER_ID as LEXICAL
from exam_core.jobs import ordering, watching
from exam_core.jobs.ordering import Order
from exam_core.store.summary import qrels_ids
from exam_core.wings.trust import actions
from exam_core.wings.trust.jobs import PROBING, probe_arguments
from exam_core.wings.trust.probe import probe_ahead
from exam_core.wings.trust.probe_request import ProbeRequest
from exam_core.wording import quoted
from pages.parts import job_form
from pages.shared import data, doing, naming, show, visiting
from pages.shared.selection import Selection

FORM = "probing"
WHO = "A prompt of the papers, sent to the model beside this box; or the lexical grader, which needs no model."
PROBE_NOW = "Runs at once, without a model; the results appear above."
_ask = partial(job_form.ask, FORM)


def draw(selection: Selection) -> None:
    """Whom to probe and on which passages, what that means, and the buttons; nothing for who may not."""
    collection = selection.snapshot.collection
    judgments = qrels_ids(selection.snapshot)
    if data.store().is_file or not visiting.allowed("edit", text=False):
        return
    if not judgments:
        show.text(
            "Probing a grader needs human judgments of passages that are not relevant. Add some with: "
            f"examboard import qrels FILE --collection {quoted(collection)}"
        )
        return
    request, price = _request(selection, judgments)
    if request.order.name == LEXICAL:
        doing.button("Probe", _probe, request, key="probing_probe", icon="play_arrow", help=PROBE_NOW)
        job_form.refusal(FORM)
    else:
        _job(request, price)
    st.caption("The same on the command line, on this machine or on another one that has the store:")
    show.command(ordering.command(probe_arguments(request), PROBING.words))


def _request(selection: Selection, judgments: list[str]) -> tuple[ProbeRequest, float | None]:
    modes = modes_of(data.store())
    called = {LEXICAL: naming.name(LEXICAL)}
    who = st.selectbox(
        "Grader to probe",
        [*modes, LEXICAL],
        format_func=lambda mode: called.get(mode, mode),
        key="probing_grader",
        help=WHO,
        **job_form.KEPT,
    )
    collection, price = selection.snapshot.collection, None
    order = Order(collection, name=LEXICAL, bank=selection.bank_name)
    if who != LEXICAL:
        model = job_form.ask_model(FORM, label="Model to probe", placeholder=modes[who].model)
    with st.expander("Passages and more options", icon=":material/tune:", key="probing_more"):
        left, right = st.columns(2)
        sample = {
            "judgments": _ask(
                right,
                ProbeRequest,
                "judgments",
                choices=judgments,
                key=f"probing_judgments_{collection}",
                **job_form.KEPT,
            ),
            "sample": _ask(left, ProbeRequest, "sample", **job_form.KEPT),
            "seed": _ask(left, ProbeRequest, "seed", **job_form.KEPT),
            "relevant_from": _ask(right, ProbeRequest, "relevant_from", **job_form.KEPT),
        }
        if who != LEXICAL:
            options = job_form.ask_options(FORM, left, right, model)
            price = _ask(right, ProbeRequest, "price", **job_form.KEPT)
            order = ordering.completed(Order(collection, who, options, bank=selection.bank_name), modes)
    if sample["judgments"] == judgments[0]:
        del sample["judgments"]  # The first are the default: a command that is copied need not name them.
    return ProbeRequest(order, **sample), price


def _job(request: ProbeRequest, price: float | None) -> None:
    """What a model would be asked, and the buttons that start a plan or the probe."""
    active = [job.arguments for job in watching.running(job_form.newest())]
    if probe_arguments(request) in active:
        show.text("This probe runs already; see above.")
        return
    existing = _ahead(request)
    job_form.buttons(
        FORM,
        {"Plan": ProbeRequest(**(vars(request) | {"plan": True, "price": price})), "Start": request},
        job_form.HELP,
        lambda item: not existing or probe_arguments(item) in active,
        of="the probe",
    )


def _ahead(request: ProbeRequest) -> bool:
    """Say what the probe would ask, or what prevents it, and whether it can begin."""
    try:
        result = data.ask(probe_ahead, data.snapshot(request.order.collection), data.store(), request)
    except ExamboardError as error:
        show.problems(str(error).splitlines())
        return False
    show.text(
        f"{result.grader} would be asked {result.prompts:,} prompts, about {result.passages:,} of "
        f"{result.population:,} "
        "passages that are judged not relevant, as they are and perturbed. Plan says how many answers are in the cache."
    )
    return True


def _probe(request: ProbeRequest) -> None:
    try:
        actions.probe_lexically(data.store(), request)
    except ExamboardError as error:
        st.session_state[job_form.REFUSED] = str(error), FORM
