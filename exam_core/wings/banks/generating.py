"""Questions that a model writes: the plan, the job, and the bank that comes of it.

Replies go to the cache as they come, so a job that is killed and started again asks only what it was asking when it
died. The version is made at the end, of all that was read; a job that is stopped before makes none.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property

import msgspec
import numpy as np
import pandas as pd

from exam_core.actions.committing import refuse_version
from exam_core.actions.grading_jobs import (
    AskingJob,
    IsStopped,
    ReportProgress,
    Stopped,
    begin_spending,
    prepared_job,
    recorded,
)
from exam_core.actions.planning import measured, recorded_plan
from exam_core.actions.verbs import verb
from exam_core.errors import UsageError, visible
from exam_core.grading.answerers import answerer
from exam_core.grading.backend import Writing
from exam_core.grading.options import refuse_impossible
from exam_core.grading.prompt import Answerer, Prompt, cache_key
from exam_core.jobs.records import Job, JobProgress
from exam_core.jobs.task import answers_of
from exam_core.progress import Progress as Share
from exam_core.progress import no_progress
from exam_core.question import Question, plain
from exam_core.results import ResultTable, count, text
from exam_core.store import Snapshot, Store
from exam_core.store.answer_cache import AnswerCache, CachedAnswer
from exam_core.store.names import BankRef
from exam_core.store.summary import bank_version
from exam_core.tables import question_id
from exam_core.texts.scripts import TOKENS_PER_WORD, about_tokens
from exam_core.wings.banks.actions import LONGEST_REASON, edit_bank
from exam_core.wings.banks.prompts import GenerationOrder, GenerationRequest, QuestionPrompt, prompt_named
from exam_core.wings.banks.replies import REASONS, Read, read
from exam_core.wings.banks.versions import Change, applied, questions_of
from exam_core.wording import counted, quoted

SCHEMA = {
    "type": "object",
    "properties": {"questions": {"type": "array", "items": {"type": "string"}}},
    "required": ["questions"],
    "additionalProperties": False,
}
"""What a server is asked to keep to; what it sends is read as if it had ignored it."""
_TEXTS = "SELECT query_id, query_text, title, subtopic FROM queries ORDER BY query_id"
_FACETS = """
SELECT query_id, facet_id, any_value(facet_text) AS facet_text FROM questions
WHERE facet_id IS NOT NULL AND bank_id = $bank AND version = $version GROUP BY ALL ORDER BY query_id, facet_id
"""
LEFT_OUT = ResultTable(
    "generating: left out",
    "Parts of a model's replies that became no question, by reason, most frequent first",
    text("reason", "Left out", width="medium"),
    count("count", "Times", unit="pieces of replies"),
    text("meaning", "Because", width="large"),
)


@dataclass(frozen=True)
class QueryPart:
    """What is asked for with one prompt: a part of a query, or all of it, and then `subtopic` is empty.

    `facet_id` is that of a part that a bank knows.
    """

    query_id: str
    query: str
    subtopic: str = ""
    facet_id: str | None = None


class WritingTask:
    """A job that has questions written, prepared: its model, its prompt, what it asks for.

    `without_text` are the queries, or those of them with parts to ask for, that are left out as nothing is known of
    their words. Raises UsageError: unknown names, options that don't go together, nothing to ask for.
    """

    def __init__(self, store: Store, order: GenerationOrder, *, model: Answerer | None = None) -> None:
        self.store, self.order = store, (order := order.as_meant)
        self.prompt = prompt_named(order.prompt, order.template)
        if not order.options.model and model is None:
            raise UsageError("Say with --model which model writes the questions, and with --base-url where it is.")
        refuse_impossible(order.options, "generate", writes=True)
        self.wanted, self.without_text = _query_parts(store.snapshot(order.collection), order, self.prompt)
        self._model = model

    def __len__(self) -> int:
        return len(self.wanted)

    @cached_property
    def answerer(self) -> Answerer:
        """The model, loaded when it is first needed."""
        schema = SCHEMA if self.order.schema else None
        return self._model or answerer(self.order.options, writing=Writing(schema=schema))

    @cached_property
    def cache(self) -> AnswerCache:
        """Its replies."""
        return answers_of(self.store, self.answerer)

    def prompts(self, items: Iterable[int]) -> list[Prompt]:
        """The prompts of some of what is wanted."""
        return [
            Prompt(self.prompt.words(query_part.query, query_part.subtopic, self.order.questions))
            for query_part in (self.wanted[place] for place in items)
        ]


def count_prompts(snapshot: Snapshot, store: Store, order: GenerationOrder) -> tuple[int, int]:
    """How many prompts such a job has, and how many queries it leaves out; no model is loaded.

    An answer that is kept is kept for the snapshot. Raises UsageError as `WritingTask`.
    """
    del snapshot
    task = WritingTask(store, order)
    return len(task), task.without_text


def left_out(so_far: JobProgress) -> pd.DataFrame:
    """What in replies became no question: `LEFT_OUT`."""
    rows = sorted(so_far.lost.items(), key=lambda row: (-row[1], row[0]))
    return LEFT_OUT.of([{"reason": why, "count": n, "meaning": REASONS.get(why, "")} for why, n in rows])


def _query_parts(snapshot: Snapshot, order: GenerationOrder, prompt: QuestionPrompt) -> tuple[list[QueryPart], int]:
    """What is asked for, and how many of the queries are left out."""
    texts = snapshot.query(_TEXTS)
    if order.queries:
        named = list(dict.fromkeys(filter(None, (name.strip() for name in order.queries.split(",")))))
        unknown = sorted(set(named) - set(texts["query_id"]))
        if unknown:
            raise UsageError(f"--queries: {order.collection} has no query {', '.join(unknown[:5])}.")
        texts = texts[texts["query_id"].isin(named)]
    rows = []
    for row in texts.to_dict("records"):
        words = {name: value.strip() if isinstance(value, str) else "" for name, value in row.items()}
        # A query that is a part of a topic has its title; else its own words say most.
        query = words["title"] if words["subtopic"] and words["title"] else words["query_text"] or words["title"]
        rows.append(QueryPart(str(row["query_id"]), query, words["subtopic"]))
    whole = [query_part for query_part in rows if query_part.query]
    query_parts = [replace(part, subtopic="") for part in whole]
    if prompt.wants_subtopics:
        query_parts = _split_by_facets(snapshot, order, whole)
    left_out = len(rows) - len({part.query_id for part in query_parts})
    if query_parts:
        return query_parts, left_out
    if not whole:
        raise UsageError(
            f"No text is known of {counted({'queries': len(rows)})} of {order.collection}, so there is nothing to ask "
            f"for.\nAdd the texts with: examboard import topics FILE --collection {quoted(order.collection)}"
        )
    raise UsageError(
        f"Prompt {prompt.name} needs subtopics, and none is known in {order.collection}: neither questions of a "
        "bank have a facet, nor queries a subtopic.\nImport a bank with facets, or take a prompt without {subtopic}."
    )


def _split_by_facets(snapshot: Snapshot, order: GenerationOrder, queries: list[QueryPart]) -> list[QueryPart]:
    """The queries part by part: facets that the bank knows, or else another bank; else the subtopic of the query."""
    facets: dict[str, list[tuple[str, str]]] = {}
    banks = [str(name) for name in snapshot.query("SELECT DISTINCT bank_id FROM questions ORDER BY ALL")["bank_id"]]
    for bank in sorted(banks, key=lambda name: name != order.bank):
        known = snapshot.query(_FACETS, {"bank": bank, "version": bank_version(snapshot, bank)})
        new: dict[str, list[tuple[str, str]]] = {}
        for query_id, facet_id, value in known.itertuples(index=False):
            words = value.strip() if isinstance(value, str) else ""
            if not words:  # of CAR's facets the id says the words: `page/Heading`
                words = str(facet_id).rpartition("/")[2].replace("%20", " ").replace("_", " ")
            new.setdefault(str(query_id), []).append((str(facet_id), words))
        facets = new | facets
    parts: list[QueryPart] = []
    for query in queries:
        known_facets = facets.get(query.query_id, [])
        parts += [replace(query, subtopic=words, facet_id=facet) for facet, words in known_facets]
        parts += [query] if query.subtopic and not known_facets else []
    return parts


MEASURED = 4
"""Prompts that a plan asks at most to know the speed: a reply is long, and each costs."""


@dataclass(frozen=True)
class GenerationPlan:
    """What a job would do: of its prompts some are cached, some equal to another one, and `new` ones must be asked.

    `tokens` are those of the new prompts, and `reply_tokens` those of their replies, estimated by the replies that are
    known. Seconds and cost are None where nothing is known of the speed or the length, or no price was given.
    """

    collection: str
    bank: str
    prompt: str
    model: str
    prompts: int
    cached: int
    repeated: int
    new: int
    without_text: int
    tokens: int
    reply_tokens: int | None
    prompts_per_second: float | None
    seconds: float | None
    cost: float | None


@verb("edit")
def prepare_generation(store: Store, request: GenerationRequest) -> tuple[Job, WritingTask]:
    """What is to be asked, and the record of it; errors as `prepared_job` and `WritingTask`."""
    return prepared_job(store, request, lambda: _task(store, request))


@verb("edit")
def generate_bank(
    job: Job, task: WritingTask, *, tell: ReportProgress = lambda _: None, stopped: IsStopped = lambda: False
) -> JobProgress:
    """Have questions written and add them to the bank, and keep the record of it.

    `tell` is called about once a second. After a stop replies are kept and the bank stays as it is. Raises GraderError
    where the model can't go on (replies are kept), and BadInput where the bank can't be edited.
    """

    def work(report: ReportProgress) -> JobProgress:
        begin_spending(task, job)
        return generate(task, tell=report, stopped=stopped)

    return recorded(job, work, tell=tell)


def generate(
    task: WritingTask, *, tell: ReportProgress = lambda _: None, stopped: IsStopped = lambda: False
) -> JobProgress:
    """As `generate_bank`, without a record."""
    so_far = JobProgress(state="running", total=len(task))
    tell(so_far)
    with ExitStack() as stack:
        writer = _QuestionWriter(task, so_far, tell, stopped, stack)
        writer.all(len(task))
    if so_far.over or so_far.done + so_far.failed < so_far.total:
        so_far.state = "stopped"
    else:
        so_far.version, so_far.added, so_far.known = _commit(task, writer.read)
        so_far.state = "done"
    so_far.failures = dict(writer.failures)
    if so_far.failed:
        reasons = "; ".join(reason or "no reason was given" for reason, _ in writer.failures.most_common(3))
        missing = f"{so_far.failed:,} of {so_far.total:,} prompts got no reply ({reasons})."
        so_far.message = f"{missing} Start the job again to ask them again."
    tell(so_far)
    return so_far


@verb("edit", has_line=False)
def plan_generation(store: Store, request: GenerationRequest, *, progress: Share = no_progress) -> GenerationPlan:
    """What the job would do, for how long, at what price.

    To know the speed a few prompts are asked, whose replies are kept; of a server nothing is asked.
    """
    with recorded_plan(store) as stopped:
        task = _task(store, request)
        every = task.prompts(range(len(task)))
        keys = [cache_key(prompt) for prompt in every]
        prompts = dict(zip(keys, every, strict=True))
        known = task.cache.find(list(prompts))
        unknown = [prompt for key, prompt in prompts.items() if key not in known]
        speed, _ = measured(task.answerer, task.cache, unknown[:MEASURED], stopped)
        progress(1.0)
        replies = task.cache.find(list(prompts))
        new = [prompt for key, prompt in prompts.items() if key not in replies]
        seconds = len(new) / speed if speed else (0.0 if not new else None)
        tokens = sum(task.answerer.lengths(new)) if new else 0
        # Tokens of a reply are estimated as those of a prompt are.
        each = [about_tokens(reply.text, TOKENS_PER_WORD) for reply in replies.values()]
        reply_tokens = round(float(np.mean(each)) * len(new)) if each else None
        cost = seconds / 3600 * request.price if request.price is not None and seconds is not None else None
        if counted := task.cache.mean_tokens():
            tokens, reply_tokens = (round(mean * len(new)) for mean in counted)
        if prices := task.order.options.prices:
            cost = (cost or 0.0) + (tokens * prices[0] + (reply_tokens or 0) * prices[1]) / 1e6
        return GenerationPlan(
            collection=task.order.collection,
            bank=task.order.bank,
            prompt=task.prompt.name,
            model=_model(task),
            prompts=len(task),
            cached=sum(key in replies for key in keys),
            repeated=len(keys) - len(prompts),
            new=len(new),
            without_text=task.without_text,
            tokens=tokens,
            reply_tokens=reply_tokens,
            prompts_per_second=speed,
            seconds=seconds,
            cost=cost,
        )


def _task(store: Store, request: GenerationRequest) -> WritingTask:
    store.refuse_file("write questions in a folder")
    refuse_version(request.order.bank)
    reason = request.order.reason or ""
    # Known before anything is asked and paid for.
    if len(reason) > LONGEST_REASON or visible(reason) != reason:
        raise UsageError(f"--reason: give a text of at most {LONGEST_REASON:,} characters, without control characters.")
    return WritingTask(store, request.order)


class _QuestionWriter(AskingJob):
    """Asks for questions and reads the replies, block by block."""

    keeps_at_once = True

    def __init__(
        self, task: WritingTask, so_far: JobProgress, tell: ReportProgress, stopped: IsStopped, stack: ExitStack
    ) -> None:
        super().__init__(so_far, tell, stopped, stack)
        self._task, self._model = task, task.answerer
        self.asks = self._model
        self.read: dict[int, Read] = {}

    def block(self, items: np.ndarray) -> np.ndarray:
        task, self.elsewhere = self._task, 0
        try:
            replies = self._answers(self._model, task.cache, task.prompts(items), self._most)
        except Stopped:
            return items
        for place, reply in zip(items.tolist(), replies, strict=True):
            if isinstance(reply, CachedAnswer):
                result, so_far = read(reply.text, cut=reply.stopped), self._so_far
                self.read[place] = result
                so_far.ways = dict(Counter(so_far.ways) + Counter([result.way]))
                so_far.done += 1
                so_far.cut += reply.stopped
                so_far.unreadable += not result.questions
                so_far.questions += len(result.questions)
                so_far.lost = dict(Counter(so_far.lost) + result.lost)
            elif reply is None:
                self._so_far.failed += 1
        later = np.array([reply == "later" for reply in replies], bool)
        self._end_block(moved=not later.all())
        return np.asarray(items[later])


def _commit(task: WritingTask, reads: dict[int, Read]) -> tuple[str, int, int]:
    """Add the questions to the newest version of the bank; those that it has, by id or by words, stay as they are.

    Returns the version that has them, empty where there is none, how many are new in it, and how many were in the bank.
    """
    store, order = task.store, task.order
    today = dt.datetime.now(dt.UTC).date().isoformat()
    made = {"is_human": False, "llm_model": _model(task), "creation_date": today, "prompt": task.prompt.name}
    creators = msgspec.json.encode([made]).decode()
    written = [
        Question(
            query_id=part.query_id,
            question_id=question_id(part.query_id, text, part.facet_id),
            text=text,
            facet_id=part.facet_id,
            facet_text=part.subtopic if part.facet_id else None,
            creators=creators,
        )
        for part, reply in ((task.wanted[place], reads[place]) for place in sorted(reads))
        for text in reply.questions
    ]
    with store.locked(order.collection):
        snapshot = store.snapshot(order.collection)
        newest = bank_version(snapshot, order.bank)
        bank = dict(questions_of(snapshot, order.bank, newest)) if newest else {}
        rows = {_words(question) for question in bank.values()}
        added: dict[tuple[str, str], Question] = {}
        for question in written:
            if question.key not in bank and _words(question) not in rows:
                rows.add(_words(question))
                added[question.key] = question
        known = len(written) - len(added)
        if not added:
            return str(BankRef(order.bank, newest)) if newest else "", 0, known
        reason = (
            order.reason or f"{counted({'questions': len(added)})} written by {_model(task)}, prompt {task.prompt.name}"
        )
        reason = visible(reason, line_ends=False)[:LONGEST_REASON]
        changes = [Change((), question) for question in added.values()]
        edited = edit_bank(
            store, order.collection, order.bank, applied(bank, changes), base=newest or None, reason=reason
        )
    return edited.ref, len(added), known


def _words(question: Question) -> tuple[str, str | None, str]:
    """What makes two questions of a bank the same: query, facet, and words, be they written large or small."""
    return question.query_id, question.facet_id, " ".join(plain(question.text).split()).casefold()


def _model(task: WritingTask) -> str:
    return str(task.answerer.about["model"])
