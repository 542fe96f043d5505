"""The form with which a model is asked for questions, and what came of the newest such job.

How a field is called, what it takes and what is said of it is declared where the field stands:
`wings/banks/prompts.py` and `grading/options.py`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from exam_core.declared import declared
from exam_core.errors import ExamboardError
from exam_core.grading.options import BACKENDS, GradingOptions
from exam_core.jobs import ordering, watching
from exam_core.jobs.records import RUNNING, Job, JobProgress
from exam_core.store import Snapshot
from exam_core.wings.banks import generating
from exam_core.wings.banks.jobs import WRITING, generation_arguments
from exam_core.wings.banks.prompts import PROMPTS, GenerationOrder, GenerationRequest, prompt_named
from exam_core.wording import counted
from pages.parts import job_state
from pages.parts.job_form import HELP as OF_JOBS
from pages.parts.job_form import ask, buttons, more_options, newest
from pages.shared import data, show, wings

OWN = "own words"
_ask = partial(ask, "generating", persist_state="session")
HELP = OF_JOBS | {"start": f"{OF_JOBS['start']} When all replies are there, the bank gets a new version."}


def draw(snapshot: Snapshot, bank_name: str | None) -> None:
    """The form, and the newest job of the collection; `bank_name` gets the questions unless another is typed."""
    st.header("Have questions written")
    order = _order(snapshot.collection, bank_name)
    prompts = _ahead(snapshot, order)
    job = GenerationRequest(order)
    plan = GenerationRequest(order, plan=True)
    active = [other.arguments for other in watching.running(_jobs(snapshot.collection))]
    requests = {"Plan": plan, "Start": job}
    buttons("generating", requests, HELP, lambda request: not prompts or generation_arguments(request) in active)
    if prompts:
        st.caption("The same on the command line, on this machine or on another one that has the store:")
        show.command(ordering.command(generation_arguments(job), WRITING.words))
    job_state.follow(bool(active), _newest_job, snapshot.collection, running=partial(_runs, snapshot.collection))


def _newest_job(collection: str) -> None:
    """How far the newest job is that writes questions for a collection, and its result."""
    jobs = _jobs(collection)
    if not jobs:
        return
    job, *_ = jobs
    bank = job.request.order.bank if isinstance(job.request, GenerationRequest) else ""
    st.caption(f"Job {job.id}, {'a plan' if watching.plans(job) else f'for bank {bank}'}")
    so_far = job_state.draw(job)
    _result(so_far)
    with st.container(horizontal=True):
        job_state.buttons(job, so_far)
    if watching.plans(job) and (text := watching.last_lines(job.log)):
        st.code(text, language=None, wrap_lines=True)


def _runs(collection: str) -> bool:
    return bool(watching.running(_jobs(collection)))


def _jobs(collection: str) -> list[Job]:
    return [
        job
        for job in newest()
        if isinstance(job.request, GenerationRequest) and job.request.order.collection == collection
    ]


def _result(so_far: JobProgress) -> None:
    if so_far.state == "done" and so_far.total:
        existing = f", and {counted({'were': so_far.known})} there already" if so_far.known else ""
        new = f"{counted({'are': so_far.added})} new in {so_far.version}" if so_far.added else "none is new"
        show.text(f"{counted({'questions were': so_far.questions})} read: {new}{existing}.")
    if so_far.cut:
        show.text(
            f"Replies cut off at the length limit: {counted({'replies': so_far.cut})}. Longer replies may hold more "
            "questions."
        )
    if so_far.lost:
        show.table(generating.left_out(so_far), generating.LEFT_OUT, key="generating_left_out")
    elif so_far.state not in RUNNING and so_far.done:
        show.text("Nothing was left out of the replies.")


def _order(collection: str, bank_name: str | None) -> GenerationOrder:
    """What the form says."""
    # What a link may not choose for others stays out of the address: a model to load, a server to ask.
    left, middle, right = st.columns([2, 3, 3])
    # Small models of this machine write few questions.
    backends = sorted(BACKENDS, key=lambda name: name not in wings.backends())
    backend = _ask(left, GradingOptions, "backend", choices=backends)
    options: dict[str, Any] = {"backend": backend}
    if own := wings.backends().get(backend):
        options |= own.ask("generating")
    else:
        options["model"] = _ask(middle, GradingOptions, "model", placeholder="")
        options["device"] = _ask(right, GradingOptions, "device")
    left, middle, right = st.columns([2, 3, 3])
    prompt = _ask(left, GenerationOrder, "prompt", choices=(*PROMPTS, OWN))
    queries = _ask(middle, GenerationOrder, "queries")
    bank = right.text_input(
        "Bank",
        bank_name or "",
        key=f"generating_bank_{bank_name}",
        help="The bank that gets the questions, as a new version.",
    )
    template = ""
    if prompt == OWN:
        about = "{query} stands for the query, {subtopic} for a part of it, {n} for a number."
        look: Any = {"key": "generating_template", "help": about, "persist_state": "session"}
        template = st.text_area("Words of the prompt", **look) or ""
    else:
        known = prompt_named(prompt)
        show.text(known.template)
        st.caption(f"Source: {known.source}.")
    with st.expander("More options", icon=":material/tune:", key="generating_more"):
        left, right = st.columns(2)
        rules = {name: _ask(left, GenerationOrder, name) for name in ("questions", "reason")}
        if (name := "max_output_tokens") in declared(GradingOptions):
            options[name] = _ask(left, GradingOptions, name)
        if own:
            options |= {name: _ask(right, GradingOptions, name) for name in own.of_texts}
            options |= more_options(own, "generating", ("samples", "samples_by", "max_output_tokens", "max_tokens"))
        schema = right.checkbox(
            "Ask for JSON by a schema",
            key="generating_schema",
            help="If the server refuses the schema, it is asked without one.",
        )
    order = GenerationOrder(
        collection,
        (bank or "").strip(),
        "own" if prompt == OWN else prompt,
        template.strip(),
        GradingOptions(**options),
        queries=queries or None,
        schema=schema,
        **rules,
    )
    return order.as_meant


def _ahead(snapshot: Snapshot, order: GenerationOrder) -> int:
    """How many prompts the job would have; says what prevents it."""
    missing = [label for label, value in (("a model", order.options.model), ("a bank", order.bank)) if not value]
    own = wings.backends().get(order.options.backend)
    if own and not getattr(order.options, own.first):
        missing.append(own.missing_text)
    if order.prompt == "own" and not order.template:
        missing.append("the words of the prompt")
    if missing:
        show.text(f"Name {' and '.join(missing)} to begin.")
        return 0
    try:
        prompts, without = data.ask(generating.count_prompts, snapshot, data.store(), order)
    except ExamboardError as error:
        show.problems(str(error).splitlines())
        return 0
    left_out = f"; {counted({'queries': without})} without a text or a subtopic left out" if without else ""
    show.text(f"{counted({'prompts': prompts})} to be asked or found in the cache{left_out}.")
    return int(prompts)
