"""How gullible graders are: the form with which one is probed, the newest probe, and what all found."""

from __future__ import annotations

from functools import partial

import streamlit as st

from exam_core.aliases import aliases
from exam_core.errors import ExamboardError, StoreError
from exam_core.grading.modes.known import modes_of
from exam_core.grading.modes.lexical_grader import GRADER_ID as LEXICAL
from exam_core.jobs import ordering, watching
from exam_core.jobs.ordering import Order
from exam_core.store.summary import qrels_ids
from exam_core.wings.trust import actions
from exam_core.wings.trust.gullibility import GULLIBILITY, Gullibility, gullibility, gullibility_figure, with_series
from exam_core.wings.trust.jobs import PROBING, probe_arguments
from exam_core.wings.trust.probe import probe_ahead
from exam_core.wings.trust.probe_request import ProbeRequest
from exam_core.wording import quoted
from pages.parts import job_form, job_state
from pages.parts.job_form import newest
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
            "Probing a grader needs human judgments of passages that are not relevant. Add some on the page "
            "Collections, or by this command:"
        )
        show.command(f"examboard import qrels FILE --collection {quoted(collection)}")
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
    called = aliases([result.grader], {result.grader: {"mode": request.order.mode}}, {})[result.grader]
    show.text(
        f"{called} would be asked {result.prompts:,} prompts about {result.passages:,} of the {result.population:,} "
        "passages judged not relevant: each as it is, and altered. Plan says how many answers are in the cache."
    )
    return True


def _probe(request: ProbeRequest) -> None:
    try:
        actions.probe_lexically(data.store(), request)
    except ExamboardError as error:
        st.session_state[job_form.REFUSED] = str(error), FORM


ABOUT = (
    "Passages that humans judged not relevant are graded unchanged, and again with the question, its words or praise "
    "before them, or doubled. If a grade rises, content is not the reason."
)
JOBS = "To stop it or go on with it, see [all jobs](#jobs) above."


def draw_results(selection: Selection) -> None:
    """What is kept of the collection's probes, newest setting of all graders."""
    st.caption(ABOUT)
    collection = selection.snapshot.collection
    try:
        result: Gullibility = gullibility(data.store(), collection)
    except StoreError as error:
        show.problems(str(error).splitlines())
        return
    _newest_job(collection)
    if result.rows.empty:
        show.text("No grader was probed here yet.")
        return
    named = with_series(result.rows.assign(grader_id=result.rows["grader_id"].map(naming.name)))
    show.chart(gullibility_figure(named), key="gullibility")
    show.table(result.rows, GULLIBILITY, key="gullibility_rows")
    show.notes(result.notes)


def _newest_job(collection: str) -> None:
    for job in newest():
        if isinstance(job.request, ProbeRequest) and job.request.order.collection == collection:
            plans = watching.plans(job)
            st.markdown(f"{'Plan of a probe' if plans else 'Probe'} {job.id}. {JOBS}")
            job_state.draw(job)
            if plans and visiting.allowed("edit", text=False) and (text := watching.last_lines(job.log)):
                st.code(text, language=None, wrap_lines=True)
            return
