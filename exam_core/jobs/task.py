"""Why a collection has nothing to grade, and what would change that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from exam_core.errors import GraderError, ModelMissing, UsageError
from exam_core.grading.answerers import answerer
from exam_core.grading.backend import Reading
from exam_core.grading.modes.grader_name_rules import refuse_grader
from exam_core.grading.modes.known import modes_of
from exam_core.grading.modes.mode import Mode, ModeInput
from exam_core.grading.modes.papers import grader_name, mode_named, without_key
from exam_core.grading.options import GradingOptions
from exam_core.grading.prompt import Answerer, Prompt, cache_name
from exam_core.jobs.ordering import Order, completed
from exam_core.readings.chat import VERSION
from exam_core.store import Snapshot, Store
from exam_core.store.answer_cache import AnswerCache
from exam_core.store.evidence import cited_work
from exam_core.store.grade_segments import differences
from exam_core.store.names import BankRef
from exam_core.store.pairs_to_grade import Work, work
from exam_core.store.question_banks import find_bank
from exam_core.store.summary import banks
from exam_core.wording import counted, nothing_cited, quoted, texts_come


def refuse_nothing(collection: str, bank: str | None, result: Work) -> None:
    """Raise UsageError where nothing is graded and nothing can be: it says what is missing, and how it comes.

    `bank` has its version, and is None where passages are graded as a whole; `result` has no passages without a text.
    """
    if len(result.pair) or result.graded:
        return
    if result.of_citations and result.pairs.empty:
        raise UsageError(nothing_cited(collection))
    queries = [set(frame["query_id"]) for frame in (result.pairs, result.questions)]
    if not queries[0]:
        raise UsageError(
            f"There is nothing to grade in {collection}: no run, judgment or graded file names a passage.\n"
            f"Bring one with: examboard import run FILE --collection {quoted(collection)}"
        )
    if not queries[1]:
        raise UsageError(f"There is nothing to grade with {bank}: none of its questions is switched on.")
    if not queries[0] & queries[1]:
        raise UsageError(
            f"There is nothing to grade with {bank}: its questions are of queries such as {min(queries[1])}, and "
            f"{collection} has passages under queries such as {min(queries[0])}.\n"
            "Check the names of the bank and the collection, and the ids of the queries."
        )
    nameless = result.pairs["passage_text"].isna() & result.pairs["query_id"].isin(queries[1])
    raise UsageError(
        f"There is nothing to grade in {collection}: no text is known of {counted({'passages': int(nameless.sum())})}, "
        f"the first is {result.pairs['doc_id'][nameless].iloc[0]}.\n"
        f"{texts_come(collection)}"
    )


def refuse_blank(collection: str, bank: str | None, frame: pd.DataFrame) -> None:
    """Raise UsageError where questions of a bank, or without a bank queries, have no known text, and say how it comes.

    `frame` has rows of `Work.questions`.
    """
    noun, what, verb, option = (
        ("question", "questions", "bank", f" --bank {quoted(bank)}") if bank else ("query", "queries", "topics", "")
    )
    words = frame[f"{noun}_text"]
    blank = frame[words.isna() | (words.astype(str).str.strip() == "")]
    if len(blank):
        raise UsageError(
            f"No text is known of {counted({what: len(blank)})} of {collection}, the first is "
            f"{blank[f'{noun}_id'].iloc[0]}.\n"
            f"Bring their texts with: examboard import {verb} FILE --collection {quoted(collection)}{option}"
        )


def grader_of(store: Store, order: Order) -> str:
    """The name of the grades that an order makes. Raises UsageError where the store no longer has its mode."""
    order = completed(order, modes := modes_of(store))
    mode = mode_named(order.mode, order.verification, modes)
    return _grader(order, replace(mode, reading=read_as(order, mode)))


def _grader(order: Order, mode: Mode) -> str:
    return order.name or grader_name(order.options.model, mode.called, _differences(order, mode))


Items = slice | np.ndarray
"""Places of some of the missing grades."""


class Task:
    """A grading job that is prepared: its mode, its model, what is missing.

    `log` may name a file for what programs say that run its model; `own` may be a mode that the store does not keep.

    Raises
    ------
    UsageError : unknown names, options that don't go together, texts or answer keys that are missing
    GraderError : the model can't be loaded
    """

    log: Path | None = None
    missing: Path | None = None
    """File for which grades got no answer, and why."""
    waits: Callable[[], object] = staticmethod(lambda: None)
    """Is called now and then while a cluster has no worker yet."""
    introduced = False
    """Whether the store knows the grader by now."""

    def __init__(self, store: Store, order: Order, *, model: Answerer | None = None, own: Mode | None = None) -> None:
        modes = modes_of(store) | ({own.called: own} if own else {})
        self.store, self.order = store, (order := completed(order, modes))
        self.mode = mode_named(order.mode, order.verification, modes)
        self.mode = replace(self.mode, reading=read_as(order, self.mode))
        refuse_rules(order, self.mode)
        snapshot, bank = store.snapshot(order.collection), None
        if self.mode.asks_a_bank:
            bank = bank_of(snapshot, order)
        self.bank = str(BankRef(*bank)) if bank else None
        self._bank_name = bank[0] if bank else ""
        self.grader = _grader(order, self.mode)
        self.work = self._find_work(snapshot, bank)
        refuse_nothing(order.collection, self.bank, self.work)
        used = self.work.questions.iloc[np.unique(self.work.question)]
        if self.mode.asks_a_bank:
            refuse_blank(self.order.collection, self._bank_name, used)
        if self.mode.needs_query:
            refuse_blank(self.order.collection, None, used)
        if self.mode.needs_key:
            keyless = without_key(dict(zip(used["question_id"], used["gold_answers"].map(_texts), strict=True)))
            if keyless:
                raise UsageError(
                    f"Mode {self.mode.called} verifies answers, and there is no answer key for "
                    f"{counted({'questions': len(keyless)})}, the first is {keyless[0]}.\n"
                    "Take a bank with gold_answers, or a mode that rates: self-rating."
                )
        if not order.options.model:
            raise UsageError(f"The mode {self.mode.called} names no model. Name a model.")
        # Grades of two prompts or models never share a name, also where some of them were imported.
        prompt_class = self.mode.prompt_class or self.mode.called
        about = {"llm": order.options.model, "prompt_info": {"prompt_class": prompt_class}}
        refuse_grader(self.grader, about)
        if why := differences(snapshot.graders.get(self.grader, {}), about):
            raise UsageError(
                f"There is a grader {self.grader} in {self.order.collection} already, and {why}.\n"
                f"Give the new grader a name of its own: --grader NAME --mode {self.mode.called}"
            )
        self._model = model

    @cached_property
    def answerer(self) -> Answerer:
        """The model, loaded when it is first needed."""
        try:
            if self._model:
                return self._model
            return answerer(self.order.options, self.mode.kind, log=self.log, system=self.mode.system, waits=self.waits)
        except ModelMissing as error:
            raise GraderError(f"{error}\nThe lexical grader needs no model: --grader lexical") from error

    @cached_property
    def cache(self) -> AnswerCache:
        """Its answers."""
        return answers_of(self.store, self.answerer)

    @cached_property
    def verifier(self) -> Answerer:
        """The model that verifies answers."""
        if self.order.verifier:
            return answerer(GradingOptions(model=self.order.verifier, device=self.order.options.device))
        if self.mode.kind == "extract":
            options = replace(self.order.options, model=str(self.mode.verifying_model))
            return answerer(options, log=self.log, waits=self.waits)
        return self.answerer

    @cached_property
    def verifier_cache(self) -> AnswerCache:
        """Its answers."""
        return self.cache if self.verifier is self.answerer else answers_of(self.store, self.verifier)

    def _find_work(self, snapshot: Snapshot, bank: tuple[str, int] | None) -> Work:
        """Return what is to be graded; a probe overrides it."""
        every = cited_work(snapshot, self.grader) if self.mode.item == "citation" else work(snapshot, self.grader, bank)
        return gradable(every, self.order.limit)

    def __len__(self) -> int:
        return len(self.work.pair)

    @cached_property
    def first(self) -> np.ndarray:
        """For each missing grade whether its passage is among some run's first."""
        return np.asarray(self.work.pairs["first"].to_numpy().astype(bool)[self.work.pair])

    def asked(self, items: Items) -> list[ModeInput]:
        """What is asked in some of the missing grades."""
        pair, question = self.work.pair[items], self.work.question[items]
        passages, questions = self.work.pairs["passage_text"].to_numpy(), self._questions
        return [replace(questions[q], passage_text=str(passages[p])) for p, q in zip(pair, question, strict=True)]

    @cached_property
    def _questions(self) -> list[ModeInput]:
        return [
            ModeInput(
                question_text=_text(row.question_text),
                gold_answers=_texts(row.gold_answers),
                passage_text="",
                query_text=_text(row.query_text),
            )
            for row in self.work.questions.itertuples()
        ]

    def prompts(self, items: Items) -> list[Prompt]:
        """The prompts of some of the missing grades, one after the other for each answer that is asked for."""
        return self.prompts_of([mode for mode in self.asked(items) for _ in range(self.order.options.samples)])

    def prompts_of(self, modes: Sequence[ModeInput]) -> list[Prompt]:
        """Prompts of what is asked, each grade's in a row, with the system text where no backend is told it apart."""
        each, apart = self.order.options.samples, self.order.options.run_by.is_told_apart
        prompts = [replace(self.mode.prompt(mode_input), sample=place % each) for place, mode_input in enumerate(modes)]
        if apart or not self.mode.system:
            return prompts
        return [replace(prompt, head=f"{self.mode.system}\n\n{prompt.head}") for prompt in prompts]

    def ids(self, places: Sequence[int]) -> list[dict[str, str | None]]:
        """Query, passage and question of some of the missing grades; no question where passages are labelled."""
        items = np.asarray(places, np.int64) % max(len(self.work.pair), 1)
        pairs = self.work.pairs.iloc[self.work.pair[items]]
        questions = self.work.questions["question_id"].iloc[self.work.question[items]]
        return [
            {"query_id": query, "doc_id": doc, "question_id": question if isinstance(question, str) else None}
            for query, doc, question in zip(pairs["query_id"], pairs["doc_id"], questions, strict=True)
        ]

    def names(self, places: Sequence[int]) -> list[str]:
        """Query and passage of some of the missing grades, in words."""
        return [f"passage {ids['doc_id']} of query {ids['query_id']}" for ids in self.ids(places)]

    def described(self) -> dict[str, Any]:
        """What the store keeps of this grader."""
        about = dict(self.answerer.about)
        options = {name: str(value) for name, value in about.items() if name != "model"}
        options["unreadable"] = self.order.unreadable
        if self.mode.reading == "chat":  # That of flan-t5 goes unsaid, as always.
            options["reading"] = f"chat {VERSION}"
        if self.mode.verifier:
            options["verification"] = self.mode.verifier
        if self.mode.verifier == "words-authors":
            options["stemmer"] = "nltk"  # Grades of the rules before it came don't go by the same name.
        if self.mode.verifier == "llm":
            options["verifier"] = str(self.verifier.about)
        return self.mode.described(str(about["model"]), options)


