"""What the page Grading shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from exam_core.actions import jobs as records
from exam_core.actions import ordering, outcomes, watching
from exam_core.actions.grading import Order
from exam_core.actions.jobs import RUNNING, Job, Progress, progress_sentence
from exam_core.charts.ratings import ratings_alternative, ratings_figure
from exam_core.errors import ExamboardError
from pages.shared import data, picking, show, words
from pages.shared.chosen import Chosen

EVERY = 2.0
"""Seconds after which what a running job changes is shown anew."""
LISTED = 50
JOB, OF = "grading_job", "grading_of"
GRADER, REFUSED, GOES_ON = "grading: whose grades come", "grading: why a job can't start", "grading: why it can't stop"
ANSWER = 300
"""Characters of an unreadable answer that are shown; its export has all."""
KEY_VARIABLE = "OPENAI_API_KEY"
BACKENDS = {"t5": "T5 (PyTorch)", "ctranslate2": "CTranslate2", "openai": "A server (OpenAI's interface)"}
PRECISIONS = {"t5": ("fp32", "tf32", "bf16"), "ctranslate2": ("fp32", "int8"), "openai": ("fp32",)}
RULES = {
    "null": "no grade, and counted",
    "paper": "a grade as the papers say",
    "authors": "a grade as the authors' code",
}
HELP = {
    "held": "Enabled questions of the bank times the passages of their query, less what is graded. In a mode that "
    "labels passages as a whole: passages under their queries.",
    "missing": "Grades that the job would make: what is not graded yet and has a text, up to the limit.",
    "unreadable": "Answers that no grade could be read from. They count as unknown, not as 0.",
    "first": "Of the missing ones, those of passages among some run's first 20. They are graded first: when they are "
    "done, the Cover leaderboard of depth 20 is complete.",
    "without_text": "Passages under a query of which only the id is known. They can't be graded: import a graded file "
    "or another source with their texts.",
    "mode": "A prompt of the papers, and how its answer is read.",
    "model": "A folder, or a name of the Hugging Face hub; empty takes the papers' model for this mode.",
    "device": "auto takes a GPU where there is one.",
    "backend": "What runs the model. Other than T5 in fp32, grades differ a little from the authors': the grader gets "
    "a name of its own.",
    "precision": "Numbers that the model computes with. Only fp32 gives the authors' grades.",
    "beams": "Width of the search for an answer; the authors use 5, and 1 is greedy.",
    "unreadable_rule": "What an answer counts that is no grade.",
    "limit": "Grade at most so many; empty grades all that is missing.",
    "price": "Of an hour of this machine, in any currency; the plan says what the job would cost.",
    "name": "Of the grader that the grades belong to; empty makes it of model, mode and options.",
    "base_url": "For instance https://api.openai.com/v1; vLLM and others offer such an address too.",
    "plan": "Says how many prompts a model must answer, measures the speed on a few, and estimates time and price. "
    "Those answers are kept.",
    "start": "A process of its own: it goes on when you close the browser or stop the dashboard.",
    "stop": "It stops within seconds; all that is answered is kept.",
    "go_on": "Starts the same command again. Nothing is graded twice.",
    "job": f"{words.ROW} A name is when the job was asked for, in UTC, and four letters.",
    "rate": "Prompts per second that a model answered, without loading it; answers from the cache are not counted.",
    "failed": "Got no answer, for instance from a server; the next job asks them again.",
    "grader": "What it graded of the chosen bank, or labelled as a whole.",
    "place": "The first place where it was given, in the order of the names; search the passage on the page Evidence.",
}
TEXT, NUMBER = st.column_config.TextColumn, st.column_config.NumberColumn


def watched() -> bool:
    """Whether some job runs, so that the page must follow it."""
    return bool(watching.running(_jobs()))


def follow(watched: bool, draw: Callable[..., None], *arguments: Any) -> None:
    """Draw a part of the page; while a job runs, again and again by itself."""
    st.fragment(draw, run_every=EVERY if watched else None)(*arguments)


def _jobs() -> list[Job]:
    return records.jobs(data.store())[:LISTED]


def nothing_to_grade(chosen: Chosen) -> None:
    """Why a published collection can't be graded."""
    show.text(
        f"{chosen.snapshot.collection} holds printed figures: the papers print no passages, so there is nothing to "
        "grade. Choose a collection with passages, such as demo."
    )


