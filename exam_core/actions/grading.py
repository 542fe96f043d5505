"""Grading: what is missing is planned, asked, read and stored, block by block; stop it anywhere, nothing is lost.

An answer goes to the cache as soon as it is there, a grade to the collection when its block is done. So a job that
is killed and started again asks only what it was asking when it died.

Jobs with the same model share the work: what another one is asking (`store/leases.py`) is left for later, when its
answer is in the cache.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from exam_core.actions.importing import counted
from exam_core.actions.jobs import Progress
from exam_core.errors import UsageError
from exam_core.grading.answerers import answerer
from exam_core.grading.asking import Answer, Answerer, Prompt, cache_key, cache_name
from exam_core.grading.modes.papers import Asked, Mode, grader_name, mode_named, without_key
from exam_core.grading.modes.ratings import Unreadable, Verdict
from exam_core.grading.options import Options
from exam_core.store import Store
from exam_core.store.answers import AnswerCache, Kept
from exam_core.store.banks import find_bank
from exam_core.store.leases import Leases
from exam_core.store.summary import banks
from exam_core.store.work import Work, work
from exam_core.tables import GRADES

SMALLEST_BLOCK, LARGEST_BLOCK = 64, 16_384
"""Grades in a block; between these as many as are done in `BLOCK_SECONDS`."""
BLOCK_SECONDS = 5.0
LATER_SHARE = 0.02
"""Blocks of a long job take this share of the time so far: an hour makes some hundred files, not thousands."""
KEEP_SECONDS = 5.0
"""Answers wait at most so long in memory."""
LOOK_SECONDS = 0.2
"""A job that waits for others looks so often, or at most a fifth of its time, for what they have answered."""

Items = slice | np.ndarray
"""Places of some of the missing grades."""
Later = Literal["later"]
"""Stands for an answer that another job is asked for."""
Told = Callable[[Progress], None]
Asks = Callable[[], bool]


@dataclass(frozen=True)
class Order:
    """What is to be graded, by whom, how.

    Parameters
    ----------
    mode : a grading mode's name
    bank : `genq` or `genq@2`; None: the only bank, or none where the mode labels passages directly
    name : of the grader in the store; by default made of model, mode and what departs from the defaults
    unreadable : what an answer counts that can't be read
    verification : words, or words-authors: compare answers as the papers say, or as the authors' code does
    verifier : the model that verifies, where a mode has answers verified by a model; by default the same
    limit : at most so many grades
    """

    collection: str
    mode: str
    options: Options
    bank: str | None = None
    name: str | None = None
    unreadable: Unreadable = "null"
    verification: str | None = None
    verifier: Options | None = None
    limit: int | None = None


class Task:
    """A grading job that is prepared: its mode, its model, what is missing.

    Raises
    ------
    UsageError : unknown names, options that don't go together, texts or answer keys that are missing
    GraderError : the model can't be loaded
    """

    def __init__(self, store: Store, order: Order, *, model: Answerer | None = None) -> None:
        self.store, self.order = store, order
        self.mode = mode_named(order.mode, order.verification)
        snapshot = store.snapshot(order.collection)
        bank = _bank(store, order, self.mode)
        self.bank = f"{bank[0]}@{bank[1]}" if bank else None
        self._bank_name = bank[0] if bank else ""
        self.grader = order.name or grader_name(order.options.model, self.mode.name, _differences(order))
        self.work = _gradable(work(snapshot, self.grader, bank), order.limit)
        self._refuse_gaps()
        self._refuse_another_mode(snapshot.graders.get(self.grader, {}))
        self._model = model

    @cached_property
    def answerer(self) -> Answerer:
        """The model, loaded when it is first needed."""
        return self._model or answerer(self.order.options, self.mode.kind)

    @cached_property
    def cache(self) -> AnswerCache:
        """Its answers."""
        return _cache(self.store, self.answerer)

    @cached_property
    def verifier(self) -> Answerer:
        """The model that verifies answers."""
        options = self.order.verifier
        if options is None and self.mode.kind == "extract":
            options = replace(self.order.options, model=str(self.mode.verifying_model))
        return answerer(options) if options else self.answerer

    @cached_property
    def verifier_cache(self) -> AnswerCache:
        """Its answers."""
        return self.cache if self.verifier is self.answerer else _cache(self.store, self.verifier)

    def __len__(self) -> int:
        return len(self.work.pair)

    @cached_property
    def first(self) -> np.ndarray:
        """For each missing grade whether its passage is among some run's first."""
        return np.asarray(self.work.pairs["first"].to_numpy().astype(bool)[self.work.pair])

    def asked(self, items: Items) -> list[Asked]:
        """What is asked in some of the missing grades."""
        pair, question = self.work.pair[items], self.work.question[items]
        texts, questions = self.work.pairs["passage_text"].to_numpy(), self._questions
        return [replace(questions[q], passage_text=str(texts[p])) for p, q in zip(pair, question, strict=True)]

    @cached_property
    def _questions(self) -> list[Asked]:
        return [
            Asked(
                question_text=_text(row.question_text),
                gold_answers=_texts(row.gold_answers),
                passage_text="",
                query_text=_text(row.query_text),
            )
            for row in self.work.questions.itertuples()
        ]

    def prompts(self, items: Items) -> list[Prompt]:
        """The prompts of some of the missing grades."""
        return [self.mode.prompt(asked) for asked in self.asked(items)]

    def described(self) -> dict[str, Any]:
        """What the store keeps of this grader."""
        about = dict(self.answerer.about)
        options = {name: str(value) for name, value in about.items() if name != "model"}
        options["unreadable"] = self.order.unreadable
        if self.mode.verifier:
            options["verification"] = self.mode.verifier
        if self.mode.verifier == "words-authors":
            options["stemmer"] = "nltk"  # Grades of the rules before it came don't go by the same name.
        if self.mode.verifier == "llm":
            options["verifier"] = str(self.verifier.about)
        return self.mode.described(str(about["model"]), options)

    def _refuse_another_mode(self, known: Mapping[str, Any]) -> None:
        """Grades of two prompts never share a name, also where one of them was imported."""
        there = (known.get("prompt_info") or {}).get("prompt_class")
        if there and there != self.mode.prompt_class:
            raise UsageError(
                f"Grader {self.grader} of {self.order.collection} asks with {there}, mode {self.mode.name} with "
                f"{self.mode.prompt_class}.\n"
                f"Give the new grader a name of its own: --grader NAME --mode {self.mode.name}"
            )

    def _refuse_gaps(self) -> None:
        """Texts and keys without which nothing can be asked."""
        used = self.work.questions.iloc[np.unique(self.work.question)]
        column = "query_text" if self.mode.item == "passage" else "question_text"
        blank = used[used[column].isna() | (used[column].astype(str).str.strip() == "")]
        if len(blank):
            what, verb = ("queries", "topics") if column == "query_text" else ("questions", "bank")
            option = "" if verb == "topics" else f" --bank {self._bank_name}"
            named = blank["query_id" if column == "query_text" else "question_id"].iloc[0]
            raise UsageError(
                f"No text is known of {counted({what: len(blank)})} of {self.order.collection}, the first is {named}.\n"
                f"Bring their texts with: examboard import {verb} FILE --collection {self.order.collection}{option}"
            )
        if self.mode.needs_key:
            keyless = without_key(dict(zip(used["question_id"], used["gold_answers"].map(_texts), strict=True)))
            if keyless:
                raise UsageError(
                    f"Mode {self.mode.name} verifies answers, and there is no answer key for "
                    f"{counted({'questions': len(keyless)})}, the first is {keyless[0]}.\n"
                    "Take a bank with gold_answers, or a mode that rates: self-rating."
                )