def read_as(order: Order, mode: Mode) -> Reading:
    """How answers are read: as somebody says, else as the mode says, else as the program writes that runs the model."""
    readings: list[Reading] = [name for name in (order.reading, mode.reading) if name != "auto"]
    return readings[0] if readings else order.options.run_by.reading


def refuse_rules(order: Order, mode: Mode) -> None:
    """Refuse to give grades to answers of chat models by the rules that the papers made for FLAN-T5."""
    if mode.pattern and (mode.reading != "chat" or order.unreadable != "null"):
        raise UsageError(
            f"The pattern of {mode.called} says how answers are read: leave --reading and --unreadable out."
        )
    if mode.reading == "chat" and order.unreadable != "null":
        raise UsageError(
            f"--unreadable {order.unreadable} gives 0 or 1 to answers that are not a grade, as the papers did with "
            "FLAN-T5. Chat models write more than a grade, so it does not suit them. Leave it out, or add --reading "
            "flan-t5."
        )


def answers_of(store: Store, model: Answerer) -> AnswerCache:
    """The answers of a model; one that writes down what it left with its backend learns where."""
    answer_cache = store.answers(cache_name(model.about), model.about)
    if hasattr(model, "write_beside"):
        model.write_beside(answer_cache.folder)
    return answer_cache