def graders(chosen: Chosen) -> None:
    """How far each grader is in the chosen collection and bank."""
    held = data.ask(outcomes.held, data.snapshot(chosen.snapshot.collection), chosen.bank_name)
    st.subheader("What is graded")
    asked = f", bank {chosen.bank_name}" if chosen.asked.bank else ""
    if held.empty:
        show.text(f"Nobody graded {chosen.snapshot.collection}{asked} yet.")
        return
    show.text(f"{chosen.snapshot.collection}{asked}:")
    show.table(
        held,
        key="grading_held",
        alt="For each grader, how many grades are there and how many are missing",
        columns={
            "grader_id": TEXT("Grader", width="medium", help="A prompt, a model and its options."),
            "graded": NUMBER("Graded", format="localized", help="Grades that are there, readable or not."),
            "missing": NUMBER("Missing", format="localized", help=HELP["held"]),
            "share": st.column_config.ProgressColumn("Share graded", format="percent", min_value=0, max_value=1),
            "unreadable": NUMBER("Unreadable", format="localized", help=HELP["unreadable"]),
        },
    )


def new_job(chosen: Chosen) -> None:
    """What to grade and how, what that means, and the buttons that start it."""
    st.subheader("New job")
    if data.store().is_file:
        show.text(
            "This store is a single file, and read only. Grade into a folder: import the file there with "
            "examboard import duckdb, and open that store."
        )
        return
    order, price = _order(chosen)
    plan, start = ordering.arguments(order, plan=True, price=price), ordering.arguments(order)
    active = [job.arguments for job in watching.running(_jobs())]
    if start in active:
        show.text("This job runs already; see below.")
        return
    ahead = _ahead(order)
    with st.container(horizontal=True):
        for label, arguments, icon, kind in (
            ("Plan", plan, ":material/calculate:", "secondary"),
            ("Start", start, ":material/play_arrow:", "primary"),
        ):
            st.button(
                label,
                key=f"grading_{label.lower()}",
                icon=icon,
                type=kind,  # type: ignore[arg-type]
                help=HELP[label.lower()],
                disabled=ahead is None or arguments in active,
                on_click=_start,
                args=(arguments, ahead.grader if ahead else None),
            )
    if refused := st.session_state.pop(REFUSED, None):
        show.problems(refused.splitlines())
    st.caption("The same on the command line, on this machine or on another one that has the store:")
    show.command(ordering.command(start))


def _order(chosen: Chosen) -> tuple[Order, float | None]:
    """What the form says, and the price of an hour."""
    modes = ordering.modes()
    left, middle, right = st.columns([3, 3, 2])
    mode = left.selectbox(
        "Grading mode for the job", list(modes), key="grading_mode", help=HELP["mode"], bind="query-params"
    )
    known = modes[mode]
    # What a link may not choose for others stays out of the address: a model to load, a server to send passages to.
    model = middle.text_input(
        "Model", key="grading_model", help=HELP["model"], placeholder=known.model, persist_state="session"
    )
    device = right.selectbox(
        "Device", ordering.DEVICES, key="grading_device", help=HELP["device"], persist_state="session"
    )
    show.text(known.about)
    st.caption(f"Source: {known.source}.")
    options, price = _more()
    found = ordering.order(
        chosen.snapshot.collection, mode, bank=chosen.bank_name, model=model or "", device=device, **options
    )
    return found, price