def run(task: Task, *, tell: Told = lambda _: None, stopped: Asks = lambda: False) -> Progress:
    """Grade what is missing.

    Parameters
    ----------
    tell : is told how far it is, about once a second
    stopped : whether somebody asked it to stop; what is done by then is kept

    Returns
    -------
    how far it came: its state is done or stopped

    Raises
    ------
    GraderError : the model can't go on; what is done is kept
    """
    so_far = Progress(state="running", total=len(task), first_total=int(task.first.sum()))
    if not len(task):
        so_far.state = "done"
        return so_far
    task.store.describe_grader(task.order.collection, task.grader, task.described())
    tell(so_far)
    queue, size = np.arange(len(task)), SMALLEST_BLOCK
    with ExitStack() as stack:
        runner = _Runner(task, so_far, tell, stopped, stack)
        while len(queue) and not stopped():
            began = time.monotonic()
            reach = size + runner.elsewhere
            left = runner.block(queue[:reach])
            done = len(queue[:reach]) - len(left)
            queue = np.concatenate([left, queue[reach:]])
            took = max(time.monotonic() - began, 1e-3)
            if done:
                size = _next_size(done, took, so_far.seconds)
            elif runner.elsewhere >= len(queue):
                runner.wait(max(LOOK_SECONDS, 4 * took))
    so_far.state = "stopped" if so_far.done + so_far.failed < so_far.total else "done"
    tell(so_far)
    return so_far