def bank_of(snapshot: Snapshot, order: Order) -> tuple[str, int]:
    """The bank that is asked, and its version.

    Raises UsageError where there is no such bank, or it isn't said which.
    """
    if order.bank:
        return find_bank(snapshot, order.bank)
    names = banks(snapshot)
    if len(names) != 1:
        listed = f"There are: {', '.join(names)}." if names else "Import one with: examboard import bank"
        raise UsageError(f"Say with --bank which questions to grade. {listed}")
    return find_bank(snapshot, names[0])


def _differences(order: Order, mode: Mode) -> dict[str, str]:
    """What departs from the defaults, and so belongs to the grader's name."""
    names = order.options.differences()
    if order.unreadable != "null":
        names["unreadable"] = f"unreadable-{order.unreadable}"
    if mode.reading == "chat":
        names["reading"] = "chat" if VERSION == 1 else f"chat-{VERSION}"
    if order.verification == "words-authors":
        names["verification"] = order.verification
    if order.verifier:
        names["verifier"] = "verified-by-" + order.verifier.rstrip("/").split("/")[-1]
    return names


def gradable(result: Work, limit: int | None) -> Work:
    """Without pairs whose passage has no text, and at most so many."""
    has_text = result.pairs["passage_text"].notna().to_numpy()
    keep = np.flatnonzero(has_text[result.pair])[:limit]
    return replace(result, pair=result.pair[keep], question=result.question[keep])


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, (list, np.ndarray)) else ()
