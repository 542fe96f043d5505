"""Probes for gullibility: a sample of non-relevant passages is graded as it is and perturbed, and what came is kept.

Answers go to the cache as those of `grading` do, so a probe that is killed and started again asks only what is new. A
probe is kept when it is whole. Its grades are none of the collection.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from exam_core.actions.grading_jobs import IsStopped, ReportProgress, ask_all, begin_spending, prepared_job, recorded
from exam_core.actions.job_control import Graded
from exam_core.actions.planning import Plan, plan, recorded_plan
from exam_core.actions.verbs import verb
from exam_core.errors import GraderError
from exam_core.grading.modes.lexical_grader import GRADER_ID, best_match, grade_of, inverse_document_frequency
from exam_core.grading.modes.mode import ModeInput
from exam_core.jobs.records import Job, JobProgress
from exam_core.jobs.task import bank_of
from exam_core.progress import Progress as Share
from exam_core.progress import no_progress
from exam_core.store import Store
from exam_core.store.names import BankRef
from exam_core.texts.words import content_stems, question_keys
from exam_core.wings.trust.gullibility import ORIGINAL, PERTURBATIONS, VARIANTS, perturbed
from exam_core.wings.trust.probe import DrawnSample, ProbeTask, drawn
from exam_core.wings.trust.probe_request import ProbeRequest
from exam_core.wings.trust.probes import Probe, Setting, keep_probe


@verb("edit")
def prepare_probe(store: Store, request: ProbeRequest) -> tuple[Job, ProbeTask]:
    """What is to be asked, and the record of it; errors as `prepared_job` and `ProbeTask`."""
    store.refuse_file("probe a grader in a folder")
    return prepared_job(store, request, lambda: ProbeTask(store, request))


@verb("edit", has_line=False)
def plan_probe(store: Store, request: ProbeRequest, *, progress: Share = no_progress) -> tuple[Plan, ProbeTask]:
    """What a probe will ask, how long that takes and at what price: as `plan`, with a record as `recorded_plan`."""
    with recorded_plan(store) as stopped:
        task = ProbeTask(store, request)
        return plan(task, price_per_hour=request.price, progress=progress, stopped=stopped), task


@verb("edit")
def run_probe(
    job: Job, task: ProbeTask, *, tell: ReportProgress = lambda _: None, stopped: IsStopped = lambda: False
) -> tuple[JobProgress, Probe | None]:
    """Ask what the cache doesn't know, and keep the probe where all is answered; arguments are those of `ask_all`.

    Raises GraderError where the model can't go on, or gave no answer to some prompts; its other answers are in the
    cache. Returns how far it came, and what is kept: None where it was stopped before.
    """
    probes: list[Probe] = []

    def work(text: ReportProgress) -> JobProgress:
        grades: list[int | None] = [None] * len(task)
        cut = np.zeros(len(task), bool)

        def keep(graded: Sequence[Graded]) -> None:
            for place, verdict, answer in graded:
                grades[place], cut[place] = verdict.grade, answer.cut

        begin_spending(task, job)
        done = ask_all(task, keep, tell=text, stopped=stopped)
        if done.failed:
            raise GraderError(
                f"{task.grader} gave no answer to {done.failed:,} of {done.total:,} prompts; the others are kept.\n"
                "Run the command again to ask them again: a probe counts only when it is complete."
            )
        if done.state == "done":
            about = dict(task.answerer.about) | {"mode": task.mode.called, **task.described()["llm_options"]}
            of_variants = cut.reshape(len(VARIANTS), task.items).sum(axis=1).tolist()
            probes.append(_probe(task.request, task.drawn, (task.bank, task.grader, about), grades, of_variants))
            keep_probe(task.store, task.order.collection, probes[0])
        return done

    task.log, task.missing = job.log_file, job.missing_file
    done = recorded(job, work, tell=tell)
    return done, next(iter(probes), None)


@verb("edit")
def probe_lexically(store: Store, request: ProbeRequest, *, progress: Share = no_progress) -> Probe:
    """Probe the lexical grader: at once, since it asks no model; the probe is kept.

    Raises UsageError as `drawn`, or it isn't said which bank.
    """
    store.refuse_file("probe a grader in a folder")
    snapshot = store.snapshot(request.order.collection)
    bank = bank_of(snapshot, request.order)
    sample = drawn(snapshot, bank, request)
    texts = snapshot.frame("passages")["passage_text"]
    idf = inverse_document_frequency(frozenset(content_stems(text)) for text in texts if isinstance(text, str))
    grades: list[int | None] = []
    for number, variant in enumerate(VARIANTS):
        progress(number / len(VARIANTS))
        for mode in _mode_inputs(sample):
            mode_input = perturbed(mode, variant)
            keys = question_keys(mode_input.question_text, mode_input.gold_answers)
            grades.append(grade_of(best_match(keys, frozenset(content_stems(mode_input.passage_text)), idf)[0]))
    graded_by = (str(BankRef(*bank)), GRADER_ID, {"model": "lexical"})
    probe = _probe(request, sample, graded_by, grades, [0] * len(VARIANTS))
    keep_probe(store, request.order.collection, probe)
    return probe


def _mode_inputs(sample: DrawnSample) -> Iterator[ModeInput]:
    pairs, questions = sample.work.pairs, sample.work.questions
    for pair, question in zip(sample.work.pair, sample.work.question, strict=True):
        gold = questions["gold_answers"].iat[question]
        yield ModeInput(
            passage_text=str(pairs["passage_text"].iat[pair]),
            question_text=str(questions["question_text"].iat[question]),
            gold_answers=tuple(map(str, gold)) if isinstance(gold, (list, np.ndarray)) else (),
        )


def _probe(
    request: ProbeRequest,
    sample: DrawnSample,
    graded_by: tuple[str | None, str, Mapping[str, Any]],
    grades: list[int | None],
    cut: list[int],
) -> Probe:
    """The record of a probe of bank, grader and what its answers depend on; `grades` are by variant, then by item."""
    bank, grader, about = graded_by
    items = len(sample.work.pair)
    pairs = sample.work.pairs.iloc[sample.work.pair]
    questions = sample.work.questions["question_id"].iloc[sample.work.question]
    return Probe(
        setting=Setting(
            bank=bank,
            grader=grader,
            about=dict(about),
            judgments=sample.judgments,
            relevant_from=request.relevant_from,
            sample=request.sample,
            seed=request.seed,
        ),
        population=sample.population,
        variants={ORIGINAL: "The unchanged passage."}
        | {name: perturbation.about for name, perturbation in PERTURBATIONS.items()},
        query_id=tuple(pairs["query_id"]),
        doc_id=tuple(pairs["doc_id"]),
        question_id=tuple(question_id if isinstance(question_id, str) else None for question_id in questions),
        grades={name: tuple(grades[n * items : (n + 1) * items]) for n, name in enumerate(VARIANTS)},
        cut=dict(zip(VARIANTS, cut, strict=True)),
    )