def _next_size(done: int, took: float, seconds: float) -> int:
    """Grades of the next block, after one of `done` grades that took so long, in a job that works for `seconds`."""
    wanted = max(BLOCK_SECONDS, LATER_SHARE * seconds)
    largest = min(LARGEST_BLOCK, max(SMALLEST_BLOCK, 4 * done))
    return int(np.clip(done * wanted / took, SMALLEST_BLOCK, largest))


class Stopped(Exception):  # noqa: N818
    """Somebody asked the job to stop within a block."""


class _Runner:
    """Asks, reads and stores one block after the other."""

    def __init__(self, task: Task, so_far: Progress, tell: Told, stopped: Asks, stack: ExitStack) -> None:
        self._task, self._so_far, self._tell, self._stopped, self._stack = task, so_far, tell, stopped, stack
        self._told = 0.0
        self._answered = 0
        """Prompts of the block that are answered already."""
        self._most = SMALLEST_BLOCK
        """Prompts that a block may ask; after one that found all in the cache, the next asks few, as a first one."""
        self._leases: dict[int, Leases] = {}
        self.elsewhere = 0
        """Grades of the last block that were left because another job is asking for them."""

    def block(self, items: np.ndarray) -> np.ndarray:
        """Grade some of what is missing; stopped meanwhile, its answers are kept and its grades come next time.

        Returns
        -------
        those that are left for a later block
        """
        task, self.elsewhere = self._task, 0
        asked = task.asked(items)
        try:
            answers = self._answers(task.answerer, task.cache, [task.mode.prompt(one) for one in asked], self._most)
            verdicts = self._verdicts(asked, answers)
        except Stopped:
            return items
        later = np.array([verdict == "later" for verdict in verdicts], bool)
        self._store(items, answers, verdicts)
        return np.asarray(items[later])

    def wait(self, seconds: float) -> None:
        """Wait for what other jobs are asking, and say so."""
        began = time.monotonic()
        while time.monotonic() - began < seconds and not self._stopped():
            time.sleep(0.05)
        self._so_far.waiting += time.monotonic() - began
        self._say(time.monotonic())

    def _verdicts(self, asked: list[Asked], answers: list[Kept | Later | None]) -> list[Verdict | Later | None]:
        mode, rule = self._task.mode, self._task.order.unreadable
        if mode.verifier != "llm":
            return [
                mode.read(answer.text, one, rule) if isinstance(answer, Kept) else answer
                for answer, one in zip(answers, asked, strict=True)
            ]
        questions = [
            mode.verify_prompts(answer.text, one) if isinstance(answer, Kept) else []
            for answer, one in zip(answers, asked, strict=True)
        ]
        flat = [prompt for prompts in questions for prompt in prompts]
        replies = iter(self._answers(self._task.verifier, self._task.verifier_cache, flat))
        verdicts: list[Verdict | Later | None] = []
        for answer, prompts in zip(answers, questions, strict=True):
            said = [next(replies) for _ in prompts]
            texts = [reply.text for reply in said if isinstance(reply, Kept)]
            if not isinstance(answer, Kept):
                verdicts.append(answer)
            elif len(texts) == len(said):
                verdicts.append(mode.verdict(texts))
            else:
                verdicts.append("later" if "later" in said else None)
        return verdicts

    def _answers(
        self, model: Answerer, cache: AnswerCache, prompts: list[Prompt], most: int | None = None
    ) -> list[Kept | Later | None]:
        """The answers of all prompts, known or asked now; None where the model failed.

        Parameters
        ----------
        most : prompts to ask at most; the others come later, as those do that another job asks
        """
        keys = [cache_key(prompt) for prompt in prompts]
        cache.refresh()
        found = cache.find(keys) if keys else {}
        new = {key: prompt for key, prompt in zip(keys, prompts, strict=True) if key not in found}
        if new:
            leases = self._leases_beside(cache)
            try:
                mine, theirs = leases.take(list(new), most)
                cache.refresh()  # Others may have answered some before these were leased.
                found |= cache.find(list(new))
                to_ask = {key: prompt for key, prompt in new.items() if key in mine and key not in found}
                found |= self._asked(model, cache, to_ask)
            finally:
                leases.release()
            self.elsewhere += sum(key in theirs and key not in found for key in keys)
            if most is not None:
                self._most = max(self._most, 4 * len(to_ask))
        return [found.get(key, None if key in to_ask else "later") if key in new else found[key] for key in keys]

    def _asked(self, model: Answerer, cache: AnswerCache, prompts: Mapping[bytes, Prompt]) -> dict[bytes, Kept]:
        """What the model answers now; kept, also if it stops midway."""
        found: dict[bytes, Kept] = {}
        waiting: dict[bytes, Kept] = {}
        keys, kept_at = list(prompts), time.monotonic()
        try:
            with closing(answering(model, list(prompts.values()))) as answers:
                before = time.monotonic()
                for place, answer in answers:
                    if answer.text is not None:
                        waiting[keys[place]] = Kept(answer.text, answer.cut)
                    now = time.monotonic()
                    self._so_far.asked += 1
                    self._answered += 1
                    self._so_far.seconds += now - before
                    before = now
                    self._say(now)
                    if now - kept_at > KEEP_SECONDS:
                        cache.add(waiting)
                        found |= waiting
                        waiting, kept_at = {}, now
                    if self._stopped():
                        raise Stopped
        finally:
            cache.add(waiting)
        return found | waiting

    def _leases_beside(self, cache: AnswerCache) -> Leases:
        if id(cache) not in self._leases:
            self._leases[id(cache)] = self._stack.enter_context(cache.leases())
        return self._leases[id(cache)]

    def _store(
        self, items: np.ndarray, answers: list[Kept | Later | None], verdicts: list[Verdict | Later | None]
    ) -> None:
        task, so_far = self._task, self._so_far
        rows = [
            (place, verdict, answer)
            for place, verdict, answer in zip(items, verdicts, answers, strict=True)
            if isinstance(verdict, Verdict) and isinstance(answer, Kept)
        ]
        places = np.array([place for place, _, _ in rows], np.int64)
        pairs = task.work.pairs.iloc[task.work.pair[places]]
        questions = task.work.questions.iloc[task.work.question[places]]
        frame = GRADES.frame(
            {
                "grader_id": [task.grader] * len(rows),
                "question_id": questions["question_id"].tolist(),
                "query_id": pairs["query_id"].tolist(),
                "doc_id": pairs["doc_id"].tolist(),
                "grade": [verdict.grade for _, verdict, _ in rows],
                "answer": [answer.text for _, _, answer in rows],
                "correct": [verdict.correct for _, verdict, _ in rows],
            }
        )
        if len(frame):
            task.store.add_grades(task.order.collection, task.grader, frame)
        so_far.done += len(rows)
        so_far.first_done += int(task.first[places].sum())
        so_far.failed += sum(verdict is None for verdict in verdicts)
        so_far.unreadable += sum(verdict.grade is None for _, verdict, _ in rows)
        so_far.cut += sum(answer.cut for _, _, answer in rows)
        self._answered = 0
        if any(verdict != "later" for verdict in verdicts):
            so_far.waiting = 0.0
            self._say(time.monotonic(), at_once=True)

    def _say(self, now: float, *, at_once: bool = False) -> None:
        if now - self._told < 1.0 and not at_once:
            return
        self._told = now
        so_far = self._so_far
        if so_far.waiting:
            so_far.left = None
        elif so_far.asked:
            remaining = so_far.total - so_far.done - so_far.failed - self._answered
            so_far.left = max(remaining, 0) / so_far.rate
        self._tell(so_far)