def _more() -> tuple[dict[str, Any], float | None]:
    """The options that are folded away, as `ordering.order` takes them, and the price of an hour."""
    kept: dict[str, Any] = {"persist_state": "session"}
    with st.expander("More options", icon=":material/tune:"):
        left, right = st.columns(2)
        backend = left.selectbox(
            "Backend",
            list(BACKENDS),
            format_func=BACKENDS.__getitem__,
            key="grading_backend",
            help=HELP["backend"],
            **kept,
        )
        found: dict[str, Any] = {"backend": backend}
        if backend == "openai":
            found["base_url"] = right.text_input(
                "Base URL of the server", key="grading_base_url", help=HELP["base_url"], **kept
            ).strip()
            st.caption(
                f"The key in the environment variable {KEY_VARIABLE} of the dashboard goes to "
                f"{ordering.address_of_the_key()} only, and is in no address, command or log. Servers on this machine "
                "and in private networks are asked where the dashboard's environment names them in EXAMBOARD_SERVERS."
            )
        else:
            found["precision"] = right.selectbox(
                "Precision", PRECISIONS[backend], key=f"grading_precision_{backend}", help=HELP["precision"], **kept
            )
            found["beams"] = left.number_input("Beams", 1, 64, 5, key="grading_beams", help=HELP["beams"], **kept)
        found["unreadable"] = right.selectbox(
            "An unreadable answer gives",
            ordering.RULES,
            format_func=RULES.__getitem__,
            key="grading_unreadable",
            help=HELP["unreadable_rule"],
            **kept,
        )
        found["limit"] = left.number_input(
            "Limit (grades)", 1, value=None, key="grading_limit", help=HELP["limit"], **kept
        )
        found["name"] = left.text_input("Name of the grader", key="grading_name", help=HELP["name"], **kept)
        price = right.number_input("Price per hour", 0.0, value=None, key="grading_price", help=HELP["price"], **kept)
    return found, price


def _ahead(order: Order) -> ordering.Ahead | None:
    """What the job would do, or what prevents it; None where there is nothing to do."""
    try:
        found: ordering.Ahead = data.ask(ordering.ahead, data.snapshot(order.collection), data.store(), order)
    except ExamboardError as error:
        show.problems(str(error).splitlines())
        return None
    show.text(f"The grades get the name {found.grader}.")
    with st.container(horizontal=True):
        for label, value, text in (
            ("Missing", found.missing, HELP["missing"]),
            ("In a top 20", found.first, HELP["first"]),
            ("Graded", found.graded, "By a grader of this name."),
            ("Without text", found.without_text, HELP["without_text"]),
        ):
            st.metric(label, f"{value:,}", help=text, border=True, width=165)
    if not found.missing:
        reason = "all that has a text is graded" if found.graded else "no passage has a text"
        show.text(f"There is nothing to do: {reason}.")
    return found if found.missing else None


def _start(arguments: list[str], grader: str | None = None) -> None:
    """Start a job and look at it, and at its grades as soon as there are some; for a button's callback."""
    st.session_state[GRADER] = grader
    try:
        st.session_state[JOB] = records.start(data.store(), arguments).id
    except ExamboardError as error:
        st.session_state[REFUSED] = str(error)


def jobs(chosen: Chosen, watched: bool) -> None:
    """The jobs of the store, newest first, and one of them.

    Parameters
    ----------
    watched : whether some job ran when the page was drawn; where that changes, the whole page changes
    """
    found = _jobs()
    if bool(watching.running(found)) != watched:
        st.rerun()
    if data.store().is_file:
        return
    st.subheader("Jobs")
    if not found:
        show.text("No job was started yet, neither here nor on the command line.")
        return
    rows = watching.table(found)
    names = [job.id for job in found]
    picking.keep_row(names, key=JOB, table="grading_jobs")
    row = show.table(
        rows,
        key="grading_jobs",
        alt="Grading jobs, newest first, with how far they are",
        select=True,
        columns={
            "job": TEXT("Job", pinned=True, help=HELP["job"]),
            "state": TEXT("State"),
            "what": TEXT("What"),
            "collection": TEXT("Collection"),
            "done": NUMBER("Done", format="localized", help="Grades that the job made."),
            "total": NUMBER("of", format="localized", help="Grades that were missing when it began."),
            "rate": NUMBER("Prompts/s", format="%.1f", help=HELP["rate"]),
            "left": TEXT("Time left", help="Estimated from the speed so far."),
            "unreadable": NUMBER("Unreadable", format="localized", help=HELP["unreadable"]),
            "failed": NUMBER("Failed", format="localized", help=HELP["failed"]),
            "arguments": None if chosen.present else TEXT("Arguments", width="large"),
        },
    )
    if len(found) == LISTED:
        st.caption(f"The newest {LISTED} jobs; all are listed by: examboard jobs")
    picked = picking.pick("Job", names, key=JOB, clicked=[None if row is None else names[row]], help=HELP["job"])
    _job(next(job for job in found if job.id == picked), chosen)


