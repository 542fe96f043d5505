"""`examboard gullible`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from exam_core.cli import common as cli
from exam_core.cli.common import open_store, progress_bar
from exam_core.cli.declared_options import takes_declared
from exam_core.cli.grade_commands import asking_lines
from exam_core.cli.running import end, stopping, watched
from exam_core.wings.trust.probe_request import ProbeRequest
from exam_core.wording import quoted

if TYPE_CHECKING:
    from exam_core.store import Store
    from exam_core.wings.trust.probes import Probe

SHOWN = tuple("grader_id perturbation rises rises_interval falls net net_interval label_rises grades".split())
"""Columns of the table to read; other forms have all."""

_FIRST = (
    *("collection", "bank", "name", "mode", "model", "device", "engine", "sample", "seed", "judgments"),
    *("relevant_from", "plan", "price", "stored"),
    *("backend", "precision", "decoding", "beams", "reading", "unreadable", "verification", "verifier"),
)


@takes_declared(first=_FIRST, leave_out=("limit",))
def gullible(
    request: ProbeRequest,
    stored: Annotated[
        bool, typer.Option("--kept", help="Ask no model: print the stored results of all graders.")
    ] = False,
    form: cli.FormatOption = cli.OutputForm.TABLE,
) -> None:
    """How often non-relevant passages get higher grades when the question, its words or praise are added.

    Stop it with Ctrl-C, or kill it: run it again to go on. Its grades are kept apart from those of the collection.

    Example: examboard gullible dl19 --bank genq --grader self-rating --model google/flan-t5-large --sample 200
    """
    from exam_core.actions import planning
    from exam_core.grading.modes.lexical_grader import GRADER_ID
    from exam_core.jobs.ordering import is_lexical
    from exam_core.jobs.records import ordered
    from exam_core.wings.trust import actions

    store = open_store()
    request = ordered(store, ProbeRequest) or request
    request = replace(request, order=planning.with_mode(store, request.order))
    lexical = is_lexical(request.order)
    if stored:
        _print(store, request.order.collection, None, form)
    elif lexical and request.plan:
        cli.say(f"{GRADER_ID} asks no model: there is nothing to plan. Leave --plan out.")
    elif request.plan:
        _plan(store, request, form)
    elif lexical:
        with progress_bar("Grading") as progress:
            probe = actions.probe_lexically(store, request, progress=progress)
        _print(store, request.order.collection, probe, form)
    else:
        job, task = actions.prepare_probe(store, request)
        with stopping(job) as stopped, watched(job, len(task), what="prompts, those in the cache among them") as show:
            done, result = actions.run_probe(job, task, tell=show, stopped=stopped)
        if result is None:
            missing = f"Stopped before the end: {done.total - done.done:,} still missing. Run it again to go on."
            cli.say(done.message if done.over or done.state == "paused" else missing, err=True)
            end(done)
        _print(store, request.order.collection, result, form)


def _print(store: Store, collection: str, probe: Probe | None, form: cli.OutputForm) -> None:
    from exam_core.wings.trust.gullibility import gullibility

    store.snapshot(collection)  # Says which collections there are where this is none.
    result = gullibility(store, collection, None if probe is None else [probe])
    if result.rows.empty and form is cli.OutputForm.TABLE:
        cli.say(f"No grader was probed on {collection} yet: examboard gullible {quoted(collection)} --grader GRADER")
        return
    rows = result.rows if form is not cli.OutputForm.TABLE else result.rows[list(SHOWN)]
    answer = {"collection": collection, "rows": result.rows, "notes": result.notes}
    cli.print_object(answer, rows, form, footer=result.notes)


def _plan(store: Store, request: ProbeRequest, form: cli.OutputForm) -> None:
    from dataclasses import asdict

    from exam_core.table_text import as_json
    from exam_core.wings.trust import actions
    from exam_core.wings.trust.gullibility import VARIANTS

    with progress_bar("Planning") as progress:
        planned, task = actions.plan_probe(store, request, progress=progress)
    passages = len(set(task.work.pair.tolist()))
    name = f"{passages:,} of {task.drawn.population:,} non-relevant passages"
    if form is cli.OutputForm.JSON:
        sample = {"passages": passages, "population": task.drawn.population, "variants": list(VARIANTS)}
        cli.say(as_json(sample | asdict(planned)))
        return
    of_bank = f", bank {planned.bank}" if planned.bank else ""
    cli.say(f"{planned.grader} on {planned.collection}{of_bank}: {name}")
    cli.say(f"  grades             {planned.missing:>10,}   {task.items:,} of each of {', '.join(VARIANTS)}")
    cli.say("\n".join(asking_lines(planned)))