def answering(model: Answerer, prompts: Sequence[Prompt]) -> Generator[tuple[int, Answer]]:
    """Answers as a generator that can be closed, whatever kind of iterator the model gives."""
    if prompts:
        yield from model.answers(prompts)


def _cache(store: Store, model: Answerer) -> AnswerCache:
    return store.answers(cache_name(model.about), model.about)


def _bank(store: Store, order: Order, mode: Mode) -> tuple[str, int] | None:
    """The bank and its version; None where passages are labelled directly."""
    if mode.item == "passage":
        return None
    snapshot = store.snapshot(order.collection)
    if order.bank:
        return find_bank(snapshot, order.bank)
    there = banks(snapshot)
    if len(there) != 1:
        listed = f"There are: {', '.join(there)}." if there else "Import one with: examboard import bank"
        raise UsageError(f"Say with --bank which questions to grade. {listed}")
    return find_bank(snapshot, there[0])


def _differences(order: Order) -> dict[str, str]:
    """What departs from the defaults, and so belongs to the grader's name."""
    said = order.options.differences()
    if order.unreadable != "null":
        said["unreadable"] = f"unreadable-{order.unreadable}"
    if order.verification == "words-authors":
        said["verification"] = order.verification
    if order.verifier:
        said["verifier"] = "verified-by-" + order.verifier.model.rstrip("/").split("/")[-1]
    return said


def _gradable(found: Work, limit: int | None) -> Work:
    """Without pairs whose passage has no text, and at most so many."""
    has_text = found.pairs["passage_text"].notna().to_numpy()
    keep = np.flatnonzero(has_text[found.pair])[:limit]
    return replace(found, pair=found.pair[keep], question=found.question[keep])


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, (list, np.ndarray)) else ()