def _job(job: Job, chosen: Chosen) -> None:
    so_far = job.progress()
    _state(job, so_far)
    if so_far.message:
        show.problems(so_far.message.splitlines())
    if chosen.present or not job.arguments:
        return
    with st.container(horizontal=True):
        _buttons(job, so_far)
    if refused := st.session_state.pop(GOES_ON, None):
        show.problems([refused])
    show.command(ordering.command(job.arguments))
    said = watching.last_lines(job.log)
    if said:
        st.caption("What it said")
        st.code(said, language=None, wrap_lines=True, height=320 if said.count("\n") > 12 else "content")


def _state(job: Job, so_far: Progress) -> None:
    """How far it is."""
    word = watching.STATES[so_far.state]
    sentence = f"{word} · {progress_sentence(so_far)}" if so_far.total else word
    if so_far.state == "starting":
        sentence = f"{word}: a large model takes a minute to load."
    if watching.stopping(job):
        sentence += " · stops as soon as its answers are kept"
    if so_far.state in RUNNING and so_far.total:
        st.progress(min(so_far.done / so_far.total, 1.0))
    show.text(sentence)


def _buttons(job: Job, so_far: Progress) -> None:
    if so_far.state in RUNNING:
        st.button(
            "Stop",
            key="grading_stop",
            icon=":material/stop:",
            help=HELP["stop"],
            disabled=job.stopping,
            on_click=_stop,
            args=(job,),
        )
    elif so_far.state != "done":
        st.button(
            "Go on",
            key="grading_go_on",
            icon=":material/resume:",
            help=HELP["go_on"],
            on_click=_start,
            args=(job.arguments,),
        )


def _stop(job: Job) -> None:
    """Ask a job to stop; for a button's callback."""
    try:
        job.stop()
    except OSError as error:
        st.session_state[GOES_ON] = f"{error.filename}: {error.strerror}. The job was not asked to stop."


def results(chosen: Chosen) -> None:
    """The grades of one grader, and its answers that could not be read."""
    snapshot = data.snapshot(chosen.snapshot.collection)
    names = data.ask(outcomes.held, snapshot, chosen.bank_name)["grader_id"].tolist()
    if not names:
        return
    st.subheader("Outcomes")
    if (coming := st.session_state.get(GRADER)) in names:
        st.session_state[OF], st.session_state[GRADER] = coming, None
    grader = st.selectbox("Grader", names, key=OF, help=HELP["grader"], bind="query-params")
    rows = data.ask(outcomes.ratings, snapshot, grader, chosen.bank_name)
    show.chart(ratings_figure(rows), key="grading_ratings", alt=f"{grader}. {ratings_alternative(rows)}")
    *_, unread = rows.itertuples()
    show.text(f"{unread.count:,} of {rows['count'].sum():,} grades are unreadable ({unread.share:.1%}).")
    if not unread.count:
        return
    answers = data.ask(outcomes.unreadable_answers, snapshot, grader, chosen.bank_name)
    more = f"; the first {len(answers):,}" if len(answers) == outcomes.LISTED else ""
    st.caption(f"Its answers that could not be read, the most frequent first{more}.")
    show.table(
        answers.assign(answer=[text if len(text) <= ANSWER else f"{text[:ANSWER]}…" for text in answers["answer"]]),
        key="grading_unreadable_answers",
        export=answers,
        alt="Answers that no grade could be read from, with how often they were given",
        columns={
            "answer": TEXT(
                "Answer",
                width="large",
                help=f"The model's own words, the first {ANSWER} characters; the export has all.",
            ),
            "count": NUMBER("Times", format="localized"),
            "query_id": TEXT("For instance query", help=HELP["place"]),
            "doc_id": TEXT("Passage", help=HELP["place"]),
            "question_id": TEXT("Question", help=HELP["place"]),
        },
    )
